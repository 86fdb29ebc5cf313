"""Environments of several interfaces, seen as one: wrappers of Gymnasium, vectors of Stable-Baselines3.

Everything goes by the names of classes and attributes: neither package is needed.
"""

from __future__ import annotations

import warnings
from typing import Any, Iterator, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _mercer
from .spaces import Box

Array = NDArray[Any]
#: Wrappers that change neither observations nor actions nor rewards.
_TRANSPARENT = {"OrderEnforcing", "PassiveEnvChecker", "TimeLimit", "RecordEpisodeStatistics", "Autoreset", "Monitor"}
_STACKS = {"FrameStack", "FrameStackObservation"}


def layers(env: Any) -> Iterator[Any]:
    """An environment and all that it wraps, from the outside."""
    while env is not None:
        yield env
        inner = vars(env).get("env") if hasattr(env, "__dict__") else None
        env = vars(env).get("venv") if inner is None and hasattr(env, "__dict__") else inner


def _named(env: Any, *names: str) -> Any:
    """The outermost layer of one of these classes, subclasses included; None without any."""
    wanted = set(names)
    return next((one for one in layers(env) if wanted & {kind.__name__ for kind in type(one).__mro__}), None)


class Normaliser(NamedTuple):
    """Statistics that observations were normalised with: clip((x - mean) / sqrt(variance + epsilon))."""

    mean: Array
    variance: Array
    epsilon: float
    clip: float

    def __call__(self, observations: Any) -> Array:
        scaled = (np.asarray(observations, dtype=float) - self.mean) / np.sqrt(self.variance + self.epsilon)
        return np.asarray(np.clip(scaled, -self.clip, self.clip), dtype=np.float32)

    @property
    def settings(self) -> dict[str, Any]:
        """As `load_policy` takes them."""
        clip = {"obs_clip": self.clip if np.isfinite(self.clip) else 1e30}
        return {"obs_mean": self.mean, "obs_var": self.variance, "obs_epsilon": self.epsilon, **clip}


class _Identity:
    """Statistics that change nothing and learn nothing, in place of running ones."""

    def __init__(self, epsilon: float) -> None:
        self.mean, self.var, self.count = 0.0, 1.0 - epsilon, 1.0

    def update(self, *_: Any) -> None:
        pass


def normaliser_of(env: Any) -> Normaliser | None:
    """What the outermost normalising wrapper does to observations, as it stands now; None without one."""
    if isinstance(env, Adapted):
        return env.normaliser
    one = _named(env, "VecNormalize", "NormalizeObservation")
    if one is None or not getattr(one, "norm_obs", True):
        return None
    statistics = one.obs_rms
    mean, variance = np.asarray(statistics.mean, dtype=float), np.asarray(statistics.var, dtype=float)
    return Normaliser(mean, variance, float(getattr(one, "epsilon", 1e-8)), float(getattr(one, "clip_obs", np.inf)))


class Adapted:
    """An environment whose wrappers are looked through.

    Normalising wrappers stop learning while a policy is played, and pass on what they get: observations and rewards are
    those of the task. `normaliser` is what policies that were trained behind such a wrapper expect. Frames that a wrapper
    stacks become one vector. The bounds of actions are those that ClipAction clips to.
    """

    def __init__(self, env: Any) -> None:
        self.env = env
        self.spec = getattr(env, "spec", None)
        self.vector = hasattr(env, "num_envs")
        self.normaliser = normaliser_of(env)
        self._kept: list[tuple[Any, str, Any]] = []
        single = hasattr(env, "single_observation_space")
        space = env.single_observation_space if single else env.observation_space
        action = env.single_action_space if single else env.action_space
        source = _named(env, "VecNormalize", "NormalizeObservation")
        if self.normaliser is not None:
            space = (source.venv if hasattr(source, "venv") else source.env).observation_space
        clipping = _named(env, "ClipAction")
        if clipping is not None and not np.isfinite(np.asarray(action.low)).all():
            action = clipping.env.action_space
        self.flat = _named(env, *_STACKS) is not None and len(space.shape) > 1
        if self.flat:
            space = Box(np.ravel(space.low), np.ravel(space.high))
        if self.vector:
            self.num_envs = env.num_envs
            self.single_observation_space, self.single_action_space = space, action
        else:
            self.observation_space, self.action_space = space, action

    @property
    def unwrapped(self) -> Any:
        return getattr(self.env, "unwrapped", self.env)

    def __enter__(self) -> "Adapted":
        for one in layers(self.env):
            for name, quiet in self._quiet(one).items():
                self._kept.append((one, name, getattr(one, name)))
                setattr(one, name, quiet)
        return self

    def __exit__(self, *_: Any) -> None:
        while self._kept:
            setattr(*self._kept.pop())

    @staticmethod
    def _quiet(layer: Any) -> dict[str, Any]:
        """Attributes of a normalising wrapper with which it changes nothing; for others none."""
        names = {kind.__name__ for kind in type(layer).__mro__}
        if "VecNormalize" in names:
            return {"training": False, "norm_obs": False, "norm_reward": False}
        epsilon = float(getattr(layer, "epsilon", 1e-8))
        if "NormalizeObservation" in names:
            return {"obs_rms": _Identity(epsilon)}
        if "NormalizeReward" in names:
            return {"return_rms": _Identity(epsilon), "discounted_reward": getattr(layer, "discounted_reward", 0.0)}
        return {}

    def _seen(self, obs: Any) -> Any:
        if not self.flat:
            return obs
        return np.reshape(obs, (self.num_envs, -1)) if self.vector else np.ravel(obs)

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        obs, info = begin(self.env, seed, options)
        return self._seen(obs), info or {}

    def step(self, action: Any) -> tuple[Any, Any, Any, Any, Any]:
        obs, *rest = modern_step(self.env, action)
        return (self._seen(obs), *rest)  # type: ignore[return-value]


