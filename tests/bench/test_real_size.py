"""Rivals on policies of real size: played by the library, stored in few bytes, judged on the same starts."""

import json
import os
import pathlib
import subprocess
import sys

import mercer
import numpy as np
import pytest
import real_size
from alternatives.imitate import imitate
from alternatives.library import GRID, LibraryTask, Starts, play
from alternatives.original import LeftOut, Rounding, layers_of, rounded_original
from alternatives.perturb import Perturbation
from alternatives.show_real import tables
from alternatives.small_network import SmallNetwork
from alternatives.tasks import Pendulum
from alternatives.teacher import Network
from alternatives.tree import HalfTree
from alternatives.whole_numbers import FOLDED, SMALL_INT8, WholeNumberNetwork, WholeNumberNetworks, coarsely_rounded_rows
from sklearn.tree import DecisionTreeRegressor

ROOT = pathlib.Path(os.environ["SOURCE_FOLDER"])
MERCER = os.environ["BINARY_UNDER_TEST"]
SWIMMER = ROOT / "tests/data/policies/physics/swimmer.safetensors"
ACTOR = ROOT / "tests/data/policies/pendulum_5000_actor.onnx"
SB3 = ROOT / "tests/data/sb3/pendulum_5000_actor.zip"  # the same network


def a_task(name, file):
    return LibraryTask(mercer, name, mercer.load_policy(file, name))


@pytest.mark.parametrize("name, file", [("swimmer", SWIMMER), ("mountain-car", ROOT / "tests/data/policies/mc_dqn_120000_q.onnx"),
                                        ("pendulum", ACTOR)])
def test_motion_is_what_the_program_measures(name, file):
    task = a_task(name, file)
    played = task.play(task.teacher, Starts(5, 7))
    done = subprocess.run([MERCER, "evaluate", "--env", name, "--policy", str(file), "--act", "mean", "--behaviour", "--episodes", "5",
                           "--seed", "7", "--threads", "1", "--json", "--quiet"], capture_output=True, text=True, check=True)
    wanted = json.loads(done.stdout)
    assert played.returns.mean() == pytest.approx(wanted["return"]["mean"], rel=1e-12)
    assert played.roughness.mean() == pytest.approx(wanted["behaviour"]["roughness"], rel=1e-9)
    assert played.saturation.mean() == pytest.approx(wanted["behaviour"]["saturation"], rel=1e-9)


def test_the_teacher_as_a_numpy_student_earns_what_the_teacher_does_also_next_door():
    task = a_task("pendulum", ACTOR)  # a range of -2 to 2: actions are scaled there and back
    for point in (*GRID, Perturbation(1.2, 0.02, 1)):
        own, student = (task.play(policy, Starts(20, 3), point).returns for policy in (task.teacher, task.policy(task.act)))
        np.testing.assert_allclose(student, own, rtol=1e-3)
    assert task.grid() == list(GRID) and GRID[1].spec(task) == "pendulum:m=1.2"
    nominal, heavy = (task.play(task.teacher, Starts(20, 3), point).returns for point in GRID[:2])
    assert np.abs(nominal - heavy).max() > 1


def test_choices_are_played_as_they_are():
    task = a_task("mountain-car", ROOT / "tests/data/policies/mc_dqn_120000_q.onnx")
    own, student = (task.play(policy, Starts(10, 3)) for policy in (task.teacher, task.policy(task.act)))
    np.testing.assert_array_equal(own.returns, student.returns)
    assert task.choices == 3 and not own.saturation.any()


def fitted(depth, storage, steps=1500):
    random = np.random.default_rng(4)
    seen = random.normal(size=(3000, 3)) * [0.2, 1.0, 9.0] + [0.1, 0, 3]
    shown = np.clip(seen @ np.array([[4.0, 1], [0.3, -0.5], [0.05, 0.1]]) + [0.1, -0.2], -1, 1)

    class Task:
        choices, largest = None, 1.0

    student = SmallNetwork(6, steps, depth, storage)
    student.fit(Task, seen, shown, random)
    return student, seen, shown


@pytest.mark.parametrize("depth, storage, size", [(0, FOLDED, 4 * 8), (0, SMALL_INT8, 8 + 2 + 3), (1, SMALL_INT8, 38 + 4 + 3),
                                                  (2, SMALL_INT8, 80 + 6 + 3)])
def test_students_learn_several_actions_and_are_as_large_as_they_say(depth, storage, size):
    student, seen, shown = fitted(depth, storage)
    assert student.bytes == size and student.act(seen).shape == shown.shape
    assert np.sqrt(np.mean((student.act(seen) - shown) ** 2)) < 0.08
    networks, numbers = WholeNumberNetworks.of(student, storage)
    assert networks.bytes == size
    same = WholeNumberNetwork(networks, numbers).act(seen)
    assert np.abs(same - student.act(seen)).max() < (1e-9 if storage is FOLDED else 0.15)  # units may be found anew


