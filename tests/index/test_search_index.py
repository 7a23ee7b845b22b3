"""Ranking: scopes, days, ties, odd workspaces, many askers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jam
from jam.errors import UsageError
from jam.index.search_index import SearchIndex, Within
from jam.index.store import open_index
from tests.histories import PORT, STRATEGIES, example_questions, lasting
from tests.index.indexes import index_of

any_text = st.text(st.characters(exclude_categories=()), max_size=40)


def chat(name: str, *texts: str, at: str | None = None) -> jam.Session:
    return jam.Session(name, tuple(jam.Message("user", text) for text in texts), at=at)


@pytest.fixture(scope="module")
def examples(built_examples: Path) -> SearchIndex:
    return open_index(jam.Workspace.open(built_examples))


def test_a_scope_masks_all_else(examples: SearchIndex):
    scores = examples.rank(PORT, Within("chats")).scores
    inside = np.array([examples.place(row)[0].startswith("chats/") for row in range(len(examples))])
    assert np.isfinite(scores[inside]).all()
    assert np.isneginf(scores[~inside]).all()


def test_a_scope_is_a_folder_not_a_beginning(examples: SearchIndex):
    assert examples.rank(PORT, Within("chat")).order.tolist() == []


def test_days_are_both_included(examples: SearchIndex):
    ranking = examples.rank(PORT, Within(since="2026-06-16", until="2026-06-16"))
    assert {examples.place(row)[0] for row in ranking.order} == {"notes/2026-06-16 tuesday.md"}


def test_since_leaves_out_what_is_older(examples: SearchIndex):
    ranking = examples.rank(PORT, Within(since="2026-10-01"))
    days = {examples.files[number].started[:10] for number, _ in ranking.files(100) if examples.files[number].started}
    assert days
    assert min(days) >= "2026-10-01"


def test_narrowing_changes_no_score(examples: SearchIndex):
    whole = examples.rank(PORT).scores
    part = examples.rank(PORT, Within(until="2026-05-01")).scores
    kept = np.isfinite(part)
    assert part[kept].tolist() == whole[kept].tolist()


def test_what_is_no_date_is_refused(examples: SearchIndex):
    with pytest.raises(UsageError, match="since must be a date"):
        examples.rank(PORT, Within(since="yesterday"))


def test_one_file_alone_can_be_ranked(examples: SearchIndex):
    path = examples.files[3].path
    assert {examples.place(row)[0] for row in examples.rank(PORT, Within(path=path)).order} == {path}


def test_equals_come_in_the_order_of_the_tree():
    index = index_of(chat("b", "the tide is high", "x"), chat("a", "the tide is high", "x"))
    best = [index.place(row) for row, _ in index.rank("tide").best(2)]
    assert best == [("b.md", 1), ("a.md", 1)]


def test_a_row_and_a_place_are_each_other(examples: SearchIndex):
    assert [examples.row(*examples.place(row)) for row in range(len(examples))] == list(range(len(examples)))


def test_the_best_are_cut_by_number_and_by_tokens(examples: SearchIndex):
    ranking = examples.rank(PORT)
    assert len(ranking.best(7)) == 7
    cost = examples.arrays["cost"]
    rows = [row for row, _ in ranking.best(tokens=300)]
    assert sum(int(cost[row]) for row in rows[:-1]) < 300 <= sum(int(cost[row]) for row in rows)


def test_files_come_once_each_best_first(examples: SearchIndex):
    files = examples.rank(PORT).files(100)
    assert len({number for number, _ in files}) == len(files) == len(examples.files)
    assert [score for _, score in files] == sorted((score for _, score in files), reverse=True)


def test_an_empty_session_among_others_harms_nothing():
    index = index_of(chat("none"), chat("one", "the tide is high"), chat("empty"), chat("last", ""))
    assert index.place(index.rank("tide").best(1)[0][0]) == ("one.md", 1)


def test_a_notice_is_never_preferred():
    notice = jam.Session("n", (jam.Message("system", "the tide is high", kind="notice"),))
    index = index_of(notice, chat("c", "nothing of the sort"))
    assert index.place(index.rank("tide").best(1)[0][0]) == ("c.md", 1)


def test_who_is_named_is_heard():
    texts = [jam.Message("user", f"I painted the boat {n}", speaker="Ann" if n % 2 else "Bo") for n in range(6)]
    index = index_of(jam.Session("s", tuple(texts)))
    assert {index.place(row)[1] % 2 for row, _ in index.rank("What did Ann paint?").best(3)} == {0}


def test_an_empty_workspace_is_absent_in_everything(tmp_path: Path):
    workspace = jam.Workspace.create(tmp_path / "w")
    for strategy in STRATEGIES:
        context = jam.recall(workspace, PORT, strategy=strategy)
        assert (context.verdict, context.evidence, context.context) == ("absent", (), "")


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(any_text, max_size=3), max_size=3), any_text)
def test_any_messages_and_any_question_give_numbers(sessions, query):
    index = index_of(*(chat(f"s{n}", *texts) for n, texts in enumerate(sessions)))
    ranking = index.rank(query)
    assert np.isfinite(ranking.scores).all()
    assert isinstance(ranking.found, bool)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_many_may_ask_at_once(built_examples: Path, strategy: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("jam.index.search_index._KEPT", 2)
    questions = [item["question"] for item in example_questions()][:12] * 2
    workspace = jam.Workspace.open(built_examples)

    def ask(question: str) -> dict[str, object]:
        return lasting(jam.recall(workspace, question, strategy=strategy, save=False))

    alone = {question: ask(question) for question in set(questions)}
    workspace = jam.Workspace.open(built_examples)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, questions)) == [alone[question] for question in questions]
