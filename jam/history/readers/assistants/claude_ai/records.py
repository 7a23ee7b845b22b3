"""What one message of a Claude.ai export says, and what kind of thing it is. Nothing here knows about files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from jam.history.parsing.content import Content, call_text, read_content
from jam.history.parsing.fields import first_id, first_text, objects, text_field
from jam.history.parsing.jsontext import kind_name
from jam.history.parsing.times import iso_time
from jam.history.reader import Spill
from jam.history.readers.assistants.openai_messages.records import ROLES
from jam.session import Message

_NEVER_SAID = frozenset({"token_budget"})
_FILLER = re.compile(r"```\s*This block is not supported on your current device yet\.\s*```")
"""What an export puts into `text` for each block that isn't text."""
_LONGEST_SUMMARY = 8_000


def session_facts(row: Mapping[str, Any]) -> dict[str, Any]:
    """What else a conversation says of itself."""
    summary = first_text(row, "summary")
    return {
        "model": first_text(row, "model"),
        "summary": summary[:_LONGEST_SUMMARY] if summary else None,
        "updated": iso_time(row.get("updated_at")),
        "starred": True if row.get("is_starred") is True else None,
    }


def project_of(row: Mapping[str, Any]) -> str | None:
    """The project that a conversation is filed in."""
    project = row.get("project")
    named = first_text(project, "name", "uuid") if isinstance(project, dict) else None
    return named or first_text(row, "project_uuid")


def read_message(row: Any, spill: Spill) -> Message | None:
    """A message; `None` where it says nothing. Raises `ValueError`, with the reason, where it can't be read."""
    if not isinstance(row, dict):
        raise ValueError(f"{kind_name(row)}, not an object")
    content = _said(row, spill)
    for part in _uploads(row):
        content.add("message", part)
    if not content.parts:
        return None
    sender = first_text(row, "sender", "role") or "user"
    role = ROLES.get(sender.lower())
    return Message(
        role=role or "user",
        text=content.text,
        id=first_id(row, "uuid", "id"),
        at=iso_time(row.get("created_at")),
        speaker=None if role else sender,
        kind="tool_result" if content.kinds == {"tool_result"} else content.kind,
        attachments=tuple(content.attachments),
        meta=_meta(row),
    )


def _said(row: Mapping[str, Any], spill: Spill) -> Content:
    """The blocks; the text, which repeats theirs, only where they hold none."""
    blocks = row.get("content")
    if isinstance(blocks, list):
        blocks = [block for block in blocks if not _is_noise(block)]
    content = read_content(blocks, spill) if isinstance(blocks, str | list | dict) else Content()
    text = first_text(row, "text")
    if text is not None and "message" not in content.kinds:
        rest = _FILLER.sub("", text) if content.parts else text
        if rest.strip() and not any(rest.strip() in part for _, part in content.parts):
            content.add("message", text if rest == text else rest.strip())
    return content


def _is_noise(block: Any) -> bool:
    return block is None or (isinstance(block, dict) and text_field(block, "type") in _NEVER_SAID)


def _uploads(row: Mapping[str, Any]) -> Iterator[str]:
    """What was attached: documents with their text, and the names of files whose content is not in the export."""
    named: set[str] = set()
    for upload in objects(row.get("attachments")):
        name, text = first_text(upload, "file_name", "name"), first_text(upload, "extracted_content", "content")
        label = f"[attachment: {name}]" if name else "[attachment]"
        if name or text:
            yield f"{label}\n{text}" if text else label
            named.add(name or "")
    for upload in [*objects(row.get("files")), *objects(row.get("files_v2"))]:
        name = first_text(upload, "file_name", "name", "file_uuid")
        key = first_text(upload, "file_uuid") or name
        if name and key and key not in named and name not in named:
            named.add(key)
            kind = first_text(upload, "file_kind")
            yield f"[{'image' if kind == 'image' else 'file'}: {name}]"


def _meta(row: Mapping[str, Any]) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    if model := first_text(row, "model"):
        meta["model"] = model
    if row.get("truncated") is True:
        meta["truncated"] = True
    return meta


def read_design_message(row: Any, spill: Spill) -> Message | None:
    """A message of a chat about a design, whose content has its own shape; `None` where it says nothing."""
    if not isinstance(row, dict):
        raise ValueError(f"{kind_name(row)}, not an object")
    inner = row.get("content")
    if not isinstance(inner, dict):
        return read_message(row, spill)
    content = Content()
    for block in objects(inner.get("contentBlocks")):
        _add_design_block(content, block, spill)
    text = first_text(inner, "content")
    if text and not content.parts:
        content.add("message", text)
    for part in _uploads(inner):
        content.add("message", part)
    if not content.parts:
        return None
    role = ROLES.get(str(row.get("role") or inner.get("role")).lower(), "user")
    notice = inner.get("pill") is True and content.kind == "message"
    return Message(
        role=role,
        text=content.text,
        id=first_id(row, "uuid") or first_id(inner, "id"),
        at=iso_time(row.get("created_at")) or iso_time(inner.get("timestamp")),
        speaker=first_text(inner, "authorName") if role == "user" else None,
        kind="notice" if notice else "summary" if inner.get("kind") == "chat-summary" else content.kind,
        attachments=tuple(content.attachments),
    )


def _add_design_block(content: Content, block: Mapping[str, Any], spill: Spill) -> None:
    call, message = block.get("toolCall"), block.get("message")
    if isinstance(call, dict):
        content.add("tool_call", call_text(call))
        if output := first_text(call, "output"):
            content.add("tool_result", output)
    elif block.get("type") == "user_interjection" and isinstance(message, dict):
        content.add("message", f"[user]\n{first_text(message, 'content') or ''}")
    elif isinstance(message, str):
        content.add("message", f"[{block.get('type')}]\n{message}")
    elif block.get("type") == "thinking":
        content.add("thinking", first_text(block, "text", "thinking") or "")
    else:
        found = read_content(dict(block), spill)
        content.parts += found.parts
        content.attachments += found.attachments
