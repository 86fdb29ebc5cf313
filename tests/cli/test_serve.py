"""mercer serve under requests that mean no good, and mercer report under bad input."""

import json
import os
import pathlib
import re
import socket
import threading
import time

import pytest

from conftest import Mercer
from server import SLOW, Server

TEACHER = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "tests/data/policies/pendulum_5000_actor.onnx"
TOKEN = "a-word-of-more-than-sixteen"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("serve")
    mercer = Mercer(folder)
    (folder / "given").mkdir()
    mercer.ok("embed", "--route", "continuous", "--env", "pendulum", "--policy", TEACHER, "--k", 6, "--rounds", 1,
              "--episodes", 20, "--out", "given/small.mercer", "--quiet")
    mercer.ok("embed", "--env", "pendulum", "--policy", TEACHER, "--k", 100, "--episodes", 20, "--state-bins", 15,
              "--out", "given/lattice.mercer", "--quiet")
    (folder / "secret.txt").write_text("secret of the house")
    return folder


@pytest.fixture(scope="module")
def server(folder):
    server = Server(folder, "given/small.mercer", "given/lattice.mercer", "given")
    yield server
    assert server.slice()[0] == 200, "still there after all that"
    server.end()


def test_the_page_is_served_with_a_strict_policy(server):
    for path, kind in (("/", "text/html"), ("/page.js", "text/javascript"), ("/page.css", "text/css"), ("/d3.js", "text/javascript")):
        status, text = server.ask("GET", path)
        assert status == 200 and len(text) > 1000
        assert server.headers["Content-Type"].startswith(kind)
        policy = server.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "script-src 'self'" in policy and "unsafe" not in policy
        assert server.headers["X-Content-Type-Options"] == "nosniff"
    assert server.told["url"] == f"http://127.0.0.1:{server.port}/"


def test_answers_are_those_of_the_library(server, folder):
    view = server.ask("GET", "/api/view")[1]
    assert [one["name"] for one in view["subjects"]] == ["small.mercer", "lattice.mercer"]  # the same file once
    about = server.ask("GET", "/api/subject/0")[1]
    inspected = Mercer(folder).json("inspect", "given/small.mercer")
    assert about["payload_bytes"] == inspected["payload_bytes"] and about["k"] == 6 == len(about["terms"])
    assert [size["k"] for size in about["sizes"]] == [1, 2, 3, 4, 5, 6]
    bytes_ = [size["payload_bytes"] for size in about["sizes"]]
    assert bytes_ == sorted(bytes_) and bytes_[-1] == inspected["payload_bytes"]
    energies = [term["energy"] for term in about["terms"]]
    assert energies == sorted(energies, reverse=True)
    grid = server.slice(k=6, n=16)[1]
    assert len(grid["teacher"]) == len(grid["embedding"]) == len(grid["visits"]) == 256
    assert -2 <= min(grid["embedding"]) and max(grid["embedding"]) <= 2
    evaluated = server.ask("POST", "/api/evaluate", {"subject": 0, "k": 6, "episodes": 50})[1]
    assert evaluated["episodes"] == 50 and evaluated["payload_bytes"] == bytes_[-1]
    assert "certificate" not in evaluated  # a measurement is no promise
    again = server.ask("POST", "/api/evaluate", {"subject": 0, "k": 6, "episodes": 50})[1]
    assert again == evaluated
    played = server.ask("POST", "/api/play", {"subject": 0, "k": 6, "start": [1.0, 0.5]})[1]
    assert played["start"] == [1.0, 0.5] == played["teacher"]["states"][:2] == played["embedding"]["states"][:2]
    assert sum(played["embedding"]["rewards"]) == pytest.approx(played["embedding"]["return"], rel=1e-3)
    polar = server.ask("POST", "/api/polar", {"subject": 0, "k": 6})[1]
    assert all(sum(row) == pytest.approx(1, abs=1e-3) for row in polar["teacher"] + polar["embedding"])
    code = server.ask("POST", "/api/code", {"subject": 0, "k": 6})[1]
    assert "controller" in code["header"] and code["operations"] == evaluated["operations"]


