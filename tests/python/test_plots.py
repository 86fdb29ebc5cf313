"""Pictures: Axes in, Axes out, and what is drawn on them."""

import json

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as pyplot  # noqa: E402
import mercer  # noqa: E402
import numpy as np  # noqa: E402
import pytest  # noqa: E402
from conftest import ACTOR, DATA  # noqa: E402
from mercer import plots  # noqa: E402


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def searched():
    return mercer.compress(ACTOR, "pendulum", 0.5, polish="action", route="continuous", bases=["chebyshev"],
                           most_terms=4, select_episodes=50, certify_episodes=500, allow_unmet=True)


def test_return_against_bytes(searched):
    _, ax = pyplot.subplots()
    assert plots.return_against_bytes(searched, ax=ax) is ax
    front = [line for line in ax.lines if line.get_label() == "front"][0]
    assert np.array_equal(front.get_xdata(), [c["payload_bytes"] for c in searched.front])
    assert searched.plot().get_xlabel() == "bytes"


def test_coefficient_energy(small):
    _, ax = pyplot.subplots()
    plots.coefficient_energy(small, ax=ax)
    share = ax.lines[0].get_ydata()
    assert len(share) == 6 and np.all(np.diff(share) >= 0) and share[-1] == pytest.approx(1)
    lattice = mercer.embed_lattice(ACTOR, "pendulum", k=100, rollouts=10)
    assert plots.coefficient_energy(lattice).lines[0].get_ydata()[-1] <= 1


def test_heat_maps_and_polar_plots(small, teacher):
    _, ax = pyplot.subplots()
    assert plots.heat_map(small, dimensions=(1, 2), points=20, ax=ax) is ax
    assert ax.get_xlabel() == "sin_theta" and len(ax.collections[0].get_array().ravel()) == 400
    assert plots.polar(teacher, points=20).name == "polar"
    assert small.plot(points=10).name == "polar"
    small.plot().figure.canvas.draw()
    car = mercer.embed_continuous(DATA / "policies/mc_dqn_120000_q.onnx", "mountain-car", k=2, rollouts=3, rounds=1)
    assert car.plot(points=10).get_xlabel() == "position"


def test_bound_against_measured():
    golden = json.loads((DATA / "golden/theory/mdp_101_n3_m2.json").read_text())
    mdp = mercer.TabularMdp(golden["P_s_a_sprime"], golden["r"], golden["mu"], golden["gamma"])
    rows = mercer.bound_rows(mdp, golden["pi1"], golden["pi2"])
    ax = plots.bound_against_measured(rows)
    assert ax.get_xlabel() == "measured" and len(ax.collections) == 2
    ax.figure.canvas.draw()
