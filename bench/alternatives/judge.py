"""What a student loses against the network, and how it moves, on the same starts for all of one repeat."""

import functools
import zlib

import numpy as np

from .keeping import Limits
from .playing import play
from .subjects import SUBJECTS, file_of
from .teacher import Network


def generator(*words):
    """Random numbers that belong to these words."""
    return np.random.default_rng(zlib.crc32("/".join(map(str, words)).encode()))


@functools.lru_cache(maxsize=4)
def reference(policy, repeat, episodes):
    """Starts, and what the network itself comes to on them."""
    task = SUBJECTS[policy]
    starts = task.starts(episodes, generator("judge", task.name, repeat))
    return starts, play(task, Network(task, file_of(policy)).act, starts)


def compared(teacher, student):
    """Loss in percent of the network's |mean return|, half the width of its 95% interval, roughness and failures of both, and
    which of the limits on those are broken."""
    lost, earned = teacher.returns - student.returns, teacher.returns.mean()
    unit, limits, roughness = 100 / abs(earned), Limits.of(teacher), float(student.roughness.mean())
    rough, fails = limits.too_rough(roughness), limits.fails_too_often(student.failures)
    return {"loss_percent": unit * lost.mean(), "half_ci95": unit * 1.96 * lost.std(ddof=1) / np.sqrt(len(lost)),
            "teacher_return": earned, "roughness": roughness, "teacher_roughness": float(teacher.roughness.mean()),
            "failures": student.failures, "teacher_failures": teacher.failures, "too_rough": rough, "fails_too_often": fails,
            "admissible": not (rough or fails)}


def judge(policy, repeat, episodes, act):
    starts, teacher = reference(policy, repeat, episodes)
    return compared(teacher, play(SUBJECTS[policy], act, starts))
