"""A perceptron as an ONNX file, written without the package: protocol buffers are tags, lengths and bytes."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np


def _varint(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
    return out + bytes([value])


def _field(number: int, value: int | bytes | str) -> bytes:
    """An integer, or anything with a length."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    content = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _tensor(name: str, array: Any) -> bytes:
    values = np.ascontiguousarray(array, dtype="<f4")
    shape = b"".join(_field(1, int(n)) for n in values.shape)
    return shape + _field(2, 1) + _field(8, name) + _field(9, values.tobytes())


def _value(name: str, width: int) -> bytes:
    """Single precision, (batch, width)."""
    shape = _field(1, _field(2, "batch")) + _field(1, _field(1, width))
    return _field(1, name) + _field(2, _field(1, _field(1, 1) + _field(2, shape)))


def _node(kind: str, inputs: Sequence[str], output: str, attributes: bytes = b"") -> bytes:
    names = b"".join(_field(1, one) for one in inputs)
    return _field(1, names + _field(2, output) + _field(4, kind) + attributes)


def _float_attribute(name: str, value: float) -> bytes:
    content = _field(1, name) + bytes([2 << 3 | 5]) + np.float32(value).tobytes() + _field(20, 1)
    return _field(5, content)


def _transpose() -> bytes:
    return _field(5, _field(1, "transB") + _field(3, 1) + _field(20, 2))


def write_perceptron(path: str, layers: Sequence[tuple[str, Any]], output: str) -> None:
    """Writes layers, ("Gemm", (weight (out, in), bias)) or ("Relu", None), ("Elu", alpha), ...; the input is `obs`."""
    nodes, tensors, last = b"", b"", "obs"
    width = [weights[0].shape for kind, weights in layers if kind == "Gemm"]
    for i, (kind, given) in enumerate(layers):
        name = output if i == len(layers) - 1 else f"x{i}"
        if kind == "Gemm":
            tensors += _field(5, _tensor(f"w{i}", given[0])) + _field(5, _tensor(f"b{i}", given[1]))
            nodes += _node(kind, [last, f"w{i}", f"b{i}"], name, _transpose())
        else:
            nodes += _node(kind, [last], name, b"" if given is None else _float_attribute("alpha", given))
        last = name
    ends = _field(11, _value("obs", int(width[0][1]))) + _field(12, _value(output, int(width[-1][0])))
    graph = nodes + _field(2, "perceptron") + tensors + ends
    opset = _field(8, _field(1, "") + _field(2, 13))
    with open(path, "wb") as file:
        file.write(_field(1, 8) + _field(2, "mercer") + _field(7, graph) + opset)
