"""The count of certificates whose bounds hold together, on promises that are made up."""

import random

import joint_coverage as study
import pytest

TRUTH = {"return": -110.0, "teacher_return": -100.0, "roughness": 0.05, "teacher_roughness": 0.04, "failures": 0.02,
         "teacher_failures": 0.01, "distance": 0.3, "distance_teacher": 0.2}


def promise(about, upper, factor=1.0, measured=0.0):
    return {"about": about, "upper": upper, "factor": factor, "measured": measured}


def test_what_a_promise_is_about():
    known = [study.excess(TRUTH, about, factor) for about, factor in (
        ("return", 1), ("return_percent", 1), ("roughness", 1.25), ("failures", 1), ("roughness", 0), ("distance_teacher", 0),
        ("distance_embedding", 0))]
    assert known == pytest.approx([10, 10, 0, 0.01, 0.05, 0.2, 0.3])
    assert study.holds(promise("return", 10.1), TRUTH) and not study.holds(promise("return", 9.9), TRUTH)
    assert study.holds(promise("return_percent", None), TRUTH)


def test_bounds_that_fail_in_different_repetitions_fail_together_more_often():
    runs = [([promise("return", 11 if number % 10 else 9, measured=random.Random(number).gauss(10, 1)),
              promise("roughness", 0.011 if number % 10 != 1 else 0.009, measured=0.01)], False) for number in range(100)]
    found = study.joint(runs, TRUTH)
    assert found["together"] == 80 and [one["held"] for one in found["bounds"]] == [90, 90]
    assert found["bounds"][0]["normal_width"] == pytest.approx(1.96, rel=0.3)  # 95% for two together: 97.5% each
    assert study.missed(found, [])[0].startswith("without limits: not all bounds held in 20 of 100")
    assert "| return | 10 |" in "\n".join(study.joint_table(found, 300))


def test_what_chance_leaves():
    assert study.most_by_chance(1000, 0.05) == 73  # 50, and three standard deviations of 6.9
    assert study.most_by_chance(10, 0.0) == 0
    broken = {"option": "max_roughness", "multiple": 0.98, "limit": 0.049, "repetitions": 200, "together": 200}
    fine = {"repetitions": 200, "together": 195}
    assert study.missed(fine, [{**broken, "called_kept": 10}]) == []
    assert len(study.missed(fine, [{**broken, "called_kept": 40}])) == 1
    assert study.missed(fine, [{**broken, "multiple": 1.02, "called_kept": 190}]) == []
    assert "broken | 10 of 200 |" in "\n".join(study.tight_table([{**broken, "called_kept": 10}], 2000))
