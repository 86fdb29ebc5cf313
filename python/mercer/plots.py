"""Pictures of embeddings: each takes and gives matplotlib's Axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import fault
from .spaces import Box, from_axes


def _axes(ax: Any, **subplot: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as pyplot

    return pyplot.figure().add_subplot(**subplot)


def return_against_bytes(embedding: Any, ax: Any = None, **line: Any) -> Any:
    """What each candidate of the search loses, against its bytes; the front as a line, the chosen one ringed."""
    ax = _axes(ax)
    tried = embedding.tried or embedding.front
    sizes, losses = ([c[key] for c in tried] for key in ("payload_bytes", "loss_percent"))
    ax.scatter(sizes, losses, s=12, color="0.7", label="tried")
    front = embedding.front
    line = {"marker": "o", "color": "C0", "label": "front", **line}
    ax.plot([c["payload_bytes"] for c in front], [c["loss_percent"] for c in front], **line)
    certificate = embedding.certificate
    if certificate is not None:
        if certificate.budget_percent is not None:
            ax.axhline(certificate.budget_percent, color="C3", linestyle="--", label="allowed")
        ax.scatter([embedding.payload_bytes], [certificate.loss_percent], s=120, facecolors="none", edgecolors="C3")
        if certificate.upper_percent is not None:
            ax.vlines(embedding.payload_bytes, certificate.loss_percent, certificate.upper_percent, color="C3")
    ax.set_xscale("log")
    for formatter in (ax.xaxis.set_major_formatter, ax.xaxis.set_minor_formatter):
        formatter("{x:g}")
    ax.set_yscale("symlog", linthresh=1)
    ax.set_xlabel("bytes")
    ax.set_ylabel("loss, % of the teacher's return")
    ax.legend()
    return ax


def coefficient_energy(embedding: Any, ax: Any = None, **line: Any) -> Any:
    """Share of the squares that the largest numbers hold together."""
    ax = _axes(ax)
    facts = embedding.facts
    if facts["route"] == "lattice":
        energies = np.sort(facts["energies"])[::-1]
        whole = facts["whole_energy"] or energies.sum()
    else:
        energies = np.sort(np.sum(facts["coefficients"] ** 2, axis=0))[::-1]
        whole = energies.sum()
    if len(energies) == 0:
        raise fault("E203", f"basis {facts['basis']} keeps rows, which have no energies", "Take another basis, such as dct")
    ax.plot(np.arange(1, len(energies) + 1), np.cumsum(energies) / whole, **{"marker": ".", **line})
    ax.set_xscale("log")
    ax.set_xlabel("numbers kept")
    ax.set_ylabel("share of the energy")
    return ax


def _grid(
    embedding: Any, dimensions: tuple[int, int], at: Any, points: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Observations over two dimensions, the others at `at` (by default the middle of their range)."""
    space = from_axes(embedding.contract["observation"])
    ends = (space.low, space.high) if isinstance(space, Box) else (0, space.n - 1)
    low, high = (np.atleast_1d(np.asarray(x, dtype=float)) for x in ends)
    low, high = np.where(np.isfinite(low), low, -3.0), np.where(np.isfinite(high), high, 3.0)
    first, second = (np.linspace(low[d], high[d], points) for d in dimensions)
    observations = np.tile((low + high) / 2 if at is None else np.asarray(at, dtype=float), (points * points, 1))
    a, b = np.meshgrid(first, second)
    observations[:, dimensions[0]], observations[:, dimensions[1]] = a.ravel(), b.ravel()
    return first, second, observations


def heat_map(
    policy: Any,
    dimensions: tuple[int, int] = (0, 1),
    at: Any = None,
    action: int = 0,
    points: int = 100,
    ax: Any = None,
) -> Any:
    """The mean action over two dimensions of the observation."""
    ax = _axes(ax)
    first, second, observations = _grid(policy, dimensions, at, points)
    actions = np.asarray(policy.mean_action(observations), dtype=float).reshape(points * points, -1)[:, action]
    names = [axis["name"] for axis in policy.contract["observation"]["axes"]]
    mesh = ax.pcolormesh(first, second, actions.reshape(points, points), shading="auto", cmap="coolwarm")
    ax.figure.colorbar(mesh, ax=ax, label=policy.contract["action"]["axes"][action]["name"])
    ax.set_xlabel(names[dimensions[0]])
    ax.set_ylabel(names[dimensions[1]])
    return ax


