"""Covariance matrix adaptation: the (mu/mu_w, lambda) evolution strategy with both evolution paths and the usual constants."""

import numpy as np


class CmaEs:
    """`ask` gives candidates as rows, `tell` takes their costs; `mean` is the centre of the search."""

    def __init__(self, start, step, random, population=None):
        self.mean, self.step, self.random = np.array(start, float), float(step), random
        n = self.n = len(self.mean)
        self.population = population or 4 + int(3 * np.log(n))
        weights = np.log(self.population / 2 + 0.5) - np.log(np.arange(1, self.population // 2 + 1))
        self.weights = weights / weights.sum()
        mass = self.mass = 1 / (self.weights**2).sum()
        self.of_step_path = (mass + 2) / (n + mass + 5)
        self.damping = 1 + 2 * max(0.0, np.sqrt((mass - 1) / (n + 1)) - 1) + self.of_step_path
        self.of_path = (4 + mass / n) / (n + 4 + 2 * mass / n)
        self.rank_one = 2 / ((n + 1.3) ** 2 + mass)
        self.rank_mu = min(1 - self.rank_one, 2 * (mass - 2 + 1 / mass) / ((n + 2) ** 2 + mass))
        self.usual_length = np.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n**2))
        self.path, self.step_path = np.zeros(n), np.zeros(n)
        self.covariance, self.axes, self.lengths = np.eye(n), np.eye(n), np.ones(n)
        self.generation = self.decomposed = 0

    def ask(self):
        drawn = self.random.normal(size=(self.population, self.n))
        self.moves = (drawn * self.lengths) @ self.axes.T
        return self.mean + self.step * self.moves

    def tell(self, costs):
        self.generation += 1
        best = self.moves[np.argsort(costs, kind="stable")[: len(self.weights)]]
        move = self.weights @ best
        self.mean = self.mean + self.step * move
        whitened = self.axes @ ((self.axes.T @ move) / self.lengths)
        keep = 1 - self.of_step_path
        self.step_path = keep * self.step_path + np.sqrt(self.of_step_path * (2 - self.of_step_path) * self.mass) * whitened
        length = np.linalg.norm(self.step_path)
        # While the step still grows fast, the other path would stretch the covariance too early.
        calm = length / np.sqrt(1 - keep ** (2 * self.generation)) < (1.4 + 2 / (self.n + 1)) * self.usual_length
        self.path = (1 - self.of_path) * self.path + calm * np.sqrt(self.of_path * (2 - self.of_path) * self.mass) * move
        lost = (1 - calm) * self.rank_one * self.of_path * (2 - self.of_path)
        self.covariance = (
            (1 - self.rank_one - self.rank_mu + lost) * self.covariance
            + self.rank_one * np.outer(self.path, self.path)
            + self.rank_mu * (best.T * self.weights) @ best
        )
        self.step *= np.exp(min(1.0, self.of_step_path / self.damping * (length / self.usual_length - 1)))
        if (self.generation - self.decomposed) * (self.rank_one + self.rank_mu) * self.n * 10 > 1:
            self.decompose()

    def decompose(self):
        self.decomposed = self.generation
        self.covariance = (self.covariance + self.covariance.T) / 2
        squares, self.axes = np.linalg.eigh(self.covariance)
        self.lengths = np.sqrt(np.maximum(squares, 1e-20))
