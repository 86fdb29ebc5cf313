"""Episodes in environments that only Python can play."""

from __future__ import annotations

import contextlib
import functools
import os
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from . import _mercer
from .errors import fault
from .envs import NO_LIMIT, env_name, is_vector, task_of
from .policies import Batched, _name_of, load_policy
from .progress import Report
from .wrappers import Adapted, begin, modern_step

#: Room of a seed, by `_mercer.reset_seed`.
EPISODES_A_SEED = 1 << 20


class Chooser:
    """Any policy, asked about one observation or about many, in a task that only Python can play."""

    def __init__(self, policy: Any, env: Any, act: str, seed: int) -> None:
        if act not in ("mean", "sample"):
            raise fault("E201", f"act is {act!r}; legal: 'mean' or 'sample'", "Use 'mean' to play without noise")
        self.task = task_of(env)
        self.discrete = self.task.action["count"] > 0
        self.seed, self.mean = seed, act == "mean"
        self.state: Any = None  # of a recurrent policy
        if isinstance(policy, (str, os.PathLike)):
            policy = load_policy(policy, env)
        inner = getattr(policy, "policy", None)
        if isinstance(inner, _mercer.Policy):
            policy = inner
        self.policy = policy
        self.one: Callable[..., Any] | None
        self.many: Callable[..., Any]
        if isinstance(policy, _mercer.Policy):
            self.name = policy.name
            self.one, self.many = self._library_one, self._library_many
        elif hasattr(policy, "sample") and hasattr(policy, "log_prob"):
            self.name = _name_of(policy)
            self.one, self.many = self._sampled_one, self._sampled_many
        elif hasattr(policy, "predict"):
            self.name = _name_of(policy)
            self.one = self.many = self._predicted
        elif callable(policy):
            self.name = _name_of(policy)
            self.one = None
            self.many = self._called_many
            self._batched = Batched(policy, self.task)
        else:
            raise fault("E203", f"{_name_of(policy)} is not a policy", "Give a callable obs -> action, or an object with predict")

    def begin(self) -> None:
        """Forgets what a recurrent policy remembers: new episodes begin."""
        self.state, self.fresh = None, True

    def _library_one(self, obs: Any, episode: int, step: int) -> Any:
        return self.policy.act(obs, self.mean, self.seed, episode, step)

    def _library_many(self, obs: Any, episodes: NDArray[Any], step: int) -> Any:
        if self.mean:
            return self.policy.mean_action(obs)
        return self.policy.sample(obs, self.seed, step, episodes.tolist())

    def _sampled_one(self, obs: Any, episode: int, step: int) -> Any:
        return self._sampled_many(np.asarray(obs)[None], np.array([episode]), step)[0]

    def _sampled_many(self, obs: Any, episodes: NDArray[Any], step: int) -> Any:
        if self.mean:
            return self.policy.mean_action(obs)
        return self.policy.sample(obs, hash((self.seed, int(episodes[0]), step)) & 0x7FFFFFFF)

    def _predicted(self, obs: Any, episode: Any, step: int) -> Any:
        start = np.full(1 if np.ndim(obs) == 1 else len(obs), self.fresh)
        self.fresh = False
        action, self.state = self.policy.predict(
            obs, state=self.state, episode_start=start, deterministic=self.mean
        )
        return action

    def _called_many(self, obs: Any, episodes: NDArray[Any], step: int) -> Any:
        actions = np.asarray(self._batched(obs))
        return actions.reshape(len(obs)).astype(np.int64) if self.discrete else actions


