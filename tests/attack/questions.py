"""Mutated requests to `mercer serve` on loopback: every answer is HTTP, none tells what it should not."""

import gzip
import json
import pathlib
import random
import re
import signal
import socket
import subprocess
import time

import mutate
import seeds
from attempt import Row, own_environment

SECRET = b"secret of the house"
GOOD = ("POST", "/api/slice", {"subject": 0, "k": 2, "x": 0, "y": 1, "n": 8})
LEGAL = {100, 200, 204, 206, 304, *range(400, 432), 503}  # docs/guide/serve.md; all else of 500 and above is a bug
SLOWEST, GROWTH = 30, 96 << 20  # seconds; bytes from the thousandth request to the last
QUESTIONS = [
    *(("GET", path, None) for path in ("/", "/page.js", "/api/view", "/api/subject/0", "/api/subject/1")),
    ("DELETE", "/api/jobs/nobody", None), GOOD,
    ("POST", "/api/slice", {"subject": 1, "k": 2, "x": 1, "y": 0, "n": 4, "fixed": [0, 0], "off": [1]}),
    ("POST", "/api/slice", {"subject": 0, "k": 1, "plane": 1, "n": 4, "zoom": 1, "output": 0}),
    ("POST", "/api/code", {"subject": 0, "k": 2, "off": []}), ("POST", "/api/polar", {"subject": 0, "k": 2}),
    ("POST", "/api/play", {"subject": 0, "k": 2, "another": 3, "frames": 5, "stride": 2}),
    ("POST", "/api/play", {"subject": 0, "k": 2, "start": [0.1, 0], "frames": 4}),
    ("POST", "/api/evaluate", {"subject": 0, "k": 2, "episodes": 2, "seed": 1, "work": "job-1"})]
PATHS = ["/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/secret.txt", "//etc/passwd", "/page.js/../../secret.txt",
         "/%00", "/api/subject/-1", "/api/subject/18446744073709551616", "/api/subject/..%2f..%2fsecret.txt",
         "/api/jobs/../../secret.txt", "http://localhost/secret.txt", "*", "", "/" + "a" * 9000, "/?" + "a=b&" * 900,
         "/file:///etc/passwd", "/caf%e9", "/%"]
METHODS = ["GET", "POST", "PUT", "PATCH", "OPTIONS", "TRACE", "CONNECT", "DELETE", "BREW", "get", "", "G" * 5000, "PRI"]
VALUES = ["", "0", "-1", "4", "99999999999999999999", "0x10", "1e3", "chunked", "gzip, chunked", "identity", "close",
          "keep-alive", "upgrade", "bytes=0-", "bytes=-1", "bytes=5-2", "bytes=0-0,2-3", "bytes=18446744073709551615-", "lines=1",
          "evil.example", "localhost", "[::1]", "127.0.0.1:1", "http://evil.example", "null", "application/json", "text/plain",
          "100-continue", "Bearer x", "a" * 9000, "\xff\x00", "x\r\n y", "multipart/form-data; boundary=x", "h2c", "*"]
HEADERS = ["Host", "Content-Length", "Transfer-Encoding", "Range", "Connection", "Content-Type", "Content-Encoding", "Expect",
           "Origin", "Authorization", "Upgrade", "Accept-Encoding", "If-Range", "Cookie", "X" * 5000, "", "Content length",
           "X-Forwarded-Host"]


def request_of(method, path, headers, body):
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers)]
    return "\r\n".join(lines).encode("latin1", "replace") + b"\r\n\r\n" + body


def good_request(question=GOOD, close=False):
    method, path, asked = question
    body = b"" if asked is None else json.dumps(asked).encode()
    headers = [("Host", "localhost"), ("Content-Type", "application/json"), ("Content-Length", len(body))]
    return request_of(method, path, headers + [("Connection", "close")] * close, body)


