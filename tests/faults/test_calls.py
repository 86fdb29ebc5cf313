"""Calls of the system that fail along every verb that writes: nothing is lost, and the error has a code.

A fixed subset here; `./run faults` tries all.
"""

import os
import pathlib

import pytest

from faults import JOBS, KINDS, Lab, disturb_all

PROGRAM = os.environ["BINARY_UNDER_TEST"]
SHIM = pathlib.Path(PROGRAM).parent / "faulty_calls.so"
MOST = {"memory": 24}  # of a kind; others: 12


@pytest.fixture(scope="module", params=JOBS)
def lab(request, tmp_path_factory):
    return Lab(PROGRAM, SHIM, request.param, tmp_path_factory.mktemp("lab"))


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_lost_and_the_next_run_succeeds(lab, kind):
    points, count, wrong = disturb_all(lab, kind, MOST.get(kind, 12))
    print(f"\n{lab.job}, {kind}: {sum(count.values())} of {points} points, {count['refused']} refused, "
          f"{count['done without']} done without")
    assert wrong == []
    assert count["refused"] > 0 or kind == "mmap"  # only --scratch and databases map files


def test_a_disk_that_fills_up_is_noticed_at_every_write(lab):
    """Only what says how far a job is may be left out."""
    points, count, wrong = disturb_all(lab, "full disk", None)
    assert wrong == [] and count["refused"] >= 0.8 * points


def test_the_lab_sees_what_is_wrong(lab, tmp_path):
    """A file of another kind under a final name, one that is gone, and a temporary one."""
    folder = lab.fresh("point")
    assert lab.wrong_files(folder) == []
    (folder / "stranger.c").write_text("half")
    (folder / ".e.mercer.1.part").write_text("half")
    (folder / "s.toml").unlink()
    assert len(lab.wrong_files(folder)) == 3
