"""Vectors in a quarter of the room: whole numbers from -127 to 127, with one scale a vector.

A product with a vector q is off by at most half a scale times the sum of q's magnitudes. Arrays may be mapped: one
block of rows is in memory at a time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_LIMIT = 127
_BLOCK = 4_000_000
"""Numbers of a block."""

Codes = NDArray[np.int8]
Floats = NDArray[np.float32]


def quantise(vectors: NDArray[np.floating]) -> tuple[Codes, Floats]:
    """Vectors (rows x dimensions, finite) as codes of that shape and a scale for each row: vector ≈ scale x codes."""
    codes = np.empty(vectors.shape, np.int8)
    scales = np.empty(len(vectors), np.float32)
    for rows in _blocks(vectors):
        block = np.asarray(vectors[rows], np.float32)
        scale = np.abs(block).max(axis=1, initial=0.0) / np.float32(_LIMIT)
        scales[rows] = scale
        shares = np.divide(block, scale[:, None], out=np.zeros_like(block), where=scale[:, None] > 0)
        codes[rows] = np.clip(np.rint(shares), -_LIMIT, _LIMIT)  # a tiny scale is so coarse that shares can be larger
    return codes, scales


def dot(codes: Codes, scales: Floats, vector: Floats) -> Floats:
    """The product of each row with a vector of the same dimensions, as float32."""
    out = np.empty(len(codes), np.float32)
    for rows in _blocks(codes):
        out[rows] = (codes[rows].astype(np.float32) @ vector) * scales[rows]
    return out


def restore(codes: Codes, scales: Floats) -> Floats:
    """What `quantise` was given, as near as codes can say it; rows x dimensions."""
    restored = codes.astype(np.float32)
    restored *= scales[:, None]
    return restored


def _blocks(rows: NDArray[np.generic]) -> list[slice]:
    size = max(1, _BLOCK // max(1, rows.shape[1]))
    return [slice(start, start + size) for start in range(0, len(rows), size)]
