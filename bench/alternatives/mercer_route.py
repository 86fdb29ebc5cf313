"""What `mercer compress` makes of a network: every embedding that it kept, played by the Python package."""

import json
import pathlib
import resource
import subprocess
import sys
import tempfile

from .subjects import SUBJECTS, file_of

UNREACHABLE = "-1000000"  # an allowed loss that nothing keeps: every dictionary is then followed to its end
RUNS = {
    "mercer": ["--route", "continuous", "--max-loss", "1%"],
    "mercer to the end": ["--route", "continuous", f"--max-loss-return={UNREACHABLE}", "--most-terms", "12",
                          "--certify-episodes", "1000", "--attempts", "1"],
    "mercer lattice": ["--route", "lattice", "--max-loss", "1%", "--certify-episodes", "20000"],
}
QUICK = ["--most-terms", "6", "--generations", "20", "--certify-episodes", "20000"]


def seconds_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def embeddings(program, family, policy, repeat, quick):
    """(what is known of it, function that acts) of each embedding that one search kept."""
    sys.path[:0] = [package] if (package := str(pathlib.Path(program).resolve().parents[1] / "python")) not in sys.path else []
    import mercer

    with tempfile.TemporaryDirectory() as folder:
        before = seconds_of_children()
        wanted = RUNS[family] + (QUICK if quick and family != "mercer lattice" else [])
        done = subprocess.run([program, "compress", "--env", SUBJECTS[policy].name, "--policy", file_of(policy), "--seed", str(repeat + 1),
                               "--threads", "1", "--out", f"{folder}/chosen.mercer", "--results", f"{folder}/all", "--quiet",
                               *settled(wanted)], capture_output=True, text=True)
        seconds = seconds_of_children() - before
        if done.returncode not in (0, 5):  # 5: nothing keeps the promise, what was found is there all the same
            raise RuntimeError(f"mercer compress ended with {done.returncode}: {done.stderr.strip()}")
        for one in json.loads(pathlib.Path(folder, "all/tried.json").read_text()):
            if "file" not in one:
                continue
            made = mercer.read(f"{folder}/all/{one['file']}")
            facts = {"detail": f"{one['k']} {one['basis']}, {one['format']}", "bytes": one["payload_bytes"], "cpu_seconds": seconds,
                     "action_distance": one["action_distance"]}
            if made.certificate is not None and UNREACHABLE not in " ".join(wanted):
                facts |= {"chosen": True, "upper_percent": made.certificate["upper_percent"], "met": made.certificate["met"]}
            yield facts, actor(made, SUBJECTS[policy])


def settled(options):
    """The last of each setting: the program takes every one once."""
    joined = [option.split("=", 1) if "=" in option else [option] for option in options]
    flat = [word for words in joined for word in words]
    last = dict(zip(flat[::2], flat[1::2]))
    return [f"{name}={value}" for name, value in last.items()]


def actor(made, task):
    return made.mean_action if task.choices is not None else lambda observations: made.mean_action(observations)[:, 0]
