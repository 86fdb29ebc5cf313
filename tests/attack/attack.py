"""Attacks the real program from outside: mutated files and requests, kills, and exported code under a compiler.

    attack.py PROGRAM [--files N] [--requests N] [--kills N] [--builds N] [--seed N] [--only PART:NUMBER] [--kept FOLDER]

The same seed gives the same inputs. A finding is printed with the words that repeat it alone, and its input is kept. Ends with 1
if there is one. It is independent of tests/fuzz, which calls the readers from inside and knows what they are.
"""

import argparse
import pathlib
import sys
import tempfile
import time

import builds
import files
import kills
import questions
from attempt import Kept

PARTS = {"files": (files, 22000), "requests": (questions, 36000), "kills": (kills, 325), "builds": (builds, 420)}


def survey(program, counts, seed, kept_in, only=None, out=sys.stdout):
    """Runs the parts; prints the table and returns the findings."""
    kept, rows = Kept(pathlib.Path(kept_in), seed, out), []
    with tempfile.TemporaryDirectory() as base:
        for part, (module, _) in PARTS.items():
            number = int(only.split(":")[1]) if only and only.split(":")[0] == part else None
            if number is None if only else not counts[part]:
                continue
            before, begin = len(kept.found), time.monotonic()
            row = module.attack(program, counts[part], pathlib.Path(base), kept, number)
            row.seconds = time.monotonic() - begin
            rows.append((row, len(kept.found) - before))
            print(f"{row.name}: {row.tried} tried in {row.seconds:.0f} s, {rows[-1][1]} findings", file=out, flush=True)
    print(f"\n{'part':<10} {'tried':>8} {'refused':>8} {'accepted':>9} {'other':>6} {'findings':>9} {'seconds':>8}", file=out)
    for row, found in rows:
        print(f"{row.name:<10} {row.tried:>8} {row.refused:>8} {row.accepted:>9} {row.other:>6} {found:>9} {row.seconds:>8.0f}",
              file=out)
    print("\n".join(kept.found), file=out)
    return kept.found


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("program")
    for part, (_, count) in PARTS.items():
        words.add_argument(f"--{part}", type=int, default=count, metavar="N", help=f"how many; default {count}, 0 for none")
    words.add_argument("--seed", type=int, default=1, metavar="N")
    words.add_argument("--only", metavar="PART:NUMBER", help="one input again, such as files:1234")
    words.add_argument("--kept", default="build/attack", metavar="FOLDER", help="where inputs of findings are kept")
    given = words.parse_args()
    if given.only and not (given.only.partition(":")[0] in PARTS and given.only.partition(":")[2].isdigit()):
        words.error(f"--only takes PART:NUMBER; parts are {', '.join(PARTS)}")
    counts = {part: getattr(given, part) for part in PARTS}
    return 1 if survey(str(pathlib.Path(given.program).resolve()), counts, given.seed, given.kept, given.only) else 0


if __name__ == "__main__":
    sys.exit(main())
