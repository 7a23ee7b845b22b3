"""Sessions that are handed out in parts are the same sessions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jam.history import gather
from jam.history.gather import Gathering
from jam.history.reader import Part
from jam.session import Message, Session


@pytest.fixture(autouse=True)
def _three_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gather, "MAX_MESSAGES", 3)


def added(gathering: Gathering, *texts: str, session: str = "s", start: int = 0) -> Iterator[Session]:
    for number, text in enumerate(texts, start):
        gathering.add(session, Message("user", text, id=f"m{number}"))
        if gathering.full():
            yield from gathering.take()


def test_a_short_session_is_no_part():
    gathering = Gathering("x", "f")
    assert list(added(gathering, "a", "b")) == []
    (session,) = gathering.take()
    assert type(session) is Session
    assert list(gathering.take()) == []


def test_a_long_session_comes_in_parts_to_its_end():
    gathering = Gathering("x", "f")
    parts = [*added(gathering, *"abcdefg"), *gathering.take()]
    assert ["".join(m.text for m in part.messages) for part in parts] == ["abc", "def", "g"]
    assert all(type(part) is Part for part in parts)


def test_what_is_said_of_a_session_at_last_is_said_by_an_empty_part():
    gathering = Gathering("x", "f")
    parts = list(added(gathering, *"abc"))
    gathering.draft("s").title = "Late"
    (last,) = gathering.take()
    assert (parts[0].title, last.title, last.messages) == (None, "Late", ())
    assert list(gathering.take()) == []


def test_threads_that_turn_out_at_last_are_told():
    gathering = Gathering("x", "f")
    list(added(gathering, *"abc"))
    list(added(gathering, "d", start=3))
    (last,) = gathering.take({"m1": "branch-1", "m3": "branch-1"})
    assert isinstance(last, Part)
    assert last.messages[0].thread == "branch-1"
    assert last.threads["m1"] == "branch-1"


def test_a_message_that_was_handed_out_is_known_again():
    gathering = Gathering("x", "f")
    list(added(gathering, *"abc"))
    assert not gathering.add("s", Message("user", "b", id="m1"))
    assert gathering.add("s", Message("user", "other", id="m1"))
    assert gathering.add("t", Message("user", "b", id="m1"))
    assert gathering.repeated == 1
    assert [m.id for part in gathering.take() for m in part.messages] == ["m1~2", "m1"]
    assert gathering.holds("s", "m1")
    assert not gathering.holds("s", "m9")


def test_a_summary_that_was_handed_out_is_known_again():
    gathering = Gathering("x", "f")
    gathering.add("s", Message("user", "Gist", kind="summary"))
    assert gathering.holds_summary("s", "Gist")
    list(added(gathering, *"ab"))
    assert gathering.holds_summary("s", "Gist")
    assert not gathering.holds_summary("t", "Gist")
