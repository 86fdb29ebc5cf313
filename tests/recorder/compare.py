"""Holds results of the recorded commands against others, to the bit or as far as two builds may be expected to agree."""

import json
import math
import pathlib
import re

import runner

EXCEPTIONS = pathlib.Path(__file__).resolve().parent / "exceptions.json"
MISSING = "nothing"


def to_the_bit(recorded, seen):
    """Parts that differ, with what both hold; an empty dictionary if none does."""
    wrong = {"exit": (recorded["exit"], seen["exit"])} if recorded["exit"] != seen["exit"] else {}
    for part in sorted(recorded["parts"].keys() | seen["parts"].keys()):
        pair = recorded["parts"].get(part, MISSING), seen["parts"].get(part, MISSING)
        if pair[0] != pair[1]:
            wrong[part] = pair
    return wrong


def kind(part):
    """Its name without numbers: sizes that a search chose appear in names of files."""
    return re.sub(r"\d+", "#", part)


def structure(recorded, seen):
    """Exit code and kinds of parts: what a search or a training on another machine has in common."""
    wrong = {"exit": (recorded["exit"], seen["exit"])} if recorded["exit"] != seen["exit"] else {}
    there, here = set(map(kind, recorded["parts"])), set(map(kind, seen["parts"]))
    wrong.update({part: ("there", MISSING) for part in there - here})
    wrong.update({part: (MISSING, "there") for part in here - there})
    return wrong


def near(one, other, tolerance):
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(near(x, y, tolerance) for x, y in zip(one, other))
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)
    return one == other


def figures(recorded, seen, tolerance):
    """The structure, and every number within the tolerance; digests may differ."""
    wrong = structure(recorded, seen)
    for part in recorded["parts"].keys() & seen["parts"].keys():
        pair = recorded["parts"][part], seen["parts"][part]
        if not near(*pair, tolerance) and not all(str(value).startswith("sha256:") for value in pair):
            wrong[part] = pair
    return wrong


def compare(recorded, seen, same_build, across):
    """By the strictest of these that is sound; `across` is the tolerance between builds, None where there is none."""
    if same_build:
        return to_the_bit(recorded, seen)
    return structure(recorded, seen) if across is None else figures(recorded, seen, across)


def matches(name, pattern):
    """Whether a name is the pattern, in which * is any text."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name) is not None


class Exceptions:
    """Differences that are accepted, each with a reason; names of commands and parts are patterns."""

    def __init__(self, entries):
        self.entries = entries
        self.used = [False] * len(entries)
        for entry in entries:
            if set(entry) != {"command", "part", "reason"} or not all(entry.values()):
                raise ValueError(f"an exception has a command, a part and a reason: {entry}")

    @staticmethod
    def read():
        return Exceptions(json.loads(EXCEPTIONS.read_text()))

    def accepts(self, command, part):
        found = [i for i, one in enumerate(self.entries)
                 if matches(command, one["command"]) and (matches(part, one["part"]) or matches(part, kind(one["part"])))]
        for i in found:
            self.used[i] = True
        return bool(found)

    def unused(self):
        return [entry for entry, used in zip(self.entries, self.used) if not used]


def told(wrong):
    """A line for each part that differs."""
    def short(value):
        return f"{value[:19]}..." if str(value).startswith("sha256:") else json.dumps(value)

    return [f"{part}: {short(there)} was recorded, now {short(here)}" for part, (there, here) in wrong.items()]


def compare_all(recorded, seen, same_build, exceptions):
    """Unaccepted differences of every command in either, by its name; commands that are equal map to {}."""
    across = {command["name"]: command.get("across") for command in runner.commands()}
    results = {}
    for name in [*recorded, *(name for name in seen if name not in recorded)]:
        if name in recorded and name in seen:
            wrong = compare(recorded[name], seen[name], same_build, across.get(name))
        else:
            wrong = {"command": ("there", MISSING) if name in recorded else (MISSING, "there")}
        results[name] = {part: pair for part, pair in wrong.items() if not exceptions.accepts(name, part)}
    return results
