"""`mercer serve` with as many clients as it takes, for some seconds: it answers every one of them, and does not grow.

Latencies are bench/serve_load.py's business: this machine may be busy.
"""

import collections
import http.client
import os
import pathlib
import re
import resource
import sys

import pytest
from conftest import PROGRAM
from server import Server

sys.path.insert(0, str(pathlib.Path(os.environ["SOURCE_FOLDER"]) / "bench"))
import serve_load  # noqa: E402


def test_64_clients_are_answered_and_memory_stays(tmp_path):
    server = Server(tmp_path, *serve_load.prepare(PROGRAM, tmp_path))
    try:
        serve_load.press(server.process.pid, server.port, clients=8, seconds=3, share=0.5, pause=0.05)  # caches fill
        before = server.memory()
        seen = serve_load.press(server.process.pid, server.port, clients=64, seconds=12, share=0.2, pause=0.3)
        grown = server.memory() - before
    finally:
        server.end()
    print(seen["milliseconds"], seen["statuses"], f"grew by {grown} bytes")
    assert set(seen["statuses"]) == {"200"} and seen["broken"] == []
    assert seen["milliseconds"]["cheap"]["answers"] > 100 and seen["milliseconds"]["dear"]["answers"] > 20
    # A thread of each client has a stack and keeps some memory for the next request: 1 MiB each.
    assert grown < 64 * 2**20


def test_the_bench_sees_what_is_wrong():
    good = {"seconds": 10, "statuses": {"200": 5}, "broken": [], "milliseconds": {"cheap": {"p99": 50}},
            "memory": [{"second": second, "bytes": 100 + (50 if second < 2 else 0)} for second in range(10)]}
    assert serve_load.faults_of(good, most_ms=100) == []
    for change in ({"statuses": {"200": 5, "503": 1}}, {"broken": ["GET /: EOFError"]},
                   {"milliseconds": {"cheap": {"p99": 101}}}, {"milliseconds": {"cheap": {"p99": float("nan")}}},
                   {"memory": [{"second": second, "bytes": 100 + 3 * second} for second in range(10)]},
                   {"memory": [{"second": second, "bytes": 160 if second == 6 else 100} for second in range(10)]}):
        assert len(serve_load.faults_of({**good, **change}, most_ms=100)) == 1, change


@pytest.mark.skipif(bool(os.environ.get("SANITIZERS")), reason="the shadow memory of sanitizers is larger than any limit")
def test_memory_that_runs_out_ends_a_request_and_nothing_else(tmp_path):
    """The address space is limited from outside while questions come; each gets an answer or its connection ends."""
    # What the C library keeps for later would answer questions without new memory. So every block from 64 KiB on (of d3.js,
    # for one) is mapped when it is asked for, and unmapped when it is given back.
    server = Server(tmp_path, *serve_load.prepare(PROGRAM, tmp_path),
                    environment={"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": str(1 << 16)})
    try:
        assert server.slice()[0] == 200
        usual = resource.prlimit(server.process.pid, resource.RLIMIT_AS)
        size = int(re.search(r"VmSize:\s+(\d+) kB", server.status())[1]) * 1024
        seen = collections.Counter()
        for step, more in enumerate((-8, 0, 9, 12, 16, 24, 48)):  # MiB: from no memory at all to enough for most questions
            resource.prlimit(server.process.pid, resource.RLIMIT_AS, (size + more * 2**20, usual[1]))
            for method, path, question in (("GET", "/d3.js", None), ("GET", "/api/view", None),
                                           ("POST", "/api/slice", {"subject": 1, "k": 99 - 8 * step, "x": 0, "y": 1, "n": 128}),
                                           ("POST", "/api/evaluate", {"subject": 1, "k": 90 - 8 * step, "episodes": 20000}),
                                           ("POST", "/api/code", {"subject": 1, "k": 80 - 8 * step})):
                try:
                    seen[server.ask(method, path, question)[0]] += 1
                except (OSError, http.client.HTTPException):
                    seen["ended"] += 1
                assert server.process.poll() is None, (more, path)
        resource.prlimit(server.process.pid, resource.RLIMIT_AS, usual)
        print(dict(seen))
        assert set(seen) <= {200, 503, "ended"} and seen[200] > 0 and seen[503] + seen["ended"] > 0
        assert server.slice()[0] == 200 and server.ask("POST", "/api/evaluate", {"subject": 1, "k": 50, "episodes": 50})[0] == 200
    finally:
        server.end()
