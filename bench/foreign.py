"""Agents of Stable-Baselines3 in environments that Python plays: what `mercer.compress` makes of them, and how fast.

    PYTHONPATH=build/release/python python3 bench/foreign.py --agents FOLDER

FOLDER holds zips of the collection rl-trained-agents, as ALGORITHM/TASK_1/TASK.zip. Each agent is embedded with both
generations of Gymnasium's interface; its loss is measured again on episodes of another seed. One line for each.
"""

import argparse
import pathlib
import time

import mercer
from foreign_tasks import TASKS, Old

MEASURED = 300  # episodes of both policies, once the embedding is made


def agents(folder):
    """Task and zip of every agent whose task is here."""
    for zip_file in sorted(folder.glob("*/*/*.zip")):
        if zip_file.stem in TASKS:
            yield zip_file.stem, zip_file


def measure(task, agent, old, args):
    env = Old(TASKS[task]()) if old else TASKS[task]()
    teacher = mercer.load_policy(agent, env)
    begin = time.monotonic()
    options = {} if args.budget is None else {"budget": args.budget}
    found = mercer.compress(teacher, env, args.max_loss, seed=args.seed, allow_unmet=True, progress=False, **options)
    seconds = time.monotonic() - begin
    teacher_returns, returns = mercer.paired_returns(env, teacher, found, MEASURED, args.seed + 1000)
    loss = (teacher_returns.mean() - returns.mean()) / abs(teacher_returns.mean())
    certificate = found.certificate
    return {
        "agent": f"{agent.parent.parent.name}/{task}",
        "interface": "old" if old else "new",
        "met": certificate.met,
        "bytes": found.payload_bytes,
        "agent bytes": agent.stat().st_size,
        "upper %": certificate.upper_percent and round(certificate.upper_percent, 2),
        "measured again %": round(100 * loss, 2),
        "return": round(float(returns.mean()), 1),
        "teacher": round(float(teacher_returns.mean()), 1),
        "episodes": certificate.episodes,
        "tried": len(found.tried),
        "seconds": round(seconds, 1),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--agents", type=pathlib.Path, required=True)
    parser.add_argument("--max-loss", type=float, default=0.05)
    parser.add_argument("--budget", help="time of a search, such as 60s; the package's own without it")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="part of an agent's path")
    parser.add_argument("--interface", choices=["new", "old", "both"], default="both")
    args = parser.parse_args()
    for task, agent in agents(args.agents):
        if args.only not in str(agent):
            continue
        for old in {"new": [False], "old": [True], "both": [False, True]}[args.interface]:
            print(" ".join(f"{name}={value}" for name, value in measure(task, agent, old, args).items()), flush=True)


if __name__ == "__main__":
    main()
