"""mercer rollout: files that numpy loads, the same bytes whatever the threads and batches."""

import csv
import json

import numpy
import pytest

PLAY = ["rollout", "--env", "pendulum", "--policy", "uniform", "--episodes", 50, "--seed", 1]


def test_json_and_npz_agree(mercer):
    said = mercer.json(*PLAY, "--out", "r.npz")
    assert said["episodes"] == 50 and said["steps"] == 50 * 200 and said["file"] == "r.npz"
    with numpy.load(mercer.folder / "r.npz") as file:
        assert file["observations"].shape == (10000, 3) and file["observations"].dtype == numpy.float64
        assert file["states"].shape == (10000, 2) and file["actions"].shape == (10000, 1)
        assert file["terminated"].dtype == bool and not file["terminated"].any()
        assert list(file["offsets"]) == list(range(0, 10001, 200))
        assert json.loads(file["meta"].item())["env"] == "pendulum"
        rewards = file["rewards"].reshape(50, 200)
        assert numpy.allclose(rewards.sum(axis=1), file["returns"], rtol=1e-12)
        assert numpy.allclose(rewards @ 0.99 ** numpy.arange(200), file["discounted_returns"], rtol=1e-12)
        assert said["return"]["mean"] == pytest.approx(file["returns"].mean(), rel=1e-12)
        assert said["return"]["std"] == pytest.approx(file["returns"].std(ddof=1), rel=1e-12)
        # t(0.975, 49) = 2.009575 from any table of Student's distribution
        radius = 2.0095752 * file["returns"].std(ddof=1) / 50**0.5
        assert said["return"]["ci95"] == pytest.approx([file["returns"].mean() - radius, file["returns"].mean() + radius], rel=1e-7)


def test_discrete_actions_are_whole_numbers(mercer):
    mercer.ok("rollout", "--env", "cart-pole", "--policy", "uniform", "--out", "r.npz")
    with numpy.load(mercer.folder / "r.npz") as file:
        assert file["actions"].dtype == numpy.int64 and set(file["actions"].ravel()) == {0, 1}
        assert file["terminated"].all()


@pytest.mark.parametrize("env", ["pendulum", "continuous-mountain-car", "cart-pole", "chain:alpha=0.7", "turntable"])
def test_same_bytes_for_any_threads_and_batch(mercer, env):
    files = set()
    for threads in (1, 2):
        for batch in (1, 7, 4096, 0):
            play = ["rollout", "--env", env, "--policy", "uniform", "--episodes", 60, "--seed", 5]
            mercer.ok(*play, "--threads", threads, "--batch", batch, "--out", "r.npz")
            files.add((mercer.folder / "r.npz").read_bytes())
    assert len(files) == 1


def test_csv_holds_the_same_numbers(mercer):
    mercer.ok(*PLAY, "--out", "r.npz")
    mercer.ok(*PLAY, "--out", "r.csv")
    with numpy.load(mercer.folder / "r.npz") as file, open(mercer.folder / "r.csv") as text:
        rows = [row for row in csv.DictReader(text) if row["reward"]]
        assert [float(row["reward"]) for row in rows] == list(file["rewards"])
        assert [float(row["obs.sin_theta"]) for row in rows] == list(file["observations"][:, 1])
    assert mercer.json("evaluate", "--rollouts", "r.csv")["return"] == mercer.json("evaluate", "--rollouts", "r.npz")["return"]


def test_csv_marks_the_step_that_ended_an_episode(mercer):
    mercer.ok("rollout", "--env", "cart-pole", "--policy", "uniform", "--episodes", 20, "--out", "r.csv")
    with open(mercer.folder / "r.csv") as text:
        ends = [row["episode"] for row in csv.DictReader(text) if row["terminated"] == "1"]
    assert ends == [str(episode) for episode in range(20)]


def test_starts_can_be_fixed(mercer):
    mercer.ok(*PLAY, "--out", "a.npz")
    mercer.ok("rollout", "--env", "pendulum", "--policy", "uniform", "--act", "mean", "--episodes", 70, "--seed", 9,
              "--starts", "a.npz", "--out", "b.npz")
    with numpy.load(mercer.folder / "a.npz") as a, numpy.load(mercer.folder / "b.npz") as b:
        assert (b["start_states"][:50] == a["start_states"]).all()
        assert (b["start_states"][50:] == a["start_states"][:20]).all()
        assert (b["actions"] == 0).all()


def test_nothing_is_left_beside_the_file(mercer):
    mercer.ok(*PLAY, "--out", "r.npz")
    assert [path.name for path in mercer.folder.iterdir()] == ["r.npz"]
