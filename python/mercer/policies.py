"""Policies of five kinds, made one: built-in, from a file, a callable, with `predict`, with `sample` and `log_prob`."""

from __future__ import annotations

import functools
import json
import os
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from . import _mercer
from .errors import fault
from .envs import env_name, task_of
from .memory import Behind, read_in_memory
from .options import with_options
from .pickling import FileOrigin, remember, task_fields
from .wrappers import normaliser_of

Policy = _mercer.Policy


def _setting_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple, np.ndarray)):
        return ";".join(x if isinstance(x, str) else repr(float(x)) for x in np.ravel(value).tolist())
    return str(value)


def load_policy(path: str | os.PathLike[str], env: Any = None, **settings: Any) -> Policy:
    """The policy in the file `path` (.onnx, .safetensors, .zip, .pt, .pth, .mercer, .json, .npz) or "uniform".

    `env` is a task, or its name. Agents of Stable-Baselines3 (.zip) need none: their file describes observations and
    actions. `settings` are those of docs/guide/policies.md with underscores: `obs_mean=[...]`, `temperature=0.5`,
    `normaliser="vecnormalize.pkl"`, `obs_order=["observation", "achieved_goal", "desired_goal"]`.
    """
    texts = {key.replace("_", "-"): _setting_text(value) for key, value in settings.items()}
    if env is None and not os.fspath(path).endswith(".zip"):
        raise fault("E204", f"'{os.fspath(path)}' needs a task", "Give env, such as 'pendulum'")
    task = _mercer.task_of_agent(os.fspath(path), texts) if env is None else task_of(env)
    made = _mercer.make_policy(os.fspath(path), task, texts)
    return remember(made, FileOrigin(os.fspath(path), texts, task_fields(env, task)))


@with_options("inspect", without=("file", "env"))
def inspect(path: str | os.PathLike[str], env: Any = None, **options: Any) -> dict[str, Any]:
    """What the file `path` of a policy or an embedding holds: what `mercer inspect --json` prints.

    Who made it, layers, critics, normaliser, contract, what would be played, warnings and SHA-256. `env` is the task of the
    policy, for names, units and bounds; without it they come from the file. Nothing in the file is executed.
    """
    task = {} if env is None else {"env": env_name(env)}
    found: dict[str, Any] = json.loads(_mercer.inspect({"file": os.fspath(path), **task, **options}))
    return found


def read_sb3(
    path: str | os.PathLike[str], env: Any = None, *, normalisation: str | os.PathLike[str] | None = None, **settings: Any
) -> Policy:
    """The policy of an agent that Stable-Baselines3 or sb3-contrib saved: `load_policy` for a .zip at `path`.

    The zip is read as data: none of its pickles is executed. `env` gives names and units to observations and actions;
    without it their ranges come from the zip. `normalisation` is the file of VecNormalize.save, or an .npz with mean and
    var; without it vecnormalize.pkl is looked for beside the zip. `settings` are those of `load_policy`.
    """
    if normalisation is not None:
        settings["normaliser"] = os.fspath(normalisation)
    return load_policy(path, env, **settings)


def tabular_policy(table: NDArray[Any]) -> Policy:
    """The policy pi[state][action] of a `table` (states, actions) whose rows sum to one."""
    kept = np.array(table, dtype=float)
    return remember(_mercer.make_tabular_policy(kept), lambda: (tabular_policy, (kept,)))


class _Single:
    """A callable of one observation, called for each of many."""

    def __init__(self, function: Callable[[NDArray[Any]], Any]) -> None:
        self.function = function

    def __call__(self, observations: NDArray[Any]) -> NDArray[Any]:
        return np.array([np.ravel(self.function(row)) for row in observations], dtype=float)


class Batched:
    """A callable of observations that is asked about many: at once where it takes them, as the first call tries."""

    def __init__(self, function: Callable[..., Any], task: Any) -> None:
        self.function, self.task = function, task
        self.many: Callable[..., Any] | None = None

    def __call__(self, observations: NDArray[Any]) -> Any:
        if self.many is None:
            self.many = self.function if _takes_batches(self.function, self.task) else _Single(self.function)
        return self.many(observations)


def _takes_batches(function: Callable[..., Any], task: Any) -> bool:
    """Whether a callable of observations also takes many at once, tried on two that differ."""
    axes = task.observation["axes"]
    low = np.array([axis["low"] if np.isfinite(axis["low"]) else -1.0 for axis in axes])
    high = np.array([axis["high"] if np.isfinite(axis["high"]) else 1.0 for axis in axes])
    probe = np.stack([low + 0.3 * (high - low), low + 0.6 * (high - low)])
    if task.observation["count"] > 0:
        probe = np.round(probe)
    width = 1 if task.action["count"] > 0 else len(task.action["axes"])
    try:
        together = np.asarray(function(probe), dtype=float)
        alone = np.array([np.ravel(function(row)) for row in probe], dtype=float)
    except Exception:  # whatever a function of single observations does with two
        return False
    return together.size == 2 * width and together.shape[0] == 2 and np.allclose(together.reshape(2, -1), alone)


def _name_of(policy: Any) -> str:
    return getattr(policy, "__name__", None) or type(policy).__name__


def as_policy(policy: Any, env: Any, act: str = "sample") -> Policy:
    """Any of the kinds as a policy of the library, for a task."""
    inner = getattr(policy, "policy", None)
    if isinstance(policy, (str, os.PathLike)):
        return load_policy(policy, env)
    task = task_of(env)
    own = policy if isinstance(policy, _mercer.Policy) else inner  # an embedding has a policy
    if isinstance(own, _mercer.Policy):
        _mercer.check_fits(own, task)
        return own
    normaliser = normaliser_of(env)
    load = functools.partial(load_policy, env=env)
    name = _name_of(policy)
    read = read_in_memory(policy, task, normaliser, load)
    if isinstance(read, _mercer.Policy):
        return read
    policy = read
    if normaliser is not None:
        policy = Behind(policy, normaliser)
    if hasattr(policy, "sample") and hasattr(policy, "log_prob"):
        mean = getattr(policy, "mean_action", None)
        if mean is None:
            if act == "mean":
                raise fault("E203", f"{name} has no mean_action(obs)", "Add it, or play with act='sample'")
            mean = policy.sample  # never asked for
        return _mercer.make_python_policy(name, task, mean, policy.sample, policy.log_prob, policy)
    if hasattr(policy, "predict"):

        def best(obs: NDArray[Any]) -> Any:
            return policy.predict(obs, deterministic=True)[0]

        def drawn(obs: NDArray[Any], seed: int) -> Any:
            return policy.predict(obs, deterministic=False)[0]

        return _mercer.make_python_policy(name, task, best, drawn, None, policy)
    if callable(policy):
        return _mercer.make_python_policy(name, task, Batched(policy, task), None, None, policy)
    raise fault(
        "E203",
        f"{name} is not a policy",
        "Give a built-in, a file, a callable obs -> action, an object with predict, or one with sample and log_prob",
    )
