"""The columns of a segment that have a value a file or a message."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jam.index.growing import Growing
from jam.index.quantised import quantise

MESSAGE_COLUMNS: Mapping[str, tuple[str, type[np.generic]]] = {
    "message": ("i", np.int32),
    "begin": ("i", np.int32),
    "end": ("i", np.int32),
    "day": ("i", np.int32),
    "cost": ("i", np.int32),
    "size": ("i", np.int32),
    "length": ("i", np.int32),
    "recalled": ("b", np.bool_),
    "traits": ("B", np.uint8),
    "speaker": ("i", np.int32),
}
"""The numbers of a message: how they are gathered, and how they are kept."""


class FileColumns:
    """What is kept of each raw file."""

    def __init__(self, folder: Path, dimensions: int) -> None:
        self._folder = folder
        self._starts = array("q", [0])
        self._days = array("i")
        self._languages: list[str] = []
        self._sums = Growing(folder / "file_sum.npy", np.float32, dimensions)

    def add(self, messages: int, day: int, languages: str, total: NDArray[Any]) -> None:
        """The next file: how many messages it has, its day, its languages, the sum of its token vectors."""
        self._starts.append(self._starts[-1] + messages)
        self._days.append(day)
        self._languages.append(languages)
        self._sums.append(total[None, :])

    def close(self) -> None:
        """Completes the arrays."""
        _save(self._folder, "start", np.array(self._starts, np.int64))
        _save(self._folder, "file_day", np.array(self._days, np.int32))
        _save(self._folder, "file_language", strings(self._languages))
        self._sums.close()


class VectorColumns:
    """What is kept of each message's token vectors; written as it comes."""

    def __init__(self, folder: Path, dimensions: int) -> None:
        self._sums = Growing(folder / "sum.npy", np.int8, dimensions)
        self._scales = Growing(folder / "scale.npy", np.float32)
        self._signatures = Growing(folder / "signature.npy", np.uint64, -(-dimensions // 64))

    def add(self, sums: NDArray[np.float32], common: NDArray[np.float32]) -> None:
        """The sums of the next messages' token vectors, and how much of each is common to all texts."""
        self.put(*quantise(sums), signatures(sums - common))

    def put(self, sums: NDArray[np.int8], scales: NDArray[np.float32], bits: NDArray[np.uint64]) -> None:
        """The next rows as they are kept."""
        self._sums.append(sums)
        self._scales.append(scales)
        self._signatures.append(bits)

    def close(self) -> None:
        for made in (self._sums, self._scales, self._signatures):
            made.close()


def signatures(vectors: NDArray[Any]) -> NDArray[np.uint64]:
    """The signs of vectors (N x D) as bits, N x D/64: near vectors differ in few of them."""
    bits = np.packbits(vectors > 0, axis=1)
    padded = np.zeros((len(vectors), -(-bits.shape[1] // 8) * 8), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return padded.view(np.uint64)


def write_messages(folder: Path, columns: Mapping[str, NDArray[Any]], names: Sequence[str]) -> None:
    """Makes the arrays of messages, in `folder`; `speaker` are numbers into `names`, which are sorted on the way."""
    order = sorted(range(len(names)), key=names.__getitem__)
    number = np.empty(len(names), np.int32)
    number[order] = np.arange(len(names), dtype=np.int32)
    for name, (_, dtype) in MESSAGE_COLUMNS.items():
        values = columns[name]
        _save(folder, name, (number[values] if name == "speaker" and len(values) else values).astype(dtype))
    _save(folder, "speakers", strings([names[place] for place in order]))


def strings(values: Sequence[str]) -> NDArray[np.generic]:
    """Texts as an array."""
    return np.array(values, dtype=np.str_) if values else np.zeros(0, "U1")


def _save(folder: Path, name: str, values: NDArray[Any]) -> None:
    np.save(folder / f"{name}.npy", values, allow_pickle=False)
