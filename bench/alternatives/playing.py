"""Episodes of a policy in a task, and what each came to."""

import dataclasses

import numpy as np


@dataclasses.dataclass
class Played:
    """One number for each episode. `roughness` is the mean change of the action from step to step as a share of its range, for
    choices the share of steps with another choice than the last, 0 for a single step. `failed` is None where the end of an episode
    means nothing. `met` holds every observation, (n, dims), where it was asked for."""

    returns: np.ndarray
    steps: np.ndarray
    roughness: np.ndarray
    failed: np.ndarray
    met: np.ndarray = None

    @property
    def failures(self):
        """The share of episodes that failed."""
        return None if self.failed is None else float(self.failed.mean())


def change(task, actions, last):
    """From one action to the next: a share of the range, for choices 1 where they differ."""
    if task.choices is not None:
        return (actions != last).astype(float)
    played, before = (np.clip(one, -task.largest, task.largest) for one in (actions, last))
    return np.abs(played - before) / (2 * task.largest)


def play(task, act, starts, keep=False, noise=0.0, delay=0, random=None):
    """Plays an episode from each start. act: (n, dims) to n actions.

    `noise` is the standard deviation of Gaussian noise on observations as a share of half their range, which they do not leave;
    it needs `random`. An action is played `delay` steps after it was decided on, before the first one the middle of the range; the
    roughness is that of the decisions."""
    count = starts.shape[1]
    states, running, last, met = starts.copy(), np.arange(count), None, []
    returns, steps, changes, failed = np.zeros(count), np.zeros(count, int), np.zeros(count), np.full(count, task.goal)
    middle = 0.0 if task.choices is None else (task.choices - 1) // 2
    waiting = [np.full(count, middle) for _ in range(delay)]
    scale = noise * (task.seen_high - task.seen_low) / 2
    for _ in range(task.horizon):
        seen = np.stack(task.observations(states), axis=-1)
        if noise:
            seen = np.clip(seen + scale * random.standard_normal(seen.shape), task.seen_low, task.seen_high)
        if keep:
            met.append(seen)
        actions = act(seen)
        if last is not None:
            changes[running] += change(task, actions, last)
        waiting.append(actions)
        states, rewards, over = task.step(states, waiting.pop(0))
        returns[running] += rewards
        steps[running] += 1
        last = actions
        if over.any():
            failed[running[over]] = False
            states, running, last, waiting = states[:, ~over], running[~over], last[~over], [one[~over] for one in waiting]
            if len(running) == 0:
                break
    roughness = changes / np.maximum(steps - 1, 1)
    return Played(returns, steps, roughness, failed if task.goal else None, np.concatenate(met) if keep else None)
