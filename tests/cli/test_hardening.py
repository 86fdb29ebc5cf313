"""Attacks that once succeeded: files that end or fill the machine, names that deceive, errors without a code."""

import ctypes
import json
import os
import pathlib
import resource
import signal
import stat
import struct
import subprocess
import zipfile
import zlib

import pytest

from conftest import PROGRAM, Mercer

TEACHER = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "tests/data/policies/pendulum_5000_actor.onnx"
LONG = "n" * 300
TRAP = "\x1b[31mred\nverified: all is well\u202e"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hardening")
    Mercer(folder).ok("embed", "--route", "continuous", "--env", "pendulum", "--policy", TEACHER, "--k", 4, "--rounds", 1,
                      "--episodes", 5, "--out", "p.mercer", "--quiet")
    return folder / "p.mercer"


@pytest.fixture
def mercer(made, tmp_path):
    (tmp_path / "p.mercer").write_bytes(made.read_bytes())
    return Mercer(tmp_path)


def parts_of(path):
    data = path.read_bytes()
    end = 8 + struct.unpack("<Q", data[:8])[0]
    return json.loads(data[8:end]), data[end:]


def rewrite(path, edit, payload=None):
    """The file as somebody else would write it: of format 1, which has no digests to mend."""
    head, data = parts_of(path)
    manifest = json.loads(head["__metadata__"]["mercer"])
    for key in ("digests", "signature", "checksum"):
        manifest.pop(key, None)
    manifest["format"] = 1
    text = edit(manifest) or json.dumps(manifest)
    data = data if payload is None else payload
    head = {"__metadata__": {"mercer": text}, "payload": {"dtype": "U8", "shape": [len(data)], "data_offsets": [0, len(data)]}}
    packed = json.dumps(head).encode()
    packed += b" " * (-len(packed) % 8)
    path.write_bytes(struct.pack("<Q", len(packed)) + packed + data)


# Every verb that reads an embedding.
READERS = [("inspect", "p.mercer"), ("evaluate", "--env", "pendulum", "--policy", "p.mercer", "--episodes", 2),
           ("certify", "p.mercer", "--episodes", 20, "--dry-run"), ("export", "c", "p.mercer", "--out", "c"),
           ("report", "p.mercer", "--out", "r.html")]


@pytest.mark.parametrize("words", READERS, ids=lambda words: words[0])
def test_a_manifest_of_any_depth_is_refused(mercer, words):
    deep = "[" * 100_000 + "]" * 100_000
    rewrite(mercer.folder / "p.mercer", lambda manifest: json.dumps(manifest)[:-1] + f', "more": {deep}}}')
    assert "E304" in mercer.fails(3, *words) or words[0] == "report"


@pytest.mark.parametrize("words", READERS, ids=lambda words: words[0])
def test_a_key_that_stands_twice_is_refused(mercer, words):
    rewrite(mercer.folder / "p.mercer", lambda manifest: json.dumps(manifest)[:-1] + ', "seed": 7}')
    assert "names 'seed' twice" in mercer.fails(3, *words)


def test_no_text_of_a_file_controls_the_terminal(mercer):
    path = mercer.folder / "p.mercer"
    whole = path.read_bytes()
    places = []

    def collect(value, place):
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, inner in items:
            collect(inner, place + [key])
        if isinstance(value, str):
            places.append(place)

    collect(json.loads(parts_of(path)[0]["__metadata__"]["mercer"]), [])
    assert len(places) > 12
    for place in places:
        def put(manifest):
            inner = manifest
            for key in place[:-1]:
                inner = inner[key] if not isinstance(inner, dict) or key in inner else {}
            if isinstance(inner, list) or place[-1] in inner:
                inner[place[-1]] = TRAP
        path.write_bytes(whole)
        rewrite(path, put)
        for words in (READERS[0], READERS[2]):
            done = mercer.run(*words)
            assert done.returncode in (0, 2, 3, 5), (place, done.stderr)
            for shown in (done.stdout, done.stderr):
                assert "\x1b" not in shown and "\u202e" not in shown, (place, words, shown)
                assert not any(line.startswith("verified: all") for line in shown.splitlines()), (place, words, shown)


