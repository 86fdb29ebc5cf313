#!/usr/bin/env python3
"""What `mercer compress` keeps, by default and under --keep return: size, promise, behaviour, and what neighbouring tasks make of it.

usage: python3 bench/behaviour.py build/release/bin/mercer [--quick] [--policies a,b] [--keeps behaviour,return] [--resume] ...

For each of nine networks: bytes, promised loss, roughness of both, the distance of their actions, failures, and the loss against
the network in the same perturbed task at six points: as it is, the pendulum's mass or the car's force times 0.8 and 1.2, noise on
observations of 0.02 and 0.05 of half their range, actions one step late. `mercer evaluate` measures all of that; the exported C,
compiled and played in numpy (bench/alternatives), must agree with it on return and roughness at every point within four standard
errors. Ends with 1 if it does not, or if something that should keep the behaviour is rougher or fails more often than allowed.
"""

import argparse
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

from alternatives.check import MOST_ERRORS, checked, in_numpy  # noqa: E402  (after the number of threads is fixed)
from alternatives.exported_c import ExportedC  # noqa: E402
from alternatives.mercer_route import QUICK  # noqa: E402
from alternatives.perturb import GRID, box  # noqa: E402
from alternatives.record import Record  # noqa: E402
from alternatives.show_behaviour import tables, troubles  # noqa: E402
from alternatives.subjects import SUBJECTS, file_of  # noqa: E402
from alternatives.teacher import Network  # noqa: E402
from front import QUICK_POLICIES, listed  # noqa: E402

# How each variant differs from the defaults, for a task. Without --keeps the first two are run.
KEEPS = {
    "behaviour": lambda task: {},
    "return": lambda task: {"keep": "return"},
    "perturbed": lambda task: {"perturb": box(task)},
}
USUAL_KEEPS = "behaviour,return"


@functools.lru_cache(maxsize=None)
def of_network(policy, point, episodes, seed):
    task = SUBJECTS[policy]
    return in_numpy(task, point, Network(task, file_of(policy)).act, episodes, seed)


def compress(program, policy, keep, settings, out):
    """Default settings but for the seed and what is kept; with --quick a short search."""
    given = {"env": SUBJECTS[policy].name, "policy": file_of(policy), "seed": settings["seed"], "threads": settings["threads"],
             "out": out, **KEEPS[keep](SUBJECTS[policy])}
    given |= {**QUICK, "route": "continuous", "certify-episodes": "20000"} if settings["quick"] else {}
    done = subprocess.run([program, "compress", "--json", "--quiet", *(f"--{name}={value}" for name, value in given.items())],
                          capture_output=True, text=True)
    if done.returncode not in (0, 5):  # 5: nothing keeps the promise, the best that was found is there all the same
        raise RuntimeError(f"mercer compress of {policy} ended with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def measure(program, policy, keep, settings, folder):
    """One row: an embedding and what it comes to at every point."""
    file = pathlib.Path(folder) / f"{policy}_{keep}.mercer"
    made = compress(program, policy, keep, settings, file)
    with tempfile.TemporaryDirectory() as compiled:
        exported = ExportedC(program, file, SUBJECTS[policy], compiled)
        points = [checked(program, SUBJECTS[policy], point, file, file_of(policy), exported,
                          of_network(policy, point, settings["twin_episodes"], settings["seed"]), settings) for point in GRID]
    return {"policy": policy, "family": keep, "repeat": settings["seed"], "bytes": made["payload_bytes"],
            "detail": f"{made['k']} {made['basis']}, {made['format']}", "met": made["met"], "upper_percent": made["upper_percent"],
            "seconds": made["seconds"], "points": points}


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="the built mercer")
    parser.add_argument("--quick", action="store_true", help="three networks, short searches, few episodes: a minute or two")
    parser.add_argument("--policies", help="separated by commas; without it all")
    parser.add_argument("--keeps", default=USUAL_KEEPS,
                        help="separated by commas: behaviour (the default of compress), return, perturbed (--perturb over the grid's box)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--episodes", type=int, help="of mercer evaluate at each point [10000]")
    parser.add_argument("--twin-episodes", type=int, help="of the exported C in numpy at each point [2000]")
    parser.add_argument("--threads", type=int, default=0, help="of the program; changes no result")
    parser.add_argument("--folder", help="where the embeddings are kept; without it they are not")
    parser.add_argument("--out", default="behaviour.json")
    parser.add_argument("--markdown", help="also write the tables there")
    parser.add_argument("--resume", action="store_true", help="go on from the file of --out")
    options = parser.parse_args(arguments)
    for key, usual, quick in (("episodes", 10000, 2000), ("twin_episodes", 2000, 500)):
        if getattr(options, key) is None:
            setattr(options, key, quick if options.quick else usual)
    if options.quick and not options.policies:
        options.policies = ",".join(QUICK_POLICIES)
    return options


def main(arguments=None):
    options = options_of(arguments)
    policies, keeps = listed(options.policies, SUBJECTS, "policy"), listed(options.keeps, KEEPS, "keep")
    settings = {key: getattr(options, key) for key in ("quick", "seed", "episodes", "twin_episodes")}
    try:
        record = Record(options.out, settings, options.resume)
    except ValueError as error:
        sys.exit(f"behaviour: {error}")
    if options.folder:
        pathlib.Path(options.folder).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        for policy in policies:
            for keep in keeps:
                if not record.has(policy, keep, options.seed):
                    row = measure(options.program, policy, keep, {**settings, "threads": options.threads}, options.folder or temporary)
                    record.add([policy, keep, options.seed], [row])
                    print(f"{policy}, {keep}: {row['bytes']} bytes", file=sys.stderr, flush=True)
    rows = [row for row in record.rows if row["policy"] in policies and row["family"] in keeps]
    text = "\n".join(tables(rows))
    print(text)
    if options.markdown:
        pathlib.Path(options.markdown).write_text(text + "\n")
    missed = troubles(rows, MOST_ERRORS)
    for line in missed:
        print(f"MISSED: {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
