"""The table of `./run bench` from canned measurements: spread, ratios that are missed, peers that are not there."""

import importlib.util
import json
import os
import pathlib
import stat
import subprocess
import sys

import pytest

ROOT = pathlib.Path(os.environ["SOURCE_FOLDER"])
sys.path.insert(0, str(ROOT / "bench"))

from report.front import front_rows  # noqa: E402
from report.rows import HEADER, LEFT, cells, grouped, make_rows, missed  # noqa: E402
from report.text import digits, markdown, plain, put_into, spread  # noqa: E402

RATIO = {"what": "a step", "subject": "pendulum_hold_batch", "reference": "pendulum_hold_scalar", "at_least": 8}


def own(times, **counters):
    """A round of Google Benchmark: {name: [nanoseconds an item]}."""
    runs = [{"run_name": name, "run_type": "iteration", "items_per_second": 1e9 / value, **counters}
            for name, values in times.items() for value in values]
    return {"context": {"mercer_ratios": json.dumps([RATIO]), "mercer_compiler": "GNU 12", "mercer_flags": "-O3 -Wall"},
            "benchmarks": runs + [{"run_name": name, "run_type": "aggregate", "items_per_second": 1.0} for name in times]}


def peer(subject, what, nanoseconds=None, asked=None, missing=None):
    row = {"subject": subject, "what": what, "asked": asked}
    row.update({"missing": missing} if nanoseconds is None else {"nanoseconds": nanoseconds})
    return {"versions": {"numpy": None}, "peers": [row]}


def test_numbers_are_read_with_ease():
    assert [digits(value) for value in (0, 0.0567, 0.9, 1.234, 12.34, 123.4, 123456.7)] == \
        ["0", "0.0567", "0.9", "1.23", "12.3", "123", "123,457"]


@pytest.mark.parametrize("values,unit,expected", [
    ([1500.0, 1000, 2000], "time", ("1.50 us", "1.00..2.00")),
    ([0.5, 0.4, 0.6], "time", ("0.5 ns", "0.4..0.6")),
    ([2e6, 3e6], "steps", ("2.50 M steps/s", "2.00..3.00")),
    ([4200.0, 4100, 4300], "updates", ("4,200 updates/s", "4,100..4,300")),
    ([365e3, 265e3, 435e3], "episodes", ("365 k episodes/s", "265..435")),
    ([7, 9, 15], "bytes", ("9.00 bytes", "7.00..15.0")),
])
def test_spread_is_told_in_the_unit_of_the_median(values, unit, expected):
    assert spread(values, unit) == expected


def test_a_ratio_is_taken_in_each_round_and_judged_by_its_median():
    rounds = [own({"pendulum_hold_batch": [1.0, 2.0, 3.0], "pendulum_hold_scalar": [20.0]}),
              own({"pendulum_hold_batch": [4.0], "pendulum_hold_scalar": [24.0]})]
    (row,) = make_rows(rounds, [], [RATIO])
    assert row["ratios"] == pytest.approx([10, 6]) and row["met"] is True
    assert cells(row) == ["constant torque", "2.50 ns", "1.00..4.00", "plain loop", "22.0 ns", "20.0..24.0", "8.00", "6.00..10.0",
                          "8", "met"]


def test_a_missed_ratio_is_named():
    slow = own({"pendulum_hold_batch": [4.0, 4.0], "pendulum_hold_scalar": [20.0, 20.0]})
    rows = make_rows([slow, slow], [], [RATIO])
    assert cells(rows[0])[-1] == "MISSED"
    assert missed(rows) == ["constant torque against plain loop"]


def test_a_time_that_is_asked_is_judged_without_a_reference():
    rows = make_rows([own({"acting_decoded_best": [120.0, 90, 130]})], [], [])
    assert cells(rows[0])[-2:] == ["<= 100 ns", "MISSED"]


def test_peers_of_all_rounds_are_one_row():
    rounds = [own({"basis_svd_701x15": [100e3, 110e3]})] * 2
    rows = make_rows(rounds, [peer("basis_svd_701x15", "numpy svd", [80e3, 90e3], 1 / 1.5)] * 2, [])
    assert len(rows) == 1 and len(rows[0]["reference"]) == 4
    assert cells(rows[0])[3:5] == ["numpy svd", "85.0 us"] and rows[0]["met"] is True


def test_a_peer_that_is_not_installed_says_so_and_is_not_missed():
    rows = make_rows([own({"quantile_edges": [5e5, 6e5]})], [peer("quantile_edges", "numpy quantile", missing="numpy", asked=1)], [])
    line = cells(rows[0])
    assert line[1] == "550 us" and line[3] == "numpy quantile: numpy is not installed"
    assert line[4:8] == ["", "", "", ""] and line[-1] == "" and missed(rows) == []


def test_no_number_stands_without_a_spread():
    (row,) = make_rows([own({"table_act_one": [3.0]})], [], [])
    assert cells(row)[1:3] == ["measured once", ""]


def test_rates_show_a_counter_and_references_their_own_unit():
    rounds = [own({"sac_64x64_batch_100_1": [0.025], "sgemm_1": [0.0125]}, updates=value) for value in (4000, 4400)]
    ratio = {"what": "", "subject": "sac_64x64_batch_100_1", "reference": "sgemm_1", "at_least": 0.4}
    (row,) = make_rows(rounds, [], [ratio])
    line = cells(row)
    assert line[1] == "4,200 updates/s" and line[4] == "80.0 G flops/s" and line[6] == "0.5" and line[-1] == "met"


