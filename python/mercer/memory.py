"""Teachers that live in memory: agents of Stable-Baselines3, torch modules, policies behind a normalising wrapper.

Everything goes by the names of classes and attributes: neither package is needed.
"""

from __future__ import annotations

import functools
import os
import tempfile
import warnings
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from .errors import fault
from .onnx_file import write_perceptron
from .wrappers import Normaliser, normaliser_of

_ASKED = ("predict", "sample", "log_prob", "mean_action")
#: Load a file for a task: `load_policy` with its task filled in.
Load = Callable[..., Any]


class Behind:
    """A policy that sees observations as a normalising wrapper passes them on."""

    def __init__(self, policy: Any, normaliser: Normaliser) -> None:
        self.inner, self.normaliser = policy, normaliser
        self.__name__ = getattr(policy, "__name__", None) or type(policy).__name__
        for name in _ASKED:
            if hasattr(policy, name):
                setattr(self, name, functools.partial(self._ask, getattr(policy, name)))

    def _ask(self, function: Callable[..., Any], observations: Any, *rest: Any, **named: Any) -> Any:
        return function(self.normaliser(observations), *rest, **named)

    def __call__(self, observations: Any) -> Any:
        return self._ask(self.inner, observations)


def probes(task: Any, count: int = 64) -> NDArray[Any]:
    """Observations of a task, spread over its ranges; over -3 to 3 where there is none."""
    random = np.random.default_rng(1)
    axes = task.observation["axes"]
    low = np.array([axis["low"] if np.isfinite(axis["low"]) else -3.0 for axis in axes])
    high = np.array([axis["high"] if np.isfinite(axis["high"]) else 3.0 for axis in axes])
    points = random.uniform(low, high, (count, len(axes)))
    return np.round(points) if task.observation["count"] > 0 else points.astype(np.float32).astype(float)


def is_agent(policy: Any) -> bool:
    """Whether this is an algorithm of Stable-Baselines3: it saves itself as the zip that Mercer reads."""
    return all(hasattr(policy, name) for name in ("save", "predict", "get_parameters", "policy"))


def read_agent(agent: Any, task: Any, normaliser: Normaliser | None, load: Load) -> Any:
    """An agent as a policy of the library; None, with a warning, where only its own `predict` can play it."""
    if normaliser is None:
        behind = agent.get_vec_normalize_env() if hasattr(agent, "get_vec_normalize_env") else None
        normaliser = None if behind is None else normaliser_of(behind)
    settings = {"normaliser": "none"} if normaliser is None else normaliser.settings
    made, trouble = None, None
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, f"{type(agent).__name__}.zip")
            agent.save(path)
            made = load(path, **settings)
    except Exception as error:  # noqa: BLE001: whatever an agent that is no longer whole does when it is saved
        trouble = error
    seen = probes(task)
    wanted = _predicted(agent, seen.astype(np.float32) if normaliser is None else normaliser(seen), task, trouble)
    if made is None:
        return _give_up(agent, getattr(trouble, "problem", None) or f"{type(trouble).__name__}: {trouble}")
    if not _agree(made, task, seen, wanted):
        return _give_up(agent, "what is read from its file acts differently")
    return made


def _predicted(agent: Any, seen: NDArray[Any], task: Any, trouble: Exception | None) -> NDArray[Any]:
    """What an agent does by itself. An agent of another task raises there, without a code; `trouble` is why its file was of
    no use."""
    name, width = type(agent).__name__, 1 if task.action["count"] > 0 else len(task.action["axes"])
    remedy = "Give the task that the agent was trained on"
    try:
        wanted = np.asarray(agent.predict(seen, deterministic=True)[0], dtype=float)
    except Exception as error:
        if getattr(trouble, "code", None) == "E206":
            raise trouble from error  # type: ignore[misc]
        problem = f"{name}.predict fails on observations of task '{task.name}': {type(error).__name__}: {error}"
        raise fault("E206", problem.rstrip("."), remedy) from error
    if wanted.size != len(seen) * width:
        problem = f"{name}.predict gives {wanted.size} numbers for {len(seen)} observations of task '{task.name}'"
        raise fault("E206", f"{problem}; legal: {len(seen) * width}", remedy)
    return wanted


def _agree(made: Any, task: Any, seen: NDArray[Any], wanted: Any) -> bool:
    got, wanted = np.asarray(made.mean_action(seen), float), np.asarray(wanted, float)
    if task.action["count"] > 0:
        return bool(np.mean(got.ravel() == wanted.ravel()) > 0.95)  # values that tie in single precision
    low, high = (np.array([axis[end] for axis in task.action["axes"]]) for end in ("low", "high"))
    width = np.where(np.isfinite(high - low), high - low, 1.0)
    return bool(np.max(np.abs(np.clip(wanted.reshape(got.shape), low, high) - np.clip(got, low, high)) / width) < 1e-3)


