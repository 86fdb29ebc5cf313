#!/usr/bin/python3
"""Draws what `mercer reproduce` wrote: ID/figure.svg, .pdf and .png for every item in a folder of results.

usage: paper/draw.py [RESULTS [ID ...]]
"""

import csv
import json
import math
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import NullFormatter

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


def turntable(folder):
    policy, curve = read(folder, "policy"), read(folder, "w1")
    figure = plt.figure(figsize=(COLUMN, 4.6))
    upper, lower = figure.subfigures(2, 1, height_ratios=[1.15, 1])
    polar = upper.add_subplot(projection="polar")
    one = where(policy, seed=policy["seed"][0])
    bars = polar.bar(one["angle"], one["probability"] * len(one["angle"]) / (2 * math.pi), width=2 * math.pi / 100,
                     color=plt.cm.cividis(one["reward"] / one["reward"].max()))
    del bars
    polar.set_yticks([0.1, 0.2, 0.3])
    polar.set_title("(a) policy density (1/rad) by angle; lighter: higher reward")
    axis = lower.add_subplot()
    for method in ("dft", "gmm", "gmm-grid", "fixed-gmm"):
        k, mean, spread = by(where(curve, method=method), "k", "w1")
        band(axis, k, np.maximum(mean, 1e-6), spread, LOOK[method], floor=1e-6)
    axis.axvline(8, color=BLACK, linestyle=":", linewidth=0.8)
    axis.text(9, 1.5, "number of modes", fontsize=6.5)
    axis.set(xlabel="K, components (real coefficients for DFT)", ylabel="W1 (rad)", yscale="log", ylim=(1e-6, 4),
             title="(b) distance to the true policy, mean and 1 sd")
    axis.legend(loc="lower left")
    return figure


def bandit(folder):
    example, reward = read(folder, "example"), read(folder, "reward")
    figure, (upper, lower) = panels(2, 2.1)
    one = where(example, seed=example["seed"][0])
    for curve, colour, style in (("policy", SKY, "-"), ("K=2", ORANGE, "--"), ("K=5", GREEN, "-."), ("K=10", RED, ":")):
        part = where(one, curve=curve)
        upper.plot(part["arm"], part["value"], color=colour, linestyle=style,
                   label="noisy policy" if curve == "policy" else f"{curve} lowest frequencies")
    part = where(one, curve="signal")
    upper.plot(part["arm"], part["value"] / part["value"].sum() * 0.3, color=BLACK, linewidth=0.8, label="signal (scaled)")
    upper.set(xlabel="arm", ylabel="probability", title="(a) one bandit")
    upper.set_ylim(top=1.75 * upper.get_ylim()[1])
    upper.legend(ncols=2)
    for order, label, colour, marker in (("largest", "K largest", BLUE, "o"), ("lowest", "K lowest frequencies", ORANGE, "s")):
        part = where(reward, order=order)
        band(lower, *by(part, "k", "greedy"), (f"mode, {label}", colour, marker))
        k, mean, _ = by(part, "k", "sampled")
        lower.plot(k, mean, color=colour, linestyle="--", linewidth=0.9, label=f"sampled, {label}")
    lower.axhline(where(reward, order="whole")["greedy"].mean(), color=BLACK, linestyle="-", linewidth=0.8,
                  label="mode, untruncated")
    lower.axhline(where(reward, order="whole")["sampled"].mean(), color=BLACK, linestyle="--", linewidth=0.8,
                  label="sampled, untruncated")
    lower.axhline(where(reward, order="best")["greedy"].mean(), color=BLACK, linestyle=":", linewidth=0.8, label="best arm")
    lower.set(xlabel="K, Fourier coefficients", ylabel="reward (signal only)", title="(b) reward", ylim=(0, 0.62))
    lower.legend(ncols=2, loc="upper center", fontsize=5.8)
    return figure


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
    data = read(folder, "returns")
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
    data = read(folder, "spread")
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


def pruned(folder):
    data = read(folder, "pruned")
    figure, (axis,) = panels(1, 2.2)
    steps, mean, spread = by(data, "steps", "pruned")
    axis.errorbar(steps, mean, yerr=spread, color=BLUE, marker="o", label="pruned", capsize=2)
    axis.plot(*by(data, "steps", "printed")[:2], color=RED, marker="x", linestyle="", markersize=5, label="printed")
    axis.plot(*by(data, "steps", "unreachable")[:2], color=BLACK, marker="^", linestyle=":",
              label="no state lies there (geometry)")
    axis.set(xlabel="training steps", ylabel="share of cells (%)", xticks=[2000, 3000, 4000, 5000])
    axis.legend()
    return figure


