"""Figures that show policies and the lattices that they are cut into."""

import math

import matplotlib.pyplot as plt
import numpy as np

from drawing import BLACK, ORANGE, SKY, GREEN, BLUE, RED, COLUMN, LOOK, band, by, panels, published, read, where


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


def binning(folder):
    edges, histogram = (where(data, seed=data["seed"][0]) for data in (read(folder, "edges"), read(folder, "histogram")))
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
    data, states = published(folder, "policy"), published(folder, "states")
    entropy = published(folder, "entropy")
    entropy = where(entropy, seed=data["seed"][0])
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
    snapshots(figure, where(states, head="gaussian", steps=5000))
    bar = figure.add_axes([0.2, 0.12, 0.6, 0.015])
    figure.colorbar(image, cax=bar, orientation="horizontal", label="probability of an action bin\n"
                    "(angle: torque in N m, radius: visited states)")
    return figure


def snapshots(figure, states):
    """Where the pendulum is in some of the rings, from the centre outwards, drawn between the two columns."""
    rings = np.unique(states["ring"])
    for i, ring in enumerate(rings[np.linspace(0, len(rings) - 1, 5).astype(int)]):
        one = where(states, ring=ring)
        axis = figure.add_axes([0.455, 0.40 + 0.1 * i, 0.08, 0.08])
        axis.plot([0, one["sin"][0]], [0, one["cos"][0]], color=RED, linewidth=2)
        axis.plot([0], [0], color=BLACK, marker="o", markersize=2)
        axis.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal", xticks=[], yticks=[])
        axis.set_title(f"ring {ring:.0f}", fontsize=5, pad=1)
        for side in axis.spines.values():
            side.set_visible(True)
            side.set_linewidth(0.4)


def printed(folder):
    data = read(folder, "defects")
    figure, axes = panels(2, 2.3)
    looks = {"right": ("right", BLACK, "o"), "real-part": ("real part only", BLUE, "s"), "by-sign": ("by sign", ORANGE, "^"),
             "one-more": ("one more", SKY, "x"), "flat-inverse": ("flat inverse", GREEN, "v"), "printed": ("all of them", RED, "D")}
    for axis, task, letter in zip(axes, ("pendulum", "mountain-car"), "ab"):
        for variant, look in looks.items():
            share, mean, spread = by(where(data, task=task, variant=variant), "share", "tv")
            band(axis, 100 * share, mean, spread, look, floor=0)
        axis.set(xlabel="coefficients kept (%)", ylabel="total variation from the lattice", title=f"({letter}) {task}")
        axis.set_ylim(0, 1.35 * axis.get_ylim()[1])
        axis.legend(ncols=3, loc="upper center")
    return figure
