"""Built-in tasks with Gymnasium's interface: what `gymnasium.utils.env_checker` asks for, with the package and without."""

import os
import pathlib
import re
import subprocess
import sys

import mercer
import numpy as np
import pytest

HERE = pathlib.Path(__file__).resolve().parent


def check_env(env):
    """What Gymnasium's checker checks: spaces, seeds, types, and that values lie where the spaces say."""
    assert env.unwrapped is env and env.metadata["render_modes"] == ["rgb_array"]
    assert np.all(env.observation_space.low < env.observation_space.high)
    obs, info = env.reset(seed=123)
    assert isinstance(obs, np.ndarray) and isinstance(info, dict)
    assert obs.shape == env.observation_space.shape and obs.dtype == env.observation_space.dtype
    assert env.observation_space.contains(obs)
    again, _ = env.reset(seed=123)
    other, _ = env.reset(seed=456)
    assert np.array_equal(obs, again) and not np.array_equal(obs, other)
    assert not np.array_equal(env.reset()[0], env.reset()[0]), "without a seed episodes differ"
    env.action_space.seed(1)
    episode = []
    for _ in range(2):
        env.reset(seed=7)
        env.action_space.seed(1)
        episode.append([env.step(env.action_space.sample()) for _ in range(20)])
    for one, two in zip(*episode):
        obs, reward, terminated, truncated, info = one
        assert env.observation_space.contains(obs) and isinstance(reward, float) and isinstance(info, dict)
        assert isinstance(terminated, bool) and isinstance(truncated, bool)
        assert np.array_equal(obs, two[0]) and one[1:4] == two[1:4], "seeds decide everything"
    env.close()


NAMES = [name for name, _, settings, group in mercer.known_envs()
         if group not in ("one step", "finite processes", "own") and "FILE" not in settings and "file" not in settings]


def makeable(name):
    try:
        return mercer.GymEnv(name)
    except (ValueError, OSError) as error:
        if re.search("needs (MuJoCo|Box2D)", str(error)):
            pytest.skip(str(error))
        raise


@pytest.mark.parametrize("name", NAMES)
def test_every_task_is_a_sound_environment(name):
    check_env(makeable(name))


def test_steps_and_ends_are_those_of_the_task():
    env = mercer.GymEnv("pendulum")
    obs, info = env.reset(seed=1)
    assert obs.shape == (3,) and info == {}
    batch = mercer.make("pendulum")
    assert np.array_equal(obs, batch.reset(seed=1)[0])
    for t in range(200):
        obs, reward, terminated, truncated, _ = env.step(np.array([0.5]))
        expected = batch.step(np.array([[0.5]]))
        assert np.array_equal(obs, expected[0][0]) and reward == expected[1][0]
        assert terminated is False and truncated is (t == 199)
    car = mercer.GymEnv("mountain-car")
    car.reset(seed=0)
    assert car.step(2)[1] == -1.0
    assert car.step(car.action_space.sample())[1] == -1.0


def test_a_start_of_ones_own():
    env = mercer.GymEnv("pendulum")
    obs, _ = env.reset(options={"state": [0.5, -1.0]})
    assert np.allclose(obs, [np.cos(0.5), np.sin(0.5), -1.0]) and np.array_equal(env.state, [0.5, -1.0])


def test_what_cannot_be_drawn_says_so():
    with pytest.raises(ValueError, match="draws no figure"):
        mercer.GymEnv("cart-pole", render_mode="rgb_array")
    with pytest.raises(ValueError, match="legal: None or 'rgb_array'"):
        mercer.GymEnv("cart-pole", render_mode="human")
    assert mercer.GymEnv("cart-pole").render() is None


@pytest.mark.parametrize("name, shape", [("acrobot", (360, 480, 3)), ("quadrotor", (360, 480, 3))])
def test_a_robot_is_drawn(name, shape):
    env = mercer.GymEnv(name, render_mode="rgb_array")
    env.reset(seed=2)
    first = env.render()
    assert first.shape == shape and first.dtype == np.uint8
    drawn = np.any(np.abs(first.astype(int) - first[0, 0]) > 60, axis=2)
    assert 0.001 < drawn.mean() < 0.5, "some of the picture is robot, most is not"
    for _ in range(15):
        env.action_space.seed(1)
        env.step(env.action_space.sample())
    assert (env.render() != first).mean() > 0.002, "it moves"
    small = mercer.GymEnv(name, render_mode="rgb_array", width=64, height=48)
    small.reset(seed=2)
    assert small.render().shape == (48, 64, 3)
    assert env.metadata["render_fps"] == round(1 / env.env.dt)


def test_where_gymnasium_is_installed_it_is_one_of_its_environments():
    """In a process of its own, in which a stand-in with Gymnasium's interface can be imported."""
    script = """
import gymnasium, mercer, numpy as np
from test_gym_env import check_env
env = mercer.GymEnv("pendulum")
assert isinstance(env, gymnasium.Env)
assert isinstance(env.observation_space, gymnasium.spaces.Box) and isinstance(env.action_space, gymnasium.spaces.Box)
assert env.action_space.names == ["torque"] and env.observation_space.dtype == np.float64
assert isinstance(mercer.GymEnv("cart-pole").action_space, gymnasium.spaces.Discrete)
check_env(env)
env.reset(seed=5)
assert env.np_random_seed == 5, "Gymnasium's own generator is seeded"
wrapped = gymnasium.Wrapper(env)
assert wrapped.unwrapped is env
played = mercer.rollout(wrapped, lambda obs: np.zeros(1), 2, seed=1)
assert played.observations.shape == (400, 3) and played.observation_names == env.env.observation_space.names
"""
    path = os.pathsep.join([str(HERE / "stand_in"), str(HERE), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, "-B", "-c", script], env={**os.environ, "PYTHONPATH": path},
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_gymnasium_is_imported_with_the_environment_alone():
    script = "import sys, mercer; assert 'gymnasium' not in sys.modules; mercer.GymEnv; assert 'gymnasium' in sys.modules"
    path = os.pathsep.join([str(HERE / "stand_in"), os.environ.get("PYTHONPATH", "")])
    subprocess.run([sys.executable, "-B", "-c", script], env={**os.environ, "PYTHONPATH": path}, check=True)
