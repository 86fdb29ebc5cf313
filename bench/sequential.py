#!/usr/bin/env python3
"""Sequential against fixed: how many paired episodes it takes until a budget is kept or refused, and how often the promise holds.

    PYTHONPATH=build/release/python python3 bench/sequential.py [--episodes 10000] [--repetitions 1000] [--cache FOLDER]

Five networks and an embedding of each, by a short search. Both play the same episodes once; their pairs of returns are the
population, so that the true loss is known. A repetition draws pairs from it and does as `mercer certify` with a budget: it
looks after 500 pairs and whenever their number has doubled, and stops when the printed bound on the percentage is below the
budget (kept) or the lower bound on the loss above it (refused). The printed bounds, return and percentage, hold together
with 95%. Fixed means bounds for a number of episodes that is decided on beforehand. Prints tables in Markdown.
"""

import argparse
import concurrent.futures
import os
import pathlib

import numpy as np

import mercer
from alternatives.subjects import file_of

QUICK = dict(max_loss="3%", route="continuous", polish="action", select_episodes=500, certify_episodes=1000, attempts=1)
# Network, task, and what makes its embedding lose more or less.
SUBJECTS = {
    "cmc_sde_20000": ("cmc_sde_20000", "continuous-mountain-car", {}),
    "cmc_sde_10000": ("cmc_sde_10000", "continuous-mountain-car", {}),
    "mc_dqn_120000": ("mc_dqn_120000", "mountain-car", {}),
    "mc_dqn_120000, 2 terms": ("mc_dqn_120000", "mountain-car", {"most_terms": 2}),
    "pendulum_5000": ("pendulum_5000", "pendulum", {}),
    "pendulum_10000": ("pendulum_10000", "pendulum",
                       {"polish": "return", "generations": 5, "candidate_episodes": 64, "max_bytes": 40}),
}
BUDGETS = (1, 2, 5)  # percent
DELTA, FIXED = 0.05, 100_000


def looks():
    n = 500
    while n < FIXED:
        yield n
        n *= 2
    yield FIXED


def population(name, episodes, cache):
    """Paired returns of the network and its embedding, from the cache where it has them."""
    stored = cache and pathlib.Path(cache) / f"{name.replace(', ', '_').replace(' ', '_')}_{episodes}.npz"
    if stored and stored.exists():
        found = np.load(stored)
        return found["teacher"], found["student"]
    network, task, search = SUBJECTS[name]
    teacher = str(file_of(network))
    student = mercer.compress(teacher, task, allow_unmet=True, **{**QUICK, **search})
    pairs = mercer.paired_returns(task, teacher, student, episodes, seed=2**40)
    if stored:
        np.savez(stored, teacher=pairs[0], student=pairs[1])
    return pairs


def repetition(teacher, student, bounds, seed):
    """What was decided for each budget and after how many episodes, and whether every printed bound on the way held."""
    order = np.random.default_rng(seed).integers(len(teacher), size=FIXED)
    true_loss = np.mean(teacher - student)
    true_percent = 100 * true_loss / abs(np.mean(teacher))
    decided, held = {}, True
    for n in looks():
        t, s = teacher[order[:n]], student[order[:n]]
        printed, alone = (mercer.certify_loss(t, s, bounds, 1 - delta, anytime=True) for delta in (DELTA / 2, DELTA))
        percent = np.inf if printed["upper_percent"] is None else printed["upper_percent"]
        held = held and printed["upper_loss"] >= true_loss and percent >= true_percent
        for budget in set(BUDGETS) - set(decided):
            if percent <= budget:
                decided[budget] = ("kept", n)
            elif alone["lower_loss"] > budget / 100 * abs(t.mean()):
                decided[budget] = ("refused", n)
        if len(decided) == len(BUDGETS):
            break
    return {budget: decided.get(budget, ("open", FIXED)) for budget in BUDGETS}, held


def cell(outcomes):
    words, counts = zip(*outcomes)
    most = max(set(words), key=words.count)
    share = words.count(most) / len(words)
    low, middle, high = np.percentile(counts, (10, 50, 90))
    return f"{most}{'' if share == 1 else f' ({100 * share:.0f}%)'}, {middle:,.0f} ({low:,.0f} .. {high:,.0f})"


def widths(teacher, student, bounds, seeds):
    """How far anytime bounds are from the measured loss, as a multiple of the fixed ones."""
    out = []
    for n in (500, 1000, 10_000, 100_000):
        ratios = []
        for seed in range(seeds):
            order = np.random.default_rng(seed).integers(len(teacher), size=n)
            t, s = teacher[order], student[order]
            fixed, anytime = (mercer.certify_loss(t, s, bounds, 1 - DELTA / 2, anytime=a) for a in (False, True))
            ratios.append((anytime["upper_loss"] - fixed["loss_mean"]) / (fixed["upper_loss"] - fixed["loss_mean"]))
        out.append(np.median(ratios))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--episodes", type=int, default=10_000, help="in the population")
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--cache", help="folder for the returns that were played")
    options = parser.parse_args()
    print("| policy | true loss | " + " | ".join(f"budget {b}%" for b in BUDGETS) + " | held | fixed 100,000 promise |")
    print("| --- | ---: |" + " --- |" * len(BUDGETS) + " ---: | ---: |")
    compared = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, (_, task, _) in SUBJECTS.items():
            teacher, student = population(name, options.episodes, options.cache)
            bounds = mercer.make(task).return_range()
            runs = list(pool.map(lambda seed: repetition(teacher, student, bounds, seed), range(options.repetitions)))
            cells = [cell([decided[budget] for decided, _ in runs]) for budget in BUDGETS]
            held = sum(held for _, held in runs)
            order = np.random.default_rng(options.repetitions).integers(len(teacher), size=FIXED)
            fixed = mercer.certify_loss(teacher[order], student[order], bounds, 1 - DELTA / 2)["upper_percent"]
            loss = 100 * np.mean(teacher - student) / abs(np.mean(teacher))
            print(f"| {name} | {loss:.2f}% | {' | '.join(cells)} | {held} of {len(runs)} | {fixed:.2f}% |", flush=True)
            compared[name] = widths(teacher, student, bounds, 9)
    print("\n| policy | 500 | 1,000 | 10,000 | 100,000 |\n| --- |" + " ---: |" * 4)
    for name, ratios in compared.items():
        print(f"| {name} | " + " | ".join(f"{ratio:.2f}" for ratio in ratios) + " |")


if __name__ == "__main__":
    main()
