"""What plays policies for the library: a built-in task, or an environment that only Python can step."""

from __future__ import annotations

import functools
from typing import Any

from . import _mercer
from .envs import is_foreign, own_env, task_of
from .perturbed import Perturbed
from .playing import play_foreign


def player_of(env: Any, return_range: tuple[float, float] | None = None) -> _mercer.Player:
    """The player of a task.

    `return_range` bounds the return of every episode of a foreign environment; None or infinite bounds: unknown.
    """
    if isinstance(env, Perturbed):
        at = lambda values: player_of(env.at(values), return_range)  # noqa: E731
        return _mercer.Player(task_of(env), functools.partial(play_foreign, env), return_range, env.box(), at)
    if is_foreign(env):
        return _mercer.Player(task_of(env), functools.partial(play_foreign, env), return_range)
    if return_range is not None:
        raise ValueError("E203: return_range is for tasks that do not declare it themselves. Leave it out.")
    return _mercer.Player(own_env(env)._batch)
