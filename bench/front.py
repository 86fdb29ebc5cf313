#!/usr/bin/env python3
"""Bytes against loss: Mercer's embeddings and what could be used in their place, for the same networks, in one run.

usage: python3 bench/front.py build/release/bin/mercer [--quick] [--repeats 3] [--out front.json]

Imitators learn from the states that the network met and then, three times, from those that they met themselves; of the four
the best on episodes of their own is taken. Everything plays its mean action. The loss is that of the return against the
network's on the same starts (Mercer draws its own), in percent of the network's |mean|. A row is the median over repeats with
other seeds, with the smallest and the largest. Bytes are those of the student (payload for Mercer), without code.
"""

import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402  (after the number of threads is fixed)

from alternatives.students import Bumps, Grid, Network, SmallNetwork, Tree  # noqa: E402
from alternatives.tasks import MountainCar, Pendulum, play  # noqa: E402

POLICIES = pathlib.Path(__file__).resolve().parent.parent / "tests/data/policies"
SUBJECTS = [(Pendulum, "pendulum_5000"), (MountainCar, "cmc_sde_10000")]


def imitate(task, teacher, make, random, episodes=40):
    """The best of four students, each fitted on what all before it met."""
    met = play(task, teacher.act, task.starts(episodes, random))[1]
    judging, best = task.starts(60, random), None
    for _ in range(4):
        student = make()
        student.fit(met, teacher.act(met), teacher.scale, random)
        earned = play(task, student.act, judging)[0].mean()
        if best is None or earned > best[0]:
            best = (earned, student)
        met = np.concatenate([met, play(task, student.act, task.starts(episodes, random))[1]])
        met = met[random.permutation(len(met))[:60000]]
    return best[1]


def alternatives(task, file, quick):
    """(kind, detail, function of a random generator that gives a student)."""
    teacher = Network(file)
    yield "network", "float32", lambda random: teacher
    for bits in (8, 6, 4):
        yield "network", f"int{bits}", lambda random, bits=bits: Network(file, bits)
    families = [
        ("distilled network", (4, 8, 16), SmallNetwork),
        ("tree", (8, 64, 512), Tree),
        ("bumps", (8, 32, 128), Bumps),
        ("table", (5, 10, 20), lambda bins: Grid(bins, task.low, task.high)),
    ]
    for kind, sizes, make in families:
        for size in sizes[:1] if quick else sizes:
            yield kind, str(size), lambda random, make=make, size=size: imitate(task, teacher, lambda: make(size), random)


def rows_of_alternatives(task, file, quick, repeats, episodes):
    teacher = Network(file)
    for kind, detail, make in alternatives(task, file, quick):
        measured = []
        for repeat in range(repeats):
            starts = task.starts(episodes, np.random.default_rng(1000 + repeat))
            reference = play(task, teacher.act, starts)[0]
            before = time.process_time()
            student = make(np.random.default_rng(repeat))
            seconds = time.process_time() - before
            lost = reference - play(task, student.act, starts)[0]
            measured.append({"bytes": int(student.bytes), "loss_percent": 100 * lost.mean() / abs(reference.mean()),
                             "seconds": seconds})
        yield kind, detail, measured


def rows_of_mercer(program, task, file, quick, repeats, episodes):
    """The embedding that `mercer compress` chooses for each of several allowed losses."""
    for allowed in ("5%",) if quick else ("20%", "5%", "1%"):
        measured = []
        for repeat in range(repeats):
            with tempfile.TemporaryDirectory() as folder:
                out = pathlib.Path(folder) / "e.mercer"
                before = time.process_time() + sum(os.times()[2:4])
                subprocess.run([program, "compress", "--env", task.name, "--policy", file, "--max-loss", allowed, "--seed",
                                str(repeat), "--threads", "1", "--out", str(out), "--quiet",
                                *(["--route", "continuous", "--most-terms", "6", "--generations", "20", "--certify-episodes",
                                   "20000"] if quick else [])], stderr=subprocess.DEVNULL)  # a promise not kept still leaves a file
                seconds = time.process_time() + sum(os.times()[2:4]) - before
                if not out.exists():
                    sys.exit(f"mercer compress made nothing of {file}")
                inside = json.loads(subprocess.run([program, "inspect", str(out), "--json"], capture_output=True, check=True).stdout)
                told = json.loads(subprocess.run(
                    [program, "evaluate", "--env", task.name, "--policy", str(out), "--against", file, "--act", "mean",
                     "--episodes", str(episodes), "--seed", str(1000 + repeat), "--json"], capture_output=True, check=True).stdout)
            measured.append({"bytes": inside["payload_bytes"], "loss_percent": told["paired"]["loss_percent"], "seconds": seconds})
        yield "mercer", f"loss <= {allowed}", measured


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--quick", action="store_true", help="one size of each, minutes rather than an hour")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--out", default="front.json")
    options = parser.parse_args()
    document = {"machine": platform.processor() or platform.machine(), "cores": os.cpu_count(), "rows": []}
    middle = lambda rows, key: statistics.median(row[key] for row in rows)  # noqa: E731
    for task, name in SUBJECTS:
        print(f"\n{task.name}, {name}\n{'what':<18} {'size':<11} {'bytes':>8} {'loss %':>9} {'from':>9} {'to':>9} {'CPU s':>7}")
        sources = (rows_of_mercer(options.program, task, str(POLICIES / f"{name}_actor.onnx"), options.quick, options.repeats, options.episodes),
                   rows_of_alternatives(task, POLICIES / f"{name}_actor.onnx", options.quick, options.repeats, options.episodes))
        for source in sources:
            for kind, detail, rows in source:
                losses = [row["loss_percent"] for row in rows]
                print(f"{kind:<18} {detail:<11} {middle(rows, 'bytes'):>8.0f} {statistics.median(losses):>9.3f} {min(losses):>9.3f} "
                      f"{max(losses):>9.3f} {middle(rows, 'seconds'):>7.2f}", flush=True)
                document["rows"].append({"task": task.name, "policy": name, "kind": kind, "detail": detail, "repeats": rows})
    pathlib.Path(options.out).write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main()
