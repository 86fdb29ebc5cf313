"""Finite processes: solutions and bounds against the golden files."""

import json

import mercer
import numpy as np
import pytest
from conftest import DATA

GOLDEN = sorted((DATA / "golden/theory").glob("mdp_*.json"))


def process(golden):
    return mercer.TabularMdp(golden["P_s_a_sprime"], golden["r"], golden["mu"], golden["gamma"])


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_solutions(path):
    golden = json.loads(path.read_text())
    for which in ("1", "2"):
        found = process(golden).solve(np.array(golden["pi" + which]))
        expected = golden["expected"]["policy" + which]
        assert {"V", "Q", "A", "eta", "d", "rho", "Z", "P_pi"} <= set(found)
        n, m = golden["n"], golden["m"]
        assert found["Q"].shape == (n, m) and found["Z"].shape == found["P_pi"].shape == (n, n)
        checked = 0
        for key in ("V", "Q", "A", "eta", "d", "rho", "Z", "P_pi"):
            for name, value in expected.items():
                if name.split("_")[0] == key or name == key:
                    if np.shape(value) == np.shape(found[key]):
                        np.testing.assert_allclose(found[key], value, rtol=1e-7, atol=1e-9, err_msg=name)
                        checked += 1
                        break
        assert checked >= 6, list(expected)
        P_pi = np.einsum("sa,sat->st", golden["pi" + which], golden["P_s_a_sprime"])
        np.testing.assert_allclose(found["P_pi"], P_pi, atol=1e-12)


@pytest.mark.parametrize("kernel", ["sobolev", "identity"])
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_bounds_by_both_kinds_of_names(path, kernel):
    golden = json.loads(path.read_text())
    found = mercer.bounds(process(golden), golden["pi1"], golden["pi2"], kernel=kernel)
    for name, value in golden["expected"][f"bounds_{kernel}_kernel"].items():
        if name != "pdl_identity_d2A1":
            assert found[name] == pytest.approx(value, rel=1e-9, abs=1e-10), name
    for name in ["B0", "B1", "B1'", "B2", "B2'", "B3", "B4", "B5", "B6", "B7", "B7'", "B8", "B9"]:
        assert found[name] >= found["true"] * (1 - 1e-9), name


def test_rows_tell_what_they_rest_on():
    golden = json.loads(GOLDEN[0].read_text())
    rows = mercer.bound_rows(process(golden), golden["pi1"], golden["pi2"], horizon=10)
    levels = {row["level"] for row in rows}
    assert levels == {"paper", "rigorous"} and all(row["needs"] for row in rows)
    assert any(row["id"].endswith("_T") for row in rows)


def test_finite_horizons_and_ready_made_processes():
    chain = mercer.make_chain(5, 0.8, 50)
    right = np.tile([0.0, 1.0], (5, 1))
    solved = chain.solve_finite_horizon(right, 50)
    assert solved["V"].shape == (51, 5) and solved["visits"].shape == (50, 5)
    assert solved["eta"] == pytest.approx(np.sum(solved["visits"][:, 4]))  # a reward for each step from the last state
    np.testing.assert_allclose(solved["visits"].sum(axis=1), 1)
    assert mercer.make_noisy_bandit(10, 0.1, 3).rewards.shape == (1, 10)


def test_a_process_without_a_single_long_run():
    P = np.zeros((2, 1, 2))
    P[0, 0, 0] = P[1, 0, 1] = 1
    found = mercer.TabularMdp(P, [[1], [0]], [0.5, 0.5], 0.9).solve([[1], [1]])
    assert found["rho"] is None and found["Z"] is None and found["no_long_run"]
    assert found["eta"] == pytest.approx(5)


@pytest.mark.parametrize(
    "arguments, text",
    [
        ((np.ones((2, 2)), [[0, 0]], [1, 0]), "needed: \\[state\\]"),
        ((np.full((2, 1, 2), 0.4), [[0], [0]], [1, 0]), "E207"),
        ((np.full((2, 1, 2), 0.5), [[0]], [1, 0]), "E206"),
    ],
)
def test_unsound_processes_are_refused(arguments, text):
    with pytest.raises(ValueError, match=text):
        mercer.TabularMdp(*arguments)
    with pytest.raises(ValueError, match="E207"):
        mercer.TabularMdp(np.full((2, 1, 2), 0.5), [[0], [0]], [1, 0]).solve([[0.7], [1]])
