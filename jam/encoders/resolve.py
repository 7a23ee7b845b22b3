"""From a spec to an encoder or a reranker.

encoder("openai:BAAI/bge-m3@http://127.0.0.1:8000/v1")       a server with /v1/embeddings
encoder("bge:BAAI/bge-m3", {"device": "cuda:0"})             FlagEmbedding, by name or folder
encoder("static:/models/multilingual")                       a model2vec folder
reranker("rerank:BAAI/bge-reranker-v2-m3@http://127.0.0.1:8001")
reranker("bge-reranker:BAAI/bge-reranker-v2-m3")
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jam.encoders.settings import read_settings
from jam.encoding import DenseEncoder, Reranker
from jam.errors import UsageError

_ENCODERS = (
    "openai:NAME@BASE_URL (openai:BAAI/bge-m3@http://localhost:8000/v1), openai:NAME for OpenAI itself, "
    "bge:NAME or bge:FOLDER (bge:BAAI/bge-m3), or static:FOLDER"
)
_RERANKERS = (
    "rerank:NAME@BASE_URL (rerank:BAAI/bge-reranker-v2-m3@http://localhost:8000/v1), "
    "bge-reranker:NAME or bge-reranker:FOLDER"
)


def encoder(spec: str, settings: Mapping[str, Any] | None = None) -> DenseEncoder:
    """The encoder that a spec names; `bge:` gives a `DenseSparseEncoder`. Nothing is loaded or asked yet.

    Raises `UsageError` for a spec or setting that makes no sense.
    """
    kind = _kind(spec)
    if kind == "openai":
        from jam.encoders.served import ServedEncoder

        return ServedEncoder(read_settings(spec, settings, "embedder"))
    if kind == "bge":
        from jam.encoders.bge import BgeEncoder

        return BgeEncoder(read_settings(spec, settings, "embedder"))
    if kind == "static":
        from jam.encoders.static import StaticEncoder

        return StaticEncoder(read_settings(spec, settings, "embedder"))
    raise UsageError(f"embedder: {kind!r} is no kind of encoder; give {_ENCODERS}")


def reranker(spec: str, settings: Mapping[str, Any] | None = None) -> Reranker:
    """The reranker that a spec names. Nothing is loaded or asked yet. Raises `UsageError` likewise."""
    kind = _kind(spec)
    if kind == "rerank":
        from jam.encoders.reranking import ServedReranker

        return ServedReranker(read_settings(spec, settings, "reranker"))
    if kind == "bge-reranker":
        from jam.encoders.bge import BgeReranker

        return BgeReranker(read_settings(spec, settings, "reranker"))
    raise UsageError(f"reranker: {kind!r} is no kind of reranker; give {_RERANKERS}")


def _kind(spec: str) -> str:
    return spec.strip().partition(":")[0]
