"""Exponents of costs against sizes, and the tables that `./run scale` makes of them."""

import json
import math
import os
import pathlib
import stat
import subprocess
import sys

import pytest

ROOT = pathlib.Path(os.environ["SOURCE_FOLDER"])
sys.path.insert(0, str(ROOT / "bench"))

from report.fit import exponent, fit, series_of  # noqa: E402

SIZES = [1000, 4000, 16000, 64000]


def records(cost, operations, axis="rollouts", part="work", repeats=(1.0, 1.5, 1.2), sizes=SIZES):
    return [{"axis": axis, "part": part, "theory": "O(?)", "size": n, "operations": operations(n),
             "seconds": [factor * cost(n) for factor in repeats]} for n in sizes]


@pytest.mark.parametrize("power", [0.5, 1, 2, 3])
def test_exact_power_laws_are_found(power):
    assert exponent(SIZES, [7e-9 * n**power for n in SIZES]) == pytest.approx(power, abs=1e-12)


def test_n_log_n_has_the_slope_of_its_sizes():
    cost = [n * math.log(n) for n in SIZES]
    found = exponent(SIZES, cost)
    # The derivative of log(n log n) by log n is 1 + 1 / ln n: between that of the largest and of the smallest size.
    assert 1 + 1 / math.log(SIZES[-1]) < found < 1 + 1 / math.log(SIZES[0])
    assert exponent([n * 1000 for n in SIZES], [1000 * n * math.log(1000 * n) for n in SIZES]) < found


def test_two_sizes_make_the_line_between_them():
    assert exponent([10, 1000], [1, 10]) == pytest.approx(0.5)


@pytest.mark.parametrize("sizes,costs", [([1], [1]), ([1, 2], [1]), ([1, 2], [0, 1]), ([2, 2], [1, 2]), ([-1, 2], [1, 2])])
def test_what_makes_no_line_is_refused(sizes, costs):
    with pytest.raises(ValueError):
        exponent(sizes, costs)


def test_n_log_n_agrees_with_its_own_theory_and_a_square_does_not():
    good = fit(records(lambda n: 2e-9 * n * math.log2(n), lambda n: n * math.log2(n)))
    assert good["within"] and good["difference"] == pytest.approx(0, abs=1e-12)
    bad = fit(records(lambda n: n**2, lambda n: n))
    assert not bad["within"] and bad["difference"] == pytest.approx(1)


def test_the_best_of_the_repeats_counts_and_each_of_them_is_kept():
    points = records(lambda n: n, lambda n: n, repeats=(1.0, 1.0))
    points[-1]["seconds"][1] *= 8  # somebody else's work
    made = fit(points)
    assert made["measured"] == pytest.approx(1)
    assert made["each"][0] == pytest.approx(1) and made["each"][1] > 1.2


def test_series_are_told_apart_and_sorted():
    mixed = records(lambda n: n, lambda n: n, part="a")[::-1] + records(lambda n: n, lambda n: n, part="b")
    series = series_of(mixed)
    assert list(series) == [("rollouts", "a"), ("rollouts", "b")]
    assert [point["size"] for point in series["rollouts", "a"]] == SIZES


def canned_program(folder, lines, status=0):
    """Stands in for mercer_scale: prints what it is given, whatever the axis."""
    program = folder / "mercer_scale"
    (folder / "lines.json").write_text("".join(json.dumps(line) + "\n" for line in lines))
    program.write_text(f"#!/bin/sh\ncat {folder}/lines.json\nexit {status}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def run_scale(folder, lines, *options, status=0):
    return subprocess.run([sys.executable, "-B", str(ROOT / "bench/scale.py"), str(canned_program(folder, lines, status)), *options],
                          cwd=folder, capture_output=True, text=True)


def test_the_table_says_which_exponents_are_outside_and_the_program_still_ends_well(tmp_path):
    lines = records(lambda n: n, lambda n: n, part="straight") + records(lambda n: n**1.3, lambda n: n, part="bent")
    done = run_scale(tmp_path, lines, "--axis", "rollouts")
    assert done.returncode == 0, done.stderr
    straight, bent = (next(line for line in done.stdout.splitlines() if line.startswith(part)) for part in ("straight", "bent"))
    assert straight.endswith("yes") and "1.000" in straight
    assert bent.endswith("outside") and "+0.300" in bent
    assert "1 of 2 exponents" in done.stdout
    document = json.loads((tmp_path / "scale.json").read_text())
    assert [one["within"] for one in document["fits"]] == [True, False]
    assert document["machine"]["cores"] >= 1
    again = run_scale(tmp_path, [], "--again", "scale.json", status=3)
    assert again.returncode == 0 and again.stdout == done.stdout


def test_lattices_have_a_table_with_their_memory(tmp_path):
    lines = [{**record, "clock": record["seconds"], "peak_gib": record["size"] / 1000}
             for part in ("edges", "SVD") for record in records(lambda n: 1e-6 * n, lambda n: n, axis="cells", part=part)]
    document = tmp_path / "page.md"
    document.write_text("before\n<!-- scale -->\nold\n<!-- /scale -->\nafter\n")
    done = run_scale(tmp_path, lines, "--axis", "cells", "--into", str(document))
    assert done.returncode == 0, done.stderr
    assert "64.0 GiB" in done.stdout
    page = document.read_text()
    assert "old" not in page and page.startswith("before\n") and page.endswith("<!-- /scale -->\nafter\n")
    assert "| 64,000 |" in page


def test_trouble_of_the_measuring_program_is_told(tmp_path):
    done = run_scale(tmp_path, [], "--axis", "cells", status=3)
    assert done.returncode == 1 and "ended with 3" in done.stderr
    assert not (tmp_path / "scale.json").exists()


@pytest.mark.parametrize("options", [["10"], ["1e9"], ["1e6", ".", "--repeats", "1"], ["--axis", "width"]])
def test_bad_options_are_refused(tmp_path, options):
    assert run_scale(tmp_path, [], *options).returncode == 2
