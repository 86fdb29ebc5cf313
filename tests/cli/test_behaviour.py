"""How policies move their actions, through the program: numbers against numpy, words against numbers."""

import json
import os
import pathlib
import re

import numpy as np
import pytest

POLICIES = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "tests/data/policies"
PENDULUM = ("--env", "pendulum", "--policy", POLICIES / "pendulum_5000_actor.onnx")
QUICK = ("--route", "continuous", "--bases", "chebyshev", "--formats", "int4,int8", "--most-terms", 4, "--generations",
         20, "--candidate-episodes", 64, "--select-episodes", 200, "--certify-episodes", 4000, "--max-loss", "10%",
         "--seed", 1)


def episodes(path):
    with np.load(path) as file:
        actions, offsets = file["actions"], file["offsets"]
    return [actions[a:b].reshape(b - a, -1) for a, b in zip(offsets[:-1], offsets[1:])]


def motion_of_box(actions, low, high, dt):
    scaled = (actions - (low + high) / 2) / ((high - low) / 2)
    moves = np.diff(scaled[:, 0])
    large = moves[np.abs(moves) > 0.02]
    return (np.abs(moves).mean() / 2, (np.abs(scaled) >= 0.98).mean(), (scaled**2).mean(),
            np.count_nonzero(large[1:] * large[:-1] < 0) / (len(actions) * dt))


KEYS = ("roughness", "saturation", "effort", "reversals")


@pytest.mark.parametrize("policy", ["uniform", POLICIES / "pendulum_5000_actor.onnx"])
def test_motion_is_that_of_the_steps(mercer, policy):
    play = ("--env", "pendulum", "--policy", policy, "--episodes", 20, "--seed", 3)
    said = mercer.json("evaluate", *play, "--behaviour")["behaviour"]
    mercer.ok("rollout", *play, "--out", "r.npz")
    true = np.mean([motion_of_box(actions, -2, 2, 0.05) for actions in episodes(mercer.folder / "r.npz")], axis=0)
    np.testing.assert_allclose([said[key] for key in KEYS], true, rtol=1e-9, atol=1e-12)
    assert said["failures"] is None and said["distance"] is None  # the pendulum cannot fail


def test_choices_count_where_they_change(mercer):
    play = ("--env", "mountain-car", "--policy", POLICIES / "mc_dqn_120000_q.onnx", "--episodes", 20, "--seed", 3)
    said = mercer.json("evaluate", *play, "--behaviour")["behaviour"]
    mercer.ok("rollout", *play, "--out", "r.npz")
    changes = [np.mean(np.diff(actions[:, 0]) != 0) for actions in episodes(mercer.folder / "r.npz")]
    assert said["roughness"] == pytest.approx(np.mean(changes), rel=1e-12)
    assert said["saturation"] == said["effort"] == 0


def test_two_policies_stand_side_by_side(mercer):
    done = mercer.ok("evaluate", *PENDULUM, "--against", "uniform", "--behaviour", "--json")
    said = json.loads(done.stdout)
    own, other = said["behaviour"], said["against"]["behaviour"]
    assert own["distance"] > 0 and other["distance"] > 0
    for words, key, scale in (("roughness", "roughness", 100), ("saturation", "saturation", 100), ("effort", "effort", 100),
                              ("reversals", "reversals", 1), ("distance", "distance", 100)):
        line = next(line for line in done.stderr.splitlines() if line.startswith(words))
        shown = [float(cell.rstrip("%")) for cell in line[52:].split()]
        assert shown == pytest.approx([scale * other[key], scale * own[key]], rel=6e-3)
    alone = mercer.json("evaluate", *PENDULUM, "--against", PENDULUM[3], "--behaviour")
    assert alone["behaviour"]["distance"] == 0 and alone["behaviour"] == alone["against"]["behaviour"]
    assert "behaviour" not in mercer.json("evaluate", *PENDULUM)


