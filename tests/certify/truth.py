"""What policies really earn: finite processes solved in numpy, other tasks played by the program on many episodes."""

import dataclasses

import numpy as np


@dataclasses.dataclass
class Process:
    """A finite Markov decision process with the symbols of the theory: P[s, a, s'], r[s, a], mu[s]."""

    P: np.ndarray
    r: np.ndarray
    mu: np.ndarray
    gamma: float
    horizon: int
    terminal: list

    @property
    def states(self):
        return len(self.mu)

    @property
    def actions(self):
        return self.r.shape[1]

    def document(self):
        """As `--env FILE.json` reads it."""
        return {"P": self.P.tolist(), "r": self.r.tolist(), "mu": self.mu.tolist(), "gamma": self.gamma,
                "horizon": self.horizon, "terminal": self.terminal}


def chain(n, alpha, horizon):
    """The task `chain`: left is action 0, right is 1, and the last state pays 1 a step."""
    P, r = np.zeros((n, 2, n)), np.zeros((n, 2))
    for s in range(n):
        sides = max(s - 1, 0), min(s + 1, n - 1)
        for a in range(2):
            P[s, a, sides[a]] += alpha
            P[s, a, sides[1 - a]] += 1 - alpha
    r[n - 1] = 1
    return Process(P, r, np.eye(n)[0], 0.99, horizon, [])


def _step(process, pi):
    """Where a step leads that does not end the episode, and what it pays. A start in a terminal state is played."""
    moves = np.einsum("sa,sat->st", pi, process.P)
    moves[:, process.terminal] = 0
    return moves, (pi * process.r).sum(axis=1)


def mean_return(process, pi, horizon, gamma):
    moves, pays = _step(process, pi)
    alive, total, weight = process.mu, 0.0, 1.0
    for _ in range(horizon):
        total += weight * (alive @ pays)
        alive = alive @ moves
        weight *= gamma
    return float(total)


def endless_return(process, pi, gamma):
    moves, pays = _step(process, pi)
    return float(process.mu @ np.linalg.solve(np.eye(process.states) - gamma * moves, pays))


def greedy(pi):
    """The policy that plays the likeliest action."""
    return np.eye(pi.shape[1])[pi.argmax(axis=1)]


@dataclasses.dataclass
class Truth:
    """What a certificate speaks about. `error` is four standard errors where it was measured, not solved."""

    teacher: float
    embedding: float
    pruning: float = None  # |return - return with the teacher in unvisited cells|
    outside: float = None  # share of episodes in which a return is cut
    failures: float = None  # share of failing episodes, embedding's less the teacher's
    error: float = 0.0
    teacher_error: float = 0.0
    failures_error: float = 0.0
    endless: object = None  # of a discount: the two returns of endless episodes

    @property
    def loss(self):
        return self.teacher - self.embedding

    def least_percent(self):
        """The smallest loss in percent that the errors leave possible."""
        if self.teacher == 0:
            return None
        loss, size = self.loss - self.error, abs(self.teacher)
        return 100 * loss / (size + self.teacher_error if loss > 0 else max(size - self.teacher_error, 1e-300))


def solved(process, teacher, embedding, horizon, gamma, unvisited=None):
    """The truth about two tables that are played as they are. `unvisited`: the states an embedding does not hold."""
    earned = [mean_return(process, pi, horizon, gamma) for pi in (teacher, embedding)]
    pruning = None
    if unvisited is not None:
        patched = np.where(unvisited[:, None], teacher, embedding)
        pruning = abs(mean_return(process, patched, horizon, gamma) - earned[1])
    return Truth(*earned, pruning,
                 endless=lambda discount: [endless_return(process, pi, discount) for pi in (teacher, embedding)])


def cut(base, shift, scale, low, high, points=2_000_001):
    """The truth about action 0 against action 1 of tests/support/heavy_tails.cpp, returns cut to [low, high]."""
    w = 2 * (np.arange(points) + 0.5) / points - 1
    z = np.sign(w) * ((1 - np.abs(w)) ** (-1 / 3) - 1)
    earned = np.stack([base + z, base - shift + scale * z])
    outside = ((earned < low) | (earned > high)).any(axis=0)
    return Truth(*map(float, np.clip(earned, low, high).mean(axis=1)), outside=float(outside.mean()), error=1e-5,
                 teacher_error=1e-5)


def _returns(rollouts, gamma):
    offsets = rollouts["offsets"]
    step = np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))
    return np.add.reduceat(rollouts["rewards"] * gamma**step, offsets[:-1])


def played(teacher, embedding, gamma, fails=None):
    """The truth from rollouts (.npz) of both policies on the same episodes, with four standard errors. `fails`: what an
    end before the time limit means, "failure" or "goal"."""
    first, second = _returns(teacher, gamma), _returns(embedding, gamma)
    error = lambda x: 4 * float(x.std(ddof=1)) / len(x) ** 0.5
    truth = Truth(float(first.mean()), float(second.mean()), error=error(first - second), teacher_error=error(first))
    if fails:
        more = [(one["terminated"] == (fails == "failure")).astype(float) for one in (teacher, embedding)]
        difference = more[1] - more[0]
        truth.failures, truth.failures_error = float(difference.mean()), error(difference)
    return truth
