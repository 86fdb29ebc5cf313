"""mercer watch: what a running verb leaves in its folder, read from outside; mercer doctor."""

import json
import re
import signal
import subprocess
import time

from conftest import PROGRAM
from test_terminal import CAR
from terminal import on_terminal

SEARCH = ("compress", *CAR, "--route", "continuous", "--bases", "ridge", "--formats", "int8", "--most-terms", 2, "--generations",
          20, "--candidate-episodes", 64, "--select-episodes", 100, "--certify-episodes", 4000, "--seed", 5, "--max-loss", "20%",
          "--results", "found", "--out", "p.mercer")


def test_a_finished_search(mercer):
    made = mercer.json(*SEARCH)
    status = mercer.json("watch", "found")
    assert (status["verb"], status["state"], status["fraction"], status["seconds_left"]) == ("compress", "done", 1, 0)
    assert status["about"]["env"] == "continuous-mountain-car" and status["about"]["seed"] == 5
    assert status["tried"] == made["tried"]
    short = ("payload_bytes", "loss_percent", "route", "basis", "k", "format", "roughness", "admissible")
    assert status["front"] == [{key: one[key] for key in short} for one in made["front"]]
    assert status["result"]["upper_percent"] == made["upper_percent"] and status["result"]["met"] is True
    shown = mercer.ok("watch", "found", "--once").stdout
    assert shown.startswith("compress: done; env continuous-mountain-car") and "100%" in shown
    for one in made["front"]:
        assert f"{one['payload_bytes']:>7} {one['loss_percent']:>8.2f}%" in shown
    [text] = re.findall(r"result: \d+ bytes; (loses at most|gains at least) ([0-9.]+)%; promise kept", shown)
    printed = float(text[1]) if text[0] == "loses at most" else -float(text[1])
    assert made["upper_percent"] <= printed < made["upper_percent"] + 1.001e-4, "rounded to the safe side"
    assert [path.name for path in (mercer.folder / "found").iterdir() if path.name.startswith(".")] == []


def wait_for(condition, process):
    while not condition() and process.poll() is None:
        time.sleep(0.05)


def test_a_run_is_followed_until_it_ends(mercer):
    train = [PROGRAM, "train", "--env", "pendulum", "--algo", "sac", "--hidden", "8", "--steps", "1000000000", "--out", "run"]
    with subprocess.Popen(train, cwd=mercer.folder, stderr=subprocess.DEVNULL) as running:
        try:
            follow(mercer, running)
        finally:
            running.kill()


def follow(mercer, running):
    wait_for(lambda: (mercer.folder / "run/progress.json").exists(), running)
    status = mercer.json("watch", "run")
    assert status["state"] == "running" and status["pid"] == running.pid and 0 <= status["fraction"] < 1
    assert "training" in status["phase"] and status["about"] == {"env": "pendulum", "seed": 0, "steps": 1000000000}
    assert "train: running; env pendulum" in mercer.ok("watch", "run", "--once").stdout

    stopped = []

    def seen_a_bar():
        if not stopped:
            stopped.append(running.send_signal(signal.SIGINT))
        return False

    seen = on_terminal(mercer, PROGRAM, "watch", "run", interrupt_when=seen_a_bar)
    running.wait(timeout=60)
    assert seen.code == 0 and "train: running" in seen.frames[0] and seen.text == ""  # the last state is on standard output
    assert seen.stdout.startswith("train: interrupted") and "Run the same command again" in seen.stdout


def test_an_interrupted_search_tells_of_its_progress(mercer):
    endless = [100000 if argument == 20 else argument for argument in SEARCH]  # generations
    running = subprocess.Popen([PROGRAM, *map(str, endless)], cwd=mercer.folder, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: (mercer.folder / "found/progress.json").exists(), running)
    running.send_signal(signal.SIGINT)
    said = running.communicate(timeout=60)[1]
    assert running.returncode == 130 and "E130" in said
    assert "No result was written" in said or "keeps the search" in said, said


def test_a_process_that_is_gone_is_told_from_one_that_runs(mercer):
    mercer.json(*SEARCH)
    file = mercer.folder / "found/progress.json"
    status = json.loads(file.read_text())
    gone = subprocess.Popen(["true"])
    gone.wait()
    file.write_text(json.dumps({**status, "state": "running", "pid": gone.pid}))
    assert mercer.json("watch", "found")["state"] == "stopped"
    file.write_text(json.dumps({**status, "state": "running", "pid": gone.pid, "host": "elsewhere", "updated": time.time() - 100,
                                "seconds_left": 300}))
    elsewhere = mercer.json("watch", "found")
    assert elsewhere["state"] == "running" and 100 <= elsewhere["seconds_ago"] < 160 and 140 < elsewhere["seconds_left"] <= 200
    file.write_text('{"hello": 1}')
    assert "E304" in mercer.fails(3, "watch", "found", "--once")
    said = mercer.fails(3, "watch", ".")
    assert "E301" in said and "compress --results" in said


def test_a_sweep_can_be_watched(mercer):
    (mercer.folder / "s.toml").write_text('seed = [0, 1]\n[evaluate]\nenv = "chain"\npolicy = "uniform"\nepisodes = 5\n')
    mercer.ok("sweep", "s.toml", "--out", "all")
    status = mercer.json("watch", "all")
    assert status["verb"] == "sweep" and status["state"] == "done"
    assert status["stages"] == [{"stage": "evaluate", "done": 2, "failed": 0, "skipped": 0, "running": 0, "total": 2}]


def test_a_refused_folder_is_left_as_it_is(mercer):
    small = ("--algo", "sac", "--hidden", 8, "--steps", 20, "--eval-episodes", 1, "--out", "run")
    mercer.ok("train", "--env", "pendulum", *small)
    before = (mercer.folder / "run/progress.json").read_text()
    mercer.fails(2, "train", "--env", "continuous-mountain-car", *small)
    assert (mercer.folder / "run/progress.json").read_text() == before


def test_the_doctor_finds_it_well(mercer):
    told = mercer.json("doctor")
    assert {check["name"]: check["state"] for check in told["checks"] if check["state"] != "ok"} in (
        {}, {"compile and run it as C": "skipped"})
    parts = {part["name"]: part["found"] for part in told["parts"]}
    tasks = {task["name"]: task["observations"] for task in mercer.json("list")["tasks"]}
    assert parts["MuJoCo"] == (tasks["swimmer"] is not None) and parts["Box2D"] == (tasks["lunar-lander"] is not None)
    assert told["version"] in mercer.ok("--version").stdout and told["memory_bytes"] > 0
    said = mercer.ok("doctor", TMPDIR=str(mercer.folder)).stdout
    assert "optional parts" in said and said.rstrip().endswith("Mercer works here.")
    assert list(mercer.folder.iterdir()) == []  # nothing is left behind
