#!/usr/bin/env python3
"""Mercer's speed against references of the same machine in the same run: one table, and bench.json.

usage: python3 bench/table.py build/release/bin/mercer_bench [--quick] [--out bench.json] [--front front.json]

Rounds of Mercer's benchmarks and of the peers (bench/peers.py) alternate. A number is the median over all repetitions, its
spread goes from the smallest to the largest; a ratio is taken in each round. Ends with 1 if something that is asked is missed.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from report import machine  # noqa: E402
from report.document import made_or_read  # noqa: E402
from report.front import front_rows  # noqa: E402
from report.rows import HEADER, LEFT, grouped, make_rows, missed  # noqa: E402
from report.text import markdown, plain, put_into  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
# rounds, repetitions in each of them, seconds of a repetition
WHOLE, QUICK = (5, 3, 0.15), (2, 2, 0.04)
FRONT_SECONDS = 400


def own_round(program, repetitions, seconds):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "round.json"
        done = subprocess.run([program, f"--benchmark_repetitions={repetitions}", f"--benchmark_min_time={seconds}",
                               f"--benchmark_out={out}", "--benchmark_out_format=json"],
                              cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode not in (0, 1):  # 1: a ratio was missed in this round; all of them decide
            sys.exit(f"{program} ended with {done.returncode}: {done.stderr.strip()}")
        return json.loads(out.read_text())


def peer_round(repetitions, seconds):
    done = subprocess.run([sys.executable, "-B", str(HERE / "peers.py"), "--repetitions", str(repetitions),
                           "--seconds", str(seconds)], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"bench/peers.py ended with {done.returncode}")
    return json.loads(done.stdout)


def measure(program, rounds, repetitions, seconds):
    own, peers = [], []
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)
        own.append(own_round(program, repetitions, seconds))
        peers.append(peer_round(repetitions, seconds))
    return own, peers


def run_front(program, file):
    """A quick one now, where the command line was built beside the benchmarks."""
    mercer, script = pathlib.Path(program).resolve().parent / "mercer", HERE / "front.py"
    if not mercer.exists() or not script.exists() or "--quick" not in script.read_text():
        return
    print("bytes against loss", file=sys.stderr, flush=True)
    try:
        subprocess.run([sys.executable, "-B", str(script), str(mercer), "--quick", "--out", str(file.resolve())],
                       stdout=subprocess.DEVNULL, timeout=FRONT_SECONDS)
    except subprocess.TimeoutExpired:
        print(f"front: not done after {FRONT_SECONDS} seconds, left out", file=sys.stderr)


def read_front(options):
    """The document of an earlier `./run front`, or of a quick one now. The table does without where there is none."""
    file = options.front or next((file for file in (pathlib.Path("front.json"), ROOT / "front.json") if file.exists()), None)
    if file is None:
        file = pathlib.Path("front.json")
        if not options.quick:
            run_front(options.program, file)
    try:
        return json.loads(file.read_text())
    except (OSError, ValueError) as error:
        if options.front is not None:
            sys.exit(f"--front {file} cannot be read: {error}")
        return None


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="mercer_bench")
    parser.add_argument("--quick", action="store_true", help="two short rounds, under two minutes")
    parser.add_argument("--rounds", type=int, help=f"how often Mercer and its peers alternate, 2 to 100 ({WHOLE[0]})")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("bench.json"))
    parser.add_argument("--front", type=pathlib.Path, help="what ./run front wrote (front.json, if it is there)")
    parser.add_argument("--again", type=pathlib.Path, metavar="BENCH.json", help="measure nothing, show the table of that run")
    parser.add_argument("--into", type=pathlib.Path, help="also put the table between the marks of this document")
    options = parser.parse_args()
    if options.rounds is not None and not 2 <= options.rounds <= 100:
        parser.error(f"--rounds is {options.rounds}; legal: 2 to 100, since one alone has no spread")
    return options


def run(options):
    """Measures, and gives what bench.json holds."""
    rounds, repetitions, seconds = QUICK if options.quick else WHOLE
    rounds = options.rounds or rounds
    about = machine.describe()
    own, peers = measure(options.program, rounds, repetitions, seconds)
    context = own[0]["context"]
    about.update(machine.compiled(context), versions=peers[0]["versions"], load_after=os.getloadavg()[0])
    rows = make_rows(own, peers, json.loads(context.get("mercer_ratios", "[]")))
    front = read_front(options)
    rows += front_rows(front) if front else []
    effort = {"rounds": rounds, "repetitions": repetitions, "seconds": seconds}
    return {"machine": about, "effort": effort, "rows": rows, "missed": missed(rows)}


def main():
    options = arguments()
    document = made_or_read(options, run)
    groups, effort = grouped(document["rows"]), document["effort"]
    about = (f"{effort['rounds']} rounds of {effort['repetitions']} repetitions of {effort['seconds']:g} s; "
             f"{machine.sentence(document['machine'])}")
    print(f"{plain(HEADER, groups, LEFT)}\n\n{about}")
    if options.into:
        put_into(options.into, "bench", f"{about}.\n\n{markdown(HEADER, groups, LEFT)}")
    for what in document["missed"]:
        print(f"MISSED: {what}")
    return 1 if document["missed"] else 0


if __name__ == "__main__":
    sys.exit(main())
