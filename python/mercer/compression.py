"""`compress`: the smallest embedding that keeps a promise about its loss."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from . import _mercer
from .certificates import CertificateError
from .embedding import Embedding
from .envs import env_name, is_foreign, own_env, task_of
from .foreign import player_of
from .policies import as_policy
from .progress import Progress, watching

class _Usual(float):
    """A budget that nobody asked for: it gives way to one that somebody did."""


Listener = Callable[[dict[str, Any], bool], None]


def _give(embedding: Embedding, allow_unmet: bool) -> Embedding:
    """The embedding, or an error that carries it where it does not keep its budget."""
    certificate = embedding.certificate
    assert certificate is not None
    if certificate.met or allow_unmet:
        return embedding
    upper = certificate.upper_percent
    told = f"{certificate.upper_return:.6g} in return" if upper is None else f"{upper:.3f}%"
    error = CertificateError(
        f"E501: nothing that was tried keeps the budget; the best found may lose up to {told} (measured: "
        f"{certificate.loss_percent:.3f}%) and is this error's `embedding`. Allow more loss or bytes, raise most_terms "
        "or generations, or certify on more episodes."
    )
    error.embedding = embedding
    raise error


def _wrap(found: tuple, teacher: Any, env: str) -> Embedding:
    handle, tried, front, _, seconds = found
    embedding = Embedding(handle, [tried[i] for i in front], tried)
    embedding.seconds = seconds
    certificate = embedding.certificate
    assert certificate is not None
    certificate.update(env=env, teacher=teacher.name)
    embedding.certificate = certificate
    facts = embedding.facts
    handle.set_origin(env, teacher.name, facts["seed"], facts["settings"])
    return embedding


def compress(
    policy: Any,
    env: Any,
    max_loss: float | None = _Usual(0.01),
    confidence: float = 0.95,
    *,
    max_loss_return: float | None = None,
    max_bytes: int | None = None,
    act: str = "mean",
    route: str | None = None,
    polish: str | None = None,
    bases: list[str] | None = None,
    degree: int = 5,
    formats: list[str] | None = None,
    most_terms: int = 20,
    generations: int = 60,
    candidate_episodes: int | None = None,
    select_episodes: int | None = None,
    certify_episodes: int | None = None,
    attempts: int = 5,
    seconds: float = 0,
    seed: int = 0,
    return_range: tuple[float, float] | None = None,
    allow_unmet: bool = False,
    on_candidate: Listener | None = None,
    progress: Progress = None,
) -> Embedding:
    """Searches for the smallest embedding of `policy` whose certified loss in `env` keeps the budget.

    `max_loss` is a share of the teacher's |return|, `max_loss_return` an amount of it; giving only the second leaves
    the first out. Both kinds of task and all kinds of policies are taken, as by `rollout`.

    The library searches all tasks in the same way. Built-in ones are played on all cores. Other environments are
    played by Python, so what is None asks for less there: 20 episodes a candidate, 100 to select, 1,000 to certify,
    coefficients polished on the action, no lattices. What can be promised about them depends on `return_range`, bounds
    on the return of any episode that you vouch for: with it the certificate is as for a built-in task; without it, or
    with an infinite one, its level is "estimate" (Student's t), which `met` then goes by.

    Raises `CertificateError`, with the best that was found as its `embedding`, unless the budget is kept or
    `allow_unmet`.
    """
    if max_loss_return is not None and isinstance(max_loss, _Usual):
        max_loss = None
    task = env if is_foreign(env) else own_env(env, seed)
    options = {
        "max_loss": max_loss, "max_loss_return": max_loss_return, "max_bytes": max_bytes, "confidence": confidence,
        "act": act, "route": route, "polish": polish, "bases": bases, "degree": degree, "formats": formats,
        "most_terms": most_terms, "generations": generations, "candidate_episodes": candidate_episodes,
        "select_episodes": select_episodes, "certify_episodes": certify_episodes, "attempts": attempts,
        "seconds": seconds, "seed": seed,
    }
    with watching(progress) as report:
        teacher = as_policy(policy, task, act)
        found = _mercer.compress(player_of(task, return_range), teacher, options, on_candidate, report)
    return _give(_wrap(found, teacher, env_name(env)), allow_unmet)


def compress_states(
    policy: Any,
    states: np.ndarray,
    env: Any,
    max_error: float = 0.01,
    confidence: float = 0.95,
    *,
    max_bytes: int | None = None,
    bases: list[str] | None = None,
    degree: int = 5,
    formats: list[str] | None = None,
    most_terms: int = 32,
    attempts: int = 5,
    seed: int = 0,
    allow_unmet: bool = False,
    on_candidate: Listener | None = None,
    progress: Progress = None,
) -> Embedding:
    """The smallest continuous embedding whose mean action stays close to the teacher's on logged states (n, dim).

    Nothing is played: `env` only says what observations and actions are. The certificate is about the mean error of
    the action as a share of its range.
    """
    teacher = as_policy(policy, env, "mean")
    options: dict[str, Any] = {
        "max_error": max_error, "confidence": confidence, "max_bytes": max_bytes, "degree": degree,
        "most_terms": most_terms, "attempts": attempts, "seed": seed,
    }
    options.update({key: value for key, value in {"bases": bases, "formats": formats}.items() if value is not None})
    with watching(progress) as report:
        found = _mercer.compress_states(teacher, states, options, on_candidate, report)
    return _give(_wrap(found, teacher, task_of(env).name), allow_unmet)


def embed_lattice(policy: Any, env: Any, *, progress: Progress = None, **options: Any) -> Embedding:
    """`mercer embed`: the policy's table on a lattice, in k numbers of a basis.

    Options are those of the command line with underscores: preset, basis, k, energy, state_bins, action_bins,
    state_edges, action_edges, reach_bounds, conditional_actions, table, prune, unvisited, noise, order, simplex,
    rollouts, seed. A built-in task is played, in the same episodes as the command line plays.
    """
    own = own_env(env, int(options.get("seed", 0)))
    teacher = as_policy(policy, own, "sample")
    with watching(progress) as report:
        handle, facts = _mercer.embed_lattice(own._batch, teacher, options, report)
    told = {key: str(value) for key, value in options.items()}
    handle.set_origin(env_name(env), teacher.name, int(options.get("seed", 0)), told)
    embedding = Embedding(handle)
    embedding.facts.update(facts)
    return embedding


def embed_continuous(policy: Any, env: Any, *, progress: Progress = None, **options: Any) -> Embedding:
    """`mercer embed --route continuous`: k terms of known functions of the observation.

    Options: basis, degree, index_set, degree_limits, knots, temper, candidates, ridge_bits, length, k, format, act,
    squash, rollouts, states, rounds, seed.
    """
    own = own_env(env, int(options.get("seed", 0)))
    teacher = as_policy(policy, own, str(options.get("act", "mean")))
    with watching(progress) as report:
        handle = _mercer.embed_continuous(own._batch, teacher, options, report)
    told = {key: str(value) for key, value in options.items()}
    told.setdefault("act", "mean")
    handle.set_origin(env_name(env), teacher.name, int(options.get("seed", 0)), told)
    return Embedding(handle)
