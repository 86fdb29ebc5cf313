"""A small network that imitates. Students have `fit(task, observations, actions, random)`, `act(observations)` and `bytes`: what a
device must hold to play them, with four bytes a number unless said otherwise."""

import numpy as np

from .tasks import decide, targets


class SmallNetwork:
    """Two hidden layers of tanh, fitted by Adam with a step that falls to zero."""

    def __init__(self, width, steps=2000):
        self.width, self.steps = width, steps

    def fit(self, task, observations, actions, random):
        self.task = task
        self.middle, self.spread = observations.mean(0), observations.std(0) + 1e-9
        inputs, wanted = (observations - self.middle) / self.spread, targets(task, actions)
        widths = [inputs.shape[1], self.width, self.width, wanted.shape[1]]
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
        self.bytes = 4 * (sum(w.size for w in self.weights) + 2 * inputs.shape[1])

    def layers(self, inputs):
        outs = [inputs]
        for weight, bias in zip(self.weights[:3], self.weights[3:]):
            outs.append(np.tanh(outs[-1] @ weight + bias))
        return outs

    def slopes(self, inputs, wanted):
        outs = self.layers(inputs)
        back, of_weights, of_biases = 2 * (outs[3] - wanted) / len(inputs), [], []
        for layer in (2, 1, 0):
            back = back * (1 - outs[layer + 1] ** 2)
            of_weights.insert(0, outs[layer].T @ back)
            of_biases.insert(0, back.sum(0))
            back = back @ self.weights[layer].T
        return of_weights + of_biases

    def act(self, observations):
        return decide(self.task, self.layers((observations - self.middle) / self.spread)[3])
