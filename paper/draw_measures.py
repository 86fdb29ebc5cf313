"""Figures of visited states, their distributions, and time."""

import math

import numpy as np

from drawing import BLACK, ORANGE, GREEN, BLUE, RED, PURPLE, LOOK, band, by, panels, published, read, where


def pruned(folder):
    data = published(folder, "pruned")
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
    data = published(folder, "w1")
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


def rates(folder):
    data = read(folder, "rates")
    figure, (upper, lower) = panels(2, 2.3)
    for axis, norm, title in ((upper, "l1", "(a) partial Fourier sums in L1"), (lower, "sup", "(b) in the supremum")):
        for domain, colour, marker in (("step", RED, "s"), ("hat", BLUE, "o"), ("smooth hat", GREEN, "^"),
                                       ("analytic", PURPLE, "D")):
            part = where(data, domain=domain, norm=norm)
            k, mean, spread = by(part, "k", "error")
            keep = mean > 1e-12
            band(axis, k[keep], mean[keep], spread[keep], (domain, colour, marker), floor=1e-13)
        axis.set(xlabel="K, highest frequency", ylabel="error", xscale="log", yscale="log", title=title, ylim=(1e-9, 5))
    k = np.array([2.0, 256.0])
    upper.plot(k, 0.5 / k, color=BLACK, linestyle=":", label="printed: 1/K")
    lower.plot(k, 3 * k ** -3, color=BLACK, linestyle=":", label="printed, hats: K^-3")
    lower.plot(k, 0.3 / k, color=BLACK, linestyle="--", label="1/K")
    for axis in (upper, lower):
        axis.legend(ncols=2, loc="lower left")
    return figure


def kernels(folder):
    data = read(folder, "bounds")
    figure, (axis,) = panels(1, 2.3)
    for sharp, colour, marker in zip(np.unique(data["sharpness"]), (BLUE, ORANGE, GREEN, RED, PURPLE), "os^vD"):
        part = where(data, sharpness=sharp)
        label = f"2-norm of the kernel {part['norm'].mean():.1f}"
        band(axis, *by(part, "k", "printed"), (label, colour, marker), floor=1e-3)
    axis.set(xlabel="K, Fourier coefficients of the policy", ylabel="printed bound", xscale="log", yscale="log")
    axis.legend()
    return figure


def mixtures(folder):
    data = read(folder, "fits")
    figure, axes = panels(2, 2.0)
    for task, colour, marker in (("pendulum", BLUE, "o"), ("mountain-car", ORANGE, "s")):
        own = where(data, task=task)
        ks = np.unique(own["k"])
        spreads = [[where(own, k=k, seed=seed)["test"].std(ddof=1) for seed in np.unique(own["seed"])] for k in ks]
        band(axes[0], ks, np.mean(spreads, axis=1), np.std(spreads, axis=1), (task, colour, marker), floor=1e-4)
        k, mean, spread = by(own, "k", "collapsed")
        band(axes[1], k, mean, spread, (task, colour, marker), floor=0)
    axes[0].set(ylabel="sd over starts of the\nheld-out log-likelihood", xscale="log", yscale="log")
    axes[1].set(xlabel="components", ylabel="components with a\nvariance at the floor (%)", xscale="log")
    for axis in axes:
        axis.legend()
    return figure


def variance(folder):
    data = read(folder, "cases")
    figure, (axis,) = panels(1, 2.6)
    for met, colour, marker, label in ((1, BLUE, "o", "condition 1 met as printed"), (0, ORANGE, "s", "reversed")):
        part = where(data, condition1=met)
        axis.plot(part["v_true"], part["v_truncated"], color=colour, marker=marker, linestyle="", markersize=1.5, alpha=0.6,
                  label=label)
    ends = [min(data["v_true"]), max(data["v_true"])]
    axis.plot(ends, ends, color=BLACK, linewidth=0.8, label="equal")
    axis.set(xlabel="variance of Q, true policy", ylabel="variance of Q, truncated", xscale="log", yscale="log")
    axis.legend()
    return figure


def real_size(folder):
    cells, loss = read(folder, "cells"), read(folder, "loss")
    figure, (upper, lower) = panels(2, 2.3)
    for bins, colour, marker in ((2, GREEN, "^"), (3, ORANGE, "s"), (5, BLUE, "o"), (10, PURPLE, "D"), (35, RED, "v")):
        part = where(cells, bins=bins)
        upper.plot(part["dimensions"], part["met"], color=colour, marker=marker, label=f"{bins} bins")
    upper.set(xlabel="observations", ylabel="fresh states in a\nvisited cell (%)")
    for method, colour, marker in (("paper lattice", RED, "v"), ("best lattice", ORANGE, "s"), ("16 ridges", GREEN, "^"),
                                   ("64 ridges", BLUE, "o")):
        part = where(loss, method=method)
        lower.plot(part["dimensions"], part["loss_percent"], color=colour, marker=marker, label=method)
    lower.set(xlabel="observations", ylabel="loss of return (%)", yscale="symlog")
    for axis in (upper, lower):
        axis.legend(ncols=2)
    return figure