def mutated(chance):
    """The bytes of one request, and whether it is sound: one request, to which an answer is owed."""
    method, path, asked = chance.choice(QUESTIONS)
    body = b"" if asked is None else json.dumps(asked).encode()
    headers = [("Host", "localhost"), ("Content-Type", "application/json"), ("Content-Length", None)]
    count = chance.choice((1, 1, 1, 2))
    ways = chance.choices(("body", "path", "method", "header", "bytes", "short"), (8, 3, 1, 5, 3, 1), k=count)
    if "body" in ways and asked is not None:
        body = mutate.json_text(asked, chance) if chance.random() < 0.8 else mutate.scrambled(body, chance)
        body = body if chance.random() < 0.98 else body * chance.choice((2, 400, 900))
    if "path" in ways:
        path = chance.choice([*PATHS, path + chance.choice(("/", "?x=%00", "/..", "#", "%2e", ";a")), path.upper()])
    if "method" in ways:
        method = chance.choice([*METHODS, *["HEAD"] * (len(ways) == 1)])
    if "header" in ways:
        for _ in range(chance.choice((1, 1, 2, 200))):
            new = (chance.choice(HEADERS), chance.choice(VALUES))
            headers = headers + [new] if chance.random() < 0.5 else [kept if kept[0] != new[0] else new for kept in headers]
    sound = not {"header", "bytes", "short"} & set(ways) and bool(method)
    whole = request_of(method, path, [(name, len(body) if value is None else value) for name, value in headers], body)
    if "bytes" in ways:
        whole = mutate.scrambled(whole, chance) if chance.random() < 0.9 else chance.randbytes(chance.randrange(1, 3000))
    if "short" in ways:
        whole = whole[:chance.randrange(max(1, len(whole)))]
    # Of long ones the server may refuse the rest, and what it said before is then lost on the way.
    return whole, sound and bool(path) and len(whole) < 8000, method


def chunks_end(data, at):
    """Where a chunked body ends, or None."""
    while (line := data.find(b"\r\n", at)) >= 0:
        size = int(data[at:line].split(b";")[0], 16)
        at = line + 2 + size + 2
        if size == 0:
            return at
    return None


def answers_in(data, bare):
    """Status, body and headers of each whole answer, and what is left; raises ValueError for what is not HTTP. `bare`: answers
    to HEAD, which have no body."""
    found = []
    while data:
        end = data.find(b"\r\n\r\n")
        if end < 0:
            break
        first, *rows = data[:end].split(b"\r\n")
        line = re.fullmatch(rb"HTTP/1\.1 (\d{3}) [ -~]*", first)
        if not line or not all(re.fullmatch(rb"[!#-'*+.^_`|~0-9A-Za-z-]+:[ \t]*[\t -~\x80-\xff]*", row) for row in rows):
            raise ValueError(f"an answer that is not HTTP: {data[:120]!r}")
        fields = {row.split(b":")[0].lower(): row.split(b":", 1)[1].strip() for row in rows}
        status, at = int(line[1]), end + 4
        if b"transfer-encoding" in fields:
            stop = chunks_end(data, at)
        elif status in (100, 204, 304) or bare:
            stop = at
        elif b"content-length" in fields:
            stop = at + int(fields[b"content-length"])
        else:
            raise ValueError(f"an answer without a length: {data[:end]!r}")
        if stop is None or stop > len(data):
            break
        found.append((status, data[at:stop], fields))
        data = data[stop:]
    return found, data


class Server:
    """The program on a free port, which ends with this object's `end`."""

    def __init__(self, words, folder):
        self.process = subprocess.Popen([*map(str, words), "--port", "0", "--json", "--quiet"], cwd=folder,
                                        stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=own_environment())
        self.port = json.loads(self.process.stdout.readline())["port"]
        self.peer = None

    def resident(self):
        return int(pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * 4096

    def exchange(self, data, count, keep, bare=False, half=False):
        """Sends bytes on the open connection, if there is one, and reads until so many answers or the end. Returns the answers,
        bytes behind them, and whether the connection was fresh."""
        fresh = self.peer is None
        if fresh:
            self.peer = socket.create_connection(("127.0.0.1", self.port), timeout=SLOWEST)
        peer, got, broken = self.peer, b"", False
        begin, closed = time.monotonic(), False
        try:
            peer.sendall(data)
            if half:
                peer.shutdown(socket.SHUT_WR)
        except OSError:
            broken = True  # it need not take everything, but may have answered
        found, rest = [], b""
        while not closed:
            try:
                peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)  # the server's second packet waits for it, else 40 ms
                part = peer.recv(1 << 18)
            except TimeoutError:
                raise
            except OSError:
                part = b""
            closed = not part
            got += part
            found, rest = answers_in(got, bare)
            done = [answer for answer in found if answer[0] != 100]
            if len(done) >= count and not rest and not half:
                break
            if time.monotonic() - begin > SLOWEST:
                raise TimeoutError
        if closed or not keep or broken or any(answer[2].get(b"connection") == b"close" for answer in found):
            peer.close()
            self.peer = None
        return [answer for answer in found if answer[0] != 100], rest, fresh

    def end(self):
        if self.peer:
            self.peer.close()
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=60), self.process.stderr.read()


