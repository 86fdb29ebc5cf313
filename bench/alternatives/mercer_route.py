"""What `mercer compress` makes of a network: every embedding that it kept, played by the Python package."""

import json
import pathlib
import resource
import subprocess
import sys
import tempfile

from .subjects import SUBJECTS, file_of

# "mercer" keeps the behaviour, "mercer return" the return alone. "mercer to the end" allows a loss that nothing keeps, so that
# every dictionary is followed to its end; nothing is promised there.
RUNS = {
    "mercer": {"route": "continuous", "max-loss": "1%", "keep": "behaviour"},
    "mercer return": {"route": "continuous", "max-loss": "1%", "keep": "return"},
    "mercer to the end": {"route": "continuous", "max-loss-return": "-1000000", "most-terms": "12", "certify-episodes": "1000",
                          "attempts": "1"},
    "mercer lattice": {"route": "lattice", "max-loss": "1%", "certify-episodes": "20000"},
}
QUICK = {"most-terms": "6", "generations": "20"}  # of the continuous route


def package_of(program):
    """The Python package of the same build."""
    folder = str(pathlib.Path(program).resolve().parents[1] / "python")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    import mercer

    return mercer


def seconds_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def search(program, family, policy, seed, quick, folder):
    """Lets the program search, with its results in `folder`; returns what processor time that took."""
    settings = {"env": SUBJECTS[policy].name, "policy": file_of(policy), "seed": seed, "threads": 1,
                "out": f"{folder}/chosen.mercer", "results": f"{folder}/all", **RUNS[family]}
    if quick:
        settings |= QUICK if settings["route"] == "continuous" else {}
        settings.setdefault("certify-episodes", "20000")
    return compress(program, settings)


def compress(program, settings):
    """Runs `mercer compress` with these options; returns what processor time that took."""
    before = seconds_of_children()
    done = subprocess.run([program, "compress", "--quiet", *(f"--{name}={value}" for name, value in settings.items())],
                          capture_output=True, text=True)
    if done.returncode not in (0, 5):  # 5: nothing keeps the promise, what was found is there all the same
        raise RuntimeError(f"mercer compress ended with {done.returncode}: {done.stderr.strip()}")
    return seconds_of_children() - before


def embeddings(program, family, policy, repeat, quick):
    """(what is known of it, function that acts) of each embedding that one search kept."""
    mercer = package_of(program)
    with tempfile.TemporaryDirectory() as folder:
        seconds = search(program, family, policy, repeat + 1, quick, folder)
        for one in json.loads(pathlib.Path(folder, "all/tried.json").read_text()):
            if "file" not in one:
                continue
            made = mercer.read(f"{folder}/all/{one['file']}")
            facts = {"detail": f"{one['k']} {one['basis']}, {one['format']}", "bytes": one["payload_bytes"],
                     "cpu_seconds": seconds, "action_distance": one["action_distance"]}
            if made.certificate is not None and "max-loss" in RUNS[family]:
                facts |= {"chosen": True, "upper_percent": made.certificate["upper_percent"], "met": made.certificate["met"]}
            yield facts, actor(made, SUBJECTS[policy])


def actor(made, task):
    return made.mean_action if task.choices is not None else lambda observations: made.mean_action(observations)[:, 0]
