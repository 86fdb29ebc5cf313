"""Rollouts: the bits of the command line, and environments that only Python can play."""

import mercer
import numpy as np
import pytest
from conftest import ACTOR
from gym_pendulum import Corridor, Pendulum, Vector


def test_the_command_line_writes_the_same_bits(cli, teacher, tmp_path):
    cli.ok("rollout", "--env", "pendulum", "--policy", ACTOR, "--episodes", 40, "--seed", 9, "--out", "r.npz")
    written = np.load(tmp_path / "r.npz")
    played = mercer.rollout("pendulum", teacher, 40, seed=9)
    for name in ("observations", "actions", "rewards", "states", "returns", "discounted_returns", "offsets"):
        assert np.array_equal(written[name], getattr(played, name).reshape(written[name].shape)), name
    played.save(tmp_path / "p.npz")
    assert (tmp_path / "p.npz").read_bytes() == (tmp_path / "r.npz").read_bytes()
    read = mercer.read_rollouts(tmp_path / "p.npz")
    assert np.array_equal(read.returns, played.returns) and read.policy == str(ACTOR)


def test_evaluate_says_what_the_command_line_says(cli, teacher):
    told = cli.json("evaluate", "--env", "pendulum", "--policy", ACTOR, "--act", "mean", "--episodes", 200, "--seed", 5,
                    "--against", "uniform")
    here = mercer.evaluate("pendulum", teacher, 200, 5, act="mean", against="uniform")
    assert here["return"]["mean"] == told["return"]["mean"] and here["return"]["std"] == told["return"]["std"]
    assert list(here["return"]["ci95"]) == told["return"]["ci95"]
    assert list(here) == list(told) and here["discounted_return"]["mean"] == told["discounted_return"]["mean"]
    assert list(here["std_ci95"]) == told["std_ci95"] and here["policy"] == told["policy"]
    assert here["paired"]["loss_mean"] == told["paired"]["loss_mean"]
    assert here["paired"]["loss_percent"] == told["paired"]["loss_percent"]


def test_arrays_are_views_that_keep_their_rollouts_alive(teacher):
    observations = mercer.rollout("pendulum", teacher, 3, seed=1).observations
    assert observations.base is not None and observations.shape == (600, 3)
    assert np.isfinite(observations).all()


def test_options(teacher):
    short = mercer.rollout("pendulum", teacher, 4, seed=1, horizon=10, gamma=0.5)
    wanted = np.sum(0.5 ** np.arange(10) * short.rewards[:10])
    assert short.steps == 40 and np.allclose(short.discounted_returns[0], wanted)
    only = mercer.rollout("pendulum", teacher, 4, seed=1, keep_steps=False)
    assert only.observations.shape == (0, 3) and only.steps == 800
    starts = mercer.rollout("pendulum", teacher, 4, seed=1, start_states=np.array([[0.1, 0.0]]))
    assert np.allclose(starts.start_states, [0.1, 0.0])
    with mercer.threads(1):
        assert mercer.thread_count() == 1
        one = mercer.rollout("pendulum", teacher, 40, seed=2, batch=7)
    assert np.array_equal(one.returns, mercer.rollout("pendulum", teacher, 40, seed=2).returns)


def bare_loop(env, policy, episodes, seed=0):
    returns = []
    for e in range(episodes):
        obs, _ = env.reset(seed=seed * 2**20 + e)
        total, over = 0.0, False
        while not over:
            obs, reward, terminated, truncated, _ = env.step(policy(obs))
            total += reward
            over = terminated or truncated
        returns.append(total)
    return np.array(returns)


def against_speed(obs):
    return np.clip(-2 * obs[..., 1:2] - 0.5 * obs[..., 2:3], -2, 2)


def test_a_foreign_environment_is_played_as_a_bare_loop_plays_it():
    played = mercer.rollout(Pendulum(), against_speed, 5, seed=3)
    assert np.array_equal(played.returns, bare_loop(Pendulum(), against_speed, 5, seed=3))
    assert played.observations.shape == (1000, 3) and played.actions.shape == (1000, 1)
    assert np.array_equal(played.offsets, np.arange(6) * 200) and played.env == "OwnPendulum-v0"
    np.testing.assert_allclose(played.returns[1], played.rewards[200:400].sum(), rtol=1e-12)
    assert not played.terminated.any()


