"""The shipped vectors and the shipped tokenizer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jam.errors import IndexUnavailable
from jam.index.embedder import StaticEmbedder, count_tokens, static_embedder

any_text = st.text(st.characters(exclude_categories=()), max_size=60)

TEXTS = [
    "Which port did we settle on?",
    "Das Vorspiel ist am Samstag, dem 11. Juli, um 17 Uhr in der Seemannskirche.",
    "bookings|3917 p95 312 ms",
    "a",
    "The same word word word " * 40,
]


def test_vectors_equal_those_of_model2vec():
    model2vec = pytest.importorskip("model2vec")
    model = model2vec.StaticModel.from_pretrained(static_embedder().folder)
    theirs = model.encode(TEXTS, max_length=None)
    np.testing.assert_allclose(static_embedder().encode(TEXTS), theirs, atol=2e-6)


def test_every_vector_has_length_one():
    lengths = np.linalg.norm(static_embedder().encode(TEXTS), axis=1)
    np.testing.assert_allclose(lengths, 1.0, atol=1e-6)


def test_an_empty_text_is_all_zero():
    vectors = static_embedder().encode(["", "harbor"])
    assert not vectors[0].any()
    assert vectors[1].any()


def test_no_texts_give_no_vectors():
    assert static_embedder().encode([]).shape == (0, static_embedder().dimensions)


def test_near_words_are_nearer_than_others():
    boat, ship, tax = static_embedder().encode(["boat", "ship", "tax"])
    assert boat @ ship > boat @ tax


@given(any_text)
def test_any_text_can_be_counted_and_embedded(text):
    assert count_tokens(text) == len(static_embedder().token_ids([text])[0])
    assert np.isfinite(static_embedder().encode([text])).all()


def test_a_lone_surrogate_counts_as_a_question_mark():
    assert static_embedder().token_ids(["a \ud800 b"]) == static_embedder().token_ids(["a ? b"])


@given(st.lists(any_text, max_size=5))
def test_lines_share_no_token(lines):
    assert count_tokens("\n".join(lines)) == sum(map(count_tokens, lines))


def test_a_missing_model_is_named(tmp_path: Path):
    with pytest.raises(IndexUnavailable, match="tokenizer"):
        StaticEmbedder(tmp_path).token_ids(["a"])
    with pytest.raises(IndexUnavailable, match="static vectors"):
        _ = StaticEmbedder(tmp_path).dimensions
