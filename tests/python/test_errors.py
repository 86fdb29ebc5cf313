"""Errors, Ctrl-C, progress, and other threads while the library works."""

import io
import os
import signal
import subprocess
import sys
import threading
import time

import mercer
import numpy as np
import pytest
from conftest import ACTOR


def test_errors_keep_code_problem_and_remedy():
    with pytest.raises(ValueError) as raised:
        mercer.make("pendulun")
    assert raised.value.code == "E201" and "pendulun" in raised.value.problem and "pendulum" in raised.value.remedy
    with pytest.raises(OSError) as raised:
        mercer.read_rollouts("none.npz")
    assert raised.value.code == "E301"
    assert issubclass(mercer.CertificateError, Exception) and not issubclass(mercer.CertificateError, ValueError)


INTERRUPTED = """
import sys, mercer
print("begin", flush=True)
try:
    {call}
except KeyboardInterrupt:
    print("stopped", flush=True)
    # The library goes on as if nothing had happened.
    print(mercer.rollout("pendulum", "uniform", 3, seed=1).returns.size, flush=True)
"""


@pytest.mark.parametrize("call", [
    "mercer.rollout('pendulum', 'uniform', 10**8, keep_steps=False)",
    f"mercer.compress({str(ACTOR)!r}, 'pendulum', 0.001, select_episodes=10**6)",
])
def test_ctrl_c_ends_long_calls(call):
    child = subprocess.Popen([sys.executable, "-c", INTERRUPTED.format(call=call)], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begin\n"
    time.sleep(0.7)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=120)
    assert out == "stopped\n3\n" and child.returncode == 0


def test_other_threads_run_while_the_library_works(teacher):
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        before = counted[0]
        mercer.rollout("pendulum", teacher, 3000, seed=1, keep_steps=False)
        during = counted[0] - before
    finally:
        stop.set()
        thread.join()
    assert during > 5


def test_several_threads_of_python_at_once(teacher):
    wanted = mercer.rollout("pendulum", teacher, 30, seed=1).returns
    got = [None] * 4

    def play(i):
        got[i] = mercer.rollout("pendulum", teacher, 30, seed=1).returns

    threads = [threading.Thread(target=play, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(one, wanted) for one in got)


def test_progress_is_told_and_can_stop_the_work(teacher):
    heard = []
    mercer.rollout("pendulum", teacher, 4000, keep_steps=False, progress=lambda *news: heard.append(news))
    assert heard and all(0 <= share <= 1 for _, share in heard)

    def enough(stage, share):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        mercer.rollout("pendulum", "uniform", 10**7, keep_steps=False, progress=enough)


def test_a_bar_for_people():
    from mercer.progress import Bar, watching

    stream = io.StringIO()
    bar = Bar(stream)
    bar("rollout", 0.25)
    bar("rollout", 0.5)
    assert "50%" in stream.getvalue() and "rollout" in stream.getvalue()
    bar.close()
    assert stream.getvalue().endswith("\r")
    assert watching(False).report is None and watching(None).report is None  # nobody looks at a pipe
    assert watching(True).bar is not None


def test_the_bar_shows_on_a_terminal():
    try:
        ours, theirs = os.openpty()
    except OSError as trouble:
        pytest.skip(f"no pseudo-terminal here: {trouble}")
    code = "import mercer; mercer.rollout('pendulum', 'uniform', 300000, keep_steps=False)"
    child = subprocess.Popen([sys.executable, "-c", code], stderr=theirs)
    os.close(theirs)
    seen = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:
            break
        if not part:
            break
        seen += part
    assert child.wait() == 0 and b"%|" in seen


def test_safetensors_round_trip(tmp_path, rng):
    tensors = {"a": rng.normal(size=(3, 2)), "b": np.arange(4), "c": np.array([1, 2], np.uint8), "d": np.float32([1.5])}
    mercer.write_safetensors(tmp_path / "t.safetensors", tensors, {"note": "x"})
    read, metadata = mercer.read_safetensors(tmp_path / "t.safetensors")
    assert metadata == {"note": "x"}
    assert all(np.array_equal(read[k], v) and read[k].dtype == v.dtype for k, v in tensors.items())
    with pytest.raises(ValueError, match="complex128"):
        mercer.write_safetensors(tmp_path / "t.safetensors", {"a": np.array([1j])})


def test_training_and_its_snapshots(tmp_path):
    done = mercer.train("pendulum", tmp_path / "run", algo="sac", steps=60, warmup=40, hidden=[8], seed=1, snapshots=[50])
    assert [one["step"] for one in done["snapshots"]] == [50, 60]
    policy = mercer.load_policy(done["snapshots"][-1]["file"], "pendulum")
    assert np.isfinite(mercer.rollout("pendulum", policy, 2).returns).all()
    with pytest.raises(ValueError, match="E201"):
        mercer.train("pendulum", tmp_path / "other", algo="ppo")
