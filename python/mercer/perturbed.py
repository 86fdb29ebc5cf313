"""Environments that are not quite the one a policy was trained in: other masses, noisy sensors, late actuators."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _mercer
from .errors import fault
from .envs import env_name, is_vector
from .playing import play_foreign

#: A number, or the two ends of a range.
Values = float | Sequence[float]

_SPREAD_EPISODES, _SPREAD_SEED = 100, 17
_SPREADS_OF_A_SENSOR = 4  # levels of a sensor without bounds cover this many spreads to each side of 0


def _ends(name: str, values: Values) -> tuple[float, float]:
    if np.ndim(values) > 1 or np.size(values) not in (1, 2):
        raise fault("E203", f"{name} is {values!r}", "Give a number or (low, high)")
    ends = [float(x) for x in np.ravel(values)]
    low, high = ends[0], ends[-1]
    if not low <= high:
        raise fault("E203", f"{name} goes from {low} to {high}", "Write the smaller end first")
    return low, high


def _takes(make: Callable[..., Any]) -> tuple[dict[str, Any], bool]:
    """The parameters of a function with their defaults, and whether it takes any other by name."""
    parameters = inspect.signature(make).parameters.values()
    named = {one.name: one.default for one in parameters if one.kind is not inspect.Parameter.VAR_KEYWORD}
    return named, any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters)


class Perturbed:
    """An environment whose parameters are drawn anew at every reset, the same for the same seed.

    `make(**values)` makes an environment with Gymnasium's interface. `ranges` maps names to a number or (low, high):

        mercer.Perturbed(lambda m: gymnasium.make("Pendulum-v1", ...), {"m": (0.8, 1.2), "delay": (0, 1)}, {"m": 1.0})

    `noise`, `action_noise`, `delay`, `lag` and `levels` are the disturbances of docs/guide/tasks.md; those that `make`
    does not take are applied here. `nominal` says what parameters are without perturbation; by default what `make` has
    as defaults, and 0 for disturbances. Noise and levels of observations without bounds are shares of their `spread`,
    one number for each observation; `rollout`, `evaluate`, `compress` and `certify` measure it where it is not given.
    An environment that was just made is used again while the values stay the same.
    """

    def __init__(
        self,
        make: Callable[..., Any],
        ranges: Mapping[str, Values],
        nominal: Mapping[str, float] | None = None,
        spread: Sequence[float] | None = None,
    ) -> None:
        if not isinstance(ranges, Mapping):
            raise fault("E203", f"ranges is {ranges!r}", "Give a dict such as {'m': (0.8, 1.2)}")
        if unknown := sorted(set(nominal or {}) - set(ranges)):
            raise fault("E201", f"nominal names {unknown[0]}, which is not perturbed", f"Known: {', '.join(ranges)}")
        known = {row["name"]: row for row in _mercer.disturbances()}
        named, any_name = _takes(make)
        self.make, self.spread = make, None if spread is None else np.asarray(spread, dtype=float)
        self.ranges = {name: _ends(name, values) for name, values in ranges.items()}
        if not self.ranges:
            raise fault("E204", "no parameter is perturbed", "Give ranges such as {'m': (0.8, 1.2)}")
        self.nominal: dict[str, float] = {}
        self._own: list[str] = []  # disturbances that are applied here
        for name, (low, high) in self.ranges.items():
            given = (nominal or {}).get(name, named.get(name, inspect.Parameter.empty))
            if name in known and name not in named:
                self._own.append(name)
                given = 0.0
                self._check(known[name], low, high)
            elif name not in named and not any_name:
                legal = ", ".join([*named, *known])
                raise fault("E201", f"make() takes no parameter {name}", f"Known: {legal}")
            if isinstance(given, (int, float)):
                self.nominal[name] = float(given)
        self._made: tuple[dict[str, float], Any] | None = None
        self._env = self._environment({name: self.nominal.get(name, low) for name, (low, _) in self.ranges.items()})
        if is_vector(self._env):
            raise fault("E203", "make() makes a vector of environments", "Make a single one")
        self.observation_space, self.action_space = self._env.observation_space, self._env.action_space
        self._discrete = hasattr(self.action_space, "n")
        self._check_spaces()
        self.values = {name: low for name, (low, _) in self.ranges.items()}

    @staticmethod
    def _check(row: dict[str, Any], low: float, high: float) -> None:
        name, least, most = row["name"], row["low"], row["high"]
        if low < least or high > most or (name == "levels" and high > 0 and low < 2):
            legal = "0 for all, or 2 to 65536" if name == "levels" else f"{least:g} to {most:g}"
            raise fault("E202", f"{name} is {low:g}..{high:g}; legal: {legal}", "Give a range inside that")
        if row["integer"] and not (low.is_integer() and high.is_integer()):
            raise fault("E203", f"{name} is {low:g}..{high:g}; legal: integers", "Give integers for both ends")

    def _check_spaces(self) -> None:
        if hasattr(self.observation_space, "n") and {"noise", "levels"} & set(self._own):
            raise fault("E203", "noise and levels do not go with a discrete observation", "Leave them out")
        if self._discrete and "lag" in self._own:
            raise fault("E203", "lag does not go with a discrete action", "Use delay")
        if not self._discrete and "action_noise" in self._own:
            low, high = self.action_space.low, self.action_space.high
            if not (np.isfinite(low).all() and np.isfinite(high).all()):
                raise fault("E203", "action_noise does not go with actions without bounds", "Leave it out")

    @property
    def spec(self) -> Any:
        return getattr(self._env, "spec", None)

    @property
    def unwrapped(self) -> Any:
        return getattr(self._env, "unwrapped", self._env)

    @property
    def box_text(self) -> str:
        """What files and certificates call this environment."""
        parts = [f"{name}={low:g}" + (f"..{high:g}" if high > low else "") for name, (low, high) in self.ranges.items()]
        return f"{env_name(self._env)}:{','.join(parts)}"

    def box(self) -> list[tuple[str, float, float, float, bool]]:
        """Name, ends, nominal value (NaN: unknown) and whether it is an integer, for each parameter."""
        whole = {row["name"] for row in _mercer.disturbances() if row["integer"]}
        return [
            (name, low, high, self.nominal.get(name, float("nan")), name in self._own and name in whole)
            for name, (low, high) in self.ranges.items()
        ]

    def at(self, values: Sequence[float]) -> "Perturbed":
        """The environment at one point of the box."""
        return Perturbed(self.make, dict(zip(self.ranges, values)), self.nominal, self.spread)  # type: ignore[arg-type]

    def _environment(self, values: dict[str, float]) -> Any:
        """`make` with these values, or the last one where they are the same."""
        asked = {name: value for name, value in values.items() if name not in self._own}
        if self._made is None or self._made[0] != asked:
            self._made = asked, self.make(**asked)
        return self._made[1]

    # --- playing ---

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[NDArray[Any], dict[str, Any]]:
        words = None if seed is None else [int(seed), _SPREAD_SEED]
        self._random = np.random.Generator(np.random.Philox(np.random.SeedSequence(words)))
        self.values = {}
        for name, low, high, _, integer in self.box():
            share = self._random.random()  # also for fixed ones: what else varies changes no draw
            self.values[name] = min(np.floor(low + share * (high - low + 1)), high) if integer else low + share * (high - low)
        self._level = {name: self.values[name] for name in self._own}
        self._env = self._environment(self.values)
        obs, info = self._env.reset(seed=seed, options=options)
        rest = self._resting()
        self._played, self._late = rest, [rest] * int(self._level.get("delay", 0))
        return self._seen(obs), info

    def step(self, action: Any) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        obs, reward, terminated, truncated, info = self._env.step(self._acted(action))
        return self._seen(obs), reward, terminated, truncated, info

    def close(self) -> None:
        if hasattr(self._env, "close"):
            self._env.close()

    def _resting(self) -> Any:
        """What is played before the first action: the middle of the range."""
        if self._discrete:
            return (int(self.action_space.n) - 1) // 2
        low, high = self.action_space.low, self.action_space.high
        bounded = np.isfinite(low) & np.isfinite(high)
        with np.errstate(invalid="ignore"):
            return np.where(bounded, (low + high) / 2, np.clip(0.0, low, high)).astype(self.action_space.dtype)

    def _acted(self, action: Any) -> Any:
        """Late, then noisy, then lagging."""
        if not {"action_noise", "delay", "lag"} & set(self._own):
            return action
        command = self._late[0] if self._late else action
        self._late = [*self._late[1:], action] if self._late else []
        noise = self._level.get("action_noise", 0.0)
        if self._discrete:
            if "action_noise" in self._own:
                swap, other = self._random.random(2)
                command = int(other * self.action_space.n) if swap < noise else command
            return command
        low, high = self.action_space.low, self.action_space.high
        command = np.asarray(command, dtype=float)
        if "action_noise" in self._own:
            command = command + noise * (high - low) / 2 * self._random.standard_normal(command.shape)
        lag = self._level.get("lag", 0.0)
        self._played = lag * self._played + (1 - lag) * np.clip(command, low, high)
        return self._played.astype(self.action_space.dtype)

    def _seen(self, obs: Any) -> Any:
        """What the sensors show: noisy, inside their range, of few levels."""
        if not {"noise", "levels"} & set(self._own):
            return obs
        low, high = (np.asarray(end, dtype=float) for end in (self.observation_space.low, self.observation_space.high))
        half, bounded = self._half_ranges(low, high)
        out = np.asarray(obs, dtype=float)
        if "noise" in self._own:
            out = np.clip(out + self._level["noise"] * half * self._random.standard_normal(out.shape), low, high)
        if self._level.get("levels", 0) > 0:
            first = np.where(bounded, low, 0.0)
            step = 2 * half * np.where(bounded, 1, _SPREADS_OF_A_SENSOR) / (self._level["levels"] - 1)
            out = np.clip(first + np.floor((out - first) / step + 0.5) * step, low, high)
        return out.astype(np.asarray(obs).dtype)

    def _half_ranges(self, low: NDArray[Any], high: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        no_bound = float(np.finfo(np.float32).max)
        bounded = (low > -no_bound) & (high < no_bound)
        if self.spread is None and not bounded.all():
            raise fault(
                "E204",
                "noise and levels of observations without bounds are shares of their spread, which is not known",
                "Give Perturbed(..., spread=[...]), or play it by rollout, evaluate, compress or certify",
            )
        spread = np.zeros(low.shape) if self.spread is None else self.spread
        with np.errstate(invalid="ignore"):
            return np.where(bounded, (high - low) / 2, spread), bounded

    def know_spread(self, policy: Any) -> None:
        """Measures what observations without bounds vary by under the policy's mean actions, where noise needs it."""
        if self.spread is not None or not {"noise", "levels"} & set(self._own):
            return
        nominal = {name: self.nominal.get(name, (low + high) / 2) for name, (low, high) in self.ranges.items()}
        played = play_foreign(self._environment(nominal), policy, _SPREAD_EPISODES, _SPREAD_SEED, "mean")
        self.spread = np.maximum(played.observations.std(axis=0), np.finfo(float).tiny)


def with_spread(env: Any, policy: Any) -> Any:
    """The environment, its spread measured under the policy where it is perturbed and needs one."""
    if isinstance(env, Perturbed):
        env.know_spread(policy)
    return env
