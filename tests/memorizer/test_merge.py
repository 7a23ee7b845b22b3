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


def of_file(name: str, texts: dict[int, str], minutes: list[int], thread: str | None = None) -> Session:
    """A file's version of a session: message number → text, at the minute of its number."""
    messages = tuple(
        Message("user", text, id=f"m{n}", at=f"2026-01-01T10:{minutes[n]:02d}:00", thread=thread)
        for n, text in sorted(texts.items())
    )
    return Session("s", messages, title=name, origin=name, group=(name,), meta={"cwd": name, name: True})


versions = st.dictionaries(st.integers(0, 7), st.sampled_from(["ok", "yes", "no"]), min_size=1)


@given(versions, versions, st.lists(st.integers(0, 5), min_size=8, max_size=8).map(sorted), st.booleans())
def test_it_does_not_matter_which_of_two_files_came_first(first, second, minutes, aside):
    one, two = of_file("a.json", first, minutes), of_file("b.json", second, minutes, "side" if aside else None)
    both = merge(one, two)
    assert merge(two, one) == both
    assert merge(both, one) == both
    assert merge(both, two) == both
    newest = "b.json" if not aside and two.messages[-1].at >= one.messages[-1].at else "a.json"
    assert (both.origin, both.group, both.title) == ("a.json", ("a.json",), newest)
    told = {"title_from": newest, "newest_from": newest} if newest == "b.json" else {}
    assert both.meta == {"cwd": newest, "a.json": True, "b.json": True, **told}


def test_a_thread_that_turned_into_the_main_line_is_no_other_message():
    known = Session(
        "s", (Message("user", "a", "1"), Message("user", "b", "2"), Message("user", "c", "3", thread="branch-1"))
    )
    read = Session(
        "s", (Message("user", "a", "1"), Message("user", "b", "2", thread="branch-1"), Message("user", "c", "3"))
    )
    assert merge(known, read).messages == read.messages


def test_a_side_line_goes_behind_the_main_line_of_the_same_time():
    at = "2026-01-01T10:00:00"
    main = Session("s", (Message("user", "a", "1", at=at), Message("user", "b", "2", at=at)), origin="b.jsonl")
    side = Session("s", (Message("user", "x", "3", at=at, thread="agent"),), origin="a.jsonl")
    assert (
        [m.text for m in merge(main, side).messages] == [m.text for m in merge(side, main).messages] == ["a", "b", "x"]
    )


def test_messages_without_a_time_stay_with_the_one_before_them():
    def said(number: int, at: str | None, **fields: str) -> Message:
        return Message("user", str(number), f"m{number}", at=at, **fields)

    known = Session("s", (said(1, "2026-01-01T10:00"), said(2, None), said(3, "2026-01-01T12:00")), origin="a")
    read = Session("s", (said(4, "2026-01-01T11:00"), said(5, None)), origin="b")
    assert [m.text for m in merge(known, read).messages] == ["1", "2", "4", "5", "3"]
