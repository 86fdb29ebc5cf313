"""Multi-layer perceptrons as ONNX files, written without any library: protocol buffers are that simple."""

from __future__ import annotations

import numpy as np


def _varint(value: int) -> bytes:
    out = bytearray()
    while True:
        low, value = value & 0x7F, value >> 7
        out.append(low | (0x80 if value else 0))
        if not value:
            return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _block(field: int, content: bytes | str) -> bytes:
    content = content.encode() if isinstance(content, str) else content
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _float(field: int, value: float) -> bytes:
    return _varint(field << 3 | 5) + np.float32(value).tobytes()


class Graph:
    """Nodes one after the other; each gives the name of what it computes."""

    def __init__(self, inputs: int) -> None:
        self.nodes = b""
        self.weights = b""
        self.outputs = b""
        self.inputs = self._port(11, "obs", inputs)
        self.count = 0

    @staticmethod
    def _port(field: int, name: str, size: int) -> bytes:
        batch, width = _block(1, _block(2, "batch")), _block(1, _number(1, size))
        return _block(field, _block(1, name) + _block(2, _block(1, _number(1, 1) + _block(2, batch + width))))

    def tensor(self, values: np.ndarray) -> str:
        name = f"w{self.count}"
        self.count += 1
        values = np.ascontiguousarray(values, dtype="<f4")
        sizes = b"".join(_number(1, n) for n in values.shape)
        self.weights += _block(5, sizes + _number(2, 1) + _block(8, name) + _block(9, values.tobytes()))
        return name

    def node(self, kind: str, *inputs: str, name: str | None = None, **attributes: float) -> str:
        name = name or f"v{self.count}"
        self.count += 1
        content = b"".join(_block(1, one) for one in inputs) + _block(2, name) + _block(4, kind)
        for key, value in attributes.items():
            whole = isinstance(value, int)
            told = _number(3, value) + _number(20, 2) if whole else _float(2, value) + _number(20, 1)
            content += _block(5, _block(1, key) + told)
        self.nodes += _block(1, content)
        return name

    def linear(self, x: str, weight: np.ndarray, bias: np.ndarray, name: str | None = None) -> str:
        return self.node("Gemm", x, self.tensor(weight), self.tensor(bias), name=name, transB=1)

    def output(self, name: str, size: int) -> None:
        self.outputs += self._port(12, name, size)

    def model(self) -> bytes:
        graph = self.nodes + _block(2, "policy") + self.weights + self.inputs + self.outputs
        return _number(1, 7) + _block(2, "mercer") + _block(7, graph) + _block(8, _number(2, 13))
