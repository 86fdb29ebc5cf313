"""Plants each fault that certificates once had, and expects the harness to find it: one that finds nothing proves nothing."""

import pathlib

import pytest

from chance import beyond_chance
from faults import FAULTS
from program import PROGRAM, Program

FAULTY = str(pathlib.Path(PROGRAM).with_name("mercer_faulty"))


def found(folder, number, fault):
    reports = FAULTS[number][0](Program(folder, FAULTY, fault))
    findings = [finding for report in reports for finding in report.findings]
    broken = beyond_chance([claim for report in reports for claim in report.claims])
    return {name for name, _ in findings} | ({"chance"} if broken else set()), findings + broken


@pytest.mark.parametrize("number", FAULTS)
def test_a_planted_fault_is_found(tmp_path, number):
    names, findings = found(tmp_path, number, number)
    print(*findings[:5], sep="\n")
    assert FAULTS[number][1] <= names, findings


@pytest.mark.parametrize("number", FAULTS)
def test_the_same_commands_are_sound_without_it(tmp_path, number):
    assert found(tmp_path, number, None)[1] == []
