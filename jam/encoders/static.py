"""Static vectors in model2vec's format: the mean of a text's token vectors, looked up, never computed.

Unlike model2vec, texts of any length are read to their end, and vectors always have length 1.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jam.encoders.batches import well_formed
from jam.encoders.folder import folder_digest, mapped_tensors
from jam.encoders.settings import EncoderSettings
from jam.encoding import Vectors
from jam.errors import ModelNotLoaded, UsageError
from jam.text import slices

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_SLICE = 65_536
"""Characters of a text that are tokenised in one go."""
_SUMMED = 16_384
"""Tokens whose vectors are in memory at a time."""


class StaticEncoder:
    """Texts to vectors by a model2vec folder: `tokenizer.json` and `model.safetensors`."""

    def __init__(self, settings: EncoderSettings) -> None:
        self.folder = Path(settings.name).expanduser()
        self.batch_size = settings.batch_size
        if not self.folder.is_dir():
            raise UsageError(f"{settings.used_as}: there is no folder {str(self.folder)!r}")

    @property
    def dimensions(self) -> int:
        return int(self._tensors["embeddings"].shape[1])

    @cached_property
    def fingerprint(self) -> str:
        """The dimensions and the digest of the folder's files."""
        return f"static-{self.dimensions}-{folder_digest(self.folder)}"

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        out = np.zeros((len(texts), self.dimensions), np.float32)
        pieces = ((number, piece) for number, text in enumerate(texts) for piece in slices(well_formed(text), _SLICE))
        while some := list(islice(pieces, self.batch_size)):
            encodings = self._tokenizer.encode_batch_fast([piece for _, piece in some], add_special_tokens=False)
            for (number, _), encoding in zip(some, encodings, strict=True):
                out[number] += self._sum(np.array(encoding.ids, np.int64))
        lengths = np.linalg.norm(out, axis=1, keepdims=True)
        np.divide(out, lengths, out=out, where=lengths > 0)
        return out

    def _sum(self, ids: NDArray[np.int64]) -> Vectors:
        """The sum of the tokens' vectors; a vocabulary may share vectors among tokens, and weigh them."""
        mapping, weights = self._tensors.get("mapping"), self._tensors.get("weights")
        total = np.zeros(self.dimensions, np.float32)
        known = ids[ids != self._unknown]
        for start in range(0, len(known), _SUMMED):
            some = known[start : start + _SUMMED]
            vectors = self._tensors["embeddings"][some if mapping is None else mapping[some]].astype(np.float32)
            total += vectors.sum(axis=0) if weights is None else weights[some].astype(np.float32) @ vectors
        return total

    @cached_property
    def _tensors(self) -> dict[str, NDArray[Any]]:
        path = self.folder / "model.safetensors"
        try:
            tensors = mapped_tensors(path)
            if tensors["embeddings"].ndim != 2:
                raise ValueError("its `embeddings` are no table")
            return tensors
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelNotLoaded(f"{path} can't be loaded as static vectors: {error!r}") from error

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        path = self.folder / "tokenizer.json"
        try:
            tokenizer: Tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises a bare Exception for a missing or damaged file
            raise ModelNotLoaded(f"{path} can't be loaded as a tokenizer: {error}") from error
        known = len(self._tensors.get("mapping", self._tensors["embeddings"]))
        if tokenizer.get_vocab_size() > known:
            raise ModelNotLoaded(f"{path} has {tokenizer.get_vocab_size()} tokens, but there are {known} vectors")
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _unknown(self) -> int:
        """The id that stands for what is in no vocabulary; -1 where there is none. It has no meaning to be averaged."""
        model = self._tokenizer.model
        if hasattr(model, "unk_token"):
            found = self._tokenizer.token_to_id(model.unk_token or "")
        else:  # a unigram model, which tells it in its file alone
            found = json.loads(self._tokenizer.to_str())["model"].get("unk_id")
        return -1 if found is None else int(found)
