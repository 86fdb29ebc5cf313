"""Perturbed tasks through the program: one of them, a box of them, and a grid over the box."""

import os
import pathlib

import pytest

POLICIES = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "tests/data/policies"
ACTOR = POLICIES / "cmc_sde_10000_actor.onnx"
PENDULUM = POLICIES / "pendulum_5000_actor.onnx"
CAR = ("--env", "continuous-mountain-car", "--policy", ACTOR)
BOX = "force=0.0014..0.0016; delay=0..1"


def test_a_perturbed_task_is_played(mercer):
    few = ("--policy", PENDULUM, "--episodes", 50, "--act", "mean")
    plain = mercer.json("evaluate", "--env", "pendulum", *few)["return"]
    same = mercer.json("evaluate", "--env", "pendulum:m=1,noise=0,delay=0", *few)["return"]
    other = mercer.json("evaluate", "--env", "pendulum:m=1.2,noise=0.02,delay=1", *few)
    assert same == plain
    assert other["env"] == "pendulum:m=1.2,noise=0.02,delay=1"
    assert other["return"]["mean"] < plain["mean"]
    box = ("evaluate", "--env", "pendulum:m=0.8..1.2,noise=0..0.05", *few)
    assert mercer.json(*box, "--threads", 1, "--batch", 7) == mercer.json(*box, "--threads", 2)


def test_noise_of_what_has_no_bounds_is_measured(mercer):
    said = mercer.ok("evaluate", "--env", "cart-pole:noise=0.02", "--policy", "uniform", "--episodes", 20,
                     "--log-level", "info").stderr
    assert "the spread of velocity is " in said and "the spread of angular_velocity is " in said


@pytest.mark.parametrize("env, part", [
    ("pendulum:m=0", "E202: task 'pendulum': m is 0; legal: 0.1 to 10."),
    ("pendulum:mass=1", "E201: no setting of task 'pendulum' is called 'mass'."),
    ("cart-pole:lag=0.5", "E203: task 'cart-pole': lag does not go with a discrete action. Use delay."),
    ("pendulum:delay=0.5", "E203: delay is 0.5, which is not an integer."),
])
def test_what_is_illegal_is_refused(mercer, env, part):
    assert part in mercer.fails(2, "evaluate", "--env", env, "--policy", "uniform")


def test_list_shows_what_can_be_perturbed(mercer):
    tasks = {row["name"]: row for row in mercer.json("list")["tasks"]}
    mass = next(row for row in tasks["pendulum"]["parameters"] if row["name"] == "m")
    assert (mass["nominal"], mass["low"], mass["high"], mass["integer"]) == (1, 0.1, 10, False)
    assert [row["name"] for row in mercer.json("list")["disturbances"]] == [
        "noise", "action_noise", "delay", "lag", "levels"]
    page = mercer.ok("list", "cart-pole").stdout
    assert "masspole" in page and "mass of the pole, kg [0.1; 0.01 to 2]" in page


def test_certify_over_a_box(mercer):
    mercer.ok("embed", *CAR, "--route", "continuous", "--k", 3, "--rollouts", 20, "--episodes", 20, "--out", "p.mercer")
    said = mercer.json("certify", "p.mercer", "--episodes", 100, "--level", "statistical", "--perturb", BOX, "--grid", 2)
    assert said["env"] == "continuous-mountain-car:force=0.0014..0.0016,delay=0..1"
    grid = said["grid"]
    assert grid["names"] == ["force", "delay"] and grid["episodes"] == 100
    assert [point["values"] for point in grid["points"]] == [
        [0.0015, 0], [0.0014, 0], [0.0014, 1], [0.0016, 0], [0.0016, 1]]
    for point in grid["points"]:
        assert point["upper_return"] >= point["loss_return"]
    assert mercer.json("inspect", "p.mercer")["certificate"] == said
    mercer.ok("certify", "p.mercer", "--episodes", 50, "--level", "statistical")
    assert mercer.json("inspect", "p.mercer")["certificate"]["grid"] is None


def test_a_box_that_is_wrong(mercer):
    mercer.ok("embed", *CAR, "--route", "continuous", "--k", 3, "--rollouts", 20, "--episodes", 20, "--out", "p.mercer")
    certify = ("certify", "p.mercer", "--episodes", 20)
    assert "E201: no parameter of task 'continuous-mountain-car' is called 'forc'. Did you mean 'force'?" in mercer.fails(
        2, *certify, "--perturb", "forc=0.001..0.002")
    assert "E203: perturbation 'force' has no value." in mercer.fails(2, *certify, "--perturb", "force")
    assert "E208: a grid of 40 values" in mercer.fails(
        2, *certify, "--perturb", "force=0.001..0.002; gravity=0.002..0.003", "--grid", 40)