def test_the_rounding_of_int8_students_is_in_the_loop():
    student = fitted(1, SMALL_INT8, 50)[0]
    for weight in student.weights:
        units = 2.0 ** (np.arange(-160, 40) / 8)
        most = np.abs(weight).max() / units
        errors = [np.abs(weight / unit - np.rint(weight / unit)).max() for unit, n in zip(units, most) if 100 < n < 127.5]
        assert min(errors) < 1e-6
    assert (student.spread == 2.0 ** np.rint(np.log2(student.spread))).all() and not student.middle.any()


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_slopes_of_every_depth(depth):
    student, seen, shown = fitted(depth, FOLDED, 3)
    inputs = (seen[:50] - student.middle) / student.spread
    if depth == 0:  # slopes go through the cut; without it they are those of the error
        inputs = inputs * 1e-3
    error = lambda: np.mean(((student.layers(inputs)[-1] - shown[:50]) ** 2).sum(1))  # noqa: E731
    for weight, slope in zip(student.weights, student.slopes(inputs, shown[:50])):
        spot = (0,) * weight.ndim
        kept = weight[spot]
        weight[spot] = kept + 1e-5
        above = error()
        weight[spot] = kept - 1e-5
        assert slope[spot] == pytest.approx((above - error()) / 2e-5, abs=1e-7)
        weight[spot] = kept


def test_units_are_powers_that_a_byte_holds_and_none_is_beyond():
    rows = np.random.default_rng(3).normal(size=(6, 40)) * np.logspace(-3, 2, 6)[:, None]
    kept = coarsely_rounded_rows(rows)
    units = 2.0 ** (np.ceil(8 * np.log2(np.abs(rows).max(1, keepdims=True) / 127)) / 8)
    np.testing.assert_allclose(kept / units, np.rint(rows / units), atol=1e-9)
    assert np.abs(kept / units).max() <= 127 + 1e-9 and not coarsely_rounded_rows(np.zeros((1, 4))).any()


def test_trees_of_several_actions_hold_halves():
    _, seen, shown = fitted(0, FOLDED, 1)

    class Task:
        choices, largest = None, 1.0

    tree = HalfTree(depth=5)
    tree.fit(Task, seen, shown, np.random.default_rng(1))
    leaves = tree.tree.get_n_leaves()
    assert tree.bytes == 5 * (leaves - 1) + 5 * leaves and tree.tree.get_depth() == 5
    acted = tree.act(seen)
    assert np.array_equal(acted, acted.astype(np.float16))
    plain = DecisionTreeRegressor(max_depth=5, random_state=0).fit(seen, shown).predict(seen)
    assert np.mean((acted - shown) ** 2) < 1.02 * np.mean((plain - shown) ** 2) < 0.3 * shown.var()
    thresholds = tree.tree.tree_.threshold
    assert np.array_equal(thresholds, thresholds.astype(np.float16))
    assert np.array_equal(acted[:20], tree.tree.predict(seen[:20]).astype(np.float16))  # by the same thresholds


def test_imitation_in_the_library_keeps_up_with_a_linear_teacher():
    task, random = a_task("swimmer", SWIMMER), np.random.default_rng(2)
    student = imitate(task, task, lambda: SmallNetwork(0, 1500, 0, SMALL_INT8), random, episodes=3, rounds=2, judging=2, play=play)
    earned, taught = (task.play(policy, Starts(4, 9)).returns.mean() for policy in (task.policy(student.act), task.teacher))
    assert student.bytes == 18 + 2 + 8 and earned > 0.9 * taught


@pytest.mark.filterwarnings("ignore:.*does not store whether its observations were normalised")
@pytest.mark.parametrize("file", [ACTOR, SB3])
def test_originals_are_rounded_in_copies_of_their_files(file, tmp_path):
    task, seen = a_task("pendulum", file), np.random.default_rng(5).uniform([-1, -1, -8], [1, 1, 8], (200, 3))
    assert [layer[1:] for layer in layers_of(mercer, file, task)] == [(3, 256), (256, 256), (256, 1)]
    for bits in (8, 4):
        policy, size = rounded_original(mercer, file, task, Rounding(bits), tmp_path)
        wanted = Network(Pendulum, ACTOR, bits)
        np.testing.assert_allclose(policy.mean_action(seen)[:, 0], wanted.act(seen), atol=1e-4)
        assert size == wanted.bytes
        by_row, more = rounded_original(mercer, file, task, Rounding(bits, rows=True), tmp_path)
        error = [np.abs(one.mean_action(seen) - task.teacher.mean_action(seen)).mean() for one in (policy, by_row)]
        assert error[1] < error[0] and more == size + 4 * (2 * 256 + 1 - 3)


