#!/usr/bin/env python3
"""Records what a program makes of the commands in commands.toml, or holds it against what was recorded.

    record.py --program build/release/bin/mercer --python build/release/python --write    # tests/data/recorded.json
    record.py --program build/release/bin/mercer --python build/release/python --check    # exit code 1 if something differs
    record.py --program NEW --python DIR --against OLD --against-python DIR               # runs both, to the bit
"""

import argparse
import json
import resource
import sys

import compare
import fingerprint
import runner

RECORDED = runner.DATA / "recorded.json"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the program, with its libraries in ../lib")
    parser.add_argument("--python", help="folder of the Python package; without it its calls are left out")
    parser.add_argument("--threads", type=int, help="threads of every command")
    parser.add_argument("--exact", action="store_true", help="with --check: to the bit even if the build is another one")
    parser.add_argument("--against-python", help="folder of the second program's Python package")
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--write", nargs="?", const=RECORDED, metavar="FILE", help="write what is seen")
    mode.add_argument("--check", nargs="?", const=RECORDED, metavar="FILE", help="compare with a recorded file")
    mode.add_argument("--against", metavar="PROGRAM", help="compare with a second program")
    return parser.parse_args()


def timed(build):
    """Results of all commands, telling each with its processor time."""
    def seconds():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    begin = last = seconds()

    def each(name, result):
        nonlocal last
        now = seconds()
        print(f"{now - last:6.2f} s  {name}  (exit {result['exit']}, {len(result['parts'])} parts)", file=sys.stderr)
        last = now

    results = runner.record(build, each)
    print(f"{len(results)} commands, {seconds() - begin:.1f} s of processor time", file=sys.stderr)
    return results


def unexpected(results):
    """Commands that did not end as commands.toml says, with what they said."""
    return [f"{name} ended with {one['exit']}:\n{one['stderr']}" for name, one in results.items() if "stderr" in one]


def table(recorded, seen, same_build):
    """Prints a line for each command; whether all is as recorded and every exception still occurs."""
    exceptions = compare.Exceptions.read()
    results = compare.compare_all(recorded, seen, same_build, exceptions)
    for name, wrong in results.items():
        print(f"{name:32} {'differs' if wrong else 'equal'}")
        for line in compare.told(wrong):
            print(f"    {line}")
    stale = exceptions.unused() if same_build else []
    for entry in stale:
        print(f"this exception does not occur any more, remove it: {json.dumps(entry)}")
    differing = sum(map(bool, results.values()))
    print(f"{len(results) - differing} of {len(results)} commands are equal; accepted: {sum(exceptions.used)} exceptions")
    return not differing and not stale


def main():
    given = arguments()
    build = runner.Build(given.program, given.python, given.threads)
    seen = timed(build)
    if given.write:
        if wrong := unexpected(seen):
            sys.exit("\n".join(["nothing is written:", *wrong]))
        document = {"fingerprint": fingerprint.of(build), "commands": seen}
        with open(given.write, "w") as file:
            file.write(json.dumps(document, indent=1) + "\n")
        return
    if given.against:
        other = timed(runner.Build(given.against, given.against_python, given.threads))
        sys.exit(0 if table(other, seen, True) else 1)
    document = json.load(open(given.check))
    other_build = fingerprint.differences(document["fingerprint"], fingerprint.of(build))
    for line in other_build:
        print(f"another build: {line}")
    exact = given.exact or not other_build
    print("compared to the bit" if exact else "compared figures and structure only")
    calls = set() if given.python else {command["name"] for command in runner.commands() if "call" in command}
    recorded = {name: one for name, one in document["commands"].items() if name not in calls}
    sys.exit(0 if table(recorded, seen, exact) else 1)


if __name__ == "__main__":
    main()
