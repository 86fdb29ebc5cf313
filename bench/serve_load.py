#!/usr/bin/env python3
"""`mercer serve` under load: 64 clients on this machine ask cheap and dear questions, each after a pause, for a fixed time.

    python3 bench/serve_load.py build/release/bin/mercer [--seconds 600] [--clients 64] [--out serve_load.json]

Starts a server of its own on loopback with a continuous embedding and a lattice, and ends it. Cheap questions are the page's
files, lists, and small slices; dear ones are evaluations of 100 episodes, large slices of the lattice and C code at a size that
nobody asked for before. Prints latencies of each kind, answers by status, and the memory of the server over time, with the
load of the machine, without which latencies say little. Ends with 1 after an answer of 500 or more, a connection that broke,
memory whose mean grew by more than a tenth from the second fifth of the time to the last or that ever was half as much
again, or, with --most-ms, cheap answers above it at the 99th percentile.
"""

import argparse
import asyncio
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEACHER = ROOT / "tests/data/policies/pendulum_5000_actor.onnx"
MOST_SECONDS, MOST_CLIENTS = 3600, 64  # one more client than connections would make others give way
SMALL, LATTICE = 0, 1  # numbers of the embeddings


def slice_of(subject, k, n, **more):
    return "POST", "/api/slice", {"subject": subject, "k": k, "x": 0, "y": 1, "n": n, **more}


def cheap(chance):
    return chance.choice([
        ("GET", "/", None), ("GET", "/page.js", None), ("GET", "/page.css", None), ("GET", "/api/view", None),
        ("GET", f"/api/subject/{chance.randrange(2)}", None), ("DELETE", "/api/jobs/nobody", None),
        slice_of(SMALL, chance.randint(1, 6), 16), ("POST", "/api/code", {"subject": SMALL, "k": chance.randint(1, 6)})])


def dear(chance):
    return chance.choice([
        ("POST", "/api/evaluate", {"subject": chance.randrange(2), "k": 6, "episodes": 100, "seed": chance.randrange(10**6)}),
        slice_of(LATTICE, chance.randint(2, 100), 128, off=[chance.randrange(50)]),
        ("POST", "/api/code", {"subject": LATTICE, "k": chance.randint(2, 100)}),
        ("POST", "/api/play", {"subject": SMALL, "k": 6, "another": chance.randrange(10**6), "frames": 200})])


async def answer_of(streams, method, path, question):
    """Status and bytes of one answer on a connection that stays open, and whether it does."""
    reader, writer = streams
    body = b"" if question is None else json.dumps(question).encode()
    kind = "" if question is None else "Content-Type: application/json\r\n"
    writer.write(f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{kind}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    fields = dict(line.lower().split(": ", 1) for line in head[1:] if line)
    length = int(fields["content-length"])
    await reader.readexactly(length)
    return int(head[0].split()[1]), length, fields.get("connection") != "close"


class Load:
    """What clients saw: seconds of each answer by kind, statuses, and connections that broke."""

    def __init__(self, port, share, pause):
        self.port, self.share, self.pause = port, share, pause
        self.seconds = {"cheap": [], "dear": []}
        self.statuses, self.broken = collections.Counter(), []

    async def client(self, number, until):
        chance, streams = random.Random(number), None
        await asyncio.sleep(chance.random() * self.pause)
        while time.monotonic() < until:
            kind = "dear" if chance.random() < self.share else "cheap"
            method, path, question = (dear if kind == "dear" else cheap)(chance)
            try:
                if streams is None:
                    streams = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 20)
                begin = time.monotonic()
                status, _, stays = await asyncio.wait_for(answer_of(streams, method, path, question), 120)
            except (OSError, EOFError, asyncio.TimeoutError) as trouble:
                self.broken.append(f"{method} {path}: {type(trouble).__name__} {trouble}")
                stays = False
            else:
                self.seconds[kind].append(time.monotonic() - begin)
                self.statuses[status] += 1
            if not stays:
                if streams is not None:
                    streams[1].close()
                streams = None
            # Well below the five seconds after which the server closes a connection that asks nothing.
            await asyncio.sleep(min(4, chance.expovariate(1 / self.pause)))
        if streams is not None:
            streams[1].close()

    async def run(self, clients, seconds, watch):
        until = time.monotonic() + seconds
        watcher = asyncio.create_task(watch(until))
        await asyncio.gather(*(self.client(number, until) for number in range(clients)))
        await watcher


def resident(pid):
    return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


