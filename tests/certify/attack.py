"""One combination through the program: make, certify, read every face, and hold all of it against the truth."""

import numpy as np

import combinations
import mercer
import promises
import truth
import wording
from program import HEAVY_TAILS


def tables(file, process, act):
    """What an embedding does in each state of a finite task, and the states whose cells it does not hold."""
    embedding = mercer.read(file)
    n, m = process.states, process.actions
    states = np.arange(n, dtype=float)[:, None]
    if act == "mean":
        pi = np.eye(m)[np.asarray(embedding.mean_action(states)).ravel().astype(int)]
    else:
        actions = np.tile(np.arange(m, dtype=float), n)[:, None]
        pi = np.exp(embedding.log_prob(np.repeat(states, m, axis=0), actions)).reshape(n, m)
    if embedding.route != "lattice":
        return pi, None
    lattice = embedding.export_json()["lattice"]
    inner = np.asarray(lattice["state_edges"][0])[1:-1]
    held = {cell[0] for cell in lattice["cells"]}
    return pi, np.array([int(np.searchsorted(inner, s, side="right")) not in held for s in range(n)])


def read_faces(program, file, certificate, report, exports=True):
    """`inspect` and the headers of exported code show the stored certificate, and no other promise."""
    stored, _ = program.json("inspect", file)
    report.check(stored["certificate"] == certificate, "stored", "the file holds another certificate")
    wording.page(program.ok("inspect", file).stdout, certificate, report, "inspect")
    if not exports:
        return
    for form, name in (("c", "controller.h"), ("st", "controller.st")):
        program.ok("export", form, file, "--out", form)
        text = wording.header_text((program.folder / form / name).read_text())
        wording.sentence(text[text.index("Certificate: "):], certificate, report, f"export {form}")


class FiniteTask:
    """A finite task and a teacher, drawn and written to files."""

    def __init__(self, program, rng):
        self.program = program
        env, self.process = combinations.draw_process(rng)
        self.teacher = combinations.draw_teacher(rng, self.process)
        env = env or program.write("task.json", self.process.document())
        program.write("teacher.json", {"pi": self.teacher.tolist()})
        self.flags = ["--env", env, "--policy", "tabular:teacher.json"]

    def played(self, act):
        return truth.greedy(self.teacher) if act == "mean" else self.teacher

    def solved(self, student, settings, unvisited=None):
        return truth.solved(self.process, self.played(settings.act), student, settings.horizon, settings.gamma, unvisited)

    def solved_file(self, file, settings):
        student, unvisited = tables(self.program.folder / file, self.process, settings.act)
        return self.solved(student, settings, unvisited)


def attack_table(program, rng, report):
    """Any table in place of the teacher."""
    task = FiniteTask(program, rng)
    student = combinations.draw_table(rng, task.process, task.teacher)
    settings = combinations.draw_settings(rng, task.process)
    true = task.solved(truth.greedy(student) if settings.act == "mean" else student, settings)
    program.write("student.json", {"pi": student.tolist()})
    flags = settings.flags + combinations.draw_budget(rng, true.loss, true.teacher)
    certificate, done = program.json("certify", "tabular:student.json", *task.flags, *flags)
    promises.check(certificate, true, report, str(flags))
    wording.page(done.stderr, certificate, report, "certify")


def attack_embedding(program, rng, report):
    """A lattice of few rollouts, certified, inspected and exported."""
    task = FiniteTask(program, rng)
    flags = combinations.embed_flags(rng)
    kept = ["--k", 1] if rng.random() < 0.5 else ["--energy", float(rng.choice([0.3, 0.7, 0.99]))]
    program.ok("embed", *task.flags, *flags, *kept, "--seed", int(rng.integers(1000)), "--out", "e.mercer", "--quiet")
    settings = combinations.draw_settings(rng, task.process)
    true = task.solved_file("e.mercer", settings)
    budget = combinations.draw_budget(rng, true.loss, true.teacher)
    certificate, done = program.json("certify", "e.mercer", *settings.flags, *budget)
    promises.check(certificate, true, report, f"{flags} {settings.flags} {budget}")
    wording.page(done.stderr, certificate, report, "certify")
    read_faces(program, "e.mercer", certificate, report, exports=rng.random() < 0.3)


