#!/usr/bin/env python3
"""Joint coverage: how often all bounds of one certificate hold together, and how often a limit that is broken is called kept.

    PYTHONPATH=build/release/python python3 bench/joint_coverage.py build/release/bin/mercer [--repetitions 1000] [--episodes 300] ...

Teacher and student are embeddings of one network in the mountain car, so that a million episodes are cheap: their means are taken
for the truth. A repetition certifies the student on episodes of its own. Loss of return, loss in percent, roughness, failures and
two distances are promised jointly with 95%: all of them must hold together in at least 95% of the repetitions. Then one limit at a
time, on roughness, failures or distance, near the truth, with episodes played until it is decided: below the truth it is broken,
and may be called kept in at most 5%; above it the share that is called kept shows what the guarantee costs. Prints tables in
Markdown, writes a JSON file, and ends with 1 if a nominal share is missed beyond chance.
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

import mercer
from alternatives.check import by_program
from alternatives.perturb import Perturbation
from alternatives.subjects import SUBJECTS, file_of

NETWORK, TEACHER_TERMS, STUDENT_TERMS = "mc_dqn_120000", 12, 5
TASK, HORIZON = SUBJECTS[NETWORK], 130  # steps, so few that failures are not rare
DELTA = 0.05
# What can be limited, and the limits as multiples of the truth: broken below 1, kept above.
LIMITED = {"max_roughness": ("roughness",), "max_failures": ("failures",),
           "max_distance": ("distance_teacher", "distance_embedding")}
MULTIPLES = (0.9, 0.98, 1.02, 1.1, 1.3, 2.0)
BY_CHANCE = 1e-3  # probability with which this file may end with 1 although everything is as it should be, for each share


def embedded(program, terms, folder):
    file = pathlib.Path(folder) / f"{terms}.mercer"
    subprocess.run([program, "embed", f"--env={TASK.name}", f"--policy={file_of(NETWORK)}", "--route=continuous", f"--k={terms}",
                    "--rollouts=30", "--episodes=10", "--seed=2", "--act=mean", f"--out={file}", "--quiet"], check=True)
    return str(file)


def excess(truth, about, factor):
    """By how much the student really exceeds `factor` times the teacher: what a promise of that name bounds."""
    loss = truth["teacher_return"] - truth["return"]
    return {"return": loss, "return_percent": 100 * loss / abs(truth["teacher_return"]),
            "roughness": truth["roughness"] - factor * truth["teacher_roughness"],
            "failures": truth["failures"] - factor * truth["teacher_failures"],
            "distance_teacher": truth["distance_teacher"], "distance_embedding": truth["distance"]}[about]


def holds(promise, truth):
    """A bound that could not be given promises nothing."""
    return promise["upper"] is None or promise["upper"] >= excess(truth, promise["about"], promise["factor"])


def certified(policies, episodes, seed, **limits):
    """The promises of one certificate, and whether its limits are called kept."""
    made = mercer.certify(TASK.name, *policies, episodes=episodes, seed=seed, act="mean", horizon=HORIZON,
                          level="statistical", confidence=1 - DELTA, **limits)
    return made["promises"], bool(limits) and made["met"]


def most_by_chance(count, probability):
    """The most of `count` events of that probability that chance leaves, but for BY_CHANCE."""
    below = 0.0
    for events in range(count + 1):
        below += math.comb(count, events) * probability**events * (1 - probability) ** (count - events)
        if below >= 1 - BY_CHANCE:
            return events
    return count


def joint(runs, truth):
    """For each bound how often it held and how wide it was, and how often all of them held together."""
    together = sum(all(holds(promise, truth) for promise in promises) for promises, _ in runs)
    rows, share = [], DELTA / len(runs[0][0])
    for place, first in enumerate(runs[0][0]):
        same = [promises[place] for promises, _ in runs]
        spread = statistics.stdev(one["measured"] for one in same)  # over repetitions: the standard error of the mean
        width = statistics.median(one["upper"] - one["measured"] for one in same if one["upper"] is not None)
        normal = statistics.NormalDist().inv_cdf(1 - share) * spread
        rows.append({"about": first["about"], "factor": first["factor"], "truth": excess(truth, first["about"], first["factor"]),
                     "measured": statistics.mean(one["measured"] for one in same), "held": sum(holds(one, truth) for one in same),
                     "width": width, "normal_width": normal})
    return {"repetitions": len(runs), "together": together, "bounds": rows}


def joint_table(found, episodes):
    yield (f"\n{found['repetitions']} certificates of {episodes} episodes: all bounds held together in {found['together']}. "
           f"Each bound by itself, at {100 * (1 - DELTA / len(found['bounds'])):.2f}%:\n")
    yield "| bound on | truth | mean of measured | held | median width | width of a normal bound | ratio |"
    yield "| --- |" + " ---: |" * 6
    for one in found["bounds"]:
        factor = "" if one["factor"] in (0, 1) else f", {one['factor']:g} x teacher"
        ratio = f"{one['width'] / one['normal_width']:.2f}" if one["normal_width"] > 0 else ""
        yield (f"| {one['about']}{factor} | {one['truth']:.4g} | {one['measured']:.4g} | {one['held']} of {found['repetitions']} | "
               f"{one['width']:.4g} | {one['normal_width']:.4g} | {ratio} |")


def tight(policies, truth, option, multiple, repetitions, episodes, first_seed):
    """One limit at a multiple of what it limits, the largest of them where it limits several."""
    limit = multiple * max(excess(truth, about, 0) for about in LIMITED[option])
    runs = [certified(policies, episodes, first_seed + number, **{option: limit}) for number in range(repetitions)]
    return {"option": option, "multiple": multiple, "limit": limit, "repetitions": repetitions,
            "called_kept": sum(met for _, met in runs),
            "together": sum(all(holds(promise, truth) for promise in promises) for promises, _ in runs)}


def tight_table(rows, episodes):
    yield f"\nOne limit near the truth, at most {episodes} episodes, stopped when it is decided:\n"
    yield "| limit | times the truth | | called kept | all bounds held |"
    yield "| --- | ---: | --- | ---: | ---: |"
    for one in rows:
        word = "broken" if one["multiple"] < 1 else "kept"
        yield (f"| `--{one['option'].replace('_', '-')} {one['limit']:.4g}` | {one['multiple']} | {word} | "
               f"{one['called_kept']} of {one['repetitions']} | {one['together']} of {one['repetitions']} |")


def missed(found, rows):
    """Shares that are worse than nominal beyond chance."""
    out = []
    for name, one in [("without limits", found), *((f"{one['option']} x {one['multiple']}", one) for one in rows)]:
        failed = one["repetitions"] - one["together"]
        if failed > most_by_chance(one["repetitions"], DELTA):
            out.append(f"{name}: not all bounds held in {failed} of {one['repetitions']}")
    return out + [f"{one['option']} at {one['multiple']} times the truth is called kept in {one['called_kept']}" for one in rows
                  if one["multiple"] < 1 and one["called_kept"] > most_by_chance(one["repetitions"], DELTA)]


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="the built mercer, of the same build as the Python package")
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--episodes", type=int, default=300, help="of a certificate without limits")
    parser.add_argument("--tight-repetitions", type=int, default=200, help="for each limit near the truth")
    parser.add_argument("--tight-episodes", type=int, default=2000, help="at most, where there is a limit")
    parser.add_argument("--truth-episodes", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=0, help="changes no result")
    parser.add_argument("--out", default="joint_coverage.json")
    return parser.parse_args(arguments)


def main(arguments=None):
    options = options_of(arguments)
    with tempfile.TemporaryDirectory() as folder, mercer.threads(options.threads):
        teacher, student = (embedded(options.program, terms, folder) for terms in (TEACHER_TERMS, STUDENT_TERMS))
        truth = by_program(options.program, TASK, Perturbation(), student, teacher, options.truth_episodes, 2**40, options.threads,
                           [f"--horizon={HORIZON}"])
        policies = [mercer.load_policy(file, TASK.name) for file in (teacher, student)]
        runs = [certified(policies, options.episodes, seed) for seed in range(options.repetitions)]
        found = joint(runs, truth)
        print("\n".join(joint_table(found, options.episodes)), flush=True)
        rows = [tight(policies, truth, option, multiple, options.tight_repetitions, options.tight_episodes, options.repetitions)
                for option in LIMITED for multiple in MULTIPLES]
        print("\n".join(tight_table(rows, options.tight_episodes)))
    document = {"settings": vars(options), "truth": truth, "joint": found, "tight": rows, "missed": missed(found, rows)}
    pathlib.Path(options.out).write_text(json.dumps(document, indent=1) + "\n")
    for line in document["missed"]:
        print(f"MISSED: {line}")
    return 1 if document["missed"] else 0


if __name__ == "__main__":
    sys.exit(main())
