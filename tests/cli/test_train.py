"""Training through the real program: what it prints and keeps, and that a run killed anywhere goes on to the same bits."""

import hashlib
import json
import os
import signal
import subprocess
import time

import pytest

from conftest import PROGRAM

TINY = ["--hidden", "16x8", "--batch-size", 20, "--warmup", 50, "--eval-episodes", 5]
TRAIN = ["train", "--env", "pendulum", "--algo", "sac", *TINY]


def hashes(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("snapshot_*")}


def test_json_and_files(mercer):
    said = mercer.json(*TRAIN, "--steps", 400, "--snapshots", "100,200", "--seed", 3, "--out", "runs/p0")
    assert said["steps"] == 400 and said["seconds"] > 0 and said["recipe"] == "published"
    assert [kept["step"] for kept in said["snapshots"]] == [100, 200, 400]
    for kept in said["snapshots"]:
        assert set(kept["return"]) == {"mean", "std", "ci95"} and kept["return"]["mean"] < 0
        assert (mercer.folder / kept["file"]).exists()
    assert kept["file"] == "runs/p0/snapshot_000400.safetensors"
    document = json.loads((mercer.folder / "runs/p0/run.json").read_text())
    assert document["configuration"]["options"]["hidden"] == [16, 8]


def test_a_snapshot_is_a_policy(mercer):
    said = mercer.json(*TRAIN, "--steps", 200, "--out", "r")
    played = mercer.json("evaluate", "--env", "pendulum", "--policy", "r/snapshot_000200.safetensors", "--act", "mean",
                         "--episodes", 5)
    assert played["return"] == said["snapshots"][0]["return"]


def test_settings_come_from_toml_and_flags_win(mercer):
    (mercer.folder / "t.toml").write_text(
        'env = "cart-pole"\n[train]\nsteps = 300\nsnapshots = [100, 200]\nhidden = [8, 8]\nbatch-size = 16\n'
        'warmup = 50\neval-episodes = 3\ngamma = 0.9\n')
    said = mercer.json("train", "--config", "t.toml", "--gamma", 0.95, "--out", "r")
    assert said["algo"] == "dqn" and len(said["snapshots"]) == 3
    options = json.loads((mercer.folder / "r/run.json").read_text())["configuration"]["options"]
    assert options["gamma"] == 0.95 and options["hidden"] == [8, 8]


def test_the_recipe_is_said_and_flags_win_over_it(mercer):
    done = mercer.ok("train", "--env", "continuous-mountain-car", "--steps", 60, *TINY, "--out", "r")
    assert "recipe continuous-mountain-car: correlated noise" in done.stderr
    options = json.loads((mercer.folder / "r/run.json").read_text())["configuration"]["options"]
    assert options["noise_correlation"] > 0 and options["hidden"] == [16, 8]


def test_a_run_that_learns_nothing_is_warned_of(mercer):
    warned = mercer.ok(*TRAIN, "--steps", 49, "--out", "short").stderr
    assert "warning: nothing is learned" in warned and "--steps is 49" in warned
    assert "warning" not in mercer.ok(*TRAIN, "--steps", 50, "--out", "r").stderr
    assert mercer.ok(*TRAIN, "--steps", 49, "--out", "quiet", "--quiet").stderr == ""


