"""Stand-ins of what other packages wrap environments in, with their names, attributes and habits."""

import numpy as np
from gym_pendulum import Box, Pendulum


class Wrapper:
    def __init__(self, env):
        self.env = env
        self.observation_space, self.action_space = env.observation_space, env.action_space
        self.spec = getattr(env, "spec", None)

    @property
    def unwrapped(self):
        return self.env.unwrapped

    def reset(self, *, seed=None, options=None):
        return self.env.reset(seed=seed, options=options)

    def step(self, action):
        return self.env.step(action)


class TimeLimit(Wrapper):
    def __init__(self, env, max_episode_steps):
        super().__init__(env)
        self._max_episode_steps = max_episode_steps

    def reset(self, *, seed=None, options=None):
        self.count = 0
        return super().reset(seed=seed, options=options)

    def step(self, action):
        obs, reward, terminated, truncated, info = self.env.step(action)
        self.count += 1
        return obs, reward, terminated, truncated or self.count >= self._max_episode_steps, info


class ClipAction(Wrapper):
    def __init__(self, env):
        super().__init__(env)
        self.action_space = Box([-np.inf], [np.inf])

    def step(self, action):
        return self.env.step(np.clip(action, self.env.action_space.low, self.env.action_space.high))


class RescaleAction(Wrapper):
    def __init__(self, env):
        super().__init__(env)
        self.action_space = Box([-1], [1])

    def step(self, action):
        return self.env.step(2 * np.asarray(action))


class FrameStackObservation(Wrapper):
    def __init__(self, env, count):
        super().__init__(env)
        self.count = count
        low, high = env.observation_space.low, env.observation_space.high
        self.observation_space = Box(np.tile(low, (count, 1)), np.tile(high, (count, 1)))

    def reset(self, *, seed=None, options=None):
        obs, info = self.env.reset(seed=seed, options=options)
        self.frames = [obs] * self.count
        return np.stack(self.frames), info

    def step(self, action):
        obs, *rest = self.env.step(action)
        self.frames = [*self.frames[1:], obs]
        return np.stack(self.frames), *rest


class TimeAwareObservation(Wrapper):
    def __init__(self, env):
        super().__init__(env)
        low, high = env.observation_space.low, env.observation_space.high
        self.observation_space = Box(np.append(low, 0), np.append(high, 200))

    def reset(self, *, seed=None, options=None):
        obs, info = self.env.reset(seed=seed, options=options)
        self.time = 0
        return np.append(obs, self.time), info

    def step(self, action):
        obs, *rest = self.env.step(action)
        self.time += 1
        return np.append(obs, self.time), *rest


class RunningMeanStd:
    def __init__(self, mean, var):
        self.mean, self.var, self.count = np.asarray(mean, dtype=float), np.asarray(var, dtype=float), 100.0

    def update(self, x):
        self.mean = self.mean + 0.01 * (np.mean(x, axis=0) - self.mean)
        self.count += len(x)


class NormalizeObservation(Wrapper):
    def __init__(self, env, mean, var):
        super().__init__(env)
        self.observation_space = Box([-np.inf] * 3, [np.inf] * 3)
        self.obs_rms, self.epsilon = RunningMeanStd(mean, var), 1e-8

    def observation(self, obs):
        self.obs_rms.update(np.array([obs]))
        return ((obs - self.obs_rms.mean) / np.sqrt(self.obs_rms.var + self.epsilon)).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        obs, info = self.env.reset(seed=seed, options=options)
        return self.observation(obs), info

    def step(self, action):
        obs, *rest = self.env.step(action)
        return self.observation(obs), *rest


class OldPendulum:
    """Gym before 0.26: `seed`, observations alone, one flag for the end."""

    observation_space, action_space, spec = Pendulum.observation_space, Pendulum.action_space, Pendulum.spec

    def __init__(self):
        self.inner, self._seed = Pendulum(), None

    def seed(self, seed=None):
        self._seed = seed

    def reset(self):
        return self.inner.reset(seed=self._seed)[0]

    def step(self, action):
        obs, reward, terminated, truncated, info = self.inner.step(action)
        if truncated:
            info["TimeLimit.truncated"] = True
        return obs, reward, terminated or truncated, info


