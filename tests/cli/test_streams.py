"""Closed, full and special files: the program fails when its output is lost, and only then; nothing is replaced."""

import os
import signal
import stat
import subprocess
import time

import pytest

from conftest import PROGRAM

EVALUATE = f"{PROGRAM} evaluate --env pendulum --policy uniform --episodes 3"


def shell(mercer, command):
    return subprocess.run(["bash", "-c", command], cwd=mercer.folder, capture_output=True, text=True, timeout=120)


needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")


def test_nobody_needs_to_listen(mercer):
    assert shell(mercer, f"{EVALUATE} 2>&-").returncode == 0
    assert '"mean"' in shell(mercer, f"{EVALUATE} --json 2>&-").stdout
    assert shell(mercer, f"{PROGRAM} evaluate --env nosuch --policy uniform 2>&-").returncode == 2
    done = shell(mercer, f"{PROGRAM} rollout --env chain --policy uniform --out r.npz >&- 2>&- <&-")
    assert done.returncode == 0 and (mercer.folder / "r.npz").read_bytes()[:2] == b"PK"


@needs_full
def test_a_full_terminal_is_no_reason_to_fail(mercer):
    assert shell(mercer, f"{EVALUATE} 2>/dev/full").returncode == 0


@needs_full
@pytest.mark.parametrize("what", ["evaluate --env pendulum --policy uniform --json --quiet", "list", "manual", "--help", "--version"])
def test_lost_output_is_an_error(mercer, what):
    done = shell(mercer, f"{PROGRAM} {what} >/dev/full")
    assert done.returncode == 3 and "E302" in done.stderr
    assert shell(mercer, f"{PROGRAM} {what} >&-").returncode == 3


def test_a_link_keeps_pointing_and_a_pipe_stays_a_pipe(mercer):
    (mercer.folder / "link.json").symlink_to("target.json")
    mercer.ok("evaluate", "--env", "pendulum", "--policy", "uniform", "--out", "link.json")
    assert (mercer.folder / "link.json").is_symlink() and "mean" in (mercer.folder / "target.json").read_text()
    os.mkfifo(mercer.folder / "pipe.json")
    done = shell(mercer, f"cat pipe.json & {EVALUATE} --quiet --out pipe.json; wait")
    assert done.returncode == 0 and '"mean"' in done.stdout
    assert stat.S_ISFIFO(os.stat(mercer.folder / "pipe.json").st_mode)


def test_a_second_interrupt_leaves_nothing_behind(mercer):
    os.mkfifo(mercer.folder / "slow.csv")  # nobody reads: the program is stuck in the middle of writing
    held = os.open(mercer.folder / "slow.csv", os.O_RDWR)
    play = [PROGRAM, "rollout", "--env", "pendulum", "--policy", "uniform", "--out", "slow.csv"]
    running = subprocess.Popen(play, cwd=mercer.folder, stderr=subprocess.PIPE)
    time.sleep(1)
    running.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert running.poll() is None
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=30) == 130
    os.close(held)
    assert [path.name for path in mercer.folder.iterdir()] == ["slow.csv"]


def test_reading_stops_when_the_reader_has_enough(mercer):
    assert "rollout" in shell(mercer, f"{PROGRAM} list | head -n 100 | cat").stdout