def attack_choice_of_k(program, rng, report):
    """K chosen by `embed --max-loss`: the certificate must hold although data chose K."""
    task = FiniteTask(program, rng)
    settings = combinations.draw_settings(rng, task.process)
    teacher = truth.mean_return(task.process, task.played(settings.act), settings.horizon, settings.gamma)
    size = abs(teacher) or 1.0
    budget = ["--max-loss-return", repr(float(rng.choice([0.02, 0.1, 0.5])) * size)]
    flags = ["--act", settings.act, "--gamma", settings.gamma, "--horizon", settings.horizon, *budget, "--confidence",
             float(rng.choice([0.5, 0.8, 0.95])), "--certify-episodes", int(rng.integers(50, 600)),
             "--seed", int(rng.integers(1000))]
    made, done = program.json("embed", *task.flags, *combinations.embed_flags(rng), *flags, "--out", "e.mercer")
    certificate = made["certificate"]
    promises.check(certificate, task.solved_file("e.mercer", settings), report, str(flags))
    wording.page(done.stderr, certificate, report, "embed")
    read_faces(program, "e.mercer", certificate, report, exports=False)


def attack_cut(program, rng, report):
    """Returns without a range: the promise is about cut returns, and another bounds how many are cut."""
    base, shift, scale = 5.0, float(rng.choice([0, 0.5, 3])), float(rng.choice([0.2, 1, 5]))
    for name, pi in (("teacher.json", [[1, 0]]), ("student.json", [[0, 1]])):
        program.write(name, {"pi": pi})
    flags = ["--episodes", int(np.exp(rng.uniform(np.log(50), np.log(3000)))), "--seed", int(rng.integers(2**31)),
             "--confidence", float(rng.choice([0.5, 0.8, 0.95]))]
    flags += combinations.draw_budget(rng, shift, base)
    certificate, done = program.json("certify", "tabular:student.json", "--plugin", HEAVY_TAILS, "--env",
                                     f"heavy-tails:shift={shift},scale={scale}", "--policy", "tabular:teacher.json", *flags)
    report.check(certificate["cut"] is not None and "outside" in {one["about"] for one in certificate["promises"]},
                 "cut", "returns without a range are not cut")
    promises.check(certificate, truth.cut(base, shift, scale, *certificate["cut"]), report, f"heavy tails {flags}")
    wording.page(done.stderr, certificate, report, "certify")


def attack_compress(program, rng, report):
    """A search of a few candidates."""
    task = FiniteTask(program, rng)
    act = str(rng.choice(["mean", "sample"]))
    settings = combinations.Settings(act, 1.0, task.process.horizon, [])
    teacher = truth.mean_return(task.process, task.played(act), task.process.horizon, 1.0)
    flags = ["--act", act, "--max-loss-return", repr(float(rng.choice([0.05, 0.3])) * (abs(teacher) or 1.0)),
             "--confidence", float(rng.choice([0.5, 0.8, 0.95])), "--route", "continuous", "--bases", "chebyshev",
             "--most-terms", 2, "--generations", 2, "--candidate-episodes", 16, "--select-episodes", 50,
             "--certify-episodes", int(rng.integers(50, 2000)), "--seed", int(rng.integers(1000))]
    made, done = program.json("compress", *task.flags, *flags, "--out", "e.mercer")
    promises.check(made["certificate"], task.solved_file("e.mercer", settings), report, str(flags))
    wording.page(done.stderr, made["certificate"], report, "compress")
    read_faces(program, "e.mercer", made["certificate"], report)
