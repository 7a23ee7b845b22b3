"""Static embeddings: a vector a token, looked up, never computed. Also the tokenizer that all budgets count with.

The model ships in `static_vectors/`, in model2vec's format (see `scripts/distill_static_vectors.py`). It is read here
directly: importing model2vec costs half a second, which a command line can't spare, and gives the same vectors.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from jam.errors import IndexUnavailable
from jam.text import slices

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Vectors = NDArray[np.float32]
Ids = NDArray[np.int32]
_MODEL = Path(__file__).parent / "static_vectors"
_COUNT_CACHE, _COUNT_CACHED = 65_536, 2_000
"""Texts whose length in tokens is remembered, and how many characters such a text has at most."""
_SLICE = 65_536
"""Characters of a text that are tokenised in one go: what the tokenizer notes of a token takes a hundred bytes."""
_BATCH = 262_144
"""Characters of all texts together that are."""
_SUMMED = 16_384
"""Tokens whose vectors are in memory at a time."""


class Embedder(Protocol):
    """Texts to unit vectors. Two embedders with one fingerprint give the same vectors."""

    @property
    def fingerprint(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """`len(texts)` x `dimensions` unit vectors; a text without any known token is all zero."""
        ...


class StaticEmbedder:
    """The shipped embedder: the mean of a text's token vectors, brought to length 1."""

    def __init__(self, folder: Path = _MODEL) -> None:
        self.folder = folder

    languages = ("en",)
    """Those that the vectors were distilled for."""

    @cached_property
    def fingerprint(self) -> str:
        """Digest of the model's files, with the dimensions in front."""
        digest = hashlib.sha256()
        for name in ("config.json", "tokenizer.json", "model.safetensors"):
            digest.update((self.folder / name).read_bytes())
        return f"static-{self.dimensions}-{digest.hexdigest()[:16]}"

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        try:
            tokenizer: Tokenizer = Tokenizer.from_file(str(self.folder / "tokenizer.json"))
        except Exception as error:  # the library raises a bare Exception for a missing or damaged file
            raise IndexUnavailable(f"the tokenizer in {self.folder} can't be loaded: {error}") from error
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def token_vectors(self) -> Vectors:
        """Vocabulary size x `dimensions`, float32: what `encode` averages."""
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        try:
            return np.asarray(load_file(self.folder / "model.safetensors")["embeddings"], dtype=np.float32)
        except (OSError, KeyError, SafetensorError) as error:
            raise IndexUnavailable(f"the static vectors in {self.folder} can't be loaded: {error}") from error

    @cached_property
    def common(self) -> Vectors:
        """What all texts have in common: the mean of the token vectors."""
        mean: Vectors = self.token_vectors.mean(axis=0)
        return mean

    @property
    def dimensions(self) -> int:
        return int(self.token_vectors.shape[1])

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The WordPiece ids of each text, without special tokens and without a length limit.

        A lone surrogate, which no tokenizer takes, counts as a question mark.
        """
        found: list[list[int]] = [[] for _ in texts]
        for number, ids in self._encoded(texts):
            found[number] += ids
        return found

    def token_pieces(self, texts: Sequence[str]) -> Iterator[tuple[int, Ids]]:
        """The same as arrays: of each text in its order (its number, ids), of a very long one piece by piece."""
        for number, ids in self._encoded(texts):
            yield number, np.array(ids, np.int32)

    def encode(self, texts: Sequence[str]) -> Vectors:
        return unit(self.sums(self.token_ids(texts)))

    def sums(self, token_ids: Sequence[Sequence[int] | Ids]) -> Vectors:
        """The sum of each text's token vectors, `len(token_ids)` x `dimensions`; all zero for an empty text."""
        out = np.zeros((len(token_ids), self.dimensions), dtype=np.float32)
        for number, ids in enumerate(token_ids):
            for start in range(0, len(ids), _SUMMED):  # text by text: no cache holds the vectors of many
                out[number] += self.token_vectors.take(ids[start : start + _SUMMED], axis=0).sum(axis=0)
        return out

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """How long each text is, in tokens."""
        counts = [0] * len(texts)
        for number, ids in self._encoded(texts):
            counts[number] += len(ids)
        return counts

    def _encoded(self, texts: Sequence[str]) -> Iterator[tuple[int, list[int]]]:
        """The ids of all texts, some texts or a piece of one at a time."""
        for batch in _batches(texts):
            clean = [text.encode("utf-8", "replace").decode("utf-8") for _, text in batch]
            encodings = self._tokenizer.encode_batch_fast(clean, add_special_tokens=False)
            yield from zip((number for number, _ in batch), (encoding.ids for encoding in encodings), strict=True)


def _batches(texts: Sequence[str]) -> Iterator[list[tuple[int, str]]]:
    batch: list[tuple[int, str]] = []
    size = 0
    for number, text in enumerate(texts):
        for piece in slices(text, _SLICE):
            if batch and size + len(piece) > _BATCH:
                yield batch
                batch, size = [], 0
            batch.append((number, piece))
            size += len(piece)
    if batch:
        yield batch


def unit(vectors: Vectors) -> Vectors:
    """The vectors (the last axis) brought to length 1; zeros stay zeros."""
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: Vectors = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    return scaled


@lru_cache(maxsize=1)
def static_embedder() -> StaticEmbedder:
    """The shipped embedder, loaded once a process."""
    return StaticEmbedder()


def count_tokens(text: str) -> int:
    """The length of a text in tokens of the shipped tokenizer: the unit of every context budget."""
    return _counted(text) if len(text) <= _COUNT_CACHED else static_embedder().count_tokens([text])[0]


@lru_cache(maxsize=_COUNT_CACHE)
def _counted(text: str) -> int:
    return static_embedder().count_tokens([text])[0]