@pytest.mark.parametrize("arguments, parts", [
    (["train", "--out", "r"], ["E204", "--env"]),
    (["train", "--env", "pendulum"], ["E204", "--out"]),
    (TRAIN + ["--out", "r", "--steps", 0], ["E202", "steps is 0"]),
    (TRAIN + ["--out", "r", "--snapshots", "20000"], ["E202", "snapshots is 20000", "1 to 10000"]),
    (TRAIN + ["--out", "r", "--snapshots", "1000;2000"], ["E203", "--snapshots", "integers"]),
    (TRAIN + ["--out", "r", "--hidden", "64x"], ["E203", "--hidden"]),
    (TRAIN + ["--out", "r", "--hidden", "0x64"], ["E202", "width of a hidden layer is 0", "1 to 4096"]),
    (TRAIN + ["--out", "r", "--learning-rate", "nan"], ["E203", "learning-rate is 'nan', which is not a number"]),
    (TRAIN + ["--out", "r", "--gamma", 2], ["E202", "gamma is 2", "0 to 1"]),
    (TRAIN + ["--out", "r", "--epsilon-end", 0.1], ["E203", "--epsilon-end", "dqn"]),
    (TRAIN + ["--out", "r", "--eval-episodes", 0], ["E202", "eval-episodes is 0"]),
    (["train", "--env", "pendulum", "--algo", "dqn", "--out", "r"], ["E203", "discrete"]),
    (["train", "--env", "cart-pole", "--algo", "sac", "--out", "r"], ["E203", "continuous", "Use dqn"]),
    (["train", "--env", "cart-pole", "--tau", 0.1, "--out", "r"], ["E203", "--tau", "sac"]),
    (["train", "--env", "cart-pole", "--algo", "ars", "--out", "r"], ["E203", "ars needs continuous"]),
    (["train", "--env", "pendulum", "--algo", "ars", "--hidden", "8x8", "--out", "r"], ["E203", "--hidden", "sac and dqn"]),
    (["train", "--env", "pendulum", "--algo", "ars", "--best", 17, "--out", "r"], ["E202", "best is 17", "1 to 16"]),
    (TRAIN + ["--out", "r", "--directions", 4], ["E203", "--directions", "ars"]),
    (["train", "--env", "pendulum", "--algo", "sca", "--out", "r"], ["E201", "sca", "'sac'"]),
])
def test_bad_usage(mercer, arguments, parts):
    said = mercer.fails(2, *arguments)
    for part in parts:
        assert part in said
    assert not (mercer.folder / "r").exists()


def test_another_configuration_is_refused_without_force(mercer):
    mercer.ok(*TRAIN, "--steps", 100, "--out", "r")
    said = mercer.fails(2, *TRAIN, "--steps", 100, "--gamma", 0.5, "--out", "r")
    assert "options.gamma 0.99 and 0.5" in said and "--force" in said
    assert mercer.json(*TRAIN, "--steps", 100, "--gamma", 0.5, "--out", "r", "--force")["resumed_from"] == 0


def start(folder, *arguments):
    return subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True)


def version(file):
    """Changes whenever the file is replaced."""
    return (file.stat().st_ino, file.stat().st_mtime_ns) if file.exists() else None


def test_killed_anywhere_it_goes_on_to_the_same_bits(mercer):
    steps = 3000 if os.environ.get("SANITIZERS") else 30000
    run = [*TRAIN, "--steps", steps, "--snapshots", "500,1500", "--checkpoint-seconds", 0.02]
    mercer.ok(*run, "--out", "whole", "--threads", 1)
    whole = hashes(mercer.folder / "whole")
    assert len(whole) == 3
    kills = 0
    # Each run gets at least one checkpoint further, and is killed at another distance from it.
    for wait in (0, 0.001, 0.003, 0.01, 0.02, 0.04):
        checkpoint = mercer.folder / "killed/checkpoint.safetensors"
        before = version(checkpoint)
        running = start(mercer.folder, *run, "--out", "killed")
        while running.poll() is None and version(checkpoint) == before:
            time.sleep(0.0005)
        time.sleep(wait)
        running.send_signal(signal.SIGKILL)
        running.communicate()
        kills += running.returncode == -signal.SIGKILL
    last = mercer.json(*run, "--out", "killed")
    assert last["steps"] == steps and kills >= 2
    assert hashes(mercer.folder / "killed") == whole
    assert not [path for path in (mercer.folder / "killed").iterdir() if path.name.endswith(".part")]


def test_an_interrupt_can_be_continued(mercer):
    run = [*TRAIN, "--steps", 100000, "--checkpoint-seconds", 1000, "--out", "r"]
    running = start(mercer.folder, *run)
    while not (mercer.folder / "r/run.json").exists():
        time.sleep(0.01)
    time.sleep(0.3)
    running.send_signal(signal.SIGINT)
    said = running.communicate(timeout=60)[1]
    assert running.returncode == 130 and "E130" in said
    assert (mercer.folder / "r/checkpoint.safetensors").exists()
    again = start(mercer.folder, *run)
    time.sleep(0.5)
    assert "another process is training" in mercer.fails(3, *run)
    again.send_signal(signal.SIGINT)
    again.communicate(timeout=60)
    assert again.returncode == 130
