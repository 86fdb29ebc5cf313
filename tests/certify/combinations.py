"""Random tasks, teachers, embeddings and settings: everything is drawn from one number."""

import dataclasses

import numpy as np

import truth


@dataclasses.dataclass
class Settings:
    """How a certificate is asked for."""

    act: str
    gamma: float
    horizon: int
    flags: list


def draw_process(rng):
    """The text of --env and the process; without text it is to be written to a file."""
    if rng.random() < 0.35:
        n, alpha, horizon = int(rng.integers(3, 13)), float(rng.choice([1, 0.9, 0.6])), int(rng.integers(3, 61))
        return f"chain:n={n},alpha={alpha},horizon={horizon}", truth.chain(n, alpha, horizon)
    n, m = int(rng.integers(2, 9)), int(rng.integers(2, 6))
    P = rng.dirichlet(np.full(n, rng.choice([0.1, 0.5, 3])), size=(n, m))
    r = {"gains": rng.random((n, m)), "costs": -rng.random((n, m)), "both": rng.normal(size=(n, m)),
         "rare": (rng.random((n, m)) < 0.1).astype(float), "large": 1000 * rng.normal(size=(n, m))}[
             rng.choice(["gains", "costs", "both", "rare", "large"])]
    terminal = sorted(map(int, rng.choice(n, size=int(rng.integers(0, n // 2 + 1)), replace=False)))
    return None, truth.Process(P, r, rng.dirichlet(np.full(n, 0.5)), float(rng.choice([1, 0.99, 0.9, 0.5])),
                               int(rng.integers(1, 41)), terminal)


def draw_teacher(rng, process):
    n, m = process.states, process.actions
    kind = rng.choice(["any", "near", "one", "uniform"])
    if kind == "any":
        return rng.dirichlet(np.full(m, 0.5), size=n)
    if kind == "uniform":
        return np.full((n, m), 1 / m)
    choices = np.full(n, rng.integers(m)) if rng.random() < 0.5 else rng.integers(m, size=n)
    sharp = 0.98 if kind == "near" else 1.0
    return sharp * np.eye(m)[choices] + (1 - sharp) / m


def draw_table(rng, process, teacher):
    """A student that is a table: close to the teacher, different in one state, or of its own."""
    other = rng.dirichlet(np.full(process.actions, 0.5), size=process.states)
    kind = rng.choice(["close", "one state", "other", "same"])
    if kind == "one state":
        pi = teacher.copy()
        s = rng.integers(process.states)
        pi[s] = other[s]
        return pi
    share = {"close": rng.choice([0.01, 0.1, 0.3]), "other": 1.0, "same": 0.0}[kind]
    return (1 - share) * teacher + share * other


def embed_flags(rng):
    """A lattice embedding from so few rollouts that cells are missing."""
    basis = str(rng.choice(["fourier", "dct", "haar", "db2", "svd"]))
    flags = ["--preset", rng.choice(["paper", "best"]), "--basis", basis, "--rollouts", int(rng.integers(1, 30)),
             "--episodes", 2]
    if rng.random() < 0.7:
        flags += ["--unvisited", rng.choice(["uniform", "nearest"])]
    if rng.random() < 0.3:
        flags += ["--prune", float(rng.choice([0.02, 0.1]))]
    if rng.random() < 0.5:
        flags += ["--simplex", rng.choice(["clip", "euclidean"])]
    return flags


def draw_budget(rng, loss, teacher):
    """Budgets around the true loss: the ones that a wrong promise would call kept."""
    kind = rng.choice(["none", "return", "percent", "both"])
    size = abs(teacher) if teacher else 1.0
    near = loss * float(rng.choice([0.5, 0.95, 0.999, 1.001, 1.5])) + (0 if rng.random() < 0.8 else 0.05 * size)
    near = max(near, 1e-3 * size)
    flags = []
    if kind in ("return", "both"):
        flags += ["--max-loss-return", repr(near)]
    if kind in ("percent", "both"):
        flags += ["--max-loss", f"{100 * near / size!r}%"]
    return flags


def draw_settings(rng, process, methods=("betting",) * 4 + ("predictable_bernstein", "empirical_bernstein",
                                                            "hoeffding", "student_t")):
    act = str(rng.choice(["sample", "sample", "mean"]))
    gamma = float(rng.choice([1, 1, 0.99, 0.9, 0.5]))
    horizon = process.horizon if rng.random() < 0.7 else int(rng.integers(1, 2 * process.horizon + 1))
    flags = ["--act", act, "--episodes", int(np.exp(rng.uniform(np.log(50), np.log(3000)))),
             "--coupled", int(rng.integers(20, 300)), "--seed", int(rng.integers(2**31)),
             "--confidence", float(rng.choice([0.5, 0.6, 0.8, 0.9, 0.95, 0.99, 0.99999999])), "--method", str(rng.choice(methods))]
    if gamma < 1 or rng.random() < 0.3:
        flags += ["--gamma", gamma]
    if horizon != process.horizon:
        flags += ["--horizon", horizon]
    if rng.random() < 0.3:
        flags += ["--attempt", int(rng.integers(1, 4))]
    if rng.random() < 0.3:
        flags += ["--all-episodes"]
    return Settings(act, gamma, horizon, flags)
