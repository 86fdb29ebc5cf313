#!/usr/bin/env python3
"""How well the bar knows the time left: runs a command on a terminal, reads the bar as a person would, and compares what it said
after a quarter, a half and three quarters of the run with the time that was really left.

    bench/time_left.py --program build/release/bin/mercer -- compress --env pendulum --policy actor.onnx --max-loss 1% --out p.mercer

Without a command it runs a list of them in the folder --data (tests/data by default). A ratio of 2 is twice as long as it took."""

import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

BAR = re.compile(r"\[=* *\] +(\d+)% +(\?|[\d:]+) left(?:  ([^\x1b\r\n]*))?")
QUARTERS = (0.25, 0.5, 0.75)
RUNS = {
    "compress, pendulum": "compress --env pendulum --policy {policies}/pendulum_5000_actor.onnx --max-loss 1% --seed 1 --out p.mercer",
    "compress, car": "compress --env continuous-mountain-car --policy {policies}/cmc_sde_10000_actor.onnx --max-loss 1% --seed 1 --out c.mercer",
    "compress, DQN": "compress --env mountain-car --policy {policies}/mc_dqn_120000_q.onnx --max-loss 5% --seed 1 --out m.mercer",
    "embed, lattice": "embed --env pendulum --policy {policies}/pendulum_5000_actor.onnx --rollouts 20000 --episodes 20000 --basis dct --k 500 --out e.mercer",
    "embed, continuous": "embed --route continuous --env pendulum --policy {policies}/pendulum_5000_actor.onnx --k 12 --rollouts 4000 --episodes 20000 --out f.mercer",
    "certify": "certify f.mercer --episodes 20000 --all-episodes",
    "certify, max-loss": "certify f.mercer --max-loss 3%",
    "evaluate": "evaluate --env pendulum --policy f.mercer --against {policies}/pendulum_5000_actor.onnx --episodes 60000",
    "train": "train --env pendulum --algo sac --steps 6000 --hidden 64 --out run",
}


def seconds_of(text):
    parts = [int(part) for part in text.split(":")]
    return sum(part * 60 ** place for place, part in enumerate(reversed(parts)))


def bars(program, command, folder):
    """(time, percent, seconds left or None, phase) of every bar that was drawn, and the length of the run."""
    ours, theirs = os.openpty()
    begin = time.monotonic()
    child = subprocess.Popen([program, *command], cwd=folder, stdout=subprocess.DEVNULL, stderr=theirs,
                             env={**os.environ, "TERM": "xterm"})
    os.close(theirs)
    seen, rest = [], ""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:
            break
        rest = (rest + piece.decode(errors="replace"))[-2000:]
        found = BAR.findall(rest)
        if found:
            percent, left, phase = found[-1]
            seen.append((time.monotonic() - begin, int(percent), None if left == "?" else seconds_of(left), phase.strip()))
            rest = ""
    os.close(ours)
    return child.wait(), seen, time.monotonic() - begin


def said_at(seen, when):
    """The last bar before a time, and the seconds that it gave from then on."""
    before = [one for one in seen if one[0] <= when]
    if not before or before[-1][2] is None:
        return None
    return max(0.0, before[-1][2] - (when - before[-1][0]))


def backwards(seen):
    """How often, and by how much at most, the bar went back."""
    steps = [one[1] - other[1] for one, other in zip(seen, seen[1:]) if other[1] < one[1]]
    return len(steps), max(steps, default=0)


def show(name, code, seen, whole):
    ratios = []
    for quarter in QUARTERS:
        said = said_at(seen, quarter * whole)
        ratios.append("      ?" if said is None else f"{max(said, 0.5) / max((1 - quarter) * whole, 0.5):7.2f}")
    times, most = backwards(seen)
    phases = list(dict.fromkeys(re.split(r"[,:]", phase)[0] for *_, phase in seen))
    print(f"{name:24} {whole:7.1f} {''.join(ratios)}  {times:4} by {most:2}%  exit {code}  {', '.join(phases)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--program", default=root / "build/release/bin/mercer", type=pathlib.Path)
    parser.add_argument("--data", default=root / "tests/data", type=pathlib.Path)
    parser.add_argument("--only", default="", help="runs whose name contains this")
    parser.add_argument("--log", type=pathlib.Path, help="write all bars here")
    parser.add_argument("command", nargs="*")
    options = parser.parse_args()
    runs = {"command": " ".join(map(shlex.quote, options.command))} if options.command else RUNS
    print(f"{'run':24} {'seconds':>7} {'at 1/4':>7}{'at 1/2':>7}{'at 3/4':>7}  backwards    (time left that was shown / that was left)")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in runs.items():
            if options.only not in name:
                continue
            command = shlex.split(text.format(policies=options.data.resolve() / "policies"))
            code, seen, whole = bars(options.program.resolve(), command, pathlib.Path.cwd() if options.command else folder)
            show(name, code, seen, whole)
            if options.log:
                with options.log.open("a") as log:
                    log.writelines(f"{name}\t{when:.2f}\t{percent}\t{left}\t{phase}\n" for when, percent, left, phase in seen)
    return 0


if __name__ == "__main__":
    sys.exit(main())
