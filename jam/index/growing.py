"""Arrays that grow row by row into a file, and what is set aside on disk meanwhile: an index is made in bounded memory.

The files are numpy's own (`.npy`), so that they can be memory-mapped afterwards.
"""

from __future__ import annotations

import pickle
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

_HEADER = 128
"""Bytes before the data: the length that numpy gives the header of any array of two dimensions."""
_IN_MEMORY = 262_144
"""Bytes of what is set aside that need no file."""


class Growing:
    """An array in a file, written from the first row to the last."""

    def __init__(self, path: Path, dtype: type[np.number[Any]], columns: int | None = None) -> None:
        self._file: IO[bytes] = path.open("wb")
        self._file.write(bytes(_HEADER))
        self._dtype = np.dtype(dtype)
        self._columns = columns
        self.rows = 0

    def append(self, rows: NDArray[Any]) -> None:
        """Writes some more rows."""
        self._file.write(np.ascontiguousarray(rows, self._dtype).data)
        self.rows += len(rows)

    def close(self) -> None:
        """Completes the file."""
        shape = (self.rows,) if self._columns is None else (self.rows, self._columns)
        text = f"{{'descr': '{self._dtype.str}', 'fortran_order': False, 'shape': {shape}, }}"
        self._file.seek(0)
        self._file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", _HEADER - 10))
        self._file.write(text.encode("ascii").ljust(_HEADER - 11) + b"\n")
        self._file.close()


def blocks(path: Path, rows: int) -> Iterator[NDArray[Any]]:
    """An array of one dimension, some rows at a time. Not mapped: what was read of a map counts as memory in use."""
    with path.open("rb") as file:
        np.lib.format.read_magic(file)
        _, _, dtype = np.lib.format.read_array_header_1_0(file)
        while len(block := np.fromfile(file, dtype, rows)):
            yield block


class SetAside:
    """Rows of numbers, or Python values, written now and read again in their order; on disk where they are many."""

    def __init__(self, folder: Path) -> None:
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=str(folder))  # noqa: SIM115

    def append(self, rows: NDArray[Any]) -> None:
        """Sets some rows aside."""
        self._file.write(np.ascontiguousarray(rows).tobytes())

    def blocks(self, dtype: np.dtype[Any], rows: int) -> Iterator[NDArray[Any]]:
        """What was set aside, some rows at a time."""
        self._file.seek(0)
        while data := self._file.read(rows * dtype.itemsize):
            yield np.frombuffer(data, dtype)

    def all(self, dtype: np.dtype[Any]) -> NDArray[Any]:
        """All rows that were set aside."""
        self._file.seek(0)
        return np.frombuffer(self._file.read(), dtype)

    def put(self, value: object) -> None:
        """Sets a value aside."""
        pickle.dump(value, self._file, pickle.HIGHEST_PROTOCOL)

    def values(self) -> Iterator[Any]:
        """The values that were set aside."""
        self._file.seek(0)
        while True:
            try:
                yield pickle.load(self._file)
            except EOFError:
                return

    def close(self) -> None:
        self._file.close()
