"""A session's messages in contiguous segments (DeferMem, segment construction). Numbers only: no texts, no files.

A gap is what lies between a message and the next one: n messages have n - 1. A segment begins after a gap where a score
of transition has a local peak, unless the two messages there are alike all the same. The paper's score is an encoder's
attention; see `jam/links/transitions.py` for what may take its place.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Places = NDArray[np.int64]


def segment_starts(scores: Floats, cosines: Floats, below: float) -> Places:
    """The first message of each segment, from 0, by what is known of the gaps: scores of transition and cosines across.

    A gap is a boundary where its score is a local peak and its cosine is less than `below`. Of neighbours with one
    score only the last can be a peak; the first and the last gap have nothing to be measured against on one side.
    """
    edge = np.array([-np.inf])
    before, after = np.concatenate([edge, scores[:-1]]), np.concatenate([scores[1:], edge])
    peaks = (scores >= before) & (scores > after) if len(scores) else np.zeros(0, bool)
    return np.concatenate([[0], np.flatnonzero(peaks & (cosines < below)) + 1]).astype(np.int64)


def cosines_across(vectors: Floats, width: int = 1) -> Floats:
    """The cosine across each gap: of the `width` messages before it, each by its direction, to those after it.

    It is 1 where either side has no direction: nothing is said there, so nothing changes.
    """
    count = len(vectors)
    if count < 2:
        return np.zeros(0, np.float32)
    total = np.zeros((count + 1, vectors.shape[1]))
    np.cumsum(_directions(vectors), axis=0, out=total[1:], dtype=np.float64)
    gaps = np.arange(1, count)
    left = _directions(total[gaps] - total[np.maximum(gaps - width, 0)])
    right = _directions(total[np.minimum(gaps + width, count)] - total[gaps])
    cosines = np.einsum("ij,ij->i", left, right)
    silent = ~(left.any(axis=1) & right.any(axis=1))
    return np.where(silent, 1.0, cosines).astype(np.float32)


def segment_sums(vectors: Floats, starts: Places) -> Floats:
    """The sum of the vectors of each segment's messages."""
    if not len(vectors):
        return np.zeros((0, vectors.shape[1]), np.float32)
    sums: Floats = np.add.reduceat(vectors, starts, axis=0)
    return sums


_TINY = 1e-6
"""A shorter vector is what rounding left of none."""


def _directions(vectors: NDArray[np.floating]) -> NDArray[np.floating]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    directions: NDArray[np.floating] = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > _TINY)
    return directions
