"""A task of your own, with Gymnasium's interface: hold a car at 20 m/s on a hilly road. Mercer plays it through `reset`
and `step`, and never sees the dynamics."""

from __future__ import annotations

import types
from typing import Any

import mercer
import numpy as np


class Cruise:
    """Speed and place of a car; the action is the throttle. An episode is 300 steps of 0.1 s."""

    observation_space = mercer.spaces.Box(np.array([0.0, 0.0]), np.array([50.0, np.inf]), ["speed", "place"])
    action_space = mercer.spaces.Box(np.array([-1.0]), np.array([1.0]), ["throttle"])
    spec = types.SimpleNamespace(id="cruise", max_episode_steps=300)

    def __init__(self, hill: float = 1.0) -> None:
        self.hill = hill

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self.speed, self.place, self.steps = np.random.default_rng(seed).uniform(10, 30), 0.0, 0
        return np.array([self.speed, self.place]), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        force = 3 * float(action[0]) - self.hill * np.sin(self.place / 50) - 0.01 * self.speed
        self.speed = min(max(self.speed + 0.1 * force, 0.0), 50.0)
        self.place += 0.1 * self.speed
        self.steps += 1
        reward = -min(abs(self.speed - 20) / 30, 1.0)
        return np.array([self.speed, self.place]), reward, False, self.steps >= 300, {}


played = mercer.evaluate(Cruise(hill=2), "uniform", episodes=100, seed=1)
print(f"cruise: mean return {played['return']['mean']:.2f}")
