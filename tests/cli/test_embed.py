"""Embedding a policy and looking at what came out, through the program."""

import os
import pathlib

import pytest

POLICIES = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "tests/data/policies"
ACTOR = POLICIES / "cmc_sde_10000_actor.onnx"
CAR = ("--env", "continuous-mountain-car", "--policy", ACTOR, "--rollouts", 30, "--episodes", 40)


def embed(mercer, *flags):
    return mercer.json("embed", *CAR, "--out", "p.mercer", *flags)


def test_says_what_it_costs(mercer):
    said = embed(mercer, "--basis", "db4", "--k", 100, "--state-bins", 20, "--action-bins", 10)
    assert said["route"] == "lattice" and said["basis"].startswith("db4") and said["k"] == 100
    assert said["visited_cells"] < 400 and 0 < said["pruned_percent"] < 100
    assert 0 <= said["tv"] < 1 and 0 <= said["w1"] < 2
    assert set(said["returns"]) == {"teacher", "lattice", "embedding"}
    assert said["bytes"] == (mercer.folder / "p.mercer").stat().st_size > said["payload_bytes"] > 100


def test_what_comes_out_is_a_policy(mercer):
    said = embed(mercer, "--basis", "svd", "--k", 4)
    played = mercer.json("evaluate", "--env", "continuous-mountain-car", "--policy", "p.mercer", "--seed", 1,
                         "--episodes", 40)
    assert played["return"] == said["returns"]["embedding"]


def test_acts_from_coefficients(mercer):
    said = embed(mercer, "--basis", "dct", "--k", 100)
    for settings in ("from=coefficients", "from=decoded,draw=inverse"):
        played = mercer.json("evaluate", "--env", "continuous-mountain-car", "--policy", f"p.mercer:{settings}",
                             "--seed", 1, "--episodes", 40)
        assert played["return"] == said["returns"]["embedding"]
    refused = mercer.fails(2, "evaluate", "--env", "continuous-mountain-car", "--policy", "p.mercer:drw=alias")
    assert "Did you mean 'draw'?" in refused


def test_inspect(mercer):
    embed(mercer, "--basis", "fourier", "--k", 50)
    shown = mercer.json("inspect", "p.mercer")
    assert shown["basis"] == "fourier" and shown["k"] == 50 and shown["env"] == "continuous-mountain-car"
    assert shown["settings"]["k"] == "50"
    printed = mercer.ok("inspect", "p.mercer").stdout
    assert "basis fourier, k 50" in printed and "#" in printed and "100.0000%" in printed


def test_presets_differ(mercer):
    paper = embed(mercer, "--preset", "paper", "--basis", "fourier", "--state-bins", 20)
    best = embed(mercer, "--preset", "best", "--basis", "fourier", "--state-bins", 20)
    assert paper["visited_cells"] != best["visited_cells"]


def test_same_command_same_bytes(mercer):
    embed(mercer, "--basis", "db4", "--k", 60, "--threads", 1)
    once = (mercer.folder / "p.mercer").read_bytes()
    embed(mercer, "--basis", "db4", "--k", 60, "--threads", 2)
    twice = (mercer.folder / "p.mercer").read_bytes()
    assert once[-500:] == twice[-500:]  # the payload; the manifest in front names the settings


@pytest.mark.parametrize("flags, code, said", [
    (["--basis", "furier"], 2, "Did you mean 'fourier'?"),
    (["--k", 10**9], 2, "legal: 1 to"),
    (["--state-edges", "quartile"], 2, "edge rule"),
    (["--state-bins", "3,4,5"], 2, "3 numbers of state bins for 2"),
    (["--preset", "worst"], 2, "preset"),
    (["--simplex", "softmax"], 2, "Use clip or euclidean"),
    (["--prune", 2], 2, "pruning threshold"),
    (["--out", "p.bin"], 2, "does not end in .mercer"),
    (["--out", "nowhere/p.mercer"], 3, "E302"),
])
def test_bad_input_is_told(mercer, flags, code, said):
    assert said in mercer.fails(code, "embed", *CAR, "--out", "p.mercer", *flags)
    assert not list(mercer.folder.glob("*.mercer"))


def test_inspect_refuses_other_files(mercer):
    (mercer.folder / "x.mercer").write_text("text")
    assert "E30" in mercer.fails(3, "inspect", "x.mercer")
    assert "no embedding was named" in mercer.fails(2, "inspect")
