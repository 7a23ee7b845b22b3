"""Invented Claude Code transcripts for tests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

Record = dict[str, Any]


def session_id(number: int) -> str:
    """A session id of the form that Claude Code gives."""
    return str(UUID(int=0xABC << 100 | number))


def said(number: int, who: str, content: object, session: str, *, minute: int | None = None, **fields: Any) -> Record:
    """A record with a message. Its uuid and, unless told otherwise, its time follow from its number."""
    at = datetime(2026, 3, 1, 9, tzinfo=UTC) + timedelta(minutes=number if minute is None else minute)
    return {
        "type": who,
        "uuid": str(UUID(int=0x111 << 100 | number)),
        "parentUuid": str(UUID(int=0x111 << 100 | number - 1)) if number > 1 else None,
        "sessionId": session,
        "timestamp": at.isoformat().replace("+00:00", ".000Z"),
        "cwd": "/home/ann/harbor",
        "version": "2.0.1",
        "message": {"role": who, "content": content},
        **fields,
    }


def tool_use(command: str, call: str = "toolu_1") -> list[Record]:
    """The content of an assistant's turn that runs a command."""
    return [{"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}]


def tool_result(text: str, call: str = "toolu_1") -> list[Record]:
    """The content of the turn that brings its output."""
    return [{"type": "tool_result", "tool_use_id": call, "content": text}]


def chat(session: str, texts: Sequence[str], first: int = 1) -> list[Record]:
    """User and assistant in turn."""
    return [said(first + n, "user" if n % 2 == 0 else "assistant", text, session) for n, text in enumerate(texts)]


def write_transcript(path: Path, records: Sequence[Record]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
