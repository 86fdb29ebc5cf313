"""An embedding as the C that `mercer export c` writes, compiled and called from numpy."""

import ctypes
import pathlib
import subprocess

import numpy as np

# Calls the exported function for each of many observations, which would cost more than the function itself from Python.
LOOP = """#include "policy.h"
int act_many(int count, const float *obs, float *act)
{
  int i;
  for (i = 0; i < count; i++) policy_act(obs + i * POLICY_OBSERVATIONS, act + i * POLICY_ACTIONS);
  return policy_selftest();
}
"""


class ExportedC:
    """`act(observations)` as every student has it."""

    def __init__(self, program, file, task, folder):
        folder = pathlib.Path(folder)
        subprocess.run([program, "export", "c", str(file), "--out", str(folder), "--name", "policy", "--quiet"], check=True)
        (folder / "loop.c").write_text(LOOP)
        library = folder / "policy.so"
        subprocess.run(["cc", "-std=c99", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "policy.c", "loop.c", "-o", library.name,
                        "-lm"], cwd=folder, check=True)
        self.task, self.many = task, ctypes.CDLL(str(library.resolve())).act_many

    def act(self, observations):
        seen = np.ascontiguousarray(observations, np.float32)
        actions = np.empty(len(seen), np.float32)
        pointer = ctypes.POINTER(ctypes.c_float)
        failed = self.many(len(seen), seen.ctypes.data_as(pointer), actions.ctypes.data_as(pointer))
        if failed:
            raise RuntimeError(f"case {failed} of the exported C's own test fails")
        return actions.astype(float if self.task.choices is None else int)
