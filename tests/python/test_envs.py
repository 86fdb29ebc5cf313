"""Built-in tasks from Python: shapes, golden episodes of Gymnasium, the episodes that rollouts play."""

import json

import mercer
import numpy as np
import pytest
from conftest import DATA

TASKS = {"pendulum": "pendulum", "cmc": "continuous-mountain-car", "mc": "mountain-car"}


@pytest.mark.parametrize("name", [f"{task}_{i}" for task in TASKS for i in range(5)])
def test_golden_episodes_of_gymnasium(name):
    golden = json.loads((DATA / f"golden/env/env_{name}.json").read_text())
    env = mercer.make(TASKS[name.rsplit("_", 1)[0]], 1)
    obs = env.set_state(np.array([golden["initial_state"]]))
    np.testing.assert_allclose(obs[0], golden["obs"][0], rtol=1e-6, atol=1e-7)
    for k, action in enumerate(golden["actions"]):
        discrete = isinstance(env.action_space, mercer.spaces.Discrete)
        actions = np.array([int(np.ravel(action)[0])]) if discrete else np.reshape(action, (1, -1))
        obs, rewards, terminated, truncated = env.step(actions)
        np.testing.assert_allclose(obs[0], golden["obs"][k + 1], rtol=1e-6, atol=2e-6)
        np.testing.assert_allclose(rewards[0], golden["rewards"][k], rtol=1e-6, atol=1e-6)
        assert terminated[0] == (k == golden["terminated_at"])


def test_shapes_and_types():
    env = mercer.make("pendulum", 5)
    obs = env.reset(seed=3)
    assert obs.shape == (5, 3) and obs.dtype == np.float64
    obs, rewards, terminated, truncated = env.step(np.zeros((5, 1)))
    assert obs.shape == (5, 3) and rewards.shape == terminated.shape == truncated.shape == (5,)
    assert terminated.dtype == truncated.dtype == bool
    discrete = mercer.make("mountain-car", 4)
    discrete.reset(seed=0)
    assert discrete.step(np.array([0, 1, 2, 1]))[0].shape == (4, 2)
    assert env.state.shape == (5, 2) and env.return_range()[1] == 0


def test_an_episode_is_cut_off_at_the_time_limit():
    env = mercer.make("pendulum", 2)
    env.reset(seed=0)
    for t in range(200):
        truncated = env.step(np.zeros((2, 1)))[3]
        assert truncated.all() == (t == 199)


def test_stepping_by_hand_is_the_rollout_to_the_bit(teacher):
    played = mercer.rollout("pendulum", teacher, 6, seed=11, act="mean")
    env = mercer.make("pendulum", 6)
    obs, total = env.reset(seed=11), np.zeros(6)
    for _ in range(200):
        obs, rewards, _, _ = env.step(teacher.mean_action(obs))
        total += rewards
    assert np.array_equal(total, played.returns)


def test_noise_in_the_dynamics_is_that_of_the_rollout():
    played = mercer.rollout("chain:n=6,alpha=0.7", mercer.tabular_policy(np.tile([0.0, 1.0], (6, 1))), 8, seed=2)
    env = mercer.make("chain:n=6,alpha=0.7", 8)
    env.reset(seed=2)
    total = np.zeros(8)
    for _ in range(env.time_limit):
        total += env.step(np.ones(8, dtype=int))[1]
    assert np.array_equal(total, played.returns)


def test_resets_go_on_to_other_episodes_and_can_be_partial():
    env = mercer.make("pendulum", 3)
    first, second = env.reset(seed=5), env.reset()
    assert not np.isclose(first, second).any()
    mixed = env.reset(mask=np.array([True, False, False]))
    assert not np.allclose(mixed[0], second[0]) and np.array_equal(mixed[1:], second[1:])
    assert np.array_equal(env.reset(seed=5), first)


