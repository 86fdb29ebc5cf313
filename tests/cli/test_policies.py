"""Networks as policies, through the program."""

import os
import pathlib
import re

import pytest

ROOT = pathlib.Path(os.environ["SOURCE_FOLDER"])
POLICIES = ROOT / "tests/data/policies"
ACTOR = POLICIES / "pendulum_5000_actor.onnx"
CRITIC = POLICIES / "cmc_sde_10000_critic.onnx"
DQN = POLICIES / "mc_dqn_120000_q.onnx"


def play(mercer, env, policy, *flags):
    return mercer.json("evaluate", "--env", env, "--policy", policy, "--episodes", 20, *flags)["return"]["mean"]


def test_an_actor_beats_chance(mercer):
    done = mercer.json("evaluate", "--env", "pendulum", "--policy", ACTOR, "--episodes", 50, "--against", "uniform")
    assert done["policy"] == str(ACTOR)
    assert done["return"]["mean"] > -250 and done["paired"]["ci95_percent"][1] < -50


def test_the_log_says_what_a_network_was_taken_for(mercer):
    said = f"'{ACTOR}' is read as a gaussian policy of outputs mean, log_std; squash tanh, scale 2, centre 0"
    play = ("evaluate", "--env", "pendulum", "--policy", ACTOR, "--episodes", 2)
    assert said not in mercer.ok(*play).stderr
    for verb in (play, ("evaluate", "--env", "pendulum", "--policy", "uniform", "--against", ACTOR, "--episodes", 2),
                 ("rollout", "--env", "pendulum", "--policy", ACTOR, "--episodes", 2, "--out", "r.npz"),
                 ("embed", "--env", "pendulum", "--policy", ACTOR, "--episodes", 2, "--rollouts", 5, "--out", "a.mercer"),
                 ("certify", "a.mercer", "--episodes", 2, "--coupled", 2, "--dry-run", "--level", "statistical"),
                 ("report", "a.mercer", "--episodes", 2, "--out", "a.html")):
        assert said in mercer.ok(*verb, "--log-level", "info").stderr, verb


def test_flags_win_over_the_name_and_that_over_the_file_beside(mercer):
    (mercer.folder / "q.onnx").write_bytes(DQN.read_bytes())
    greedy = play(mercer, "mountain-car", "q.onnx")
    assert greedy > -130
    (mercer.folder / "q.toml").write_text("temperature = 1e6\n")  # all but uniform: never gets up
    assert play(mercer, "mountain-car", "q.onnx") == -200
    assert play(mercer, "mountain-car", "q.onnx:kind=greedy") == greedy
    assert play(mercer, "mountain-car", "q.onnx:kind=greedy", "--kind", "boltzmann") == -200


def test_settings_come_from_everywhere(mercer):
    expected = play(mercer, "continuous-mountain-car", CRITIC, "--temperature", 0.5)
    (mercer.folder / "c.toml").write_text("temperature = 0.5\n")
    assert play(mercer, "continuous-mountain-car", CRITIC, "--config", "c.toml") == expected
    environment = {"MERCER_TEMPERATURE": "0.5"}
    done = mercer.json("evaluate", "--env", "continuous-mountain-car", "--policy", CRITIC, "--episodes", 20, **environment)
    assert done["return"]["mean"] == expected


def test_lists_in_flags_and_toml(mercer):
    flags = ("--obs-mean", "0;0;0", "--obs-var", "1,1,1", "--obs-epsilon", 0)
    plain = play(mercer, "pendulum", ACTOR)
    assert play(mercer, "pendulum", ACTOR, *flags) == plain
    (mercer.folder / "n.toml").write_text("obs-mean = [0, 0, 0]\nobs-var = [1.0, 1.0, 1.0]\nobs-epsilon = 0\n")
    assert play(mercer, "pendulum", ACTOR, "--config", "n.toml") == plain


@pytest.mark.parametrize("policy, flags, code, said", [
    ("missing.onnx", [], 3, "E301"),
    ("text.onnx", [], 3, "E303"),
    ("text.safetensors", [], 3, "E30"),
    (CRITIC, [], 2, "takes 2 numbers and task 'pendulum' gives 3"),
    (f"{ACTOR}:kimd=greedy", [], 2, "Did you mean 'kind'?"),
    (ACTOR, ["--temperature", "cold"], 2, "--temperature"),
    (ACTOR, ["--spread", "2"], 2, "at most 1"),
    (ACTOR, ["--kind", "greedy"], 3, "make no greedy policy: mean (1), log_std (1)"),
    ("uniform", ["--squash", "none"], 2, "is for networks"),
    (ACTOR, ["--temperature", "1"], 2, "is Gaussian, and a temperature is not for that"),
    (ACTOR, ["--spread", "0.5"], 2, "is Gaussian, and a spread is not for that"),
    ("runs", [], 2, "FILE.onnx"),
])
def test_bad_input_is_told(mercer, policy, flags, code, said):
    (mercer.folder / "text.onnx").write_text("this is no network\n" * 10)
    (mercer.folder / "text.safetensors").write_text("this is no network\n" * 10)
    assert said in mercer.fails(code, "evaluate", "--env", "pendulum", "--policy", policy, *flags)


def test_documents_list_the_operators(mercer):
    page = (ROOT / "docs/guide/policies.md").read_text()
    listed = re.findall(r"\w+", page.split("with these operators:\n\n")[1].split("\n\n")[0])
    assert listed == sorted(mercer.json("list")["onnx_operators"])


def test_documents_list_the_settings(mercer):
    page = (ROOT / "docs/guide/policies.md").read_text()
    options = mercer.json("list", "--options")["evaluate"]
    shown = [option["name"] for option in options if option["group"] == "network"]
    assert len(shown) == 20 and all(f"`{name}`" in page for name in shown)
