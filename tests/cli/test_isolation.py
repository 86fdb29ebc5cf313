"""What `mercer serve` gives up, and that an embedding found in a folder makes it read nothing elsewhere."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import threading

import pytest
from conftest import PROGRAM, Mercer
from server import Server
from test_hardening import parts_of, rewrite

ROOT = pathlib.Path(os.environ["SOURCE_FOLDER"])
TEACHER = ROOT / "tests/data/policies/pendulum_5000_actor.onnx"
ROBOT = ROOT / "examples/robots"
OUTSIDE = "lies outside of the given folders"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """An embedding of a network and one of a robot, with what they were made from."""
    folder = tmp_path_factory.mktemp("isolation")
    shutil.copy(TEACHER, folder / "actor.onnx")
    for name in ("two_poles.toml", "two_poles.xml"):
        shutil.copy(ROBOT / name, folder / name)
    mercer = Mercer(folder)
    mercer.ok("embed", "--route", "continuous", "--env", "pendulum", "--policy", "actor.onnx", "--k", 6, "--rounds", 1,
              "--episodes", 20, "--out", "p.mercer", "--quiet")
    mercer.ok("embed", "--route", "continuous", "--env", "mujoco:two_poles.toml", "--policy", "uniform", "--act", "sample", "--k", 4,
              "--rounds", 1, "--rollouts", 5, "--episodes", 5, "--out", "robot.mercer", "--quiet")
    return folder


@pytest.fixture
def place(made, tmp_path):
    """A folder to give, with both embeddings alone, and one beside it with all they name."""
    given, away = tmp_path / "given", tmp_path / "away"
    given.mkdir()
    shutil.copytree(made, away)
    for name in ("p.mercer", "robot.mercer"):
        (away / name).rename(given / name)
    return tmp_path


def missing_in(folder, *words):
    """What `serve` states to be missing, by embedding."""
    server = Server(folder, *words)
    try:
        subjects = server.ask("GET", "/api/view")[1]["subjects"]
        return {one["name"]: server.ask("GET", f"/api/subject/{one['id']}")[1]["teacher"]["missing"] for one in subjects}
    finally:
        server.end()


def missing_in_report(folder, *words):
    Mercer(folder).ok("report", *words, "--out", "r.html", "--episodes", 5, "--quiet")
    data = json.loads(re.search(r'id="view">(.*?)</script>', (folder / "r.html").read_text(), re.DOTALL)[1])
    return {one["name"]: one["teacher"]["missing"] for one in data["subjects"]}


def has_landlock():
    """Asked in a process of its own: a question changes nothing."""
    asked = "import ctypes; raise SystemExit(ctypes.CDLL(None).syscall(444, 0, 0, 1) < 1)"
    return subprocess.run(["/usr/bin/python3", "-c", asked]).returncode == 0


def test_every_thread_is_filtered_and_gains_nothing(place):
    server = Server(place, "given/p.mercer")
    try:
        for _ in range(2):  # before and after it worked
            threads = server.threads()
            assert threads
            for status in threads:
                assert re.search(r"NoNewPrivs:\s+1", status) or not has_landlock(), status
                if not os.environ.get("SANITIZERS"):
                    assert re.search(r"NoNewPrivs:\s+1", status) and re.search(r"Seccomp:\s+2", status), status
            assert server.ask("POST", "/api/evaluate", {"subject": 0, "k": 6, "episodes": 200})[0] == 200
            assert server.slice()[0] == 200 and server.ask("POST", "/api/code", {"subject": 0, "k": 6})[0] == 200
            assert server.ask("POST", "/api/play", {"subject": 0, "k": 6})[0] == 200
        assert re.search(r"Cap(Prm|Eff)", server.status())
    finally:
        server.end()


def test_what_a_kernel_does_not_offer_is_told(place):
    """Where it offers all there is nothing to tell; a filter that refuses the calls stands for an older kernel."""
    script = place / "older.py"
    script.write_text(f"""