def test_no_text_of_a_run_controls_the_terminal(mercer):
    """`watch` printed what the file says."""
    (mercer.folder / "run").mkdir()
    status = {"format": 1, "verb": TRAP, "state": TRAP, "about": {"env": TRAP, TRAP: 1}, "notes": [TRAP], "result": {TRAP: 1},
              "phase": TRAP, "fraction": 1, "seconds": 1, "seconds_left": 0, "updated": 1.0, "\x7f\u0085": "caf\xe9"}
    (mercer.folder / "run/progress.json").write_text(json.dumps(status))
    for words in (("--once",), ("--json",)):
        shown = mercer.ok("watch", "run", *words).stdout
        assert not any(mark in shown for mark in ("\x1b", "\u202e", "\x7f", "\u0085")), shown
        assert not any(line.startswith("verified: all") for line in shown.splitlines()), shown
    said = json.loads(shown)
    assert {key: said[key] for key in ("notes", "about", "\x7f\u0085")} == {
        "notes": [TRAP], "about": status["about"], "\x7f\u0085": "caf\xe9"}


def integer(value):
    out = b""
    while value >= 128:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def lattice_bomb(path, cells, actions):
    """One coefficient for a table of that size. A cell takes a byte and an action none."""
    payload = bytes([1, 1]) + integer(3)
    for edges in ([-1, 1], [-1, 1], range(max(cells, 2) + 1)):
        payload += integer(len(edges)) + struct.pack(f"<{len(edges)}f", *edges)
    payload += bytes([1]) + integer(actions) + bytes(3) + integer(cells) + bytes([0]) + bytes([1]) * (cells - 1) + bytes([0])
    payload += integer(3) + b"dct" + integer(1) + integer(1) + integer(0) + integer(1) + struct.pack("<f", 1.0)

    def discrete(manifest):
        manifest.update(route="lattice", basis="dct", k=1)
        axis = {"name": "a", "range": [0, actions - 1], "unit": "", "periodic": False}
        manifest["contract"].update(action={"count": actions, "axes": [axis]}, squash="none", centre=[], scale=[], clip=[])
    rewrite(path, discrete, payload)


def test_a_small_lattice_has_no_huge_table(mercer):
    path = mercer.folder / "p.mercer"
    lattice_bomb(path, 200, 1 << 20)
    assert path.stat().st_size < 4096
    for words in (READERS[0], READERS[3]):
        told = mercer.fails(2, *words)
        assert "E208" in told and "200 states and 1048576 actions; legal for" in told
    lattice_bomb(path, 16, 1 << 16)
    mercer.ok("inspect", "p.mercer")


def npz_of_one_member(path, entries):
    """A directory that names one deflated array again and again."""
    array = b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000,), }".ljust(117) + b"\n"
    body, name = array + bytes(8_000_000), b"x.npy"
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = deflate.compress(body) + deflate.flush()
    facts = (zlib.crc32(body), len(packed), len(body), len(name), 0)
    local = struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, 8, 0, 33, *facts) + name + packed
    central = (struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, 0, 8, 0, 33, *facts, 0, 0, 0, 0, 0) + name) * entries
    path.write_bytes(local + central + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, entries, entries, len(central), len(local), 0))


def test_an_npz_unpacks_a_member_once(mercer):
    npz_of_one_member(mercer.folder / "many.npz", 60_000)
    for words in (("evaluate", "--rollouts", "many.npz"), ("inspect", "many.npz"),
                  ("evaluate", "--env", "pendulum", "--policy", "many.npz")):
        assert "E303" in mercer.fails(3, *words), words
    npz_of_one_member(mercer.folder / "one.npz", 1)
    assert "has no array" in mercer.fails(3, "evaluate", "--rollouts", "one.npz")


@pytest.mark.parametrize("text", ["[" + ".".join(["a"] * 30_000) + "]\n", ".".join(["a"] * 30_000) + " = 1\n",
                                  "a = " + "{a = " * 30 + "{" + ".".join(["a"] * 60) + " = 1}" + "}" * 30 + "\n"])
