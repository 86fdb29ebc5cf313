"""`train`: SAC and DQN on built-in tasks."""

from __future__ import annotations

import os
from typing import Any

from . import _mercer
from .envs import env_name, own_env
from .progress import Progress, watching


def train(
    env: Any, algorithm: str, folder: str | os.PathLike, *, progress: Progress = None, **options: Any
) -> dict[str, Any]:
    """Trains "sac" or "dqn" in a built-in task and keeps snapshots in a folder; the same call goes on after a kill.

    Options: steps, seed, snapshots (a list of steps), force, and those of docs/guide/training.md with underscores; where none
    is given, those of the task's recipe. Gives steps, resumed_from, seconds and snapshots: [{step, file}].
    """
    own = own_env(env, int(options.get("seed", 0)))
    with watching(progress) as report:
        return _mercer.train(own._batch, env_name(env), algorithm, os.fspath(folder), options, report)
