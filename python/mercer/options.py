"""Keyword arguments that the library declares: names, defaults, legal values and help of a verb's options."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Iterable, TypeVar

from . import _mercer
from .errors import fault

Function = TypeVar("Function", bound=Callable[..., Any])


#: Parameters that many functions share, in words.
_SHARED = {
    "env": "A built-in task (its name, or what `make` gave), or an environment with Gymnasium's interface",
    "policy": "A policy of `load_policy`, the name of a file, a callable, or an object with `predict`",
    "allow_unmet": "Return the best that was found even where it does not keep the budget",
    "on_candidate": "Called with every candidate (a dict) and whether it is on the Pareto front so far",
    "progress": "None draws a bar where somebody can see it, False never, True always; a callable gets (stage, share)",
}


class Default(str):
    """What an option is unless it is given, in words."""

    def __repr__(self) -> str:
        return str(self) or "None"


def default_of(verb: str, name: str) -> Any:
    """What an option is unless it is given: for parameters that can be given by place."""
    return Default(next(row["default"] for row in _mercer.options(verb) if row["name"] == name))


def add_given(options: dict[str, Any], **first: Any) -> None:
    """Adds options that have a place of their own in a signature, where they were given."""
    options.update({name: value for name, value in first.items() if not isinstance(value, Default)})


def check_share(name: str, value: Any) -> None:
    """Refuses numbers that were meant as percent, and negative ones; texts such as "150%" say what they mean."""
    if value is None or isinstance(value, Default):
        return
    percent = isinstance(value, str) and value.strip().endswith("%")
    try:
        share = float(value.strip().rstrip("%")) if isinstance(value, str) else float(value)
    except (TypeError, ValueError):
        return  # not a number: the library says what is legal
    if share < 0 or (share > 1 and not percent):
        meant = f"{share:g}% is written {share / 100:g} or '{share:g}%'" if share > 0 else "Write 5% as 0.05 or '5%'"
        raise fault("E202", f"{name} is {value!r}; legal: a share from 0 to 1", meant)


def with_options(verb: str, without: Iterable[str] = ()) -> Callable[[Function], Function]:
    """Shows the options of a verb in the signature and in the help of a function that takes them as `**options`."""
    rows = [row for row in _mercer.options(verb) if row["group"] != "network"]

    def decorate(function: Function) -> Function:
        own = inspect.signature(function)
        parameters = [one for one in own.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        taken = {one.name for one in parameters} | set(without)
        shown = [row for row in rows if row["name"] not in taken]
        for row in shown:
            parameters.append(
                inspect.Parameter(row["name"], inspect.Parameter.KEYWORD_ONLY, default=Default(row["default"]))
            )
        function.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        lines = [f"    {row['name']}: {_sentence(row)}" for row in shown]
        text = inspect.getdoc(function) or ""
        placed = {row["name"]: _sentence(row) for row in rows} | _SHARED
        own_words = [f"    {name}: {placed[name]}" for name in own.parameters if name in placed and f" {name}: " not in text]
        if own_words:
            text += ("" if "Parameters:" in text else "\n\nParameters:\n") + "\n" + "\n".join(own_words)
        function.__doc__ = f"{text}\n\nOptions, as of `mercer {verb}`:\n\n" + "\n".join(lines) + "\n"
        return function

    return decorate


def _sentence(row: dict[str, str]) -> str:
    legal = f"; legal: {row['legal']}" if row["legal"] else ""
    default = f" [{row['default']}]" if row["default"] else ""
    return f"{row['help']}{legal}{default}"
