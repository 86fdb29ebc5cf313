"""Playing policies: `rollout`, `evaluate`, `paired_returns`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _mercer
from .envs import env_name, is_foreign, make, own_env, player_env
from .foreign import player_of
from .options import add_given, default_of, with_options
from .perturbed import with_spread
from .policies import as_policy
from .progress import Progress, watching

Rollouts = _mercer.Rollouts

_OBJECTS = ("env", "policy", "starts", "out", "rollouts")


@with_options("rollout", without=_OBJECTS)
def rollout(
    env: Any,
    policy: Any,
    episodes: int = default_of("rollout", "episodes"),
    seed: int = default_of("rollout", "seed"),
    *,
    keep_steps: bool = True,
    start_states: NDArray[Any] | None = None,
    progress: Progress = None,
    **options: Any,
) -> Rollouts:
    """Plays episodes of a policy in a task and keeps what happened.

    `env` is a built-in task (its name, or what `make` gave) or anything with Gymnasium's interface, vectors of
    environments included. `policy` is a built-in, the name of a file, a callable obs -> action, an object with
    Stable-Baselines3's `predict`, or one with `sample(obs, seed)` and `log_prob(obs, actions)`. `act` is "sample" (the
    policy as it is) or "mean" (nothing drawn).

    Without `keep_steps` only the outcome of each episode is kept. Episode e of a built-in task starts in row e of
    `start_states`, modulo their number. Built-in tasks give the same bits as `mercer rollout` for the same seed.
    Episode e of a foreign environment begins with `reset(seed=2**20 * seed + e)`, for seeds from 2048 on with a 31-bit
    hash of both; its discount is 1 unless `gamma` is given.
    """
    add_given(options, episodes=episodes, seed=seed)
    task = player_env(env, int(seed))
    played = as_policy(policy, task, _act("rollout", options))
    with watching(progress) as report:
        player = player_of(with_spread(task, played))
        return _mercer.rollout(player, env_name(env), played, start_states, keep_steps, options, report)


@with_options("evaluate", without=_OBJECTS)
def evaluate(
    env: Any,
    policy: Any,
    episodes: int = default_of("evaluate", "episodes"),
    seed: int = default_of("evaluate", "seed"),
    *,
    against: Any = None,
    progress: Progress = None,
    **options: Any,
) -> dict[str, Any]:
    """Mean return with its spread and interval; with `against` also the loss on the same starts.

    The keys are those of `mercer evaluate --json`: episodes, return, std_ci95, discounted_return, paired, ...
    """
    add_given(options, episodes=episodes, seed=seed)
    task = player_env(env, int(seed))
    act = _act("evaluate", options)
    played = as_policy(policy, task, act)
    rival = None if against is None else as_policy(against, task, act)
    with watching(progress) as report:
        player = player_of(with_spread(task, played if rival is None else rival))
        return _mercer.evaluate(player, env_name(env), played, rival, options, report)


def _mercer_env(env: Any, teacher: Any, seed: int) -> Any:
    """A built-in task in which both of two policies meet the noise that the first one's spread sets."""
    own = own_env(env, seed)
    spread = _mercer.spread_of(own.name, seed, as_policy(teacher, own, "mean"))
    return own if spread is None else make(own.name, 1, seed, spread)


def _act(verb: str, options: dict[str, Any]) -> str:
    return str(options.get("act") or default_of(verb, "act"))


def paired_returns(
    env: Any, teacher: Any, student: Any, episodes: int = 100, seed: int = 0, *, act: str = "mean", **options: Any
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Returns of `teacher` and `student` in `env`, episode by episode, on the same start states and the same noise.

    `episodes`, `seed`, `act` and further `options` are those of `rollout`.
    """
    env = env if is_foreign(env) else _mercer_env(env, teacher, seed)
    first = rollout(env, teacher, episodes, seed, act=act, keep_steps=False, **options)
    second = rollout(env, student, episodes, seed, act=act, keep_steps=False, **options)
    return np.array(first.returns), np.array(second.returns)