def test_originals_of_snapshots_and_of_what_cannot_be_rounded(tmp_path):
    task = a_task("swimmer", SWIMMER)
    seen = np.random.default_rng(6).normal(size=(100, 8))
    fine, coarse = (rounded_original(mercer, SWIMMER, task, Rounding(bits), tmp_path) for bits in (16, 4))
    distance = [np.abs(policy.mean_action(seen) - task.teacher.mean_action(seen)).max() for policy, _ in (fine, coarse)]
    assert distance[0] < 1e-3 < 0.02 < distance[1] and coarse[1] == 8 + 4 * 3
    with pytest.raises(LeftOut, match="cannot be rounded"):
        rounded_original(mercer, tmp_path / "agent.msgpack", task, Rounding(8), tmp_path)


def front(*arguments):
    return subprocess.run([sys.executable, "-B", ROOT / "bench/front.py", MERCER, "--real-size", "--quick", "--processes", "1", "--episodes",
                           "3", "--rounds", "1", "--round-episodes", "2", "--steps", "300", "--polish-seconds", "0.1",
                           *map(str, arguments)], capture_output=True, text=True)


def test_a_quick_run_makes_a_table_and_goes_on_from_its_file(tmp_path):
    out, page = tmp_path / "r.json", tmp_path / "r.md"
    done = front("--out", out, "--families", "linear,mercer")
    assert done.returncode == 0, done.stderr
    rows = json.loads(out.read_text())["rows"]
    assert [(row.get("detail"), row.get("polish")) for row in rows] == [
        ("float32", None), ("float32", "1"), ("int8", None), ("int8", "1"), (None, None)]
    assert "Left out: mercer, for no .mercer file and no --budget was given." in done.stdout
    assert [point["point"] for point in rows[0]["points"]] == ["mass=1.2", "delay=1", "noise=0.01"]
    again = front("--out", out, "--families", "linear,original", "--resume", "--markdown", page)
    assert again.stderr.splitlines() == ["1 of 1: swimmer, original, 0"]
    assert [row["family"] for row in json.loads(out.read_text())["rows"]] == ["linear"] * 4 + ["original"] * 3
    text = page.read_text()
    assert "| teacher | float32 | | 72 | return 35" in text and "| original | int4 |  | 20 |" in text and "losses: 20 B" in text
    for row in json.loads(out.read_text())["rows"]:
        if row["family"] == "original":
            low, high = row["ci95_percent"]
            assert low <= row["loss_percent"] <= high and abs(row["loss_percent"]) < 5 and 0.7 < row["saturation"] < 0.9


def test_what_is_wrong_with_options_is_said(tmp_path):
    for arguments, words in ((("--teacher", "swimmer=nowhere.zip"), "a file that exists"), (("--policies", "nobody"), "there are"),
                             (("--teacher", f"swimmer={SWIMMER}"), "is there already"),
                             (("--mercer", f"nobody={SWIMMER}"), "there are"), (("--families", "forest"), "there are")):
        done = front("--out", tmp_path / "x.json", *arguments)
        assert done.returncode == 1 and words in done.stderr and not (tmp_path / "x.json").exists()


def test_teachers_of_one_name_are_told_apart_by_their_folders(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "agent.zip").touch()
    given = [part for folder in ("a", "b") for part in ("--teacher", f"quadrotor:goal=hover={tmp_path / folder / 'agent.zip'}")]
    found = real_size.teachers_of(real_size.options_of(["mercer", *given]))
    assert found["agent"] == ("quadrotor:goal=hover", str(tmp_path / "a/agent.zip"))
    assert found["b/agent"][1] == str(tmp_path / "b/agent.zip") and found["swimmer"] == ("swimmer", str(SWIMMER))


def test_tables_mark_what_is_too_rough_and_say_who_is_on_the_front():
    point = {"point": "delay=1", "loss_percent": 3.0, "ci95_percent": [2.0, 4.0], "teacher_return": 50.0}
    row = {"policy": "p", "family": "tree", "repeat": 0, "detail": "depth 6", "polish": None, "bytes": 1234, "loss_percent": 0.5,
           "ci95_percent": [0.25, 0.75], "roughness": 0.3, "too_rough": True, "saturation": 0.5, "cpu_seconds": 2.0, "points": [point],
           "teacher_return": 100.0, "teacher_roughness": 0.1, "teacher_saturation": 0.02, "teacher_bytes": 4000}
    text = "\n".join(tables([row, {**row, "family": "linear", "bytes": 20, "polish": "7"}], ["p"], ("linear", "tree"),
                            {"episodes": 9, "polish_seconds": 5.0}))
    assert "| teacher | float32 | | 4,000 | return 100 | | 10.0 | 2.0 | 50.00 | |" in text
    assert "| tree | depth 6 |  | 1,234 | 0.50 | 0.25 to 0.75 | 30.0! | 50.0 | 3.00 (2.00 to 4.00) | 2 |" in text
    assert text.index("| linear |") < text.index("| tree |") and "losses: 20 B 0.50% (linear depth 6, polished)." in text
