"""A policy of your own: a logistic one for the cart-pole, played against the uniform policy on the same episodes."""

from typing import Any

import mercer
import numpy as np


class Logistic:
    """P(push right) = 1 / (1 + exp(-x)), x = 2 position + 3 speed + 20 angle + 8 angular speed."""

    def right(self, obs: Any) -> Any:
        return 1 / (1 + np.exp(-(obs @ [2, 3, 20, 8])))

    def sample(self, obs: Any, seed: int) -> Any:
        return (np.random.default_rng(seed).random(len(obs)) < self.right(obs)).astype(float)[:, None]

    def mean_action(self, obs: Any) -> Any:
        return (self.right(obs) > 0.5).astype(float)[:, None]

    def log_prob(self, obs: Any, actions: Any) -> Any:
        right = self.right(obs)
        return np.log(np.where(np.ravel(actions) == 1, right, 1 - right))


played = mercer.evaluate("cart-pole", Logistic(), against="uniform", seed=1)
print(f"logistic: mean return {played['return']['mean']:.2f}, uniform {played['against']['return']['mean']:.2f}")
