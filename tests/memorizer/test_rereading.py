"""Files that are read by another assumption than before: the same messages, on other days."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from jam.memorizer.build import BuildReport, build
from jam.session import Session
from tests.conftest import tree_digest

NAME = "WhatsApp Chat with Ann.txt"
OPEN = "3/1/24, 9:05 PM - Ann: The mast is here.\n3/2/24, 9:06 PM - Bob: Which mast?\n"
"""Day or month first: only what follows can tell."""
DAY_FIRST = "13/2/24, 8:00 AM - Bob: Ah, that mast.\n"
MONTH_FIRST = "3/13/24, 8:00 AM - Bob: Ah, that mast.\n"


@pytest.fixture
def history(tmp_path: Path) -> Path:
    (tmp_path / "h").mkdir()
    return tmp_path / "h"


def write(history: Path, text: str, name: str = NAME) -> None:
    (history / name).parent.mkdir(parents=True, exist_ok=True)
    (history / name).write_text(text, encoding="utf-8")


def built(history: Path, name: str = "w") -> tuple[dict[str, Session], BuildReport]:
    workspace, report = build(history, history.parent / name)
    return {session.id: session for session in workspace.sessions()}, report


def said(sessions: dict[str, Session]) -> list[tuple[str, str | None, str]]:
    return sorted((i, message.at, message.text) for i, session in sessions.items() for message in session.messages)


SETTLED = [
    ("whatsapp/Ann/2024-01-03", "2024-01-03T21:05", "The mast is here."),
    ("whatsapp/Ann/2024-02-03", "2024-02-03T21:06", "Which mast?"),
    ("whatsapp/Ann/2024-02-13", "2024-02-13T08:00", "Ah, that mast."),
]


def test_a_chat_that_tells_its_dates_later_is_there_once(history: Path):
    write(history, OPEN)
    found, _ = built(history)
    assert sorted(found) == ["whatsapp/Ann/2024-03-01", "whatsapp/Ann/2024-03-02"]
    write(history, OPEN + DAY_FIRST)
    found, report = built(history)
    assert said(found) == SETTLED
    assert (report.messages, report.removed, report.gone) == (3, 2, ())
    before = tree_digest(history.parent / "w")
    found, report = built(history)
    assert (report.new, report.grown, report.removed, tree_digest(history.parent / "w")) == (0, 0, 0, before)
    assert found == built(history, "fresh")[0]


def test_what_was_assumed_and_turns_out_right_changes_no_message(history: Path):
    write(history, OPEN)
    before, _ = built(history)
    write(history, OPEN + MONTH_FIRST)
    found, report = built(history)
    assert {i: found[i].messages for i in before} == {i: session.messages for i, session in before.items()}
    assert (report.messages, report.new, report.removed) == (3, 1, 0)


def test_days_that_change_places_are_not_mixed(history: Path):
    """By one reading the first message is of January, by the other the second one."""
    swapped = "1/3/24, 9:05 PM - Ann: ok\n3/1/24, 9:05 PM - Ann: ok\n3/1/24, 9:07 PM - Ann: Good.\n"
    write(history, swapped)
    assert said(built(history)[0])[-1] == ("whatsapp/Ann/2024-03-01", "2024-03-01T21:07", "Good.")
    write(history, swapped + "13/4/24, 8:00 AM - Bob: Fine.\n14/4/24, 8:00 AM - Bob: See you.\n")
    found, _ = built(history)
    assert said(found)[:3] == [
        ("whatsapp/Ann/2024-01-03", "2024-01-03T21:05", "ok"),
        ("whatsapp/Ann/2024-01-03", "2024-01-03T21:07", "Good."),
        ("whatsapp/Ann/2024-03-01", "2024-03-01T21:05", "ok"),
    ]
    assert found == built(history, "fresh")[0]


def test_what_the_file_no_longer_holds_stays(history: Path):
    write(history, "3/1/24, 9:00 PM - Ann: Nobody knows.\n" + OPEN)
    built(history)
    write(history, OPEN + DAY_FIRST)
    for _ in range(2):
        found, _ = built(history)
        assert said(found) == [*SETTLED, ("whatsapp/Ann/2024-03-01", "2024-03-01T21:00", "Nobody knows.")]
    (history / NAME).unlink()
    write(history, "Nothing else.", "note.txt")
    found, report = built(history)
    assert (len(said(found)), report.gone) == (5, (NAME,))


@pytest.mark.parametrize("order", ["open first", "settled first", "together"])
def test_a_guess_gives_way_to_another_file_of_the_chat(history: Path, order: str):
    def older() -> None:
        write(history, OPEN, f"2024-01/{NAME}")

    def newer() -> None:
        write(history, OPEN + DAY_FIRST, f"2024-06/{NAME}")

    first, second = (newer, older) if order == "settled first" else (older, newer)
    first()
    if order != "together":
        built(history)
    second()
    for _ in range(3):
        assert said(built(history)[0]) == SETTLED


def telegram(history: Path, folder: str, hours: int) -> None:
    times = [datetime(2024, 3, 5, hour, 30, tzinfo=UTC) for hour in (12, 22, 23)]
    messages = [
        {
            "id": number,
            "type": "message",
            "date": (at + timedelta(hours=hours)).replace(tzinfo=None).isoformat(),
            "date_unixtime": str(int(at.timestamp())),
            "from": "Ann",
            "from_id": "user1",
            "text": f"Message {number}",
        }
        for number, at in enumerate(times)
    ]
    chat = {"name": "Ann", "type": "personal_chat", "id": 77, "messages": messages}
    write(history, json.dumps(chat), f"{folder}/result.json")


def discord(history: Path, folder: str, hours: int) -> None:
    zone = datetime(2024, 3, 5, tzinfo=UTC)
    times = [zone + timedelta(hours=hour, minutes=30) for hour in (12, 22, 23)]
    messages = [
        {
            "id": str(number),
            "type": "Default",
            "timestamp": (at + timedelta(hours=hours)).replace(tzinfo=None).isoformat() + f"{hours:+03d}:00",
            "content": f"Message {number}",
            "author": {"id": "1", "name": "ann"},
        }
        for number, at in enumerate(times)
    ]
    channel = {"id": "77", "type": "GuildTextChat", "name": "boats"}
    export = {"guild": {"id": "5", "name": "Club"}, "channel": channel, "messages": messages, "messageCount": 3}
    write(history, json.dumps(export), f"{folder}/boats.json")


@pytest.mark.parametrize("export", [telegram, discord])
def test_a_chat_exported_under_another_clock_is_there_once(history: Path, export):
    export(history, "home", 1)
    built(history)
    export(history, "abroad", 9)
    found, report = built(history)
    assert report.messages == 3
    assert [i.rpartition("/")[2] for i in found] == ["2024-03-05"]


@pytest.mark.parametrize("beside", [False, True])
def test_days_by_the_clock_of_a_computer_give_way_to_days_in_utc(history: Path, beside: bool):
    telegram(history, "a", 1)
    path = history / "a" / "result.json"
    newer = path.read_text()
    data = json.loads(newer)
    for message in data["messages"]:
        del message["date_unixtime"]
    path.write_text(json.dumps(data))
    assert sorted(built(history)[0]) == ["telegram/77/2024-03-05", "telegram/77/2024-03-06"]
    write(history, newer, "b/result.json" if beside else "a/result.json")
    found, _ = built(history)
    assert {i: len(session.messages) for i, session in found.items()} == {"telegram/77/2024-03-05": 3}
