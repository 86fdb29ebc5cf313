"""A certified embedding in an environment with Gymnasium's interface, of a controller that is a plain function.

A cart on a rail is pushed towards the middle. Mercer never sees the dynamics: it plays through `reset` and `step`.
"""

from __future__ import annotations

import types
from typing import Any

import mercer
import numpy as np


class Cart:
    """Position and speed of a cart; the action is a force. An episode is 60 steps long."""

    observation_space = mercer.spaces.Box(np.array([-2.0, -2.0]), np.array([2.0, 2.0]), ["position", "speed"])
    action_space = mercer.spaces.Box(np.array([-1.0]), np.array([1.0]), ["force"])
    spec = types.SimpleNamespace(id="Cart-v0", max_episode_steps=60)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self.x, self.v = np.random.default_rng(seed).uniform(-1, 1, size=2)
        self.steps = 0
        return np.array([self.x, self.v]), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        force = float(np.clip(action[0], -1, 1))
        self.v = np.clip(self.v + 0.1 * force, -2, 2)
        self.x = np.clip(self.x + 0.1 * self.v, -2, 2)
        self.steps += 1
        reward = -(self.x**2) - 0.1 * force**2
        return np.array([self.x, self.v]), reward, False, self.steps >= 60, {}


def controller(obs: Any) -> Any:
    """Takes the place of a trained policy here."""
    return np.array([np.tanh(-2.0 * obs[0] - 2.5 * obs[1])])


# Rewards lie between -4.1 and 0, so the return of 60 steps lies between -246 and 0. With return_range the certificate is
# a guarantee; without it, an estimate that says so.
embedding = mercer.compress(
    controller, Cart(), max_loss=None, max_loss_return=3.0, return_range=(-246, 0), bases=["legendre"], degree=3,
    most_terms=3, select_episodes=50, certify_episodes=2000,
)
print(embedding, *embedding.formulas, sep="\n  ")
print(embedding.certificate)

# The loop that ran the controller runs the embedding.
env = Cart()
obs, _ = env.reset(seed=123)
total, over = 0.0, False
while not over:
    action, _ = embedding.predict(obs)
    obs, reward, terminated, truncated, _ = env.step(action)
    total += reward
    over = terminated or truncated
print(f"return of one episode: {total:.2f}")
