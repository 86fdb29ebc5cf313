"""What a student loses against the network, on the same starts for all of one repeat."""

import functools
import zlib

import numpy as np

from .subjects import SUBJECTS, file_of
from .tasks import play
from .teacher import Network


def generator(*words):
    """Random numbers that belong to these words."""
    return np.random.default_rng(zlib.crc32("/".join(map(str, words)).encode()))


@functools.lru_cache(maxsize=4)
def reference(policy, repeat, episodes):
    """Starts, and what the network itself earns on them."""
    task = SUBJECTS[policy]
    starts = task.starts(episodes, generator("judge", task.name, repeat))
    return starts, play(task, Network(task, file_of(policy)).act, starts)


def judge(policy, repeat, episodes, act):
    """Loss in percent of the network's |mean return|, and half the width of its 95% interval."""
    starts, earned = reference(policy, repeat, episodes)
    lost = earned - play(SUBJECTS[policy], act, starts)
    unit = 100 / abs(earned.mean())
    return {"loss_percent": unit * lost.mean(), "half_ci95": unit * 1.96 * lost.std(ddof=1) / np.sqrt(len(lost)),
            "teacher_return": earned.mean()}
