"""What one item of a Codex conversation says (`response_item`, or a line of an older file). Nothing here knows about
files.

Encrypted reasoning, snapshots and lists of tools say nothing. Instructions and surroundings that Codex puts into the
user's turn are notices.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jam.history.parsing.fields import text_field
from jam.history.reader import Spill
from jam.history.readers.agents.codex.tools import CALLS, RESULTS, content_of, facts, read_call, read_result
from jam.session import Kind, Message

_NOTICE = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|turn_aborted|user_shell_command|skill|subagent_notification"
    r"|model_switch|collaboration_mode|personality_spec|permissions instructions|(?:apps|skills|plugins)_instructions"
    r"|recommended_plugins|realtime_\w+|agents_md|INSTRUCTIONS)\b[^>]{0,200}>|# AGENTS\.md instructions\b)",
    re.IGNORECASE,
)
_PICTURE_TAG = re.compile(r"\s*</?image\b[^>]{0,500}>\s*")


@dataclass(frozen=True, slots=True)
class Said:
    """A message, and its texts one by one, by which an event that says the same is known."""

    message: Message
    texts: tuple[str, ...] = ()


def read_item(item: Mapping[str, Any], at: str | None, spill: Spill) -> Said | None:
    """What an item says; `None` where it says nothing. Raises `ValueError`, with the reason, where it can't be read."""
    kind = text_field(item, "type")
    if kind == "message" or (kind is None and "role" in item):
        return _spoken(item, at, spill)
    if kind == "reasoning":
        return _reasoning(item, at)
    if kind == "agent_message":
        return _between_agents(item, at, spill)
    if kind in CALLS:
        return Said(read_call(item, at, spill))
    result = read_result(item, at, spill) if kind in RESULTS else None
    return Said(result) if result is not None else None


def is_notice(text: str) -> bool:
    """What Codex put into the user's turn."""
    return bool(_NOTICE.match(text))


def _spoken(item: Mapping[str, Any], at: str | None, spill: Spill) -> Said | None:
    role = item.get("role")
    if not isinstance(role, str):
        raise ValueError("no role in it")
    content = content_of(item.get("content"), spill)
    if not content.parts:
        return None
    ours = {"user": "user", "assistant": "assistant", "tool": "tool"}.get(role, "system")
    said = [text for _, text in content.parts if not _PICTURE_TAG.fullmatch(text)]
    kind: Kind = content.kind
    if ours == "system" or (ours == "user" and said and all(is_notice(text) for text in said)):
        kind = "notice"
    elif ours == "tool":
        kind = "tool_result"
    message = Message(
        role=ours,
        text=content.text,
        id=text_field(item, "id"),
        at=at,
        kind=kind,
        attachments=tuple(content.attachments),
        meta=facts(item, "phase"),
    )
    return Said(message, tuple(dict.fromkeys([*said, "".join(said)])))


def _reasoning(item: Mapping[str, Any], at: str | None) -> Said | None:
    texts = [*_texts(item.get("summary")), *_texts(item.get("content"))]
    if not texts:
        return None  # encrypted: there is nothing to read
    message = Message("assistant", "\n\n".join(texts), text_field(item, "id"), at, kind="thinking")
    return Said(message, tuple(texts))


def _texts(value: Any) -> Iterator[str]:
    for part in value if isinstance(value, list) else [value]:
        text = text_field(part, "text") if isinstance(part, dict) else part
        if isinstance(text, str) and text.strip():
            yield text


def _between_agents(item: Mapping[str, Any], at: str | None, spill: Spill) -> Said | None:
    """What one agent wrote to another."""
    content = content_of(item.get("content"), spill)
    if not content.parts:
        return None
    message = Message(
        role="assistant",
        text=content.text,
        id=text_field(item, "id"),
        at=at,
        speaker=text_field(item, "author"),
        attachments=tuple(content.attachments),
        meta=facts(item, "recipient"),
    )
    return Said(message, tuple(text for _, text in content.parts))
