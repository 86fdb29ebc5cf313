"""Radial basis functions that imitate."""

import numpy as np
from sklearn.cluster import KMeans

from .tasks import decide, targets


class Bumps:
    """Gaussian bumps around centres of k-means, by regularised least squares; their width by what was held out."""

    def __init__(self, centres):
        self.count = centres

    def fit(self, task, observations, actions, random):
        kept = random.permutation(len(observations))[:10000]
        self.task, self.middle, self.spread = task, observations.mean(0), observations.std(0) + 1e-9
        inputs, wanted = (observations[kept] - self.middle) / self.spread, targets(task, actions[kept])
        means = KMeans(self.count, n_init=1, max_iter=20, random_state=int(random.integers(2**31)))
        self.centres = means.fit(inputs).cluster_centers_
        half, best = len(inputs) // 2, np.inf
        for rate in (0.1, 0.3, 1.0, 3.0, 10.0):
            heights = self.solve(inputs[:half], wanted[:half], rate)
            error = np.mean((self.values(inputs[half:], rate) @ heights - wanted[half:]) ** 2)
            if error < best:
                best, self.rate = error, rate
        self.heights = self.solve(inputs, wanted, self.rate)
        self.bytes = 4 * (self.centres.size + self.heights.size + 2 * inputs.shape[1] + 1)

    def values(self, inputs, rate):
        squares = (inputs**2).sum(1)[:, None] + (self.centres**2).sum(1) - 2 * inputs @ self.centres.T
        return np.column_stack([np.exp(-rate * np.maximum(squares, 0)), np.ones(len(inputs))])

    def solve(self, inputs, wanted, rate):
        values = self.values(inputs, rate)
        return np.linalg.solve(values.T @ values + 1e-4 * np.eye(self.count + 1), values.T @ wanted)

    def act(self, observations):
        return decide(self.task, self.values((observations - self.middle) / self.spread, self.rate) @ self.heights)
