"""The whole published route against a vectorised numpy script, one thread each, same policy and settings, in one run.

usage: python3 bench/peers_embed.py build/release/bin/mercer_bench SCRIPT.py POLICY.npz POLICY.onnx

SCRIPT.py POLICY.npz pendulum prints a JSON document with `seconds_total`: rollouts, edges, cells, table, and the three
projections. Beside it lies `common.py` with the network (`Actor(POLICY.npz).heads`). Mercer does the same, and encodes
and decodes the bytes of a file each time; neither writes files. Processor time counts on both sides; rounds alternate
and the best of each are compared: what other work on the machine costs goes to neither. The program ends with 1 if a
ratio is missed: 4 end to end, 8 when the time of each one's network is taken off.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy  # noqa: E402  (after the number of threads is fixed)

ROUNDS = 5
EPISODES, STEPS = 200, 200
# The script reads a wall clock, which on a machine with other work counts that too.
BY_PROCESSOR = """
import os, runpy, sys, time
time.perf_counter = time.process_time
sys.argv = sys.argv[1:]
sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def numpy_network(script, policy, cells):
    """Seconds of the network on the batches of the route: one a step, and the centres of the cells."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    from common import Actor

    actor = Actor(policy)
    states = numpy.random.default_rng(1).uniform(-1, 1, (EPISODES, 3))
    centres = numpy.random.default_rng(2).uniform(-1, 1, (cells, 3))
    times = []
    for _ in range(3):
        begin = time.process_time()
        for _ in range(STEPS):
            actor.heads(states)
        actor.heads(centres)
        times.append(time.process_time() - begin)
    return min(times)


def mercer(program, policy):
    """Seconds of the whole route and of its network."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([program, "--benchmark_filter=^embed_", "--benchmark_repetitions=3", "--benchmark_min_time=0.2",
                        f"--benchmark_out={out.name}", "--benchmark_out_format=json"],
                       check=True, stdout=subprocess.DEVNULL, env=dict(os.environ, MERCER_BENCH_POLICY=policy))
        runs = json.load(open(out.name))["benchmarks"]
    times = {}
    for run in runs:
        if run["run_type"] == "iteration":
            times.setdefault(run["run_name"], []).append(1 / run["items_per_second"])
    return min(times["embed_whole"]), min(times["embed_network"])


def main(program, script, arrays, network):
    rounds = []
    for _ in range(ROUNDS):
        peer = json.loads(subprocess.run([sys.executable, "-c", BY_PROCESSOR, script, arrays, "pendulum"], check=True,
                                         capture_output=True).stdout)
        rounds.append((peer["seconds_total"], numpy_network(script, arrays, peer["visited"]), *mercer(program, network)))
    peer_whole, peer_network, whole, own_network = (min(column) for column in zip(*rounds))
    missed = 0
    for what, own, reference, asked in (("end to end", whole, peer_whole, 4),
                                        ("without the network", whole - own_network, peer_whole - peer_network, 8),
                                        ("the network alone", own_network, peer_network, 1)):
        met = reference / own >= asked
        missed += not met
        print(f"{what:20} mercer {1e3 * own:8.1f} ms, numpy {1e3 * reference:8.1f} ms: "
              f"{reference / own:6.2f} times as fast (asked: {asked}) {'met' if met else 'MISSED'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:5]))
