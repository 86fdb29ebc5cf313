"""What plays policies for the library: a built-in task, or an environment that only Python can step."""

from __future__ import annotations

import numbers
from typing import Any

from . import _mercer
from .errors import fault
from .envs import NO_LIMIT, is_foreign, own_env, task_of
from .perturbed import Perturbed
from .playing import play_foreign


class _Plays:
    """`play_foreign` in one environment, as the library calls it, with episodes of at most `limit` steps."""

    def __init__(self, env: Any, limit: int) -> None:
        self.env, self.limit = env, limit

    def __call__(
        self, policy: Any, episodes: int, seed: int, act: str, gamma: float, horizon: int | None, *rest: Any
    ) -> _mercer.Rollouts:
        return play_foreign(self.env, policy, episodes, seed, act, gamma, min(horizon or NO_LIMIT, self.limit), *rest)


def player_of(
    env: Any, return_range: tuple[float, float] | None = None, horizon: int | None = None
) -> _mercer.Player:
    """The player of a task.

    `return_range` bounds the return of every episode of a foreign environment; None or infinite bounds: unknown.
    `horizon` cuts its episodes off after that many steps.
    """
    if horizon is not None and not (isinstance(horizon, numbers.Integral) and 1 <= horizon < NO_LIMIT):
        raise fault("E202", f"horizon is {horizon!r}; legal: 1 to {NO_LIMIT - 1}", "Give a number of steps")
    if is_foreign(env):
        task = task_of(env)
        limit = min(horizon or NO_LIMIT, task.time_limit)
        task, play = _mercer.Task(task.name, task.observation, task.action, limit), _Plays(env, limit)
        if not isinstance(env, Perturbed):
            return _mercer.Player(task, play, return_range)
        at = lambda values: player_of(env.at(values), return_range, horizon)  # noqa: E731
        return _mercer.Player(task, play, return_range, env.box(), at)
    if return_range is not None:
        raise fault("E203", "return_range is for tasks that do not declare it themselves", "Leave it out")
    if horizon is not None:
        raise fault("E203", "horizon was given, and built-in tasks end by themselves", "Leave it out")
    return _mercer.Player(own_env(env)._batch)
