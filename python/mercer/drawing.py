"""Stick figures as pixels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .envs import Figure

_PAPER, _INK, _SOFT = np.array([251, 250, 247.0]), np.array([31, 95, 191.0]), np.array([120, 128, 140.0])
_UP, _AWAY = {"side": 2, "above": 1}, {"side": (1, -1), "above": (2, 1)}


def _tick_step(about: float) -> float:
    """1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(about))
    return power * next((times for times in (1, 2, 5) if times * power >= about), 10)


class Painter:
    """Pictures (height, width, 3) of one robot. The camera follows it, over a ground with ticks."""

    def __init__(self, figure: Figure, width: int = 480, height: int = 360) -> None:
        self.width, self.height = width // len(figure.views), height
        ends = self._ends(figure)
        self.span = max(float(np.max(np.ptp(ends, axis=0))), 1e-9)
        self.scale = self.height / (2.2 * self.span)
        self.level = ends.mean(axis=0)

    @staticmethod
    def _ends(figure: Figure) -> NDArray[Any]:
        own = [stick for stick in figure.sticks if not stick.fixed] or figure.sticks
        return np.array([end for stick in own for end in (stick.start, stick.end)])

    def draw(self, figure: Figure) -> NDArray[Any]:
        middle = self._ends(figure).mean(axis=0)
        # Small ups and downs move the robot, not the camera.
        slack = 0.5 * self.span
        self.level = middle - np.clip(middle - self.level, -slack, slack)
        return np.concatenate([self._view(figure, view, middle) for view in figure.views], axis=1)

    def _view(self, figure: Figure, view: str, middle: NDArray[Any]) -> NDArray[Any]:
        up, (away, sign) = _UP[view], _AWAY[view]
        pixel = 1 / self.scale
        x = middle[0] + (np.arange(self.width) + 0.5 - self.width / 2) * pixel
        y = self.level[up] - (np.arange(self.height)[:, None] + 0.5 - self.height / 2) * pixel
        image = np.tile(_PAPER, (self.height, self.width, 1))
        step = _tick_step(self.width * pixel / 5)
        tick_x, tick_y = (np.abs(one - step * np.round(one / step)) < pixel for one in (x, y))
        if view == "side":
            ground = np.abs(y) < pixel
            self._blend(image, ground | (tick_x & (np.abs(y) < 5 * pixel)), _SOFT)
        else:
            self._blend(image, 0.3 * (tick_x | tick_y), _SOFT)
        for stick in sorted(figure.sticks, key=lambda s: (not s.fixed, sign * (s.start[away] + s.end[away]))):
            ends = np.array([stick.start, stick.end])[:, [0, up]]
            self._stick(image, x, y, ends, max(stick.radius, 1.5 * pixel), _SOFT if stick.fixed else _INK)
        return np.asarray(np.round(image), dtype=np.uint8)

    def _stick(
        self, image: NDArray[Any], x: NDArray[Any], y: NDArray[Any], ends: NDArray[Any], radius: float, colour: NDArray[Any]
    ) -> None:
        (low_x, low_y), (high_x, high_y) = ends.min(axis=0) - radius, ends.max(axis=0) + radius
        margin = 2 / self.scale
        columns = np.flatnonzero((x >= low_x - margin) & (x <= high_x + margin))
        rows = np.flatnonzero((y[:, 0] >= low_y - margin) & (y[:, 0] <= high_y + margin))
        if columns.size == 0 or rows.size == 0:
            return
        part = image[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        dx, dy = x[columns] - ends[0, 0], y[rows] - ends[0, 1]
        along = ends[1] - ends[0]
        share = np.clip((dx * along[0] + dy * along[1]) / max(float(along @ along), 1e-18), 0, 1)
        inside = (radius - np.hypot(dx - share * along[0], dy - share * along[1])) * self.scale
        # One pixel of every edge is mixed with what lies behind it, and a rim keeps crossing sticks apart.
        self._blend(part, np.clip(inside + 1.5, 0, 1), _PAPER)
        self._blend(part, np.clip(inside + 0.5, 0, 1), colour)

    @staticmethod
    def _blend(image: NDArray[Any], share: NDArray[Any], colour: NDArray[Any]) -> None:
        image += share[..., None] * (colour - image)
