"""Spaces as Gymnasium has them."""

import numpy as np


class Space:
    def seed(self, seed=None):
        self.random = np.random.default_rng(seed)

    def __contains__(self, x):
        return self.contains(x)


class Box(Space):
    def __init__(self, low, high, shape=None, dtype=np.float32):
        self.low, self.high = np.asarray(low, dtype=dtype), np.asarray(high, dtype=dtype)
        self.shape, self.dtype = self.low.shape, np.dtype(dtype)

    def sample(self):
        return self.random.uniform(np.maximum(self.low, -1e3), np.minimum(self.high, 1e3)).astype(self.dtype)

    def contains(self, x):
        return isinstance(x, np.ndarray) and np.can_cast(x.dtype, self.dtype) and x.shape == self.shape and bool(
            np.all(x >= self.low) and np.all(x <= self.high))


class Discrete(Space):
    def __init__(self, n):
        self.n, self.start, self.shape, self.dtype = np.int64(n), np.int64(0), (), np.dtype(np.int64)

    def sample(self):
        return np.int64(self.random.integers(self.n))

    def contains(self, x):
        return np.issubdtype(type(x), np.integer) and 0 <= x < self.n
