#!/usr/bin/env python3
"""Bytes against loss: Mercer's embeddings and what could be used in their place, for the same networks, in one run.

usage: python3 bench/front.py build/release/bin/mercer [--quick] [--policies a,b] [--families a,b] [--repeats 3] [--resume] ...

Everything plays its mean action (or its choice) on the same starts in the same numpy tasks, Mercer's embeddings too. The
loss is that of the return against the network's, in percent of the network's |mean|. Roughness is the mean change of the action
from step to step as a share of its range (a choice: the share of steps with another one); a mountain car fails if it does not
reach the goal. Admissible is what is at most 1.25 times as rough as the network plus 0.005 and fails in at most one
episode in a hundred more: the smallest of each kind within 1% is shown among those, and by the return alone. A row is the median over repeats with
other seeds and other starts, with the smallest and the largest. Bytes are those of the student (payload for Mercer), without code. Seconds are of
the processor. The file has every row; with --resume a run that was killed, or had fewer repeats, goes on from it.

With --real-size: rivals in tasks of the library, see real_size.py.
"""

import argparse
import os
import pathlib
import sys

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import real_size  # noqa: E402  (after the number of threads is fixed)
from alternatives import jobs, show  # noqa: E402
from alternatives.record import Record  # noqa: E402
from alternatives.running import compute, listed  # noqa: E402
from alternatives.subjects import SUBJECTS  # noqa: E402

QUICK_POLICIES = ("pendulum_5000", "cmc_sde_10000", "mc_dqn_120000")


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="the built mercer; the Python package of the same build is used")
    parser.add_argument("--quick", action="store_true", help="three networks, one repeat, few sizes and episodes: a minute or two")
    parser.add_argument("--policies", help="separated by commas; without it all")
    parser.add_argument("--families", help="separated by commas, '-' for blanks (mercer-lattice,tree); without it all")
    parser.add_argument("--repeats", type=int)
    parser.add_argument("--episodes", type=int, help="on which everything is judged [2000]")
    parser.add_argument("--generations", type=int, help="of the polish of int8 networks [120]")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--out", default="front.json")
    parser.add_argument("--markdown", help="also write the compact tables there")
    parser.add_argument("--resume", action="store_true", help="go on from the file of --out")
    options = parser.parse_args(arguments)
    for key, usual, quick in (("repeats", 3, 1), ("episodes", 2000, 500), ("generations", 120, 30)):
        if getattr(options, key) is None:
            setattr(options, key, quick if options.quick else usual)
    if options.quick and not options.policies:
        options.policies = ",".join(QUICK_POLICIES)
    return options


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    if "--real-size" in arguments:
        return real_size.main([one for one in arguments if one != "--real-size"])
    options = options_of(arguments)
    policies = listed(options.policies, SUBJECTS, "policy")
    families = listed(options.families and options.families.replace("-", " "), jobs.FAMILIES, "family")
    settings = {"quick": options.quick, "episodes": options.episodes, "generations": options.generations,
                "measured": ["return", "roughness", "failures"]}
    try:
        record = Record(options.out, settings, options.resume)
    except ValueError as error:
        sys.exit(f"front: {error}")
    wanted = [{"policy": policy, "family": family, "repeat": repeat, "program": options.program, **settings}
              for repeat in range(options.repeats) for policy in policies for family in families
              if not record.has(policy, family, repeat)]
    if wanted:
        compute(record, jobs.run, wanted, options.processes)
    for policy in policies:
        print("\n".join(show.terminal(record.rows, policy, families)))
    compact = "\n".join([*show.matrix(record.rows, policies, families, 1, keeps=True),
                         *show.matrix(record.rows, policies, families, 1, keeps=False),
                         *show.within(record.rows, policies, families, 1), *show.fronts(record.rows, policies, families)])
    print(compact)
    if options.markdown:
        pathlib.Path(options.markdown).write_text(compact + "\n")


if __name__ == "__main__":
    main()
