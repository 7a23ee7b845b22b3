"""Sessions read again: grown, forked, edited, the same."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from jam.memorizer.merge import merge
from jam.session import Message, Session


def chat(*texts: str, ids: bool = True, start: int = 0) -> Session:
    messages = tuple(
        Message("user", text, id=f"m{start + n}" if ids else None, at=f"2026-01-01T10:{start + n:02d}:00")
        for n, text in enumerate(texts)
    )
    return Session("s", messages)


texts = st.lists(st.sampled_from(["ok", "yes", "no", "tide", "berth"]), max_size=8)


def test_a_grown_session_gets_its_new_messages():
    assert merge(chat("a", "b"), chat("a", "b", "c")).messages == chat("a", "b", "c").messages


def test_an_older_copy_takes_nothing_away():
    known = chat("a", "b", "c")
    assert merge(known, chat("a", "b")) == known


def test_two_forks_are_both_kept_in_the_order_of_their_times():
    trunk = chat("a", "b")
    left = replace(trunk, messages=(*trunk.messages, Message("user", "left", id="l", at="2026-01-01T11:00:00")))
    right = replace(trunk, messages=(*trunk.messages, Message("user", "right", id="r", at="2026-01-01T10:30:00")))
    assert [m.text for m in merge(left, right).messages] == ["a", "b", "right", "left"]


def test_without_times_a_new_message_follows_the_one_it_followed():
    known = Session("s", (Message("user", "a"), Message("user", "c"), Message("user", "x")))
    read = Session("s", (Message("user", "a"), Message("user", "b"), Message("user", "c")))
    assert [m.text for m in merge(known, read).messages] == ["a", "b", "c", "x"]


def test_an_edited_message_keeps_both_texts():
    known, read = chat("a", "before"), chat("a", "after")
    assert [m.text for m in merge(known, read).messages] == ["a", "before", "after"]


def test_a_message_said_twice_is_kept_twice():
    known = Session("s", (Message("user", "ok"),))
    read = Session("s", (Message("user", "ok"), Message("user", "ok")))
    assert len(merge(known, read).messages) == 2


def test_a_document_is_replaced():
    known = replace(chat("old", "gone"), kind="document")
    read = replace(chat("new"), kind="document")
    assert [m.text for m in merge(known, read).messages] == ["new"]


@given(texts, texts, st.booleans())
def test_merging_again_changes_nothing_and_loses_nothing(first, second, ids):
    known, read = chat(*first, ids=ids), chat(*second, ids=ids)
    once = merge(known, read)
    assert merge(once, read) == once
    assert merge(once, known) == once
    for source in (known, read):
        assert {(m.id, m.text) for m in source.messages} <= {(m.id, m.text) for m in once.messages}
