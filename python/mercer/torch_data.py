"""Tensors in the files that torch.save writes, read as data: no pickle is executed and nothing is imported."""

from __future__ import annotations

import io
import pickletools
import zipfile
from typing import Any

import numpy as np

_DTYPES = {
    "FloatStorage": "<f4", "DoubleStorage": "<f8", "HalfStorage": "<f2", "LongStorage": "<i8", "IntStorage": "<i4",
    "ShortStorage": "<i2", "CharStorage": "<i1", "ByteStorage": "<u1", "BoolStorage": "?",
}
_MOST_BYTES = 1 << 30
_MARK = object()


class _Name:
    """A class or function that the pickle refers to; it is only ever compared by name."""

    def __init__(self, module: str, name: str) -> None:
        self.text = f"{module}.{name}"


class _Reader:
    """The few opcodes that dictionaries of tensors are made of, and no others."""

    def __init__(self, archive: zipfile.ZipFile, prefix: str) -> None:
        self.archive, self.prefix = archive, prefix
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def refuse(self, why: str) -> ValueError:
        return ValueError(f"E304: {why}: this is no plain dictionary of tensors. Save the agent with SB3's own save.")

    def read(self, content: bytes) -> Any:
        try:
            operations = list(pickletools.genops(content))
        except ValueError as mistake:
            raise ValueError(f"E303: the list of tensors is cut short or damaged: {mistake}") from None
        for opcode, argument, _ in operations:
            handler = getattr(self, "op_" + opcode.name, None)
            if handler is None:
                raise self.refuse(f"opcode {opcode.name}")
            handler(argument)
        return self.stack[-1]

    def _push(self, argument: Any) -> None:
        self.stack.append(argument)

    op_BINUNICODE = op_SHORT_BINUNICODE = op_BININT = op_BININT1 = op_BININT2 = op_LONG1 = op_BINFLOAT = _push

    def op_PROTO(self, _: Any) -> None: ...

    def op_FRAME(self, _: Any) -> None: ...

    def op_STOP(self, _: Any) -> None: ...

    def op_NONE(self, _: Any) -> None:
        self.stack.append(None)

    def op_NEWTRUE(self, _: Any) -> None:
        self.stack.append(True)

    def op_NEWFALSE(self, _: Any) -> None:
        self.stack.append(False)

    def op_MARK(self, _: Any) -> None:
        self.stack.append(_MARK)

    def op_EMPTY_TUPLE(self, _: Any) -> None:
        self.stack.append(())

    def op_EMPTY_DICT(self, _: Any) -> None:
        self.stack.append({})

    def op_EMPTY_LIST(self, _: Any) -> None:
        self.stack.append([])

    def op_GLOBAL(self, argument: str) -> None:
        module, name = argument.split(" ", 1)
        self.stack.append(_Name(module, name))

    def op_STACK_GLOBAL(self, _: Any) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        self.stack.append(_Name(str(module), str(name)))

    def _put(self, argument: int) -> None:
        self.memo[argument] = self.stack[-1]

    op_BINPUT = op_LONG_BINPUT = _put

    def op_MEMOIZE(self, _: Any) -> None:
        self.memo[len(self.memo)] = self.stack[-1]

    def _get(self, argument: int) -> None:
        self.stack.append(self.memo[argument])

    op_BINGET = op_LONG_BINGET = _get

    def _to_mark(self) -> list[Any]:
        place = max(i for i, item in enumerate(self.stack) if item is _MARK)
        items = self.stack[place + 1 :]
        del self.stack[place:]
        return items

    def op_TUPLE(self, _: Any) -> None:
        self.stack.append(tuple(self._to_mark()))

    def _tuple(self, size: int) -> None:
        self.stack[-size:] = [tuple(self.stack[-size:])]

    def op_TUPLE1(self, _: Any) -> None:
        self._tuple(1)

    def op_TUPLE2(self, _: Any) -> None:
        self._tuple(2)

    def op_TUPLE3(self, _: Any) -> None:
        self._tuple(3)

    def op_SETITEM(self, _: Any) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self.stack[-1][key] = value

    def op_SETITEMS(self, _: Any) -> None:
        items = self._to_mark()
        self.stack[-1].update(zip(items[::2], items[1::2]))

    def op_APPENDS(self, _: Any) -> None:
        items = self._to_mark()
        self.stack[-1].extend(items)

    def op_BUILD(self, _: Any) -> None:
        self.stack.pop()  # attributes of the dictionary, such as _metadata: not needed

    def op_BINPERSID(self, _: Any) -> None:
        kind = self.stack.pop()
        if not (isinstance(kind, tuple) and len(kind) == 5 and kind[0] == "storage" and isinstance(kind[1], _Name)):
            raise self.refuse("a storage of an unknown kind")
        dtype = _DTYPES.get(kind[1].text.removeprefix("torch."))
        if dtype is None:
            raise self.refuse(f"a storage of type {kind[1].text}")
        name = f"{self.prefix}data/{kind[2]}"
        if self.archive.getinfo(name).file_size > _MOST_BYTES:
            raise self.refuse(f"{name} is larger than 1 GiB")
        self.stack.append(np.frombuffer(self.archive.read(name), dtype=dtype))

    def op_REDUCE(self, _: Any) -> None:
        arguments, function = self.stack.pop(), self.stack.pop()
        name = function.text if isinstance(function, _Name) else ""
        if name == "collections.OrderedDict":
            self.stack.append(dict(*arguments))
        elif name in ("torch._utils._rebuild_tensor_v2", "torch._utils._rebuild_tensor"):
            self.stack.append(self._tensor(*arguments[:4]))
        elif name == "torch._utils._rebuild_parameter":
            self.stack.append(arguments[0])
        else:
            raise self.refuse(f"a call of {name or 'something that is no function'}")

    def _tensor(self, storage: np.ndarray, offset: int, shape: tuple, strides: tuple) -> np.ndarray:
        last = offset + sum((n - 1) * s for n, s in zip(shape, strides)) if all(shape) else 0
        if offset < 0 or min((*shape, *strides), default=0) < 0 or last >= max(1, storage.size):
            raise self.refuse("a tensor that reaches beyond its storage")
        size = storage.itemsize
        view = np.lib.stride_tricks.as_strided(
            storage[offset:], shape=shape, strides=tuple(s * size for s in strides), writeable=False
        )
        return np.array(view)


def read_tensors(content: bytes) -> dict[str, np.ndarray]:
    """The state dictionary in the bytes of a file of torch.save (version 1.6 or later, the zip format)."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        pickles = [name for name in archive.namelist() if name.endswith("data.pkl")]
        if len(pickles) != 1:
            raise ValueError("E304: a torch file without data.pkl. Save it with torch 1.6 or later.")
        found = _Reader(archive, pickles[0].removesuffix("data.pkl")).read(archive.read(pickles[0]))
    except (zipfile.BadZipFile, KeyError, IndexError, TypeError, ArithmeticError) as mistake:
        raise ValueError(f"E303: unreadable tensors: {mistake}. The file is damaged, or no torch file.") from None
    if not isinstance(found, dict):
        raise ValueError("E304: a torch file that holds no dictionary. Save the agent with SB3's own save.")
    return {key: value for key, value in found.items() if isinstance(value, np.ndarray)}
