"""The teacher's own network with few bits a weight: a copy of its file with rounded weights, which Mercer reads as any other."""

import dataclasses
import pathlib
import warnings

import numpy as np

from .onnx_weights import weights
from .teacher import rounded
from .torch_weights import Agent, NotPlain


class LeftOut(Exception):
    """Why a teacher does not have a rival."""


def layers_of(mercer, file, task):
    """(name, inputs, outputs) of each layer that the mean action or the choice comes from: one behind the other, without a second
    head for the spread of actions."""
    chain = []
    for layer in inspected(mercer, file, task)["layers"]:
        if chain and layer["inputs"] != chain[-1][2]:
            break
        chain.append((layer["name"], layer["inputs"], layer["outputs"]))
    wanted = task.choices or len(task.middle)
    if not chain or chain[-1][2] < wanted:
        raise LeftOut(f"the layers of {pathlib.Path(file).name} are not known")
    name, inputs, _ = chain[-1]
    return [*chain[:-1], (name, inputs, wanted)]  # snapshots have the spread behind the mean in one layer


def inspected(mercer, file, task):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about normalisers: playing the teacher warns of them
        return mercer.inspect(file, task.name)


def float_bytes(layers):
    return sum(4 * (inputs + 1) * outputs for _, inputs, outputs in layers)


@dataclasses.dataclass(frozen=True)
class Rounding:
    """Weights of so many bits; biases in float32, as are the scales, one for each layer or for each row of its matrix."""

    bits: int
    rows: bool = False

    def bytes(self, layers):
        numbers, outputs = sum(layer[1] * layer[2] for layer in layers), sum(layer[2] for layer in layers)
        return (numbers * self.bits + 7) // 8 + 4 * (outputs + (outputs if self.rows else len(layers)))

    def __str__(self):
        return f"int{self.bits}" + (", scale a row" if self.rows else "")


def rounded_tensors(tensors, layers, rounding):
    """The weights of the layers by name, rounded; outputs behind those that are played stay as they are."""
    changed = {}
    for name, inputs, outputs in layers:
        key = name if name in tensors else f"{name}.weight"  # ONNX files have layers by the names of their matrices
        if key not in tensors or inputs not in tensors[key].shape or tensors[key].ndim != 2:
            raise LeftOut(f"there is no matrix {key} with {inputs} inputs")
        changed[key] = np.array(tensors[key])
        rows = changed[key] if changed[key].shape[1] == inputs else changed[key].T
        rows[:outputs] = rounded(rows[:outputs], rounding.bits, 1 if rounding.rows else None)
    return changed


def rounded_safetensors(mercer, file, layers, rounding, out):
    tensors, metadata = mercer.read_safetensors(file)
    mercer.write_safetensors(out, {**tensors, **rounded_tensors(tensors, layers, rounding)}, metadata)


def replaced(data, old, new):
    """The bytes with one array put in place of another; both float32."""
    old, new = np.asarray(old, "<f4").tobytes(), np.asarray(new, "<f4").tobytes()
    if data.count(old) != 1:
        raise LeftOut("a matrix is not stored once as plain float32")
    return data.replace(old, new)


def rounded_onnx(mercer, file, layers, rounding, out):
    data, stored = file.read_bytes(), {name: value for name, value in weights(file).items() if value is not None}
    for key, value in rounded_tensors(stored, layers, rounding).items():
        data = replaced(data, stored[key], value)
    out.write_bytes(data)


def rounded_zip(mercer, file, layers, rounding, out):
    try:
        agent = Agent(file)
    except NotPlain as reason:
        raise LeftOut(str(reason)) from None
    for key, value in rounded_tensors(agent.matrices, layers, rounding).items():
        agent.replace(key, value)
    out.write_bytes(agent.zipped())


KINDS = {".safetensors": rounded_safetensors, ".onnx": rounded_onnx, ".zip": rounded_zip}


def rounded_original(mercer, file, task, rounding, folder):
    """The policy with rounded weights, and its bytes."""
    file = pathlib.Path(file)
    if file.suffix not in KINDS:
        raise LeftOut(f"weights of {file.suffix} files cannot be rounded here")
    layers, out = layers_of(mercer, file, task), pathlib.Path(folder) / f"rounded{file.suffix}"
    KINDS[file.suffix](mercer, file, layers, rounding, out)
    settings = {"normaliser": inspected(mercer, file, task)["normaliser"] or "none"} if file.suffix == ".zip" else {}
    return mercer.load_policy(out, task.name, **settings), rounding.bytes(layers)
