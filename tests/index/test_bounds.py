"""However little is held at a time, the index and its rankings are the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jam
from jam.index import buckets, collection, embedder, growing, lexicon, passages, postings, words
from jam.index.analyzer import query_terms
from jam.index.collection import Arrays, Collection
from jam.index.embedder import static_embedder
from jam.index.indexing import build_arrays
from jam.index.lexicon import term_keys
from jam.index.quantised import restore
from jam.index.search_index import SearchIndex
from jam.index.shortlist import Shortlist
from jam.session import Message, Session
from jam.text import slices
from tests.histories import PORT, example_questions
from tests.index.indexes import records

any_text = st.text(st.characters(exclude_categories=()), max_size=60)


@pytest.fixture
def sessions(built_examples: Path) -> list[Session]:
    workspace = jam.Workspace.open(built_examples)
    found = [workspace.read_raw(stamp.path).session for stamp in workspace.stamps()]
    long = "\n".join(message.text for session in found for message in session.messages)
    return [*found, Session("long", (Message("tool", long), Message("user", "")), title="All of it")]


def index_of(sessions: list[Session], arrays: Arrays) -> SearchIndex:
    return SearchIndex(Collection.of(arrays, static_embedder()), records(sessions))


@given(any_text, st.integers(1, 20))
def test_slices_are_the_text(text: str, size: int):
    found = list(slices(text, size))
    assert "".join(found) == text
    assert all(len(piece) <= size for piece in found)


def test_slices_cut_between_words():
    assert list(slices("tide berth winch", 8)) == ["tide", " berth", " winch"]


@given(st.lists(st.lists(st.sampled_from(["tide", "berths", "x_1", "Übermut", "\n"])).map(" ".join), max_size=6))
@settings(max_examples=50, deadline=None)
def test_tokens_of_slices_are_the_tokens(texts: list[str]):
    whole = static_embedder().token_ids(texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedder, "_SLICE", 16)
        patch.setattr(embedder, "_BATCH", 40)
        assert static_embedder().token_ids(texts) == whole
        assert static_embedder().count_tokens(texts) == [len(ids) for ids in whole]
        pieces: list[list[int]] = [[] for _ in texts]
        for number, ids in static_embedder().token_pieces(texts):
            pieces[number] += ids.tolist()
        assert pieces == whole


def test_little_at_a_time_gives_the_same_arrays(sessions: list[Session], monkeypatch: pytest.MonkeyPatch):
    whole = build_arrays(sessions, static_embedder())
    monkeypatch.setattr(embedder, "_SLICE", 1_000)
    monkeypatch.setattr(embedder, "_BATCH", 2_500)
    monkeypatch.setattr(embedder, "_SUMMED", 50)
    monkeypatch.setattr(growing, "_IN_MEMORY", 64)
    monkeypatch.setattr(lexicon, "_REMEMBERED", 30)
    monkeypatch.setattr(lexicon, "_SLICE", 1_000)
    monkeypatch.setattr(buckets, "_WAITING", 20)
    monkeypatch.setattr(words, "_BLOCK", 33)
    monkeypatch.setattr(words, "_ENCODED", 5)
    monkeypatch.setattr(words, "_NAMED", 7)
    slow = build_arrays(sessions, static_embedder())
    assert set(slow) == set(whole)
    for name, values in whole.items():
        if name in ("sum", "scale", "file_sum", "signature"):
            continue  # the order of additions is another
        assert slow[name].dtype == values.dtype, name
        assert np.array_equal(slow[name], values), name
    one, other = (restore(arrays["sum"], arrays["scale"]) for arrays in (slow, whole))
    assert (np.abs(one - other) <= 2 * whole["scale"][:, None] + 1e-4).all()
    assert np.allclose(slow["file_sum"], whole["file_sum"], rtol=1e-4, atol=1e-2)


def test_little_at_a_time_gives_the_same_scores(sessions: list[Session], monkeypatch: pytest.MonkeyPatch):
    arrays = build_arrays(sessions, static_embedder())
    questions = [PORT, *(item["question"] for item in example_questions())]
    before = [index_of(sessions, arrays).rank(question).scores for question in questions]
    monkeypatch.setattr(passages, "_ROWS", 13)
    monkeypatch.setattr(passages, "_SUMMED", 9)
    monkeypatch.setattr(passages, "_POSTINGS", 11)
    monkeypatch.setattr(collection, "_BLOCK", 2)
    after = [index_of(sessions, arrays).rank(question).scores for question in questions]
    assert all(np.allclose(one, other, atol=1e-4) for one, other in zip(before, after, strict=True))


def test_numbers_and_names_are_like_nothing_else(sessions: list[Session]):
    own = [*sessions, Session("needle", (Message("user", "The qz_xvy7 of pier 40412 is in the shed."),))]
    arrays = build_arrays(own, static_embedder())
    assert not np.isin(term_keys(["40412", "qz_xvy7"]), arrays["word_key"]).any()
    assert np.isin(term_keys(["shed", "pier"]), arrays["word_key"]).all()
    for question in ("Where is the qz_xvy7?", "And 40412?"):
        ranking = index_of(own, arrays).rank(question)
        assert ranking.index.place(int(ranking.order[0])) == ("needle.md", 1)
        assert ranking.found


def test_the_rough_look_is_bm25(sessions: list[Session]):
    whole = Collection.of(build_arrays(sessions, static_embedder()), static_embedder())
    found = Shortlist(whole)._lexical("Which port did we settle on?")
    length = whole.columns["length"]
    expected = np.zeros(len(whole))
    for term in query_terms("Which port did we settle on?", whole.languages):
        counts = np.zeros(len(whole))
        for key in term_keys(term.stems):
            messages, often = whole.postings(key)
            counts[messages] += often
        present = (counts > 0).sum()
        weight = counts / (counts + 1.2 * (0.25 + 0.75 * length / postings.MEAN))
        expected += np.log1p((len(whole) - present + 0.5) / (present + 0.5)) * weight
    assert np.allclose(found, expected, atol=1e-4)
    assert found.max() > 0
