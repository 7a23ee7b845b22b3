"""A real llama.cpp server with a tiny model: that what is assumed of servers of vectors and scores is so."""

from __future__ import annotations

import httpx
import numpy as np
import pytest

from jam.encoders.resolve import encoder, reranker
from jam.encoding import same_encoder
from jam.errors import ModelRefused
from tests.encoders.servers import llama_vectors

TEXTS = ["The ferry leaves at seven.", "", "Die Fähre fährt um sieben.", "The invoice is unpaid.", "lone \ud800"]


@pytest.fixture(scope="module")
def of_vectors():
    with llama_vectors("MEAN") as url:
        yield url


@pytest.fixture(scope="module")
def of_scores():
    with llama_vectors("RANK") as url:
        yield url


def test_texts_become_vectors(of_vectors):
    given = encoder(f"openai:smollm2@{of_vectors}/v1", {"batch_size": 2, "concurrency": 1})
    vectors = given.encode(TEXTS)
    assert vectors.shape == (5, given.dimensions)
    for some in ([0, 2], [3, 4]):  # as they were sent: this model's vectors depend on what else is in a batch
        sent = [TEXTS[number].replace("\ud800", "?") for number in some]
        reply = httpx.post(f"{of_vectors}/v1/embeddings", json={"model": "smollm2", "input": sent}, timeout=60).json()
        np.testing.assert_allclose(vectors[some], [row["embedding"] for row in reply["data"]], atol=1e-4)
    assert not vectors[1].any()


def test_base64_gives_the_same_vectors(of_vectors):
    spec = f"openai:smollm2@{of_vectors}/v1"
    coded = encoder(spec, {"extra": {"encoding_format": "base64"}}).encode(TEXTS[:1])
    np.testing.assert_allclose(coded @ encoder(spec).encode(TEXTS[:1]).T, 1, atol=1e-3)


def test_the_fingerprint_is_the_same_twice(of_vectors):
    one, other = (encoder(f"openai:smollm2@{of_vectors}/v1").fingerprint for _ in range(2))
    assert same_encoder(one, other)


def test_a_text_beyond_what_the_server_takes_is_cut(of_vectors):
    given = encoder(f"openai:smollm2@{of_vectors}/v1", {"batch_size": 2})
    vectors = given.encode(["short", "word " * 80])
    assert given.truncated == 1
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_texts_are_scored(of_scores):
    given = reranker(f"rerank:smollm2@{of_scores}", {"batch_size": 2})
    texts = ["The ferry leaves at seven.", "The invoice is unpaid.", "The ferry."]
    scores = given.scores("When does the ferry leave?", texts)
    assert np.isfinite(scores).all()
    assert len(set(scores)) == 3
    same = reranker(f"rerank:smollm2@{of_scores}/v1").scores("When does the ferry leave?", texts[1::-1])
    np.testing.assert_allclose(same[::-1], scores[:2], atol=0.05)


def test_a_server_started_for_vectors_doesnt_score(of_vectors):
    with pytest.raises(ModelRefused, match="--reranking"):
        reranker(f"rerank:smollm2@{of_vectors}").scores("When?", ["At seven."])
