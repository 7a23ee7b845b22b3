"""Vectors as bytes: a quarter of the room, and hardly another direction."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_TOP = 127


def quantise(vectors: NDArray[Any]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Each row (N x D) as whole numbers in -127..127, and the factor that makes them the row again (N).

    No component is off by more than half a factor. A row of zeros has the factor 0.
    """
    scale = (np.abs(vectors).max(axis=1, initial=0.0) / _TOP).astype(np.float32)
    safe = np.where(scale > 0, scale, np.float32(1.0))
    return np.rint(vectors / safe[:, None]).astype(np.int8), scale


def restore(values: NDArray[np.int8], scale: NDArray[np.float32]) -> NDArray[np.float32]:
    """What `quantise` was given, as near as bytes can say it; N x D."""
    restored = values.astype(np.float32)
    restored *= scale[:, None]
    return restored


def dot(values: NDArray[np.int8], scale: NDArray[np.float32], vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """The dot product of each row of `restore` with a vector (D); N."""
    products: NDArray[np.float32] = (values.astype(np.float32) @ vector) * scale
    return products