def warnings_of(certificate):
    """Which outcomes must be warned of, by the numbers of the certificate."""
    teacher, embedding = certificate["motion"]["teacher"], certificate["motion"]["embedding"]
    begins = {"roughness": "Changes the action by", "saturation": "Drives the action to a bound", "effort": "Acts with",
              "reversals": "Reverses the action"}
    return [begins[key] for key in KEYS
            if embedding[key] > 3 * teacher[key] and embedding[key] > (1 if key == "reversals" else 0.01)]


def lines_of(page):
    return [line for line in page.splitlines()
            if re.match("Changes the action|Drives the action|Acts with|Reverses the action|Fails in", line)]


def test_every_face_warns_of_what_is_far_above_the_teachers(mercer):
    done = mercer.run("compress", *PENDULUM, *QUICK, "--keep", "return", "--out", "p.mercer", "--json")
    certificate = json.loads(done.stdout)["certificate"]
    expected = warnings_of(certificate)
    assert expected, "a search on return alone is expected to chatter here"
    mercer.ok("export", "c", "p.mercer", "--out", "c")
    mercer.ok("export", "st", "p.mercer", "--out", "st")
    faces = [done.stderr, mercer.ok("inspect", "p.mercer").stdout]
    for name in ("c/controller.h", "st/controller.st"):
        faces.append("\n".join(line.removeprefix(" * ") for line in (mercer.folder / name).read_text().splitlines()))
    for face in faces:
        said = lines_of(face)
        assert [next(begin for begin in expected if line.startswith(begin)) for line in said] == expected
    rough = next(line for line in faces[1].splitlines() if line.startswith("roughness: "))
    shown = [float(cell.rstrip("%")) for cell in rough[52:].split()]
    both = [100 * certificate["motion"][who]["roughness"] for who in ("teacher", "embedding")]
    assert shown == pytest.approx(both, rel=6e-3)


def test_what_is_left_out_of_the_front_is_counted(mercer):
    done = mercer.run("compress", *PENDULUM, *QUICK, "--out", "p.mercer", "--results", "front", "--json")
    tried = json.loads((mercer.folder / "front/tried.json").read_text())
    left_out = sum(not one["admissible"] for one in tried)
    said = json.loads(done.stdout)
    teacher = said["behaviour"]["teacher"]["roughness"]
    assert 0 < left_out < len(tried)
    assert all(one["admissible"] for one in said["front"])
    found = re.search(r"(\d+) candidates? \(marked !\) left out: their roughness is expected to exceed ([0-9.]+)%", done.stderr)
    assert int(found[1]) == left_out
    assert float(found[2]) == pytest.approx(100 * (1.25 * teacher + 0.005), rel=0.05)
    # Whoever is clearly above the limit is out.
    assert all(one["roughness"] <= 1.25 * teacher + 0.005 for one in tried if one["admissible"])
    promise = next(one for one in said["certificate"]["promises"] if one["about"] == "roughness")
    assert promise["factor"] == 1.25 and promise["budget"] == 0.005
    assert ("roughness, above 1.25 times the teacher's" in done.stderr) and promise["kept"] == (
        re.search(r"roughness, above .*  kept", done.stderr) is not None)


def test_logged_states_measure_no_behaviour(mercer):
    mercer.ok("rollout", *PENDULUM, "--act", "mean", "--episodes", 40, "--out", "log.npz")
    done = mercer.run("compress", *PENDULUM, "--states", "log.npz", "--max-loss", "50%", "--most-terms", 2, "--bases",
                      "chebyshev", "--out", "p.mercer", "--json")
    said = json.loads(done.stdout)
    assert said["behaviour"] is None
    assert all(one[key] is None for one in said["front"] for key in (*KEYS, "failures", "distance"))
    assert "rough" not in done.stderr


def test_a_limit_of_failures_needs_a_task_that_can_fail(mercer):
    said = mercer.fails(2, "compress", "--env", "pendulum", "--policy", "uniform", "--max-failures", "1%", "--out", "p.mercer")
    assert "E203: --max-failures was given, and task 'pendulum' does not say what a failure is. Leave it out." in said
