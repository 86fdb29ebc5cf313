"""Small networks with int8 weights that are improved on the return itself: what Mercer's embeddings have to be held against."""

import numpy as np

from .cma import CmaEs
from .imitate import imitate
from .small_network import SmallNetwork
from .whole_numbers import WholeNumberNetwork, WholeNumberNetworks


def mean_returns(networks, numbers, starts):
    """What each candidate earns on the same starts, in single precision. Candidates that are over with every start leave,
    and starts that every candidate is over with."""
    task, layers = networks.task, networks.layers(numbers, np.float32)
    candidates, count = len(numbers), starts.shape[1]
    states = np.repeat(starts[:, None].astype(np.float32), candidates, axis=1)
    returns, running = np.zeros((candidates, count)), np.ones((candidates, count), bool)
    rows, columns = np.arange(candidates), np.arange(count)
    for _ in range(task.horizon):
        actions = networks.act(layers, np.stack(task.observations(states), axis=1))
        moved, rewards, over = task.step(states, actions)
        returns[np.ix_(rows, columns)] += np.where(running, rewards, 0.0)
        running &= ~over
        states = moved
        if not over.any():
            continue
        if not running.any():
            break
        lines, posts = running.any(1), running.any(0)
        if not (lines.all() and posts.all()):
            states, running = states[:, lines][:, :, posts], running[lines][:, posts]
            rows, columns = rows[lines], columns[posts]
            layers = [(weight[lines], bias[lines]) for weight, bias in layers]
    return returns.mean(1)


def polish(networks, numbers, random, generations, judging=1000, step=0.1):
    """CMA-ES from `numbers`: candidates of a generation play the same starts, every generation fresh ones. Of the
    beginning and the centre of the search at six moments the one that earns most on other starts."""
    task, search = networks.task, CmaEs(numbers, step, random)
    episodes = min(96, 48000 // task.horizon)  # long ones cost more and, in these tasks, differ less
    moments = {round(generations * share) for share in (0.25, 0.5, 0.7, 0.8, 0.9, 1.0)}
    kept = [np.array(numbers)]
    for generation in range(1, generations + 1):
        candidates = search.ask()
        search.tell(-mean_returns(networks, candidates, task.starts(episodes, random)))
        if generation in moments:
            kept.append(search.mean)
    earned = mean_returns(networks, np.array(kept), task.starts(judging, random))
    return kept[int(earned.argmax())]


def polished(task, teacher, width, random, generations):
    networks, numbers = WholeNumberNetworks.of(imitate(task, teacher, lambda: SmallNetwork(width), random))
    return WholeNumberNetwork(networks, polish(networks, numbers, random, generations))
