#!/usr/bin/env python3
"""K by three rules for ten policies: how many coefficients, at what loss, and what choosing costs.

usage: python3 bench/choose_k.py build/release/bin/mercer [--policies a,b] [--max-loss 5%] [--basis dct] [--episodes 10000] [--seeds 1]
                              [--out choose_k.json]

Nine networks and a Boltzmann policy are embedded on one lattice each (the best preset), with K chosen
  episodes  as the smallest whose promise on paired episodes keeps the budget,
  bound     as the smallest whose least theorem on the loss in a finite model keeps it, as the publication proposes,
  energy    as the fewest coefficients with 99% of the energy, whatever they lose.
Each K is then certified on other episodes, 10,000 at most. `chosen on` are the episodes that were played to choose, `loss` and
`promised` are those of the certificate, seconds are of the processor for the whole command.

Three rules were fixed before the first run, each about the policies whose lattice can keep the budget at all (K by episodes
does): by bound at least 8 in 10 certificates keep it; the median of K by bound over K by episodes is between 1/2 and 2; choosing
by bound takes less processor time for at least half of them.
"""

import argparse
import json
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = (ROOT / "tests/data/policies", ROOT / "bench/policies")
RULES = ("episodes", "bound", "energy")
POLICIES = {
    "pendulum_2000": ("pendulum", "pendulum_2000_actor"),
    "pendulum_3000": ("pendulum", "pendulum_3000_actor"),
    "pendulum_4000": ("pendulum", "pendulum_4000_actor"),
    "pendulum_5000": ("pendulum", "pendulum_5000_actor"),
    "pendulum_10000": ("pendulum", "pendulum_10000_actor"),
    "cmc_plain_6000": ("continuous-mountain-car", "cmc_plain_6000_actor"),
    "cmc_sde_10000": ("continuous-mountain-car", "cmc_sde_10000_actor"),
    "cmc_sde_20000": ("continuous-mountain-car", "cmc_sde_20000_actor"),
    "mc_dqn_120000": ("mountain-car", "mc_dqn_120000_q"),
    "mc_dqn_120000, T = 0.2": ("mountain-car", "mc_dqn_120000_q", "--kind", "boltzmann", "--temperature", "0.2"),
}


def file_of(name):
    return next(folder / f"{name}.onnx" for folder in FOLDERS if (folder / f"{name}.onnx").exists())


def embed(options, name, rule, seed, folder):
    """One run of the program: what it said, and the processor seconds it took."""
    env, policy, *more = POLICIES[name]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [options.program, "embed", "--env", env, "--policy", file_of(policy), *more, "--basis", options.basis,
         "--max-loss", options.max_loss, "--certify-episodes", str(options.episodes), "--choose-k", rule, "--seed", str(seed), "--out", folder / "p.mercer", "--json", "--quiet"],
        capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 5):  # 5: the budget is not kept
        raise RuntimeError(f"{name}, {rule}: {done.stderr}")
    said = json.loads(done.stdout)
    certificate = said["certificate"]
    return {"policy": name, "rule": rule, "seed": seed, "k": said["k"], "tried": len(said["curve"]),
            "episodes": said["choosing_episodes"], "bytes": said["payload_bytes"], "loss": certificate["loss_percent"],
            "promised": certificate["upper_percent"], "met": said["met"], "cells": said["visited_cells"],
            "seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}


def percent(value):
    return "-" if value is None else f"{value:.2f}%"


def show(rows):
    print("| policy | rule | K | payload | K tried | chosen on | loss | promised | kept | seconds |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: |")
    for row in rows:
        print(f"| {row['policy']} | {row['rule']} | {row['k']:,} | {row['bytes']:,} | {row['tried']} | {row['episodes']:,} | "
              f"{percent(row['loss'])} | {percent(row['promised'])} | {'yes' if row['met'] else 'no'} | {row['seconds']:.0f} |")


def judge(rows):
    """The three rules, on what was measured."""
    runs = {}
    for row in rows:
        runs.setdefault((row["policy"], row["seed"]), {})[row["rule"]] = row
    able = [run for run in runs.values() if set(run) == set(RULES) and run["episodes"]["met"]]
    if not able:
        return ["no lattice keeps the budget"]
    kept = sum(run["bound"]["met"] for run in able)
    ratio = statistics.median(run["bound"]["k"] / run["episodes"]["k"] for run in able)
    faster = sum(run["bound"]["seconds"] < run["episodes"]["seconds"] for run in able)
    word = {True: "holds", False: "does not hold"}
    return [f"by bound the budget is kept in {kept} of {len(able)}: {word[kept >= 0.8 * len(able)]}",
            f"K by bound over K by episodes, median: {ratio:.2f}: {word[0.5 <= ratio <= 2]}",
            f"by bound takes less time in {faster} of {len(able)}: {word[2 * faster >= len(able)]}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--policies", help="separated by semicolons; without it all ten")
    parser.add_argument("--max-loss", default="5%")
    parser.add_argument("--basis", default="dct")
    parser.add_argument("--episodes", type=int, default=10000, help="that choose K, and as many that certify it, at most")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--out", default="choose_k.json")
    options = parser.parse_args()
    names = options.policies.split(";") if options.policies else list(POLICIES)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            for seed in range(1, options.seeds + 1):
                for rule in RULES:
                    rows.append(embed(options, name, rule, seed, pathlib.Path(folder)))
                    print(f"{name}, {rule}: K {rows[-1]['k']}", file=sys.stderr)
                pathlib.Path(options.out).write_text(json.dumps({"rows": rows, "rules": judge(rows)}, indent=1) + "\n")
    show(rows)
    print()
    for line in judge(rows):
        print(line)


if __name__ == "__main__":
    main()
