"""However little is held at a time, the index and its rankings are the same."""

from __future__ import annotations

from pathlib import Path

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jam
from jam.index import embedder, growing, indexing, lexicon, passages, postings, shortlist
from jam.index.embedder import static_embedder
from jam.index.indexing import Arrays, build_arrays
from jam.index.search_index import FileRecord, SearchIndex
from jam.session import Message, Session
from jam.text import slices
from tests.histories import PORT, example_questions

any_text = st.text(st.characters(exclude_categories=()), max_size=60)


@pytest.fixture
def sessions(built_examples: Path) -> list[Session]:
    workspace = jam.Workspace.open(built_examples)
    found = [workspace.read_raw(stamp.path).session for stamp in workspace.stamps()]
    long = "\n".join(message.text for session in found for message in session.messages)
    return [*found, Session("long", (Message("tool", long), Message("user", "")), title="All of it")]


def index_of(sessions: list[Session], arrays: Arrays) -> SearchIndex:
    return SearchIndex(
        arrays, [FileRecord(f"{s.id}.md", s.id, 1, s.title or "", "", s.started, s.ended) for s in sessions]
    )


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
    monkeypatch.setattr(indexing, "_BLOCK", 7)
    monkeypatch.setattr(lexicon, "_REMEMBERED", 30)
    monkeypatch.setattr(lexicon, "_SLICE", 1_000)
    monkeypatch.setattr(postings, "_WAITING", 20)
    monkeypatch.setattr(postings, "_BLOCK", 33)
    monkeypatch.setattr(postings, "_ENCODED", 5)
    slow = build_arrays(sessions, static_embedder())
    assert set(slow) == set(whole)
    for name, values in whole.items():
        if name in ("token_sum", "token_mean"):
            tokens = whole["cost"][:, None] + 100.0 if name == "token_sum" else 1.0
            assert (np.abs(slow[name] - values) <= 1e-4 * tokens).all(), name  # the order of additions is another
        else:
            assert slow[name].dtype == values.dtype, name
            assert np.array_equal(slow[name], values), name


def test_little_at_a_time_gives_the_same_scores(sessions: list[Session], monkeypatch: pytest.MonkeyPatch):
    arrays = build_arrays(sessions, static_embedder())
    questions = [PORT, *(item["question"] for item in example_questions())]
    before = [index_of(sessions, arrays).rank(question).scores for question in questions]
    monkeypatch.setattr(passages, "_FEW_TERMS", 10)
    monkeypatch.setattr(passages, "_ROWS", 13)
    monkeypatch.setattr(passages, "_SUMMED", 9)
    monkeypatch.setattr(passages, "_POSTINGS", 11)
    after = [index_of(sessions, arrays).rank(question).scores for question in questions]
    assert all(np.allclose(one, other, atol=1e-4) for one, other in zip(before, after, strict=True))


@pytest.mark.parametrize("most", [0, 1, 50, 400])
def test_of_a_huge_vocabulary_the_commonest_terms_have_a_vector(
    sessions: list[Session], monkeypatch: pytest.MonkeyPatch, most: int
):
    whole = build_arrays(sessions, static_embedder())
    monkeypatch.setattr(postings, "MOST_VECTORS", most)
    arrays = build_arrays(sessions, static_embedder())
    assert len(arrays["term_vector"]) <= most
    assert np.array_equal(arrays["term_key"], whole["term_key"])
    present, often = (
        np.diff(whole["posting_start"]),
        np.add.reduceat(whole["posting_count"], whole["posting_start"][:-1]),
    )
    commonest = np.lexsort((-often, -present))[: len(arrays["term_vector"])]
    assert np.array_equal(arrays["term_vector"], whole["term_vector"][np.sort(commonest)])
    ranking = index_of(sessions, arrays).rank("How long is the sorrel sloop?")
    assert np.isfinite(ranking.scores).any()


def test_a_rare_word_without_a_vector_is_found_by_itself(sessions: list[Session], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(postings, "MOST_VECTORS", 20)
    own = [*sessions, Session("needle", (Message("user", "The qzxvy is in the shed."),))]
    ranking = index_of(own, build_arrays(own, static_embedder())).rank("Where is the qzxvy?")
    assert ranking.index.place(int(ranking.order[0])) == ("needle.md", 1)
    assert ranking.found


def test_scores_of_bm25s_are_its_own(sessions: list[Session], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shortlist, "_BLOCK", 17)
    indexing.write_arrays(sessions, static_embedder(), tmp_path)
    arrays = indexing.load_arrays(tmp_path, mapped=False)
    shortlist.save_bm25(tmp_path, tmp_path / "bm25")
    ours = bm25s.BM25.load(str(tmp_path / "bm25"), load_vocab=False, show_progress=False)
    order = np.argsort(arrays["posting_message"], kind="stable")
    term = np.repeat(np.arange(len(arrays["term_key"])), np.diff(arrays["posting_start"]))[order]
    count = arrays["posting_count"][order].astype(int)
    ends = np.searchsorted(arrays["posting_message"][order], np.arange(len(arrays["length"]) + 1))
    documents = [
        np.repeat(term[a:b], count[a:b]).tolist() for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
    ]
    theirs = bm25s.BM25(k1=1.2, b=0.75)
    theirs.index(
        (documents, {str(n): n for n in range(len(arrays["term_key"]))}), show_progress=False, create_empty_token=False
    )
    for number in range(0, len(arrays["term_key"]), 97):
        assert np.allclose(ours.get_scores_from_ids([number]), theirs.get_scores_from_ids([number]), atol=1e-5)
