"""A small network that imitates. Students have `fit(task, observations, actions, random)`, `act(observations)` and `bytes`: what a
device must hold to play them, with four bytes a number unless said otherwise."""

import numpy as np

from .tasks import decide, targets
from .whole_numbers import FLOAT32, squash


class SmallNetwork:
    """`depth` hidden layers of tanh, fitted by Adam with a step that falls to zero; without any, a linear policy. Where `storage`
    rounds, slopes are those of the rounded numbers and move the ones that are not."""

    def __init__(self, width, steps=2000, depth=2, storage=FLOAT32):
        self.width, self.steps, self.depth, self.storage = width, steps, depth, storage

    def fit(self, task, observations, actions, random):
        self.task = task
        self.middle, self.spread = self.storage.normalisation(observations)
        inputs, wanted = (observations - self.middle) / self.spread, targets(task, actions)
        widths = [inputs.shape[1], *[self.width] * self.depth, wanted.shape[1]]
        self.weights = [random.normal(size=(a, b)) / np.sqrt(a) for a, b in zip(widths, widths[1:])]
        self.weights += [np.zeros(b) for b in widths[1:]]
        first, second = [np.zeros_like(w) for w in self.weights], [np.zeros_like(w) for w in self.weights]
        for step in range(1, self.steps + 1):
            batch = random.integers(len(inputs), size=256)
            rate = 0.01 * (1 - step / self.steps)
            for i, slope in enumerate(self.slopes(inputs[batch], wanted[batch])):
                first[i] += 0.1 * (slope - first[i])
                second[i] += 0.001 * (slope**2 - second[i])
                self.weights[i] -= rate * first[i] / (1 - 0.9**step) / (np.sqrt(second[i] / (1 - 0.999**step)) + 1e-8)
        self.bytes = self.storage.bytes([w.shape for w in self.weights])
        self.weights = self.kept()

    def kept(self):
        """The numbers as they are stored."""
        return [self.storage.rounded(weight) for weight in self.weights]

    def layers(self, inputs, weights=None):
        weights = weights or self.weights
        outs, half = [inputs], self.depth + 1
        for weight, bias in zip(weights[:half], weights[half:]):
            outs.append(squash(outs[-1] @ weight + bias, self.depth == 0))
        return outs

    def slopes(self, inputs, wanted):
        weights = self.kept()
        outs = self.layers(inputs, weights)
        back, of_weights, of_biases = 2 * (outs[-1] - wanted) / len(inputs), [], []
        for layer in reversed(range(self.depth + 1)):
            if self.depth > 0:  # a cut at the bounds lets slopes through: the error is zero where both are beyond
                back = back * (1 - outs[layer + 1] ** 2)
            of_weights.insert(0, outs[layer].T @ back)
            of_biases.insert(0, back.sum(0))
            back = back @ weights[layer].T
        return of_weights + of_biases

    def act(self, observations):
        return decide(self.task, self.layers((observations - self.middle) / self.spread)[-1])
