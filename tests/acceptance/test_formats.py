"""Real files of every format, read and counted a second time; skipped where they are missing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from jam.history.reading import read_history
from jam.history.report import FileRow
from jam.session import Attachment, Session
from tests.acceptance import counts
from tests.acceptance.counts import Count
from tests.conftest import DATA, benchmark_file

FORMATS: dict[str, Callable[[Path], Count]] = {
    "formats/chatgpt_export": counts.chatgpt,
    "formats/claude_ai_export": counts.claude_ai,
    "formats/claude_code": counts.claude_code,
    "formats/codex_rollout": counts.codex,
    "formats/gemini_cli": counts.gemini_cli,
    "formats/langchain": counts.langchain,
    "formats/markdown_obsidian/specstory_history": counts.specstory,
    "formats/openai_messages": counts.openai_messages,
    "formats/sharegpt": counts.sharegpt,
    "formats/swe_agent_openhands": counts.agents,
    "formats/vtt_srt": counts.subtitles,
    "hotpotqa": counts.paragraphs,
    "locomo8.json": counts.locomo,
    "longmemeval12.json": counts.longmemeval,
}
NOTES = ("formats/markdown_obsidian/kepano_vault", "formats/plain_text")
SETTINGS = {".base": "views of Obsidian"}
"""Files of an export that hold no messages."""
ONE_SESSION_WORDS = 4_000
"""A longer document may be several sessions."""


def spill(payload: bytes, media_type: str, name: str | None) -> Attachment:
    return Attachment("0" * 64, media_type, len(payload), name)


@cache
def read(history: Path) -> dict[str, tuple[FileRow, list[Session]]]:
    """What was read of every file."""
    reading = read_history(history, spill)
    sessions: dict[str, list[Session]] = {}
    for _, session in reading:
        sessions.setdefault(session.origin, []).append(session)
    names = [row.name for row in reading.report.rows]
    assert len(set(names)) == len(names), "a file with two rows"
    return {row.name: (row, sessions.get(row.name, [])) for row in reading.report.rows}


def moment(text: str) -> datetime | date:
    return date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text)


def counted(row: FileRow, sessions: list[Session]) -> Count:
    """What the readers say of a file, in the terms of `counts`."""
    times = [message.at for session in sessions for message in session.messages if message.at]
    times = times or [session.at for session in sessions if session.at]
    moments = sorted(map(moment, times))
    assert row.sessions == len({session.id for session in sessions})
    assert row.messages == sum(len(session.messages) for session in sessions)
    return Count(row.sessions, row.messages, moments[0] if moments else None, moments[-1] if moments else None)


def same(one: datetime | date | None, other: datetime | date | None) -> bool:
    """Equal in value, precision and zone; floats of Unix time may differ by a rounding."""
    if isinstance(one, datetime) and isinstance(other, datetime) and (one.tzinfo is None) == (other.tzinfo is None):
        return abs(one - other) < timedelta(milliseconds=1)
    return type(one) is type(other) and one == other


def files_of(name: str) -> list[str]:
    path = DATA / name
    found = sorted(path.rglob("*")) if path.is_dir() else [path]
    return [file.relative_to(DATA).as_posix() for file in found if file.is_file() or not file.exists()]


KNOWN = {
    "formats/swe_agent_openhands/sweagent_test-repo-i1_old.traj": "what its last step returned is in the steps only",
}
"""Where a reader still differs, and why it is the reader that should change."""


def cases() -> list[Any]:
    found = [(name, file) for name in FORMATS for file in files_of(name)]
    known = {file: pytest.mark.xfail(reason=reason, strict=True) for file, reason in KNOWN.items()}
    return [pytest.param(name, file, marks=known.get(file, ()), id=file) for name, file in found]


@pytest.mark.parametrize(("name", "file"), cases())
def test_counts(name: str, file: str):
    path = benchmark_file(file)
    wanted = FORMATS[name](path)
    rows = read(path.parent if path.parent != DATA else path)
    row, sessions = rows[path.name]
    got = counted(row, sessions)
    assert (got.sessions, got.messages) == (wanted.sessions, wanted.messages), row.render()
    assert same(got.first, wanted.first), f"first {got.first}, not {wanted.first}"
    assert same(got.last, wanted.last), f"last {got.last}, not {wanted.last}"
    if wanted.messages:
        assert row.status == "ingested", row.render()
    assert row.format is not None, row.render()


@pytest.mark.parametrize("name", NOTES)
def test_notes_are_whole_and_dated(name: str):
    folder = benchmark_file(name)
    for file, (row, sessions) in read(folder).items():
        path = folder / file
        if path.suffix in SETTINGS:
            assert (row.status, row.sessions, row.messages) == ("ingested", 0, 0), row.render()
            assert row.note, row.render()
            continue
        dates, text = counts.note_dates(path)
        if not text.strip():
            assert (row.status, row.reason) == ("skipped", "empty")
            continue
        assert row.status == "ingested", row.render()
        assert "".join("".join(m.text for s in sessions for m in s.messages).split()) == "".join(text.split()), file
        if len(text.split()) < ONE_SESSION_WORDS:
            assert row.sessions == 1, file
        for session in sessions:
            at = session.at and moment(session.at)
            assert any(same(at, each) for each in dates), f"{file}: {at}, not one of {dates}"
            assert not any(message.at for message in session.messages)


def test_every_file_is_in_exactly_one_row():
    root = benchmark_file("formats").parent
    reading = read_history(root, spill)
    assert sum(1 for _ in reading) > 0
    report = reading.report
    excluded = tuple(left.name for left in report.excluded)
    files = [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]
    wanted = sorted(file for file in files if not file.startswith(excluded))
    assert sorted(row.name for row in report.rows) == wanted
    assert report.found == report.ingested + report.skipped == len(wanted)
    for row in report.rows:
        reasons = [row.reason or "", row.note or "", *(skipped.reason for skipped in row.records_skipped)]
        assert not [reason for reason in reasons if "reader failed" in reason], row.render()
        if row.name.startswith(("formats/", "hotpotqa/", "locomo", "longmemeval")) and row.status == "skipped":
            assert row.reason in ("empty", "no messages in it"), row.render()
