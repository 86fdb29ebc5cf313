"""The matrices of an agent of Stable-Baselines3: a zip in which policy.pth is a zip of numbers and a pickle of names."""

import collections
import io
import pickle
import zipfile

import numpy as np


class NotPlain(ValueError):
    """Why the numbers of a file are not found."""


class Names(pickle.Unpickler):
    """The names of a state_dict of torch with where their numbers are: (storage, offset, shape, stride). Nothing else is built."""

    def find_class(self, module, name):
        if (module, name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return lambda *place: place[:4]
        if module == "torch" and name.endswith("Storage"):
            return name
        raise NotPlain(f"policy.pth holds {module}.{name}")

    def persistent_load(self, reference):
        return reference[2] if reference[1] == "FloatStorage" else None


def entries(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(parts):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return out.getvalue()


class Agent:
    """`matrices`: those of float32 that are stored row by row, by name."""

    def __init__(self, file):
        self.parts = entries(file.read_bytes())
        if "policy.pth" not in self.parts or not zipfile.is_zipfile(io.BytesIO(self.parts["policy.pth"])):
            raise NotPlain(f"{file.name} has no policy.pth that is a zip")
        self.stored = entries(self.parts["policy.pth"])
        names = next(name for name in self.stored if name.endswith("data.pkl"))
        self.matrices, self.places = {}, {}
        for key, (storage, offset, shape, stride) in Names(io.BytesIO(self.stored[names])).load().items():
            if storage is None or len(shape) != 2 or tuple(stride) != (shape[1], 1):
                continue
            place = names.removesuffix("data.pkl") + f"data/{storage}"
            self.places[key] = place, 4 * offset
            self.matrices[key] = np.frombuffer(self.stored[place], "<f4", shape[0] * shape[1], 4 * offset).reshape(shape)

    def replace(self, key, matrix):
        (place, begin), new = self.places[key], matrix.astype("<f4").tobytes()
        self.stored[place] = self.stored[place][:begin] + new + self.stored[place][begin + len(new):]

    def zipped(self):
        return zipped({**self.parts, "policy.pth": zipped(self.stored)})
