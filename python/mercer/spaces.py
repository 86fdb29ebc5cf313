"""What observations and actions look like: Mercer's own spaces, and those of Gymnasium seen the same way."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import fault

Axes = dict[str, Any]


class Box:
    """A box of real numbers, with the attributes that Gymnasium's `Box` has, and a name and a unit for each of them."""

    def __init__(
        self, low: NDArray[Any], high: NDArray[Any], names: list[str] | None = None, units: list[str] | None = None
    ) -> None:
        self.low = np.asarray(low, dtype=np.float64)
        self.high = np.asarray(high, dtype=np.float64)
        self.shape = self.low.shape
        self.dtype = np.dtype(np.float64)
        self.names = names or [f"x{i}" for i in range(self.low.size)]
        self.units = units or [""] * self.low.size
        self._random: np.random.Generator | None = None

    def seed(self, seed: int | None = None) -> None:
        """Makes the numbers that `sample` draws those of a seed."""
        self._random = np.random.default_rng(seed)

    def sample(self) -> NDArray[Any]:
        """A point: uniform between two bounds, exponential from a single one, normal without any."""
        random = self._random = self._random or np.random.default_rng()
        below, above = np.isfinite(self.low), np.isfinite(self.high)
        low, high = np.where(below, self.low, 0.0), np.where(above, self.high, 0.0)
        away = random.exponential(size=self.shape)
        point = np.where(below, low + away, np.where(above, high - away, random.normal(size=self.shape)))
        return np.where(below & above, random.uniform(np.minimum(low, high), np.maximum(low, high)), point)

    def contains(self, x: Any) -> bool:
        x = np.asarray(x)
        return x.shape == self.shape and bool(np.all(x >= self.low) and np.all(x <= self.high))

    __contains__ = contains

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Box) and np.array_equal(self.low, other.low) and np.array_equal(self.high, other.high)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Box({self.low}, {self.high})"


class Discrete:
    """The integers 0 to n - 1."""

    start = 0

    def __init__(self, n: int, names: list[str] | None = None, units: list[str] | None = None) -> None:
        self.n = int(n)
        self.shape = ()
        self.dtype = np.dtype(np.int64)
        self.names = names or ["action"]
        self.units = units or [""]
        self._random: np.random.Generator | None = None

    def seed(self, seed: int | None = None) -> None:
        """Makes the numbers that `sample` draws those of a seed."""
        self._random = np.random.default_rng(seed)

    def sample(self) -> np.int64:
        """One of them, all equally likely."""
        self._random = self._random or np.random.default_rng()
        return np.int64(self._random.integers(self.n))

    def contains(self, x: Any) -> bool:
        return np.asarray(x).shape == () and 0 <= int(x) < self.n and int(x) == x

    __contains__ = contains

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Discrete) and self.n == other.n

    def __hash__(self) -> int:
        return hash(self.n)

    def __repr__(self) -> str:
        return f"Discrete({self.n})"


def from_axes(axes: Axes) -> Box | Discrete:
    """A space from the dictionary that the library gives."""
    names, units = ([axis[key] for axis in axes["axes"]] for key in ("name", "unit"))
    if axes["count"] > 0:
        return Discrete(axes["count"], names, units)
    low, high = (np.array([axis[end] for axis in axes["axes"]]) for end in ("low", "high"))
    return Box(low, high, names, units)


def to_axes(space: Any, name: str, first: int = 0) -> Axes:
    """The library's dictionary for any space with Gymnasium's attributes. `name` numbers the axes: x0, x1, ..."""
    if hasattr(space, "n") and tuple(space.shape) == ():  # MultiBinary has both n and a shape
        if int(getattr(space, "start", 0)) != 0:
            raise fault("E203", f"a discrete space that starts at {space.start}; legal: 0", "Shift it in a wrapper")
        count = int(space.n)
        axis = {"name": name, "low": 0.0, "high": count - 1.0, "unit": "", "periodic": False}
        return {"count": count, "axes": [axis]}
    if not (hasattr(space, "low") and hasattr(space, "high")):
        raise fault("E203", f"{type(space).__name__} is neither a box nor discrete", "Flatten it in a wrapper")
    if len(space.shape) != 1:
        raise fault("E203", f"a box of shape {tuple(space.shape)}; legal: one axis", "Flatten it in a wrapper")
    low, high = np.asarray(space.low, dtype=np.float64), np.asarray(space.high, dtype=np.float64)
    # The largest numbers of single precision stand for no bound at all.
    no_bound = float(np.finfo(np.float32).max)
    low, high = np.where(low <= -no_bound, -np.inf, low), np.where(high >= no_bound, np.inf, high)
    names = getattr(space, "names", None) or [f"{name}{first + i}" for i in range(low.size)]
    units = getattr(space, "units", None) or [""] * low.size
    return {
        "count": 0,
        "axes": [
            {"name": n, "low": float(a), "high": float(b), "unit": u, "periodic": False}
            for n, u, a, b in zip(names, units, low, high)
        ],
    }
