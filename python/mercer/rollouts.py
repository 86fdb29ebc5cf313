"""Playing policies: `rollout`, `evaluate`, `paired_returns`."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _mercer
from .envs import env_name, is_foreign, own_env
from .playing import play_foreign
from .policies import as_policy
from .progress import Progress, watching

Rollouts = _mercer.Rollouts


def rollout(
    env: Any,
    policy: Any,
    episodes: int = 100,
    seed: int = 0,
    *,
    act: str = "sample",
    gamma: float | None = None,
    horizon: int | None = None,
    keep_steps: bool = True,
    start_states: np.ndarray | None = None,
    batch: int = 0,
    progress: Progress = None,
) -> Rollouts:
    """Plays episodes of a policy in a task and keeps what happened.

    `env` is a built-in task (its name, or what `make` gave) or anything with Gymnasium's interface, vectors of
    environments included. `policy` is a built-in, the name of a file, a callable obs -> action, an object with
    Stable-Baselines3's `predict`, or one with `sample(obs, seed)` and `log_prob(obs, actions)`. `act` is "sample" (the
    policy as it is) or "mean" (nothing drawn).

    Built-in tasks give the same bits as `mercer rollout` for the same seed. Episode e of a foreign environment begins
    with `reset(seed=2**20 * seed + e)`, for seeds from 2048 on with a 31-bit hash of both.
    """
    with watching(progress) as report:
        if is_foreign(env):
            if start_states is not None:
                raise ValueError("start_states is for built-in tasks: others can only be reset by seed")
            discount = 1.0 if gamma is None else gamma
            return play_foreign(env, policy, episodes, seed, act, discount, horizon, keep_steps, report)
        own = own_env(env, seed)
        player = as_policy(policy, own, act)
        options: dict[str, Any] = {
            "episodes": episodes, "seed": seed, "act": act, "keep_steps": keep_steps, "batch": batch,
        }
        if gamma is not None:
            options["gamma"] = gamma
        if horizon is not None:
            options["horizon"] = horizon
        if start_states is not None:
            options["start_states"] = np.ravel(np.asarray(start_states, dtype=float)).tolist()
        return _mercer.rollout(own._batch, player, options, report)


def evaluate(
    env: Any,
    policy: Any,
    episodes: int = 100,
    seed: int = 0,
    *,
    act: str = "sample",
    against: Any = None,
    gamma: float | None = None,
    horizon: int | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """Mean return with its spread and interval; with `against` also the loss on the same starts.

    The keys are those of `mercer evaluate --json`: episodes, return, paired.
    """
    how: dict[str, Any] = {"act": act, "gamma": gamma, "horizon": horizon, "keep_steps": False, "progress": progress}
    played = rollout(env, policy, episodes, seed, **how)
    out: dict[str, Any] = {
        "env": env_name(env),
        "policy": played.policy,
        "seed": seed,
        "episodes": played.episodes,
        "steps": played.steps,
        "return": _mercer.summarise(played.returns),
    }
    if against is not None:
        rival = rollout(env, against, episodes, seed, **how)
        out["against"] = {"policy": rival.policy, "return": _mercer.summarise(rival.returns)}
        out["paired"] = _mercer.paired_loss(rival.returns, played.returns)
    return out


def paired_returns(
    env: Any, teacher: Any, student: Any, episodes: int = 100, seed: int = 0, *, act: str = "mean", **options: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Returns of two policies, episode by episode, on the same start states and the same noise."""
    first = rollout(env, teacher, episodes, seed, act=act, keep_steps=False, **options)
    second = rollout(env, student, episodes, seed, act=act, keep_steps=False, **options)
    return np.array(first.returns), np.array(second.returns)
