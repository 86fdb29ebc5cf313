"""What the tests of the Python package share: the data, the command line, a pendulum in pure Python."""

import os
import pathlib
import sys

import numpy as np
import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = pathlib.Path(os.environ["SOURCE_FOLDER"])
sys.path.insert(0, str(ROOT / "tests/cli"))
sys.path.insert(0, str(HERE))
os.environ.setdefault("MPLBACKEND", "Agg")

import mercer  # noqa: E402

DATA = ROOT / "tests/data"
ACTOR = DATA / "policies/pendulum_5000_actor.onnx"
SB3 = DATA / "sb3/pendulum_5000_actor.zip"


@pytest.fixture(scope="session")
def teacher():
    return mercer.load_policy(ACTOR, "pendulum")


@pytest.fixture(scope="session")
def small():
    """A continuous embedding of the pendulum's teacher."""
    return mercer.embed_continuous(ACTOR, "pendulum", k=6, rollouts=50, rounds=2, seed=3)


@pytest.fixture
def cli(tmp_path):
    from cli_program import Mercer

    return Mercer(tmp_path)


@pytest.fixture
def rng():
    return np.random.default_rng(7)
