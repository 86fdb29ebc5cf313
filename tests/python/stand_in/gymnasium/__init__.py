"""The parts of Gymnasium's interface that an environment meets, in nothing but numpy."""

import numpy as np

from . import spaces  # noqa: F401


class Env:
    metadata: dict = {"render_modes": []}
    render_mode = None
    spec = None
    _np_random = None
    _np_random_seed = None

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self._np_random, self._np_random_seed = np.random.default_rng(seed), seed

    @property
    def np_random_seed(self):
        return self._np_random_seed

    @property
    def unwrapped(self):
        return self

    def close(self):
        pass


class Wrapper(Env):
    def __init__(self, env):
        assert isinstance(env, Env)
        self.env = env
        self.observation_space, self.action_space = env.observation_space, env.action_space

    @property
    def unwrapped(self):
        return self.env.unwrapped

    def reset(self, *, seed=None, options=None):
        return self.env.reset(seed=seed, options=options)

    def step(self, action):
        return self.env.step(action)
