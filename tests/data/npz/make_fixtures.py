#!/usr/bin/env python3
"""Writes the .npz files beside this script, as numpy 1.24 does. The values are those tests/io/npz_numpy.cpp expects."""

import pathlib
import zipfile

import numpy as np

here = pathlib.Path(__file__).parent

every_type = {
    "f64": np.arange(6, dtype="<f8").reshape(2, 3) / 4 - 0.5,
    "f32": np.array([1.5, -2.25, 1e30], dtype="<f4"),
    "i64": np.array([-(2**63), 0, 2**63 - 1], dtype="<i8"),
    "i32": np.array([[-(2**31)], [2**31 - 1]], dtype="<i4"),
    "u8": np.array([0, 127, 255], dtype="u1"),
    "flags": np.array([True, False, True]),
    "single": np.array(-1.25),
    "empty": np.zeros((0, 3)),
    "text": np.bytes_(b"a name"),
    "zeros": np.zeros((50, 20)),
}
np.savez(here / "stored.npz", **{name: every_type[name] for name in every_type if name != "zeros"})
np.savez_compressed(here / "compressed.npz", **every_type)

# Element (i, j, k) holds 100 i + 10 j + k, stored with the first index running fastest.
i, j, k = np.meshgrid(np.arange(2), np.arange(3), np.arange(4), indexing="ij")
np.savez(here / "fortran.npz", cube=np.asfortranarray((100 * i + 10 * j + k).astype("<i4")),
         vector=np.asfortranarray(np.arange(3.0)))

# The header of format version 2.0, which numpy uses when 65535 bytes do not hold it, has a longer length field.
with zipfile.ZipFile(here / "version2.npz", "w") as archive, archive.open("a.npy", "w") as member:
    np.lib.format.write_array(member, np.array([1.0, 2.0]), version=(2, 0))

# What Mercer does not read.
np.savez(here / "complex.npz", z=np.array([1 + 2j]))
np.savez(here / "big_endian.npz", x=np.array([1.0], dtype=">f8"))
np.savez(here / "unicode.npz", name=np.array("text"))
np.savez(here / "record.npz", r=np.array([(1, 2.0)], dtype=[("a", "<i4"), ("b", "<f8")]))
np.savez(here / "object.npz", o=np.array([None, "pickled"], dtype=object))
