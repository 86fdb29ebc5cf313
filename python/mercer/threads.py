"""How many threads the library may use."""

from __future__ import annotations

from typing import Any

from . import _mercer


class threads:
    """`with mercer.threads(2):` lets loops use at most `count` threads; 0 means all there are. Results do not change."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._limit: Any = None

    def __enter__(self) -> "threads":
        self._limit = _mercer.ThreadLimit(self.count)
        return self

    def __exit__(self, *_: Any) -> None:
        self._limit = None
