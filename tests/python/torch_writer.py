"""Writes what torch.save and Stable-Baselines3 write, without either: for tests of the reader."""

import collections
import io
import json
import pickle
import sys
import types
import zipfile

import numpy as np


class _Storage:
    def __init__(self, number, size):
        self.number, self.size = number, size


def _stand_ins():
    """Modules whose names end up in the pickle; nothing of torch is here."""
    torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")

    def _rebuild_tensor_v2(*_):
        raise AssertionError("only its name is written")

    class FloatStorage:
        pass

    _rebuild_tensor_v2.__module__, _rebuild_tensor_v2.__qualname__ = "torch._utils", "_rebuild_tensor_v2"
    FloatStorage.__module__, FloatStorage.__qualname__ = "torch", "FloatStorage"
    utils._rebuild_tensor_v2, torch.FloatStorage, torch._utils = _rebuild_tensor_v2, FloatStorage, utils
    return {"torch": torch, "torch._utils": utils}


def state_dict(tensors, extra=None):
    """The bytes of torch.save(OrderedDict of float tensors); `extra` puts any other object into the dictionary."""
    modules = _stand_ins()
    before = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        torch = modules["torch"]

        class Tensor:
            def __init__(self, number, values):
                self.number, self.values = number, values

            def __reduce__(self):
                shape = self.values.shape
                strides = tuple(s // 4 for s in self.values.strides)
                storage = _Storage(self.number, self.values.size)
                arguments = (storage, 0, shape, strides, False, collections.OrderedDict())
                return torch._utils._rebuild_tensor_v2, arguments

        class Pickler(pickle.Pickler):
            def persistent_id(self, one):
                if isinstance(one, _Storage):
                    return ("storage", torch.FloatStorage, str(one.number), "cpu", one.size)
                return None

        arrays = [np.ascontiguousarray(value, dtype="<f4") for value in tensors.values()]
        held = collections.OrderedDict((key, Tensor(i, a)) for i, (key, a) in enumerate(zip(tensors, arrays)))
        held.update(extra or {})
        buffer = io.BytesIO()
        Pickler(buffer, protocol=2).dump(held)
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("archive/data.pkl", buffer.getvalue())
        for i, array in enumerate(arrays):
            archive.writestr(f"archive/data/{i}", array.tobytes())
        archive.writestr("archive/version", "3\n")
    return content.getvalue()


def box(low, high):
    low, high = np.asarray(low, dtype=np.float32), np.asarray(high, dtype=np.float32)
    return {":type:": "<class 'gymnasium.spaces.box.Box'>", ":serialized:": "not read", "dtype": "float32",
            "_shape": list(low.shape), "low": str(low), "high": str(high)}


def discrete(n):
    return {":type:": "<class 'gymnasium.spaces.discrete.Discrete'>", ":serialized:": "not read", "n": str(n)}


def write_agent(path, tensors, observation, action, extra=None, **data):
    """The .zip of an agent: what SB3's save writes, as far as a reader looks."""
    data = {"observation_space": observation, "action_space": action, "policy_kwargs": {}, **data}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("data"), json.dumps(data, indent=1))
        archive.writestr(zipfile.ZipInfo("policy.pth"), state_dict(tensors, extra))
        archive.writestr(zipfile.ZipInfo("_stable_baselines3_version"), "2.3.2")
    return path