def polar(
    policy: Any, cosine: int = 0, sine: int = 1, radius: int = 2, action: int = 0, points: int = 120, ax: Any = None
) -> Any:
    """The mean action of a task whose observation holds the cosine and sine of an angle: the angle around, another
    dimension (a speed) outwards."""
    ax = _axes(ax, projection="polar")
    axes = policy.contract["observation"]["axes"]
    angle = np.linspace(-np.pi, np.pi, points)
    out = np.linspace(axes[radius]["low"], axes[radius]["high"], points)
    if not np.isfinite(out).all():
        raise fault("E203", f"{axes[radius]['name']} has no finite range to draw", "Give the policy a task with ranges")
    a, r = np.meshgrid(angle, out)
    observations = np.zeros((points * points, len(axes)))
    observations[:, cosine], observations[:, sine] = np.cos(a).ravel(), np.sin(a).ravel()
    observations[:, radius] = r.ravel()
    actions = np.asarray(policy.mean_action(observations), dtype=float).reshape(points * points, -1)[:, action]
    ax.grid(False)
    mesh = ax.pcolormesh(angle, out - out[0], actions.reshape(points, points), shading="auto", cmap="coolwarm")
    ax.figure.colorbar(mesh, ax=ax, label=policy.contract["action"]["axes"][action]["name"])
    ax.set_yticks([0, -out[0], out[-1] - out[0]] if out[0] < 0 < out[-1] else [0, out[-1] - out[0]])
    ax.set_yticklabels([f"{y:g}" for y in ([out[0], 0, out[-1]] if out[0] < 0 < out[-1] else [out[0], out[-1]])])
    return ax


def policy(embedding: Any, ax: Any = None, **options: Any) -> Any:
    """A polar plot where the observation holds cos and sin of an angle, else a heat map, else a curve."""
    names = [axis["name"] for axis in embedding.contract["observation"]["axes"]]
    if len(names) == 3 and names[0].startswith("cos") and names[1].startswith("sin"):
        return polar(embedding, ax=ax, **options)
    if len(names) > 1:
        return heat_map(embedding, ax=ax, **options)
    ax = _axes(ax)
    axis = embedding.contract["observation"]["axes"][0]
    low, high = axis["low"], axis["high"]
    x = np.arange(low, high + 1) if embedding.contract["observation"]["count"] else np.linspace(low, high, 400)
    ax.plot(x, np.asarray(embedding.mean_action(x[:, None])).reshape(len(x), -1), **options)
    ax.set_xlabel(axis["name"])
    return ax


def bound_against_measured(certificate: Any, ax: Any = None) -> Any:
    """Each bound of a certificate, or of `bound_rows`, against what was measured: what holds lies above the line."""
    ax = _axes(ax)
    rows = certificate["rows"] if isinstance(certificate, dict) else certificate
    rows = [row for row in rows if row.get("value") is not None and row.get("measured") is not None]
    smallest = 1e-12
    remarks = {"paper": ", not a guarantee", "model": ": in a model of the task, not in the task"}
    for level in dict.fromkeys(row["level"] for row in rows):
        chosen = [row for row in rows if row["level"] == level]
        ax.scatter(
            [max(smallest, abs(row["measured"])) for row in chosen],
            [max(smallest, row["value"]) for row in chosen],
            label=level + remarks.get(level, ""),
        )
    values = [max(smallest, abs(row[key])) for row in rows for key in ("value", "measured")] or [1e-3, 1]
    ends = [min(values), max(values)]
    ax.plot(ends, ends, color="0.6", linewidth=1)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("measured")
    ax.set_ylabel("bound")
    ax.legend()
    return ax
