"""Small networks with int8 weights that are improved on the return itself: what Mercer's embeddings have to be held against."""

import time

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


def evolve(numbers, costs, random, generations, step=0.1, seconds=np.inf):
    """CMA-ES from `numbers` on `costs(candidates, last)`, which plays every generation on fresh starts. It ends after so many
    generations, or when another one would take more seconds of the processor; there is always one. Of the beginning and the
    centre of the search at six moments the one that costs least at last, and how many generations there were."""
    search, kept, began = CmaEs(numbers, step, random), [np.array(numbers)], time.process_time()
    moments = [0.25, 0.5, 0.7, 0.8, 0.9, 1.0]
    for generation in range(1, generations + 1):
        search.tell(costs(search.ask(), False))
        spent = time.process_time() - began
        used = max(generation / generations, (spent + spent / generation) / seconds)
        if used >= moments[0]:
            kept.append(search.mean)
            moments = [moment for moment in moments if moment > used]
        if not moments:
            break
    return kept[int(costs(np.array(kept), True).argmin())], search.generation


def polish(networks, numbers, random, generations, aim, judging=1000, step=0.1):
    """Evolution of one network of the shape: candidates of a generation play the same starts."""
    task = networks.task
    episodes = min(96, 48000 // task.horizon)  # long ones cost more and, in these tasks, differ less

    def costs(candidates, last):
        return aim.costs(*mean_outcomes(networks, candidates, task.starts(judging if last else episodes, random)))

    return evolve(numbers, costs, random, generations, step)[0]


def polished(task, teacher, width, random, generations, behaviour):
    """`behaviour`: under the limits of `--keep behaviour`, as Mercer's search is; otherwise on the return alone."""
    aim = Aim.of(play(task, teacher.act, task.starts(500, random)), behaviour)
    networks, numbers = WholeNumberNetworks.of(imitate(task, teacher, lambda: SmallNetwork(width), random))
    return WholeNumberNetwork(networks, polish(networks, numbers, random, generations, aim))
