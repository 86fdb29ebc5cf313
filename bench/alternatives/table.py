"""A plain table over the plane of states, filled by asking the network."""

import itertools

import numpy as np


class Table:
    """`bins` points in each of the two coordinates, ends included where the coordinate does not come round, each with the
    network's action in one byte, or its choice in two bits. Actions in between are interpolated linearly, choices taken from
    the nearest point."""

    def __init__(self, task, teacher, bins):
        self.task, self.bins = task, bins
        self.intervals = np.array([bins if around else bins - 1 for around in task.periodic])
        axes = [low + (high - low) * np.arange(bins) / n for low, high, n in zip(task.low, task.high, self.intervals)]
        points = np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")])
        actions = teacher.act(np.stack(task.observations(points), axis=-1))
        if task.choices is None:
            unit = task.largest / 127
            actions = np.rint(actions / unit) * unit
        self.cells = actions.reshape(bins, bins)
        self.bytes = bins * bins if task.choices is None else (2 * bins * bins + 7) // 8

    def at(self, row, column):
        return self.cells[row % self.bins, column % self.bins]

    def act(self, observations):
        spot = (self.task.place(observations) - self.task.low[:, None]) / (self.task.high - self.task.low)[:, None]
        spot *= self.intervals[:, None]
        if self.task.choices is not None:
            return self.at(*np.clip(np.rint(spot).astype(int), 0, self.bins - 1))
        most = np.array([self.bins if around else self.bins - 2 for around in self.task.periodic])[:, None]
        corner = np.clip(np.floor(spot).astype(int), 0, most)
        share, actions = spot - corner, 0.0
        for up, right in itertools.product((0, 1), repeat=2):
            weight = np.abs(1 - up - share[0]) * np.abs(1 - right - share[1])
            actions = actions + weight * self.at(corner[0] + up, corner[1] + right)
        return actions
