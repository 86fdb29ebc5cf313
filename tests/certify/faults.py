"""A few commands for each of eight faults that certificates once had, such that the fault shows for sure.

Each function plays its commands with a program, sound or faulty, and returns the reports about what it said.
"""

import json
import re

import numpy as np

import attack
import combinations
import mercer
import promises
import truth
import wording
from program import POLICIES

PENDULUM = ["--env", "pendulum", "--policy", POLICIES / "pendulum_5000_actor.onnx"]


def _log(program, name, episodes, repeats, seed):
    """A log in which each episode stays in one state: as dependent as steps can be."""
    program.ok("rollout", *PENDULUM, "--episodes", episodes, "--horizon", 1, "--seed", seed, "--out", "once.npz")
    with np.load(program.folder / "once.npz") as once:
        arrays = dict(once)
    for step in ("states", "observations", "actions", "rewards"):
        arrays[step] = np.repeat(arrays[step], repeats, axis=0)
    arrays["offsets"] = arrays["offsets"] * repeats
    np.savez(program.folder / name, **arrays)
    return arrays["observations"][::repeats]


def _compress_states(program, log, confidence, seed):
    return program.json("compress", *PENDULUM, "--states", log, "--max-loss", "30%", "--bases", "chebyshev", "--degree",
                        2, "--most-terms", 2, "--formats", "int8", "--confidence", confidence, "--seed", seed, "--out",
                        "e.mercer")


def actions_sold_as_return(program):
    """1: after `compress --states`, headers and pages speak of actions only."""
    report = promises.Report()
    _log(program, "log.npz", 60, 3, 1)
    made, done = _compress_states(program, "log.npz", 0.95, 0)
    wording.page(done.stderr, made["certificate"], report, "compress")
    attack.read_faces(program, "e.mercer", made["certificate"], report)
    return [report]


def teacher_counted_for_pruning(program):
    """2: a teacher who hardly leaves the left end, and an embedding that wanders where no cell is held."""
    report = promises.Report()
    process = truth.chain(10, 1.0, 100)
    pi = np.tile([0.98, 0.02], (10, 1))
    program.write("pi.json", {"pi": pi.tolist()})
    program.ok("embed", "--env", "chain:n=10,horizon=100", "--policy", "pi.json", "--preset", "paper", "--basis",
               "fourier", "--k", 1, "--episodes", 2, "--out", "e.mercer")
    student, unvisited = attack.tables(program.folder / "e.mercer", process, "sample")
    certificate, _ = program.json("certify", "e.mercer", "--episodes", 500, "--confidence", 0.9999)
    promises.check(certificate, truth.solved(process, pi, student, 100, 1.0, unvisited), report)
    return [report]


def estimate_sold_as_guarantee(program):
    """3: Student's t promises nothing."""
    report = promises.Report()
    rng = np.random.default_rng(3)
    task = attack.FiniteTask(program, rng)
    program.ok("embed", *task.flags, "--rollouts", 20, "--episodes", 2, "--out", "e.mercer")
    settings = combinations.Settings("sample", 1.0, task.process.horizon, [])
    certificate, done = program.json("certify", "e.mercer", "--episodes", 100, "--method", "student_t")
    promises.check(certificate, task.solved_file("e.mercer", settings), report)
    wording.page(done.stderr, certificate, report, "certify")
    attack.read_faces(program, "e.mercer", certificate, report)
    return [report]


def _small_task(program, rewards):
    """Three states, three actions, and rewards that no two episodes share."""
    rng = np.random.default_rng(4)
    process = truth.Process(rng.dirichlet(np.ones(3), size=(3, 3)), rewards, np.full(3, 1 / 3), 1.0, 6, [])
    program.write("task.json", process.document())
    program.write("pi.json", {"pi": rng.dirichlet(np.ones(3), size=3).tolist()})
    return ["--env", "task.json", "--policy", "tabular:pi.json"]


def page_measured_where_k_was_chosen(program):
    """4: the page's episodes are none of those that made, chose or certified the embedding."""
    report = promises.Report()
    task = _small_task(program, np.random.default_rng(5).random((3, 3)))
    made, _ = program.json("embed", *task, "--rollouts", 30, "--episodes", 2, "--max-loss", "20%", "--certify-episodes",
                           400, "--seed", 7, "--out", "e.mercer")
    program.ok("report", "e.mercer", "--out", "page.html", "--episodes", 400)
    page = (program.folder / "page.html").read_text()
    view = json.loads(re.search(r'<script type="application/json" id="view">(.*?)</script>', page, re.S)[1])
    shown = view["answers"][0]["evaluate"][str(made["k"])]["loss_percent"]
    for seed in (7, 8, 7 + 2**33, made["certificate"]["seed"]):
        again, _ = program.json("evaluate", "--env", "task.json", "--policy", "e.mercer", "--against", "tabular:pi.json",
                                "--episodes", 400, "--seed", seed, "--gamma", 1)
        report.check(abs(shown - again["paired"]["loss_percent"]) > 1e-9, "reused", f"the page plays seed {seed}")
    return [report]