class Record:
    """Rows that grow. Their bytes are copied, which costs a fifth of an assignment to a row of an array."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.kind: Any = None
        self.parts: list[bytes] = []
        self.blocks: list[NDArray[Any]] = []

    def add(self, row: Any) -> None:
        if row.__class__ is np.ndarray and row.dtype is self.kind:
            self.parts.append(row.tobytes())
        else:
            self._add_other(np.asarray(row))

    def _add_other(self, row: NDArray[Any]) -> None:
        """A row of another type than those before it."""
        if row.dtype.kind not in "fiub":
            row = row.astype(float)
        if row.dtype != self.kind:
            self._flush()
            self.kind = row.dtype
        self.parts.append(row.tobytes())

    def _flush(self) -> None:
        if self.parts:
            self.blocks.append(np.frombuffer(b"".join(self.parts), dtype=self.kind).astype(float))
        self.parts = []

    def done(self) -> NDArray[Any]:
        self._flush()
        rows: NDArray[Any] = np.concatenate([np.empty(0), *self.blocks])
        return rows.reshape(-1, self.width)


class _Log:
    """All episodes of a rollout, in order."""

    def __init__(self, task: Any, keep_steps: bool) -> None:
        self.keep = keep_steps
        self.observations = Record(len(task.observation["axes"]))
        self.actions = Record(len(task.action["axes"]))
        self.rewards: list[float] = []
        self.last: list[NDArray[Any]] = []
        self.offsets = [0]
        self.returns: list[float] = []
        self.discounted: list[float] = []
        self.terminated: list[int] = []

    def end(self, rewards: Any, last: Any, total: float, gamma: float, terminated: bool) -> None:
        self.offsets.append(self.offsets[-1] + len(rewards))
        self.last.append(np.array(last, dtype=float))
        self.returns.append(float(total))
        self.discounted.append(float(np.dot(gamma ** np.arange(len(rewards)), rewards)))
        self.terminated.append(int(terminated))
        if self.keep:
            self.rewards.extend(rewards)


def _single(env: Any, chooser: Chooser, log: _Log, episodes: range, gamma: float, horizon: int, report: Any) -> None:
    # This loop is all that stands between a user's policy and environment: names are local, nothing is wrapped.
    plain = chooser.one is None  # a function of the observation alone
    choose, step, keep = chooser.policy if plain else chooser.one, env.step, log.keep
    seen, done = log.observations.add, log.actions.add
    for episode in episodes:
        obs, info = begin(env, _mercer.reset_seed(chooser.seed, episode))
        if info is None:
            step = functools.partial(modern_step, env)
        chooser.begin()
        rewards: list[float] = []
        total, t = 0.0, 0
        while True:
            action = choose(obs) if plain else choose(obs, episode, t)
            if keep:
                seen(obs)
                done(action)
            obs, reward, terminated, truncated, _ = step(action)
            rewards.append(reward)
            t += 1
            total += reward
            if terminated or truncated or t == horizon:
                break
        log.end(rewards, obs, total, gamma, terminated)
        if report:
            report("rollout", (episode + 1 - episodes.start) / len(episodes))


def _final(infos: Any, place: int, obs: NDArray[Any]) -> NDArray[Any]:
    """The last observation of an episode; one that was reset at once is told in the infos."""
    for key in ("final_obs", "final_observation"):
        told = infos.get(key) if isinstance(infos, dict) else None
        if told is not None and told[place] is not None:
            return np.asarray(told[place], dtype=float)
    return np.asarray(obs[place])


class _Places:
    """Seeds and resets of a vector of environments, which differ between their kinds."""

    def __init__(self, env: Any) -> None:
        self.env = env
        mode = (getattr(env, "metadata", None) or {}).get("autoreset_mode")
        self.by_hand = "disabled" in str(getattr(mode, "value", mode)).lower()  # places that ended must be reset
        self.one_seed = False

    def begin(self, seeds: list[int]) -> Any:
        """A seed for each place; natively vectorised environments take a single one."""
        if not self.one_seed:
            try:
                return begin(self.env, seeds)[0]
            except (TypeError, ValueError, AssertionError):
                self.one_seed = True
            except Exception as error:  # gymnasium.error.Error, which need not be installed
                if type(error).__module__.split(".")[0] not in ("gymnasium", "gym"):
                    raise
                self.one_seed = True
        return begin(self.env, seeds[0])[0]

    def renew(self, over: NDArray[Any], obs: Any) -> Any:
        """What is seen after some places ended."""
        if not (self.by_hand and over.any()):
            return obs
        return begin(self.env, None, {"reset_mask": over})[0]


def _vector(env: Any, chooser: Chooser, log: _Log, episodes: range, gamma: float, horizon: int, report: Any) -> None:
    # Each place plays one episode of a batch; what it does after its end is not looked at, so that it does not matter
    # how and when environments reset themselves.
    width, places = env.num_envs, _Places(env)
    for first in range(episodes.start, episodes.stop, width):
        numbers = np.arange(first, first + width)
        obs = places.begin([_mercer.reset_seed(chooser.seed, int(e)) for e in numbers])
        chooser.begin()
        playing = numbers < episodes.stop
        total, lengths = np.zeros(width), np.zeros(width, dtype=int)
        ended = np.zeros(width, dtype=bool)
        last: list[Any] = [None] * width
        steps: list[tuple[Any, ...]] = []
        t = 0
        while playing.any():
            actions = chooser.many(obs, numbers, t)
            seen: Any = np.array(obs, dtype=float) if log.keep else None
            obs, rewards, terminated, truncated, infos = modern_step(env, actions)
            rewards = np.array(rewards, dtype=float)
            steps.append((rewards, seen, actions))
            total[playing] += rewards[playing]
            t += 1
            lengths[playing] = t
            over = playing & (np.asarray(terminated, bool) | np.asarray(truncated, bool) | (t == horizon))
            for place in np.flatnonzero(over):
                ended[place] = terminated[place]
                last[place] = np.array(_final(infos, int(place), obs))
            playing &= ~over
            if playing.any():
                obs = places.renew(np.asarray(terminated, bool) | np.asarray(truncated, bool), obs)
        for place in range(min(width, episodes.stop - first)):
            own = steps[: lengths[place]]
            for _, seen, done in own if log.keep else []:
                log.observations.add(seen[place])
                log.actions.add(done[place])
            log.end([one[0][place] for one in own], last[place], total[place], gamma, bool(ended[place]))
        if report:
            report("rollout", min(1.0, (first + width - episodes.start) / len(episodes)))


def play_foreign(
    env: Any,
    policy: Any,
    episodes: int,
    seed: int = 0,
    act: str = "sample",
    gamma: float = 1.0,
    horizon: int | None = None,
    keep_steps: bool = True,
    report: Report | None = None,
    first: int = 0,
) -> _mercer.Rollouts:
    """Plays `episodes` episodes through Gymnasium's interface, of a single environment or a vector of them.

    `first` is the number of the first one."""
    if episodes < 1 or first + episodes > EPISODES_A_SEED:
        raise fault("E202", f"episodes is {episodes}; legal: 1 to {EPISODES_A_SEED - first}", "Play the rest with another seed")
    chooser = Chooser(policy, env, act, seed)
    log = _Log(chooser.task, keep_steps)
    play = _vector if is_vector(env) else _single
    quiet: Any = env if isinstance(env, Adapted) else contextlib.nullcontext()
    with quiet:
        play(env, chooser, log, range(first, first + episodes), gamma, horizon or NO_LIMIT, report)
    return _mercer.make_rollouts(
        {
            "env": env_name(env),
            "policy": chooser.name,
            "seed": seed,
            "gamma": gamma,
            "discrete_actions": chooser.discrete,
            "observation_names": [axis["name"] for axis in chooser.task.observation["axes"]],
            "action_names": [axis["name"] for axis in chooser.task.action["axes"]],
            "offsets": log.offsets,
            "observations": log.observations.done(),
            "actions": log.actions.done(),
            "rewards": np.array(log.rewards, dtype=float),
            "final_observations": np.array(log.last),
            "returns": np.array(log.returns),
            "discounted_returns": np.array(log.discounted),
            "terminated": log.terminated,
        }
    )
