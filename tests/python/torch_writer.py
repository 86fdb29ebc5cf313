"""Writes what torch.save, Stable-Baselines3 and VecNormalize write, without any of them: for tests of the reader."""

import base64
import collections
import contextlib
import io
import json
import pickle
import struct
import sys
import types
import zipfile

import numpy as np

STORAGES = {"f4": "FloatStorage", "f8": "DoubleStorage", "f2": "HalfStorage", "bf": "BFloat16Storage"}


@contextlib.contextmanager
def stand_ins(names):
    """Modules with classes and functions whose names end up in a pickle: {"torch._utils": ["_rebuild_tensor_v2"]}."""
    modules = {}
    for path, members in names.items():
        parts = path.split(".")
        for i in range(len(parts)):  # Python imports the packages above a module first
            parent = ".".join(parts[: i + 1])
            modules.setdefault(parent, types.ModuleType(parent))
        module = modules[path]
        for member in members:
            made = type(member, (), {"__module__": path, "__qualname__": member})
            setattr(module, member, made)
    before = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        yield lambda path, member: getattr(modules[path], member)
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


class _Storage:
    def __init__(self, key, kind, size):
        self.key, self.kind, self.size = key, kind, size


def _raw(values, kind):
    values = np.ascontiguousarray(values, dtype="<f4" if kind == "bf" else "<" + kind)
    if kind != "bf":
        return values.tobytes()
    return (values.view("<u4") >> 16).astype("<u2").tobytes()


def state_dict(tensors, extra=None, layout="zip", kind="f4", protocol=2, transpose=False):
    """The bytes of torch.save(OrderedDict of tensors); `extra` puts any other object into the dictionary.

    `layout` is "zip" or "legacy", `kind` one of STORAGES; `transpose` stores matrices column by column.
    """
    names = {"torch": list(STORAGES.values()), "torch._utils": ["_rebuild_tensor_v2"]}
    with stand_ins(names) as find:

        class Tensor:
            def __init__(self, key, values):
                self.key, self.values = key, values

            def __reduce__(self):
                shape = self.values.shape
                strides = tuple(int(np.prod(shape[d + 1 :])) for d in range(len(shape)))
                if transpose and len(shape) == 2:
                    strides = (1, shape[0])
                storage = _Storage(self.key, kind, self.values.size)
                return find("torch._utils", "_rebuild_tensor_v2"), (storage, 0, shape, strides, False, collections.OrderedDict())

        class Pickler(pickle.Pickler):
            def persistent_id(self, one):
                if not isinstance(one, _Storage):
                    return None
                told = ("storage", find("torch", STORAGES[one.kind]), one.key, "cpu", one.size)
                return told if layout == "zip" else (*told, None)

        arrays = [np.asarray(value) for value in tensors.values()]
        held = collections.OrderedDict((key, Tensor(str(i), a)) for i, (key, a) in enumerate(zip(tensors, arrays)))
        held.update(extra or {})
        buffer = io.BytesIO()
        Pickler(buffer, protocol=protocol).dump(held)
    stored = [_raw(a.T if transpose and a.ndim == 2 else a, kind) for a in arrays]
    content = io.BytesIO()
    if layout == "zip":
        with zipfile.ZipFile(content, "w") as archive:
            archive.writestr("archive/data.pkl", buffer.getvalue())
            for i, raw in enumerate(stored):
                archive.writestr(f"archive/data/{i}", raw)
            archive.writestr("archive/version", "3\n")
        return content.getvalue()
    machine = {"protocol_version": 1001, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 4}}
    for one in (0x1950A86A20F9469CFC6C, 1001, machine):
        pickle.dump(one, content, protocol=2)
    content.write(buffer.getvalue())
    pickle.dump([str(i) for i in range(len(arrays))], content, protocol=2)
    for array, raw in zip(arrays, stored):
        content.write(struct.pack("<q", array.size) + raw)
    return content.getvalue()


def box(low, high):
    low, high = np.asarray(low, dtype=np.float32), np.asarray(high, dtype=np.float32)
    return {":type:": "<class 'gymnasium.spaces.box.Box'>", ":serialized:": "not read", "dtype": "float32",
            "_shape": list(low.shape), "low": str(low), "high": str(high)}


def discrete(n):
    return {":type:": "<class 'gymnasium.spaces.discrete.Discrete'>", ":serialized:": "not read", "n": str(n)}


def _filled(kind, **attributes):
    made = kind.__new__(kind)
    made.__dict__.update(attributes)
    return made


def dictionary(sizes, protocol=4):
    """A space of boxes by their keys, as cloudpickle writes it; its text says too little to be read."""
    with stand_ins({"gym.spaces.dict": ["Dict"], "gym.spaces.box": ["Box"]}) as find:
        boxes = collections.OrderedDict()
        for key, size in sizes.items():
            low, high = np.full(size, -np.inf, np.float32), np.full(size, np.inf, np.float32)
            boxes[key] = _filled(find("gym.spaces.box", "Box"), _shape=(size,), low=low, high=high, dtype=low.dtype)
        space = pickle.dumps(_filled(find("gym.spaces.dict", "Dict"), spaces=boxes), protocol=protocol)
    return {":type:": "<class 'gym.spaces.dict.Dict'>", ":serialized:": base64.b64encode(space).decode(),
            "spaces": "OrderedDict([...])"}


def policy_class(module, name):
    with stand_ins({module: [name]}) as find:
        text = base64.b64encode(pickle.dumps(find(module, name), protocol=4)).decode()
    return {":type:": "<class 'abc.ABCMeta'>", ":serialized:": text, "__module__": module}


def write_normaliser(path, mean, var, protocol=4, **attributes):
    """The file of VecNormalize.save; `mean` and `var` may be dictionaries."""
    names = {"stable_baselines3.common.vec_env.vec_normalize": ["VecNormalize"],
             "stable_baselines3.common.running_mean_std": ["RunningMeanStd"]}
    with stand_ins(names) as find:
        statistics = find("stable_baselines3.common.running_mean_std", "RunningMeanStd")
        if isinstance(mean, dict):
            held = {key: _filled(statistics, mean=np.asarray(mean[key]), var=np.asarray(var[key]), count=9.0) for key in mean}
        else:
            held = _filled(statistics, mean=np.asarray(mean), var=np.asarray(var), count=9.0)
        told = {"norm_obs": True, "obs_rms": held, "clip_obs": 10.0, "epsilon": 1e-8, "gamma": np.float64(0.99), **attributes}
        made = _filled(find("stable_baselines3.common.vec_env.vec_normalize", "VecNormalize"), **told)
        path.write_bytes(pickle.dumps(made, protocol=protocol))
    return path


def write_agent(path, tensors, observation, action, extra=None, torch=None, **data):
    """The .zip of an agent: what SB3's save writes, as far as a reader looks. `torch` are arguments of `state_dict`."""
    data = {"observation_space": observation, "action_space": action, "policy_kwargs": {}, **data}
    members = {"data": json.dumps(data, indent=1), "policy.pth": state_dict(tensors, extra, **(torch or {})),
               "_stable_baselines3_version": "2.3.2"}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, compress_type=zipfile.ZIP_DEFLATED)
    return path
