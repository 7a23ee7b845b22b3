"""Gemini CLI's `logs.json`: what the user typed, session by session. The chats hold the same, where they are kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jam.history.gather import Gathering
from jam.history.parsing.fields import text_field
from jam.history.parsing.jsonitems import json_items
from jam.history.parsing.jsontext import kind_name
from jam.history.parsing.times import iso_time
from jam.history.reader import Note, Skipped, SourceFile
from jam.session import Message, Session

_ID_IN_NAME = 8
"""How much of a session's id stands in the name of its chat."""


def is_prompt(row: Any) -> bool:
    """Whether a row is one of the log's."""
    return isinstance(row, dict) and {"sessionId", "messageId", "message"} <= set(row)


def read_prompts(file: SourceFile) -> Iterator[Session | Skipped | Note]:
    """The prompts of sessions whose chat is not there, a session each."""
    gathering = Gathering("gemini_cli", file.name)
    chats = [name for name in file.neighbours("chats") if name.endswith((".json", ".jsonl"))]
    elsewhere: dict[str, bool] = {}
    ignored = 0
    for item in json_items(file):
        if isinstance(item, Skipped):
            yield item
            continue
        row, where = item.value, f"record {item.number}"
        if not isinstance(row, dict):
            yield Skipped(where, f"{kind_name(row)}, not an object")
            continue
        session, text = text_field(row, "sessionId"), text_field(row, "message")
        if session is None or text is None or not text.strip():
            yield Skipped(where, "no session or no text in it")
            continue
        if session not in elsewhere:
            elsewhere[session] = any(session[:_ID_IN_NAME] in name for name in chats)
        if elsewhere[session]:
            ignored += 1
            continue
        number = row.get("messageId")
        known = isinstance(number, int | str) and not isinstance(number, bool)
        gathering.draft(session).group = file.folders
        at = iso_time(row.get("timestamp"))
        gathering.add(session, Message("user", text, str(number) if known else None, at))
        if gathering.full():
            yield from gathering.take()
    yield from gathering.take()
    said = "prompts of sessions whose chats are read" if any(elsewhere.values()) else ""
    yield Note(said, ignored=ignored, companion=bool(elsewhere) and all(elsewhere.values()))
