"""Fails calls of the real program one after the other, in small jobs of every verb that writes.

    faults.py PROGRAM SHIM [JOB ...]     every call of every kind; prints how many there were and what became of them

After each failure: files that were there are as before or as the undisturbed job leaves them, nothing else stands under a
final name, the error has a code, and the next run succeeds with the same files as an undisturbed one.
"""

import collections
import csv
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

GOOD = ("refused", "done without", "ended by FFTW")
ENDS = (*GOOD, "wrong")
KINDS = ("write", "full disk", "rename", "fsync", "mmap", "memory")

SWEEP = """policy = "uniform"
env = "chain:n=5"
[rollout]
episodes = 5
horizon = 10
[embed]
k = [1, 2]
episodes = 5
horizon = 10
"""

CHAIN = ["--env", "chain:n=5", "--policy", "uniform", "--horizon", 10, "--seed", 1]
LATTICE = ["--env", "pendulum", "--policy", "uniform", "--state-bins", 3, "--action-bins", 3, "--episodes", 2, "--rollouts", 3,
           "--horizon", 10, "--seed", 1]
SEARCH = ["compress", "--env", "chain:n=5", "--policy", "uniform", "--route", "lattice", "--keep", "return",
          "--max-loss-return", 100, "--select-episodes", 4, "--seed", 5, "--out", "e.mercer", "--results", "all"]
TRAIN = ["train", "--env", "pendulum", "--algo", "sac", "--hidden", "8x8", "--batch-size", 4, "--warmup", 10,
         "--checkpoint-seconds", 0, "--eval-episodes", 1, "--out", "run", "--steps"]
OLD = ["embed", *CHAIN, "--episodes", 5, "--k", 2, "--out", "e.mercer"]

# What is there before, and the command; each replaces files or goes on from some.
JOBS = {
    "embed": ([OLD], ["embed", *CHAIN, "--episodes", 5, "--k", 3, "--out", "e.mercer"]),
    "embed --scratch": ([OLD], ["embed", *LATTICE, "--k", 3, "--scratch", ".", "--out", "e.mercer"]),
    "compress": ([OLD, [*SEARCH, "--certify-episodes", 40]], [*SEARCH, "--certify-episodes", 44]),
    "certify": ([OLD], ["certify", "e.mercer", "--episodes", 20]),
    "train": ([[*TRAIN, 20]], [*TRAIN, 40]),
    "sweep": ([], ["sweep", "s.toml", "--out", "made"]),
    "export c": ([OLD, ["export", "c", "e.mercer", "--out", "c"], ["certify", "e.mercer", "--episodes", 20]],
                 ["export", "c", "e.mercer", "--out", "c", "--force"]),
    # The chain's policy prefers no action, and a kit is tested where actions are distinct.
    "export c --kit": ([["embed", *LATTICE, "--k", 3, "--out", "e.mercer"]],
                       ["export", "c", "e.mercer", "--kit", "--out", "c"]),
}

# Locks hold nothing; these say how far a job is and how long it took, and are compared by what the next run makes of them.
LOCKS = re.compile(r"(^|/)([^/]*\.lock)$")
TIMED = re.compile(r"(^|/)(progress\.json|checkpoint\.safetensors|tried\.json|results\.sqlite(-wal|-shm|-journal)?)$")
# A job that is not done: no reader takes it for a result.
UNFINISHED = re.compile(r"(^|/)[a-z]+-[0-9a-f]{32}\.work/")


def files_in(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*"))
            if path.is_file() and not LOCKS.search(str(path.relative_to(folder)))}


def compared(files):
    return {name: data for name, data in files.items() if not TIMED.search(name) and not UNFINISHED.search(name)}


def is_table_of_failures(name, data):
    """A sweep whose jobs lacked disk or memory still writes its table: every cell that is not done says why."""
    if not name.endswith("results.csv") or not data.endswith(b"\n"):
        return False
    head, *rows = csv.reader(io.StringIO(data.decode()))
    cells = [dict(zip(head, row)) for row in rows]
    return (len(cells) == 2 and all(len(row) == len(head) for row in rows)
            and all(cell["state"] == "done" or re.match(r".*E(302|208): ", cell["error"]) for cell in cells)
            and any(cell["state"] == "failed" for cell in cells))


