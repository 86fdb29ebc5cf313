"""What `embedding.formula()` prints is what the embedding plays: an independent reader computes every line."""

import sys

import mercer
import numpy as np
import pytest
from conftest import ACTOR, DATA, ROOT

sys.path.insert(0, str(ROOT / "tests/support"))
from read_formula import evaluate, run_python  # noqa: E402

STATES = 1000
CAR = DATA / "policies/cmc_sde_10000_actor.onnx"
SHORT = {"rollouts": 10, "rounds": 1, "seed": 3}


def bases():
    """Of the continuous route, as `mercer list` has them."""
    from cli_program import Mercer

    return [basis["name"] for basis in Mercer(None).json("list")["continuous_bases"]]


def states_of(embedding, rng, wide=3.0):
    """States that fill the declared ranges, and [-wide, wide] where there are none."""
    columns = {}
    for axis in embedding.contract["observation"]["axes"]:
        low, high = axis["low"], axis["high"]
        finite = np.isfinite(low) and np.isfinite(high)
        columns[axis["name"]] = rng.uniform(low, high, STATES) if finite else rng.uniform(-wide, wide, STATES)
    return columns


def check(embedding, rng):
    """Both notations give the mean action, to 1e-6 of its range; returns what they say."""
    given = states_of(embedding, rng)
    played = embedding.mean_action(np.stack(list(given.values()), axis=1))
    said = evaluate(embedding.formulas, given), run_python(embedding.formula("python").split("\n"), given)
    for values in said:
        for i, axis in enumerate(embedding.contract["action"]["axes"]):
            if played.ndim == 1:
                assert np.mean(values[axis["name"]] == played) > 0.998, "apart from ties"
            else:
                off = np.abs(values[axis["name"]] - played[:, i]).max() / (axis["high"] - axis["low"])
                assert off <= 1e-6, embedding.formula()
    return given, said[0]


@pytest.mark.parametrize("basis", bases())
@pytest.mark.parametrize("through", ["tanh", "clip"])
def test_every_basis(basis, through, rng):
    check(mercer.embed_continuous(ACTOR, "pendulum", basis=basis, k=6, through=through, **SHORT), rng)


@pytest.mark.parametrize("format", ["float32", "float16", "int16", "int8", "int7", "int6", "int5", "int4"])
def test_every_format_on_bent_axes(format, rng):
    embedding = mercer.embed_continuous(CAR, "continuous-mountain-car", k=8, format=format, knots=3, **SHORT)
    check(embedding, rng)
    assert "interp(" in embedding.formula()


def test_the_spread_of_a_gaussian(rng):
    embedding = mercer.embed_continuous(CAR, "continuous-mountain-car", basis="mixed", k=8, act="sample", **SHORT)
    given, said = check(embedding, rng)
    states = np.stack(list(given.values()), axis=1)
    # At the mean the density of a squashed normal action is 1 / (sigma sqrt(2 pi)) over the slope of the squashing.
    mean = np.clip(embedding.mean_action(states), -0.9999, 0.9999)
    at_mean = np.abs(embedding.mean_action(states)[:, 0]) < 0.9999
    wanted = -said["log_sigma_force"] - 0.5 * np.log(2 * np.pi) - np.log1p(-mean[:, 0] ** 2)
    np.testing.assert_allclose(embedding.log_prob(states, mean)[at_mean], wanted[at_mean], atol=1e-5)


def test_a_log_density(rng):
    critic = DATA / "policies/cmc_sde_10000_critic.onnx"
    embedding = mercer.embed_continuous(critic, "continuous-mountain-car", basis="legendre", k=8, act="sample", **SHORT)
    given = states_of(embedding, rng)
    states, actions = np.stack(list(given.values()), axis=1), rng.uniform(-1, 1, (2, STATES))
    said = [evaluate(embedding.formulas, {**given, "force": force})["log_density"] for force in actions]
    first, second = (embedding.log_prob(states, force[:, None]) for force in actions)
    np.testing.assert_allclose(said[0] - said[1], first - second, atol=5e-6)  # what is left out depends on the state


def test_discrete_actions_and_four_observations(rng):
    dqn = DATA / "policies/mc_dqn_120000_q.onnx"
    embedding = mercer.embed_continuous(dqn, "mountain-car", k=8, **SHORT)
    check(embedding, rng)
    assert embedding.formulas[-1] == "push = argmax(logit_0, logit_1, logit_2)"

    log = rng.normal(0, [1, 1, 0.1, 1], (2000, 4))
    pushes = (log @ [0.1, 0.3, 3.0, 0.8] + 0.3 * log[:, 0] ** 2 > 0).astype(int)
    poles = mercer.ContinuousEmbedder(k=9, env="cart-pole").fit(log, pushes)
    assert poles.formulas_ == poles.embedding_.formulas and "clip(" in poles.embedding_.formula()
    check(poles.embedding_, rng)


def test_latex_has_a_line_for_each_of_text():
    embedding = mercer.embed_continuous(ACTOR, "pendulum", k=6, **SHORT)
    latex = embedding.formula("latex").split("\n")
    assert len(latex) == len(embedding.formulas)
    for line in latex:
        assert line.count("{") == line.count("}") and line.count("\\left") == line.count("\\right") and "*" not in line
