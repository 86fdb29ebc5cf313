"""Perturbed environments of Python's own, held against the built-in tasks."""

import mercer
import numpy as np
import pytest
from conftest import ACTOR
from gym_pendulum import Box, Corridor, Discrete, Pendulum


class Heavy(Pendulum):
    """The pendulum with another mass."""

    def __init__(self, m=1.0):
        super().__init__()
        self.m = m

    def step(self, action):
        torque = float(np.clip(np.ravel(action)[0], -2, 2))
        theta, speed = self.state
        obs, reward, *rest = super().step(torque)
        pushed = float(np.clip(speed + (15 * np.sin(theta) + 3 * torque / self.m) * 0.05, -8, 8))
        self.state = np.array([theta + pushed * 0.05, pushed])
        return self._obs(), reward, *rest


class Probe:
    """Stays where it is; the reward is the action."""

    def __init__(self, actions=None):
        self.observation_space = Box([-2, -np.inf], [4, np.inf])
        self.action_space = actions or Box([-1], [3])

    def reset(self, *, seed=None, options=None):
        return np.zeros(2), {}

    def step(self, action):
        return np.zeros(2), float(np.ravel(action)[0]), False, False, {}


def twin(settings, **ranges):
    """The built-in pendulum with these settings, and the same by the wrapper."""
    return mercer.GymEnv(f"pendulum:{settings}"), mercer.Perturbed(lambda: mercer.GymEnv("pendulum"), ranges)


@pytest.mark.parametrize("settings, ranges", [
    ("delay=2", {"delay": 2}), ("lag=0.7", {"lag": 0.7}), ("levels=9", {"levels": 9}),
    ("delay=1,lag=0.3,levels=64", {"delay": 1, "lag": 0.3, "levels": 64})])
def test_what_nothing_is_drawn_for_is_the_built_in_task_step_by_step(settings, ranges):
    own, wrapped = twin(settings, **ranges)
    rng = np.random.default_rng(3)
    for seed in (1, 2):
        first, second = own.reset(seed=seed)[0], wrapped.reset(seed=seed)[0]
        for _ in range(30):
            np.testing.assert_allclose(first, second, atol=1e-12)
            action = rng.uniform(-2, 2, 1)
            (first, reward, *_), (second, other, *_) = own.step(action), wrapped.step(action)
            assert reward == pytest.approx(other, abs=1e-12)


def test_noise_has_the_spread_of_the_built_in_task():
    own, wrapped = twin("noise=0.1,action_noise=0.2", noise=0.1, action_noise=0.2)
    n, seen = 4000, []
    for env in (own, wrapped):
        rows = [(env.reset(seed=s)[0], env.step([0.5])) for s in range(n)]
        first = np.array([row[0] for row in rows])
        seen.append((first, np.array([row[1][1] for row in rows])))
    (a, first), (b, second) = seen
    # The same starts: what differs is noise alone. Speed is far from its bounds: sd 0.1 * 8, off by 1 / sqrt(2 n).
    starts = mercer.make("pendulum", 1)
    speeds = np.array([starts.reset(s)[0][2] for s in range(n)])
    for seen_speed in (a[:, 2], b[:, 2]):
        assert (seen_speed - speeds).std() == pytest.approx(0.8, abs=5 * 0.8 / np.sqrt(2 * n))
        assert abs((seen_speed - speeds).mean()) < 5 * 0.8 / np.sqrt(n)
    # The reward of the first step holds 0.001 of the square of the torque that was played.
    base = np.array([starts.reset(s)[0] for s in range(n)])
    torque = [np.sqrt(np.maximum(0, -(r + np.arctan2(base[:, 1], base[:, 0])**2 + 0.1 * speeds**2) / 0.001))
              for r in (first, second)]
    assert torque[0].mean() == pytest.approx(torque[1].mean(), abs=5 * torque[0].std() * np.sqrt(2 / n))
    assert torque[0].std() > 0.2


def test_a_seed_draws_the_same_values_and_calls_make_only_for_new_ones():
    made = []

    def make(m=1.0, noise_of_engine=0.0):
        made.append((m, noise_of_engine))
        return Heavy(m)

    env = mercer.Perturbed(make, {"m": (0.8, 1.2), "delay": (0, 2), "noise_of_engine": 0.5})
    assert env.nominal == {"m": 1.0, "delay": 0.0, "noise_of_engine": 0.0}
    values = []
    for seed in range(2000):
        env.reset(seed=seed)
        values.append(tuple(env.values.values()))
    masses, delays, _ = np.array(values).T
    assert 0.8 <= masses.min() and masses.max() <= 1.2
    assert abs(masses.mean() - 1) < 5 * 0.4 / np.sqrt(12 * 2000)
    assert set(delays) == {0, 1, 2}
    count = len(made)
    env.reset(seed=7)
    again = env.reset(seed=7)[0]
    assert len(made) == count + 1 and tuple(env.values.values()) == values[7]
    assert np.array_equal(again, env.reset(seed=7)[0])
    assert env.box_text == "OwnPendulum-v0:m=0.8..1.2,delay=0..2,noise_of_engine=0.5"


