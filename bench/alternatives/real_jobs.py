"""One job of `front --real-size`: all sizes of one family for one teacher and one repeat."""

import functools
import math
import pathlib
import tempfile
import time

import numpy as np

from .imitate import imitate
from .judge import compared, generator
from .keeping import Aim
from .library import NOMINAL, LibraryTask, play
from .mercer_route import compress, package_of
from .original import LeftOut, Rounding, float_bytes, layers_of, rounded_original
from .polish import evolve
from .small_network import SmallNetwork
from .tree import HalfTree
from .whole_numbers import FOLDED, SMALL_INT8, WholeNumberNetwork, WholeNumberNetworks

WIDTHS, DEPTHS = (8, 16, 32), (6, 8, 10, 12)
ROUNDINGS = [Rounding(bits, rows) for rows in (False, True) for bits in (8, 6, 4)]
FAMILIES = ("linear", "int8 one layer", "int8 two layers", "tree", "original", "mercer")
MOST_NUMBERS = 300  # of a student that evolution polishes


@functools.lru_cache(maxsize=2)
def subject(program, task, file):
    mercer = package_of(program)
    return LibraryTask(mercer, task, mercer.load_policy(file, task))


@functools.lru_cache(maxsize=2)
def reference(program, task, file, repeat, episodes):
    """Starts on which everything is judged, and what the teacher comes to on them at every point of the grid."""
    known = subject(program, task, file)
    starts = known.starts(episodes, generator("judge", task, repeat))
    return starts, {point: known.play(known.teacher, starts, point) for point in known.grid()}


def bytes_of_teacher(task, file):
    """In float32; None where its layers are not known."""
    try:
        return float_bytes(layers_of(task.mercer, file, task))
    except LeftOut:
        return None


def judged(task, policy, starts, teacher):
    """The columns of a row: the task as it is, then its perturbations."""
    points = []
    for point, shown in teacher.items():
        played = task.play(policy, starts, point)
        paired = task.mercer.paired_loss(shown.returns, played.returns)  # Student's t: there are few episodes
        points.append({"point": point.settings(task), "return": float(played.returns.mean()), **compared(shown, played),
                       "ci95_percent": list(paired["ci95_percent"]), "saturation": float(played.saturation.mean()),
                       "teacher_saturation": float(shown.saturation.mean())})
    return {**points[0], "points": points[1:]}


def polished(task, networks, numbers, random, job):
    """Evolution on the return under the limits of `--keep behaviour`, as for classic tasks."""
    aim = Aim.of(task.play(task.teacher, task.starts(16, random)), behaviour=True)

    def costs(candidates, last):
        starts = task.starts(job["last_episodes" if last else "candidate_episodes"], random)
        outcomes = [play(task, WholeNumberNetwork(networks, one).act, starts) for one in candidates]
        returns, roughness = np.array([(one.returns.mean(), one.roughness.mean()) for one in outcomes]).T
        return aim.costs(returns, roughness, 0.0)

    better, generations = evolve(numbers, costs, random, job["generations"], seconds=job["polish_seconds"])
    return WholeNumberNetwork(networks, better), generations


def imitated(task, make, random, job):
    return imitate(task, task, make, random, episodes=job["round_episodes"], most=200000, rounds=job["rounds"],
                   judging=job["round_episodes"], play=play)


def network_rows(task, detail, width, depth, storage, random, job):
    """A network after imitation and, if it is small enough, after evolution."""
    before = time.process_time()
    student = imitated(task, lambda: SmallNetwork(width, job["steps"], depth, storage), random, job)
    numbers = sum(weight.size for weight in student.weights)
    facts = {"detail": detail, "bytes": student.bytes, "numbers": numbers}
    yield {**facts, "polish": None, "cpu_seconds": time.process_time() - before}, task.policy(student.act)
    if numbers <= MOST_NUMBERS:
        better, generations = polished(task, *WholeNumberNetworks.of(student, storage), random, job)
        yield ({**facts, "polish": f"{generations}", "cpu_seconds": time.process_time() - before},
               task.policy(better.act))


def linear(task, job, random):
    for detail, storage in (("float32", FOLDED), ("int8", SMALL_INT8)):
        yield from network_rows(task, detail, 0, 0, storage, random(detail), job)


def networks(task, job, random):
    depth = 1 if job["family"] == "int8 one layer" else 2
    for width in WIDTHS[:1] if job["quick"] else WIDTHS:
        detail = "x".join([str(width)] * depth)
        yield from network_rows(task, detail, width, depth, SMALL_INT8, random(detail), job)


def trees(task, job, random):
    for depth in DEPTHS[:1] if job["quick"] else DEPTHS:
        before = time.process_time()
        student = imitated(task, lambda depth=depth: HalfTree(depth=depth), random(depth), job)
        yield ({"detail": f"depth {depth}", "bytes": int(student.bytes), "numbers": None, "polish": None,
                "cpu_seconds": time.process_time() - before}, task.policy(student.act))


def originals(task, job, random):
    with tempfile.TemporaryDirectory() as folder:
        for rounding in ROUNDINGS[:3] if job["quick"] else ROUNDINGS:
            before = time.process_time()
            policy, size = rounded_original(task.mercer, job["file"], task, rounding, folder)
            yield ({"detail": str(rounding), "bytes": size, "numbers": None, "polish": None,
                    "cpu_seconds": time.process_time() - before}, policy)


def embeddings(task, job, random):
    """The file that was given, or what `mercer compress` chooses in the time it is given."""
    with tempfile.TemporaryDirectory() as folder:
        seconds, file = 0.0, job["embedding"]
        if not file:
            if not job["budget"]:
                raise LeftOut("no .mercer file and no --budget was given")
            file = pathlib.Path(folder, "chosen.mercer")
            settings = {"env": task.name, "policy": job["file"], "seed": job["repeat"] + 1, "threads": 1, "bases": "shared",
                        "budget": job["budget"], "out": file}
            try:
                seconds = compress(job["program"], settings)
            except RuntimeError as error:
                raise LeftOut(str(error)) from None
        made = task.mercer.read(file)
        promised = made.certificate["upper_percent"] if made.certificate is not None else math.nan
        yield ({"detail": f"{made.k} {made.basis}", "bytes": made.payload_bytes, "numbers": None, "polish": "own search",
                "upper_percent": None if math.isnan(promised) else promised, "cpu_seconds": seconds}, made)


MAKERS = dict(zip(FAMILIES, (linear, networks, networks, trees, originals, embeddings)))


def run(job):
    """(key, rows) of a job. A family that a teacher cannot have gives one row that says why."""
    name, family, repeat = job["policy"], job["family"], job["repeat"]
    identity = {"policy": name, "family": family, "repeat": repeat, "source": job["source"]}
    with package_of(job["program"]).threads(1):
        task = subject(job["program"], job["task"], job["file"])
        starts, teacher = reference(job["program"], job["task"], job["file"], repeat, job["episodes"])
        try:
            rows = [{**identity, "teacher_bytes": bytes_of_teacher(task, job["file"]), **facts,
                     **judged(task, policy, starts, teacher)} for facts, policy in
                    MAKERS[family](task, job, lambda *words: generator(name, family, repeat, *words))]
        except LeftOut as reason:
            rows = [{**identity, "left_out": str(reason)}]
        return [name, family, repeat], rows