class Lab:
    """One job: its start and its undisturbed end, and runs that are disturbed."""

    def __init__(self, program, shim, job, base):
        self.program, self.shim, self.job = program, shim, job
        before, self.words = JOBS[job]
        self.base = pathlib.Path(base) / re.sub(r"\W+", "_", job)
        self.start = self.base / "start"
        self.start.mkdir(parents=True)
        (self.start / "s.toml").write_text(SWEEP)
        for words in before:
            done = self.run(words, self.start)
            assert done.returncode == 0, (job, words, done.stderr)
        self.old = files_in(self.start)
        end = self.fresh("end")
        done = self.run(self.words, end)
        assert done.returncode == 0, (job, done.stderr)
        self.new = files_in(end)
        assert compared(self.new) != compared(self.old), f"{job} changes nothing"

    def fresh(self, name):
        folder = self.base / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.start, folder)
        return folder

    def run(self, words, folder, **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("MERCER_", "FAULT_"))}
        if variables:
            environment.update({name: str(value) for name, value in variables.items()}, LD_PRELOAD=str(self.shim))
        return subprocess.run([self.program, *map(str, words), "--quiet", "--threads", "1"], cwd=folder, env=environment,
                              capture_output=True, text=True, timeout=120, errors="replace")

    def fault(self, kind):
        """The variables of a kind: a full disk stays full."""
        return {"FAULT_CALL": "write" if kind == "full disk" else kind, "FAULT_FOR": 0 if kind == "full disk" else 1}

    def points(self, kind):
        """Numbers of the calls to fail: of allocations the first from each place of the program."""
        folder, report = self.fresh("count"), self.base / "report"
        places = self.base / "places"
        for file in (report, places):
            file.unlink(missing_ok=True)
        extra = {"FAULT_PLACES": places} if kind == "memory" else {}
        done = self.run(self.words, folder, FAULT_REPORT=report, **self.fault(kind), **extra)
        assert done.returncode == 0, (self.job, kind, done.stderr)
        if kind == "memory":
            return sorted(int(line) for line in places.read_text().split())
        return list(range(1, int(report.read_text()) + 1))

    def disturb(self, kind, number):
        """How the job takes its call of that number failing: "refused", "done without", or what is wrong."""
        folder = self.fresh("point")
        done = self.run(self.words, folder, FAULT_AT=number, **self.fault(kind))
        wrong = self.wrong_files(folder)
        told = re.search(r"^mercer: error E(\d)(\d\d): ", done.stderr, re.MULTILINE)
        if done.returncode == -6 and kind == "memory" and "fftw: alloc.c" in done.stderr:
            verdict = "ended by FFTW"  # which cannot be told to do otherwise
        elif done.returncode == 0:
            verdict = "done without"
            if compared(files_in(folder)) != compared(self.new):
                wrong.append(f"exit code 0 with other files: {self.changes(folder)}")
        else:
            verdict = "refused"
            # Only a lack of memory is not about files; see docs/reference/errors.md.
            legal = (2, 3) if kind in ("memory", "mmap") else (3,)
            if told is None or done.returncode not in legal or int(told[1]) != done.returncode:
                wrong.append(f"exit code {done.returncode}: {done.stderr.strip()[-300:]!r}")
        again = self.run(self.words, folder)
        if again.returncode != 0:
            wrong.append(f"the next run ends with {again.returncode}: {again.stderr.strip()[-300:]!r}")
        elif compared(files_in(folder)) != compared(self.new):
            wrong.append(f"the next run leaves other files: {self.changes(folder)}")
        return "; ".join(wrong) if wrong else verdict

    def wrong_files(self, folder):
        """Files that are neither as before nor as they become, and those that no run leaves."""
        now, wrong = files_in(folder), []
        wrong += [f"{name} is gone" for name in compared(self.old) if name not in now]
        wrong += [f"{name} is left over" for name in now if name.endswith(".part") and not UNFINISHED.search(name)]
        for name, data in compared(now).items():
            if name.endswith(".part") or data in (self.old.get(name), self.new.get(name)) or is_table_of_failures(name, data):
                continue
            wrong.append(f"{name} holds something else ({len(data)} bytes)")
        return wrong

    def changes(self, folder):
        now, new = compared(files_in(folder)), compared(self.new)
        return sorted(name for name in now.keys() | new.keys() if now.get(name) != new.get(name))


def spread(points, most):
    """At most so many, evenly from the first to the last."""
    if len(points) <= most:
        return points
    return sorted({points[round(i * (len(points) - 1) / (most - 1))] for i in range(most)})


def disturb_all(lab, kind, most):
    """The points of a kind, at most so many of them disturbed: their number, how they ended, and what is wrong."""
    points, count, wrong = lab.points(kind), collections.Counter(), collections.defaultdict(list)
    for number in points if most is None else spread(points, most):
        verdict = lab.disturb(kind, number)
        count[verdict if verdict in GOOD else "wrong"] += 1
        if verdict not in GOOD:
            wrong[re.sub(r"\.\d+(-\d+)?\.part", ".N.part", verdict)].append(number)
    return len(points), count, [f"{lab.job}, {kind} {', '.join(map(str, numbers))}: {what}" for what, numbers in wrong.items()]


def survey(program, shim, jobs, kinds=KINDS, most=None, out=sys.stdout):
    """All points of the jobs; returns what is wrong."""
    found = []
    with tempfile.TemporaryDirectory() as base:
        print(f"{'job':<18} {'call':<10} {'points':>7} {'tried':>7} " + " ".join(f"{name:>13}" for name in ENDS), file=out)
        for job in jobs:
            lab = Lab(program, shim, job, base)
            for kind in kinds:
                points, count, wrong = disturb_all(lab, kind, most)
                found += wrong
                print(f"{job:<18} {kind:<10} {points:>7} {sum(count.values()):>7} " +
                      " ".join(f"{count[name]:>13}" for name in ENDS), file=out, flush=True)
    return found


if __name__ == "__main__":
    program, shim, *chosen = sys.argv[1:]
    unknown = [name for name in chosen if name not in JOBS]
    if unknown:
        sys.exit(f"no job is called {unknown[0]!r}; there are: {', '.join(JOBS)}")
    trouble = survey(str(pathlib.Path(program).resolve()), str(pathlib.Path(shim).resolve()), chosen or JOBS)
    print("\n".join(trouble))
    sys.exit(1 if trouble else 0)
