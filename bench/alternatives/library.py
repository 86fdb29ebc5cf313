"""Tasks of Mercer's library, played by Mercer in batches with numpy students as policies."""

import dataclasses

import numpy as np

from .perturb import Perturbation
from .playing import Played

# Of the physical parameters the first that a task has is the one that is changed.
STRENGTHS = ("mass", "m", "force", "gravity")
NOMINAL = Perturbation()
GRID = (NOMINAL, Perturbation(factor=1.2), Perturbation(delay=1), Perturbation(noise=0.01))


@dataclasses.dataclass(frozen=True)
class Starts:
    """The first `count` starts that belong to a seed."""

    count: int
    seed: int


@dataclasses.dataclass
class Moved(Played):
    """`saturation`: for each episode the share of actions within 1% of the range of a bound, 0 for choices."""

    saturation: np.ndarray = None


class LibraryTask:
    """A task by its name, as students know tasks. Actions are scaled so that their ranges are [-1, 1]: `largest` is 1, whatever
    the bounds are. `teacher` is a policy of the package; noise of observations is a share of the spread of those it meets."""

    largest, goal = 1.0, False

    def __init__(self, mercer, name, teacher):
        self.mercer, self.name, self.teacher = mercer, name, teacher
        nominal = mercer.make(name, 1)
        space, self.horizon = nominal.action_space, nominal.time_limit
        self.choices = getattr(space, "n", None)
        if self.choices is None:
            if not np.isfinite([space.low, space.high]).all():
                raise ValueError(f"actions of {name} have no bounds: rivals need them")
            self.middle, self.half = (space.high + space.low) / 2, (space.high - space.low) / 2
        known = {one["name"]: one["nominal"] for one in mercer.parameters(name)}
        self.strength = next((one for one in STRENGTHS if one in known), None)
        if self.strength:
            setattr(self, self.strength, known[self.strength])
        self.environments = {}

    def grid(self):
        return [point for point in GRID if point.factor == 1 or self.strength]

    def starts(self, count, random):
        return Starts(count, int(random.integers(2**31)))

    def act(self, observations):
        """The teacher's mean action, or its choice."""
        actions = np.asarray(self.teacher.mean_action(observations))
        if self.choices is not None:
            return actions.reshape(-1).astype(int)
        return np.clip((actions.reshape(len(observations), -1) - self.middle) / self.half, -1.0, 1.0)

    def policy(self, act):
        """A student as the package takes it: many observations at once."""

        def function(observations):
            actions = act(np.atleast_2d(observations))
            return actions if self.choices is not None else self.middle + self.half * actions.reshape(len(actions), -1)

        return function

    def environment(self, point):
        """The perturbed task. What noise is a share of is measured once."""
        if point not in self.environments:
            made, spec = self.mercer.make, point.spec(self)
            spread = self.mercer._mercer.spread_of(spec, 0, self.teacher) if point.noise else None
            self.environments[point] = made(spec, 1, 0, spread) if spread is not None else made(spec, 1)
        return self.environments[point]

    def play(self, policy, starts, point=NOMINAL, keep=False):
        """Plays a policy of the package, or a function as `policy` makes them."""
        played = self.mercer.rollout(self.environment(point), policy, starts.count, starts.seed, act="mean")
        roughness, saturation = self.motion(np.asarray(played.actions), np.asarray(played.offsets))
        return Moved(np.array(played.returns), np.diff(played.offsets), roughness, None,
                     np.array(played.observations) if keep else None, saturation)

    def motion(self, actions, offsets):
        """Roughness and saturation of each episode, as docs/guide/compress.md defines them."""
        steps = np.diff(offsets)
        if self.choices is None:
            actions = (actions - self.middle) / self.half
            changes = np.abs(np.diff(actions, axis=0)).mean(1) / 2
            bound = (np.abs(actions) >= 0.98).mean(1)
        else:
            changes, bound = (np.diff(actions.reshape(-1)) != 0).astype(float), np.zeros(len(actions))
        within = np.ones(len(changes), bool)
        within[offsets[1:-1] - 1] = False  # from the last action of an episode to the first of the next
        episode = np.repeat(np.arange(len(steps)), steps)
        rough = np.bincount(episode[1:][within], changes[within], len(steps)) / np.maximum(steps - 1, 1)
        return rough, np.bincount(episode, bound, len(steps)) / steps


def play(task, act, starts, keep=False):
    """As `playing.play`, in a `LibraryTask`."""
    return task.play(task.policy(act), starts, keep=keep)
