"""One job: all sizes of one family for one network and one repeat, with other random numbers in each repeat."""

import time

from .bumps import Bumps
from .imitate import imitate
from .judge import generator, judge, reference
from .mercer_route import RUNS, embeddings
from .polish import polished
from .small_network import SmallNetwork
from .subjects import SUBJECTS, file_of
from .table import Table
from .teacher import Network
from .tree import Tree

SIZES = {
    "network": (32, 8, 6, 4),
    "distilled network": (2, 4, 8, 16, 32),
    "polished int8 network": (2, 3, 4, 8),
    "polished int8 return": (2, 3, 4, 8),
    "tree": (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024),
    "bumps": (4, 8, 16, 32, 64, 128, 256),
    "table": (4, 8, 16, 32, 64, 128),
}
QUICK_SIZES = {
    "network": (8,),
    "distilled network": (4,),
    "polished int8 network": (4,),
    "polished int8 return": (4,),
    "tree": (8, 128),
    "bumps": (8, 64),
    "table": (16, 64),
}
FAMILIES = (*RUNS, *SIZES)


def name_of(family, size):
    return {
        "network": "float32" if size == 32 else f"int{size}",
        "distilled network": f"2x{size}",
        "polished int8 network": f"2x{size}",
        "polished int8 return": f"2x{size}",
        "tree": f"{size} leaves",
        "bumps": f"{size} centres",
        "table": f"{size} x {size}",
    }[family]


def make(family, size, task, teacher, file, random, generations):
    if family == "network":
        return Network(task, file, None if size == 32 else size)
    if family == "table":
        return Table(task, teacher, size)
    if family.startswith("polished int8"):
        return polished(task, teacher, size, random, generations, behaviour=family != "polished int8 return")
    kind = {"distilled network": SmallNetwork, "tree": Tree, "bumps": Bumps}[family]
    return imitate(task, teacher, lambda: kind(size), random)


def students(family, policy, repeat, quick, generations):
    """As `embeddings`, for everything that is not Mercer's."""
    task, file = SUBJECTS[policy], file_of(policy)
    teacher = Network(task, file)
    for size in (QUICK_SIZES if quick else SIZES)[family]:
        before = time.process_time()
        student = make(family, size, task, teacher, file, generator(policy, family, size, repeat), generations)
        facts = {"detail": name_of(family, size), "bytes": int(student.bytes), "cpu_seconds": time.process_time() - before}
        yield facts, student.act


def run(job):
    """(key, rows) of a job {policy, family, repeat, program, quick, episodes, generations}."""
    policy, family, repeat, quick = job["policy"], job["family"], job["repeat"], job["quick"]
    reference(policy, repeat, job["episodes"])
    if family in RUNS:
        found = embeddings(job["program"], family, policy, repeat, quick)
    else:
        found = students(family, policy, repeat, quick, job["generations"])
    rows = [{"policy": policy, "family": family, "repeat": repeat, **facts, **judge(policy, repeat, job["episodes"], act)}
            for facts, act in found]
    return [policy, family, repeat], rows
