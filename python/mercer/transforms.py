"""Transforms with numpy's and PyWavelets' shapes, and edges of bins."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _mercer


def quantile_edges(x: NDArray[Any], bins: int) -> Any:
    """Edges of bins that hold equally many data each, as scikit-learn's KBinsDiscretizer(strategy="quantile").

    x (n,) gives one array of up to bins + 1 edges (ties make fewer); (n, dim) gives a list of them.
    """
    return make_edges(x, bins, "quantile")


def make_edges(x: NDArray[Any], bins: int, rule: str = "quantile") -> Any:
    """Edges of `bins` bins of x, as of `quantile_edges`, by a `rule`: quantile, data-quantile, uniform, kmeans,
    tempered:T."""
    x = np.asarray(x, dtype=float)
    if x.ndim == 2:
        return [_mercer.make_edges(x[:, d], bins, rule) for d in range(x.shape[1])]
    return _mercer.make_edges(x, bins, rule)


def wavelet(a: NDArray[Any], wavelet: str = "db4", mode: str = "periodization", level: int | None = None) -> list[Any]:
    """What PyWavelets' wavedec2 gives for an array `a` of two axes, [cA, (cH, cV, cD), ...]; wavedec for one; wavedecn for more.

    `wavelet`, `mode` and `level` are PyWavelets': "db4", "periodization", and None for as many levels as fit.
    """
    a = np.asarray(a, dtype=float)
    bands = _mercer.wavelet_bands(a, wavelet, mode, level)
    out: list[Any] = [bands[0][2]]
    details = bands[1:]
    a_level = 2**a.ndim - 1
    for first in range(0, len(details), a_level):
        group = details[first : first + a_level]
        if a.ndim == 1:
            out.append(group[0][2])
        elif a.ndim == 2:
            out.append(tuple(band for _, _, band in group))
        else:
            out.append({key: band for _, key, band in group})
    return out


def inverse_wavelet(
    coefficients: list[Any], wavelet: str = "db4", mode: str = "periodization", shape: tuple[int, ...] | None = None
) -> NDArray[Any]:
    """The table of `coefficients` that `wavelet` made with the same `wavelet` and `mode`. `shape` is the table's, where axes had odd lengths; otherwise what waverec2 gives."""
    axes = np.ndim(coefficients[0])
    levels = len(coefficients) - 1
    approximation = np.asarray(coefficients[0], dtype=float)
    bands: list[tuple[int, str, NDArray[Any]]] = [(levels, "a" * axes, approximation)]
    for place, group in enumerate(coefficients[1:]):
        level = levels - place
        if axes == 1:
            bands.append((level, "d", np.asarray(group, dtype=float)))
        elif axes == 2:
            bands += [(level, key, np.asarray(band, dtype=float)) for key, band in zip(("da", "ad", "dd"), group)]
        else:
            bands += [(level, key, np.asarray(group[key], dtype=float)) for key in _in_order(group)]
    if shape is None:
        finest = bands[-1][2].shape
        taps = len(_mercer.wavelet_filter(wavelet)[0])
        shape = finest if levels == 0 else tuple(2 * n if mode == "periodization" else 2 * n - taps + 2 for n in finest)
    return _mercer.inverse_wavelet_bands(bands, list(shape), wavelet, mode)


def _in_order(keys: Any) -> list[str]:
    """The order in which the library has the bands of one level: axis 0 high-pass first (da, ad, dd)."""
    return sorted(keys, key=lambda key: sum(1 << axis for axis, letter in enumerate(key) if letter == "d"))
