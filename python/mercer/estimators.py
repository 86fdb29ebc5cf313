"""Embeddings of logged states and actions, with the interface that scikit-learn's tools expect."""

from __future__ import annotations

import inspect
import json
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

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

    _flat: bool

    @staticmethod
    def _log(task: Any, states: NDArray[Any], rows: NDArray[Any]) -> Any:
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

    def _task(self, given: Any, played: Any) -> tuple[Any, NDArray[Any], NDArray[Any]]:
        """The task that the data or `env` describe, and both as matrices."""
        if played is None:
            raise fault("E204", "requires y to be passed, but the target y is None", "Give an action for each state")
        states, actions = _matrix(given), np.asarray(played)
        if len(states) < 2:
            raise fault("E206", "1 sample, while a minimum of 2 is required", "Give more states")
        discrete = actions.dtype.kind in "iub" and actions.ndim == 1
        rows = actions.reshape(len(actions), -1).astype(float)
        if len(rows) != len(states):
            raise fault("E206", f"{states.shape} states and {actions.shape} actions", "Give states (n, dim) and as many actions")
        if not np.isfinite(rows).all():
            raise fault("E205", "actions are not finite: they contain NaN or inf", "Drop those rows")
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

    def _finish(self, handle: Any, states: NDArray[Any]) -> Any:
        self.embedding_ = Embedding(handle)
        self.k_ = self.embedding_.k
        self.n_features_in_ = states.shape[1]
        self.payload_ = self.embedding_.payload
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The mean action, or the most likely one, in each state of X (n, dim)."""
        if not hasattr(self, "embedding_"):
            raise _not_fitted(type(self).__name__)
        states = _matrix(X)
        if states.shape[1] != self.n_features_in_:
            name = type(self).__name__
            raise fault("E206", f"X has {states.shape[1]} features, but {name} is expecting {self.n_features_in_} features "
                        "as input", "Give states as those that it was fitted to")
        out = self.embedding_.mean_action(states)
        return out[:, 0] if out.ndim == 2 and self._flat else out

    def score(self, X: Any, y: Any) -> float:
        """R^2 of the actions y in states X, or the share of discrete ones that agree."""
        got, wanted = self.predict(X), np.asarray(y)
        if got.dtype.kind in "iu":
            return float(np.mean(got == wanted))
        wanted = wanted.reshape(got.shape)
        return float(1 - np.sum((got - wanted) ** 2) / np.sum((wanted - wanted.mean(axis=0)) ** 2))


def _matrix(given: Any) -> NDArray[Any]:
    """States (n, dim) of finite reals."""
    if hasattr(given, "toarray"):
        raise fault("E203", "sparse data is not supported", "Give states as a dense array")
    states = np.asarray(given)
    if states.dtype.kind == "c":
        raise fault("E203", "Complex data not supported", "Give real states")
    if states.dtype.kind == "O" and any(isinstance(one, (dict, str)) for one in states.ravel()[:1]):
        raise TypeError("argument must be a string or a number")
    states = states.astype(float)
    if states.ndim != 2:
        raise fault("E206", f"Expected 2D array of states, got shape {states.shape}",
                    "Reshape your data either using array.reshape(-1, 1) for a single feature or array.reshape(1, -1) for "
                    "a single sample")
    if states.size == 0:
        nothing = "0 sample(s)" if len(states) == 0 else "0 feature(s)"
        problem = f"Found array with {nothing} (shape={states.shape}) while a minimum of 1 is required"
        raise fault("E206", problem, "Give states (n, dim)")
    if not np.isfinite(states).all():
        raise fault("E205", "states are not finite: they contain NaN or inf", "Drop those rows")
    return states


def _not_fitted(name: str) -> Exception:
    """scikit-learn's own error where it is loaded: its tools look for it."""
    made = fault("E204", f"this {name} is not fitted yet", "Call fit first")
    known = sys.modules.get("sklearn.exceptions")
    if known is None:
        return made
    error: Exception = known.NotFittedError(str(made))
    vars(error).update(code=made.code, problem=made.problem, remedy=made.remedy)
    return error


def _axis(name: str, values: NDArray[Any]) -> dict[str, Any]:
    low, high = float(values.min()), float(values.max())
    if low == high:
        low, high = low - 0.5, high + 0.5
    return {"name": name, "low": low, "high": high, "unit": "", "periodic": False}


class ContinuousEmbedder(_Estimator):
    """K terms of a dictionary of functions, fitted to what a policy did.

    Parameters: `k` terms of the dictionary `basis` up to a `degree`; the number `format` of coefficients; `squash` limits
    actions by tanh instead of clipping; `env` gives names and ranges, which otherwise come from the data; `random_state`
    is the seed.

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

    def fit(self, X: Any, y: Any) -> "ContinuousEmbedder":
        """X are states (n, dim); y are actions (n,) or (n, dim), integers (n,) where they are discrete. `env` gives their
        ranges, otherwise the data do."""
        task, states, rows = self._task(X, y)
        self._flat = np.ndim(y) == 1
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

    Parameters: `state_bins` and `action_bins` along each axis, with edges by `state_edges` and `action_edges`; `k`
    coefficients of `basis`, or as many as hold a share `energy`; `order` of the cells; what an `unvisited` cell does;
    `noise` inside a bin of the action; `env` gives names and ranges, which otherwise come from the data; `random_state` is
    the seed. The options of `mercer embed` have the same names.

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

    def fit(self, X: Any, y: Any) -> "LatticeEmbedder":
        """As `ContinuousEmbedder.fit`; here several actions in one cell make a distribution."""
        task, states, rows = self._task(X, y)
        self._flat = np.ndim(y) == 1
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
