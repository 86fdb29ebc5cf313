"""The program makes of every recorded command what it made when that was recorded."""

import copy

import compare
import pytest
import runner

NAMES = [command["name"] for command in runner.commands()]


@pytest.mark.parametrize("name", NAMES)
def test_command(recording, name):
    if name not in recording.seen:
        pytest.skip("the Python package is not built")
    said = recording.seen[name].get("stderr", "")
    assert compare.told(recording.results[name]) == [], said


def test_what_is_recorded_are_these_commands(recording):
    assert list(recording.recorded) == NAMES


def test_every_exception_still_occurs(recording):
    if not recording.same_build:
        pytest.skip("exceptions are about digests, which another build does not share")
    assert recording.exceptions.unused() == []


def altered(results, command, part, value):
    other = copy.deepcopy(results)
    other[command]["parts"][part] = value
    return other


def test_an_altered_digest_is_reported_and_can_be_accepted(recording):
    command, part = "embed-dct", "dct.mercer payload"
    wrong = altered(recording.recorded, command, part, "sha256:" + 64 * "0")

    def differing(entries):
        found = compare.compare_all(wrong, recording.recorded, True, compare.Exceptions(entries))
        return {name: set(parts) for name, parts in found.items() if parts}

    assert differing([]) == {command: {part}}
    accepted = {"command": "embed-*", "part": "*payload", "reason": "altered by this test"}
    assert differing([accepted]) == {}
    unused = compare.Exceptions([accepted])
    compare.compare_all(recording.recorded, recording.recorded, True, unused)
    assert unused.unused() == [accepted]


def test_another_build_is_still_compared(recording):
    recorded, part = recording.recorded, "stdout.return.mean"
    figure = recorded["evaluate-actor"]["parts"][part]

    def differing(other):
        found = compare.compare_all(recorded, other, False, compare.Exceptions([]))
        return {name: set(parts) for name, parts in found.items() if parts}

    assert differing(altered(recorded, "evaluate-actor", part, figure * (1 + 1e-5))) == {}
    assert differing(altered(recorded, "evaluate-actor", part, figure * (1 + 1e-3))) == {"evaluate-actor": {part}}
    assert differing(altered(recorded, "train-sac", "stdout.new", 1)) == {"train-sac": {"stdout.new"}}
    failed = copy.deepcopy(recorded)
    failed["train-sac"]["exit"] = 1
    assert differing(failed) == {"train-sac": {"exit"}}
