"""Policies that pickle: they carry the files that they were read from, so that another machine can read them, too."""

from __future__ import annotations

import copyreg
import os
import tempfile
import weakref
from typing import Any, Callable

from . import _mercer
from .errors import fault

#: How to make a policy again: a function of this package and what it needs, gathered when the policy is pickled.
Origin = Callable[[], tuple[Callable[..., Any], tuple[Any, ...]]]
_origins: "weakref.WeakKeyDictionary[Any, Origin]" = weakref.WeakKeyDictionary()


def remember(policy: _mercer.Policy, origin: Origin) -> _mercer.Policy:
    """The policy, which now pickles."""
    _origins[policy] = origin
    return policy


def _reduce(policy: _mercer.Policy) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    origin = _origins.get(policy)
    if origin is None:
        raise fault("E203", f"policy {policy.name!r} is made of Python's functions and does not pickle",
                    "Pickle the object that it was made of")
    return origin()


copyreg.pickle(_mercer.Policy, _reduce)


def task_fields(env: Any, task: _mercer.Task) -> Any:
    """What makes a task again: the name of a built-in one, or what a policy must know of any other."""
    name = env if isinstance(env, str) else getattr(env, "name", None)
    if isinstance(name, str) and hasattr(env, "_batch") or isinstance(env, str):
        return name
    return task.name, task.observation, task.action, task.time_limit


def made_task(fields: Any) -> _mercer.Task:
    return _mercer.EnvBatch(fields, 1, 0).task if isinstance(fields, str) else _mercer.Task(*fields)


class FileOrigin:
    """A policy that was read from a file, with what lies beside it and was read with it."""

    def __init__(self, spec: str, settings: dict[str, str], task: Any) -> None:
        self.settings, self.task = dict(settings), task
        self.path, self.suffix = (spec, "") if os.path.exists(spec) else (spec.partition(":")[0], spec)
        self.suffix = self.suffix[len(self.path):]
        self.files: dict[str, bytes] = {}
        if not os.path.isfile(self.path):
            return  # a built-in policy
        base, name = os.path.dirname(self.path), os.path.basename(self.path)
        stem = os.path.splitext(name)[0]
        beside = [name, f"{stem}.toml"]
        if name.endswith(".zip"):
            beside += ["vecnormalize.pkl", os.path.join(stem, "vecnormalize.pkl")]
        for one in beside:
            self._keep(one, os.path.join(base, one))
        given = self.settings.get("normaliser", "")
        if os.path.isfile(given):
            self.settings["normaliser"] = os.path.join("given", os.path.basename(given))
            self._keep(self.settings["normaliser"], given)

    def _keep(self, name: str, path: str) -> None:
        if os.path.isfile(path):
            with open(path, "rb") as file:
                self.files[name] = file.read()

    def __call__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        name = os.path.basename(self.path) if self.files else self.path
        return policy_again, (self.files, name, self.suffix, self.settings, self.task)


def policy_again(files: dict[str, bytes], name: str, suffix: str, settings: dict[str, str], task: Any) -> _mercer.Policy:
    """A policy from the files that its pickle carries."""
    with tempfile.TemporaryDirectory() as folder:
        for file, content in files.items():
            path = os.path.join(folder, file)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as out:
                out.write(content)
        texts = {k: os.path.join(folder, v) if k == "normaliser" and v in files else v for k, v in settings.items()}
        spec = (os.path.join(folder, name) if files else name) + suffix
        made = _mercer.make_policy(spec, made_task(task), texts)
        return remember(made, FileOrigin(spec, texts, task))
