"""Agents of Stable-Baselines3 as teachers, through the program."""

import os
import pathlib
import pickle
import shutil
import sys
import types

import numpy

DATA = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "tests/data"
ACTOR = DATA / "policies/pendulum_5000_actor.onnx"
AGENT = DATA / "sb3/pendulum_5000_actor.zip"


def play(mercer, policy, *flags):
    return mercer.json("evaluate", "--env", "pendulum", "--policy", policy, "--episodes", 10, *flags)["return"]


def test_an_agent_earns_what_its_export_earns(mercer):
    assert play(mercer, AGENT) == play(mercer, f"{AGENT}:normaliser=none") == play(mercer, ACTOR)


def test_a_missing_normaliser_is_a_warning_until_it_is_confirmed(mercer):
    play = ("evaluate", "--env", "pendulum", "--policy", AGENT, "--episodes", 1)
    assert "vecnormalize.pkl" in mercer.ok(*play).stderr
    assert "warning" not in mercer.ok(*play, "--normaliser", "none").stderr
    assert "E301" in mercer.fails(3, *play, "--normaliser", "other.pkl")


def test_an_agent_must_fit_the_task(mercer):
    said = mercer.fails(2, "evaluate", "--env", "cart-pole", "--policy", AGENT, "--normaliser", "none")
    assert "E206" in said and "outputs 1 number;" in said and "one of 2 discrete actions" in said


def test_inspect_shows_what_an_agent_is(mercer):
    shutil.copy(AGENT, mercer.folder / "a.zip")
    told = mercer.json("inspect", "a.zip", "--normaliser", "none")
    assert told["algorithm"] == "SAC" and len(told["sha256"]) == 64
    assert [axis["range"] for axis in told["contract"]["observation"]["axes"]] == [[-1, 1], [-1, 1], [-8, 8]]
    assert told["layers"][0]["inputs"] == 3 and told["activation"] == "ReLU"
    assert "squash tanh, scale 2, centre 0" in told["plays"]
    page = mercer.ok("inspect", "a.zip", "--normaliser", "none").stdout
    assert "an agent of SAC" in page and "SHA-256 " + told["sha256"] in page
    assert "E301" in mercer.fails(3, "inspect", "a.onnx")
    assert "not a policy file" in mercer.fails(2, "inspect", "a.txt")


def test_an_embedding_knows_the_agent_that_it_was_made_from(mercer):
    shutil.copy(AGENT, mercer.folder / "a.zip")
    mercer.ok("embed", "--env", "pendulum", "--policy", "a.zip", "--normaliser", "none", "--route", "continuous", "--k", 4,
              "--rollouts", 5, "--rounds", 1, "--episodes", 5, "--out", "p.mercer")
    made = mercer.json("inspect", "p.mercer")
    assert made["teacher"] == "a.zip" and len(made["teacher_sha256"]) == 64 and made["settings"]["normaliser"] == "none"
    again = ("certify", "p.mercer", "--episodes", 4, "--coupled", 2, "--dry-run", "--level", "statistical")
    assert "vecnormalize.pkl" not in mercer.ok(*again).stderr
    with (mercer.folder / "a.zip").open("ab") as file:
        file.write(b"x")
    assert "SHA-256" in mercer.fails(2, *again, "--policy", "a.zip")


def save_normaliser(path, monkeypatch, mean):
    """What VecNormalize.save writes, without the package."""
    made = []
    for parent in ("stable_baselines3", "stable_baselines3.common", "stable_baselines3.common.vec_env"):
        monkeypatch.setitem(sys.modules, parent, types.ModuleType(parent))
    for name, kind in (("running_mean_std", "RunningMeanStd"), ("vec_env.vec_normalize", "VecNormalize")):
        module = f"stable_baselines3.common.{name}"
        made.append(type(kind, (), {"__module__": module}))
        monkeypatch.setitem(sys.modules, module, types.ModuleType(module))
        setattr(sys.modules[module], kind, made[-1])
    statistics, normaliser = made[0](), made[1]()
    statistics.__dict__.update(mean=numpy.array(mean, float), var=numpy.ones(len(mean)), count=1e-4)
    normaliser.__dict__.update(obs_rms=statistics, norm_obs=True, clip_obs=10.0, epsilon=1e-8)
    path.write_bytes(pickle.dumps(normaliser, protocol=4))


def test_an_embedding_knows_the_normaliser_of_its_teacher(mercer, monkeypatch):
    shutil.copy(AGENT, mercer.folder / "a.zip")
    save_normaliser(mercer.folder / "vecnormalize.pkl", monkeypatch, [0, 0, 0])
    mercer.ok("embed", "--env", "pendulum", "--policy", "a.zip", "--route", "continuous", "--k", 4,
              "--rollouts", 5, "--rounds", 1, "--episodes", 5, "--out", "p.mercer")
    assert len(mercer.json("inspect", "p.mercer")["settings"]["normaliser_sha256"]) == 64
    again = ("certify", "p.mercer", "--episodes", 4, "--coupled", 2, "--dry-run", "--level", "statistical")
    mercer.ok(*again)
    # The same statistics in another place are the same teacher; others are not, wherever they come from.
    (mercer.folder / "stats").mkdir()
    shutil.move(mercer.folder / "vecnormalize.pkl", mercer.folder / "stats/n.pkl")
    assert "its normaliser is not set" in mercer.fails(2, *again)
    mercer.ok(*again, "--normaliser", "stats/n.pkl")
    save_normaliser(mercer.folder / "vecnormalize.pkl", monkeypatch, [0, 0, 1])
    assert "SHA-256 of its normaliser" in mercer.fails(2, *again)
    mercer.ok(*again, "--accept-other-teacher")
    mercer.ok("embed", "--env", "pendulum", "--policy", "a.zip", "--normaliser", "stats/n.pkl", "--route", "continuous",
              "--k", 4, "--rollouts", 5, "--rounds", 1, "--episodes", 5, "--out", "stats/q.mercer")
    mercer.ok("certify", "stats/q.mercer", *again[2:])
