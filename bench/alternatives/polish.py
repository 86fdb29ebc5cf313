"""Small networks with int8 weights that are improved on the return itself: what Mercer's embeddings have to be held against."""

import numpy as np

from .cma import CmaEs
from .imitate import imitate
from .keeping import Aim
from .playing import change, play
from .small_network import SmallNetwork
from .whole_numbers import WholeNumberNetwork, WholeNumberNetworks


def mean_outcomes(networks, numbers, starts):
    """Return, roughness and share of failures of each candidate on the same starts, in single precision. Candidates that are over
    with every start leave, and starts that every candidate is over with."""
    task, layers = networks.task, networks.layers(numbers, np.float32)
    candidates, count = len(numbers), starts.shape[1]
    states = np.repeat(starts[:, None].astype(np.float32), candidates, axis=1)
    returns, changes, steps = np.zeros((3, candidates, count))
    running, last = np.ones((candidates, count), bool), None
    rows, columns = np.arange(candidates), np.arange(count)
    for _ in range(task.horizon):
        place = np.ix_(rows, columns)
        actions = networks.act(layers, np.stack(task.observations(states), axis=1))
        moved, rewards, over = task.step(states, actions)
        returns[place] += np.where(running, rewards, 0.0)
        steps[place] += running
        if last is not None:
            changes[place] += np.where(running, change(task, actions, last), 0.0)
        running &= ~over
        states, last = moved, actions
        if not over.any():
            continue
        if not running.any():
            break
        lines, posts = running.any(1), running.any(0)
        if not (lines.all() and posts.all()):
            states, running, last = states[:, lines][:, :, posts], running[lines][:, posts], last[lines][:, posts]
            rows, columns = rows[lines], columns[posts]
            layers = [(weight[lines], bias[lines]) for weight, bias in layers]
    failed = np.zeros((candidates, count))
    failed[np.ix_(rows, columns)] = running & task.goal  # at the time limit, short of the goal
    return returns.mean(1), (changes / np.maximum(steps - 1, 1)).mean(1), failed.mean(1)


def polish(networks, numbers, random, generations, aim, judging=1000, step=0.1):
    """CMA-ES from `numbers`: candidates of a generation play the same starts, every generation fresh ones. Of the
    beginning and the centre of the search at six moments the one that costs least on other starts."""
    task, search = networks.task, CmaEs(numbers, step, random)
    episodes = min(96, 48000 // task.horizon)  # long ones cost more and, in these tasks, differ less
    moments = {round(generations * share) for share in (0.25, 0.5, 0.7, 0.8, 0.9, 1.0)}
    kept = [np.array(numbers)]
    for generation in range(1, generations + 1):
        candidates = search.ask()
        search.tell(aim.costs(*mean_outcomes(networks, candidates, task.starts(episodes, random))))
        if generation in moments:
            kept.append(search.mean)
    costs = aim.costs(*mean_outcomes(networks, np.array(kept), task.starts(judging, random)))
    return kept[int(costs.argmin())]


def polished(task, teacher, width, random, generations, behaviour):
    """`behaviour`: under the limits of `--keep behaviour`, as Mercer's search is; otherwise on the return alone."""
    aim = Aim.of(play(task, teacher.act, task.starts(500, random)), behaviour)
    networks, numbers = WholeNumberNetworks.of(imitate(task, teacher, lambda: SmallNetwork(width), random))
    return WholeNumberNetwork(networks, polish(networks, numbers, random, generations, aim))
