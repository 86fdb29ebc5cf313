"""Errors that Python finds: with code, problem and remedy, as those of the library."""

from __future__ import annotations


class MercerError(ValueError):
    """A value that does not do: `code` ("E203", see docs/reference/errors.md), `problem`, and `remedy`."""

    def __init__(self, code: str, problem: str, remedy: str) -> None:
        super().__init__(f"{code}: {problem}. {remedy}.")
        self.code, self.problem, self.remedy = code, problem, remedy

    def __reduce__(self) -> tuple[type["MercerError"], tuple[str, str, str]]:
        return type(self), (self.code, self.problem, self.remedy)


def fault(code: str, problem: str, remedy: str) -> MercerError:
    """The error to raise: what is wrong, the value and the legal range in `problem`, what to do in `remedy`."""
    return MercerError(code, problem, remedy)
