"""An encoder behind `/v1/embeddings`, as vLLM, llama.cpp, Ollama, hosted services and many others have it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from jam.encoders.batches import Batches, in_batches, well_formed
from jam.encoders.calls import Calls
from jam.encoders.replies import read_vectors
from jam.encoders.settings import EncoderSettings
from jam.encoding import PROBE, Vectors
from jam.errors import UnusableReply

_PROBES = ("The ferry leaves the harbour at seven in the morning.", "Nobody has paid the invoice for March yet.")
_PROBE_BITS = 128


class ServedEncoder:
    """Texts to vectors by a server."""

    def __init__(self, settings: EncoderSettings) -> None:
        assert settings.server is not None
        self.settings = settings
        self._calls = Calls(settings.server, settings.used_as)
        self._batches = Batches()
        self._dimensions: int | None = None

    @property
    def batch_size(self) -> int:
        return self.settings.batch_size

    @property
    def truncated(self) -> int:
        """How many texts were cut so far, since the model can't read them whole."""
        return self._batches.cut

    @property
    def dimensions(self) -> int:
        return self._dimensions or int(self._probed.shape[1])

    @cached_property
    def fingerprint(self) -> str:
        """Name and dimensions, and what the server replies to a probe: another model may go by the same name.

        Servers round differently from one request to the next, so the probe is kept as signs, and compared by
        `same_encoder`. The difference of two vectors is taken, since all vectors of a model have much in common.
        """
        one, other = self._probed
        signs = (one - other)[:_PROBE_BITS] > 0
        return f"openai-{self.settings.name}-{self.dimensions}{PROBE}{np.packbits(signs).tobytes().hex()}"

    @cached_property
    def _probed(self) -> Vectors:
        return self._sent([self.settings.passage_prefix + text for text in _PROBES])

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        prefix = self.settings.query_prefix if query else self.settings.passage_prefix
        filled = [number for number, text in enumerate(texts) if text.strip()]  # servers refuse empty texts
        vectors = self._sent([prefix + texts[number] for number in filled]) if filled else None
        out = np.zeros((len(texts), self.dimensions), np.float32)
        if vectors is not None:
            out[filled] = vectors
        return out

    def _sent(self, texts: Sequence[str]) -> Vectors:
        async def send(batch: Sequence[str]) -> Vectors:
            return await self._batches.send(batch, self._ask)

        batches = in_batches([well_formed(text) for text in texts], self.batch_size)
        return np.concatenate(self._calls.all_of(batches, send))

    async def _ask(self, texts: Sequence[str]) -> Vectors:
        server = self._calls.settings
        body: dict[str, Any] = {"model": server.name, "input": list(texts), "encoding_format": "float"}
        if self.settings.dimensions is not None:
            body["dimensions"] = self.settings.dimensions
        reply = await self._calls.post(f"{server.base_url}/embeddings", {**body, **server.extra})
        vectors = read_vectors(reply, len(texts), self._calls.where)
        self._check(vectors.shape[1])
        return vectors

    def _check(self, dimensions: int) -> None:
        expected = self._dimensions or self.settings.dimensions or dimensions
        if dimensions != expected:
            raise UnusableReply(f"{self._calls.where} sent vectors of {dimensions} dimensions instead of {expected}")
        self._dimensions = dimensions
