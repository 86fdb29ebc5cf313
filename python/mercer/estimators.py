"""Embeddings of logged states and actions, with the interface that scikit-learn's tools expect."""

from __future__ import annotations

import inspect
import json
from typing import Any

import numpy as np

from . import _mercer
from .errors import fault
from .embedding import Embedding
from .envs import task_of


class _Estimator:
    """Parameters by name: what clone, pipelines and searches of scikit-learn need."""

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any) -> "_Estimator":
        for name, value in params.items():
            if name not in self._names():
                raise fault("E201", f"{type(self).__name__} has no parameter {name!r}", f"Known: {', '.join(self._names())}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        standard = {name: p.default for name, p in inspect.signature(type(self).__init__).parameters.items()}
        told = (f"{name}={value!r}" for name, value in self.get_params().items() if value is not standard[name])
        return f"{type(self).__name__}({', '.join(told)})"

    # What fitting shares.

    @staticmethod
    def _log(task: Any, states: np.ndarray, rows: np.ndarray) -> Any:
        """States and actions as one episode."""
        return _mercer.make_rollouts(
            {
                "env": task.name,
                "policy": "log",
                "discrete_actions": task.action["count"] > 0,
                "observation_names": [axis["name"] for axis in task.observation["axes"]],
                "action_names": [axis["name"] for axis in task.action["axes"]],
                "offsets": [0, len(states)],
                "observations": states,
                "actions": rows,
                "rewards": np.zeros(len(states)),
                "final_observations": states[-1:],
                "returns": np.zeros(1),
                "discounted_returns": np.zeros(1),
                "terminated": [0],
            }
        )

    def _task(self, states: np.ndarray, actions: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray]:
        """The task that the data or `env` describe, and both as matrices."""
        states, actions = np.asarray(states, dtype=float), np.asarray(actions)
        if states.ndim == 1:
            states = states[:, None]
        discrete = actions.dtype.kind in "iub" and actions.ndim == 1
        rows = actions.reshape(len(actions), -1).astype(float)
        if len(rows) != len(states) or states.ndim != 2:
            raise fault("E206", f"{states.shape} states and {actions.shape} actions", "Give states (n, dim) and n actions")
        if not (np.isfinite(states).all() and np.isfinite(rows).all()):
            raise fault("E205", "states or actions are not finite", "Drop those rows")
        env = getattr(self, "env", None)
        if env is not None:
            return task_of(env), states, rows
        observation = {"count": 0, "axes": [_axis(f"x{d}", states[:, d]) for d in range(states.shape[1])]}
        if discrete:
            count = int(actions.max()) + 1
            action = {"count": count, "axes": [_axis("action", np.array([0.0, count - 1.0]))]}
        else:
            action = {"count": 0, "axes": [_axis(f"action{d}", rows[:, d]) for d in range(rows.shape[1])]}
        return _mercer.Task("log", observation, action, 0x7FFFFFFF), states, rows

    def _finish(self, handle: Any, states: np.ndarray) -> Any:
        self.embedding_ = Embedding(handle)
        self.k_ = self.embedding_.k
        self.n_features_in_ = states.shape[1]
        self.payload_ = self.embedding_.payload
        return self

    def predict(self, states: np.ndarray) -> np.ndarray:
        """The mean action, or the most likely one, in each state (n, dim)."""
        if not hasattr(self, "embedding_"):
            raise fault("E203", f"this {type(self).__name__} is not fitted yet", "Call fit first")
        states = np.asarray(states, dtype=float)
        out = self.embedding_.mean_action(states[:, None] if states.ndim == 1 else states)
        return out[:, 0] if out.ndim == 2 and self._flat else out

    def score(self, states: np.ndarray, actions: np.ndarray) -> float:
        """R^2 of the actions, or the share of discrete ones that agree."""
        got, wanted = self.predict(states), np.asarray(actions)
        if got.dtype.kind in "iu":
            return float(np.mean(got == wanted))
        wanted = wanted.reshape(got.shape)
        return float(1 - np.sum((got - wanted) ** 2) / np.sum((wanted - wanted.mean(axis=0)) ** 2))


def _axis(name: str, values: np.ndarray) -> dict[str, Any]:
    low, high = float(values.min()), float(values.max())
    if low == high:
        low, high = low - 0.5, high + 0.5
    return {"name": name, "low": low, "high": high, "unit": "", "periodic": False}


class ContinuousEmbedder(_Estimator):
    """K terms of a dictionary of functions, fitted to what a policy did.

    Fitted attributes: `embedding_`, `coefficients_` (outputs, k), `terms_`, `formulas_`, `k_`, `payload_`.
    """

    def __init__(
        self,
        k: int = 6,
        basis: str = "chebyshev",
        degree: int = 5,
        format: str = "int8",
        squash: bool = True,
        env: Any = None,
        random_state: int = 0,
    ) -> None:
        self.k = k
        self.basis = basis
        self.degree = degree
        self.format = format
        self.squash = squash
        self.env = env
        self.random_state = random_state

    def fit(self, states: np.ndarray, actions: np.ndarray) -> "ContinuousEmbedder":
        """states (n, dim); actions (n,) or (n, dim), integers (n,) where they are discrete. `env` gives their
        ranges, otherwise the data do."""
        task, states, rows = self._task(states, actions)
        self._flat = np.ndim(actions) == 1
        # The fit asks once, about all states: the log is the answer.
        teacher = _mercer.make_python_policy("log", task, lambda _: rows, None, None, None)
        options = {
            "route": "continuous", "basis": self.basis, "degree": self.degree, "k": self.k, "format": self.format,
            "through": "tanh" if self.squash else "clip", "ridge_steps": 0, "seed": self.random_state,
        }
        handle, _ = _mercer.embed(None, "", teacher, self._log(task, states, rows), options, None)
        self._finish(handle, states)
        facts = self.embedding_.facts
        self.coefficients_, self.terms_, self.formulas_ = facts["coefficients"], facts["terms"], facts["formulas"]
        return self


class LatticeEmbedder(_Estimator):
    """The published route on a log: bins, visited cells, how often each action was played there, K coefficients.

    Fitted attributes: `embedding_`, `table_`, `state_edges_`, `action_edges_`, `cells_`, `k_`, `payload_`.
    """

    def __init__(
        self,
        state_bins: Any = 35,
        action_bins: Any = 15,
        basis: str = "dct",
        k: int = 0,
        energy: float | None = None,
        state_edges: str = "uniform",
        action_edges: str = "uniform",
        order: str = "mean-action",
        unvisited: str = "nearest",
        noise: bool = False,
        env: Any = None,
        random_state: int = 0,
    ) -> None:
        self.state_bins = state_bins
        self.action_bins = action_bins
        self.basis = basis
        self.k = k
        self.energy = energy
        self.state_edges = state_edges
        self.action_edges = action_edges
        self.order = order
        self.unvisited = unvisited
        self.noise = noise
        self.env = env
        self.random_state = random_state

    def fit(self, states: np.ndarray, actions: np.ndarray) -> "LatticeEmbedder":
        """As `ContinuousEmbedder.fit`; here several actions in one cell make a distribution."""
        task, states, rows = self._task(states, actions)
        self._flat = np.ndim(actions) == 1
        teacher = _mercer.make_python_policy("log", task, lambda _: rows, None, None, None)
        options = {
            "state_bins": self.state_bins, "action_bins": self.action_bins, "basis": self.basis, "k": self.k,
            "state_edges": self.state_edges, "action_edges": self.action_edges, "order": self.order,
            "unvisited": self.unvisited, "noise": self.noise, "table": "counts", "seed": self.random_state,
        }
        if self.energy is not None:
            options["energy"] = self.energy
        handle, told = _mercer.embed(None, "", teacher, self._log(task, states, rows), options, None)
        self._finish(handle, states)
        facts = self.embedding_.facts
        facts.update({key: value for key, value in json.loads(told).items() if key not in facts})
        self.table_, self.cells_ = facts["table"], facts["centres"]
        self.state_edges_, self.action_edges_ = facts["state_edges"], facts["action_edges"]
        return self
