"""Students that learn from states which the network met and, three times, from those that they met themselves."""

import numpy as np

from .playing import play


def imitate(task, teacher, make, random, episodes=40, most=60000):
    """The best of four students on episodes of their own, each fitted on what all before it met."""
    met = play(task, teacher.act, task.starts(episodes, random), keep=True).met
    shown = teacher.act(met)
    judging, best = task.starts(60, random), None
    for last in (False, False, False, True):
        kept = random.permutation(len(met))[:most]
        met, shown = met[kept], shown[kept]
        student = make()
        student.fit(task, met, shown, random)
        earned = play(task, student.act, judging).returns.mean()
        if best is None or earned > best[0]:
            best = (earned, student)
        if not last:
            own = play(task, student.act, task.starts(episodes, random), keep=True).met
            met, shown = np.concatenate([met, own]), np.concatenate([shown, teacher.act(own)])
    return best[1]
