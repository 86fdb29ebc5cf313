"""The check of embeddings by their exported C in numpy, and the tables that are made of it."""

import os
import subprocess

import numpy as np
import pytest
from alternatives.check import MOST_ERRORS, agreement, by_program, checked, errors_apart, in_numpy
from alternatives.exported_c import ExportedC
from alternatives.perturb import GRID, Perturbation
from alternatives.playing import Played
from alternatives.show_behaviour import tables, troubles
from alternatives.subjects import SUBJECTS, file_of
from alternatives.teacher import Network

MERCER = os.environ["BINARY_UNDER_TEST"]
NAMES = ("pendulum_5000", "cmc_sde_10000", "mc_dqn_120000")
SETTINGS = {"episodes": 400, "twin_episodes": 400, "seed": 1, "threads": 1}


@pytest.fixture(scope="module")
def embeddings(tmp_path_factory):
    """A small embedding of each network, and its exported C."""
    folder, made = tmp_path_factory.mktemp("embeddings"), {}
    for name in NAMES:
        task, file = SUBJECTS[name], folder / f"{name}.mercer"
        subprocess.run([MERCER, "embed", f"--env={task.name}", f"--policy={file_of(name)}", "--route=continuous", "--k=8",
                        "--rollouts=30", "--episodes=10", "--seed=2", "--act=mean", f"--out={file}", "--quiet"], check=True)
        (folder / name).mkdir()
        made[name] = file, ExportedC(MERCER, file, task, folder / name)
    return made


@pytest.mark.parametrize("name", NAMES)
def test_the_compiled_c_acts_as_the_embedding(name, embeddings):
    import mercer

    task, (file, exported) = SUBJECTS[name], embeddings[name]
    states = np.random.default_rng(3).uniform(task.low[:, None], task.high[:, None], (2, 500))
    seen = np.stack(task.observations(states), axis=-1)
    expected = mercer.read(str(file)).mean_action(seen).reshape(-1)
    if task.choices:
        assert (exported.act(seen) == expected).mean() > 0.99  # single precision may decide a tie the other way
        assert set(exported.act(seen)) == set(expected)
    else:
        np.testing.assert_allclose(exported.act(seen), expected, atol=2e-5)


# Fixed before it was run: 400 episodes each, means that differ by at most four standard errors.
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("point", [GRID[0], Perturbation(0.8, 0.05, 1)], ids=["as it is", "all at once"])
def test_program_and_exported_c_agree_in_the_task_and_next_door(name, point, embeddings):
    task, (file, exported) = SUBJECTS[name], embeddings[name]
    network = in_numpy(task, point, Network(task, file_of(name)).act, 400, 1)
    found = checked(MERCER, task, point, file, file_of(name), exported, network, SETTINGS)
    assert all(abs(apart) <= MOST_ERRORS for apart in found["errors_apart"].values()), found
    claimed = found["program"]
    error = network.returns.std(ddof=1) * np.sqrt(2 / 400)
    assert abs(network.returns.mean() - claimed["teacher_return"]) <= MOST_ERRORS * error
    error = network.roughness.std(ddof=1) * np.sqrt(2 / 400)
    assert abs(network.roughness.mean() - claimed["teacher_roughness"]) <= MOST_ERRORS * error
    assert (claimed["failures"] is None) == (not task.goal) and 0 < claimed["distance"] < 1


def test_a_wrong_twin_is_found_out(embeddings):
    """Without the delay that the program plays with, or with another mass, the check must fail."""
    task, (file, exported) = SUBJECTS["pendulum_5000"], embeddings["pendulum_5000"]
    claimed = by_program(MERCER, task, Perturbation(0.8, 0.05, 1), file, file_of("pendulum_5000"), 400, 1001)
    for wrong in (Perturbation(0.8, 0.05, 0), Perturbation(0.8, 0.02, 1)):
        twin = in_numpy(task, wrong, exported.act, 400, 1)
        assert max(abs(apart) for apart in agreement(claimed, twin).values()) > MOST_ERRORS, wrong


def test_differences_are_in_standard_errors():
    random = np.random.default_rng(1)
    twin = Played(random.normal(-100, 10, 400), np.full(400, 200), random.normal(0.02, 0.004, 400), None)
    claimed = {"episodes": 100, "return": twin.returns.mean() + 5, "return_std": 10.0, "roughness": twin.roughness.mean()}
    found = agreement(claimed, twin)
    assert found["return"] == pytest.approx(-5 / np.sqrt(twin.returns.var(ddof=1) / 400 + 1)) and found["roughness"] == 0
    assert errors_apart(0.0, 0.1, 0.0) == np.inf and errors_apart(0.5, 0.5, 0.0) == 0


def row(keep="behaviour", roughness=0.02, losses=(0.2, 0.1, 4.0, 0.3, 0.2, 0.1), failures=None, apart=0.5):
    points = [{"point": one.settings(SUBJECTS["pendulum_5000"]) or "nominal", "errors_apart": {"return": apart, "roughness": 0.0},
               "program": {"return": -150.0, "teacher_return": -150.0, "loss_percent": loss, "roughness": roughness,
                           "teacher_roughness": 0.02, "failures": failures, "teacher_failures": failures and 0.0,
                           "distance": 0.05, "distance_teacher": 0.04},
               "twin": {"return": -151.0, "roughness": 0.021}} for one, loss in zip(GRID, losses)]
    return {"policy": "pendulum_5000", "family": keep, "bytes": 12, "met": True, "upper_percent": 0.9, "points": points}


def test_tables_name_the_worst_point():
    text = "\n".join(tables([row(), row("return", roughness=0.5)]))
    assert "| pendulum_5000 | 12 | 14 | 0.90 | 0.20 | 0.0200 | 0.0200 | 0.0300 |  |  | 0.0400 | 0.0500 | m=1.2 | 4.00 |" in text
    assert "| pendulum_5000 | return | 0.20; 0.020, 0.500 |" in text
    assert "| pendulum_5000 | behaviour | -150.00 | -151.00 | 0.0200 | 0.0210 | 0.5 | 0.0 |" in text


def test_what_is_not_kept_is_named():
    assert troubles([row(), row("return", roughness=0.5), row("perturbed", roughness=0.5)], 4) == []
    assert "roughness 0.0310, allowed 0.0300" in troubles([row(roughness=0.031)], 4)[0]
    assert "2.0% fail" in troubles([row(failures=0.02)], 4)[0]
    assert len(troubles([row("return", apart=-4.1)], 4)) == 6