def test_an_episode_of_a_robot_has_its_sticks(folder):
    mercer = Mercer(folder)
    teacher = pathlib.Path(os.environ["SOURCE_FOLDER"]) / "tests/data/policies/physics/quadrotor.safetensors"
    mercer.ok("embed", "--route", "continuous", "--env", "quadrotor", "--policy", teacher, "--degree", 1, "--k", 14,
              "--rollouts", 20, "--rounds", 1, "--episodes", 5, "--out", "quadrotor.mercer", "--quiet")
    robot = Server(folder, "quadrotor.mercer")
    try:
        played = robot.ask("POST", "/api/play", {"subject": 0, "k": 14, "frames": 50})[1]
        start = [0.5, 0, -0.25, 0, 0, 0, 1, 0, 0, 0] + [0] * 7
        placed = robot.ask("POST", "/api/play", {"subject": 0, "k": 14, "start": start, "stride": 1})[1]
    finally:
        robot.end()
    for one in ("teacher", "embedding"):
        episode = played[one]
        figure, frames = episode["figure"], len(episode["rewards"])
        assert figure["views"] == ["side", "above"] and figure["coordinates"] == "xyz"
        assert len(figure["radii"]) == 10 and len(figure["first"]) == 60 and len(figure["changes"]) == 60 * (frames - 1)
        assert figure["fixed"]["frames"] == [0, frames - 1] * 3, "the goal stands there all the time"
    # Sticks follow the state: the arms cross where the body is.
    figure, states = placed["embedding"]["figure"], placed["embedding"]["states"]
    ends = figure["first"]
    for frame in range(len(placed["embedding"]["rewards"])):
        if frame > 0:
            ends = [a + b for a, b in zip(ends, figure["changes"][60 * (frame - 1):60 * frame])]
        middle = [(ends[d] + ends[3 + d]) / 2 * figure["unit"] for d in range(3)]
        assert middle == pytest.approx(states[17 * frame:17 * frame + 3], abs=2 * figure["unit"] + 1e-5)


def test_a_lattice_is_cut_and_one_term_switched_off(server):
    about = server.ask("GET", "/api/subject/1")[1]
    assert about["k"] == 100 and about["sizes"][-1]["k"] == 100
    whole = server.slice(subject=1, k=100, n=16)[1]["embedding"]
    less = server.slice(subject=1, k=100, n=16, off=[1])[1]["embedding"]
    fewer = server.slice(subject=1, k=10, n=16)[1]["embedding"]
    assert whole != less and whole != fewer
    assert server.slice(subject=1, k=100, n=16, off=[])[1]["embedding"] == whole


