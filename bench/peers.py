#!/usr/bin/env python3
"""What numpy, scipy, PyWavelets and scikit-learn need for the same work, one thread each, as JSON on standard output.

usage: python3 bench/peers.py [--seconds 0.1] [--repetitions 3]

`./run bench` (bench/table.py) runs it between the rounds of Mercer's own benchmarks. A peer is named by the benchmark that it
stands against. A repetition is the mean processor time of one item over --seconds, as Google Benchmark counts: what other work on
the machine takes goes to neither. A module that is not installed makes its peers missing, not the program fail.
"""

import argparse
import importlib
import json
import os
import platform
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

SIZES = [(701, 15), (4096, 256)]
MANY, BINS, BATCH = 100_000, 35, 4096
MODULES = ("numpy", "scipy", "pywt", "sklearn")


def normals(count, seed):
    import numpy

    return numpy.random.default_rng(seed).standard_normal(count)


def table(rows, columns):
    """A smooth policy with some noise, as in bench/basis.cpp."""
    import numpy

    turn = 6.28 * numpy.arange(rows)[:, None] / rows + 0.4 * numpy.arange(columns)[None, :]
    values = numpy.exp(0.3 * normals((rows, columns), 1) + numpy.cos(turn))
    return values / values.sum(axis=1, keepdims=True)


def transform(kernel, size):
    import numpy

    values = table(*size)
    if kernel == "fourier":
        return lambda: numpy.fft.fft2(values)
    if kernel == "svd":
        return lambda: numpy.linalg.svd(values, full_matrices=False)
    if kernel == "dct":
        import scipy.fft

        return lambda: scipy.fft.dctn(values, norm="ortho")
    import pywt

    if kernel == "haar":
        return lambda: pywt.wavedec2(values, "haar", mode="periodization")
    mode = "symmetric" if kernel == "db4_symmetric" else "periodization"
    return lambda: pywt.wavedec2(values, "db4", mode=mode, level=1)


def sketch():
    from sklearn.utils.extmath import randomized_svd

    values = table(4096, 256)
    return lambda: randomized_svd(values, 10, n_oversamples=10, n_iter=2, random_state=0)


def quantiles():
    import numpy

    data, shares = normals(MANY, 1), numpy.linspace(0, 1, BINS + 1)
    return lambda: numpy.quantile(data, shares)


def cells():
    import numpy

    points = normals((3, MANY), 2)
    edges = [numpy.quantile(row, numpy.linspace(0, 1, BINS + 1))[1:-1] for row in points]

    def count():
        key = numpy.zeros(MANY, dtype=numpy.int64)
        for row, inner in zip(points, edges):
            key = key * BINS + numpy.searchsorted(inner, row, side="right")
        return numpy.unique(key, return_counts=True)

    return count


def wasserstein():
    import scipy.stats

    x, y = normals(MANY, 3), normals(MANY, 4)
    return lambda: scipy.stats.wasserstein_distance(x, y)


def mixture():
    import warnings

    import numpy
    from sklearn.mixture import GaussianMixture

    points = normals((MANY // 5, 3), 5)
    model = GaussianMixture(8, covariance_type="diag", tol=0, max_iter=20, init_params="random_from_data", random_state=0,
                            means_init=points[:8], weights_init=numpy.full(8, 0.125), precisions_init=numpy.ones((8, 3)))

    def fit():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # 20 rounds are not meant to converge
            return model.fit(points)

    return fit


def kernel():
    import numpy
    from scipy.spatial.distance import cdist

    x, z = normals((2000, 20), 6), normals((256, 20), 7)

    def matern():
        root = cdist(x, z) * (5**0.5 / 4)
        return (1 + root + root * root / 3) * numpy.exp(-root)

    return matern


def network(columns):
    """256 x 256 units in single precision, as the pendulum's actor has."""
    import numpy

    layers = [normals(shape, 8).astype("float32") / 16 for shape in ((3, 256), (256, 256), (256, 1))]
    states = numpy.clip(normals((columns, 3), 9), -1, 1).astype("float32")

    def act():
        hidden = numpy.maximum(states @ layers[0], 0)
        return 2 * numpy.tanh(numpy.maximum(hidden @ layers[1], 0) @ layers[2])

    return act


def pendulum():
    """One observed step of a batch, whole arrays at a time, in double precision."""
    import numpy

    theta, speed = numpy.linspace(-3.14, 3.14, BATCH), numpy.zeros(BATCH)

    def step():
        sine = numpy.sin(theta)
        torque = numpy.clip(-0.5 * speed - sine * numpy.cos(theta), -2, 2)
        wrapped = (theta + numpy.pi) % (2 * numpy.pi) - numpy.pi
        reward = -(wrapped**2 + 0.1 * speed**2 + 0.001 * torque**2)
        numpy.clip(speed + (15 * sine + 3 * torque) * 0.05, -8, 8, out=speed)
        theta[:] += speed * 0.05
        return reward

    return step


def all_peers():
    """(benchmark, what it is held against, the ratio that is asked or None, items of a call, maker of the call)."""
    names = {"fourier": "numpy fft2", "dct": "scipy dctn", "haar": "PyWavelets", "db4": "PyWavelets",
             "db4_symmetric": "PyWavelets", "svd": "numpy svd"}
    for size in SIZES:
        for kind, label in names.items():
            asked = 1 / 1.5 if kind == "svd" else 1
            yield (f"basis_{kind}_{size[0]}x{size[1]}", label, asked, 1,
                   lambda kind=kind, size=size: transform(kind, size))
    yield "basis_sketch_4096x256", "scikit-learn randomized_svd", None, 1, sketch
    yield "quantile_edges", "numpy quantile", None, 1, quantiles
    yield "visited_cells", "numpy searchsorted, unique", None, 1, cells
    yield "wasserstein_distance", "scipy wasserstein_distance", None, 1, wasserstein
    yield "mixture_em", "scikit-learn GaussianMixture", None, 1, mixture
    yield "kernel_values", "scipy cdist, numpy", None, 1, kernel
    yield "network_act_one", "numpy, single precision", None, 1, lambda: network(1)
    yield "network_act_batch", "numpy, single precision", None, BATCH, lambda: network(BATCH)
    yield "pendulum_damp_batch", "numpy, whole arrays", None, BATCH, pendulum


def repeat(work, seconds, repetitions):
    """Nanoseconds of processor time of a call, one mean for each repetition."""
    work()
    means = []
    for _ in range(repetitions):
        calls, begin = 0, time.process_time_ns()
        while calls == 0 or time.process_time_ns() - begin < 1e9 * seconds:
            work()
            calls += 1
        means.append((time.process_time_ns() - begin) / calls)
    return means


def measure(peers, seconds, repetitions):
    rows = []
    for subject, what, asked, items, make in peers:
        row = {"subject": subject, "what": what, "asked": asked}
        try:
            row["nanoseconds"] = [call / items for call in repeat(make(), seconds, repetitions)]
        except ImportError as error:
            row["missing"] = error.name or str(error)
        rows.append(row)
    return rows


def versions():
    found = {"python": platform.python_version()}
    for name in MODULES:
        try:
            found[name] = importlib.import_module(name).__version__
        except ImportError:
            found[name] = None
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=0.1, help="of each repetition")
    parser.add_argument("--repetitions", type=int, default=3)
    options = parser.parse_args()
    json.dump({"versions": versions(), "peers": measure(all_peers(), options.seconds, options.repetitions)}, sys.stdout)
    print()


if __name__ == "__main__":
    main()