def test_settings_of_any_depth_are_refused(mercer, text):
    (mercer.folder / "deep.toml").write_text(text)
    for words in (("list", "--config", "deep.toml"), ("sweep", "deep.toml", "--out", "s"),
                  ("evaluate", "--env", "mujoco:deep.toml", "--policy", "uniform")):
        assert "deeper than 64 levels" in mercer.fails(3, *words)


# No name from outside is a bug of the program's.
@pytest.mark.parametrize("words", [
    ("train", "--env", "pendulum", "--out", LONG), ("report", LONG, "--out", "x.html"), ("serve", LONG),
    ("reproduce", "chain", "--out", LONG), ("inspect", LONG + ".mercer"), ("certify", "p.mercer", "--policy", LONG + ".onnx"),
    ("evaluate", "--env", LONG, "--policy", "uniform"), ("evaluate", "--env", "pendulum", "--policy", "tabular:" + LONG),
    ("evaluate", "--env", f"mujoco:{LONG}.toml", "--policy", "uniform"), ("sweep", LONG + ".toml", "--out", "s"),
    ("rollout", "--env", "pendulum", "--policy", "uniform", "--episodes", 1, "--out", LONG + ".npz"),
    ("export", "c", "p.mercer", "--out", LONG), ("list", "--config", LONG), ("list", "--plugin", LONG),
    ("inspect", "p.mercer", "--verify", LONG), ("evaluate", "--rollouts", LONG + ".npz"),
], ids=lambda words: words[0])
def test_names_that_are_too_long_are_errors_with_a_code(mercer, words):
    done = mercer.run(*words)
    assert done.returncode in (2, 3), (done.returncode, done.stderr)
    assert "error E" in done.stderr


def test_names_that_are_not_utf8_are_errors_or_escaped(mercer):
    odd = os.fsdecode(b"caf\xe9")
    (mercer.folder / (odd + ".mercer")).write_bytes((mercer.folder / "p.mercer").read_bytes())
    (mercer.folder / (odd + ".onnx")).write_bytes(TEACHER.read_bytes())
    (mercer.folder / odd).mkdir()
    for words in (("inspect", odd + ".mercer"), ("inspect", odd + ".mercer", "--json"), ("inspect", odd + ".onnx", "--json"),
                  ("evaluate", "--env", "pendulum", "--policy", odd + ".onnx", "--episodes", 2, "--json"),
                  ("rollout", "--env", "pendulum", "--policy", odd + ".onnx", "--episodes", 2, "--out", odd + ".npz", "--json"),
                  ("embed", "--env", "pendulum", "--policy", odd + ".onnx", "--episodes", 2, "--k", 3, "--state-bins", 3,
                   "--out", "q.mercer"),
                  ("certify", "p.mercer", "--policy", odd + ".onnx", "--episodes", 20),
                  ("report", odd + ".mercer", "--out", odd + ".html"), ("export", "c", "p.mercer", "--out", odd),
                  ("evaluate", "--env", odd, "--policy", "uniform"), ("list", "--config", odd + ".toml"),
                  ("train", "--env", "pendulum", "--steps", 20, "--out", odd + "/run"),
                  ("sweep", odd + ".toml", "--out", odd)):
        done = subprocess.run([PROGRAM, *map(str, words)], cwd=mercer.folder, capture_output=True, timeout=300)
        assert done.returncode in (0, 2, 3), (words, done)
        assert done.returncode == 0 or (b"error E" in done.stderr and b"\xe9" not in done.stderr), done.stderr


