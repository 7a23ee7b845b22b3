"""A model's folder on this machine: what is in it, as a digest, and its tensors without reading them all."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_NAMES = ("config.json", "tokenizer.json", "sentencepiece.bpe.model", "*.safetensors", "*.bin", "*.pt")
"""The files that vectors depend on."""
_WHOLE = 32 * 1024 * 1024
"""Bytes; a larger file is looked at here and there: another training changes all of its weights."""
_LOOKS, _LOOK = 64, 64 * 1024
_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I8": "i1", "I64": "<i8", "I32": "<i4"}


def folder_digest(folder: Path) -> str:
    """16 hexadecimal digits: the same for a copy of a model, another for another model. Raises `OSError`."""
    digest = hashlib.sha256()
    for path in sorted({path for name in _NAMES for path in folder.glob(name)}):
        size = path.stat().st_size
        digest.update(f"{path.name} {size} ".encode())
        with path.open("rb") as file:
            if size <= _WHOLE:
                digest.update(file.read())
                continue
            for number in range(_LOOKS):
                file.seek((size - _LOOK) * number // (_LOOKS - 1))
                digest.update(file.read(_LOOK))
    return digest.hexdigest()[:16]


def mapped_tensors(path: Path) -> dict[str, NDArray[Any]]:
    """The tensors of a safetensors file, mapped. Raises `OSError`, `ValueError` or `KeyError` for what is none.

    The library's own reader copies the whole file into memory, half a gigabyte for a multilingual vocabulary.
    """
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > path.stat().st_size:
            raise ValueError("it is not a safetensors file, or was cut off")
        header = json.loads(file.read(length))
    if not isinstance(header, dict):
        raise ValueError("it is not a safetensors file")
    return {
        name: np.memmap(path, _DTYPES[item["dtype"]], "r", 8 + length + item["data_offsets"][0], tuple(item["shape"]))
        for name, item in header.items()
        if name != "__metadata__"
    }