def test_outcomes_of_a_foreign_environment_are_those_of_its_steps():
    whole = mercer.rollout(Pendulum(), against_speed, 5, seed=3, gamma=0.9, horizon=50)
    short = mercer.rollout(Pendulum(), against_speed, 5, seed=3, gamma=0.9, horizon=50, keep_steps=False)
    for name in ("returns", "discounted_returns", "offsets", "terminated", "observation_names", "action_names", "policy"):
        assert np.array_equal(getattr(whole, name), getattr(short, name)), name
    assert short.steps == 250 and short.rewards.size == 0 and (short.env, short.gamma) == (whole.env, 0.9)
    told = mercer.evaluate(Pendulum(), against_speed, 5, 3, horizon=50, against=lambda obs: np.zeros(1))
    assert np.isclose(told["return"]["mean"], whole.returns.mean(), rtol=1e-12) and told["policy"] == "against_speed"
    assert np.isclose(told["discounted_return"]["mean"], told["return"]["mean"], rtol=1e-12), "no discount is declared"


def test_arrays_that_are_written_over_are_copied():
    class Reuses(Pendulum):
        """Hands out the same memory at every step."""

        memory = np.zeros((2, 3), dtype=np.float32)

        def _obs(self):
            self.memory[self.steps % 2 if hasattr(self, "steps") else 0] = super()._obs()
            return self.memory[self.steps % 2 if hasattr(self, "steps") else 0]

    one, other = (mercer.rollout(make(), against_speed, 3, seed=1) for make in (Pendulum, Reuses))
    assert np.array_equal(one.observations, other.observations) and np.array_equal(one.returns, other.returns)


@pytest.mark.parametrize("next_step", [False, True])
def test_vectors_of_environments_play_the_same_episodes(next_step):
    single = mercer.rollout(Pendulum(), against_speed, 5, seed=3)
    several = mercer.rollout(Vector(Pendulum, 3, next_step), against_speed, 5, seed=3)
    for name in ("returns", "observations", "actions", "rewards", "offsets", "final_observations"):
        assert np.array_equal(getattr(single, name), getattr(several, name)), name


@pytest.mark.parametrize("next_step", [False, True])
def test_discrete_actions_and_episodes_that_end(next_step):
    def right(obs):
        return 1

    single = mercer.rollout(Corridor(), right, 7, seed=1)
    assert single.terminated.all() and single.discrete_actions and single.actions.dtype == np.int64
    assert np.array_equal(single.returns, -(10 - single.observations[single.offsets[:-1], 0]))
    assert (single.final_observations == 10).all()
    several = mercer.rollout(Vector(Corridor, 4, next_step), lambda obs: np.ones(len(obs), int), 7, seed=1)
    assert np.array_equal(single.returns, several.returns)
    assert np.array_equal(single.final_observations, several.final_observations)


def test_built_in_policies_and_files_in_foreign_environments(teacher, small):
    own = Pendulum()
    by_mean = mercer.rollout(own, ACTOR, 4, seed=2, act="mean")
    assert by_mean.returns.mean() > -600
    for policy in (teacher, small):
        drawn = mercer.rollout(own, policy, 3, seed=2)
        again = mercer.rollout(Vector(Pendulum, 2), policy, 3, seed=2)
        assert np.array_equal(drawn.returns, again.returns)


def test_a_recurrent_policy_remembers_within_an_episode():
    class Counts:
        def predict(self, obs, state=None, episode_start=None, deterministic=False):
            state = 0 if episode_start.all() else state + 1
            return np.array([0.01 * state]), state

    played = mercer.rollout(Pendulum(), Counts(), 2, seed=0)
    np.testing.assert_allclose(played.actions[:200, 0], 0.01 * np.arange(200))
    np.testing.assert_allclose(played.actions[200:, 0], 0.01 * np.arange(200))


def test_what_cannot_be_played_is_refused():
    class Picture(Pendulum):
        observation_space = type("Box", (), {"low": np.zeros((2, 2)), "high": np.ones((2, 2)), "shape": (2, 2)})()

    with pytest.raises(ValueError, match="shape \\(2, 2\\)"):
        mercer.rollout(Picture(), against_speed, 1)
    with pytest.raises(ValueError, match="episodes is 0"):
        mercer.rollout(Pendulum(), against_speed, 0)
    with pytest.raises(ValueError, match="start_states"):
        mercer.rollout(Pendulum(), against_speed, 1, start_states=np.zeros((1, 2)))
