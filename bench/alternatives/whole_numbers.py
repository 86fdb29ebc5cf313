"""Small networks whose numbers are stored in few bytes, many of one shape at once."""

import dataclasses
from collections.abc import Callable

import numpy as np

from .tasks import decide


def rounded_rows(rows):
    """Each row to whole multiples, -127 to 127, of a unit of its own."""
    units = np.maximum(np.abs(rows).max(1, keepdims=True), 1e-30) / 127
    return np.rint(rows / units) * units


def coarsely_rounded_rows(rows):
    """The same with units that are powers of 2^(1/8), which one byte holds."""
    units = np.maximum(np.abs(rows).max(1, keepdims=True), 1e-9) / 127
    units = 2.0 ** (np.ceil(8 * np.log2(units) - 1e-9) / 8)
    return np.rint(rows / units) * units


@dataclasses.dataclass(frozen=True)
class Storage:
    """How a network is kept: bytes of a number, of the scale of each matrix and each bias, and of the normalisation of an input; what
    rounds rows of numbers to what is kept. `coarse` inputs are divided by a power of two near their spread, their mean stays."""

    number: int
    scale: int
    axis: int
    rounding: Callable = None
    coarse: bool = False

    def bytes(self, shapes):
        return self.number * sum(int(np.prod(shape)) for shape in shapes) + self.scale * len(shapes) + self.axis * shapes[0][0]

    def rounded(self, array):
        return array if self.rounding is None else self.rounding(array.reshape(1, -1)).reshape(array.shape)

    def normalisation(self, observations):
        """What is subtracted from inputs, and what they are divided by."""
        middle, spread = observations.mean(0), observations.std(0) + 1e-9
        return (0.0 * middle, 2.0 ** np.rint(np.log2(spread))) if self.coarse else (middle, spread)


FLOAT32 = Storage(4, 0, 8)
FOLDED = Storage(4, 0, 0)  # the normalisation taken into the first layer, which float32 allows
INT8 = Storage(1, 4, 8, rounded_rows)
SMALL_INT8 = Storage(1, 1, 1, coarsely_rounded_rows, coarse=True)


def squash(values, linear):
    """What a layer gives; a linear policy is cut off at the bounds instead."""
    return np.clip(values, -1.0, 1.0) if linear else np.tanh(values)


class WholeNumberNetworks:
    """The shape of a `SmallNetwork`, its numbers kept as `storage` says. `numbers` are (candidates, parameters), not yet rounded."""

    def __init__(self, task, shapes, middle, spread, storage=INT8):
        self.task, self.shapes, self.middle, self.spread, self.storage = task, shapes, middle, spread, storage
        self.bytes = storage.bytes(shapes)

    @classmethod
    def of(cls, student, storage=INT8):
        """The shape of a student, and its numbers."""
        shapes = [w.shape for w in student.weights]
        networks = cls(student.task, shapes, student.middle, student.spread, storage)
        return networks, np.concatenate([w.ravel() for w in student.weights])

    def layers(self, numbers, dtype=float):
        """[(weights (candidates, out, in), biases (candidates, out, 1))] as they are played, the normalisation taken in."""
        ends = np.cumsum([0] + [int(np.prod(shape)) for shape in self.shapes])
        kept = self.storage.rounding or (lambda rows: rows)
        parts = [kept(numbers[:, a:b]).reshape(-1, *shape) for a, b, shape in zip(ends, ends[1:], self.shapes)]
        half = len(parts) // 2
        layers = [[w.transpose(0, 2, 1), b[:, :, None]] for w, b in zip(parts[:half], parts[half:])]
        layers[0][0] = layers[0][0] / self.spread
        layers[0][1] = layers[0][1] - layers[0][0] @ self.middle[:, None]
        return [(np.ascontiguousarray(w, dtype), b.astype(dtype)) for w, b in layers]

    def act(self, layers, observations):
        """Actions (candidates, n), or (candidates, actions, n), for observations (candidates, dims, n)."""
        hidden = observations
        for weight, bias in layers:
            hidden = squash(weight @ hidden + bias, len(layers) == 1)
        return decide(self.task, hidden, axis=1)


class WholeNumberNetwork:
    """One of them, as a student."""

    def __init__(self, shape, numbers):
        self.shape, self.played, self.bytes = shape, shape.layers(numbers[None]), shape.bytes

    def act(self, observations):
        return self.shape.act(self.played, observations.T[None])[0].T
