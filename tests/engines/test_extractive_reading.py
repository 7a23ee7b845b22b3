"""Reading without a model: conflicts, excerpts, folders in a few words."""

from __future__ import annotations

import pytest

from jam.context import Evidence
from jam.engines.extractive.browse import ExtractiveBrowseReader
from jam.engines.extractive.conflict import find_conflict
from jam.engines.extractive.folders import ExtractiveFolderSummarizer
from jam.jobs import Excerpt, FolderDigest
from jam.memo import Memo
from jam.session import Message

LIMIT = "What is the berth limit for the east pontoon?"


def said(text: str, at: str | None = None, path: str = "a.md") -> Evidence:
    return Evidence(path, 1, text, "0" * 64, at=at)


def test_two_values_for_one_subject_conflict_in_the_order_of_time():
    late = said("The berth limit for the east pontoon is 48 boats.", "2026-05-27", "a.md")
    early = said("Priya: the berth limit for the east pontoon is 42 boats.", "2026-03-17", "b.md")
    conflict = find_conflict(LIMIT, [late, early])
    assert conflict is not None
    assert (conflict.first, conflict.second, conflict.values) == (early, late, ("42", "48"))


@pytest.mark.parametrize(
    "texts",
    [
        ["The berth limit for the east pontoon is 42 boats."] * 2,
        ["The berth limit for the east pontoon is 42 boats.", "The winch weighs 48 kilos."],
        ["The berth limit for the east pontoon is 42 boats.", "The berth limit for the east pontoon is low."],
        ["The berth limit for the east pontoon is 42 boats, once it was 41 boats."],
        [],
    ],
)
def test_what_agrees_or_speaks_of_something_else_is_no_conflict(texts: list[str]):
    assert find_conflict(LIMIT, [said(text, path=f"{n}.md") for n, text in enumerate(texts)]) is None


def test_a_question_that_asks_for_no_value_has_no_conflict():
    texts = ["The berth limit is 42 boats.", "The berth limit is 48 boats."]
    assert find_conflict("Why is there a berth limit?", [said(text) for text in texts]) is None


def read(*ranked: tuple[int, float]) -> list[int]:
    messages = [Message("user", str(n)) for n in range(1, 10)]
    excerpts = [Excerpt(number, score) for number, score in ranked]
    return sorted(item.message for item in ExtractiveBrowseReader().read("a.md", messages, "q", excerpts).excerpts)


def test_the_best_messages_are_read_with_their_neighbours():
    assert read((5, 3.0), (4, 0.1), (6, 0.1), (1, 0.1)) == [4, 5, 6]


def test_what_is_nearly_as_good_is_read_too():
    assert read((2, 3.0), (8, 2.0), (5, 1.0)) == [2, 8]


def test_nothing_ranked_is_nothing_read():
    assert read() == []


def test_a_folder_is_told_in_a_few_words():
    memos = (
        Memo("t", "g", "s", keywords=("tide", "berth"), people=("Jonas",)),
        Memo("t", "g", "s", keywords=("tide",)),
    )
    text = ExtractiveFolderSummarizer().summarize(FolderDigest("f", memos, "2026-01-13T09:00:00", "2026-05-01"))
    assert text == "2 sessions, 2026-01-13 to 2026-05-01. About tide, berth. People: Jonas."


def test_a_folder_of_one_undated_session():
    text = ExtractiveFolderSummarizer().summarize(FolderDigest("f", (Memo("t", "g", "s"),), None, None))
    assert text == "1 session."
