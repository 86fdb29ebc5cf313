"""Power failures, replayed: whatever order the disk kept its own, a reader finds the old file or the new one."""

import hashlib
import json
import os
import pathlib
import random
import re
import sqlite3

import pytest

import faults
from disk import Disk
from faults import JOBS, LOCKS, UNFINISHED, Lab, compared, files_in

PROGRAM = os.environ["BINARY_UNDER_TEST"]
SHIM = pathlib.Path(PROGRAM).parent / "faulty_calls.so"
MOST = 16  # states at one moment, beyond which they are drawn at random
RUNS = 6  # states of each job from which the program is run again

DATABASE = re.compile(r"(^|/)results\.sqlite(-wal|-shm|-journal)?$")
RESULT = re.compile(r"^(.*/store/[a-z]+-[0-9a-f]{32})/(.*)$")


def is_final(path):
    return not (path.endswith(".part") or LOCKS.search(path) or DATABASE.search(path) or UNFINISHED.search(path))


def record(lab, words, folder):
    """The calls of a run from what the folder holds."""
    file = lab.base / "record"
    file.unlink(missing_ok=True)
    before = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    done = lab.run(words, folder, FAULT_RECORD=file)
    assert done.returncode == 0, done.stderr
    return Disk(folder, before, file.read_bytes())


def wrong_in(disk, files):
    """Files of a state that no reader may find."""
    wrong = [f"{path} has {len(data)} bytes that nobody finished" for path, data in files.items()
             if data is not None and is_final(path) and data not in disk.versions.get(path, [])]
    wrong += [f"{path} is gone" for path in disk.before if is_final(path) and path not in files]
    # A result is there as a whole or not at all.
    for path in disk.versions:
        found = RESULT.match(path)
        if found and files.get(found[1], 0) is None and path not in files:
            wrong.append(f"{path} is missing from a result")
    return wrong


def put(files, folder):
    folder.mkdir(parents=True)
    for path, data in files.items():
        if data is None:
            (folder / path).mkdir(parents=True, exist_ok=True)
        else:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)


def whole(folder):
    """What a run leaves, besides halves of one that was cut off."""
    return {path: data for path, data in compared(files_in(folder)).items() if not path.endswith(".part")}


def check_database(folder):
    for file in folder.rglob("results.sqlite"):
        base = sqlite3.connect(file)
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",), file
        base.close()


@pytest.mark.parametrize("job", JOBS)
def test_a_reader_sees_the_old_file_or_the_new_one(job, tmp_path):
    lab = Lab(PROGRAM, SHIM, job, tmp_path)
    folder = lab.fresh("recorded")
    disk = record(lab, lab.words, folder)
    # The model agrees with the disk where nothing failed.
    assert {path: data for path, data in disk.now.files(disk.folder).items() if data is not None and not DATABASE.search(path)} == {
        path: data for path, data in {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}.items()
        if not DATABASE.search(path)}
    seen, drawn, states = {}, 0, 0
    for calls, state, everything in disk.states(MOST):
        states += 1
        drawn += not everything
        files = state.files(disk.folder)
        key = hashlib.sha256(repr(sorted(files.items())).encode()).digest()
        if key in seen:
            continue
        seen[key] = files
        assert wrong_in(disk, files) == [], (job, calls)
    assert len(seen) > 5
    kept = list(seen.values())
    again = random.Random(1).sample(kept, min(RUNS, len(kept)))
    for number, files in enumerate(again):
        place = tmp_path / f"again{number}"
        put(files, place)
        done = lab.run(lab.words, place)
        assert done.returncode == 0, (job, sorted(files), done.stderr)
        assert whole(place) == compared(lab.new), (job, lab.changes(place))
        check_database(place)
    print(f"\n{job}: {disk.calls} calls, {states} states ({drawn} drawn), {len(seen)} different ones, {len(again)} continued")


CARELESS = """
import os, sys
way = sys.argv[1]
name = ".new.part" if way != "in place" else "e.mercer"
file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
os.write(file, b"new contents")
if way == "careful":
    os.fsync(file)
os.close(file)
if way != "in place":
    os.rename(name, "e.mercer")
"""


@pytest.mark.parametrize("way, finds", [("careful", False), ("without fsync", True), ("in place", True)])
def test_the_model_finds_careless_writers(way, finds, tmp_path):
    folder, log = tmp_path / "f", tmp_path / "record"
    folder.mkdir()
    (folder / "e.mercer").write_bytes(b"old contents")
    faults.subprocess.run(["/usr/bin/python3", "-c", CARELESS, way], cwd=folder, check=True,
                          env={**os.environ, "LD_PRELOAD": str(SHIM), "FAULT_RECORD": str(log)})
    disk = Disk(folder, {"e.mercer": b"old contents"}, log.read_bytes())
    wrong = [found for calls, state, everything in disk.states(MOST) for found in wrong_in(disk, state.files(disk.folder))]
    assert bool(wrong) == finds, wrong
