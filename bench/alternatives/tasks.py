"""Three tasks in numpy, many episodes at once, with the dynamics of Gymnasium's Pendulum-v1 and both mountain cars.

States are an array whose first axis is the coordinate; the others may have any shape. `choices` is the number of discrete
actions, or None where the action is one number between -largest and largest. `low`, `high` and `periodic` describe the plane of
states, `seen_low` and `seen_high` the range of observations. `goal`: an episode that does not end before the time limit failed.
`strength` names the physical parameter that `perturb.py` changes.
"""

import numpy as np


class Pendulum:
    name, horizon, choices, largest = "pendulum", 200, None, 2.0
    low, high, periodic = np.array([-np.pi, -8.0]), np.array([np.pi, 8.0]), (True, False)
    seen_low, seen_high = np.array([-1.0, -1.0, -8.0]), np.array([1.0, 1.0, 8.0])
    goal, strength, m = False, "m", 1.0

    @staticmethod
    def starts(count, random):
        return random.uniform([-np.pi, -1.0], [np.pi, 1.0], (count, 2)).T

    @staticmethod
    def observations(states):
        """One array for each number that a policy sees."""
        angle, speed = states
        return np.cos(angle), np.sin(angle), speed

    @staticmethod
    def place(observations):
        """States of observations (n, dims), angles wrapped."""
        return np.stack([np.arctan2(observations[:, 1], observations[:, 0]), observations[:, 2]])

    @classmethod
    def step(cls, states, actions):
        """Next states, rewards, and which episodes are over. A rod of mass m: theta'' = 3 g / (2 l) sin theta + 3 u / (m l^2)."""
        angle, speed = states
        torque = np.clip(actions, -2.0, 2.0)
        upright = angle - 2 * np.pi * np.floor((angle + np.pi) * (1 / (2 * np.pi)))
        rewards = -(upright**2 + 0.1 * speed**2 + 0.001 * torque**2)
        speed = np.clip(speed + 0.05 * (15.0 * np.sin(angle) + 3.0 / cls.m * torque), -8.0, 8.0)
        return np.stack([angle + 0.05 * speed, speed]), rewards, np.zeros(angle.shape, bool)


class Car:
    """What both mountain cars share."""

    low, high, periodic = np.array([-1.2, -0.07]), np.array([0.6, 0.07]), (False, False)
    seen_low, seen_high = low, high
    goal = True

    @staticmethod
    def starts(count, random):
        return np.stack([random.uniform(-0.6, -0.4, count), np.zeros(count)])

    @staticmethod
    def observations(states):
        return tuple(states)

    @staticmethod
    def place(observations):
        return observations.T

    @staticmethod
    def move(states, push, goal):
        place, speed = states
        speed = np.clip(speed + push - 0.0025 * np.cos(3.0 * place), -0.07, 0.07)
        place = np.clip(place + speed, -1.2, 0.6)
        speed = np.where((place <= -1.2) & (speed < 0), 0.0, speed)
        return np.stack([place, speed]), (place >= goal) & (speed >= 0)


class ContinuousMountainCar(Car):
    name, horizon, choices, largest = "continuous-mountain-car", 999, None, 1.0
    strength, force = "force", 0.0015  # Gymnasium calls it power

    @classmethod
    def step(cls, states, actions):
        """Gymnasium keeps the new state in single precision, and charges the action as it came."""
        moved, over = cls.move(states, cls.force * np.clip(actions, -1.0, 1.0), 0.45)
        return moved.astype(np.float32).astype(states.dtype), 100.0 * over - 0.1 * actions**2, over


class MountainCar(Car):
    name, horizon, choices, largest = "mountain-car", 200, 3, 1.0
    strength, force = "force", 0.001

    @classmethod
    def step(cls, states, actions):
        moved, over = cls.move(states, cls.force * (actions - 1), 0.5)
        return moved.astype(states.dtype), np.full(over.shape, -1.0), over


def targets(task, actions):
    """What a regression is asked for, (n, actions) or (n, choices), between -1 and 1."""
    if task.choices is None:
        return actions.reshape(len(actions), -1) / task.largest
    return 2.0 * (actions[:, None] == np.arange(task.choices)) - 1


def decide(task, outputs, axis=-1):
    """The actions that such outputs mean; the axis goes where there is one action alone."""
    if task.choices is not None:
        return outputs.argmax(axis)
    single = outputs.shape[axis] == 1
    return task.largest * np.clip(np.take(outputs, 0, axis) if single else outputs, -1.0, 1.0)
