"""The look of the figures, and what reading and drawing have in common."""

import csv
import math

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

# Okabe and Ito: told apart by people who do not see all colours. Markers differ too.
BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, RED, PURPLE = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7")
LOOK = {"fourier": ("DFT", BLUE, "o"), "db4": ("DB4", ORANGE, "s"), "svd": ("SVD", GREEN, "^"),
        "mle": ("sampling", PURPLE, "D"), "fourier-sorted": ("DFT, rows sorted", SKY, "x"), "dft": ("DFT", BLUE, "o"), "gmm": ("GMM (EM, samples)", RED, "s"),
        "gmm-grid": ("GMM (EM, exact table)", ORANGE, "^"), "fixed-gmm": ("fixed-basis GMM", GREEN, "D"),
        "fft": ("FFT", BLUE, "o"), "dwt": ("DWT (db4)", ORANGE, "s")}
COLUMN = 3.5  # inches

plt.rcParams.update({
    "font.size": 7.5, "axes.labelsize": 7.5, "axes.titlesize": 7.5, "legend.fontsize": 6.5, "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5, "lines.linewidth": 1.1, "lines.markersize": 3, "axes.spines.top": False,
    "axes.spines.right": False, "legend.frameon": False, "svg.hashsalt": "mercer", "svg.fonttype": "none",
    "figure.constrained_layout.use": True, "savefig.dpi": 200})


def read(folder, name):
    """Columns by name; numbers where all entries are."""
    with open(folder / f"{name}.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = {}
    for key in rows[0] if rows else []:
        values = [row[key] for row in rows]
        try:
            columns[key] = np.array([float(value) for value in values])
        except ValueError:
            columns[key] = np.array(values)
    return columns


PUBLISHED = "pendulum-v0"  # figures show this environment; the page judges today's beside it


def published(folder, name):
    """The rows of the published environment, and of tasks that have no variants."""
    data = read(folder, name)
    keep = (data["env"] == PUBLISHED) | (data["env"] == "any")
    return {key: values[keep] for key, values in data.items()}


def where(data, **conditions):
    keep = np.ones(len(next(iter(data.values()))), bool)
    for key, value in conditions.items():
        keep &= data[key] == value
    return {key: values[keep] for key, values in data.items()}


def by(data, key, value):
    """Mean and standard deviation of `value` over the seeds, for each different `key`."""
    keys = np.unique(data[key])
    groups = [data[value][data[key] == one] for one in keys]
    spread = [group.std(ddof=1) if len(group) > 1 else 0 for group in groups]
    return keys, np.array([group.mean() for group in groups]), np.array(spread)


def band(axis, x, mean, spread, look, floor=None, **more):
    label, colour, marker = look
    low = mean - spread if floor is None else np.maximum(mean - spread, floor)
    axis.fill_between(x, low, mean + spread, color=colour, alpha=0.2, linewidth=0)
    axis.plot(x, mean, color=colour, marker=marker, label=label, **more)


def panels(count, height=1.9, **more):
    figure, axes = plt.subplots(count, 1, figsize=(COLUMN, height * count), **more)
    return figure, np.atleast_1d(axes)


def gaps(axis, data, reference, bases):
    """|difference of mean returns| to a reference over the parameters; the band is one pooled standard error."""
    other = where(data, basis=reference)
    base = dict(zip(other["seed"], zip(other["mean"], other["sd"])))
    for basis in bases:
        own = where(data, basis=basis)
        x, mean, spread = [], [], []
        for rank in np.unique(own["k_rank"]):
            one = where(own, k_rank=rank)
            gap = [abs(m - base[s][0]) for m, s in zip(one["mean"], one["seed"])]
            pooled = [math.sqrt((sd ** 2 + base[s][1] ** 2) / 100) for sd, s in zip(one["sd"], one["seed"])]
            x.append(one["parameters"].mean())
            mean.append(np.mean(gap))
            spread.append(math.sqrt(np.mean(np.square(pooled))))
        band(axis, np.array(x), np.array(mean), np.array(spread), LOOK[basis], floor=1e-3)
    axis.set_xscale("log")
    axis.set_ylim(bottom=0)
