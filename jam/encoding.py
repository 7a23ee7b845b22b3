"""What turns texts into vectors, weights and scores, as those who use it see it. How it is done is `jam/encoders/`.

Whether an encoder gives weights too is asked with `isinstance`. The protocols that have properties don't allow that: it
would work them out, and may ask a server.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Weights = dict[int, float]
"""What each token counts in a text, by the token's id; all above zero."""

_RESOLVE = "jam.encoders.resolve"
PROBE = "~"
"""In a fingerprint, before what a server replied to a probe: bits in hexadecimal, of which a few may differ."""
_FLIPPED = 1 / 12
"""Share of a probe's bits that may differ: rounding flips one in a hundred, a finer model of the same family more."""


class DenseEncoder(Protocol):
    """Texts to unit vectors. Two encoders with one fingerprint give the same vectors, up to rounding."""

    @property
    def fingerprint(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def batch_size(self) -> int:
        """Texts of one pass or request. `encode` may be given any number, and is best given many times as many."""
        ...

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """`len(texts)` x `dimensions` unit vectors; an empty text is all zero. `query`: they are questions.

        Raises `ModelError`, and `MissingExtra` for a local model.
        """
        ...


@runtime_checkable
class SparseEncoder(Protocol):
    """Texts to weights of their tokens. What two texts have in common is the sum of products over shared tokens."""

    def encode_sparse(self, texts: Sequence[str]) -> list[Weights]: ...


@runtime_checkable
class DenseSparseEncoder(SparseEncoder, Protocol):
    """A `DenseEncoder` that gives both from one pass."""

    def encode_both(self, texts: Sequence[str]) -> tuple[Vectors, list[Weights]]: ...


class Reranker(Protocol):
    """How well texts answer a query. Only scores of one query compare with each other; more is better."""

    @property
    def fingerprint(self) -> str: ...

    @property
    def batch_size(self) -> int: ...

    def scores(self, query: str, texts: Sequence[str]) -> Vectors:
        """A number for each text, in their order. Raises `ModelError`."""
        ...


def load_encoder(spec: str, settings: Mapping[str, Any] | None = None) -> DenseEncoder:
    """`jam.encoders.resolve.encoder`, imported only where an encoder is wanted."""
    encoder: DenseEncoder = import_module(_RESOLVE).encoder(spec, settings)
    return encoder


def load_reranker(spec: str, settings: Mapping[str, Any] | None = None) -> Reranker:
    """`jam.encoders.resolve.reranker`, imported only where a reranker is wanted."""
    reranker: Reranker = import_module(_RESOLVE).reranker(spec, settings)
    return reranker


def same_encoder(one: str, other: str) -> bool:
    """Whether two fingerprints are those of one encoder: equal, but for rounding in what servers reply to a probe."""
    (name, _, bits), (other_name, _, other_bits) = one.partition(PROBE), other.partition(PROBE)
    if name != other_name or len(bits) != len(other_bits):
        return False
    try:
        flipped = (int(bits or "0", 16) ^ int(other_bits or "0", 16)).bit_count()
    except ValueError:
        return one == other
    return flipped <= 4 * len(bits) * _FLIPPED
