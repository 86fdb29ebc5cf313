"""The benchmark's own modules stand in bench/."""

import os
import pathlib
import sys

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")
ROOT = pathlib.Path(os.environ["SOURCE_FOLDER"])
sys.path.insert(0, str(ROOT / "bench"))
