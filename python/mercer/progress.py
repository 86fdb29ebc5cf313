"""A bar in a terminal or a notebook for calls that take long."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, Union

Report = Callable[[str, float], None]
#: None and "auto" draw a bar where somebody can see it, False never, True always; a callable gets (stage, fraction).
Progress = Union[None, bool, str, Report]


def _time_text(seconds: float) -> str:
    whole = int(seconds + 0.5)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


class Bar:
    """One line that is drawn anew, and goes away when the work is done."""

    def __init__(self, stream: Any = None) -> None:
        self.stream = sys.stderr if stream is None else stream
        self.begin = time.monotonic()
        self.drawn = 0

    def __call__(self, stage: str, fraction: float) -> None:
        # The share of all the time that has passed; 0 as long as nothing is known.
        passed = time.monotonic() - self.begin
        left = _time_text(passed * (1 - fraction) / fraction) if fraction > 0 else "?"
        full = int(30 * fraction)
        text = f"{stage}: {100 * fraction:3.0f}%|{'█' * full}{' ' * (30 - full)}| {_time_text(passed)}<{left}"
        self._write("\r" + text + " " * max(0, self.drawn - len(text)))
        self.drawn = len(text)

    def close(self) -> None:
        if self.drawn:
            self._write("\r" + " " * self.drawn + "\r")
        self.drawn = 0

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()


def in_notebook() -> bool:
    """Whether this runs in Jupyter, where standard error is shown as it comes."""
    shell = sys.modules.get("IPython")
    found = shell.get_ipython() if shell is not None and hasattr(shell, "get_ipython") else None
    return found is not None and type(found).__name__ == "ZMQInteractiveShell"


class watching:
    """`with watching(progress) as report:` gives what the library calls, and clears the bar in the end."""

    def __init__(self, progress: Progress) -> None:
        self.bar: Bar | None = None
        self.report: Report | None = None
        if callable(progress):
            self.report = progress
        elif progress is True or (progress in (None, "auto") and (sys.stderr.isatty() or in_notebook())):
            self.report = self.bar = Bar()

    def __enter__(self) -> Report | None:
        return self.report

    def __exit__(self, *_: Any) -> None:
        if self.bar is not None:
            self.bar.close()