def stationary(folder):
    data = read(folder, "w1")
    figure, axes = panels(2, 2.1)
    for axis, head, letter in zip(axes, ("gaussian", "boltzmann"), "ab"):
        part = where(data, head=head, steps=5000)
        for basis in ("fourier", "db4", "svd"):
            own = where(part, basis=basis)
            _, x, _ = by(own, "k_rank", "parameters")
            _, mean, spread = by(own, "k_rank", "w1_lattice")
            band(axis, x, mean, spread, LOOK[basis], floor=0)
        base = where(part, basis="lattice")
        axis.axhline(base["w1_lattice"].mean(), color=BLACK, linestyle=":", linewidth=0.8, label="two samples of the lattice")
        axis.axhline(base["w1_teacher"].mean(), color=RED, linestyle="--", linewidth=0.8, label="lattice to teacher")
        axis.set(xlabel="parameters (as published)", ylabel="sliced W1 of visited states", xscale="log",
                 title=f"({letter}) {'Gaussian' if head == 'gaussian' else 'Boltzmann-Q'}, 5,000 steps")
        axis.set_ylim(0, 1.5 * axis.get_ylim()[1])
        axis.legend(ncols=2, loc="upper right")
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


def chain(folder):
    components, states = read(folder, "components"), read(folder, "states")
    figure, axes = panels(2, 2.1)
    looks = (("printed", ("printed bound", RED, "s")), ("c3", ("rigorous, 2-norm (C3)", GREEN, "^")),
             ("c1", ("rigorous, 1-norm (C1)", BLUE, "o")), ("l1", ("true distance, 1-norm", BLACK, ".")),
             ("l2", ("true distance, 2-norm", ORANGE, "D")))
    for axis, data, key, label in ((axes[0], where(components, policy="varying"), "k", "K, Fourier components (20 states)"),
                                   (axes[1], states, "states", "states (half of the components)")):
        for column, look in looks:
            x, mean, spread = by(data, key, column)
            keep = mean > 1e-9
            band(axis, x[keep], mean[keep], spread[keep], look, floor=1e-6)
        axis.set(xlabel=label, ylabel="distance of stationary\ndistributions", yscale="log")
    axes[0].set_ylim(1e-3, 1e6)
    axes[0].legend(ncols=2)
    return figure


def binning(folder):
    edges, histogram = read(folder, "edges"), read(folder, "histogram")
    figure, axes = panels(2, 2.7)
    labels = {"gaussians": ("x", "y", "(a) four Gaussians, 10 bins a dimension"),
              "mountain-car": ("position", "velocity (1/step)", "(b) mountain-car DQN visits, 30 bins a dimension")}
    for axis, (case, (x, y, title)) in zip(axes, labels.items()):
        part = where(histogram, case=case)
        xs, ys = np.unique(part["x"]), np.unique(part["y"])
        grid = np.full((len(ys), len(xs)), np.nan)
        grid[np.searchsorted(ys, part["y"]), np.searchsorted(xs, part["x"])] = part["count"]
        image = axis.pcolormesh(xs, ys, np.log10(grid), cmap="cividis", shading="nearest", rasterized=True)
        figure.colorbar(image, ax=axis, label="log10 visits")
        for name, line in (("x", axis.axvline), ("y", axis.axhline)):
            own = where(edges, case=case, axis=name)
            for edge in np.union1d(own["low"], own["high"]):
                line(edge, color=RED, linestyle=":", linewidth=0.7)
        axis.plot([], [], color=RED, linestyle=":", linewidth=0.8, label="bin edges")
        axis.set(xlabel=x, ylabel=y, title=title)
        axis.legend(loc="upper left", frameon=True, framealpha=0.9)
    return figure


