"""The demo, with less searching: what a newcomer sees first must work."""

import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(os.environ["SOURCE_FOLDER"])
TEACHER = ROOT / "examples/pendulum/teacher.safetensors"
QUICK = ("--max-loss", "5%", "--seed", "1", "--route", "continuous", "--bases", "chebyshev", "--formats", "int8",
         "--select-episodes", "1000", "--certify-episodes", "20000")


def test_the_teacher_is_small_and_good(mercer):
    assert TEACHER.stat().st_size < 300_000
    said = mercer.json("evaluate", "--env", "pendulum", "--policy", TEACHER, "--act", "mean", "--episodes", "4000")
    assert said["return"]["mean"] > -150


@pytest.mark.skipif(os.environ.get("SANITIZERS", "") != "", reason="too slow under a sanitizer")
def test_it_ends_with_c_that_plays_and_a_command_to_copy(tmp_path):
    done = subprocess.run([ROOT / "tools/demo", "--mercer", os.environ["BINARY_UNDER_TEST"], "--out", tmp_path, *QUICK],
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    for words in ("on the Pareto front of bytes against loss", "Certificate of an embedding", "with 95% confidence", "estimate: flash"):
        assert words in done.stderr, words
    lines = done.stdout.splitlines()
    assert lines[0] == "self-test passed"
    earned = float(re.search(r"return (-[0-9.]+)", lines[1]).group(1))
    print(lines[1])
    assert earned > -600 and "upright after" in lines[1]  # hanging all the time costs about 1970
    assert lines[-1].startswith("build/release/bin/mercer compress --env pendulum --policy your_actor.onnx")


def test_the_last_line_is_a_command_that_the_program_takes(mercer):
    command = (ROOT / "tools/demo").read_text().splitlines()[-1].split('"')[1]
    flags = [word for word in command.split() if word.startswith("--")]
    help_page = mercer.ok("compress", "--help")
    assert flags and all(flag in help_page.stdout + help_page.stderr for flag in flags)
    assert "  demo " in subprocess.run([ROOT / "run", "help"], capture_output=True, text=True, check=True).stdout
