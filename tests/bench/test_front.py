"""What is made of the rows, and runs that go on where they were left."""

import json
import os
import pathlib
import subprocess
import sys

import pytest
from alternatives import show
from alternatives.record import Record
from alternatives.summary import certified, front_of_search, smallest_within, undominated

ROOT = pathlib.Path(os.environ["SOURCE_FOLDER"])
MERCER = os.environ["BINARY_UNDER_TEST"]


def row(repeat, size, loss, **more):
    return {"policy": "p", "family": "tree", "repeat": repeat, "bytes": size, "loss_percent": loss, "detail": f"{size}",
            "cpu_seconds": 1.0, **more}


def test_nothing_on_the_front_is_beaten_and_everything_else_is():
    points = [(size % 17, (size * 37) % 23) for size in range(60)]
    kept = undominated(points)
    beaten = lambda one: any(o[0] <= one[0] and o[1] <= one[1] and o != one for o in points)  # noqa: E731
    assert sorted(kept) == sorted({one for one in points if not beaten(one)})


def test_the_front_over_repeats_takes_at_each_size_what_each_search_had():
    rows = [row(0, 6, 50.0), row(0, 8, 2.0), row(1, 7, 40.0), row(1, 9, -1.0), row(1, 12, -3.0)]
    assert front_of_search(rows) == [
        {"bytes": 7, "loss": {"median": 45.0, "least": 40.0, "most": 50.0}},
        {"bytes": 8, "loss": {"median": 21.0, "least": 2.0, "most": 40.0}},
        {"bytes": 9, "loss": {"median": 0.5, "least": -1.0, "most": 2.0}},
        {"bytes": 12, "loss": {"median": -0.5, "least": -3.0, "most": 2.0}},
    ]


def test_the_smallest_within_a_loss():
    rows = [row(0, 10, 5.0), row(0, 20, 0.9), row(0, 30, -1.0), row(1, 10, 1.0), row(1, 20, 0.1), row(2, 10, 3.0)]
    found = smallest_within(rows, 1)
    assert found["bytes"] == {"median": 15, "least": 10, "most": 20} and (found["reached"], found["repeats"]) == (2, 3)
    assert found["loss"] == {"median": 0.95, "least": 0.9, "most": 1.0}
    assert smallest_within(rows, 0.5)["reached"] == 2
    assert smallest_within(rows, -0.5) is None  # one repeat of three
    assert smallest_within([], 1) is None


def test_what_was_promised_counts_only_where_it_was_kept():
    rows = [row(0, 8, 0.2, chosen=True, met=True, upper_percent=0.6), row(0, 7, 9.0),
            row(1, 30, 3.0, chosen=True, met=False, upper_percent=4.0)]
    found = certified(rows)
    assert (found["reached"], found["repeats"], found["upper"]["median"]) == (1, 2, 0.6)
    assert certified([row(0, 7, 9.0)]) is None


def test_tables_name_the_families_and_tell_the_spread():
    rows = [row(0, 10, 0.5), row(1, 20, 0.7)]
    text = "\n".join([*show.terminal(rows, "p", ["tree"]), *show.within(rows, ["p"], ["tree", "bumps"], 1)])
    assert "| tree | 15 (10 to 20) | 0.60 (0.50 to 0.70) | 10; 20 |" in text and "bumps" not in text
    assert "| p | 15 (10 to 20) B: 0.6 (0.5 to 0.7) |" in "\n".join(show.matrix(rows, ["p"], ["tree", "bumps"], 1))
    assert "| q |  |" in "\n".join(show.matrix(rows, ["q"], ["tree"], 1))  # not tried is not the same as none
    assert "| p | none |" in "\n".join(show.matrix(rows, ["p"], ["tree"], 0.1))
    assert "| tree | none | least: 0.50 | |" in "\n".join(show.within(rows, ["p"], ["tree"], 0.1))
    assert "10 B 0.50% (tree 10)" in "\n".join(show.fronts(rows, ["p"], ["tree"]))


def test_a_record_goes_on_and_refuses_other_settings(tmp_path):
    file = tmp_path / "f.json"
    first = Record(file, {"episodes": 5}, resume=True)
    first.add(["p", "tree", 0], [row(0, 10, 0.5)])
    (tmp_path / "f.json.new").write_text("{ cut off")  # a kill while it was written
    again = Record(file, {"episodes": 5}, resume=True)
    assert again.has("p", "tree", 0) and not again.has("p", "tree", 1) and again.rows == first.rows
    again.add(["p", "tree", 1], [])
    assert Record(file, {"episodes": 5}, resume=True).has("p", "tree", 1)
    assert not Record(file, {"episodes": 5}, resume=False).has("p", "tree", 0)
    with pytest.raises(ValueError, match="episodes"):
        Record(file, {"episodes": 6}, resume=True)


def front(*arguments):
    return subprocess.run([sys.executable, "-B", ROOT / "bench/front.py", MERCER, "--quick", "--policies", "cmc_sde_10000",
                           "--processes", "1", *map(str, arguments)], capture_output=True, text=True)


def test_a_run_that_is_called_again_computes_only_what_is_missing(tmp_path):
    out = tmp_path / "front.json"
    common = ("--episodes", 20, "--out", out, "--resume")
    assert front("--families", "table", *common).returncode == 0
    once = json.loads(out.read_text())
    assert [(r["detail"], r["bytes"]) for r in once["rows"]] == [("16 x 16", 256), ("64 x 64", 4096)]
    done = front("--families", "network,table", "--markdown", tmp_path / "f.md", *common)
    assert done.stderr.splitlines() == ["1 of 1: cmc_sde_10000, network, 0"]
    twice = json.loads(out.read_text())
    assert twice["rows"][:2] == once["rows"] and [r["family"] for r in twice["rows"][2:]] == ["network"]
    assert "cmc_sde_10000, everything:" in (tmp_path / "f.md").read_text()
    refused = front("--families", "table", "--episodes", 30, "--out", out, "--resume")
    assert refused.returncode == 1 and "another --out" in refused.stderr


def test_unknown_names_are_refused(tmp_path):
    for arguments in (("--policies", "nobody"), ("--families", "forest")):
        done = front("--out", tmp_path / "x.json", *arguments)
        assert done.returncode == 1 and "there are" in done.stderr and not (tmp_path / "x.json").exists()
