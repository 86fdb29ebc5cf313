"""Tasks: the built-in ones, and anything with Gymnasium's interface."""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _mercer
from .errors import fault
from .spaces import Box, Discrete, from_axes, to_axes
from .wrappers import adapted, hint_built_in, is_vec_env, layers


NO_LIMIT = 0x7FFFFFFF  # steps


class Stick(NamedTuple):
    """A straight part of a robot or its surroundings from `start` to `end`, with a `radius`, in metres; z points up.
    Ground, walls and goals are `fixed`."""

    start: tuple[float, float, float]
    end: tuple[float, float, float]
    radius: float
    fixed: bool


class Figure(NamedTuple):
    """A task in one state as `sticks`, best seen from `views`: "side" (x to the right, z up), "above" (x, y)."""

    sticks: list[Stick]
    views: list[str]


class Env:
    """`num_envs` episodes of a built-in task that are stepped together. `make` says what `name`, `seed` and `spread` are.

    Episode i after `reset(seed=s)` is episode i of `rollout(..., seed=s)`: the same start, the same noise. Nothing is
    reset by itself: an episode that ended goes on if it is stepped on.
    """

    def __init__(self, name: str, num_envs: int = 1, seed: int = 0, spread: Sequence[float] | None = None) -> None:
        self._batch = _mercer.EnvBatch(str(name), num_envs, seed, spread)
        self.name = str(name)
        self.num_envs = num_envs
        task = self._batch.task
        self.observation_space: Box | Discrete = from_axes(task.observation)
        self.action_space: Box | Discrete = from_axes(task.action)
        self.state_space: Box | Discrete = from_axes(task.state)
        self.reward_range: tuple[float, float] = task.reward
        self.time_limit: int = task.time_limit
        self.gamma: float = task.gamma
        self.dt: float = task.dt

    def reset(self, seed: int | None = None, mask: NDArray[Any] | None = None) -> NDArray[Any]:
        """Begins new episodes, where `mask` is true or everywhere, and gives all observations (num_envs, dim)."""
        return self._batch.reset(seed, mask)

    def set_state(self, states: NDArray[Any]) -> NDArray[Any]:
        """Begins episodes in given states, one (dim,) for all or (num_envs, dim), and gives the observations."""
        return self._batch.set_state(states)

    def step(self, actions: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
        """(obs, rewards, terminated, truncated); actions are (num_envs, dim), or (num_envs,) where discrete."""
        return self._batch.step(actions)

    @property
    def state(self) -> NDArray[Any]:
        """(num_envs, dim), as `set_state` takes it: with MuJoCo's tasks qpos, then qvel."""
        return self._batch.state

    @property
    def broken(self) -> NDArray[Any]:
        """Where the simulator failed in the last step; such episodes are terminated."""
        return self._batch.broken

    @property
    def parameters(self) -> list[dict[str, Any]]:
        """What can be perturbed about the task: name, help, nominal, low, high, integer."""
        return _mercer.parameters(self.name)

    def figure(self, index: int = 0) -> Figure:
        """One episode as a stick figure; without sticks where the task draws none."""
        sticks, views = self._batch.figure(index)
        return Figure([Stick(*one) for one in sticks], views)

    def return_range(self, horizon: int | None = None) -> tuple[float, float]:
        """Bounds on the return of an episode, which certificates rest on."""
        return self._batch.return_range(horizon)

    def __repr__(self) -> str:
        return f"mercer.make({self.name!r}, {self.num_envs})"


def make(name: str, num_envs: int = 1, seed: int = 0, spread: Sequence[float] | None = None) -> Env:
    """A built-in task by its `name`, such as "pendulum", "chain:n=20" or "pendulum:m=1.2,noise=0.02,delay=1", of which
    `num_envs` episodes are stepped together.

    `seed` serves tasks that are themselves drawn at random. Noise and levels of observations without bounds are shares of
    their `spread`, one number for each observation; without it such a task can be given to `rollout`, `evaluate`, `embed`,
    `compress` and `certify`, which measure it, but not be stepped.
    """
    return Env(name, num_envs, seed, spread)


def is_foreign(env: Any) -> bool:
    """Whether this is an environment of somebody else's, to be played through Gymnasium's interface."""
    return not isinstance(env, (str, Env)) and hasattr(env, "reset") and hasattr(env, "step")


def own_env(env: Any, seed: int = 0) -> Env:
    """A built-in task from itself or its name."""
    if isinstance(env, Env):
        return env
    if isinstance(env, str):
        return Env(env, 1, seed)
    raise fault("E203", f"{type(env).__name__} is not a built-in task", "Give its name, or mercer.make(name)")


def is_vector(env: Any) -> bool:
    """Whether episodes are stepped together: a vector of Gymnasium, or one of Stable-Baselines3."""
    return hasattr(env, "num_envs") and (hasattr(env, "single_observation_space") or is_vec_env(env))


def env_name(env: Any) -> str:
    if isinstance(env, str):
        return env
    if isinstance(env, Env):
        return env.name
    if hasattr(env, "box_text"):
        return str(env.box_text)
    spec = getattr(env, "spec", None)
    return str(getattr(spec, "id", None) or type(getattr(env, "unwrapped", env)).__name__)


def task_of(env: Any) -> Any:
    """What a policy must know of a task, whoever's it is."""
    if not is_foreign(env):
        return own_env(env)._batch.task
    env = adapted(env)
    many = hasattr(env, "single_observation_space")  # spaces of a vector of Stable-Baselines3 are those of one
    observation = env.single_observation_space if many else env.observation_space
    action = env.single_action_space if many else env.action_space
    return _mercer.Task(env_name(env), to_axes(observation, "obs"), to_axes(action, "action"), time_limit(env))


def time_limit(env: Any) -> int:
    """Steps of an episode by the wrapper TimeLimit or the environment's spec; otherwise a number that is never met."""
    limits = [getattr(getattr(env, "spec", None), "max_episode_steps", None)]
    limits += [vars(one).get("_max_episode_steps") for one in layers(env) if hasattr(one, "__dict__")]
    return min([int(one) for one in limits if one], default=NO_LIMIT)


def player_env(env: Any, seed: int = 0) -> Any:
    """What is played: a built-in task, or somebody else's environment with its wrappers looked through."""
    if not is_foreign(env):
        return own_env(env, seed)
    hint_built_in(env)
    return adapted(env)
