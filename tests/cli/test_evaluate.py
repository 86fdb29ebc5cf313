"""mercer evaluate: returns of one policy, and of two on the same starts."""

import json
import os
import pathlib

DATA = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "tests/data"


def test_evaluate_is_rollout_without_the_steps(mercer):
    play = ["--env", "cart-pole", "--policy", "uniform", "--episodes", 200, "--seed", 3]
    rolled = mercer.json("rollout", *play, "--out", "r.npz")
    played = mercer.json("evaluate", *play)
    read = mercer.json("evaluate", "--rollouts", "r.npz")
    assert rolled["return"] == played["return"] == read["return"]
    assert played["episodes"] == 200 and played["steps"] == rolled["steps"]


def test_one_episode_has_no_interval(mercer):
    played = mercer.json("evaluate", "--env", "pendulum", "--policy", "uniform", "--episodes", 1)
    assert played["return"]["std"] is None and played["return"]["ci95"] == [None, None]


def test_how_actions_were_played_is_said(mercer):
    play = ("evaluate", "--env", "pendulum", "--policy", "uniform", "--episodes", 2)
    assert "drawn actions (--act sample), 2 episodes" in mercer.ok(*play).stderr
    assert "mean actions (--act mean), 2 episodes" in mercer.ok(*play, "--act", "mean").stderr
    greedy = DATA / "policies/mc_dqn_120000_q.onnx"
    assert "seed 0, deterministic, 2 episodes" in mercer.ok("evaluate", "--env", "mountain-car", "--policy", greedy, "--episodes", 2).stderr
    mean = DATA / "export/pendulum_5000.mercer"
    assert "seed 0, deterministic, 2 episodes" in mercer.ok("evaluate", "--env", "pendulum", "--policy", mean, "--episodes", 2).stderr


def test_a_policy_loses_nothing_against_itself(mercer):
    played = mercer.json("evaluate", "--env", "pendulum", "--policy", "uniform", "--against", "uniform")
    assert played["paired"] == {"loss_mean": 0, "loss_percent": 0, "ci95_percent": [0, 0]}


def test_going_right_beats_chance_on_the_chain(mercer):
    (mercer.folder / "right.json").write_text(json.dumps({"pi": [[0, 1]] * 10}))
    played = mercer.json("evaluate", "--env", "chain", "--policy", "tabular:right.json", "--against", "uniform")
    assert played["return"]["mean"] == 91  # from state 0 the last of 10 is reached after 9 steps of 100
    assert played["paired"]["ci95_percent"][1] < 0


def test_names_people_know_are_understood(mercer):
    mean = mercer.json("evaluate", "--env", "pendulum", "--policy", "uniform")["return"]
    assert mercer.json("evaluate", "--env", "Pendulum-v1", "--policy", "uniform")["return"] == mean
    (mercer.folder / "right.json").write_text(json.dumps({"pi": [[0, 1]] * 10}))
    assert mercer.json("evaluate", "--env", "chain", "--policy", "right.json")["return"]["mean"] == 91


def test_rollouts_can_be_discounted_anew(mercer):
    play = ["--env", "pendulum", "--policy", "uniform"]
    mercer.ok("rollout", *play, "--out", "r.npz")
    anew = mercer.json("evaluate", "--rollouts", "r.npz", "--gamma", 0.5)["discounted_return"]
    assert anew == mercer.json("evaluate", *play, "--gamma", 0.5)["discounted_return"]


def test_a_json_process_is_a_task(mercer):
    (mercer.folder / "coin.json").write_text(
        json.dumps({"P": [[[1]]], "r": [[0.5]], "mu": [1], "gamma": 0.5, "horizon": 4}))
    played = mercer.json("evaluate", "--env", "coin.json", "--policy", "uniform")
    assert played["return"]["mean"] == 2
    assert played["discounted_return"]["mean"] == 0.5 * (1 + 0.5 + 0.25 + 0.125)


def test_the_document_can_go_to_a_file(mercer):
    printed = mercer.json("evaluate", "--env", "pendulum", "--policy", "uniform", "--out", "e.json")
    assert json.loads((mercer.folder / "e.json").read_text()) == printed


def test_people_read_standard_error(mercer):
    done = mercer.ok("evaluate", "--env", "pendulum", "--policy", "uniform", LC_ALL="C.UTF-8")
    assert done.stdout == "" and "95% interval" in done.stderr and "█" in done.stderr
    plain = mercer.ok("evaluate", "--env", "pendulum", "--policy", "uniform", LC_ALL="C")
    assert "#" in plain.stderr and plain.stderr.isascii()
    assert mercer.ok("evaluate", "--env", "pendulum", "--policy", "uniform", "--quiet").stderr == ""


def test_no_bar_begins_at_minus_zero(mercer):
    # 14 bins from -0.01 to 0.06: the edge at zero comes out a little below it.
    process = {"P": [[[1], [1]]], "r": [[-0.01, 0.06]], "mu": [1], "gamma": 0.5, "horizon": 1}
    (mercer.folder / "mdp.json").write_text(json.dumps(process))
    said = mercer.ok("evaluate", "--env", "mdp.json", "--policy", "uniform", "--episodes", 200).stderr
    labels = [line.split()[0] for line in said.splitlines() if "│" in line or "|" in line]
    assert len(labels) == 14 and labels[0] == "-0.0100"
    assert all(float(label) != 0 or not label.startswith("-") for label in labels)
    assert any(float(label) == 0 for label in labels)