def polar(folder):
    data, entropy = read(folder, "policy"), read(folder, "entropy")
    figure = plt.figure(figsize=(COLUMN, 5))
    figure.set_layout_engine("none")  # it gives up on polar axes this small
    axes = [[figure.add_axes([0.07 + 0.5 * column, 0.62 - 0.4 * row, 0.36, 0.26], projection="polar")
             for column in (0, 1)] for row in (0, 1)]
    most = np.quantile(data["probability"], 0.99)
    fine = 16  # pieces of a bin, so that rings are round
    for row, head in enumerate(("gaussian", "boltzmann")):
        for column, steps in enumerate((2000, 5000)):
            axis = axes[row][column]
            part, own = where(data, head=head, steps=steps), where(entropy, head=head, steps=steps)
            rings, actions = np.unique(part["ring"]), np.unique(part["action"])
            grid = part["probability"].reshape(len(rings), len(actions))
            # Neighbouring rings are drawn together: thinner ones would be narrower than a dot.
            grid = np.array([group.mean(axis=0) for group in np.array_split(grid, min(100, len(grid)))])
            grid = np.repeat(grid, fine, axis=1)
            middles = (actions[1:] + actions[:-1]) / 2
            edges = np.concatenate(([-2], middles, [2])) / 2 * math.pi
            angles = np.interp(np.arange(fine * len(actions) + 1) / fine, np.arange(len(edges)), edges)
            axis.grid(False)
            image = axis.pcolormesh(angles, np.linspace(0, len(rings), len(grid) + 1), grid, cmap="cividis", vmin=0, vmax=most,
                                    rasterized=True)
            axis.set_thetalim(-math.pi, math.pi)
            axis.set_xticks([-math.pi / 2, 0, math.pi / 2, math.pi], ["-1", "0", "1", "±2"])
            axis.tick_params(pad=-2)
            axis.set_yticks([])
            axis.set_title(f"{'Gaussian' if head == 'gaussian' else 'Boltzmann-Q'}, {steps // 1000}k steps\n"
                           f"return {own['return'].mean():.0f}", pad=6)
    bar = figure.add_axes([0.2, 0.12, 0.6, 0.015])
    figure.colorbar(image, cax=bar, orientation="horizontal", label="probability of an action bin\n"
                    "(angle: torque in N m, radius: visited states)")
    return figure


def complexity(folder):
    data = read(folder, "times")
    figure, (upper, lower) = panels(2, 2.1)
    for method in ("fft", "dwt"):
        part = where(data, method=method)
        upper.plot(part["rows"] * part["columns"], 1e3 * part["seconds"], color=LOOK[method][1], marker=LOOK[method][2],
                   label=LOOK[method][0])
    for k, colour, marker in ((1, GREEN, "^"), (8, RED, "v"), (32, PURPLE, "D")):
        part = where(data, method="svd", k=k)
        upper.plot(part["rows"] * part["columns"], 1e3 * part["seconds"], color=colour, marker=marker, label=f"SVD, rank {k}")
    upper.set(xlabel="table entries n m", ylabel="time (ms)", xscale="log", yscale="log", title="(a) against the table's size")
    upper.legend(ncols=2)
    most = data["rows"].max()
    part = where(data, method="svd", rows=most)
    lower.plot(part["k"], 1e3 * part["seconds"], color=GREEN, marker="^", label="SVD of rank k")
    lower.axhline(1e3 * where(data, method="fft", rows=most)["seconds"].mean(), color=BLUE, label="FFT")
    lower.axhline(1e3 * where(data, method="dwt", rows=most)["seconds"].mean(), color=ORANGE, linestyle="--", label="DWT (db4)")
    lower.axvline(math.log(most * 64), color=BLACK, linestyle=":", linewidth=0.8, label="published crossover ln(nm)")
    lower.set(xlabel="rank k", ylabel="time (ms)", xscale="log", yscale="log", title=f"(b) against K, {most:.0f} x 64 entries")
    lower.set_ylim(top=lower.get_ylim()[1] * 4)
    lower.legend(ncols=2, loc="upper center")
    return figure


def additions(folder):
    data = read(folder, "loss")
    figure, axes = panels(3, 2.0, gridspec_kw={"height_ratios": [1, 1, 0.42]})
    points = [("published", "published lattice", BLACK, "X"), ("tempered", "+ tempered edges", ORANGE, "s"),
              ("nearest", "+ nearest visited cell", SKY, "^"), ("mass", "+ exact masses", GREEN, "v"),
              ("all-three", "+ all three", BLUE, "P"), ("best", "best preset", PURPLE, "*")]
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


DRAW = {"turntable": turntable, "bandit": bandit, "mountain-car": mountain_car, "pendulum-gaussian": pendulum,
        "pendulum-boltzmann": pendulum, "return-spread": return_spread, "pruned": pruned, "stationary": stationary,
        "discretisation": discretisation, "chain": chain, "binning": binning, "polar": polar, "complexity": complexity,
        "additions": additions}


def main():
    results = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "results")
    index = results / "index.json"
    if not index.exists():
        sys.exit(f"draw.py: no {index}; run 'mercer reproduce --out {results}' first")
    wanted = sys.argv[2:]
    for item in json.loads(index.read_text()):
        if wanted and item["id"] not in wanted:
            continue
        folder = results / item["id"]
        figure = DRAW[item["id"]](folder)
        for ending, made in (("svg", {"Date": None}), ("pdf", {"CreationDate": None}), ("png", None)):
            figure.savefig(folder / f"figure.{ending}", metadata=made)
        plt.close(figure)
        print(folder / "figure.svg")


if __name__ == "__main__":
    main()