def test_one_state_for_all():
    env = mercer.make("pendulum", 3)
    obs = env.set_state([0.5, -1.0])
    assert np.allclose(obs, [np.cos(0.5), np.sin(0.5), -1.0])


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: mercer.make("pendulun"), "did you mean 'pendulum'"),
        (lambda: mercer.make("pendulum", 0), "num_envs is 0"),
        (lambda: mercer.make("pendulum", 2).step(np.zeros((3, 1))), "3 actions for 2 episodes"),
        (lambda: mercer.make("pendulum", 2).step(np.zeros((2, 2))), "legal: (1,) or (n, 1)"),
        (lambda: mercer.make("mountain-car", 1).step(np.array([7])), "legal: integers 0 to 2"),
        (lambda: mercer.make("pendulum", 2).set_state(np.zeros((3, 2))), "3 states for 2 episodes"),
        (lambda: mercer.make("pendulum", 2).reset(mask=[True]), "a mask for other than 2"),
    ],
)
def test_what_does_not_fit_is_refused(call, text):
    with pytest.raises(ValueError) as raised:
        call()
    assert text.lower() in str(raised.value).lower()


def test_tasks_have_a_group():
    groups = {name: group for name, _, _, group in mercer.known_envs()}
    assert groups["pendulum"] == groups["cart-pole"] == "classic control" and groups["chain"] == "finite processes"


def test_axes_have_names_and_units_and_parameters_their_ranges():
    env = mercer.make("cart-pole")
    assert env.observation_space.names == ["position", "velocity", "angle", "angular_velocity"]
    assert env.observation_space.units == ["m", "m/s", "rad", "rad/s"]
    pole = next(one for one in env.parameters if one["name"] == "masspole")
    assert (pole["nominal"], pole["low"], pole["high"], pole["integer"]) == (0.1, 0.01, 2, False)
    assert mercer.parameters("pendulum")[-1]["name"] == "levels", "disturbances go with every task"


def test_spaces_draw_points_of_their_own():
    for env in (mercer.make("cart-pole"), mercer.make("pendulum"), mercer.make("mountain-car")):
        for space in (env.observation_space, env.action_space):
            space.seed(3)
            first = [space.sample() for _ in range(50)]
            assert all(one in space for one in first) and len({str(one) for one in first}) > 1
            space.seed(3)
            assert all(np.array_equal(one, space.sample()) for one in first)


def test_a_task_without_sticks_has_an_empty_figure():
    assert mercer.make("cart-pole").figure() == mercer.Figure([], [])


def test_a_figure_shows_the_state():
    env = mercer.make("acrobot", 2)
    env.set_state(np.array([[0.0, 0.0, 0.0, 0.0], [np.pi / 2, 0.0, 0.0, 0.0]]))
    hanging, level = env.figure(), env.figure(1)
    assert hanging.views == ["side"]
    upper, lower = [stick for stick in hanging.sticks if not stick.fixed]
    assert np.allclose(upper.end, [0, 0, -1]) and np.allclose(lower.end, [0, 0, -2]) and upper.radius > 0
    assert np.allclose([stick.end for stick in level.sticks if not stick.fixed], [[1, 0, 0], [2, 0, 0]])
    with pytest.raises(ValueError, match="index of an episode is 2"):
        env.figure(2)


def test_a_state_of_seventeen_numbers_is_taken_back_to_the_bit():
    env = mercer.make("quadrotor", 3)
    env.reset(seed=4)
    for _ in range(10):
        env.step(np.full((3, 4), 0.1))
    twin = mercer.make("quadrotor", 3)
    assert env.state.shape == (3, 17) and np.array_equal(twin.set_state(env.state), env._batch.observe())
    for one, other in zip(env.step(np.zeros((3, 4)))[:3], twin.step(np.zeros((3, 4)))[:3]):
        assert np.array_equal(one, other)
    assert not env.broken.any() and len(env.figure().sticks) == 13


def test_stepping_never_resets_by_itself():
    env = mercer.make("quadrotor", 1)
    env.set_state(np.concatenate([[1.9, 0, 0, 4, 0, 0, 1], np.zeros(10)]))
    ends = [bool(env.step(np.full((1, 4), -1.0))[2][0]) for _ in range(60)]
    assert any(ends), "it leaves the room"
    assert env.state[0, 0] > 1.9 and env.state[0, 2] < -0.5, "and falls on"
