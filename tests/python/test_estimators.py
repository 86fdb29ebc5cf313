"""Embedders with scikit-learn's interface."""

import warnings

import mercer
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV


@pytest.fixture(scope="module")
def log():
    rng = np.random.default_rng(2)
    states = rng.uniform(-1, 1, size=(800, 2))
    return states, np.tanh(2 * states[:, 0] - states[:, 1])


def test_clone_and_parameters():
    lattice = mercer.LatticeEmbedder(state_bins=[4, 5], basis="svd")
    for made in (mercer.ContinuousEmbedder(k=3, basis="legendre"), lattice):
        copy = clone(made)
        assert copy is not made and copy.get_params() == made.get_params()
        assert made.set_params(k=9) is made and made.k == 9 and copy.k != 9
        with pytest.raises(ValueError, match="no parameter 'kk'"):
            made.set_params(kk=1)
    assert repr(mercer.ContinuousEmbedder(k=3)) == "ContinuousEmbedder(k=3)"


def test_continuous_fits_what_it_can_express(log):
    states, actions = log
    model = mercer.ContinuousEmbedder(k=6, degree=3, format="float32").fit(states, actions)
    assert model.predict(states).shape == actions.shape and model.score(states, actions) > 0.99
    assert model.coefficients_.shape == (1, 6) and len(model.terms_) == 6 and model.k_ == 6
    assert model.n_features_in_ == 2 and len(model.payload_) == model.embedding_.payload_bytes
    few = mercer.ContinuousEmbedder(k=1, degree=3).fit(states, actions)
    assert few.score(states, actions) < model.score(states, actions)


def test_lattice_counts_what_was_played(log):
    states, actions = log
    model = mercer.LatticeEmbedder(state_bins=12, action_bins=12, k=0, energy=0.999999).fit(states, actions)
    assert model.score(states, actions) > 0.9
    assert np.allclose(model.table_.sum(axis=1), 1) and len(model.state_edges_) == 2 and model.cells_.shape[1] == 2


def test_discrete_actions_and_several_dimensions(log):
    states, _ = log
    side = (states[:, 0] > states[:, 1]).astype(int)
    for model in (mercer.ContinuousEmbedder(k=4), mercer.LatticeEmbedder(state_bins=10)):
        assert model.fit(states, side).score(states, side) > 0.9
        assert model.predict(states).dtype == np.int64
    both = np.column_stack([states[:, 0], -states[:, 1]])
    model = mercer.ContinuousEmbedder(k=4, squash=False, format="float32").fit(states, both)
    assert model.predict(states).shape == both.shape and model.score(states, both) > 0.999


def test_a_search_over_k(log):
    states, actions = log
    search = GridSearchCV(mercer.ContinuousEmbedder(degree=3), {"k": [1, 6]}, cv=2).fit(states, actions)
    assert search.best_params_ == {"k": 6}


def test_a_task_gives_names_and_ranges(teacher):
    met = mercer.rollout("pendulum", teacher, 5, seed=1, act="mean")
    model = mercer.ContinuousEmbedder(k=6, env="pendulum").fit(met.observations, met.actions)
    assert model.formulas_[-1].startswith("torque = 2 tanh(")


@pytest.mark.parametrize("states, actions, text", [
    (np.zeros((5, 2)), np.zeros(4), "as many actions"),
    (np.full((5, 2), np.nan), np.zeros(5), "not finite"),
])
def test_data_that_do_not_do(states, actions, text):
    with pytest.raises(ValueError, match=text):
        mercer.ContinuousEmbedder().fit(states, actions)


def test_not_fitted_yet():
    with pytest.raises(ValueError, match="not fitted"):
        mercer.LatticeEmbedder().predict(np.zeros((1, 2)))


@pytest.mark.parametrize("kind", [mercer.ContinuousEmbedder, mercer.LatticeEmbedder])
def test_the_checks_of_scikit_learn(kind):
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        checks.check_estimator(kind())
