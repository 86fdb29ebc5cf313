"""Sweeps through the real program: killed anywhere they end as if undisturbed; mistakes are named; failures stay alone."""

import csv
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import time

import pytest

from conftest import PROGRAM

# 210 jobs: 10 rollouts, 100 embeddings, of which 10 fail, and a trial of each.
SWEEP = """
policy = "uniform"
env = ["chain:n=5", "chain:n=8"]
seed = [0, 1, 2, 3, 4]
together = ["embed.basis, embed.k"]

[rollout]
episodes = 20
horizon = 20

[embed]
basis = ["dct", "dct", "dct", "dct", "svd", "svd", "svd", "haar", "haar", "db4"]
k = [1, 2, 3, 4, 1, 2, 4, 1, 2, 2]
episodes = 10
horizon = 20

[evaluate]
episodes = 10
horizon = 20
"""


def results(folder):
    """Everything but times: the table, the database, and what is stored under which name."""
    base = sqlite3.connect(folder / "results.sqlite")
    rows = {table: sorted(base.execute(f"SELECT {columns} FROM {table}").fetchall(), key=str)
            for table, columns in (("jobs", "id, build, stage, settings, state, error, result"), ("cells", "*"),
                                   ("cell_jobs", "*"), ("numbers", "*"), ("results", "*"))}
    assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    base.close()
    kept = {str(path.relative_to(folder)): path.read_bytes() for path in (folder / "store").glob("*/*")
            if path.parent.suffix != ".work"}
    return (folder / "results.csv").read_bytes(), rows, kept


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """One undisturbed sweep, shared by all tests here."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "s.toml").write_text(SWEEP)
    done = subprocess.run([PROGRAM, "sweep", "s.toml", "--out", "r"], cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return folder / "r", done.stderr


def launch(prefix, folder):
    return subprocess.Popen([*prefix, PROGRAM, "sweep", "s.toml", "--out", "r", "--quiet"], cwd=folder,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def children(parent):
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has ended
        if int(fields[1]) == parent and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return sorted(found)


def test_cells_and_jobs(mercer, whole):
    folder, told = whole
    assert "100 cells, 210 jobs" in told and "left" in told
    rows = list(csv.DictReader(open(folder / "results.csv")))
    assert len(rows) == 100
    failed = [row for row in rows if row["state"] == "failed"]
    assert len(failed) == 10 and all("k for basis 'svd' is 4" in row["error"] for row in failed)
    for row in rows:
        assert (row["state"] == "done") == (row["evaluate.return.mean"] != "") == (row["error"] == "")
    base = sqlite3.connect(folder / "results.sqlite")
    assert base.execute("SELECT count(*) FROM results WHERE name = 'return.mean' AND stage = 'evaluate'").fetchone() == (90,)
    assert base.execute("SELECT state, count(*) FROM jobs GROUP BY state ORDER BY state").fetchall() == [
        ("done", 190), ("failed", 10), ("skipped", 10)]


def test_killed_ten_times_it_ends_with_the_same_results(mercer, whole):
    (mercer.folder / "s.toml").write_text(SWEEP)
    order = random.Random(7)
    killed = 0
    for _ in range(60):
        running = launch([], mercer.folder)
        time.sleep(order.uniform(0.02, 0.25))
        running.send_signal(signal.SIGKILL)
        killed += running.wait() == -signal.SIGKILL
        # A folder that is still called .work may hold an entry, too: killed just before it was renamed.
        finished = sum(entry.parent.suffix != ".work" for entry in (mercer.folder / "r/store").glob("*/entry.json"))
        if killed == 10:
            break
    assert killed == 10
    made = mercer.json("sweep", "s.toml", "--out", "r")
    assert made["found"] == finished and made["done"] == 190
    assert results(mercer.folder / "r") == results(whole[0])


def test_the_same_command_finds_everything(mercer, whole):
    shutil.copytree(whole[0], mercer.folder / "r")
    (mercer.folder / "s.toml").write_text(SWEEP)
    made = mercer.json("sweep", "s.toml", "--out", "r")
    assert made == {"cells": 100, "jobs": 210, "done": 190, "found": 190, "failed": 10, "skipped": 10,
                    "csv": "r/results.csv", "database": "r/results.sqlite"}
    assert results(mercer.folder / "r") == results(whole[0])


def test_two_sweeps_on_one_folder(mercer):
    (mercer.folder / "s.toml").write_text(SWEEP.replace("episodes = 20", "episodes = 20000", 1))
    first = launch([], mercer.folder)
    try:
        for _ in range(200):
            if list((mercer.folder / "r/store").glob("*.lock")):
                break
            time.sleep(0.01)
        said = mercer.fails(3, "sweep", "s.toml", "--out", "r")
        assert "E302" in said and "another process is working on 'sweep'" in said
    finally:
        first.kill()
        first.wait()


@pytest.mark.parametrize("text, parts", [
    ("[rollot]\nepisodes = 1\n", ["E201", "'rollout'"]),
    ("[rollout]\nepisods = 1\n", ["E201", "'episodes'", "line 2"]),
    ("[rollout]\nout = 'x.npz'\n", ["E201", "'out'"]),
    ("[rollout]\nepisodes = [1, 'x']\n", ["E203", "'x'"]),
    ("[embed]\nroute = 'latice'\n", ["E201", "'lattice'"]),
    ("seed = 1\n", ["E204", "no stage"]),
])
def test_mistakes_are_named_before_any_work(mercer, text, parts):
    (mercer.folder / "s.toml").write_text(text)
    said = mercer.fails(2, "sweep", "s.toml", "--out", "r")
    for part in parts:
        assert part in said
    assert not (mercer.folder / "r").exists()


def test_bad_usage(mercer):
    assert "E204" in mercer.fails(2, "sweep")
    assert "E301" in mercer.fails(3, "sweep", "nowhere.toml", "--out", "r")
    assert "Put seed = N into the file" in mercer.fails(2, "sweep", "nowhere.toml", "--out", "r", "--seed", "5")


def test_a_whole_pipeline(mercer):
    """Training, an embedding of it, a certificate and a trial, with what each takes from the one before."""
    (mercer.folder / "s.toml").write_text("""
