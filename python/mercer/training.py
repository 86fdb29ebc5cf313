"""`train`: SAC and DQN on built-in tasks."""

from __future__ import annotations

import json
import os
from typing import Any

from . import _mercer
from .envs import env_name
from .options import with_options
from .progress import Progress, watching


@with_options("train", without=("env", "out"))
def train(env: Any, out: str | os.PathLike[str], *, progress: Progress = None, **options: Any) -> dict[str, Any]:
    """Trains a policy in a built-in task and keeps snapshots in the folder `out`; the same call continues after a kill.

    Gives what `mercer train --json` prints: steps, resumed_from, seconds and snapshots: [{step, file, return}].
    """
    with watching(progress) as report:
        done: dict[str, Any] = json.loads(_mercer.train({"env": env_name(env), "out": os.fspath(out), **options}, report))
    return done
