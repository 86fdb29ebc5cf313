"""The networks that are made small, and where copies of them lie."""

import pathlib

from .tasks import ContinuousMountainCar, MountainCar, Pendulum

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = (ROOT / "tests/data/policies", ROOT / "bench/policies")
SUBJECTS = {
    "pendulum_2000": Pendulum,
    "pendulum_3000": Pendulum,
    "pendulum_4000": Pendulum,
    "pendulum_5000": Pendulum,
    "pendulum_10000": Pendulum,
    "cmc_sde_10000": ContinuousMountainCar,
    "cmc_sde_20000": ContinuousMountainCar,
    "cmc_plain_6000": ContinuousMountainCar,
    "mc_dqn_120000": MountainCar,
}


def file_of(name):
    for folder in FOLDERS:
        for ending in ("actor", "q"):
            if (folder / f"{name}_{ending}.onnx").exists():
                return folder / f"{name}_{ending}.onnx"
    raise FileNotFoundError(f"no actor {name} in {' or '.join(str(folder) for folder in FOLDERS)}")