env = "pendulum"
seed = [0, 1]
[train]
steps = 60
warmup = 40
hidden = "8x8"
eval-episodes = 2
[rollout]
episodes = 3
[embed]
state-bins = 5
episodes = 2
[certify]
episodes = 20
coupled = 5
level = "statistical"
[evaluate]
episodes = 5
""")
    made = mercer.json("sweep", "s.toml", "--out", "r")
    assert made["done"] == made["jobs"] == 10
    for row in csv.DictReader(open(mercer.folder / "r/results.csv")):
        assert row["state"] == "done" and float(row["evaluate.paired.loss_percent"]) == pytest.approx(
            100 * float(row["evaluate.paired.loss_mean"]) / abs(float(row["evaluate.against.return.mean"])))
        assert float(row["certify.upper_return"]) >= 0
    # The environment is for the sweep, not for its jobs.
    again = mercer.json("sweep", "s.toml", "--out", "r", MERCER_EPISODES="7")
    assert again["found"] == 10


def mpirun():
    found = shutil.which("mpirun")
    linked = found and subprocess.run(["ldd", PROGRAM], capture_output=True, text=True).stdout
    if not linked or "libmpi" not in linked or os.environ.get("SANITIZERS"):
        pytest.skip("no MPI here")
    return [found, "--allow-run-as-root", "--oversubscribe", "-n", "2"]


def together(prefix, folder, *arguments):
    return subprocess.run([*prefix, PROGRAM, *map(str, arguments)], cwd=folder, capture_output=True, text=True, timeout=120)


def test_two_processes_sweep_to_the_same_results(mercer, whole):
    (mercer.folder / "s.toml").write_text(SWEEP)
    done = together(mpirun(), mercer.folder, "sweep", "s.toml", "--out", "r")
    assert done.returncode == 0, done.stderr
    assert results(mercer.folder / "r") == results(whole[0])


def test_a_rank_killed_ends_all_and_the_next_goes_on(mercer, whole):
    (mercer.folder / "s.toml").write_text(SWEEP)
    prefix = mpirun()
    running = launch(prefix, mercer.folder)
    victim = None
    for _ in range(3000):
        time.sleep(0.01)
        ranks = children(running.pid)
        if len(ranks) == 2 and len(list((mercer.folder / "r/store").glob("*/entry.json"))) > 20:
            victim = ranks[1]
            break
    if victim:
        os.kill(victim, signal.SIGKILL)
    running.wait(timeout=60)
    assert victim and running.returncode != 0
    done = together(prefix, mercer.folder, "sweep", "s.toml", "--out", "r")
    assert done.returncode == 0, done.stderr
    assert results(mercer.folder / "r") == results(whole[0])


def test_two_processes_reproduce_to_the_same_files(mercer):
    prefix = mpirun()
    mercer.ok("reproduce", "chain", "bandit", "--quick", "--out", "one")
    done = together(prefix, mercer.folder, "reproduce", "chain", "bandit", "--quick", "--out", "two", "--json")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count('"items"') == 1
    one, two = ({str(path.relative_to(mercer.folder / name)): path.read_bytes()
                 for path in (mercer.folder / name).rglob("*") if path.is_file() and "store" not in path.parts}
                for name in ("one", "two"))
    assert one == two and one


def test_two_processes_play_and_compress_to_the_same_bytes(mercer):
    prefix = mpirun()
    play = ["rollout", "--env", "pendulum", "--policy", "uniform", "--episodes", 100, "--seed", 3]
    mercer.ok(*play, "--out", "one.npz")
    done = together(prefix, mercer.folder, *play, "--out", "two.npz", "--json")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count('"episodes"') == 1
    assert (mercer.folder / "one.npz").read_bytes() == (mercer.folder / "two.npz").read_bytes()
    actor = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "tests/data/policies/cmc_sde_10000_actor.onnx"
    squeeze = ["compress", "--env", "continuous-mountain-car", "--policy", actor, "--route", "continuous", "--bases",
               "ridge", "--formats", "int8", "--most-terms", 2, "--generations", 5, "--candidate-episodes", 16,
               "--select-episodes", 50, "--certify-episodes", 500, "--max-loss", "20%", "--seed", 5, "--out", "c.mercer"]
    one = mercer.run(*squeeze)
    first = (mercer.folder / "c.mercer").read_bytes()
    (mercer.folder / "c.mercer").unlink()
    two = together(prefix, mercer.folder, *squeeze)
    assert one.returncode == two.returncode and one.returncode in (0, 5), (one.stderr, two.stderr)
    assert (mercer.folder / "c.mercer").read_bytes() == first
    refused = together(prefix, mercer.folder, *squeeze, "--budget", "5s")
    assert refused.returncode == 2 and "E203" in refused.stderr
    refused = together(prefix, mercer.folder, "list")
    assert refused.returncode == 2 and "does not spread" in refused.stderr