def adapted(env: Any) -> Any:
    """The environment, looked through where it has wrappers that need it; otherwise as it is."""
    special = _named(env, "VecNormalize", "NormalizeObservation", "NormalizeReward", "ClipAction", *_STACKS)
    return env if special is None or isinstance(env, Adapted) else Adapted(env)


# --- both generations of the interface, and vectors of Stable-Baselines3 ---


def is_vec_env(env: Any) -> bool:
    """Whether this is a vector of Stable-Baselines3: resets itself, one flag for the end, infos in a list."""
    return hasattr(env, "num_envs") and hasattr(env, "step_wait") and not hasattr(env, "single_observation_space")


def begin(env: Any, seed: Any, options: Any = None) -> tuple[Any, dict[str, Any] | None]:
    """`reset` of any generation: (obs, info). Info is None in the old one, whose `step` gives four values."""
    if isinstance(env, Adapted):
        return env.reset(seed=seed, options=options)
    extra = {} if options is None else {"options": options}
    if is_vec_env(env):
        env.seed(seed[0] if isinstance(seed, list) else seed)  # place i gets that plus i
        return env.reset(), None
    try:
        begun = env.reset(seed=seed, **extra)
    except TypeError:
        if not hasattr(env, "seed"):
            raise
        env.seed(seed)  # Gym before 0.21
        begun = env.reset()
    modern = isinstance(begun, tuple) and len(begun) == 2 and isinstance(begun[1], dict)
    return (begun[0], begun[1]) if modern else (begun, None)


def modern_step(env: Any, action: Any) -> tuple[Any, Any, Any, Any, Any]:
    """`step` of any generation: (obs, reward, terminated, truncated, info)."""
    if isinstance(env, Adapted):
        return env.step(action)
    stepped = env.step(action)
    if len(stepped) == 5:
        return stepped  # type: ignore[no-any-return]
    obs, reward, done, info = stepped
    if isinstance(info, (list, tuple)):  # of a vector
        late = np.array([bool(one.get("TimeLimit.truncated", False)) for one in info])
        final = [one.get("terminal_observation") for one in info]
        return obs, reward, np.asarray(done, bool) & ~late, np.asarray(done, bool) & late, {"final_obs": final}
    truncated = bool(info.get("TimeLimit.truncated", False))
    return obs, reward, bool(done) and not truncated, bool(done) and truncated, info


# --- advice ---

_hinted: set[str] = set()


def hint_built_in(env: Any) -> None:
    """Warns once where a task that is built in is played by Python."""
    name = str(getattr(getattr(env, "spec", None), "id", None) or "")
    kinds = [type(one).__name__ for one in layers(env)][:-1]
    if not name or name in _hinted or hasattr(env, "num_envs") or not set(kinds) <= _TRANSPARENT:
        return
    if getattr(env.spec, "kwargs", None):
        return  # another task than the one of that name
    try:
        task = _mercer.EnvBatch(name, 1, 0).task
    except (ValueError, OSError):
        return
    if len(task.observation["axes"]) != int(np.prod(env.observation_space.shape, dtype=int) or 1):
        return
    _hinted.add(name)
    text = f"{name} is built in: give its name, {name!r}, instead of the object. It is then played about ten times faster."
    warnings.warn(text, UserWarning, stacklevel=4)
