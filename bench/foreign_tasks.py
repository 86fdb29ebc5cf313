"""Four control tasks with Gymnasium's interface, in plain Python: what a user's own environments look like."""

import math
import random

import numpy as np


class Box:
    def __init__(self, high, low=None):
        self.high = np.asarray(high, dtype=np.float32)
        self.low = -self.high if low is None else np.asarray(low, dtype=np.float32)
        self.shape, self.dtype = self.high.shape, self.high.dtype


class Discrete:
    def __init__(self, n):
        self.n, self.start, self.shape = n, 0, ()


class Task:
    """`begin` draws a state, `move` takes (state, action) to (state, reward, terminated), `seen` is the observation."""

    limit: int
    metadata: dict = {}
    spec = None

    def __init__(self):
        self.random = random.Random()

    @property
    def unwrapped(self):
        return self

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.random.seed(seed)
        self.state, self.steps = self.begin(self.random.uniform), 0
        return np.array(self.seen(self.state), dtype=np.float32), {}

    def step(self, action):
        self.state, reward, terminated = self.move(self.state, action)
        self.steps += 1
        return np.array(self.seen(self.state), dtype=np.float32), reward, terminated, self.steps >= self.limit, {}


class CartPole(Task):
    limit = 500
    observation_space = Box([4.8, np.finfo(np.float32).max, 0.41887903, np.finfo(np.float32).max])
    action_space = Discrete(2)

    def begin(self, uniform):
        return tuple(uniform(-0.05, 0.05) for _ in range(4))

    def seen(self, state):
        return state

    def move(self, state, action):
        x, speed, angle, turn = state
        force = 10.0 if action == 1 else -10.0
        cosine, sine = math.cos(angle), math.sin(angle)
        push = (force + 0.05 * turn * turn * sine) / 1.1
        angular = (9.8 * sine - cosine * push) / (0.5 * (4.0 / 3.0 - 0.1 * cosine * cosine / 1.1))
        linear = push - 0.05 * angular * cosine / 1.1
        x, speed = x + 0.02 * speed, speed + 0.02 * linear
        angle, turn = angle + 0.02 * turn, turn + 0.02 * angular
        return (x, speed, angle, turn), 1.0, abs(x) > 2.4 or abs(angle) > 12 * math.pi / 180


class Pendulum(Task):
    limit = 200
    observation_space = Box([1, 1, 8])
    action_space = Box([2])

    def begin(self, uniform):
        return uniform(-math.pi, math.pi), uniform(-1, 1)

    def seen(self, state):
        return math.cos(state[0]), math.sin(state[0]), state[1]

    def move(self, state, action):
        angle, speed = state
        torque = min(max(float(action[0]), -2.0), 2.0)
        cost = ((angle + math.pi) % (2 * math.pi) - math.pi) ** 2 + 0.1 * speed**2 + 0.001 * torque**2
        speed = min(max(speed + (15 * math.sin(angle) + 3 * torque) * 0.05, -8.0), 8.0)
        return (angle + speed * 0.05, speed), -cost, False


class Acrobot(Task):
    limit = 500
    observation_space = Box([1, 1, 1, 1, 4 * math.pi, 9 * math.pi])
    action_space = Discrete(3)

    def begin(self, uniform):
        return tuple(uniform(-0.1, 0.1) for _ in range(4))

    def seen(self, state):
        a, b, first, second = state
        return math.cos(a), math.sin(a), math.cos(b), math.sin(b), first, second

    @staticmethod
    def slope(state, torque):
        a, b, first, second = state
        cosine, sine = math.cos(b), math.sin(b)
        d1, d2 = 3.5 + cosine, 1.25 + 0.5 * cosine
        phi2 = 0.5 * 9.8 * math.cos(a + b - math.pi / 2)
        phi1 = -0.5 * second**2 * sine - second * first * sine + 1.5 * 9.8 * math.cos(a - math.pi / 2) + phi2
        faster = (torque + d2 / d1 * phi1 - 0.5 * first**2 * sine - phi2) / (1.25 - d2**2 / d1)
        return first, second, -(d2 * faster + phi1) / d1, faster

    def move(self, state, action):
        torque, step = float(action) - 1, 0.2
        one = self.slope(state, torque)
        two = self.slope([s + step / 2 * d for s, d in zip(state, one)], torque)
        three = self.slope([s + step / 2 * d for s, d in zip(state, two)], torque)
        four = self.slope([s + step * d for s, d in zip(state, three)], torque)
        a, b, first, second = (
            s + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4) for s, k1, k2, k3, k4 in zip(state, one, two, three, four)
        )
        a, b = ((angle + math.pi) % (2 * math.pi) - math.pi for angle in (a, b))
        first, second = min(max(first, -4 * math.pi), 4 * math.pi), min(max(second, -9 * math.pi), 9 * math.pi)
        up = -math.cos(a) - math.cos(a + b) > 1
        return (a, b, first, second), 0.0 if up else -1.0, up


class MountainCar(Task):
    limit = 999
    observation_space = Box([0.6, 0.07], [-1.2, -0.07])
    action_space = Box([1])

    def begin(self, uniform):
        return uniform(-0.6, -0.4), 0.0

    def seen(self, state):
        return state

    def move(self, state, action):
        place, speed = state
        force = min(max(float(action[0]), -1.0), 1.0)
        speed = min(max(speed + force * 0.0015 - 0.0025 * math.cos(3 * place), -0.07), 0.07)
        place = min(max(place + speed, -1.2), 0.6)
        speed = 0.0 if place == -1.2 and speed < 0 else speed
        reached = place >= 0.45 and speed >= 0
        return (place, speed), (100.0 if reached else 0.0) - 0.1 * float(action[0]) ** 2, reached


class Old:
    """The same task in Gym's interface before 0.26: `seed`, observations alone, one flag for the end."""

    metadata: dict = {}
    spec = None

    def __init__(self, inner):
        self.inner = inner
        self.observation_space, self.action_space = inner.observation_space, inner.action_space

    @property
    def unwrapped(self):
        return self

    def seed(self, seed=None):
        self.inner.random.seed(seed)

    def reset(self):
        return self.inner.reset()[0]

    def step(self, action):
        obs, reward, terminated, truncated, info = self.inner.step(action)
        return obs, reward, terminated or truncated, {**info, "TimeLimit.truncated": truncated and not terminated}


TASKS = {
    "CartPole-v1": CartPole,
    "Acrobot-v1": Acrobot,
    "Pendulum-v1": Pendulum,
    "MountainCarContinuous-v0": MountainCar,
}
