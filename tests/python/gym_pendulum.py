"""Environments with Gymnasium's interface in nothing but numpy: what a user's own look like."""

import types

import numpy as np


class Box:
    def __init__(self, low, high):
        self.low, self.high = np.asarray(low, dtype=np.float32), np.asarray(high, dtype=np.float32)
        self.shape, self.dtype = self.low.shape, self.low.dtype


class Discrete:
    def __init__(self, n):
        self.n, self.start, self.shape = n, 0, ()


class Pendulum:
    """The task of Gymnasium's Pendulum-v1, 200 steps."""

    metadata = {}
    observation_space = Box([-1, -1, -8], [1, 1, 8])
    action_space = Box([-2], [2])
    spec = types.SimpleNamespace(id="OwnPendulum-v0", max_episode_steps=200)

    def __init__(self):
        self.rng = np.random.default_rng()

    @property
    def unwrapped(self):
        return self

    def _obs(self):
        theta, speed = self.state
        return np.array([np.cos(theta), np.sin(theta), speed], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        self.state = self.rng.uniform([-np.pi, -1], [np.pi, 1])
        self.steps = 0
        return self._obs(), {}

    def step(self, action):
        theta, speed = self.state
        torque = float(min(max(float(np.ravel(action)[0]), -2.0), 2.0))
        angle = (theta + np.pi) % (2 * np.pi) - np.pi
        cost = angle**2 + 0.1 * speed**2 + 0.001 * torque**2
        speed = min(max(speed + (15 * np.sin(theta) + 3 * torque) * 0.05, -8.0), 8.0)
        self.state = np.array([theta + speed * 0.05, speed])
        self.steps += 1
        return self._obs(), -cost, False, self.steps >= 200, {}

    def close(self):
        pass


class Corridor:
    """Discrete actions: walk right to the end of a corridor; each step costs one, the end ends the episode."""

    observation_space = Box([0.0], [10.0])
    action_space = Discrete(2)

    def reset(self, *, seed=None, options=None):
        self.place = float(np.random.default_rng(seed).integers(0, 5))
        self.steps = 0
        return np.array([self.place], dtype=np.float32), {}

    def step(self, action):
        assert isinstance(int(action), int) and np.ndim(action) == 0
        self.place = max(0.0, self.place + (1 if action == 1 else -1))
        self.steps += 1
        return np.array([self.place], dtype=np.float32), -1.0, self.place >= 10, self.steps >= 50, {}


class Vector:
    """Several environments at once that reset themselves, in the same step or in the next one."""

    def __init__(self, make, count, next_step=False):
        self.envs = [make() for _ in range(count)]
        self.num_envs, self.next_step = count, next_step
        self.single_observation_space = self.envs[0].observation_space
        self.single_action_space = self.envs[0].action_space

    def reset(self, *, seed=None, options=None):
        self.over = [False] * self.num_envs
        seeds = seed if isinstance(seed, (list, tuple)) else [seed] * self.num_envs
        return np.stack([env.reset(seed=s)[0] for env, s in zip(self.envs, seeds)]), {}

    def step(self, actions):
        rows, infos = [], {}
        for i, env in enumerate(self.envs):
            if self.next_step and self.over[i]:
                self.over[i] = False
                rows.append((env.reset()[0], 0.0, False, False))
                continue
            obs, reward, terminated, truncated, _ = env.step(actions[i])
            if terminated or truncated:
                if self.next_step:
                    self.over[i] = True
                else:
                    infos.setdefault("final_observation", [None] * self.num_envs)[i] = obs
                    obs = env.reset()[0]
            rows.append((obs, reward, terminated, truncated))
        obs, rewards, terminated, truncated = zip(*rows)
        return np.stack(obs), np.array(rewards), np.array(terminated), np.array(truncated), infos
