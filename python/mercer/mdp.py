"""Bounds on what two policies of a finite process differ by."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _mercer

TabularMdp = _mercer.TabularMdp

#: Other names of the same rows.
NAMES = {
    "trivial": "B0", "max_tv": "B1", "max_tv_span": "B1'", "weighted_d2A1": "B2/d2A1", "weighted_d1A2": "B2/d1A2",
    "weighted_abs_d2A1": "B2'/d2A1", "weighted_abs_d1A2": "B2'/d1A2", "onpolicy1": "B3/1", "onpolicy2": "B3/2",
    "modelfree_d1": "B4/d1", "modelfree_d2": "B4/d2", "coupling": "B5", "coupling_geom": "B6", "rkhs": "B7/M",
    "rkhs_pointwise": "B7/pointwise", "rkhs_weighted": "B7'/d2A1", "parseval_weighted": "B8/d2A1",
    "trpo_correct": "B9",
}


def bound_rows(
    mdp: TabularMdp,
    policy_1: NDArray[Any],
    policy_2: NDArray[Any],
    *,
    kernel: str = "sobolev",
    k: int = 0,
    horizon: int = 0,
    atoms: NDArray[Any] | None = None,
) -> list[dict[str, Any]]:
    """Every bound with what it bounds, what it needs, and the measured value where it is known.

    `mdp` is the process, `policy_1` and `policy_2` are tables (states, actions), `kernel` and `k` are those of B7 over the
    actions, `horizon` is that of the bounds of finite episodes (0: the process's), `atoms` are the points that actions
    stand for where distances between them count.
    """
    return _mercer.bound_rows(mdp, policy_1, policy_2, kernel, k, horizon, atoms)[0]


def bounds(
    mdp: TabularMdp,
    policy_1: NDArray[Any],
    policy_2: NDArray[Any],
    *,
    kernel: str = "sobolev",
    k: int = 0,
    horizon: int = 0,
    atoms: NDArray[Any] | None = None,
) -> dict[str, float]:
    """Bounds by id ("B0" to "B9", "C1", ..., "paper_..."; "B2/d1A2" is a form of "B2"), and "true", |eta1 - eta2|.

    Names such as "max_tv" or "coupling" stand for their ids, too. Rows that do not apply are left out. `kernel` is that
    of B7 over the actions: sobolev, identity, fourier, dct, haar, svd. `mdp`, `policy_1`, `policy_2`, `k`, `horizon` and
    `atoms` are those of `bound_rows`.
    """
    rows, difference = _mercer.bound_rows(mdp, policy_1, policy_2, kernel, k, horizon, atoms)
    out = {row["id"]: row["value"] for row in rows if row["applicable"]}
    out.update({name: out[id_] for name, id_ in NAMES.items() if id_ in out})
    out["true"] = difference
    return out
