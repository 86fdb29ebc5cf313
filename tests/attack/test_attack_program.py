"""A small attack on the program, and programs with planted faults, which the same attack must find.

`./run attack` runs the whole one.
"""

import io
import os
import random
import stat

import pytest

import builds
import files
import questions
from attack import survey
from attempt import Kept, Row, attempt, wrong_end

PROGRAM = os.environ["BINARY_UNDER_TEST"]
NONE = {"files": 0, "requests": 0, "kills": 0, "builds": 0}


def script(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def around(path, damage):
    """The program, but with damage where it reads a mutated embedding."""
    return script(path, f'for word; do case "$word" in t.mercer|again.mercer) {damage} ;; esac; done\nexec "{PROGRAM}" "$@"')


@pytest.mark.parametrize("part, count", [("files", 50), ("requests", 600), ("kills", 2), ("builds", 3)])
def test_the_program_withstands_a_small_attack(tmp_path, part, count):
    told = io.StringIO()
    assert survey(PROGRAM, {**NONE, part: count}, 5, tmp_path / "kept", out=told) == [], told.getvalue()
    tried, refused, accepted = [int(word) for word in told.getvalue().split(f"\n{part}")[-1].split()[:3]]
    assert tried >= count and refused > 0 and (accepted > 0 or part == "kills")


@pytest.fixture(scope="module")
def attacked(tmp_path_factory):
    return files.Files(PROGRAM, tmp_path_factory.mktemp("attacked"), None)


@pytest.mark.parametrize("damage, what", [
    ("exit 1", "exit code 1"), ("kill -SEGV $$", "died by signal 11"), ("exit 3", "without an error of that kind"),
    ("echo 'mercer: error E302: no' >&2; exit 2", "without an error of that kind"),
    ("printf 'a\\033[31mred'; exit 0", "control character"), ("printf '\\351'; exit 0", "not UTF-8"),
    ("echo half >.t.1.part; echo 'mercer: error E302: no' >&2; exit 3", ".t.1.part is left over"),
    ("echo half >made.c; echo 'mercer: error E302: no' >&2; exit 3", "made.c is left over"),
    ("echo '{\"verified\": true}'; exit 0", "taken as verified"),
])
def test_planted_faults_are_found(attacked, tmp_path, damage, what):
    attacked.program = str(around(tmp_path / "mercer", damage))
    attacked.kept = Kept(tmp_path / "kept", 3, io.StringIO())
    for number in range(20):
        attacked.one(number, Row("files"))
    found = attacked.kept.found
    assert any(what in one for one in found), found
    places = sorted((tmp_path / "kept").glob("files-3-*"))
    told = (places[0] / "finding.txt").read_text()
    assert len(places) == len(found) and "--seed 3 --only files:" in told and (places[0] / "t.mercer").exists()
    attacked.one(int(places[0].name.split("-")[2]), Row("files"))  # alone it is found again
    assert found[-1] in found[:-1]


def test_time_and_memory_are_watched(tmp_path, monkeypatch):
    slow = attempt([script(tmp_path / "slow", "exec sleep 20")], tmp_path, 0.2)
    assert wrong_end(slow) != [] and wrong_end(slow, patient=True) != []  # it does not end by Ctrl-C with a code
    patient = attempt([script(tmp_path / "patient", "trap 'exit 130' INT\nsleep 20 &\nwait")], tmp_path, 0.2)
    assert wrong_end(patient) != [] and wrong_end(patient, patient=True) == []
    large = attempt(["/usr/bin/python3", "-c", "x = bytearray(b'1') * 200_000_000"], tmp_path)
    assert wrong_end(large) == []
    monkeypatch.setattr("attempt.RESIDENT", 100 << 20)
    assert any("resident" in one for one in wrong_end(large))


@pytest.mark.parametrize("text, what", [
    ("int main(void) { return 0 }", "ends with 1"), ("int main(void) { int unused; return 0; }", "unused"),
    ("int main(void) { return 7; }", "ends with 7"),
    ("int main(int count, char **words) { (void)words; return 2147483647 + count < 0; }", "overflow")])
def test_code_that_does_not_compile_or_agree_is_found(tmp_path, text, what):
    (tmp_path / "p.c").write_text("int p_act(void);\nint p_act(void) { return 1; }\n")
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")
    assert builds.build(tmp_path, "p", False, False) == []
    (tmp_path / "main.c").write_text(text + "\n")
    assert what in builds.build(tmp_path, "p", False, False)[0]


def test_wrong_answers_of_a_server_are_found():
    def wrong(data):
        return questions.wrong_answers(*questions.answers_in(data, False), True)

    good = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
    assert wrong(good) == [] and wrong(good + good) == []
    assert "half an answer" in wrong(good[:-1])[0] and "no answer" in wrong(b"")[0]
    assert "an answer of 500" in wrong(good.replace(b"200", b"500"))[0]
    assert "not JSON" in wrong(good.replace(b"{}", b"{,"))[0]
    assert "elsewhere" in wrong(b"HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\n" + questions.SECRET)[0]
    for broken in (b"<html>", b"HTTP/1.1 200 OK\r\nno header\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n",
                   b"HTTP/1.1 OK\r\nContent-Length: 0\r\n\r\n"):
        with pytest.raises(ValueError):
            questions.answers_in(broken + b"\r\n\r\n", False)


def test_the_same_seed_gives_the_same_inputs(attacked):
    drawn = []
    for _ in range(2):
        chance = random.Random(1)
        drawn.append([attacked.mutated("mercer", chance.choice(attacked.seeds["mercer"]), chance) for _ in range(100)])
    assert drawn[0] == drawn[1] and 20 < sum(mended for _, mended in drawn[0]) < 80
    assert [questions.exchange_of(1, n) for n in range(100)] == [questions.exchange_of(1, n) for n in range(100)]
    assert questions.exchange_of(1, 5) != questions.exchange_of(2, 5)
