"""`mercer serve` with as many clients as it takes, for some seconds: it answers every one of them, and does not grow.

Latencies are bench/serve_load.py's business: this machine may be busy.
"""

import os
import pathlib
import sys

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
