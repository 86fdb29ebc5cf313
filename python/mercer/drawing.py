"""Stick figures as pixels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

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
    def _ends(figure: Figure) -> np.ndarray:
        own = [stick for stick in figure.sticks if not stick.fixed] or figure.sticks
        return np.array([end for stick in own for end in (stick.start, stick.end)])

    def draw(self, figure: Figure) -> np.ndarray:
        middle = self._ends(figure).mean(axis=0)
        # Small ups and downs move the robot, not the camera.
        slack = 0.5 * self.span
        self.level = middle - np.clip(middle - self.level, -slack, slack)
        return np.concatenate([self._view(figure, view, middle) for view in figure.views], axis=1)

    def _view(self, figure: Figure, view: str, middle: np.ndarray) -> np.ndarray:
        up, (away, sign) = _UP[view], _AWAY[view]
        x = middle[0] + (np.arange(self.width) + 0.5 - self.width / 2) / self.scale
        y = self.level[up] - (np.arange(self.height)[:, None] + 0.5 - self.height / 2) / self.scale
        image = np.tile(_PAPER, (self.height, self.width, 1))
        pixel, step = 1 / self.scale, _tick_step(self.width / self.scale / 5)
        tick = np.abs(x - step * np.round(x / step)) < pixel
        self._blend(image, tick & ((np.abs(y) < 5 * pixel) if view == "side" else np.full_like(y, True, bool)), _SOFT)
        if view == "side":
            self._blend(image, (np.abs(y) < pixel) & np.full_like(x, True, bool), _SOFT)
        order = sorted(figure.sticks, key=lambda s: (not s.fixed, sign * (s.start[away] + s.end[away])))
        for stick in order:
            a, b = np.array(stick.start)[[0, up]], np.array(stick.end)[[0, up]]
            along = b - a
            share = np.clip(((x - a[0]) * along[0] + (y - a[1]) * along[1]) / max(float(along @ along), 1e-18), 0, 1)
            far = np.hypot(x - a[0] - share * along[0], y - a[1] - share * along[1])
            radius = max(stick.radius, 1.5 * pixel)
            # One pixel of every edge is mixed with what lies behind it, and a rim keeps crossing sticks apart.
            self._blend(image, np.clip((radius - far) * self.scale + 1.5, 0, 1), _PAPER)
            self._blend(image, np.clip((radius - far) * self.scale + 0.5, 0, 1), _SOFT if stick.fixed else _INK)
        return np.round(image).astype(np.uint8)

    @staticmethod
    def _blend(image: np.ndarray, share: Any, colour: np.ndarray) -> None:
        share = np.asarray(share, dtype=float)[..., None]
        image += share * (colour - image)
