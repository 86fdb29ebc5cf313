"""Small networks with int8 weights, many of one shape at once."""

import numpy as np

from .tasks import decide


def rounded_rows(rows):
    """Each row to whole multiples, -127 to 127, of a unit of its own."""
    units = np.maximum(np.abs(rows).max(1, keepdims=True), 1e-30) / 127
    return np.rint(rows / units) * units


class WholeNumberNetworks:
    """The shape of a `SmallNetwork`: two hidden layers of tanh. Each matrix and each bias has whole numbers in one byte each and one
    scale in four; inputs are normalised by numbers of four bytes. `numbers` are (candidates, parameters), not yet rounded."""

    def __init__(self, task, shapes, middle, spread):
        self.task, self.shapes, self.middle, self.spread = task, shapes, middle, spread
        self.bytes = sum(int(np.prod(shape)) for shape in shapes) + 4 * len(shapes) + 4 * (len(middle) + len(spread))

    @classmethod
    def of(cls, student):
        """The shape of a student, and its numbers."""
        shapes = [w.shape for w in student.weights]
        return cls(student.task, shapes, student.middle, student.spread), np.concatenate([w.ravel() for w in student.weights])

    def layers(self, numbers, dtype=float):
        """[(weights (candidates, out, in), biases (candidates, out, 1))] as they are played, the normalisation taken in."""
        ends = np.cumsum([0] + [int(np.prod(shape)) for shape in self.shapes])
        parts = [rounded_rows(numbers[:, a:b]).reshape(-1, *shape) for a, b, shape in zip(ends, ends[1:], self.shapes)]
        layers = [[w.transpose(0, 2, 1), b[:, :, None]] for w, b in zip(parts[:3], parts[3:])]
        layers[0][0] = layers[0][0] / self.spread
        layers[0][1] = layers[0][1] - layers[0][0] @ self.middle[:, None]
        return [(np.ascontiguousarray(w, dtype), b.astype(dtype)) for w, b in layers]

    def act(self, layers, observations):
        """Actions (candidates, n) for observations (candidates, dims, n)."""
        hidden = observations
        for weight, bias in layers:
            hidden = np.tanh(weight @ hidden + bias)
        return decide(self.task, hidden, axis=1)


class WholeNumberNetwork:
    """One of them, as a student."""

    def __init__(self, shape, numbers):
        self.shape, self.played, self.bytes = shape, shape.layers(numbers[None]), shape.bytes

    def act(self, observations):
        return self.shape.act(self.played, observations.T[None])[0]
