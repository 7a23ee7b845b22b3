"""A reranker behind `/rerank`, in the form that vLLM, llama.cpp, Jina and Cohere share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jam.encoders.batches import Batches, in_batches, well_formed
from jam.encoders.calls import Calls, is_absent
from jam.encoders.replies import read_scores
from jam.encoders.settings import EncoderSettings
from jam.encoding import Vectors
from jam.errors import ModelRefused


class ServedReranker:
    """How well texts answer a query, by a server."""

    def __init__(self, settings: EncoderSettings) -> None:
        assert settings.server is not None
        self.settings = settings
        self._calls = Calls(settings.server, settings.used_as)
        self._batches = Batches()
        base = str(settings.server.base_url)
        root = base.removesuffix("/v1")
        self._urls = [f"{base}/rerank", f"{root}/rerank" if base != root else f"{root}/v1/rerank"]
        """Where it may be; the first is asked, unless it is not there."""

    @property
    def fingerprint(self) -> str:
        return f"rerank-{self.settings.name}"

    @property
    def batch_size(self) -> int:
        return self.settings.batch_size

    @property
    def truncated(self) -> int:
        """How many texts were cut so far, since the model can't read them whole."""
        return self._batches.cut

    def scores(self, query: str, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros(0, np.float32)

        async def ask(some: Sequence[str]) -> Vectors:
            return await self._ask(query, some)

        async def send(batch: Sequence[str]) -> Vectors:
            return await self._batches.send(batch, ask)

        return np.concatenate(self._calls.all_of(in_batches(texts, self.batch_size), send))

    async def _ask(self, query: str, texts: Sequence[str]) -> Vectors:
        server = self._calls.settings
        body = {"model": server.name, "query": well_formed(query), "documents": [well_formed(text) for text in texts]}
        reply = await self._reply({**body, "top_n": len(texts), **server.extra})
        return read_scores(reply, len(texts), self._calls.where)

    async def _reply(self, body: Any) -> Any:
        """The reply from where reranking is; both places are tried until one of them was found."""
        first, *others = self._urls
        try:
            reply = await self._calls.post(first, body)
            self._urls = [first]
            return reply
        except ModelRefused as error:
            if not others or not is_absent(error):
                raise
            try:
                reply = await self._calls.post(others[0], body)
            except ModelRefused:
                raise error from None
            self._urls = others
            return reply