class DummyVecEnv:
    """Vectors of Stable-Baselines3: they reset themselves, and seeds count up from place to place."""

    def __init__(self, makes):
        self.envs = [make() for make in makes]
        self.num_envs = len(self.envs)
        self.observation_space, self.action_space = self.envs[0].observation_space, self.envs[0].action_space
        self.seeds = [None] * self.num_envs

    def seed(self, seed=None):
        self.seeds = [None if seed is None else seed + i for i in range(self.num_envs)]

    def reset(self):
        obs = np.stack([env.reset(seed=seed)[0] for env, seed in zip(self.envs, self.seeds)])
        self.seeds = [None] * self.num_envs
        return obs

    def step_wait(self):
        rows = []
        for env, action in zip(self.envs, self.actions):
            obs, reward, terminated, truncated, info = env.step(action)
            info = {**info, "TimeLimit.truncated": truncated and not terminated}
            if terminated or truncated:
                info["terminal_observation"] = obs
                obs = env.reset()[0]
            rows.append((obs, reward, terminated or truncated, info))
        obs, rewards, dones, infos = zip(*rows)
        return np.stack(obs), np.array(rewards, np.float32), np.array(dones), list(infos)

    def step(self, actions):
        self.actions = actions
        return self.step_wait()


class VecNormalize:
    def __init__(self, venv, mean, var):
        self.venv, self.num_envs = venv, venv.num_envs
        self.observation_space, self.action_space = Box([-10] * 3, [10] * 3), venv.action_space
        self.obs_rms, self.epsilon, self.clip_obs = RunningMeanStd(mean, var), 1e-8, 10.0
        self.training = self.norm_obs = self.norm_reward = True

    def seed(self, seed=None):
        self.venv.seed(seed)

    def _seen(self, obs):
        if self.training:
            self.obs_rms.update(obs)
        if not self.norm_obs:
            return obs
        scaled = (obs - self.obs_rms.mean) / np.sqrt(self.obs_rms.var + self.epsilon)
        return np.clip(scaled, -self.clip_obs, self.clip_obs).astype(np.float32)

    def reset(self):
        return self._seen(self.venv.reset())

    def step_wait(self):
        obs, rewards, dones, infos = self.venv.step_wait()
        return self._seen(obs), rewards / 100 if self.norm_reward else rewards, dones, infos

    def step(self, actions):
        self.venv.actions = actions
        return self.step_wait()


class NativeVector:
    """Written for many at once: a single seed. `mode` is Gymnasium's autoreset mode."""

    def __init__(self, make, count, mode="NextStep"):
        self.envs, self.num_envs = [make() for _ in range(count)], count
        self.metadata = {"autoreset_mode": mode}
        self.single_observation_space = self.envs[0].observation_space
        self.single_action_space = self.envs[0].action_space
        self.mode, self.over = mode, np.zeros(count, bool)

    def reset(self, *, seed=None, options=None):
        mask = np.ones(self.num_envs, bool) if options is None else options["reset_mask"]
        random = np.random.default_rng(None if seed is None else seed + 0)  # a list does not go here
        if mask.all():
            self.obs = [None] * self.num_envs
        for i in np.flatnonzero(mask):
            self.obs[i] = self.envs[i].reset(seed=int(random.integers(2**31)))[0]
        self.over[mask] = False
        return np.stack(self.obs), {}

    def step(self, actions):
        rewards, ended = np.zeros(self.num_envs), np.zeros((2, self.num_envs), bool)
        for i, env in enumerate(self.envs):
            if self.over[i]:
                assert self.mode == "NextStep", "a place that ended was stepped on"
                self.obs[i], self.over[i] = env.reset()[0], False
                continue
            self.obs[i], rewards[i], ended[0, i], ended[1, i], _ = env.step(actions[i])
            self.over[i] = ended[:, i].any()
        return np.stack(self.obs), rewards, *ended, {}
