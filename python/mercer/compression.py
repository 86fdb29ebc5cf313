"""`compress` and `embed`: policies in few numbers. The library decides everything; these functions hand it objects."""

from __future__ import annotations

import json
from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _mercer
from .errors import fault
from .certificates import CertificateError
from .embedding import Embedding
from .envs import env_name, own_env, player_env, task_of
from .foreign import player_of
from .options import add_given, check_share, default_of, with_options
from .perturbed import with_spread
from .policies import as_policy
from .progress import Progress, watching

Listener = Callable[[dict[str, Any], bool], None]

_FILES = ("env", "policy", "starts", "batch", "states", "out", "results", "from", "file", "sign")


def _searched(found: tuple[Any, ...], allow_unmet: bool) -> Embedding:
    """The embedding of a search, or an error that carries it where it does not keep its budget."""
    handle, tried, front, seconds, refused = found
    embedding = Embedding(handle, [tried[i] for i in front], tried)
    embedding.seconds = seconds
    if refused is None or allow_unmet:
        return embedding
    error = CertificateError(f"{refused} The best that was found is this error's `embedding`.")
    error.embedding, error.code = embedding, refused.split(":")[0]
    raise error


def _budget(max_loss: float | str | None) -> float | str:
    """None is no budget, where other options are left alone by it."""
    return "none" if max_loss is None else max_loss