import ctypes, os, struct
libc = ctypes.CDLL(None, use_errno=True)
# loads the number of the call; the two of Landlock and seccomp do not exist here
calls = [444, 445, 446, {277 if os.uname().machine == 'aarch64' else 317}]
code = [(0x20, 0, 0, 0)] + [one for n in calls for one in ((0x15, 0, 1, n), (0x06, 0, 0, 0x00050000 | 38))] + [(0x06, 0, 0, 0x7fff0000)]
packed = b"".join(struct.pack("HBBI", *one) for one in code)
held = ctypes.create_string_buffer(packed)
program = struct.pack("HxxxxxxQ", len(code), ctypes.addressof(held))
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.c_char_p(program), 0, 0) == 0
os.execv({PROGRAM!r}, [{PROGRAM!r}, "serve", "given/p.mercer", "--port", "0", "--json"])
""")
    process = subprocess.Popen(["/usr/bin/python3", script], cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    told = json.loads(process.stdout.readline())
    assert told["embeddings"] == 1
    process.terminate()
    errors = process.communicate(timeout=60)[1]
    assert process.returncode == 0, errors
    assert "note: this kernel has no Landlock: files are not locked away\n" in errors
    if os.environ.get("SANITIZERS"):
        assert "note: this program is built with sanitizers" in errors
    else:
        assert "note: this kernel filters no system calls (seccomp)\n" in errors


def test_what_is_found_in_a_folder_reads_nothing_elsewhere(place):
    assert missing_in(place, "given") == {"p.mercer": f"The teacher 'actor.onnx' {OUTSIDE}.",
                                          "robot.mercer": f"The task 'mujoco:two_poles.toml' {OUTSIDE}."}
    # A report may share a teacher whose bytes the embedding knows, and no robot.
    assert missing_in_report(place, "given") == {"p.mercer": f"The teacher 'actor.onnx' {OUTSIDE}.",
                                                 "robot.mercer": f"The task 'mujoco:two_poles.toml' {OUTSIDE}."}
    found = {"p.mercer": "", "robot.mercer": ""}
    for name in ("actor.onnx", "two_poles.toml", "two_poles.xml"):
        shutil.copy(place / "away" / name, place / "given" / name)
    assert missing_in(place, "given") == found
    assert missing_in_report(place, "given") == found


@pytest.fixture
def told(place):
    """Edits the embedding of the network, and returns what is missing of it then."""
    whole = (place / "given/p.mercer").read_bytes()
    (place / "given/robot.mercer").unlink()

    def told(edit, by=missing_in, words=("given",)):
        (place / "given/p.mercer").write_bytes(whole)
        rewrite(place / "given/p.mercer", edit)
        return by(place, *words)["p.mercer"]
    return told


def teacher_at(path, digest=None):
    def edit(manifest):
        manifest["teacher"] = str(path)
        manifest["folder"] = ""
        manifest["teacher_sha256"] = digest or "0" * 64
    return edit


def test_a_server_does_not_tell_what_stands_elsewhere(place, told):
    """The right digest, a wrong one, and no file at all: the same answer."""
    outside = place / "away/actor.onnx"
    right = hashlib.sha256(outside.read_bytes()).hexdigest()
    same = f"The teacher 'actor.onnx' {OUTSIDE}."
    for name in ("teacher", "teacher_sha256"):
        assert name in json.loads(parts_of(place / "given/p.mercer")[0]["__metadata__"]["mercer"])
    for path in (outside, place / "nothing/actor.onnx", "../away/actor.onnx", place / "given/../away/actor.onnx",
                 "given/../away/actor.onnx"):
        for digest in (right, None):
            assert told(teacher_at(path, digest)) == same, (path, digest)
    # A report is for whoever gave the folder: it may share a teacher whose bytes are known already.
    assert told(teacher_at(outside, right), missing_in_report) == ""
    assert told(teacher_at(outside), missing_in_report) == same


def test_links_do_not_lead_out(place, told):
    given = place / "given"
    shutil.copy(place / "away/actor.onnx", given / "inside.onnx")
    (given / "link.onnx").symlink_to("../away/actor.onnx")
    (given / "absolute.onnx").symlink_to(place / "away/actor.onnx")
    (given / "up").symlink_to("..")
    (given / "fine.onnx").symlink_to("inside.onnx")
    right = hashlib.sha256((place / "away/actor.onnx").read_bytes()).hexdigest()
    assert told(teacher_at("given/fine.onnx", right)) == ""
    for name in ("link.onnx", "absolute.onnx", "up/away/actor.onnx"):
        shown = f"The teacher '{pathlib.Path(name).name}' {OUTSIDE}."
        assert told(teacher_at(given / name, right)) == shown, name


def test_a_normaliser_elsewhere_is_not_read(place, told):
    """An embedding also names the file of a normaliser, which a teacher of the given folder would be played with."""
    shutil.copy(next((ROOT / "tests/data/sb3").glob("*.zip")), place / "given/agent.zip")
    right = hashlib.sha256((place / "given/agent.zip").read_bytes()).hexdigest()
    secret = place / "away/secret.pkl"
    secret.write_bytes(b"secret")
    digest = hashlib.sha256(b"secret").hexdigest()

    def edit(stored):
        def change(manifest):
            teacher_at("given/agent.zip", right)(manifest)
            manifest["settings"].update(normaliser=str(secret), normaliser_sha256=stored)
        return change
    for words in (("given",), ("given", "--policy", "given/agent.zip")):
        answers = {told(edit(stored), words=words).replace(stored, "STORED") for stored in (digest, "1" * 64)}
        assert len(answers) == 1 and "secret" not in answers.pop(), words
        assert digest not in told(edit("1" * 64), missing_in_report, words)


def test_a_model_names_nothing_elsewhere(place):
    """libmujoco opens by itself what a model includes."""
    given, away = place / "given", place / "away"
    (given / "p.mercer").unlink()
    model = (away / "two_poles.xml").read_text()
    worldbody = re.search(r"<worldbody>.*</worldbody>", model, re.DOTALL)[0]
    (away / "body.xml").write_text(f"<mujoco>{worldbody}</mujoco>")
    shutil.copy(away / "two_poles.toml", given / "two_poles.toml")

    def missing(include):
        (given / "two_poles.xml").write_text(model.replace(worldbody, f'<include file="{include}"/>'))
        return missing_in(place, "given")["robot.mercer"]
    for include in ("../away/body.xml", away / "body.xml"):
        assert "The task could not be read" in missing(include), include
    (given / "body.xml").symlink_to("../away/body.xml")
    assert "The task could not be read" in missing("body.xml")
    (given / "body.xml").unlink()
    shutil.copy(away / "body.xml", given / "body.xml")
    assert (missing("body.xml") == "") == has_landlock()


def test_names_that_are_swapped_lead_nowhere(place):
    """While folders are read, somebody exchanges an embedding with a link to another one elsewhere."""
    given, away = place / "given", place / "away"
    (given / "p.mercer").rename(away / "secret.mercer")
    shutil.copy(given / "robot.mercer", given / "own.mercer")
    (given / "robot.mercer").rename(away / "robot.mercer")
    (away / "link").symlink_to(away / "secret.mercer")
    done = threading.Event()

    def swap():
        spare = away / "spare"
        while not done.is_set():
            os.rename(given / "own.mercer", spare)
            os.rename(away / "link", given / "own.mercer")
            os.rename(given / "own.mercer", away / "link")
            os.rename(spare, given / "own.mercer")
    thread = threading.Thread(target=swap)
    thread.start()
    try:
        read = 0
        for _ in range(12):
            ran = subprocess.run([PROGRAM, "report", "given", "--out", "r.html", "--episodes", "2", "--quiet"], cwd=place,
                                 capture_output=True, text=True, timeout=120)
            assert ran.returncode in (0, 2, 3), ran.stderr
            if ran.returncode == 0:
                read += 1
                text = (place / "r.html").read_text()
                data = json.loads(re.search(r'id="view">(.*?)</script>', text, re.DOTALL)[1])
                assert [one["action"]["axes"][0]["name"] for one in data["subjects"]] == ["push"]
    finally:
        done.set()
        thread.join()
    print(f"{read} of 12 found the embedding in its place")


def test_a_robot_is_found_from_anywhere(place):
    """Named itself, an embedding finds its robot beside it, wherever the program starts."""
    for name in ("two_poles.toml", "two_poles.xml"):
        shutil.copy(place / "away" / name, place / "given" / name)
    assert missing_in(place / "away", "../given/robot.mercer") == {"robot.mercer": ""}
    shutil.rmtree(place / "away")
    (place / "other").mkdir()
    assert missing_in(place / "other", "../given/robot.mercer") == {"robot.mercer": ""}
