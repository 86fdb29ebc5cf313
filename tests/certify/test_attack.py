"""Attacks certificates: 300 random combinations of task, teacher, embedding and settings through the program.

What is said without a confidence must hold always. What is said with one may fail by chance: the number of failures is
compared with the 99% quantile of what the stated confidences allow together. docs/guide/guarantees.md has the figures.
"""

import concurrent.futures

import numpy as np
import pytest

import attack
import classic
import promises
from chance import allowed_by_chance
from program import Program

FINITE = 260
KINDS = [attack.attack_table] * 10 + [attack.attack_embedding] * 12 + [attack.attack_choice_of_k] * 3 + [
    attack.attack_cut] * 2 + [attack.attack_compress]
SUBJECTS, CERTIFICATES_EACH = 8, 5


def test_the_quantile_of_chance_is_that_of_the_binomial():
    assert allowed_by_chance([0.5] * 10) == 9  # 1 - 11 / 1024 >= 0.99 > 1 - 56 / 1024
    assert allowed_by_chance([0.0] * 10) == 0
    assert allowed_by_chance([0.05] * 100) == 11


def finite(program, seed):
    report = promises.Report()
    KINDS[seed % len(KINDS)](program.inside(f"finite{seed}"), np.random.default_rng(seed), report)
    return [report]


def continuous(program, subject):
    return list(classic.attack_classic(program.inside(f"classic{subject}"), np.random.default_rng(10_000 + subject),
                                       subject, CERTIFICATES_EACH))


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    program = Program(tmp_path_factory.mktemp("attack"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(continuous, program, subject) for subject in range(SUBJECTS)]
        jobs += [pool.submit(finite, program, seed) for seed in range(FINITE)]
        return [report for job in jobs for report in job.result()]


def test_as_many_combinations_as_promised(reports):
    assert len(reports) == FINITE + SUBJECTS * CERTIFICATES_EACH == 300
    assert all(report.checked > 10 for report in reports)


def test_what_is_said_for_certain_holds_always(reports):
    assert [finding for report in reports for finding in report.findings] == []


@pytest.mark.parametrize("kind", ["joint", "met"])
def test_what_is_said_with_a_confidence_fails_no_more_than_by_chance(reports, kind):
    claims = [claim for report in reports for claim in report.claims if claim.kind == kind]
    broken = [(claim.about, claim.broken) for claim in claims if claim.broken]
    expected, allowed = sum(claim.delta for claim in claims), allowed_by_chance([claim.delta for claim in claims])
    print(f"{kind}: {len(broken)} of {len(claims)} broken; {expected:.1f} expected at most, {allowed} allowed; "
          f"{sum(report.checked for report in reports)} checks in all")
    for one in broken:
        print(*one)
    assert len(claims) > 100 and len(broken) <= allowed, broken
