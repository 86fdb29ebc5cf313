"""Physics tasks through the program: trained, played, embedded and exported as the classic ones are."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

POLICIES = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "tests/data/policies/physics"
TEACHERS = {name: POLICIES / f"{name}.safetensors"
            for name in ("swimmer", "reacher", "quadrotor", "hopper")}
SHORT = ("--episodes", 66, "--horizon", 30, "--act", "mean")


def skip_unless_built(mercer, task):
    said = mercer.run("evaluate", "--env", task, "--policy", "uniform", "--episodes", 1, "--horizon", 1).stderr
    if "libmujoco-dev" in said or "libbox2d-dev" in said:
        pytest.skip(said)


def teacher(mercer, task):
    """A committed teacher, or a small network that has learned a little."""
    skip_unless_built(mercer, task)
    if task in TEACHERS:
        return TEACHERS[task]
    mercer.ok("train", "--env", task, "--algo", "sac", "--steps", 300, "--warmup", 200, "--hidden", "16x16",
              "--out", "run")
    return "run/policy.safetensors"


def embed(mercer, task, policy):
    mercer.ok("embed", "--env", task, "--policy", policy, "--route", "continuous", "--basis", "ridge", "--k", 6,
              "--rollouts", 20, "--episodes", 4, "--horizon", 40, "--out", "small.mercer")
    return "small.mercer"


@pytest.mark.parametrize("task", ["swimmer", "reacher", "quadrotor", "hopper", "half-cheetah",
                                  "lunar-lander-continuous", "bipedal-walker"])
def test_the_same_bytes_on_any_number_of_threads_and_in_any_batch(mercer, task):
    network = teacher(mercer, task)
    for policy in (network, embed(mercer, task, network)):
        files = set()
        for threads in (1, 2):
            for batch in (1, 7, 64):
                mercer.ok("rollout", "--env", task, "--policy", policy, *SHORT, "--threads", threads, "--batch", batch,
                          "--out", "played.npz")
                files.add((mercer.folder / "played.npz").read_bytes())
        assert len(files) == 1


def test_exported_c_acts_as_the_embedding_does(mercer):
    task = "hopper"
    embed(mercer, task, teacher(mercer, task))
    mercer.ok("export", "c", "small.mercer", "--out", "c", "--name", "hop")
    header = (mercer.folder / "c/hop.h").read_text()
    for name in ("rootz", "thigh_joint_velocity", "thigh_joint_control", "foot_joint_control", "rad/s"):
        assert name in header
    sources = sorted(map(str, (mercer.folder / "c").glob("*.c")))
    subprocess.run(["gcc", "-std=c99", "-Wall", "-Werror", "-O1", *sources, "-lm", "-o", mercer.folder / "hop"],
                   check=True)
    # The program runs the self-test, which compares with actions of the embedding, before it acts.
    ran = subprocess.run([mercer.folder / "hop"], capture_output=True, text=True, check=True).stdout
    assert [line.split()[0] for line in ran.splitlines()] == 11 * ["observation"] + 3 * ["action"]


def test_the_quadrotor_hovers_within_five_centimetres(mercer):
    mercer.ok("rollout", "--env", "quadrotor", "--policy", TEACHERS["quadrotor"], "--episodes", 50, "--act", "mean",
              "--out", "hover.npz")
    flown = np.load(mercer.folder / "hover.npz")
    whole = np.diff(flown["offsets"]) == 500
    assert whole.mean() > 0.9
    last = [flown["observations"][end - 100:end, :3] for end in flown["offsets"][1:][whole]]
    assert max(np.linalg.norm(error, axis=1).max() for error in last) < 0.05


def test_a_box_of_masses_is_played_on_a_robot(mercer):
    skip_unless_built(mercer, "swimmer")
    found = mercer.json("evaluate", "--env", "swimmer:mass=0.8..1.2,delay=0..1", "--policy", TEACHERS["swimmer"],
                        "--episodes", 20, "--act", "mean", "--horizon", 200)
    plain = mercer.json("evaluate", "--env", "swimmer", "--policy", TEACHERS["swimmer"], "--episodes", 20, "--act",
                        "mean", "--horizon", 200)
    assert 0 < found["return"]["mean"] != plain["return"]["mean"]
    assert "mass.mid" in mercer.ok("list", "swimmer").stdout
    assert "mass.torse" in mercer.fails(2, "evaluate", "--env", "swimmer:mass.torse=2", "--policy", "uniform")
