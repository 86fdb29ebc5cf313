"""The kernels of the bases against numpy, PyWavelets and scipy, each on one thread, in one run.

usage: OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python3 bench/peers_basis.py build/release/bin/mercer_bench

Rounds of Mercer and of its peers alternate, so that both meet the same weather on a shared machine; medians are compared.
The program ends with 1 if a ratio is missed: 1.0 is asked, 1/1.5 of the SVD.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy  # noqa: E402  (after the number of threads is fixed)
import pywt  # noqa: E402
import scipy.fft  # noqa: E402

ROUNDS = 3
ACTING_NANOSECONDS = 2000  # for one action from 500 Fourier coefficients


def table(rows, columns):
    generator = numpy.random.default_rng(1)
    turn = 6.28 * numpy.arange(rows)[:, None] / rows + 0.4 * numpy.arange(columns)[None, :]
    values = numpy.exp(0.3 * generator.standard_normal((rows, columns)) + numpy.cos(turn))
    return values / values.sum(axis=1, keepdims=True)


PEERS = {
    "fourier": numpy.fft.fft2,
    "dct": lambda a: scipy.fft.dctn(a, norm="ortho"),
    "haar": lambda a: pywt.wavedec2(a, "haar", mode="periodization"),
    "db4": lambda a: pywt.wavedec2(a, "db4", mode="periodization", level=1),
    "db4_symmetric": lambda a: pywt.wavedec2(a, "db4", mode="symmetric", level=1),
    "svd": lambda a: numpy.linalg.svd(a, full_matrices=False),
}
SIZES = [(701, 15), (4096, 256)]


def seconds(work, argument):
    """The median time of one call."""
    work(argument)
    times = []
    while len(times) < 5 or (sum(times) < 0.3 and len(times) < 1000):
        begin = time.perf_counter()
        work(argument)
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def mercer(program):
    """Nanoseconds per item of every benchmark of the bases, the median of its repetitions."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([program, "--benchmark_filter=^basis_", "--benchmark_repetitions=3", "--benchmark_min_time=0.1",
                        f"--benchmark_out={out.name}", "--benchmark_out_format=json"],
                       check=True, stdout=subprocess.DEVNULL)
        runs = json.load(open(out.name))["benchmarks"]
    times = {}
    for run in runs:
        if run["run_type"] == "iteration":
            times.setdefault(run["run_name"].split("/")[0], []).append(1e9 / run["items_per_second"])
    return {name: statistics.median(values) for name, values in times.items()}


def main(program):
    own, peers = {}, {}
    for _ in range(ROUNDS):
        for name, nanoseconds in mercer(program).items():
            own.setdefault(name, []).append(nanoseconds)
        for rows, columns in SIZES:
            values = table(rows, columns)
            for kernel, work in PEERS.items():
                peers.setdefault(f"basis_{kernel}_{rows}x{columns}", []).append(1e9 * seconds(work, values))
    missed = 0
    print(f"{'kernel':32} {'mercer us':>10} {'peer us':>10} {'times as fast':>14} {'asked':>6}")
    for name, times in peers.items():
        subject, reference = statistics.median(own[name]) / 1000, statistics.median(times) / 1000
        asked = 1 / 1.5 if "_svd_" in name else 1
        met = reference / subject >= asked
        missed += not met
        print(f"{name:32} {subject:10.1f} {reference:10.1f} {reference / subject:14.2f} {asked:6.2f}"
              f" {'met' if met else 'MISSED'}")
    for name in own:
        if name not in peers:
            print(f"{name:32} {statistics.median(own[name]) / 1000:10.3f}")
    missed += statistics.median(own["basis_act_fourier_500"]) > ACTING_NANOSECONDS
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