def test_names_in_messages_are_escaped(mercer):
    whole = (mercer.folder / "p.mercer").read_bytes()
    (mercer.folder / (TRAP + ".mercer")).write_bytes(whole)
    (mercer.folder / (TRAP + ".onnx")).write_bytes(TEACHER.read_bytes())
    (mercer.folder / "found").mkdir()
    (mercer.folder / "found/p.mercer").write_bytes(whole)
    (mercer.folder / "found" / (TRAP + ".mercer")).write_bytes(b"broken")
    policy = ("--env", "pendulum", "--policy", TRAP + ".onnx")
    for words in (("rollout", *policy, "--episodes", 2, "--out", TRAP + ".npz"), ("evaluate", *policy, "--episodes", 2),
                  ("evaluate", "--rollouts", TRAP + ".npz"),
                  ("evaluate", *policy, "--against", TRAP + ".mercer", "--episodes", 2),
                  ("embed", *policy, "--episodes", 2, "--k", 3, "--state-bins", 3, "--out", TRAP + "q.mercer"),
                  ("certify", TRAP + ".mercer", "--episodes", 20), ("export", "c", "p.mercer", "--out", TRAP),
                  ("export", "json", "p.mercer", "--out", TRAP + "j"), ("report", "found", "--out", TRAP + ".html"),
                  ("train", "--env", "pendulum", "--steps", 20, "--out", TRAP + "run")):
        done = mercer.run(*words)
        assert done.returncode == 0 and "verified: all" in done.stderr, (words, done.stderr)
        assert "\x1b" not in done.stderr and "\u202e" not in done.stderr, (words, done.stderr)
        assert not any(line.startswith("verified: all") for line in done.stderr.splitlines()), (words, done.stderr)


def as_any_user():
    """Root may read everything, by two capabilities that what it starts then lacks: CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH."""
    if os.geteuid() == 0:
        for capability in (1, 2):
            assert ctypes.CDLL(None).prctl(24, capability, 0, 0, 0) == 0  # PR_CAPBSET_DROP


def test_folders_that_may_not_be_read_are_errors_with_a_code(mercer):
    closed = mercer.folder / "closed"
    closed.mkdir()
    (closed / "p.mercer").write_bytes((mercer.folder / "p.mercer").read_bytes())
    closed.chmod(0)
    try:
        for words in (("inspect", "closed/p.mercer"), ("report", "closed", "--out", "/dev/null"), ("serve", "closed"),
                      ("train", "--env", "pendulum", "--out", "closed/run"), ("sweep", "closed/s.toml", "--out", "closed/s"),
                      ("reproduce", "chain", "--out", "closed/r"), ("export", "c", "p.mercer", "--out", "closed/c"),
                      ("evaluate", "--env", "mujoco:closed/r.toml", "--policy", "uniform"),
                      ("embed", "--env", "pendulum", "--policy", TEACHER, "--out", "closed/q.mercer")):
            done = subprocess.run([PROGRAM, *map(str, words)], cwd=mercer.folder, capture_output=True, text=True, timeout=60,
                                  preexec_fn=as_any_user)
            assert done.returncode in (2, 3), (words, done.returncode, done.stderr)
            assert "error E" in done.stderr
    finally:
        closed.chmod(0o700)


def test_pipes_and_devices_are_no_files(mercer):
    for name in ("t.onnx", "t.mercer", "t.npz", "t.zip", "t.pt", "t.safetensors", "t.json", "t.toml", "t.pem"):
        os.mkfifo(mercer.folder / name)
    for policy in ("t.onnx", "t.mercer", "t.npz", "t.zip", "t.pt", "t.safetensors", "tabular:t.json"):
        assert "E301" in mercer.fails(3, "evaluate", "--env", "pendulum", "--policy", policy), policy
    for words in (("inspect", "t.mercer"), ("certify", "p.mercer", "--policy", "t.onnx"), ("list", "--config", "t.toml"),
                  ("certify", "p.mercer", "--sign", "t.pem"), ("inspect", "p.mercer", "--verify", "t.pem"),
                  ("evaluate", "--env", "mujoco:t.toml", "--policy", "uniform"), ("evaluate", "--rollouts", "t.npz")):
        assert "E301" in mercer.fails(3, *words), words
    os.symlink("/dev/zero", mercer.folder / "z.onnx")
    assert "E301" in mercer.fails(3, "inspect", "z.onnx")


