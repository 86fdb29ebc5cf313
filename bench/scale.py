#!/usr/bin/env python3
"""How cost grows with size, beside what theory says: a table for each axis, and scale.json.

usage: python3 bench/scale.py build/release/bin/mercer_scale [CELLS [FOLDER]] [--axis cells ...] [--repeats 3]

CELLS (10^6) is the largest lattice of the axis `cells`: 20-dimensional states, 64 actions, a table of single precision in a
mapped file in FOLDER (where temporary files go), 304 bytes a cell; memory takes about 350 bytes a cell more. Costs are processor
time: other work on the machine slows them less than the clock. An exponent is the slope of log cost against log size.
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
from report.fit import TOLERANCE, fit, series_of  # noqa: E402
from report.text import digits, markdown, plain, put_into, spread  # noqa: E402

AXES = {
    "cells": "Visited cells n of a lattice: 20 dimensions, m = 64 actions, K = 12, on all cores",
    "tables": "Rows n of a table in memory, one thread",
    "rollouts": "Episodes, visits or returns N, one thread",
    "coefficients": "K kept, one thread",
    "dimensions": "Dimensions d of a state, one thread",
}
FITTED = ["part", "theory", "sizes", "at the smallest", "spread", "at the largest", "spread", "exponent", "spread", "theory's",
          "off by", f"within {TOLERANCE:g}"]
LEFT = (0, 1)


def measure(program, axis, repeats, cells, folder):
    print(f"measuring {axis}", file=sys.stderr, flush=True)
    done = subprocess.run([program, axis, str(repeats), str(cells), str(folder)], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{program} {axis} ended with {done.returncode}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def size_text(size):
    return f"{size:,.0f}"


def fitted_row(points):
    made = fit(points)
    ends = [spread([1e9 * second for second in point["seconds"]], "time") for point in (points[0], points[-1])]
    return [made["part"], made["theory"], f"{size_text(made['sizes'][0])} to {size_text(made['sizes'][-1])}", *ends[0], *ends[1],
            f"{made['measured']:.3f}", f"{min(made['each']):.3f}..{max(made['each']):.3f}", f"{made['expected']:.3f}",
            f"{made['difference']:+.3f}", "yes" if made["within"] else "outside"]


def lattice_table(series):
    """All sizes of the lattices: processor time of each part, and the peak of memory."""
    parts = [points for (axis, _), points in series.items() if axis == "cells"]
    header = ["cells", *(points[0]["part"] for points in parts), "all, by the clock", "peak memory"]
    rows = []
    for column in zip(*parts):
        times = [" ".join(spread([1e9 * second for second in point["seconds"]], "time")) for point in column]
        clock = [1e9 * sum(seconds) for seconds in zip(*(point["clock"] for point in column))]
        rows.append([size_text(column[0]["size"]), *times, " ".join(spread(clock, "time")),
                     f"{digits(max(point['peak_gib'] for point in column))} GiB"])
    return header, [("", rows)]


def tables(records):
    """(title, header, groups) of all tables."""
    series = series_of(records)
    for axis, title in AXES.items():
        rows = [fitted_row(points) for (of, _), points in series.items() if of == axis]
        if rows:
            yield title, FITTED, [("", rows)]
        if rows and axis == "cells":
            yield "The same lattices, processor time of each part", *lattice_table(series)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="mercer_scale")
    parser.add_argument("cells", nargs="?", type=float, default=1e6, help="of the largest lattice, 4096 to 10^8")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()))
    parser.add_argument("--axis", action="append", choices=AXES, help="only this one (may be repeated)")
    parser.add_argument("--repeats", type=int, default=3, help="2 to 100")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("scale.json"))
    parser.add_argument("--again", type=pathlib.Path, metavar="SCALE.json", help="measure nothing, show the tables of that run")
    parser.add_argument("--into", type=pathlib.Path, help="also put the tables between the marks of this document")
    options = parser.parse_args()
    if not 4096 <= options.cells <= 1e8:
        parser.error(f"CELLS is {options.cells:g}; legal: 4096 to 1e8")
    if not 2 <= options.repeats <= 100:
        parser.error(f"--repeats is {options.repeats}; legal: 2 to 100, since one alone has no spread")
    return options


def run(options):
    """Measures, and gives what scale.json holds."""
    about = machine.describe()
    records = []
    for axis in options.axis or AXES:
        records += measure(options.program, axis, options.repeats, int(options.cells), options.folder)
    about["load_after"] = os.getloadavg()[0]
    return {"machine": about, "records": records, "fits": [fit(points) for points in series_of(records).values()]}


def main():
    options = arguments()
    document = made_or_read(options, run)
    made, fits, about = list(tables(document["records"])), document["fits"], machine.sentence(document["machine"])
    for title, header, groups in made:
        print(f"\n{title}\n\n{plain(header, groups, LEFT)}")
    judged = f"{sum(one['within'] for one in fits)} of {len(fits)} exponents within {TOLERANCE:g} of theory's"
    print(f"\n{judged}\n{about}")
    if options.into:
        text = "\n\n".join(f"{title}:\n\n{markdown(header, groups, LEFT)}" for title, header, groups in made)
        put_into(options.into, "scale", f"{about}; {judged}.\n\n{text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
