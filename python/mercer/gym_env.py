"""A built-in task as a Gymnasium environment: a real one where the package is installed, else one of the same interface."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

from .errors import fault
from .drawing import Painter
from .envs import Env
from .spaces import Box, Discrete

try:
    import gymnasium
except ImportError:
    gymnasium = None

_Base: Any = object if gymnasium is None else gymnasium.Env


def _offered(space: Box | Discrete) -> Any:
    """The space, as one of Gymnasium's where it is installed; names and units of the axes stay."""
    if gymnasium is None:
        return space
    if isinstance(space, Discrete):
        made = gymnasium.spaces.Discrete(space.n)
    else:
        made = gymnasium.spaces.Box(space.low, space.high, dtype=np.float64)
    made.names, made.units = space.names, space.units
    return made


class GymEnv(_Base):  # type: ignore[misc]
    """A built-in task with the interface of a single Gymnasium environment.

    Episodes after `reset(seed=s)` are those of `mercer.make(name).reset(seed=s)`; `reset(options={"state": [...]})` begins
    in a given state. `render_mode="rgb_array"` draws tasks that have a stick figure, `width` times `height` pixels.
    `name`, `seed` and `spread` are those of `mercer.make`.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"]}

    def __init__(
        self,
        name: str,
        seed: int = 0,
        render_mode: str | None = None,
        spread: Sequence[float] | None = None,
        width: int = 480,
        height: int = 360,
    ) -> None:
        self.env = Env(name, 1, seed, spread)
        self.observation_space = _offered(self.env.observation_space)
        self.action_space = _offered(self.env.action_space)
        self.reward_range = self.env.reward_range
        self.render_mode = render_mode
        self._discrete = isinstance(self.env.action_space, Discrete)
        self._size = (width, height)
        self._painter: Painter | None = None
        if self.env.dt > 0:
            self.metadata = {**self.metadata, "render_fps": max(1, round(1 / self.env.dt))}
        if render_mode not in (None, "rgb_array"):
            raise fault("E201", f"render_mode is {render_mode!r}; legal: None or 'rgb_array'", "Use 'rgb_array'")
        if render_mode is not None and not self.env.figure().sticks:
            raise fault("E203", f"task {name!r} draws no figure", "Leave out render_mode")

    @property
    def unwrapped(self) -> "GymEnv":
        return self

    @property
    def state(self) -> NDArray[Any]:
        return np.asarray(self.env.state[0])

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[NDArray[Any], dict[str, Any]]:
        if gymnasium is not None:
            super().reset(seed=seed)
        obs = self.env.reset(seed)
        if options and options.get("state") is not None:
            obs = self.env.set_state(options["state"])
        self._painter = None
        return obs[0], {}

    def step(self, action: Any) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        batch = np.asarray(action).reshape(1) if self._discrete else np.asarray(action, dtype=float).reshape(1, -1)
        obs, rewards, terminated, truncated = self.env.step(batch)
        info = {"broken": True} if terminated[0] and self.env.broken[0] else {}
        return obs[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), info

    def render(self) -> NDArray[Any] | None:
        """The picture (height, width, 3) of this moment; None without a render mode."""
        if self.render_mode is None:
            return None
        figure = self.env.figure()
        if self._painter is None:
            self._painter = Painter(figure, *self._size)
        return self._painter.draw(figure)

    def close(self) -> None:
        pass