def steps_taken_for_episodes(program):
    """5: logs of dependent steps. One number for each episode, of episodes that neither fitted nor chose."""
    reports = []
    teacher = mercer.load_policy(str(POLICIES / "pendulum_5000_actor.onnx"), "pendulum")
    fresh = _log(program, "fresh.npz", 4000, 1, 999)
    for seed in range(12):
        report = promises.Report()
        _log(program, "log.npz", 30, 1000, seed)
        made, _ = _compress_states(program, "log.npz", 0.99, seed)
        certificate = made["certificate"]
        report.check(certificate["episodes"] <= 10, "episodes", f"{certificate['episodes']} from 30 logged")
        student = mercer.read(program.folder / "e.mercer")
        error = np.abs(teacher.mean_action(fresh) - student.mean_action(fresh)).max(axis=1) / 4
        least = 100 * (error.mean() - 4 * error.std() / len(error) ** 0.5)
        upper = certificate["upper_percent"]
        report.claims.append(promises.Claim("joint", 0.01, [f"{upper} < {least}"] if upper < least else []))
        reports.append(report)
    _log(program, "few.npz", 10, 100, 0)
    done = program.run("compress", *PENDULUM, "--states", "few.npz", "--bases", "chebyshev", "--most-terms", 2, "--out",
                       "few.mercer", "--json")
    reports[0].check(done.returncode == 5 and (program.folder / "few.mercer").exists(), "file", done.stderr)
    reports[0].check(done.stdout and json.loads(done.stdout)["certificate"] is None, "episodes", "certified by 10 episodes")
    return reports


def percentage_of_nothing(program):
    """6: a teacher whose mean return may be 0 has no percentage, and what was found is written all the same."""
    report = promises.Report()
    rewards = np.array([[1.0, -1, 0], [-1, 1, 0], [0, 1, -1]])
    task = _small_task(program, rewards)
    program.write("pi.json", {"pi": np.full((3, 3), 1 / 3).tolist()})
    done = program.run("embed", *task, "--rollouts", 30, "--episodes", 2, "--max-loss", "5%", "--certify-episodes", 100,
                       "--out", "e.mercer", "--json")
    report.check(done.returncode == 5, "file", f"exit {done.returncode}: {done.stderr}")
    report.check((program.folder / "e.mercer").exists(), "file", "what was found is lost")
    return [report]


def bounds_that_forget_each_other(program):
    """7: two things that go wrong rarely and independently, each bounded so tightly that chance decides.

    From state 0 another action than the teacher's leads to A with probability q. The teacher would earn nothing in A
    and the embedding nearly everything: only `pruning` is about it. Some episodes start in B, where the embedding
    loses nearly everything: only `paired` is about it.
    """
    m, horizon, episodes = 50, 20, 100
    one, A, B, C = range(4)
    P, r = np.zeros((4, m, 4)), np.ones((4, m))
    reach, start = 0.0078, 0.0083
    P[one, 0, C] = 1
    P[one, 1:, A], P[one, 1:, C] = reach, 1 - reach
    for s in (A, B, C):
        P[s, :, s] = 1
    r[A, 0] = 0
    r[B, 1:] = 0
    mu = np.array([1 - start, 0, start, 0])
    process = truth.Process(P, r, mu, 1.0, horizon, [])
    pi = np.zeros((4, m))
    pi[:, 0] = 1
    program.write("task.json", process.document())
    process.mu = np.array([0.5, 0, 0.5, 0])
    program.write("often.json", process.document())
    process.mu = mu
    program.write("pi.json", {"pi": pi.tolist()})
    program.ok("rollout", "--env", "often.json", "--policy", "tabular:pi.json", "--episodes", 40, "--out", "r.npz")
    program.ok("embed", "--env", "task.json", "--policy", "tabular:pi.json", "--from", "r.npz", "--preset", "paper",
               "--basis", "fourier", "--k", 1, "--episodes", 2, "--out", "e.mercer")
    student, unvisited = attack.tables(program.folder / "e.mercer", process, "sample")
    assert np.allclose(student, 1 / m) and unvisited.tolist() == [False, True, False, False]
    true = truth.solved(process, pi, student, horizon, 1.0, unvisited)
    reports = []
    for seed in range(120):
        report = promises.Report()
        certificate, done = program.json("certify", "e.mercer", "--episodes", episodes, "--coupled", episodes,
                                         "--confidence", 0.5, "--level", "statistical", "--seed", seed, "--dry-run")
        promises.check(certificate, true, report)
        wording.page(done.stderr, certificate, report, "certify")
        reports.append(report)
    return reports


def model_sold_as_theorem(program):
    """8: theorems in a model that episodes estimated are no theorems about the task."""
    report = promises.Report()
    program.ok("embed", *PENDULUM, "--state-bins", 10, "--action-bins", 9, "--rollouts", 40, "--episodes", 2, "--out",
               "e.mercer")
    certificate, done = program.json("certify", "e.mercer", "--episodes", 100, "--coupled", 20)
    for row in certificate["rows"]:
        in_model = row["about"].endswith("_in_model")
        report.check(not (in_model and row["winner"]), "winner", f"{row['term']} is flagged")
        report.check(not (in_model and row["level"] == "rigorous"), "level", f"{row['term']} is called rigorous")
    wording.page(done.stderr, certificate, report, "certify")
    return [report]


#: By number: what shows the fault, and the checks that must find it.
FAULTS = {
    1: (actions_sold_as_return, {"quantity"}),
    2: (teacher_counted_for_pruning, {"chance"}),
    3: (estimate_sold_as_guarantee, {"words"}),
    4: (page_measured_where_k_was_chosen, {"reused"}),
    5: (steps_taken_for_episodes, {"episodes", "chance"}),
    6: (percentage_of_nothing, {"file"}),
    7: (bounds_that_forget_each_other, {"joint", "chance", "rounding"}),
    8: (model_sold_as_theorem, {"level", "winner"}),
}