@pytest.mark.parametrize("path", [
    "/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/given/small.mercer", "/api/../secret.txt",
    "/api/subject/..%2f..%2fsecret.txt", "/api/subject/-1", "/api/subject/0x0", "/api/subject/99999999999999999999",
    "//etc/passwd", "/page.js/../../secret.txt", "/page.js%00.txt", "/.git/config", "/api/jobs/../view",
])
def test_no_path_leads_out(server, path):
    status, answer = server.ask("GET", path)
    assert status in (400, 404) and b"secret of" not in json.dumps(answer).encode()
    line = server.raw(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    assert line.startswith((b"HTTP/1.1 404", b"HTTP/1.1 400")) and b"secret of" not in line


@pytest.mark.parametrize("question", [
    "", "{", "[]", "null", "7", '"text"', "\xff", "[" * 60000, '{"subject":' * 5000, "nan", "{}",
    '{"subject": "0", "k": 2, "x": 0, "y": 1}', '{"subject": -1, "k": 2, "x": 0, "y": 1}',
    '{"subject": 2, "k": 2, "x": 0, "y": 1}', '{"subject": 1e300, "k": 2, "x": 0, "y": 1}',
    '{"subject": 0, "k": 0, "x": 0, "y": 1}', '{"subject": 0, "k": 7, "x": 0, "y": 1}',
    '{"subject": 0, "k": 2.5, "x": 0, "y": 1}', '{"subject": 0, "k": 18446744073709551616, "x": 0, "y": 1}',
    '{"subject": 0, "k": 2, "x": 2, "y": 1}', '{"subject": 0, "k": 2, "x": 0, "y": 1, "n": 1000000}',
    '{"subject": 0, "k": 2, "x": 0, "y": 1, "n": 1}', '{"subject": 0, "k": 2, "x": 0, "y": 1, "fixed": [1]}',
    '{"subject": 0, "k": 2, "x": 0, "y": 1, "fixed": [1, "a"]}', '{"subject": 0, "k": 2, "x": 0, "y": 1, "fixed": [1, 1e999]}',
    '{"subject": 0, "k": 2, "x": 0, "y": 1, "off": [6]}', '{"subject": 0, "k": 2, "x": 0, "y": 1, "off": [0, 1]}',
    '{"subject": 0, "k": 2, "x": 0, "y": 1, "off": {}}', '{"subject": 0, "k": 2, "x": 0, "y": 1, "output": 1}',
    '{"subject": 0, "k": 2, "x": 0, "y": 1, "work": "../x"}',
])
def test_bad_questions_are_told_what_is_legal(server, question):
    status, answer = server.ask("POST", "/api/slice", question.encode("latin1"), {"Content-Type": "application/json"})
    assert status == 400 and len(answer["error"]) > 20


def test_other_questions_are_bounded_too(server):
    for kind, more in (("evaluate", {"episodes": 1}), ("evaluate", {"episodes": 10**9}), ("play", {"start": [0, 1e9]}),
                       ("play", {"start": [0]}), ("play", {"another": -1}), ("play", {"frames": 10**7}), ("polar", {"k": 0}),
                       ("code", {"off": [0, 1, 2, 3, 4, 5]})):
        status, answer = server.ask("POST", f"/api/{kind}", {"subject": 0, "k": 6, **more})
        assert status == 400 and answer["error"], kind
    assert server.ask("POST", "/api/nothing", {"subject": 0})[0] == 404


@pytest.mark.parametrize("method", ["PUT", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW"])
def test_other_methods_are_refused(server, method):
    answer = server.raw(f"{method} /api/view HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    assert re.match(rb"HTTP/1.1 4\d\d", answer)


def test_a_page_from_elsewhere_is_refused(server):
    assert server.ask("GET", "/api/view", headers={"Host": "evil.example"})[0] == 403
    assert server.ask("GET", "/api/view", headers={"Host": "localhost.evil.example"})[0] == 403
    for host in ("[::1].evil.example", "[::1]evil.example", "[::1", "[::1]:80.evil.example", "127.0.0.1:", "127.0.0.1:x",
                 "localhost:80@evil.example", "[127.0.0.1.evil.example]", "", "127.0.0.1:123456"):
        assert server.ask("GET", "/api/view", headers={"Host": host})[0] == 403, host
    for host in ("[::1]", "[::1]:8765", "localhost", f"127.0.0.1:{server.port}", "127.9.9.9:80"):
        assert server.ask("GET", "/api/view", headers={"Host": host})[0] == 200, host
    assert server.ask("GET", "/api/view", headers={"Origin": "http://evil.example"})[0] == 403
    assert server.ask("GET", "/api/view", headers={"Origin": f"http://127.0.0.1:{server.port}"})[0] == 200
    plain = server.ask("POST", "/api/slice", json.dumps({"subject": 0}), {"Content-Type": "text/plain"})
    assert plain[0] == 415


def test_huge_bodies_are_refused_and_not_kept(server):
    before = server.memory()
    head = "POST /api/slice HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    gigabyte = server.raw(f"{head}Content-Length: 1073741824\r\n\r\n".encode() + b"x" * (1 << 20))
    assert gigabyte.startswith(b"HTTP/1.1 413")
    endless = server.raw(f"{head}Content-Length: 99999999999999999999999\r\n\r\n".encode() + b"x" * 100000)
    assert endless.startswith(b"HTTP/1.1 413")
    assert server.raw(f"{head}Content-Length: -5\r\n\r\n".encode()).startswith(b"HTTP/1.1 400")
    chunked = server.raw(f"{head}Transfer-Encoding: chunked\r\n\r\nfffffff\r\n".encode() + b"x" * 100000)
    assert chunked.startswith(b"HTTP/1.1 411")
    packed = server.raw(f"{head}Content-Encoding: gzip\r\nContent-Length: 20\r\n\r\n".encode() + b"x" * 20)
    assert packed.startswith(b"HTTP/1.1 415")
    # Whoever sends on after that is cut off.
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as peer:
        peer.sendall(f"{head}Content-Length: 1073741824\r\n\r\n".encode())
        sent = 0
        with pytest.raises(OSError):
            while sent < 1 << 30:
                sent += peer.send(b"x" * (1 << 20))
        assert sent < 100 << 20
    assert server.memory() - before < 200 << 20


def test_many_ranges_of_a_file_are_not_copied(server):
    """2,700 copies of the page's largest file were more than a gigabyte, for a request of 8 KB."""
    before = server.peak_memory()
    ranges = ",".join(["0-"] * 2700)
    together = [threading.Thread(target=server.ask, args=("GET", "/d3.js"), kwargs={"headers": {"Range": f"bytes={ranges}"}})
                for _ in range(8)]
    for one in together:
        one.start()
    for one in together:
        one.join()
    whole = server.ask("GET", "/d3.js")
    for asked in (ranges, "0-1,3-4", "0-9"):
        assert server.ask("GET", "/d3.js", headers={"Range": f"bytes={asked}"}) == whole and whole[0] == 200
    assert server.process.poll() is None
    assert server.peak_memory() < before + 64 * 2**20


def test_no_answer_is_cut_to_a_range(server):
    """JSON was cut and still said 200, errors too."""
    part = {"Range": "bytes=0-4"}
    assert server.ask("GET", "/api/view", headers=part) == server.ask("GET", "/api/view")
    question = {"subject": 0, "k": 2, "x": 0, "y": 1, "n": 8}
    assert server.ask("POST", "/api/slice", question, part) == server.slice()
    for method, path, status in (("POST", "/api/slice", 400), ("GET", "/nothing", 404)):
        answer = server.ask(method, path, {} if method == "POST" else None, part)
        assert answer[0] == status and answer[1]["error"]
    assert "error" in server.ask("GET", "/page.js", headers={**part, "Host": "evil.example"})[1]


def test_a_deep_question_is_refused(server):
    deep = '{"subject": ' + "[" * 30000 + "]" * 30000 + "}"
    status, told = server.ask("POST", "/api/slice", deep, {"Content-Type": "application/json"})
    assert status == 400 and "deeper than 64" in told["error"]


def test_headers_without_end_are_cut_off(server):
    before = server.memory()
    many = server.raw(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X-A: b\r\n" * 2_000_000, wait=20)
    assert not many.startswith(b"HTTP/1.1 200")
    long = server.raw(b"GET /" + b"a" * 10_000_000 + b" HTTP/1.1\r\n\r\n", wait=20)
    assert not long.startswith(b"HTTP/1.1 200")
    assert server.raw(b"\x00\x01\x02\r\n\r\n" * 100, wait=20)[:12] in (b"", b"HTTP/1.1 400")
    assert server.memory() - before < 200 << 20


def test_a_request_has_five_seconds_however_its_bytes_come(server):
    begin = time.monotonic()
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as peer:
        peer.sendall(b"GET / HTTP/1.1\r\n")
        with pytest.raises(OSError):
            for _ in range(100):
                peer.sendall(b"X: y\r\n")
                time.sleep(0.2)
    assert 4 < time.monotonic() - begin < 9 * SLOW


def test_a_thousand_slow_writers_do_not_keep_others_out(server):
    before, peers = server.memory(), []
    for _ in range(1000):
        peer = socket.create_connection(("127.0.0.1", server.port), timeout=20)
        peer.sendall(b"POST /api/slice HTTP/1.1\r\nHost: loc")
        peers.append(peer)
    try:
        for _ in range(3):
            begin = time.monotonic()
            assert server.slice()[0] == 200
            assert time.monotonic() - begin < 10
            for peer in peers:
                try:
                    peer.send(b"a")
                except OSError:
                    pass
        threads = len(os.listdir(f"/proc/{server.process.pid}/task"))
        assert threads < 200 and server.memory() - before < 300 << 20
    finally:
        for peer in peers:
            peer.close()


def test_slow_work_blocks_nobody_and_can_be_stopped(server):
    answers = []
    work = {"subject": 1, "k": 100, "episodes": 100000}

    def evaluate(name):
        answers.append(server.ask("POST", "/api/evaluate", {**work, "work": name}, timeout=120))

    threads = [threading.Thread(target=evaluate, args=(f"job-{i}",)) for i in range(6)]
    for thread in threads:
        thread.start()
    time.sleep(1)
    for _ in range(3):
        begin = time.monotonic()
        assert server.slice()[0] == 200
        assert time.monotonic() - begin < 5 * SLOW
    for i in range(6):
        server.ask("DELETE", f"/api/jobs/job-{i}")
    begin = time.monotonic()
    for thread in threads:
        thread.join()
    assert time.monotonic() - begin < 20 * SLOW
    assert [status for status, _ in answers] == [409] * 6  # four at work, the others in line; all of them were stopped
    assert server.ask("DELETE", "/api/jobs/job-0") == (200, {"stopped": False})


def test_the_token_is_needed_for_everything_but_the_empty_page(folder):
    server = Server(folder, "given/small.mercer", "--token", TOKEN)
    assert server.told["url"].endswith(f"/#token={TOKEN}")
    for given in (None, "", "Bearer ", "Bearer wrong", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", TOKEN):
        headers = {} if given is None else {"Authorization": given}
        for method, path in (("GET", "/api/view"), ("GET", "/api/subject/0"), ("DELETE", "/api/jobs/x")):
            status, answer = server.ask(method, path, headers=headers)
            assert status == 401 and "token" in answer["error"]
        assert server.ask("POST", "/api/slice", {"subject": 0, "k": 2, "x": 0, "y": 1}, headers)[0] == 401
    assert server.ask("GET", "/api/view", headers={"Authorization": f"Bearer {TOKEN}"})[0] == 200
    status, text = server.ask("GET", "/")
    assert status == 200 and b"small.mercer" not in text
    server.end()


def test_other_machines_need_a_token(mercer, folder):
    file = folder / "given/small.mercer"
    for address in ("0.0.0.0", "::", "192.168.1.1"):
        assert "token" in mercer.fails(2, "serve", file, "--bind", address, "--port", "0")
    assert "16" in mercer.fails(2, "serve", file, "--token", "short", "--port", "0")
    assert "letters" in mercer.fails(2, "serve", file, "--token", "with spaces and more <>", "--port", "0")
    server = Server(folder, str(file), "--bind", "0.0.0.0", "--token", TOKEN)
    assert server.ask("GET", "/api/view", headers={"Authorization": f"Bearer {TOKEN}"})[0] == 200
    assert server.ask("GET", "/api/view")[0] == 401
    server.end()


def test_a_port_that_is_taken_is_told(mercer, folder, server):
    assert str(server.port) in mercer.fails(2, "serve", folder / "given", "--port", server.port)
    assert "65535" in mercer.fails(2, "serve", folder / "given", "--port", 65536)


def test_folders_are_not_left(folder, tmp_path):
    outside = Mercer(folder)
    given = tmp_path / "given"
    given.mkdir()
    (given / "link.mercer").symlink_to(folder / "given/small.mercer")
    (given / "broken.mercer").write_bytes(b"no embedding")
    (given / "pipe.mercer").symlink_to("/dev/zero")
    (given / "tried.json").symlink_to(folder / "secret.txt")
    assert "nothing could be read" in outside.fails(2, "serve", given, "--port", "0")
    # An embedding that was only found may name no teacher elsewhere; one that was named may name any.
    teacher = tmp_path / "away/actor.onnx"
    teacher.parent.mkdir()
    teacher.write_bytes(TEACHER.read_bytes())
    Mercer(tmp_path).ok("embed", "--route", "continuous", "--env", "pendulum", "--policy", teacher, "--k", 6, "--rounds", 1,
                        "--episodes", 20, "--out", "given/own.mercer", "--quiet")
    server = Server(tmp_path, "given")
    about = server.ask("GET", "/api/subject/0")[1]
    assert about["teacher"]["missing"] == "The teacher 'actor.onnx' lies outside of the given folders."
    assert server.slice()[1]["teacher"] is None
    evaluated = server.ask("POST", "/api/evaluate", {"subject": 0, "k": 6})[1]
    assert evaluated["loss_percent"] is None
    assert [one["colour"] for one in evaluated["verdicts"]] == ["amber", "amber", "red", "amber", "green"]
    server.end()
    for words in (("given/own.mercer",), ("given", "away"), ("given", "--policy", "away/actor.onnx")):
        server = Server(tmp_path, *words)
        assert server.ask("GET", "/api/subject/0")[1]["teacher"]["missing"] == "", words
        assert server.slice()[1]["teacher"] is not None
        server.end()


def test_an_error_about_a_teacher_names_no_folder(mercer):
    """What a page states about a missing teacher is passed on with it."""
    away = mercer.folder / "it's here"
    away.mkdir()
    (away / "actor.onnx").write_bytes(TEACHER.read_bytes())
    mercer.ok("embed", "--route", "continuous", "--env", "pendulum", "--policy", away / "actor.onnx", "--k", 6, "--rounds", 1,
              "--episodes", 20, "--out", "p.mercer", "--quiet")
    for remove in (False, True):
        (away / "actor.onnx").unlink() if remove else (away / "actor.onnx").write_bytes(b"no network")
        mercer.ok("report", "p.mercer", "--out", "a.html", "--episodes", 10, "--quiet")
        text = (mercer.folder / "a.html").read_text()
        assert "The teacher could not be read" in text and "actor.onnx" in text
        assert str(mercer.folder) not in text and "it's here" not in text


def test_report_says_what_is_wrong(mercer, folder):
    file = folder / "given/small.mercer"
    assert "--out" in mercer.fails(2, "report", file)
    assert ".html" in mercer.fails(2, "report", file, "--out", "x.txt")
    assert "no embedding was named" in mercer.fails(2, "report", "--out", "x.html")
    assert "is a text file, and an embedding (.mercer) is needed" in mercer.fails(3, "report", folder / "secret.txt", "--out", "x.html")
    mercer.fails(3, "report", "missing.mercer", "--out", "x.html")
    assert "episodes" in mercer.fails(2, "report", file, "--out", "x.html", "--episodes", 1)
    assert not list(mercer.folder.iterdir())


def test_a_report_is_the_same_each_time_and_holds_no_path(mercer, folder):
    first = mercer.json("report", folder / "given/small.mercer", "--out", "a.html", "--episodes", 20)
    mercer.ok("report", folder / "given/small.mercer", "--out", "b.html", "--episodes", 20, "--threads", 1, "--quiet")
    text = (mercer.folder / "a.html").read_bytes()
    assert first["bytes"] == len(text) and text == (mercer.folder / "b.html").read_bytes()
    assert str(folder).encode() not in text and str(TEACHER.parent).encode() not in text


def test_a_report_cannot_be_made_to_run_what_a_file_says(mercer, folder):
    """Names in a file end up in the page, where they must stay text."""
    evil = mercer.folder / "<img src=x onerror=alert(1)>.mercer"
    evil.write_bytes((folder / "given/small.mercer").read_bytes())
    mercer.ok("report", evil, "--out", "a.html", "--episodes", 20, "--quiet")
    text = (mercer.folder / "a.html").read_text()
    assert "<img src=x" not in text and "\\u003cimg src=x" in text


def test_compress_keeps_its_candidates(mercer):
    mercer.run("compress", "--env", "pendulum", "--policy", TEACHER, "--max-loss", "20%", "--most-terms", 3, "--generations", 3,
               "--route", "continuous", "--bases", "chebyshev", "--candidate-episodes", 16, "--select-episodes", 100,
               "--certify-episodes", 500, "--out", "p.mercer", "--results", "results", "--quiet")
    tried = json.loads((mercer.folder / "results/tried.json").read_text())
    kept = {one["file"] for one in tried if "file" in one}
    assert kept and kept == {path.name for path in (mercer.folder / "results").glob("*.mercer")}
    for one in tried:
        if "file" in one:
            assert mercer.json("inspect", f"results/{one['file']}")["payload_bytes"] == one["payload_bytes"]
    (mercer.folder / "results/alternatives.json").write_text(json.dumps([{"name": "tree", "bytes": 900, "loss_percent": 2}, {"name": 5}]))
    mercer.ok("report", "results", "--out", "r.html", "--episodes", 10, "--quiet")
    data = json.loads(re.search(r'id="view">(.*?)</script>', (mercer.folder / "r.html").read_text(), re.DOTALL)[1])
    front = data["view"]["front"]
    assert len(front["candidates"]) == len(tried) and "tree" in [one["name"] for one in front["alternatives"]]
    assert any(one["on_front"] for one in front["candidates"])
    # It remembers its teacher, wherever it is read from, and opens what the search chose.
    assert data["subjects"][0]["teacher"]["missing"] == "" and str(TEACHER.parent) not in json.dumps(data)
    chosen = [one["file"] for one in tried if one.get("chosen")]
    assert [data["view"]["subjects"][data["view"]["chosen"]]["name"]] == chosen
    assert data["view"]["subjects"][data["view"]["chosen"]]["certified"]


def test_a_folder_finds_a_teacher_that_was_named_from_elsewhere(mercer):
    """Relative names start where the search was started, not where the report is written."""
    (mercer.folder / "work").mkdir()
    (mercer.folder / "work/actor.onnx").write_bytes(TEACHER.read_bytes())
    Mercer(mercer.folder / "work").run("compress", "--env", "pendulum", "--policy", "actor.onnx", "--max-loss", "20%", "--most-terms", 2,
                                       "--generations", 2, "--route", "continuous", "--bases", "chebyshev", "--candidate-episodes", 16,
                                       "--select-episodes", 100, "--certify-episodes", 500, "--results", "../results", "--out", "p.mercer", "--quiet")
    mercer.ok("report", "results", "--out", "r.html", "--episodes", 10, "--quiet")
    data = json.loads(re.search(r'id="view">(.*?)</script>', (mercer.folder / "r.html").read_text(), re.DOTALL)[1])
    assert {one["teacher"]["missing"] for one in data["subjects"]} == {""}
    # The embeddings of another teacher in the same folder are a group of their own, and share no front.
    other = Mercer(mercer.folder)
    other.ok("embed", "--route", "continuous", "--env", "pendulum", "--policy", "uniform", "--act", "sample", "--k", 2, "--rounds", 1,
             "--episodes", 20, "--out", "results/other.mercer", "--quiet")
    mercer.ok("report", "results", "--out", "r.html", "--episodes", 10, "--quiet")
    data = json.loads(re.search(r'id="view">(.*?)</script>', (mercer.folder / "r.html").read_text(), re.DOTALL)[1])
    groups = {one["name"]: one["group"] for one in data["view"]["subjects"]}
    assert groups["other.mercer"] not in [group for name, group in groups.items() if name != "other.mercer"]
    assert groups["other.mercer"] not in [one["group"] for one in data["view"]["front"]["candidates"]]
