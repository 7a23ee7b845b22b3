"""Real Claude Code transcripts; skipped where they are missing."""

from __future__ import annotations

import json
from pathlib import Path

import jam
from jam.history.reading import read_history
from jam.memorizer.merge import merge
from jam.session import Attachment, Session
from tests.conftest import benchmark_file


def spill(payload: bytes, media_type: str, name: str | None) -> Attachment:
    return Attachment("0" * 64, media_type, len(payload), name)


def test_the_raw_files_give_back_the_sessions_that_were_read(tmp_path: Path):
    history = benchmark_file("formats/claude_code")
    read: dict[str, Session] = {}
    for _, session in read_history(history, spill):
        read[session.id] = merge(read[session.id], session) if session.id in read else session
    kept = {session.id: session for session in jam.build(history, tmp_path / "w").sessions()}
    assert {i: s.messages for i, s in kept.items()} == {i: s.messages for i, s in read.items()}


def test_every_record_with_a_message_is_in_a_raw_file(tmp_path: Path):
    history = benchmark_file("formats/claude_code")
    wanted = set()
    for path in history.rglob("*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            message = record.get("message") if isinstance(record, dict) else None
            if isinstance(message, dict) and message.get("content") and record.get("type") in ("user", "assistant"):
                wanted.add(record.get("uuid"))
    kept = {message.id for s in jam.build(history, tmp_path / "w").sessions() for message in s.messages}
    assert {uuid for uuid in wanted if uuid} <= kept
