"""The vectors that segments and links are made of: a message's token vectors, summed, without what all text has in it.

What is taken away follows from the embedder alone, not from the history, so that a session's segments stay as they are
however the history grows. The embedder's own `common` won't do: words as they are used are far from their plain mean.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from jam.index.collection import Collection
from jam.index.embedder import StaticEmbedder
from jam.index.quantised import restore

Vectors = NDArray[np.float32]
_FLATTENED = 3
"""How much less than by Zipf's law the commonest words count: the word of rank r, from 0, weighs 1 / (r + this)."""


@lru_cache(maxsize=2)
def ordinary(embedder: StaticEmbedder) -> Vectors:
    """The mean token vector of ordinary text, were words as common as Zipf's law has it.

    The vocabulary names words by how common they are, from "the" on; before it stand marks and letters.
    """
    first = embedder.token_ids(["the"])[0][0]
    words = embedder.token_vectors[first:]
    weights = 1.0 / (np.arange(len(words)) + _FLATTENED)
    mean: Vectors = ((weights / weights.sum()) @ words).astype(np.float32)
    return mean


def message_vectors(collection: Collection, rows: slice) -> Vectors:
    """The vectors of some messages, rows x dimensions; all zero for one without words."""
    size = collection.columns["size"][rows].astype(np.float32)
    vectors = restore(collection.rows("sum", rows), collection.rows("scale", rows))
    vectors -= size[:, None] * ordinary(collection.embedder)
    return vectors
