"""Students that learn from states which the network met and, round after round, from those that they met themselves."""

import numpy as np

from .playing import play as play_in_numpy


def imitate(task, teacher, make, random, episodes=40, most=60000, rounds=4, judging=60, play=play_in_numpy):
    """The best of `rounds` students on episodes of their own, each fitted on what all before it met. `play` plays `task`."""
    met = play(task, teacher.act, task.starts(episodes, random), keep=True).met
    shown = teacher.act(met)
    judged, best = task.starts(judging, random), None
    for last in [False] * (rounds - 1) + [True]:
        kept = random.permutation(len(met))[:most]
        met, shown = met[kept], shown[kept]
        student = make()
        student.fit(task, met, shown, random)
        earned = play(task, student.act, judged).returns.mean()
        if best is None or earned > best[0]:
            best = (earned, student)
        if not last:
            own = play(task, student.act, task.starts(episodes, random), keep=True).met
            met, shown = np.concatenate([met, own]), np.concatenate([shown, teacher.act(own)])
    return best[1]