def press(pid, port, clients=64, seconds=600, share=0.05, pause=1.0):
    """The server `pid` at `port` under load: a document of what was seen."""
    if not (1 <= clients <= MOST_CLIENTS and 0 < seconds <= MOST_SECONDS):
        raise ValueError(f"clients {clients}, seconds {seconds}; legal: 1 to {MOST_CLIENTS}, up to {MOST_SECONDS}")
    load, memory = Load(port, share, pause), []

    async def watch(until):
        while time.monotonic() < until:
            memory.append({"second": round(seconds - (until - time.monotonic())), "bytes": resident(pid),
                           "load": os.getloadavg()[0]})
            await asyncio.sleep(max(1, seconds / 60))
    asyncio.run(load.run(clients, seconds, watch))
    milliseconds = {kind: {"answers": len(times), **{f"p{round(100 * share)}": round(1000 * percentile(times, share), 1)
                                                     for share in (0.5, 0.95, 0.99, 1)}}
                    for kind, times in load.seconds.items()}
    return {"clients": clients, "seconds": seconds, "cpus": os.cpu_count(), "milliseconds": milliseconds,
            "statuses": {str(status): count for status, count in sorted(load.statuses.items())}, "broken": load.broken,
            "memory": memory}


def faults_of(seen, growth=0.1, most_ms=None):
    """What must not be in such a document, as sentences."""
    faults = [f"{count} answers of {status}" for status, count in seen["statuses"].items() if int(status) >= 500]
    faults += [f"{len(seen['broken'])} broken: {seen['broken'][0]}"] if seen["broken"] else []
    fifths = [[one["bytes"] for one in seen["memory"] if part <= 5 * one["second"] / seen["seconds"] < part + 1.001] for part in (1, 4)]
    if all(fifths):  # it goes up and down with what is under way: single moments say little
        early, late = (sum(part) / len(part) for part in fifths)
        highest = max(one["bytes"] for one in seen["memory"] if 5 * one["second"] >= seen["seconds"])
        if late > (1 + growth) * early or highest > 1.5 * early:
            faults.append(f"memory grew from {early:.0f} to {late:.0f} bytes, {highest} at most")
    slow = seen["milliseconds"]["cheap"]["p99"]
    if most_ms is not None and not slow <= most_ms:
        faults.append(f"99 of 100 cheap answers took up to {slow} ms; asked: {most_ms}")
    return faults


def prepare(program, folder):
    """Embeddings to serve; the paths of both."""
    usual = ["embed", "--env", "pendulum", "--policy", str(TEACHER), "--episodes", "20", "--quiet"]
    for words in (["--route", "continuous", "--k", "6", "--rounds", "1", "--out", "small.mercer"],
                  ["--k", "100", "--state-bins", "15", "--out", "lattice.mercer"]):
        subprocess.run([program, *usual, *words], cwd=folder, check=True)
    return ["small.mercer", "lattice.mercer"]


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("program")
    words.add_argument("--seconds", type=float, default=600)
    words.add_argument("--clients", type=int, default=64)
    words.add_argument("--most-ms", type=float, help="fail if 99 of 100 cheap answers take longer")
    words.add_argument("--out", help="write what was seen as JSON")
    given = words.parse_args()
    program = str(pathlib.Path(given.program).resolve())
    with tempfile.TemporaryDirectory() as folder:
        files = prepare(program, folder)
        server = subprocess.Popen([program, "serve", *files, "--port", "0", "--json", "--quiet"], cwd=folder,
                                  stdout=subprocess.PIPE, text=True)
        try:
            seen = press(server.pid, json.loads(server.stdout.readline())["port"], given.clients, given.seconds)
        finally:
            server.terminate()
            code = server.wait(timeout=60)
    if given.out:
        pathlib.Path(given.out).write_text(json.dumps(seen, indent=1) + "\n")
    loads = [one["load"] for one in seen["memory"]]
    print(f"{seen['clients']} clients, {seen['seconds']:.0f} s, {seen['cpus']} CPUs, load {min(loads):.1f} to {max(loads):.1f}")
    for kind, times in seen["milliseconds"].items():
        print(f"{kind:5} {times['answers']:7} answers, ms: median {times['p50']}, p95 {times['p95']}, p99 {times['p99']}, "
              f"longest {times['p100']}")
    sizes = [one["bytes"] / 2**20 for one in seen["memory"]]
    print(f"statuses {seen['statuses']}, broken {len(seen['broken'])}, MiB at start {sizes[0]:.1f}, most {max(sizes):.1f}, "
          f"at the end {sizes[-1]:.1f}")
    faults = faults_of(seen, most_ms=given.most_ms) + ([f"the server ended with {code}"] if code != 0 else [])
    for fault in faults:
        print(f"missed: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
