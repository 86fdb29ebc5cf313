"""Two measurements of one embedding in one perturbed task: by the program, and by its exported C in the numpy twin of the task."""

import json
import math
import subprocess

from .judge import compared, generator
from .perturb import Perturbation

# Standard errors by which independent measurements may differ. Of 200 comparisons one is beyond it by chance in 80 runs.
MOST_ERRORS = 4.0


def by_program(program, task, point: Perturbation, file, teacher, episodes, seed, threads=0, more=()):
    """What `mercer evaluate` says of both policies on the same episodes."""
    done = subprocess.run(
        [program, "evaluate", f"--env={point.spec(task)}", f"--policy={file}", f"--against={teacher}", "--act=mean", "--behaviour",
         f"--episodes={episodes}", f"--seed={seed}", f"--threads={threads}", "--json", "--quiet", *more], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"mercer evaluate --env {point.spec(task)} ended with {done.returncode}: {done.stderr.strip()}")
    document = json.loads(done.stdout)
    own, others = document["behaviour"], document["against"]["behaviour"]
    return {"episodes": document["episodes"], "return": document["return"]["mean"], "return_std": document["return"]["std"],
            "teacher_return": document["against"]["return"]["mean"], "loss_percent": document["paired"]["loss_percent"],
            "ci95_percent": document["paired"]["ci95_percent"], "roughness": own["roughness"],
            "teacher_roughness": others["roughness"], "failures": own["failures"] if task.goal else None,
            "teacher_failures": others["failures"] if task.goal else None, "distance": own["distance"],
            "distance_teacher": others["distance"]}


def starts_of(task, point, episodes, seed):
    return task.starts(episodes, generator("twin", point.spec(task), seed))


def in_numpy(task, point, act, episodes, seed):
    """Plays a policy in the twin; every policy meets the same starts."""
    return point.play(task, act, starts_of(task, point, episodes, seed), generator("noise", point.spec(task), seed))


def errors_apart(one, other, standard_error):
    """By how many standard errors two means differ; nothing where they are the same up to single precision."""
    if math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9):
        return 0.0
    return (one - other) / standard_error if standard_error > 0 else math.inf


def agreement(claimed, twin):
    """How far the two measurements are apart, in standard errors. The program gives no spread of the roughness: the twin's is
    taken for both."""
    n, episodes = len(twin.returns), claimed["episodes"]
    of_return = math.sqrt(twin.returns.var(ddof=1) / n + claimed["return_std"] ** 2 / episodes)
    of_roughness = twin.roughness.std(ddof=1) * math.sqrt(1 / n + 1 / episodes)
    return {"return": errors_apart(float(twin.returns.mean()), claimed["return"], of_return),
            "roughness": errors_apart(float(twin.roughness.mean()), claimed["roughness"], of_roughness)}


def checked(program, task, point, file, teacher, exported, network, settings):
    """One point of the grid by both means. `network`: what the teacher plays in the twin there."""
    claimed = by_program(program, task, point, file, teacher, settings["episodes"], settings["seed"] + 1000, settings["threads"])
    twin = in_numpy(task, point, exported.act, settings["twin_episodes"], settings["seed"])
    return {"point": point.settings(task) or "nominal", "program": claimed,
            "twin": {"return": float(twin.returns.mean()), **compared(network, twin)}, "errors_apart": agreement(claimed, twin)}
