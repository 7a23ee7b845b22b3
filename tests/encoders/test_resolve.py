"""Specs and settings: what is understood, and what is said of the rest."""

from __future__ import annotations

import subprocess
import sys

import pytest

from jam.encoders.resolve import encoder, reranker
from jam.errors import JamError, UsageError

SERVER = "openai:tiny@http://127.0.0.1:9/v1"


@pytest.mark.parametrize(
    ("spec", "settings", "said"),
    [
        ("tiny", {}, "'tiny' is no kind of encoder"),
        ("", {}, "openai:NAME@BASE_URL"),
        ("rerank:tiny@http://127.0.0.1:9", {}, "'rerank' is no kind of encoder"),
        ("openai:", {}, "names no model"),
        ("bge: ", {}, "names no model"),
        ("openai:tiny@ftp://127.0.0.1/v1", {}, "http://"),
        ("openai:tiny@http://127.0.0.1/v1?key=1", {}, "after"),
        (SERVER, {"batch": 3}, "unknown setting 'batch' for openai:….*batch_size"),
        (SERVER, {"fp16": True}, "unknown setting 'fp16' for openai:…"),
        ("bge:BAAI/bge-m3", {"timeout_seconds": 3}, "unknown setting 'timeout_seconds' for bge:…"),
        (SERVER, {"batch_size": 0}, "batch_size must be a whole number of at least 1, not 0"),
        (SERVER, {"batch_size": None}, "batch_size must be"),
        (SERVER, {"dimensions": "many"}, "dimensions must be"),
        (SERVER, {"query_prefix": 3}, "query_prefix must be a text"),
        (SERVER, {"timeout_seconds": -1}, "timeout_seconds must be a number"),
        (SERVER, {"key_env": "HOME"}, "ends in _API_KEY"),
        (SERVER, {"extra": {"api_key": "x"}}, "extra must hold no keys"),
        ("bge:BAAI/bge-m3", {"max_length": True}, "max_length must be"),
        ("bge:BAAI/bge-m3", {"fp16": 1}, "fp16 must be true or false"),
        ("bge:BAAI/bge-m3", {"device": 0}, "device must be a text"),
        ("bge:/no/such/folder", {}, "no folder '/no/such/folder'"),
        ("static:/no/such/folder", {}, "no folder '/no/such/folder'"),
    ],
)
def test_what_makes_no_sense_is_told_before_anything_is_asked(spec, settings, said):
    with pytest.raises(UsageError, match=f"^embedder: .*{said}"):
        encoder(spec, settings)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (SERVER, "'openai' is no kind of reranker; give rerank:NAME@BASE_URL"),
        ("rerank:tiny", "needs its server's URL"),
        ("bge-reranker:./nowhere", "no folder"),
    ],
)
def test_the_same_of_rerankers(spec, said):
    with pytest.raises(UsageError, match=f"^reranker: .*{said}"):
        reranker(spec)


def test_a_password_in_a_url_is_not_repeated():
    with pytest.raises(JamError) as error:
        encoder("openai:tiny@http://me:hidden@127.0.0.1/v1")
    assert "hidden" not in str(error.value)


def test_naming_an_encoder_loads_and_asks_nothing():
    code = (
        "import sys\n"
        "from jam.encoders.resolve import encoder, reranker\n"
        f"encoder({SERVER!r}), encoder('bge:BAAI/bge-m3'), reranker('bge-reranker:BAAI/bge-reranker-v2-m3')\n"
        "print(sorted({'torch', 'FlagEmbedding', 'transformers', 'httpx', 'tokenizers', 'openai'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
