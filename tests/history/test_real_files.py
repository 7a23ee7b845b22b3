"""Real files, counted a second time by simpler means."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest


def objects(path: Path) -> list[object]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def folder(data: Path, name: str) -> Path:
    path = data / name
    if not path.exists():
        pytest.skip(f"no {name} in the test data")
    return path


def test_claude_code(data, read):
    path = folder(data, "formats/claude_code")
    result = read(path)
    for row in result.report.rows:
        records = [r for r in objects(path / row.name) if isinstance(r, dict)]
        spoken = [r for r in records if isinstance(r.get("message"), dict) and r["message"].get("content") is not None]
        summaries = [r for r in records if r.get("type") == "summary"]
        assert row.messages == len(spoken) + len(summaries), row.name
        assert row.messages + row.ignored + row.skipped_count == len(objects(path / row.name))
    by_origin = {session.origin: session for session in result.sessions}
    agent = by_origin["jazzyalex_subagent/subagents/agent-a0ad4f44468bdf20d.jsonl"]
    parent = by_origin["jazzyalex_subagent/0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f.jsonl"]
    assert agent.id == parent.id
    assert {message.thread for message in agent.messages} == {"a0ad4f44468bdf20d"}
    assert by_origin["daaain_todowrite_examples.jsonl"].title == "Feature Implementation with Task Management"


def test_openai_messages(data, read):
    path = folder(data, "formats/openai_messages")
    result = read(path)
    rows = [row for file in sorted(path.iterdir()) for row in objects(file)]
    assert len(result.sessions) == len(rows)
    assert result.report.messages == sum(len(row["messages"]) for row in rows)
    assert result.report.records_skipped == 0
    for session, row in zip(result.sessions, rows, strict=True):
        for message, source in zip(session.messages, row["messages"], strict=True):
            assert all(b["value"] in message.text for b in source["content"] if b["type"] in ("text", "reasoning"))


def test_locomo(data, read):
    path = folder(data, "locomo8.json")
    result = read(path)
    talks = [sample["conversation"] for sample in json.loads(path.read_text("utf-8"))]
    sessions = [turns for talk in talks for turns in talk.values() if isinstance(turns, list)]
    assert (len(result.sessions), result.report.messages) == (217, 4805)
    assert (len(sessions), sum(map(len, sessions))) == (217, 4805)
    assert result.report.records_skipped == 0
    assert "16 dates without a session" in result.row.note
    assert all(session.at and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:00", session.at) for session in result.sessions)
    ids = [(session.group[0], message.id) for session in result.sessions for message in session.messages]
    assert len(set(ids)) == len(ids)
    assert sum("[image: " in m.text for s in result.sessions for m in s.messages) >= 910


@pytest.mark.parametrize("name", ["formats/markdown_obsidian", "formats/plain_text"])
def test_notes(data, read, name):
    path = folder(data, name)
    result = read(path)
    files = [file for file in path.rglob("*.md") if not {".obsidian", ".git"} & set(file.parts)]
    rows = [row for row in result.report.rows if row.name.endswith(".md")]
    assert len(rows) == len(files)
    for row in rows:
        text = (path / row.name).read_bytes().decode("utf-8")
        own = [session for session in result.sessions if session.origin == row.name]
        assert row.status == ("ingested" if text.strip() else "skipped"), row.name
        if all(session.kind == "document" for session in own):
            assert "".join("".join(m.text for s in own for m in s.messages).split()) == "".join(text.split())


def test_specstory(data, read):
    path = folder(data, "formats/markdown_obsidian/specstory_history")
    for session in read(path).sessions:
        text = (path / session.origin).read_bytes().decode("utf-8").replace("\r\n", "\n")
        headers = re.findall(r"^_\*\*(User|Agent).*\*\*_$", text, re.MULTILINE)
        turns = [message for message in session.messages if message.kind != "notice"]
        assert [{"user": "User"}.get(message.role, "Agent") for message in turns] == headers
        times = [message.at for message in turns]
        assert None not in times
        assert times == sorted(times)


def test_books(data, read):
    path = folder(data, "narrativeqa/books")
    result = read(path)
    assert result.report.ingested == len(list(path.iterdir()))
    assert len(result.sessions) > 10


def test_other_formats_are_listed_not_fatal(data, read):
    report = read(folder(data, "formats")).report
    assert report.found == report.ingested + report.skipped
    assert not [row for row in report.rows if "reader failed" in (row.reason or "")]
