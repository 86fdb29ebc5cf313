"""The two tasks in numpy, all episodes at once, with the dynamics of Gymnasium's Pendulum-v1 and MountainCarContinuous-v0."""

import numpy as np


class Pendulum:
    name, horizon, largest_action = "pendulum", 200, 2.0
    low, high = np.array([-1.0, -1.0, -8.0]), np.array([1.0, 1.0, 8.0])

    @staticmethod
    def starts(count, random):
        return random.uniform([-np.pi, -1.0], [np.pi, 1.0], (count, 2))

    @staticmethod
    def observations(states):
        angle, speed = states.T
        return np.column_stack([np.cos(angle), np.sin(angle), speed])

    @staticmethod
    def step(states, actions):
        """Next states, rewards, and which episodes are over."""
        angle, speed = states.T
        torque = np.clip(actions, -2.0, 2.0)
        upright = np.mod(angle + np.pi, 2 * np.pi) - np.pi
        rewards = -(upright**2 + 0.1 * speed**2 + 0.001 * torque**2)
        speed = np.clip(speed + 0.05 * (15.0 * np.sin(angle) + 3.0 * torque), -8.0, 8.0)
        return np.column_stack([angle + 0.05 * speed, speed]), rewards, np.zeros(len(states), bool)


class MountainCar:
    name, horizon, largest_action = "continuous-mountain-car", 999, 1.0
    low, high = np.array([-1.2, -0.07]), np.array([0.6, 0.07])

    @staticmethod
    def starts(count, random):
        return np.column_stack([random.uniform(-0.6, -0.4, count), np.zeros(count)])

    @staticmethod
    def observations(states):
        return states

    @staticmethod
    def step(states, actions):
        place, speed = states.T
        speed = np.clip(speed + 0.0015 * np.clip(actions, -1.0, 1.0) - 0.0025 * np.cos(3.0 * place), -0.07, 0.07)
        place = np.clip(place + speed, -1.2, 0.6)
        speed = np.where((place <= -1.2) & (speed < 0), 0.0, speed)
        over = (place >= 0.45) & (speed >= 0)
        return np.column_stack([place, speed]), 100.0 * over - 0.1 * actions**2, over


def play(task, act, starts):
    """Return of each episode, and every observation that was met."""
    states, returns = starts.copy(), np.zeros(len(starts))
    running, met = np.arange(len(starts)), []
    for _ in range(task.horizon):
        seen = task.observations(states[running])
        met.append(seen)
        states[running], rewards, over = task.step(states[running], act(seen))
        returns[running] += rewards
        running = running[~over]
        if len(running) == 0:
            break
    return returns, np.concatenate(met)
