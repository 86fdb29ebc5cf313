"""An embedding: the artefact that stands in for a policy."""

from __future__ import annotations

import json
import os
import pathlib
import tempfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _mercer
from .certificates import Certificate
from .pickling import remember


class Embedding:
    """A policy as a short list of numbers. It acts like one (`predict`, `sample`, `log_prob`, `mean_action`), knows
    what it may lose (`certificate`), and which others were tried (`front`, `tried`). `compress`, `embed` and `read` make
    one, from the library's `handle`."""

    def __init__(self, handle: Any, front: list[dict[str, Any]] | None = None, tried: list[dict[str, Any]] | None = None) -> None:
        self._handle = handle
        self.policy: _mercer.Policy = remember(handle.policy, lambda: (_policy_from_bytes, (_to_bytes(handle),)))
        self._facts: dict[str, Any] | None = None
        #: Candidates of a search that none smaller beats, by rising bytes: payload_bytes, loss_percent, route, k, ...
        self.front: list[dict[str, Any]] = front or []
        #: All candidates of the search, in the order they were tried.
        self.tried: list[dict[str, Any]] = tried or []
        self.seconds: float | None = None

    # How it acts.

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = True
    ) -> tuple[NDArray[Any], Any]:
        """(actions, state), as Stable-Baselines3 has it: one observation (dim,) or many (n, dim); actions in single
        precision, cut to the box, or integers."""
        return self.policy.predict(observation, state, episode_start, deterministic)

    def mean_action(self, obs: Any) -> NDArray[Any]:
        """The action that is played when nothing is drawn, in double precision: the numbers that were certified."""
        return self.policy.mean_action(obs)

    def sample(self, obs: Any, seed: int = 0) -> NDArray[Any]:
        return self.policy.sample(obs, seed)

    def log_prob(self, obs: Any, actions: Any) -> NDArray[Any]:
        return np.asarray(self.policy.log_prob(obs, actions))

    def set_random_seed(self, seed: int) -> None:
        """Of `predict(deterministic=False)`."""
        self.policy.set_random_seed(seed)

    # What it is.

    @property
    def facts(self) -> dict[str, Any]:
        """Everything that `mercer inspect` shows: route, basis, k, terms or edges and table, formulas, ..."""
        if self._facts is None:
            self._facts = self._handle.describe()
        return self._facts

    @property
    def route(self) -> str:
        return str(self.facts["route"])

    @property
    def basis(self) -> str:
        return str(self.facts["basis"])

    @property
    def k(self) -> int:
        return int(self.facts["k"])

    @property
    def payload(self) -> bytes:
        """All that acting needs beside the contract."""
        return bytes(self._handle.payload)

    @property
    def payload_bytes(self) -> int:
        return len(self.payload)

    @property
    def contract(self) -> dict[str, Any]:
        """Names, ranges, scaling and clipping of observations and actions."""
        return self.policy.contract

    @property
    def formulas(self) -> list[str]:
        """The lines of `formula()`; none on a lattice."""
        return self.facts.get("formulas", [])

    def formula(self, notation: str = "text") -> str:
        """The policy of a continuous embedding, one formula a line, each made of what lines before it define.

        `notation` is "text", "latex", or "python": assignments for `exec` with the names of `math` (`argmax` is
        numpy's), whose right-hand sides `sympy.sympify` reads.
        """
        return "\n".join(self._handle.formula(notation))

    @property
    def verified(self) -> bool:
        """Made here, or read from a file whose digests match; False for a file of version 0.1, which has none."""
        return bool(self.facts["verified"])

    @property
    def certificate(self) -> Certificate | None:
        """What it may lose, if that was certified."""
        text = self._handle.certificate
        return None if text is None else Certificate.parse(text)

    @certificate.setter
    def certificate(self, certificate: dict[str, Any]) -> None:
        self._handle.set_certificate(json.dumps(certificate))

    # Where it goes.

    def save(self, path: str | os.PathLike[str], sign: str | os.PathLike[str] | None = None) -> None:
        """Writes the file that `mercer.read`, the command line and plain numpy read. `sign` is a private key (Ed25519,
        PEM) to sign it with; `mercer inspect --verify` checks that."""
        self._handle.save(os.fspath(path), None if sign is None else os.fspath(sign))

    def export_c(self, folder: str | os.PathLike[str], name: str = "controller", **options: Any) -> dict[str, Any]:
        """Writes NAME.h, NAME.c and an example main.c (docs/guide/export.md): files, flash_bytes, operations, ...

        Files that exist with another text are replaced with force=True only.

        Options: kit (a library with build files and tests), core ("cortex-m0", ...: what it costs there is measured),
        numbers ("float", "fixed"), math ("none", "libm"), mode of a lattice ("table", "coefficients"),
        safe_action (one number for each action), check (test vectors, .json: NAME_check.c is written, too), names,
        units, action_names, action_units and period of a contract that lacks them.
        """
        made: dict[str, Any] = json.loads(_mercer.export_c(self._handle, {"name": name, "out": os.fspath(folder), **options}))
        return made

    def export(
        self, format: str, folder: str | os.PathLike[str], name: str = "controller", **options: Any
    ) -> dict[str, Any]:
        """Writes C ("c"), Structured Text ("st"), a Rust crate ("rust"), an ES module ("js"), an ONNX graph ("onnx") or
        JSON ("json"): files, error_stated, ...

        Files that exist with another text are replaced with force=True only.

        Options: safe_action (not for ONNX), check (test vectors, .json), force, names, units, action_names, action_units
        and period; for C also those of `export_c`.
        """
        given = {"format": format, "name": name, "out": os.fspath(folder), **options}
        made: dict[str, Any] = json.loads(_mercer.export_code(self._handle, given))
        return made

    def export_json(self) -> dict[str, Any]:
        """All that it is, as `mercer export json` writes it."""
        made: dict[str, Any] = json.loads(_mercer.export_json(self._handle))
        return made

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Return against bytes where there is a front; otherwise what the policy does."""
        from . import plots

        draw = plots.return_against_bytes if self.front else plots.policy
        return draw(self, ax=ax, **options)

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_bytes, (_to_bytes(self._handle), self.front, self.tried)

    def __repr__(self) -> str:
        return f"<mercer.Embedding {self.route} {self.basis}, k {self.k}, {self.payload_bytes} bytes>"


def _to_bytes(handle: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "embedding.mercer"
        handle.save(os.fspath(path), None)
        return path.read_bytes()


def _policy_from_bytes(content: bytes) -> _mercer.Policy:
    return _from_bytes(content, [], []).policy


def _from_bytes(content: bytes, front: list[dict[str, Any]], tried: list[dict[str, Any]]) -> Embedding:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "embedding.mercer"
        path.write_bytes(content)
        return Embedding(_mercer.read_embedding(os.fspath(path), {}), front, tried)


def read(path: str | os.PathLike[str], **acting: Any) -> Embedding:
    """Reads an embedding from the file `path`. `acting` says how a lattice acts: from_="coefficients", draw="alias", proposals, proposal."""
    settings = {key.rstrip("_"): str(value) for key, value in acting.items()}
    return Embedding(_mercer.read_embedding(os.fspath(path), settings))
