"""What a person sees on a terminal, read back from one: the bar makes way for lines, and nothing of it remains."""

import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

from conftest import PROGRAM
from terminal import Screen, on_terminal

POLICIES = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "tests/data/policies"
CAR = ("--env", "continuous-mountain-car", "--policy", POLICIES / "cmc_sde_10000_actor.onnx")
SEARCH = ("compress", *CAR, "--route", "continuous", "--bases", "ridge", "--formats", "int8", "--most-terms", 2,
          "--generations", 40, "--candidate-episodes", 64, "--select-episodes", 400, "--certify-episodes", 4000, "--seed", 5,
          "--max-loss", "20%", "--out", "p.mercer")
BAR = re.compile(r"^\[(=*) *\] +(\d+)%(?: +(\?|[\d:]+) left)?(?:  (\S.*))?", re.MULTILINE)
PHASES = ("teacher plays", "fit", "polish", "choose", "certify")


def test_the_model_of_a_terminal():
    screen = Screen(10)
    screen.feed("[==  ] 50%\r\x1b[Jkept\r\n[=== ] 75%")
    assert screen.text() == "kept\n[=== ] 75%"
    screen.feed("\r\x1b[Jone\r\ntwo\r\nthree")
    screen.feed("\r\x1b[2A\x1b[J\x1b[1;33mdone\x1b[m")
    assert screen.text() == "kept\ndone"
    screen.feed("\r\n0123456789ab")
    assert screen.text() == "kept\ndone\n0123456789\nab"  # too long for a line: it wraps
    with pytest.raises(AssertionError):
        screen.feed("\x1b[5A")


def without_times(text):
    text = re.sub(r"after \d+\.\d s", "after ... s", text)
    return "\n".join(line.rstrip() for line in text.split("\n")).rstrip("\n")


def wide_text(seen):
    """What remains on a screen that never wraps."""
    screen = Screen(10**6)
    screen.feed(seen.raw)
    return screen.text()


def is_note(line):
    return "is read as a" in line


@pytest.mark.parametrize("columns", [80, 40])
def test_lines_stay_and_the_bar_goes(mercer, columns):
    plain = without_times(mercer.ok(*SEARCH).stderr)
    seen = on_terminal(mercer, PROGRAM, *SEARCH, columns=columns)
    assert seen.code == 0 and seen.stdout == ""
    bars = [bar for frame in seen.frames for bar in BAR.findall(frame)]
    assert bars, "no bar was drawn"
    if columns == 80:
        assert {phase.split(",")[0] for *_, phase in bars} <= set(PHASES)
    for frame in seen.frames:  # one bar at a time, on one line, below all others
        assert not re.search(r"\[=* *\].*\n", frame), frame
    # What remains is what a file would hold, and the notes of the search, where nobody needs --log-level for them.
    notes = [line for line in wide_text(seen).split("\n") if is_note(line)]
    assert notes
    assert without_times(wide_text(seen)) == "\n".join([*notes, plain])


def test_nothing_of_it_where_nobody_looks(mercer):
    said = mercer.ok(*SEARCH).stderr
    assert "\x1b" not in said and "\r" not in said and "left  " not in said and "is read as a" not in said
    quiet = on_terminal(mercer, PROGRAM, *SEARCH, "--quiet")
    assert quiet.raw == ""
    dumb = on_terminal(mercer, PROGRAM, *SEARCH, TERM="dumb")
    assert "\x1b" not in dumb.raw and not BAR.search(dumb.raw) and "promise" in dumb.text


def test_the_summary_has_five_facts(mercer):
    said = mercer.ok(*SEARCH).stderr
    found = mercer.json("inspect", "p.mercer")
    facts = dict(re.findall(r"^(size|loss|promise|behaviour|file) +(.*)$", said[said.rindex("\nsize"):], re.MULTILINE))
    assert list(facts) == ["size", "loss", "promise", "behaviour", "file"]
    assert facts["size"].startswith(f"{found['payload_bytes']} bytes of payload: {found['k']} term")
    certificate = found["certificate"]
    word, size = re.match(r"(loses at most|gains at least) (\S+)% of the teacher's mean return, guaranteed with 95% confidence", facts["loss"]).groups()
    promised = float(size) if word.startswith("loses") else -float(size)
    assert certificate["upper_percent"] <= promised <= certificate["upper_percent"] + 1e-4  # never rounded down
    assert facts["promise"].startswith("kept: a loss of at most 20%") and f"{certificate['episodes']} fresh" in facts["promise"]
    assert "roughness at most 1.25 times the teacher's plus 0.5%" in facts["promise"]
    rough = next(one for one in certificate["promises"] if one["about"] == "roughness")
    assert f"roughness {100 * rough['embedding']:.3g}% (teacher {100 * rough['teacher']:.3g}%)" in facts["behaviour"]
    assert facts["file"].startswith(f"p.mercer, {(mercer.folder / 'p.mercer').stat().st_size} bytes")
    assert said.rstrip().endswith("next: mercer export c p.mercer --out firmware")


def test_colours_can_be_turned_off(mercer):
    train = ("train", "--env", "pendulum", "--algo", "sac", "--steps", 20, "--hidden", 8, "--eval-episodes", 1)
    coloured = on_terminal(mercer, PROGRAM, *train, "--out", "a")
    assert "mercer: \x1b[1;33mwarning\x1b[m: nothing is learned" in coloured.raw
    plain = on_terminal(mercer, PROGRAM, *train, "--out", "b", NO_COLOR="1")
    assert "mercer: warning: nothing is learned" in plain.raw and not re.search(r"\x1b\[[\d;]*m", plain.raw)
    assert "\x1b" not in mercer.ok(*train, "--out", "c").stderr


def interrupted(mercer, ready, *arguments):
    running = subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=mercer.folder, stderr=subprocess.PIPE, text=True)
    while running.poll() is None and not ready():
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    said = running.communicate(timeout=60)[1]
    assert running.returncode == 130, said
    return said


def test_an_interrupt_tells_what_was_written(mercer):
    file = mercer.folder / "p.mercer"
    embed = ("embed", "--env", "chain", "--policy", "uniform", "--rollouts", 20, "--episodes", 10**9, "--out", "p.mercer")
    said = interrupted(mercer, file.exists, *embed)
    assert "E130: interrupted after 'p.mercer' was written" in said and "No result was written" not in said
    assert mercer.json("inspect", "p.mercer")["kind"] == "embedding"