def _log(states: Any, lengths: int | Sequence[int] | None) -> tuple[Any, list[int]]:
    """Logged states, and where their episodes begin and end."""
    if isinstance(states, _mercer.Rollouts):
        if lengths is not None:
            raise fault("E203", "episode_lengths was given, and rollouts know their episodes", "Leave it out")
        return states.observations, list(states.offsets)
    if lengths is None:
        return states, [0, len(states)]
    if np.ndim(lengths) == 0:
        each = int(lengths)  # type: ignore[arg-type]
        lengths = [each] * (len(states) // max(each, 1))
    return states, [0, *np.cumsum(lengths, dtype=np.int64).tolist()]


@with_options("compress", without=_FILES)
def compress(
    policy: Any,
    env: Any,
    max_loss: float | str | None = default_of("compress", "max_loss"),
    confidence: float = default_of("compress", "confidence"),
    *,
    return_range: tuple[float, float] | None = None,
    horizon: int | None = None,
    allow_unmet: bool = False,
    on_candidate: Listener | None = None,
    progress: Progress = None,
    **options: Any,
) -> Embedding:
    """Searches for the smallest embedding of `policy` whose certified loss in `env` keeps the budget.

    Built-in tasks are played on all cores. Other environments are played by Python, so what is not given asks for less
    there: two minutes in all (`budget`), 20 episodes for each candidate, 400 to select, at most 4,000 to certify, fewer
    where an episode takes long, and no lattices. Sizes grow by a third until one should pass, up to `most_terms`, 256
    unless given; then those below it are tried. Coefficients are polished on the action, and on the return where that
    finds nothing; `polish` asks for one of the two. A quarter of `budget` is for the certificate, whose `episodes` are
    those that could be played: at least 50. `budget=0` sets no limit, so that a seed decides everything.

    With more than four observations students with shared ridges are searched for instead, in built-in tasks as in others,
    for 40 minutes unless `budget` is given. They are tuned with the critics of the file that `load_policy` read, where it
    has some. `bases=["chebyshev"]` asks for dictionaries.

    Raises `CertificateError`, with the best that was found as its `embedding`, unless the budget is kept or
    `allow_unmet`.

    Parameters:

        policy: Teacher: any policy that `rollout` takes, an agent of Stable-Baselines3, a torch module
        env: A built-in task, anything with Gymnasium's interface, or a VecEnv of Stable-Baselines3
        max_loss: Allowed loss as a share of the teacher's |return|, such as 0.01 or "1%"; None, or giving only
            `max_loss_return`, leaves it out
        confidence: Confidence of the promise, such as 0.95
        return_range: Bounds on the return of every episode of an environment that Python plays; you vouch for them. With
            them the certificate is as for a built-in task. Without them the promise is about returns cut to a range that
            is fixed on other episodes, and about how often a return lies outside. `method="student_t"` gives an estimate
            instead: no guarantee
        horizon: Steps after which episodes of an environment that Python plays are cut off
    """
    check_share("max_loss", max_loss)
    add_given(options, max_loss=_budget(max_loss), confidence=confidence)
    task = player_env(env, int(options.get("seed", 0)))
    teacher = as_policy(policy, task, str(options.get("act", "mean")))
    player = player_of(with_spread(task, teacher), return_range, horizon)
    with watching(progress) as report:
        found = _mercer.compress(player, env_name(env), teacher, None, options, on_candidate, report)
    return _searched(found, allow_unmet)


@with_options("compress", without=(*_FILES, "max_loss_return", "act", "horizon", "gamma", "route", "polish"))
def compress_states(
    policy: Any,
    states: NDArray[Any] | _mercer.Rollouts,
    env: Any,
    max_loss: float | str = default_of("compress", "max_loss"),
    confidence: float = default_of("compress", "confidence"),
    *,
    episode_lengths: int | Sequence[int] | None = None,
    allow_unmet: bool = False,
    on_candidate: Listener | None = None,
    progress: Progress = None,
    **options: Any,
) -> Embedding:
    """The smallest continuous embedding whose mean action stays close to the teacher's on logged states (n, dim).

    Nothing is played: `env` only says what observations and actions are. `max_loss` and the certificate are about the
    error of the action as a share of its range: the mean over episodes of the mean error of an episode. Nothing is
    promised about the return.

    Steps of one episode depend on each other, so the certificate needs to know where episodes end. `states` are rollouts,
    which know it, or an array of states, episode after episode, with `episode_lengths`: a number for each episode, or one
    number for all of them. States that were drawn independently are episodes of one state: `episode_lengths=1`. Without
    it the whole array counts as one episode. With fewer than 30 episodes nothing is certified: `CertificateError` is
    raised with the embedding that was found, or that is returned where `allow_unmet`; its `certificate` is None.
    """
    check_share("max_loss", max_loss)
    add_given(options, max_loss=_budget(max_loss), confidence=confidence)
    teacher = as_policy(policy, env, "mean")
    with watching(progress) as report:
        found = _mercer.compress(
            player_of(env), task_of(env).name, teacher, _log(states, episode_lengths), options, on_candidate, report
        )
    return _searched(found, allow_unmet)


@with_options("embed", without=_FILES)
def embed(policy: Any, env: Any, *, progress: Progress = None, **options: Any) -> Embedding:
    """Turns a policy of a built-in task into few numbers of a chosen basis, and measures the result.

    The same options and seed give the same payload as `mercer embed`. What was measured is in the `facts` of the
    embedding: returns, w1, tv, pruned_percent, ...
    """
    check_share("max_loss", options.get("max_loss"))
    own = own_env(env, int(options.get("seed", 0)))
    act = "mean" if options.get("route") == "continuous" else "sample"
    teacher = as_policy(policy, own, str(options.get("act") or act))
    with watching(progress) as report:
        handle, facts = _mercer.embed(own._batch, env_name(env), teacher, None, options, report)
    embedding = Embedding(handle)
    embedding.facts.update({key: value for key, value in json.loads(facts).items() if key not in embedding.facts})
    return embedding


def embed_lattice(policy: Any, env: Any, *, progress: Progress = None, **options: Any) -> Embedding:
    """`embed(policy, env, route="lattice", progress=progress)`: the policy's table on a lattice, in k numbers."""
    return embed(policy, env, progress=progress, route="lattice", **options)


def embed_continuous(policy: Any, env: Any, *, progress: Progress = None, **options: Any) -> Embedding:
    """`embed(policy, env, route="continuous", progress=progress)`: k terms of known functions of the observation."""
    return embed(policy, env, progress=progress, route="continuous", **options)
