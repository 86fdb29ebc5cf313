"""Tasks with continuous states: the truth is a large evaluation on episodes that nothing else plays."""

import combinations
import numpy as np
import promises
import truth
import wording
from attack import read_faces
from program import POLICIES

# The task, its teacher, what ends an episode, and two embeddings.
SUBJECTS = [
    ("pendulum", ["--policy", POLICIES / "pendulum_5000_actor.onnx"], None,
     [["--state-bins", 12, "--action-bins", 9, "--rollouts", 60], ["--route", "continuous", "--k", 8]]),
    ("continuous-mountain-car", ["--policy", POLICIES / "cmc_sde_10000_actor.onnx"], "goal",
     [["--state-bins", 15, "--action-bins", 9, "--rollouts", 20], ["--route", "continuous", "--k", 6]]),
    ("mountain-car", ["--policy", f"{POLICIES / 'mc_dqn_120000_q.onnx'}:temperature=1"], "goal",
     [["--state-bins", 20, "--rollouts", 20, "--preset", "paper"], ["--state-bins", 12, "--rollouts", 5, "--k", 6]]),
    ("cart-pole", ["--policy", "uniform"], "failure",
     [["--state-bins", 6, "--rollouts", 20, "--k", 5], ["--route", "continuous", "--k", 3]]),
]
TRUE_EPISODES = 3000


def attack_classic(program, rng, subject, certificates):
    """One embedding under several settings. Yields a report for each certificate."""
    env, teacher, fails, made = SUBJECTS[subject % len(SUBJECTS)]
    task = ["--env", env, *teacher]
    continuous = ["--fit-states", 500, "--rounds", 1] if "continuous" in made[subject // len(SUBJECTS)] else []
    program.ok("embed", *task, *made[subject // len(SUBJECTS)], *continuous, "--episodes", 2, "--out", "e.mercer")
    act = str(rng.choice(["sample", "mean"]))
    gamma = float(rng.choice([1, 1, 0.99]))
    played = ["--act", act, "--gamma", gamma]
    seed = int(rng.integers(2**40, 2**41))  # beyond all that certificates add to theirs
    for name, policy in (("teacher.npz", teacher), ("own.npz", ["--policy", "e.mercer"])):
        program.ok("rollout", "--env", env, *policy, *played, "--episodes", TRUE_EPISODES, "--seed", seed, "--out", name)
    true = truth.played(np.load(program.folder / "teacher.npz"), np.load(program.folder / "own.npz"), gamma, fails)
    for i in range(certificates):
        report = promises.Report()
        flags = [*played, "--episodes", int(rng.integers(50, 600)), "--coupled", int(rng.integers(10, 40)),
                 "--confidence", float(rng.choice([0.5, 0.8, 0.95])), "--seed", int(rng.integers(2**31)),
                 *combinations.draw_budget(rng, true.loss, true.teacher)]
        certificate, done = program.json("certify", "e.mercer", *flags)
        promises.check(certificate, true, report, f"{env} {flags}")
        wording.page(done.stderr, certificate, report, "certify")
        read_faces(program, "e.mercer", certificate, report, exports=i == 0)
        yield report
