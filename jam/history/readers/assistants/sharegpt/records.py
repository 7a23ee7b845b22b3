"""What one turn of a ShareGPT conversation says. Nothing here knows about files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jam.history.parsing.content import Content, call_text, read_content
from jam.history.parsing.fields import first_id, first_text
from jam.history.parsing.jsontext import BadJson, compact_json, kind_name, parse_json
from jam.history.reader import Spill
from jam.history.readers.assistants.openai_messages.records import ROLES, first_time
from jam.session import Kind, Message

KEYS = ("conversations", "conversation", "items", "dialog", "dialogue", "turns")
"""Where a row has its turns."""
_WHO = ("from", "role", "speaker", "sender")
_WHAT = ("value", "content", "text", "markdown")
_CALLS = frozenset({"function_call", "tool_call"})
_RESULTS = frozenset(
    {"observation", "tool", "tool_response", "tool_result", "function", "function_response", "ipython"}
)
_ROLES = {
    **ROLES,
    **dict.fromkeys(("gpt", "chatgpt", "bing", "bard", "claude", "bot", "chatbot", "model"), "assistant"),
}


def is_turn(row: Any) -> bool:
    """Whether an object is a turn in the strict sense: `from` and `value`."""
    return isinstance(row, dict) and isinstance(row.get("from"), str) and "value" in row


def turns_of(row: Any) -> list[Any] | None:
    """The turns of a conversation; `None` for anything else."""
    if not isinstance(row, dict):
        return None
    return next((row[key] for key in KEYS if isinstance(row.get(key), list)), None)


def read_turn(row: Any, spill: Spill) -> Message | None:
    """A turn; `None` where it is blank. Raises `ValueError`, with the reason, where it can't be read."""
    if not isinstance(row, dict):
        raise ValueError(f"{kind_name(row)}, not an object")
    who = first_text(row, *_WHO)
    value = next((row[key] for key in _WHAT if row.get(key) is not None), None)
    if who is None:
        raise ValueError("nobody says it")
    if value is None:
        raise ValueError("no text in it")
    name = who.strip().lower()
    role, kind, content = _said(name, value, spill)
    if not content.parts:
        return None
    known = name in _CALLS or name in _RESULTS or name in _ROLES
    return Message(
        role=role,
        text=content.text,
        id=first_id(row, "id", "uuid"),
        at=first_time(row),
        speaker=first_text(row, "name") or (None if known else who),
        kind=kind,
        attachments=tuple(content.attachments),
        meta={key: row[key] for key in ("model",) if isinstance(row.get(key), str)},
    )


def _said(name: str, value: Any, spill: Spill) -> tuple[str, Kind, Content]:
    """Role, kind and content of what someone of this name says."""
    if name in _CALLS:
        content = Content()
        for call in _calls(value):
            content.add("tool_call", call)
        return "assistant", "tool_call", content
    content = read_content(value if isinstance(value, str | list | dict) else compact_json(value), spill)
    if name in _RESULTS:
        return "tool", "tool_result", content
    return _ROLES.get(name, "user"), content.kind, content


def _calls(value: Any) -> Iterator[str]:
    """One call, or several, mostly written as JSON in a text."""
    parsed = value
    if isinstance(value, str):
        try:
            parsed = parse_json(value)
        except BadJson:
            yield f"[tool_use ?] {value}" if value.strip() else ""
            return
    for call in parsed if isinstance(parsed, list) else [parsed]:
        yield call_text(call) if isinstance(call, dict) else f"[tool_use ?] {compact_json(call)}"
