"""Figures of what embeddings earn, and lose."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import NullFormatter

from drawing import BLACK, ORANGE, SKY, GREEN, BLUE, RED, PURPLE, COLUMN, band, by, gaps, panels, published, read, where


def mountain_car(folder):
    data = read(folder, "returns")
    figure, (axis,) = panels(1, 2.5)
    gaps(axis, data, "teacher", ("fourier", "db4", "svd", "mle"))
    lattice = where(data, basis="lattice")["mean"] - where(data, basis="teacher")["mean"]
    axis.axhline(np.abs(lattice).mean(), color=BLACK, linestyle=":", linewidth=0.8, label="lattice, untruncated")
    axis.set(xlabel="parameters (as published)", ylabel="|return difference| to the teacher", yscale="log", ylim=(0.1, 400))
    axis.legend()
    return figure


def pendulum(folder):
    data = published(folder, "returns")
    figure, axes = panels(2, 2.1)
    for axis, steps, letter in zip(axes, (2000, 5000), "ab"):
        part = where(data, steps=steps)
        gaps(axis, part, "lattice", ("fourier", "db4", "svd", "fourier-sorted"))
        teacher, lattice = where(part, basis="teacher"), where(part, basis="lattice")
        axis.plot([teacher["parameters"].mean()], [0], color=PURPLE, marker="o", markersize=6, linestyle="", clip_on=False,
                  label="network's parameters")
        axis.axhline(abs(teacher["mean"] - lattice["mean"]).mean(), color=BLACK, linestyle=":", linewidth=0.8,
                     label="|teacher - lattice|")
        axis.set(xlabel="parameters (as published)", ylabel="|return difference| to lattice",
                 title=f"({letter}) {steps:,} steps: teacher {teacher['mean'].mean():.0f}, lattice {lattice['mean'].mean():.0f}")
        axis.legend(ncols=2, loc="upper right")
        axis.set_ylim(top=1.5 * axis.get_ylim()[1])
    return figure


def return_spread(folder):
    data = published(folder, "spread")
    names = ["pendulum-2k", "pendulum-3k", "pendulum-4k", "pendulum-5k", "mountain-car"]
    looks = [("teacher", "true", BLACK), ("lattice", "lattice", SKY), ("fourier", "DFT, half of K", BLUE),
             ("db4", "DB4, half of K", ORANGE), ("svd", "SVD, half of the rank", GREEN),
             ("better-lattice", "better lattice", PURPLE)]
    figure, (axis,) = panels(1, 3.0)
    for i, (method, label, colour) in enumerate(looks):
        parts = [where(data, policy=name, method=method)["sd"] for name in names]
        spread = [part.std(ddof=1) if len(part) > 1 else 0 for part in parts]
        axis.bar(np.arange(5) + (i - 2.5) * 0.14, [part.mean() for part in parts], 0.13, yerr=spread, color=colour,
                 label=label, error_kw={"linewidth": 0.6})
    for i, name in enumerate(names):
        one = where(data, policy=name)
        axis.plot([i - 0.35], one["printed_true"][:1], marker="_", color=RED, markersize=9, linestyle="",
                  label="printed: true" if i == 0 else None)
        axis.plot([i - 0.07], one["printed_truncated"][:1], marker="x", color=RED, markersize=4, linestyle="",
                  label="printed: truncated" if i == 0 else None)
    axis.set_xticks(range(5), ["pendulum\n2k", "pendulum\n3k", "pendulum\n4k", "pendulum\n5k", "mountain\ncar"])
    axis.set(ylabel="standard deviation of returns", yscale="log")
    axis.set_ylim(top=axis.get_ylim()[1] * 8)
    axis.legend(ncols=2)
    return figure


def discretisation(folder):
    bins, episodes = read(folder, "discretisation"), read(folder, "pruning")
    figure, axes = plt.subplots(2, 2, figsize=(COLUMN, 3.6))
    names = {"mountain-car-gaussian": "mountain car", "pendulum-boltzmann": "pendulum, Boltzmann-Q"}
    for row, (task, title) in enumerate(names.items()):
        band(axes[row][0], *by(where(bins, task=task), "bins", "error"), ("discretisation", BLUE, "o"), floor=0)
        axes[row][0].set(xlabel="bins per dimension", ylabel="|return difference|", title=title)
        band(axes[row][1], *by(where(episodes, task=task), "episodes", "error"), ("pruning", ORANGE, "s"), floor=0)
        axes[row][1].set(xlabel="trajectories", xscale="log", title=title)
        for axis in axes[row]:
            axis.set_ylim(bottom=0)
            axis.legend()
    return figure


def additions(folder):
    data = published(folder, "loss")
    figure, axes = panels(3, 2.0, gridspec_kw={"height_ratios": [1, 1, 0.42]})
    points = [("published", "published lattice", BLACK, "X"), ("tempered", "+ tempered edges", ORANGE, "s"),
              ("nearest", "+ nearest visited cell", SKY, "^"), ("mass", "+ exact masses", GREEN, "v"),
              ("all-three", "+ all three", BLUE, "P"), ("best", "best preset", PURPLE, "*"),
              ("polished", "continuous, polished on return", RED, "H")]
    curves = [("published-dft", "published lattice, DFT", BLACK, "x"), ("cosines", "best preset, cosines", PURPLE, "o"),
              ("continuous", "continuous", RED, "D")]
    for axis, task, letter in zip(axes, ("pendulum", "mountain-car"), "ab"):
        part = where(data, task=task)
        for method, label, colour, marker in points:
            own = where(part, method=method)
            axis.errorbar([own["parameters"].mean()], [own["loss_percent"].mean()], color=colour, marker=marker, markersize=5,
                          linestyle="", label=label)
        for method, label, colour, marker in curves:
            own = where(part, method=method)
            # K may follow the size of a table, which differs from seed to seed: the i-th K of each belong together.
            each = [where(own, seed=seed) for seed in np.unique(own["seed"])]
            x = np.mean([np.sort(one["parameters"]) for one in each], axis=0)
            losses = np.array([one["loss_percent"][np.argsort(one["k"])] for one in each])
            spread = losses.std(axis=0, ddof=1) if len(each) > 1 else np.zeros(len(x))
            band(axis, x, losses.mean(axis=0), spread, (label, colour, marker), linewidth=0.9)
        axis.set_yscale("symlog", linthresh=1)
        axis.axhline(0, color=BLACK, linewidth=0.5)
        axis.set(xlabel="numbers stored", ylabel="loss of return (%)", xscale="log",
                 title=f"({letter}) {'pendulum, 5,000 steps' if task == 'pendulum' else 'continuous mountain car'}")
        axis.yaxis.set_minor_formatter(NullFormatter())
    handles, names = axes[0].get_legend_handles_labels()
    axes[2].axis("off")
    axes[2].legend(handles, names, loc="center", ncols=2)
    return figure
