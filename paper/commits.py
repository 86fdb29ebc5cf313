#!/usr/bin/python3
"""Names the commits that rules and program are of, for `mercer reproduce --commits`.

usage: paper/commits.py            prints them
       paper/commits.py RESULTS    checks that every result's rules were committed before it was measured
"""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = ["paper/verdict.cpp", "paper/trials.cpp"]  # what tests mean
SEVERAL = {"pendulum": ["pendulum-gaussian", "pendulum-boltzmann"]}  # items with the same rules
SOURCES = ["paper", "src", "include", "apps", "cmake", "CMakeLists.txt"]


def git(*words):
    """What git prints, or nothing outside a checkout."""
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def changed(paths):
    return git("status", "--porcelain", "--", *paths) != ""


def commit_of(paths):
    """The commit that last changed some of them, '+' behind it where they differ from it."""
    found = git("log", "-1", "--format=%h", "--abbrev=10", "--", *paths)
    return f"{found}{'+' if changed(paths) else ''}" if found else "unknown"


def commits():
    rules = {}
    for file in sorted((ROOT / "paper/rules").glob("*.cpp")):
        own = commit_of([str(file.relative_to(ROOT)), *SHARED])
        for item in SEVERAL.get(file.stem, [file.stem.replace("_", "-")]):
            rules[item] = own
    head = git("rev-parse", "--short=10", "HEAD")
    return {"program": f"{head}{'+' if changed(SOURCES) else ''}" if head else "unknown", "rules": rules}


def trouble_of(result):
    """Why a result does not show that its rules came first, or nothing."""
    rules, measured = (result["commits"][key] for key in ("rules", "measured"))
    for what, commit in (("rules", rules), ("results", measured)):
        if commit == "unknown":
            return f"{what} name no commit"
    if rules.endswith("+"):
        return f"rules differ from commit {rules[:-1]}"
    if rules == measured.rstrip("+") or git("merge-base", "--is-ancestor", rules, measured.rstrip("+")) is not None:
        return None
    return f"rules of {rules} are not older than results of {measured}"


def main():
    if len(sys.argv) == 1:
        print(json.dumps(commits(), indent=2))
        return
    index = pathlib.Path(sys.argv[1]) / "index.json"
    if not index.exists():
        sys.exit(f"commits.py: no {index}; run 'mercer reproduce --out {sys.argv[1]}' first")
    found = [(item["id"], trouble_of(item)) for item in json.loads(index.read_text())]
    for item, trouble in found:
        print(f"{item}: {trouble or 'rules first'}")
    if any(trouble for _, trouble in found):
        sys.exit(1)


if __name__ == "__main__":
    main()
