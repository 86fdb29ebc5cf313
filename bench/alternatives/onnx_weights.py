"""The stored tensors of an ONNX file by name, read without any library: field numbers are those of onnx.proto."""

import numpy as np

GRAPH, INITIALIZER = 7, 5
DIMS, TYPE, FLOATS, NAME, RAW = 1, 2, 4, 8, 9
FLOAT = 1


def fields(data):
    """(number, value) of each field of a message: whole numbers, or bytes."""

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    at = 0
    while at < len(data):
        tag = number()
        kind = tag & 7
        if kind == 0:
            yield tag >> 3, number()
            continue
        size = number() if kind == 2 else {1: 8, 5: 4}[kind]
        yield tag >> 3, data[at:at + size]
        at += size


def tensor(data):
    shape, name, kind, values = [], "", None, b""
    for field, value in fields(data):
        if field == DIMS:
            shape += [value] if isinstance(value, int) else list(value)  # small sizes may stand side by side in bytes
        elif field == TYPE:
            kind = value
        elif field == NAME:
            name = value.decode()
        elif field in (RAW, FLOATS):
            values += value
    return name, np.frombuffer(values, "<f4").reshape(shape).astype(float) if kind == FLOAT else None


def weights(file):
    graph = next(value for field, value in fields(file.read_bytes()) if field == GRAPH)
    return dict(tensor(value) for field, value in fields(graph) if field == INITIALIZER)
