"""Exported Structured Text through the program: it plays an episode as the library does, and checks itself."""

import json
import os
import pathlib
import subprocess

import numpy
import pytest

import st

PROGRAM = os.environ["BINARY_UNDER_TEST"]
POLICIES = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "tests/data/policies"
PENDULUM = ("--env", "pendulum", "--policy", POLICIES / "pendulum_5000_actor.onnx", "--seed", "3", "--quiet")
CAR = ("--env", "mountain-car", "--policy", POLICIES / "mc_dqn_120000_q.onnx", "--seed", "3", "--quiet")
SHORT = ("--rollouts", "20", "--rounds", "2", "--episodes", "20")
ROUTES = {
    "continuous": ("embed", "--route", "continuous", *PENDULUM, "--basis", "ridge", "--k", "8", *SHORT),
    "continuous car": ("embed", "--route", "continuous", *CAR, "--basis", "legendre", "--k", "8", *SHORT),
    "lattice": ("embed", *PENDULUM, "--basis", "dct", "--k", "60", "--state-bins", "8", "--rollouts", "20", "--episodes", "20"),
}


def mercer(*arguments, code=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done


@pytest.fixture(scope="module", params=ROUTES)
def exported(request, tmp_path_factory):
    """Route, folder with p.mercer and d/pilot.st, and what the export said."""
    folder = tmp_path_factory.mktemp("st")
    mercer(*ROUTES[request.param], "--out", folder / "p.mercer")
    said = mercer("export", "st", folder / "p.mercer", "--out", folder / "d", "--name", "pilot", "--json", "--quiet")
    return request.param, folder, json.loads(said.stdout)


def test_it_plays_as_the_library_does(exported):
    route, folder, said = exported
    assert [pathlib.Path(name).name for name in said["files"]] == ["pilot.st", "pilot.xml", "pilot_example.st"]
    assert {"files", "flash_bytes", "operations"} <= set(said) and said["flash_bytes"] > 0
    task = "mountain-car" if "car" in route else "pendulum"
    mercer("rollout", "--env", task, "--policy", folder / "p.mercer", "--act", "mean", "--episodes", "2", "--seed", "9",
           "--out", folder / "r.npz", "--quiet")
    played = numpy.load(folder / "r.npz")
    machine = st.Instance(st.load((folder / "d/pilot.st").read_text()))
    inputs = [name for name in machine.block.variables if name.startswith("OBS_")]
    output = next(name for name in machine.block.variables if name.startswith("ACT_"))
    worst, states = 0.0, played["observations"][:300].astype(numpy.float32)
    for state, action in zip(states, played["actions"][:300]):
        said = machine.call(**dict(zip(inputs, state)))
        assert said["OK"]
        worst = max(worst, abs(float(said[output]) - float(numpy.ravel(action)[0])))
    print(f"{route}: worst {worst:.2g} on {len(states)} states of an episode")
    assert worst <= (0 if "car" in route else 4e-5)  # 1e-5 of a range of 4


def test_the_self_test_passes_and_sees_changes(exported):
    route, folder, _ = exported
    text = (folder / "d/pilot.st").read_text()
    machine = st.Instance(st.load(text))
    said = machine.call(SELFTEST=True)
    output = next(name for name in said if name.startswith("ACT_"))
    assert said["OK"] and said[output] == 0  # the safe action meanwhile
    table = "rows : ARRAY" if route == "lattice" else "coefficients : ARRAY"
    before, rest = text.split(table, 1)
    head, numbers = rest.split(":= [", 1)
    changed = before + table + head + ":= [ 3.25," + numbers.split(",", 1)[1]
    assert not st.Instance(st.load(changed)).call(SELFTEST=True)["OK"]


def test_the_comment_holds_the_contract(exported):
    _, folder, _ = exported
    comment = (folder / "d/pilot.st").read_text().split("*)", 1)[0]
    for word in ("In:", "obs_", "Out:", "act_", "safe", "bytes of constants", "multiplications", "Certificate"):
        assert word in comment, word
    assert "Licence: this code is yours" in comment and "Apache" not in comment


def test_refusals(exported):
    _, folder, _ = exported
    export = ("export", "st", folder / "p.mercer", "--out", folder / "e")
    for name in ("1st", "a__b", "end_if", "REAL"):
        assert "E203" in mercer(*export, "--name", name, code=2).stderr
    assert "E203" in mercer(*export, "--numbers", "fixed", code=2).stderr
    assert "E20" in mercer(*export, "--safe-action", "7", code=2).stderr
    assert not (folder / "e").exists()


def test_the_self_test_checks_given_vectors(exported, tmp_path):
    route, folder, _ = exported
    mercer("inspect", folder / "p.mercer", "--test-vectors", "24", "--out", tmp_path / "v")
    mercer("export", "st", folder / "p.mercer", "--out", tmp_path, "--check", tmp_path / "v.json", "--quiet")
    source = (tmp_path / "controller.st").read_text()
    machine = st.Instance(st.load(source))
    assert machine.call(SELFTEST=True)["OK"]
    vectors = json.loads((tmp_path / "v.json").read_text())
    last = numpy.float32(vectors["actions"][-1][0])
    table = source.index("test_act : ARRAY")
    numbers = source[source.index("[", source.index("]", table)) + 1:source.index("];", table)].split(",")
    place = len(numbers) - 2  # the last case is the one that nothing can be done with
    assert abs(float(numbers[place]) - last) <= 1e-6
    numbers[place] = f" {float(numbers[place]) + 1}" if "." in numbers[place] else f" {int(numbers[place]) + 1}"
    begin = source.index("[", source.index("]", table)) + 1
    changed = source[:begin] + ",".join(numbers) + source[source.index("];", table):]
    assert not st.Instance(st.load(changed)).call(SELFTEST=True)["OK"]