def _give_up(policy: Any, reason: str) -> None:
    text = f"{type(policy).__name__} is played by its own predict, which is slower: {reason.rstrip('.')}."
    warnings.warn(text, UserWarning, stacklevel=5)


# --- torch modules ---


def is_module(policy: Any) -> bool:
    """Whether this is a module of torch."""
    return all(hasattr(policy, name) for name in ("state_dict", "named_modules", "forward", "parameters"))


def _numpy(tensor: Any) -> NDArray[Any]:
    for name in ("detach", "cpu", "numpy"):
        tensor = getattr(tensor, name)() if hasattr(tensor, name) else tensor
    return np.asarray(tensor)


def run_module(module: Any, observations: Any) -> NDArray[Any]:
    """What a module makes of observations (n, dim)."""
    like = next(iter(module.parameters()))
    out = module(like.new_tensor(np.asarray(observations, dtype=np.float32)))
    return _numpy(out[0] if isinstance(out, tuple) else out).astype(float)


class _Trace:
    """The leaves of a module in the order in which they were called, each on what the one before it gave."""

    def __init__(self, module: Any) -> None:
        self.calls: list[tuple[Any, Any, Any]] = []
        leaves = [one for _, one in module.named_modules() if not any(True for _ in one.children())]
        self.hooks = [one.register_forward_hook(self._heard) for one in leaves]

    def _heard(self, leaf: Any, given: Any, made: Any) -> None:
        self.calls.append((leaf, given[0], made))

    def __enter__(self) -> "_Trace":
        return self

    def __exit__(self, *_: Any) -> None:
        for hook in self.hooks:
            hook.remove()


def trace_perceptron(module: Any, width: int) -> list[tuple[str, Any]] | None:
    """The layers of a plain perceptron by one call of it: ("Gemm", (weight, bias)) or an activation with its
    parameter. None where the module is something else."""
    with _Trace(module) as trace:
        run_module(module, np.zeros((2, width)))
    layers: list[tuple[str, Any]] = []
    before: Any = None
    for leaf, given, made in trace.calls:
        if before is not None and given is not before:
            return None  # something happened between two layers
        before = made
        kind = type(leaf).__name__
        if kind == "Linear":
            bias = getattr(leaf, "bias", None)
            weight = _numpy(leaf.weight)
            layers.append(("Gemm", (weight, np.zeros(len(weight)) if bias is None else _numpy(bias))))
        elif kind in ("Tanh", "ReLU", "Sigmoid"):
            layers.append(({"ReLU": "Relu"}.get(kind, kind), None))
        elif kind == "ELU":
            layers.append(("Elu", float(getattr(leaf, "alpha", 1.0))))
        elif kind == "LeakyReLU":
            layers.append(("LeakyRelu", float(getattr(leaf, "negative_slope", 0.01))))
        elif kind not in ("Identity", "Dropout", "Flatten"):
            return None
    return layers


def read_module(module: Any, task: Any, normaliser: Normaliser | None, load: Load) -> Any:
    """A module that maps observations to actions, or to a value for each discrete one, as a policy of the library;
    None where it is no plain perceptron, or does something besides."""
    width = len(task.observation["axes"])
    layers = trace_perceptron(module, width)
    if not layers:
        return None
    discrete = task.action["count"] > 0
    settings: dict[str, Any] = {} if normaliser is None else normaliser.settings
    if not discrete:
        settings.update(squash="none", kind="deterministic")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"{type(module).__name__}.onnx")
        write_perceptron(path, layers, "q" if discrete else "action")
        made = load(path, **settings)
    seen = probes(task)
    wanted = run_module(module, seen if normaliser is None else normaliser(seen))
    return made if _agree(made, task, seen, wanted.argmax(axis=1) if discrete else wanted) else None


class _Called:
    """A module as a function of observations: for those that are no plain perceptron."""

    def __init__(self, module: Any, discrete: bool) -> None:
        self.module, self.discrete = module, discrete
        self.__name__ = type(module).__name__

    def __call__(self, observations: Any) -> Any:
        rows = run_module(self.module, np.atleast_2d(observations))
        out = rows.argmax(axis=1) if self.discrete else rows
        return out if np.ndim(observations) > 1 else out[0]


def read_in_memory(policy: Any, task: Any, normaliser: Normaliser | None, load: Load) -> Any:
    """An agent or a module as a policy of the library where it can be read; otherwise what plays it in Python."""
    if is_agent(policy):
        made = read_agent(policy, task, normaliser, load)
        return policy if made is None else made
    if is_module(policy):
        made = read_module(policy, task, normaliser, load)
        return _Called(policy, task.action["count"] > 0) if made is None else made
    return policy