def test_benchmarks_without_a_label_and_those_that_failed_have_rows():
    document = own({"something_new/7/real_time": [5.0, 6.0]})
    document["benchmarks"].append({"run_name": "export_c_float", "run_type": "iteration", "error_occurred": True,
                                   "error_message": "cc could not compile the export"})
    groups = dict(grouped(make_rows([document], [], [])))
    assert groups["Others"][0][0] == "something_new/7"
    assert groups["Acting by exported C, one state on one core"][0][3] == "cc could not compile the export"


def front_row(family, detail, size, loss, repeat=0, **more):
    return {"policy": "p", "family": family, "repeat": repeat, "detail": detail, "bytes": size, "loss_percent": loss,
            "admissible": True, **more}


FRONT = {"rows": [
    front_row("mercer", "7", 5, 0.5),  # small, and not what was promised anything of
    front_row("mercer", "8", 10, 0.5, chosen=True, met=True),
    front_row("mercer", "9", 20, 0.9, repeat=1, chosen=True, met=True),
    front_row("network", "int8", 900, 0.1), front_row("network", "int8", 900, 0.2, repeat=1),
    front_row("network", "int4", 450, 80.0),
    front_row("network", "float32", 3000, 0.0),
    front_row("tree", "8", 100, 50.0), front_row("tree", "4", 40, 0.3, admissible=False),
    {"unknown": "row"},
]}


def test_of_the_front_the_smallest_within_one_percent_of_each_family_is_shown():
    network, tree = (cells(row) for row in front_rows(FRONT))
    assert network[:8] == ["p", "15.0 bytes", "10.0..20.0", "network int8", "900 bytes", "900..900", "67.5", "45.0..90.0"]
    assert tree[3] == "tree: none admissible within 1%" and tree[4:8] == ["", "", "", ""]
    assert front_rows({}) == [] and front_rows({"rows": [{"family": "tree"}]}) == []


def test_the_table_is_aligned_and_says_the_same_in_markdown():
    rows = make_rows([own({"table_act_one": [3.0, 4.0], "quantile_edges": [5e5, 6e5]})], [], [])
    text = plain(HEADER, grouped(rows), LEFT).splitlines()
    assert "Statistics, one thread" in text and "Acting, one state on one core" in text
    ends = {line.index(unit) + len(unit) for line in text for unit in ("3.50 ns", "550 us") if unit in line}
    assert len(ends) == 1 and all(line == line.rstrip() for line in text)
    marked = markdown(HEADER, grouped(rows), LEFT).splitlines()
    assert {line.count("|") for line in marked} == {len(HEADER) + 1}


def test_a_document_without_marks_is_left_alone(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("nothing here\n")
    with pytest.raises(SystemExit, match="no marks"):
        put_into(page, "bench", "x")
    assert page.read_text() == "nothing here\n"


def canned_bench(folder, times):
    """Stands in for mercer_bench: writes the same measurements each time."""
    (folder / "round.json").write_text(json.dumps(own(times)))
    program = folder / "mercer_bench"
    program.write_text(f'#!/bin/sh\nfor word; do case "$word" in --benchmark_out=*) cp {folder}/round.json "${{word#*=}}";; esac; done\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


@pytest.mark.parametrize("step,status", [(1.0, 0), (4.0, 1)])
def test_the_whole_program_ends_with_one_where_something_is_missed(tmp_path, step, status):
    """With numpy out of reach, so that it takes no time: the peers are then told to be missing."""
    (tmp_path / "numpy.py").write_text("raise ImportError('out of reach', name='numpy')\n")
    (tmp_path / "front.json").write_text(json.dumps(FRONT))
    times = {"pendulum_hold_batch": [step, step], "pendulum_hold_scalar": [16.0, 16.0], "quantile_edges": [5e5, 6e5]}
    done = subprocess.run([sys.executable, "-B", str(ROOT / "bench/table.py"), str(canned_bench(tmp_path, times)), "--quick"],
                          cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    assert ("MISSED: constant torque against plain loop" in done.stdout) == (status == 1)
    assert "numpy quantile: numpy is not installed" in done.stdout and "Bytes that lose at most 1%" in done.stdout
    document = json.loads((tmp_path / "bench.json").read_text())
    about = document["machine"]
    assert about["compiler"] == "GNU 12" and about["flags"] == "-O3" and about["versions"]["numpy"] is None
    assert about["cpu"] and about["cores"] >= 1 and about["date"]
    assert len(document["missed"]) == status
    again = subprocess.run([sys.executable, "-B", str(ROOT / "bench/table.py"), "none", "--again", "bench.json"], cwd=tmp_path,
                           capture_output=True, text=True)
    assert again.returncode == status and again.stdout == done.stdout


def test_one_round_alone_is_refused(tmp_path):
    done = subprocess.run([sys.executable, "-B", str(ROOT / "bench/table.py"), "none", "--rounds", "1"], cwd=tmp_path,
                          capture_output=True, text=True)
    assert done.returncode == 2 and "legal: 2 to 100" in done.stderr


def test_every_peer_stands_against_a_benchmark_of_the_sources():
    spec = importlib.util.spec_from_file_location("peers", ROOT / "bench/peers.py")
    peers = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(peers)
    sources = "".join(path.read_text() for path in (ROOT / "bench").glob("*.cpp"))
    assert [subject for subject, *_ in peers.all_peers() if f"BENCHMARK({subject})" not in sources] == []


def test_labels_name_benchmarks_of_the_sources():
    from report.labels import LABELS

    sources = "".join(path.read_text() for path in (ROOT / "bench").glob("*.cpp"))
    unknown = [name for name in LABELS if f"BENCHMARK({name.split('/')[0]})" not in sources
               and f"BENCHMARK_CAPTURE({name.split('/')[0]}, {name.split('/')[-1]}," not in sources
               and f'"{name.split("/")[0]}/"' not in sources]
    assert unknown == []