def test_a_file_keeps_its_mode(mercer):
    path = mercer.folder / "p.mercer"
    for mode in (0o600, 0o640):
        path.chmod(mode)
        mercer.ok("certify", "p.mercer", "--episodes", 20, "--quiet")
        assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_limit_on_the_size_of_files_is_an_error_of_writing(mercer):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it, a shell does not
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
    before = sorted(os.listdir(mercer.folder))
    for words in (("rollout", "--env", "pendulum", "--policy", "uniform", "--episodes", 2, "--out", "r.npz"),
                  ("certify", "p.mercer", "--episodes", 20)):
        done = subprocess.run([PROGRAM, *map(str, words)], cwd=mercer.folder, capture_output=True, text=True, preexec_fn=limit)
        assert done.returncode == 3 and "E302" in done.stderr, (done.returncode, done.stderr)
        assert sorted(os.listdir(mercer.folder)) == before


def test_a_budget_is_a_number_and_no_confidence_is_all(mercer):
    for value in ("nan", "-nan", "NaN"):
        assert "is not a number" in mercer.fails(2, "certify", "p.mercer", "--max-loss-return", value)
    done = mercer.ok("certify", "p.mercer", "--episodes", 50, "--confidence", "0.9999999999", "--dry-run")
    assert "100%" not in done.stdout + done.stderr and "99.9999%" in done.stdout + done.stderr


def test_a_contract_must_be_that_of_the_task(mercer):
    path = mercer.folder / "p.mercer"
    whole = path.read_bytes()
    for bounds in ([0.0, 0.0], [-8.0, 0.0], [None, None], [-8.0, None], [-80.0, 80.0]):
        def narrow(manifest):
            manifest["contract"]["observation"]["axes"][2]["range"] = bounds
        path.write_bytes(whole)
        rewrite(path, narrow)
        for words in READERS[1:3]:
            done = mercer.run(*words)
            assert done.returncode in (2, 3) and "error E" in done.stderr, (bounds, done.stdout)


# Every type that JSON has, the ends of numbers, and text that is no UTF-8 once it is escaped.
OTHER_TYPES = [None, True, -1, 1.5, 1e308, 2**63, 2**64 - 1, "", "x\u202e", [], [[1]], {}, {":type:": 5}]


def places_in(value, place=()):
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield place + (key,)
        yield from places_in(inner, place + (key,))


def replaced(document, place, value):
    copy = json.loads(json.dumps(document))
    inner = copy
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return copy


def expect_no_bug(mercer, words, what):
    done = mercer.run(*words)
    assert done.returncode in (0, 2, 3), (what, done.returncode, done.stderr)
    assert done.returncode == 0 or "error E" in done.stderr, (what, done.stderr)


def test_fields_of_another_type_are_errors_with_a_code(mercer):
    path = mercer.folder / "p.mercer"
    whole = path.read_bytes()
    manifest = json.loads(parts_of(path)[0]["__metadata__"]["mercer"])
    manifest = {key: value for key, value in manifest.items() if key not in ("digests", "signature", "checksum")}
    manifest["format"] = 1
    rewrite(path, lambda _: json.dumps(manifest))
    mercer.ok("inspect", "p.mercer")  # it is not for the lack of digests that others are refused
    places = [place for place in places_in(manifest) if place != ("format",)]
    assert len(places) > 30
    for number, place in enumerate(places):
        for value in OTHER_TYPES[number % 3::3]:  # a third of the values each: all of them for every kind of field
            path.write_bytes(whole)
            rewrite(path, lambda _: json.dumps(replaced(manifest, place, value)))
            expect_no_bug(mercer, ("inspect", "p.mercer"), (place, value))


def test_agents_with_fields_of_another_type_are_errors_with_a_code(mercer):
    source = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "tests/data/sb3/pendulum_5000_actor.zip"
    with zipfile.ZipFile(source) as whole:
        members = {name: whole.read(name) for name in whole.namelist()}
    description = json.loads(members["data"])
    for place in places_in(description):
        for value in OTHER_TYPES[::2]:
            with zipfile.ZipFile(mercer.folder / "agent.zip", "w") as out:
                for name, content in {**members, "data": json.dumps(replaced(description, place, value))}.items():
                    out.writestr(name, content)
            expect_no_bug(mercer, ("inspect", "agent.zip"), (place, value))