def test_discrete_actions_are_late_and_at_times_others():
    env = mercer.Perturbed(lambda: Probe(Discrete(4)), {"action_noise": 0.4})
    env.reset(seed=1)
    played = np.array([env.step(2)[1] for _ in range(20000)])
    share = [np.mean(played == a) for a in range(4)]
    for a, expected in enumerate([0.1, 0.1, 0.7, 0.1]):
        assert abs(share[a] - expected) < 5 * np.sqrt(expected * (1 - expected) / 20000)
    late = mercer.Perturbed(lambda: Probe(Discrete(4)), {"delay": 1})
    late.reset(seed=1)
    assert [late.step(3)[1] for _ in range(3)] == [1, 3, 3]


def test_what_has_no_bounds_needs_a_spread():
    env = mercer.Perturbed(Probe, {"noise": 0.1})
    with pytest.raises(ValueError, match="E204: noise and levels of observations without bounds"):
        env.reset(seed=1)
    known = mercer.Perturbed(Probe, {"noise": 0.1}, spread=[0, 0.5])
    seen = np.array([known.reset(seed=s)[0] for s in range(4000)])
    assert seen.std(axis=0) == pytest.approx([0.3, 0.05], rel=5 / np.sqrt(8000))


@pytest.mark.parametrize("ranges, part", [
    ({"mas": (1, 2)}, "E201: make\\(\\) takes no parameter mas"), ({"m": (2, 1)}, "E203: m goes from 2.0 to 1.0"),
    ({"delay": 0.5}, "E203: delay"), ({"lag": 1}, "E202: lag is 1..1; legal: 0 to 0.99"), ({}, "E204"),
    ({"levels": 1}, "E202: levels"), ({"m": (1, 2, 3)}, "Give a number or \\(low, high\\)"), ("m=0.8..1.2", "Give a dict")])
def test_what_is_wrong_is_refused(ranges, part):
    with pytest.raises(ValueError, match=part):
        mercer.Perturbed(lambda m=1.0: Heavy(m), ranges)
    with pytest.raises(ValueError, match="E203: lag does not go with a discrete action"):
        mercer.Perturbed(Corridor, {"lag": 0.5})
    with pytest.raises(ValueError, match="E201: nominal names k, which is not perturbed. Known: m."):
        mercer.Perturbed(lambda m=1.0: Heavy(m), {"m": (0.8, 1.2)}, nominal={"k": 5})


def test_certify_fills_the_grid_of_an_environment_that_is_made():
    teacher = mercer.load_policy(ACTOR, "pendulum")
    student = lambda obs: 0.9 * teacher.mean_action(obs)  # noqa: E731
    env = mercer.Perturbed(lambda m: Heavy(m), {"m": (0.8, 1.2), "delay": (0, 1)}, nominal={"m": 1.0})
    said = mercer.certify(env, teacher, student, act="mean", episodes=12, grid=2, return_range=(-3300, 0), seed=3)
    assert said.env == "OwnPendulum-v0:m=0.8..1.2,delay=0..1"
    grid = said.grid
    assert [point["values"] for point in grid["points"]] == [[1, 0], [0.8, 0], [0.8, 1], [1.2, 0], [1.2, 1]]
    returns = [point["teacher_return"] for point in grid["points"]]
    assert len(set(returns)) == 5 and all(point["upper_return"] > point["loss_return"] for point in grid["points"])


def test_without_a_nominal_value_the_grid_has_no_nominal_point():
    env = mercer.Perturbed(lambda m: Heavy(m), {"m": (0.8, 1.2)})
    certificate = mercer.certify(env, ACTOR, ACTOR, episodes=3, grid=2, return_range=(-3300, 0))
    assert [point["values"] for point in certificate.grid["points"]] == [[0.8], [1.2]]


def test_a_point_is_the_built_in_task_on_average():
    teacher = mercer.load_policy(ACTOR, "pendulum")
    env = mercer.Perturbed(lambda m: Heavy(m), {"m": (0.8, 1.2), "delay": (0, 1), "noise": (0, 0.05)}, {"m": 1.0})
    own = mercer.evaluate(env.at([1.2, 1, 0.05]), teacher, 150, act="mean")["return"]
    built_in = mercer.evaluate("pendulum:m=1.2,delay=1,noise=0.05", teacher, 3000, act="mean")["return"]
    error = np.hypot(own["std"] / np.sqrt(150), built_in["std"] / np.sqrt(3000))
    assert own["mean"] == pytest.approx(built_in["mean"], abs=5 * error)


def test_built_in_tasks_take_a_box_as_text():
    teacher = mercer.load_policy(ACTOR, "pendulum")
    said = mercer.certify("pendulum", teacher, "uniform", episodes=30, perturb="m=0.8..1.2; noise=0..0.05", grid=2)
    assert said.env == "pendulum:m=0.8..1.2,noise=0..0.05" and len(said.grid["points"]) == 5
    with pytest.raises(ValueError, match="mercer.Perturbed"):
        mercer.certify(Pendulum(), teacher, "uniform", episodes=10, perturb="m=0.8..1.2")


def test_a_noisy_task_without_bounds_is_played_by_whoever_has_a_policy():
    push = lambda obs: int(obs[2] + 0.5 * obs[3] > 0)  # noqa: E731
    with pytest.raises(ValueError, match="E204"):
        mercer.make("cart-pole:noise=0.02").reset(0)
    assert mercer.make("cart-pole:noise=0.02", spread=[0, 1, 0, 1]).reset(0).shape == (1, 4)
    assert mercer.evaluate("cart-pole:noise=0.02", push, 20)["return"]["mean"] > 20
    both = mercer.paired_returns("cart-pole:noise=0.02", push, push, 10)
    assert np.array_equal(*both)
