"""Transforms, mixtures, edges and distances against numpy, scipy, PyWavelets and scikit-learn, on the spot."""

import json

import mercer
import numpy as np
import pytest
import pywt
import scipy.fft
import scipy.stats
from conftest import DATA
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import KBinsDiscretizer

SHAPES = [(16,), (7, 5), (35, 15), (64, 64), (6, 5, 4)]


@pytest.mark.parametrize("shape", SHAPES)
def test_fourier_is_numpys(shape, rng):
    a = rng.normal(size=shape)
    spectrum = mercer.fourier(a)
    assert spectrum.dtype == complex and spectrum.shape == shape
    np.testing.assert_allclose(spectrum, np.fft.fftn(a), atol=1e-11)
    np.testing.assert_allclose(mercer.inverse_fourier(spectrum), a, atol=1e-12)
    other = rng.normal(size=shape) + 1j * rng.normal(size=shape)
    np.testing.assert_allclose(mercer.inverse_fourier(other), np.fft.ifftn(other).real, atol=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_cosine_is_scipys(shape, rng):
    a = rng.normal(size=shape)
    np.testing.assert_allclose(mercer.cosine(a), scipy.fft.dctn(a, norm="ortho"), atol=1e-11)
    np.testing.assert_allclose(mercer.inverse_cosine(mercer.cosine(a)), a, atol=1e-12)


@pytest.mark.parametrize("mode", ["periodization", "symmetric"])
@pytest.mark.parametrize("name", ["haar", "db2", "db4"])
@pytest.mark.parametrize("shape", [(7, 5), (35, 15), (64, 64)])
@pytest.mark.parametrize("level", [None, 1, 2])
@pytest.mark.filterwarnings("ignore:Level value")
def test_wavelet_is_pywavelets(shape, name, mode, level, rng):
    a = rng.normal(size=shape)
    here, there = mercer.wavelet(a, name, mode=mode, level=level), pywt.wavedec2(a, name, mode=mode, level=level)
    assert len(here) == len(there)
    np.testing.assert_allclose(here[0], there[0], atol=1e-10)
    for mine, other in zip(here[1:], there[1:]):
        assert isinstance(mine, tuple) and len(mine) == 3
        for band, wanted in zip(mine, other):
            np.testing.assert_allclose(band, wanted, atol=1e-10)
    np.testing.assert_allclose(mercer.inverse_wavelet(here, name, mode, shape), a, atol=1e-10)


def test_wavelets_of_one_and_three_axes(rng):
    line, block = rng.normal(size=32), rng.normal(size=(8, 16, 8))
    for mine, other in zip(mercer.wavelet(line, "db2", level=2), pywt.wavedec(line, "db2", "periodization", 2)):
        np.testing.assert_allclose(mine, other, atol=1e-12)
    np.testing.assert_allclose(mercer.inverse_wavelet(mercer.wavelet(line, "db2", level=2), "db2"), line, atol=1e-12)
    here, there = mercer.wavelet(block, "haar", level=2), pywt.wavedecn(block, "haar", "periodization", 2)
    for mine, other in zip(here[1:], there[1:]):
        assert set(mine) == set(other)
        for key in mine:
            np.testing.assert_allclose(mine[key], other[key], atol=1e-12)
    np.testing.assert_allclose(mercer.inverse_wavelet(here, "haar"), block, atol=1e-12)


@pytest.mark.parametrize("shape", [(7, 5), (5, 7), (64, 64)])
def test_svd_is_numpys_up_to_signs(shape, rng):
    a = rng.normal(size=shape)
    u, s, vt = mercer.svd(a)
    wanted = np.linalg.svd(a, full_matrices=False)
    assert [x.shape for x in (u, s, vt)] == [x.shape for x in wanted]
    np.testing.assert_allclose(s, wanted[1], rtol=1e-12)
    np.testing.assert_allclose(np.abs(u), np.abs(wanted[0]), atol=1e-9)
    np.testing.assert_allclose(u * s @ vt, a, atol=1e-12)
    np.testing.assert_allclose(mercer.svd(a, rank=2)[1], s[:2], rtol=1e-10)


def test_quantile_edges_are_scikit_learns(rng):
    x = rng.normal(size=(500, 3))
    wanted = KBinsDiscretizer(12, encode="ordinal", strategy="quantile").fit(x).bin_edges_
    for mine, other in zip(mercer.quantile_edges(x, 12), wanted):
        np.testing.assert_allclose(mine, other, rtol=1e-12)
    np.testing.assert_allclose(mercer.quantile_edges(x[:, 0], 12), wanted[0], rtol=1e-12)
    assert len(mercer.quantile_edges(np.array([0.0, 0, 0, 1, 2]), 4)) < 5  # ties
    np.testing.assert_allclose(mercer.make_edges(x[:, 0], 4, "uniform"), np.linspace(x[:, 0].min(), x[:, 0].max(), 5))
    with pytest.raises(ValueError, match="quantile"):
        mercer.make_edges(x, 4, "quantle")


def test_wasserstein_is_scipys(rng):
    x, y, wx, wy = rng.normal(size=60), rng.normal(1, 2, size=90), rng.random(60), rng.random(90)
    assert mercer.wasserstein(x, y) == pytest.approx(scipy.stats.wasserstein_distance(x, y), rel=1e-12)
    assert mercer.wasserstein(x, y, wx, wy) == pytest.approx(scipy.stats.wasserstein_distance(x, y, wx, wy), rel=1e-12)
    one, two = rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + [3, 0]
    far = mercer.transport_distance(one, two)
    assert mercer.sliced_wasserstein(one, two) <= far
    assert far >= mercer.wasserstein(one[:, 0], two[:, 0]) - 1e-12
    with pytest.raises(ValueError, match="E207"):
        mercer.wasserstein(x, y, -wx, wy)


@pytest.mark.parametrize("case", range(4))
def test_mixtures_are_scikit_learns(case):
    golden = json.loads((DATA / "golden/kernels/gmm.json").read_text())["cases"][case]
    x, k = np.array(golden["X"]), golden["k"]
    full = golden["cov"] == "full"
    precisions = np.array(golden["precisions_init"])
    variances = np.linalg.inv(precisions) if full else 1 / precisions
    start = (golden["weights_init"], golden["means_init"], variances)
    for step in golden["steps"]:
        weights, means, found, likelihoods = mercer.fit_mixture(
            x, k, start=start, iterations=step["iters"], floor=golden["reg_covar"]
        )
        assert means.shape == (k, x.shape[1]) and len(likelihoods) == step["iters"] + 1
        np.testing.assert_allclose(weights, step["weights"], atol=1e-6)
        np.testing.assert_allclose(means, step["means"], atol=1e-6)
        np.testing.assert_allclose(found, step["covariances"], atol=1e-6)
        assert likelihoods[-1] == pytest.approx(step["mean_loglik"], abs=1e-6)


def test_mixtures_in_one_dimension_and_weights(rng):
    x = np.concatenate([rng.normal(-3, 0.5, 300), rng.normal(2, 1, 700)])
    weights, means, variances, likelihoods = mercer.fit_mixture(x, 2, iterations=200)
    assert weights.shape == means.shape == variances.shape == (2,) and np.all(np.diff(likelihoods) > -1e-9)
    order = np.argsort(means)
    np.testing.assert_allclose(means[order], [-3, 2], atol=0.2)
    twice = mercer.fit_mixture(np.repeat(x, 2), 2, start=(weights, means, variances), iterations=3)
    weighted = mercer.fit_mixture(x, 2, weights=np.full(1000, 2.0), start=(weights, means, variances), iterations=3)
    np.testing.assert_allclose(twice[1], weighted[1], rtol=1e-10)
    density = mercer.mixture_log_density((weights, means, variances), x)
    other = GaussianMixture(2, covariance_type="diag").fit(x[:, None])
    assert density.mean() == pytest.approx(other.score(x[:, None]), abs=1e-3)


def test_a_basis_is_trained_applied_and_reversed(rng):
    table = rng.random((20, 9))
    for spec in ("fourier", "dct", "haar", "svd"):
        basis = mercer.make_basis(spec)
        basis.train(table)
        coefficients = basis.apply(table)
        np.testing.assert_allclose(basis.reverse(coefficients), table, atol=1e-10)
        k = 4 if spec == "svd" else 40
        kept = basis.kept(coefficients, k)
        few = np.zeros_like(coefficients)
        few[kept] = coefficients[kept]
        error = np.sum((basis.reverse(few) - table) ** 2)
        if basis.orthonormal:
            assert error == pytest.approx(basis.energy_curve(coefficients)[k], rel=1e-8)
    with pytest.raises(ValueError, match="fourier"):
        mercer.make_basis("furier")


def test_rows_become_distributions(rng):
    rows = mercer.project_rows(rng.normal(size=(10, 5)))
    assert np.allclose(rows.sum(axis=1), 1) and (rows >= 0).all()


def test_kernels(rng):
    x, y = rng.normal(size=(30, 2)), rng.normal(size=(10, 2))
    far = np.linalg.norm(x[:, None] - y[None], axis=2) / 0.7
    np.testing.assert_allclose(mercer.kernel_matrix(x, y, "gaussian", 0.7), np.exp(-(far**2) / 2), rtol=1e-10)
    chosen, power = mercer.choose_landmarks(x, 12, "matern52", 1.0)
    assert len(chosen) == 12 and power[chosen].max() < 1e-5
    np.testing.assert_allclose(mercer.power_function(x[chosen], x), power, atol=2e-5)


def test_tables_that_are_no_numbers_are_refused():
    with pytest.raises(ValueError, match="E205"):
        mercer.fourier(np.array([[1.0, np.nan]]))
    with pytest.raises(ValueError, match="two axes"):
        mercer.svd(np.zeros(4))
    with pytest.raises((ValueError, TypeError)):
        mercer.svd("no matrix")


def test_intervals(rng):
    x = rng.random(500)
    for interval in (mercer.hoeffding_interval, mercer.empirical_bernstein_interval,
                     mercer.predictable_bernstein_interval, mercer.betting_interval):
        low, high = interval(x, (0, 1), 0.05)
        assert low < x.mean() < high
    low, high = mercer.student_t_interval(x, 0.05)
    wanted = scipy.stats.t.interval(0.95, 499, x.mean(), scipy.stats.sem(x))
    assert (low, high) == pytest.approx(wanted, rel=1e-9)
    low, high = mercer.bootstrap_interval(x, "std")
    assert low < x.std() < high
    bound = mercer.certify_loss(-10 * x, -10 * x - 0.1, (-20, 0))
    assert bound["loss_mean"] == pytest.approx(0.1) and bound["upper_loss"] > 0.1 and bound["upper_percent"] > 0
    assert bound["lower_loss"] < 0.1
    anytime = mercer.certify_loss(-10 * x, -10 * x - 0.1, (-20, 0), anytime=True)
    assert anytime["upper_loss"] > 0.1 and anytime["upper_percent"] > bound["loss_percent"]
    assert mercer.betting_upper(x, (0, 1), 0.025, anytime=True) == mercer.betting_interval(x, (0, 1), 0.05, anytime=True)[1]
    with pytest.raises(ValueError, match="hoeffding"):
        mercer.certify_loss(-x, -x, (-1, 0), method="hoeffding", anytime=True)
    assert mercer.generous_range([1, 3], [2, 5]) == (-1, 7)
