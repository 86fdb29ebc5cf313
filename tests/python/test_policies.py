"""Policies from Python: files, reference pairs, shapes, and those whose work Python does."""

import mercer
import numpy as np
import pytest
from conftest import ACTOR, DATA

REFERENCE = np.load(DATA / "policies/pendulum_5000.npz", allow_pickle=False)


def test_reference_pairs_of_the_trainer(teacher):
    np.testing.assert_allclose(teacher.mean_action(REFERENCE["obs"])[:, 0], np.ravel(REFERENCE["action"]), atol=1e-5)
    # The trainer adds 1e-6 inside the logarithm and uses units of [-1, 1].
    played = 2 * REFERENCE["probe_action"].reshape(-1, 1).astype(float)
    wanted = np.ravel(REFERENCE["logp"]) - np.log(2)
    inside = np.abs(played[:, 0]) < 1.9
    np.testing.assert_allclose(teacher.log_prob(REFERENCE["obs"], played)[inside], wanted[inside], rtol=1e-4, atol=2e-3)


def test_shapes(teacher):
    obs = REFERENCE["obs"][:7].astype(float)
    assert teacher.sample(obs, 1).shape == (7, 1) and teacher.sample(obs[0], 1).shape == (1,)
    assert teacher.log_prob(obs, teacher.sample(obs, 1)).shape == (7,)
    assert isinstance(teacher.log_prob(obs[0], np.array([0.1])), float)
    car = mercer.load_policy(DATA / "policies/mc_dqn_120000_q.onnx", "mountain-car")
    states = np.array([[-0.5, 0.01], [-0.4, -0.02]])
    assert car.mean_action(states).shape == (2,) and car.mean_action(states).dtype == np.int64
    assert car.mean_action(states[0]).shape == ()


def test_seeds_decide_what_is_drawn(teacher):
    obs = REFERENCE["obs"][:50].astype(float)
    assert np.array_equal(teacher.sample(obs, 4), teacher.sample(obs, 4))
    assert not np.array_equal(teacher.sample(obs, 4), teacher.sample(obs, 5))
    # A row does not depend on those around it.
    assert np.array_equal(teacher.sample(obs, 4)[:10], teacher.sample(obs[:10], 4))


def test_layouts_make_no_difference(teacher):
    obs = np.ascontiguousarray(REFERENCE["obs"], dtype=float)
    wanted = teacher.mean_action(obs)
    for other in (np.asfortranarray(obs), obs.astype(np.float64)[::1], np.repeat(obs, 2, axis=0)[::2],
                  np.hstack([obs, obs])[:, :3], [list(row) for row in obs]):
        assert np.array_equal(teacher.mean_action(other), wanted)
    assert np.array_equal(np.vstack([teacher.mean_action(row) for row in obs[:20]]), wanted[:20])


def test_predict_is_that_of_stable_baselines(teacher):
    obs = REFERENCE["obs"][:4]
    actions, state = teacher.predict(obs, state=None, episode_start=np.ones(4, bool), deterministic=True)
    assert actions.shape == (4, 1) and actions.dtype == np.float32 and state is None
    assert np.array_equal(actions[0], teacher.predict(obs[0])[0])
    teacher.set_random_seed(3)
    first = teacher.predict(obs, deterministic=False)[0], teacher.predict(obs, deterministic=False)[0]
    assert not np.array_equal(*first)
    teacher.set_random_seed(3)
    assert np.array_equal(first[0], teacher.predict(obs, deterministic=False)[0])


def test_settings_are_those_of_the_command_line():
    network = DATA / "policies/mc_dqn_120000_q.onnx"
    cold, hot = (mercer.load_policy(network, "mountain-car", temperature=t) for t in (0.1, 10))
    state = np.array([[-0.5, 0.0]])
    assert hot.log_prob(state, [cold.mean_action(state)[0]]) < cold.log_prob(state, [cold.mean_action(state)[0]])
    with pytest.raises(ValueError, match="temperature"):
        mercer.load_policy(ACTOR, "pendulum", temprature=1)
    with pytest.raises(OSError, match="no-such-file"):
        mercer.load_policy("no-such-file.onnx", "pendulum")


class Proportional:
    """Has densities: pushes against angle and speed, with noise."""

    def mean_action(self, obs):
        return np.clip(-2 * obs[:, 1:2] - 0.5 * obs[:, 2:3], -2, 2)

    def sample(self, obs, seed):
        return self.mean_action(obs) + 0.1 * np.random.default_rng(seed).normal(size=(len(obs), 1))

    def log_prob(self, obs, actions):
        z = (actions - self.mean_action(obs))[:, 0] / 0.1
        return -0.5 * z**2 - np.log(0.1 * np.sqrt(2 * np.pi))


class Predicts:
    def predict(self, obs, state=None, episode_start=None, deterministic=False):
        return Proportional().mean_action(np.atleast_2d(obs)).reshape(np.shape(obs)[:-1] + (1,)), state


def one_by_one(obs):
    assert obs.shape == (3,)
    return [min(max(-2 * obs[1] - 0.5 * obs[2], -2), 2)]


def all_at_once(obs):
    return np.clip(-2 * obs[..., 1:2] - 0.5 * obs[..., 2:3], -2, 2)


@pytest.mark.parametrize("policy", [Proportional(), Predicts(), one_by_one, all_at_once])
def test_python_policies_play_built_in_tasks(policy):
    played = mercer.rollout("pendulum", policy, 20, seed=1, act="mean")
    wanted = mercer.rollout("pendulum", all_at_once, 20, seed=1, act="mean")
    np.testing.assert_allclose(played.returns, wanted.returns, rtol=1e-9)


def test_drawn_actions_of_python_are_the_same_each_time():
    first, second = (mercer.rollout("pendulum", Proportional(), 10, seed=4) for _ in range(2))
    assert np.array_equal(first.actions, second.actions)
    assert not np.array_equal(first.actions, mercer.rollout("pendulum", Proportional(), 10, seed=5).actions)


def test_mistakes_of_python_policies_come_back():
    def broken(obs):
        raise RuntimeError("no idea what to do")

    with pytest.raises(RuntimeError, match="no idea"):
        mercer.rollout("pendulum", broken, 5)
    with pytest.raises(ValueError, match="actions"):
        mercer.rollout("pendulum", lambda obs: np.zeros(7), 5)
    with pytest.raises(ValueError, match="is not a policy"):
        mercer.rollout("pendulum", 42, 5)


def test_distances_between_policies(teacher, small):
    obs = REFERENCE["obs"].astype(float)
    same = mercer.policy_distance(teacher, teacher, obs[:20])
    assert same["tv"] < 1e-9 and same["kl"] < 1e-9 and same["w1"] < 1e-9
    assert mercer.policy_distance(teacher, mercer.load_policy("uniform", "pendulum"), obs[:20])["tv"] > 0.2