def wrong_answers(found, rest, sound):
    found = [(status, gzip.decompress(body) if fields.get(b"content-encoding") == b"gzip" and status != 206 else body, fields)
             for status, body, fields in found]
    wrong = [f"an answer of {status}: {body[:200]!r}" for status, body, _ in found if status not in LEGAL]
    for status, body, fields in found:
        if SECRET in body or b"root:x:" in body or any(SECRET in value for value in fields.values()):
            wrong.append("an answer tells what stands in a file elsewhere")
        if fields.get(b"content-type") == b"application/json" and body and status != 206:  # a part of one is none
            try:
                json.loads(body)
            except ValueError:
                wrong.append(f"an answer that is not JSON: {body[:200]!r}")
    if rest:
        wrong.append(f"half an answer: {rest[:200]!r}")
    # Requests that were sent in advance get none: the server closes the connection after the first.
    return wrong + ["no answer to a sound request"] if sound and not found else wrong


def exchange_of(seed, number):
    """What is sent as exchange `number`: bytes, requests, whether all are sound, is a HEAD, keeps the
    connection, and closes our half."""
    chance = random.Random(f"{seed}/requests/{number}")
    many = chance.choice((2, 3, 8)) if chance.random() < 0.06 else 1
    parts = [mutated(chance) for _ in range(many)]
    parts = [part for part in parts if part[2] == "HEAD"][:1] or parts  # whose answers have no bodies: alone
    sound = all(part[1] for part in parts)
    # What may be no whole request is followed by the end of our side: otherwise the server waits five seconds for more.
    half = not sound or chance.random() < 0.05
    return b"".join(part[0] for part in parts), len(parts), sound, parts[0][2] == "HEAD", chance.random() < 0.7, half


class Questions:
    def __init__(self, program, base, kept):
        self.kept, folder = kept, pathlib.Path(base)
        (folder / "given").mkdir(parents=True)
        for place in (folder, folder / "given"):
            (place / "secret.txt").write_bytes(SECRET)
        lab = folder / "lab"
        lab.mkdir()
        made, _ = seeds.make_embeddings(program, lab, ("continuous-chebyshev", "lattice-dct"))
        for seed in made:
            (folder / "given" / f"{seed.name}.mercer").write_bytes(seed.data)
        self.server = Server([program, "serve", "given/continuous-chebyshev.mercer", "given/lattice-dct.mercer"], folder)
        self.first, self.row, self.early = self.good(), Row("requests"), None
        assert self.first[0][0] == 200, self.first

    def good(self):
        return self.server.exchange(good_request(), 1, True)[0]

    def one(self, number):
        data, many, sound, bare, keep, half = exchange_of(self.kept.seed, number)
        wrong, before = [], self.row.tried
        try:
            found, rest, fresh = self.server.exchange(data, many, keep, bare, half)
            if not found and not rest and sound and not fresh:  # an idle connection may be closed before it is used again
                found, rest, fresh = self.server.exchange(data, many, keep, bare, half)
            wrong += wrong_answers(found, rest, sound)
            for answer in found:
                self.row.count(0 if answer[0] < 300 else 2 if answer[0] < 500 else answer[0])
        except TimeoutError:
            wrong.append(f"not answered within {SLOWEST} s")
            self.server.peer = None
        except ValueError as trouble:
            wrong.append(str(trouble))
            self.server.peer = None
        self.row.tried = before + many
        if number % 500 == 0 or wrong:
            wrong += self.health()
        if wrong:
            self.kept.add("requests", number, "mercer serve", wrong, texts={"request": data})

    def health(self):
        """A good question has the answer that it had at first, and memory does not grow."""
        if self.server.process.poll() is not None:
            return [f"the server ended with {self.server.process.returncode}"]
        again = self.good()
        if not again and self.server.peer is None:
            again = self.good()
        same = [answer[:2] for answer in again] == [answer[:2] for answer in self.first]
        wrong = [] if same else ["a good question has another answer"]
        now = self.server.resident()
        if self.early is None and self.row.tried > 1000:
            self.early = now
        return wrong + ([f"memory grew from {self.early} to {now} bytes"] if self.early and now > self.early + GROWTH else [])


def attack(program, count, base, kept, only=None):
    questions, number = Questions(program, base / "requests", kept), 0
    row = questions.row
    try:
        while row.tried < count if only is None else number == 0:
            questions.one(number if only is None else only)
            number += 1
            if questions.server.process.poll() is not None:
                break
        wrong = questions.health()
    finally:
        code, said = questions.server.end()
    if wrong or code != 0 or said:
        kept.add("requests", number, "mercer serve", [*wrong, f"the server ended with {code}: {said[-500:]!r}"])
    return row
