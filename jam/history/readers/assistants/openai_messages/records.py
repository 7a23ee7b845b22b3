"""What one message or session object of the OpenAI style says. Nothing here knows about files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jam.history.parsing.content import Content, call_text, read_content
from jam.history.parsing.fields import first_id, first_text
from jam.history.parsing.jsontext import BadJson, kind_name, parse_json
from jam.history.parsing.times import iso_time
from jam.history.reader import Spill
from jam.history.readers.assistants.openai_messages.items import is_item, read_item
from jam.session import Message

ROLES = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
"""The roles that sources use, and ours."""
_TIMES = ("created_at", "created", "create_time", "timestamp", "date", "time")
_CONTENT = ("content", "tool_calls", "function_call", "reasoning_content", "reasoning", "refusal")
_LONGEST_FACT = 2_000
_NOT_FACTS = frozenset(
    {"messages", "id", "title", "name", "subject", "tools", "system", "instructions", "input", "custom_id", *_TIMES}
)


def is_message(row: Mapping[str, Any]) -> bool:
    """Whether an object is a message at all: it has a role, and something to say."""
    return isinstance(row.get("role"), str) and any(key in row for key in _CONTENT)


def first_time(row: Mapping[str, Any]) -> str | None:
    """The first field with a time that can be read."""
    return next(filter(None, (iso_time(row.get(key)) for key in _TIMES)), None)


def session_facts(row: Mapping[str, Any]) -> dict[str, Any]:
    """What else a session object says of itself, where it is short; of its tools, the names."""
    facts: dict[str, Any] = {
        key: value
        for key, value in row.items()
        if key not in _NOT_FACTS and isinstance(value, str | int | float | bool) and len(str(value)) <= _LONGEST_FACT
    }
    if names := _tool_names(row.get("tools")):
        facts["tools"] = names
    return facts


def _tool_names(tools: Any) -> list[str]:
    """The names of tools that a model was given, as a list or as the JSON text of one."""
    if isinstance(tools, str):
        try:
            tools = parse_json(tools)
        except BadJson:
            return []
    found: list[str] = []
    for tool in tools if isinstance(tools, list) else []:
        inner = tool.get("function", tool) if isinstance(tool, dict) else None
        name = first_text(inner, "name", "type") if isinstance(inner, dict) else None
        found += [name] if name else []
    return found


def read_message(row: Any, spill: Spill) -> Message | None:
    """A message; `None` where it is blank. Raises `ValueError`, with the reason, where it can't be read."""
    if not isinstance(row, dict):
        raise ValueError(f"{kind_name(row)}, not an object")
    role = row.get("role")
    if not isinstance(role, str):
        if is_item(row):
            return read_item(row, spill)
        raise ValueError("no role in it")
    content = _content(row, spill)
    if not content.parts:
        return None
    ours = ROLES.get(role.lower())
    kind = "tool_result" if ours == "tool" else content.kind
    return Message(
        role=ours or "user",
        text=content.text,
        id=first_id(row, "id", "uuid"),
        at=first_time(row),
        speaker=first_text(row, "name") or (None if ours else role),
        kind=kind,
        attachments=tuple(content.attachments),
        meta={key: row[key] for key in ("model", "tool_call_id") if isinstance(row.get(key), str)},
    )


def _content(row: Mapping[str, Any], spill: Spill) -> Content:
    """Reasoning, text and calls, in the order in which a model makes them."""
    content = Content()
    for key in ("reasoning_content", "reasoning"):
        if isinstance(row.get(key), str) and not content.parts:
            content.add("thinking", row[key])
    if row.get("content") is not None:
        said = read_content(row["content"], spill)
        content.parts += said.parts
        content.attachments += said.attachments
    elif not any(row.get(key) for key in _CONTENT):
        raise ValueError("no content")
    if isinstance(row.get("refusal"), str):
        content.add("message", row["refusal"])
    calls = row.get("tool_calls")
    for call in [*(calls if isinstance(calls, list) else []), row.get("function_call")]:
        if isinstance(call, dict):
            content.add("tool_call", call_text(call))
    return content
