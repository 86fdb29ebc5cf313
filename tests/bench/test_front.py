"""What is made of the rows, and runs that go on where they were left."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from alternatives import show
from alternatives.judge import compared
from alternatives.keeping import Aim, Limits
from alternatives.playing import Played
from alternatives.record import Record
from alternatives.summary import certified, front_of_search, smallest_within, undominated

ROOT = pathlib.Path(os.environ["SOURCE_FOLDER"])
MERCER = os.environ["BINARY_UNDER_TEST"]


def row(repeat, size, loss, rough=False, **more):
    return {"policy": "p", "family": "tree", "repeat": repeat, "bytes": size, "loss_percent": loss, "detail": f"{size}",
            "cpu_seconds": 1.0, "roughness": 0.5 if rough else 0.02, "teacher_roughness": 0.03, "failures": None,
            "teacher_failures": None, "too_rough": rough, "fails_too_often": False, "admissible": not rough, **more}


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


def test_the_smallest_admissible_is_another_than_the_smallest_by_return_alone():
    rows = [row(0, 8, -3.0, rough=True), row(0, 11, 0.2), row(0, 30, 0.1), row(1, 9, -2.0, rough=True), row(1, 13, 0.3),
            row(1, 7, 3.0)]
    by_return, kept = smallest_within(rows, 1), smallest_within(rows, 1, keeps=True)
    assert by_return["bytes"]["median"] == 8.5 and by_return["too_rough"] and by_return["roughness"]["median"] == 0.5
    assert kept["bytes"] == {"median": 12, "least": 11, "most": 13} and not kept["too_rough"]
    assert kept["roughness"] == {"median": 0.02, "least": 0.02, "most": 0.02}
    assert smallest_within([one for one in rows if not one["admissible"]], 1, keeps=True) is None
    text = "\n".join(show.within(rows, ["p"], ["tree"], 1))
    assert "| tree | by return alone | 8 (8 to 9) | -2.50 (-3.00 to -2.00) | 0.5000, too rough |  | 8; 9 |" in text
    assert "| tree | admissible | 12 (11 to 13) | 0.25 (0.20 to 0.30) | 0.0200 |  | 11; 13 |" in text
    assert "| p | 0.0300 | 12 (11 to 13) B: 0.2 (0.2 to 0.3), 0.0200 |" in "\n".join(show.matrix(rows, ["p"], ["tree"], 1, True))
    fronts = "\n".join(show.fronts(rows, ["p"], ["tree"]))
    assert "p, everything: 7 B 3.00% (tree 7), 8 B -3.00% (tree 8)" in fronts
    assert "p, everything, admissible: 7 B 3.00% (tree 7), 11 B 0.20% (tree 11), 30 B 0.10% (tree 30)" in fronts


def test_a_search_without_anything_admissible_in_one_repeat_has_no_admissible_front():
    rows = [{**one, "family": "mercer"} for one in (row(0, 8, -3.0), row(1, 9, -2.0, rough=True), row(1, 20, -5.0, rough=True))]
    assert show.front(rows, "p", ["mercer"], keeps=False)[0] and not show.front(rows, "p", ["mercer"], keeps=True)[0]


def test_limits_are_the_teachers_and_a_little_more():
    def played(roughness, failed=None):
        return Played(np.full(4, -10.0), np.full(4, 5), np.array(roughness), None if failed is None else np.array(failed))

    teacher = played([0.01, 0.03, 0.02, 0.02], [True, False, False, False])
    limits = Limits.of(teacher)
    assert limits.roughness == pytest.approx(1.25 * 0.02 + 0.005) and limits.failures == pytest.approx(0.26)
    assert not limits.too_rough(0.0299) and limits.too_rough(0.0301)
    assert not limits.fails_too_often(0.25) and limits.fails_too_often(0.5)
    assert Limits.of(played([0.0] * 4)).failures is None and not Limits(0.1).fails_too_often(None)
    worse = compared(teacher, played([0.0] * 4, [True, True, False, False]))
    assert worse["fails_too_often"] and not worse["too_rough"] and not worse["admissible"] and worse["loss_percent"] == 0
    assert compared(teacher, teacher)["admissible"]
    # Twice the limit costs ten budgets; below the limits only the return counts.
    aim = Aim(2.0, Limits(0.1, 0.01))
    np.testing.assert_allclose(aim.costs(np.array([4.0, 4.0, 6.0]), np.array([0.2, 0.1, 0.05]), np.array([0.02, 0.0, 0.01])),
                               [-2 + 20, -2, -3])


def test_what_was_promised_counts_only_where_it_was_kept():
    rows = [row(0, 8, 0.2, chosen=True, met=True, upper_percent=0.6), row(0, 7, 9.0),
            row(1, 30, 3.0, chosen=True, met=False, upper_percent=4.0)]
    found = certified(rows)
    assert (found["reached"], found["repeats"], found["upper"]["median"]) == (1, 2, 0.6)
    assert certified([row(0, 7, 9.0)]) is None


def test_tables_name_the_families_and_tell_the_spread():
    rows = [row(0, 10, 0.5), row(1, 20, 0.7)]
    text = "\n".join([*show.terminal(rows, "p", ["tree"]), *show.within(rows, ["p"], ["tree", "bumps"], 1)])
    assert "| tree | admissible | 15 (10 to 20) | 0.60 (0.50 to 0.70) | 0.0200 |  | 10; 20 |" in text and "bumps" not in text
    matrix = lambda policy, most: "\n".join(show.matrix(rows, [policy], ["tree", "bumps"], most, True))  # noqa: E731
    assert "| p | 0.0300 | 15 (10 to 20) B: 0.6 (0.5 to 0.7), 0.0200 |" in matrix("p", 1)
    assert "| q |  |  |" in matrix("q", 1)  # not tried is not the same as none
    assert "| p | 0.0300 | none |" in matrix("p", 0.1)
    assert "| tree | admissible | none | least: 0.50 |" in "\n".join(show.within(rows, ["p"], ["tree"], 0.1))
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


def test_what_a_record_forgets_is_not_finished(tmp_path):
    record = Record(tmp_path / "f.json", {}, resume=False)
    record.add(["p", "tree", 0], [row(0, 10, 0.5), row(0, 20, 0.1, source="old")])
    record.add(["p", "tree", 1], [row(1, 10, 0.5)])
    record.forget(lambda one: one.get("source") == "old")
    assert not record.has("p", "tree", 0) and record.has("p", "tree", 1) and record.rows == [row(1, 10, 0.5)]


def front(*arguments):
    return subprocess.run([sys.executable, "-B", ROOT / "bench/front.py", MERCER, "--quick", "--policies", "cmc_sde_10000",
                           "--processes", "1", *map(str, arguments)], capture_output=True, text=True)


def test_a_run_that_is_called_again_computes_only_what_is_missing(tmp_path):
    out = tmp_path / "front.json"
    common = ("--episodes", 20, "--out", out, "--resume")
    assert front("--families", "table", *common).returncode == 0
    once = json.loads(out.read_text())
    assert all(0 < r["roughness"] < 1 and 0 < r["teacher_roughness"] < 1 and r["teacher_failures"] is not None for r in once["rows"])
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
