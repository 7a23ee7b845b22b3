"""What one record of a Gemini CLI session says. Nothing here knows about files.

A record is a message; the results of the tools that it called are messages of their own behind it, since somebody else
says them. Thoughts stand before what was said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from jam.history.parsing.content import Content, call_text, read_content
from jam.history.parsing.fields import as_list, text_field
from jam.history.parsing.jsontext import compact_json, kind_name
from jam.history.parsing.times import iso_time
from jam.history.reader import Spill
from jam.session import Attachment, Kind, Message

ROLES = {"user": "user", "gemini": "assistant", "model": "assistant", "assistant": "assistant"}
"""Types of records that are turns; all others are notices of the program."""
_CONTEXT = re.compile(r"\s*(?:<session_context>|This is the Gemini CLI\. We are setting up the context)")
_ACKNOWLEDGED = "Got it. Thanks for the context!"


def read_record(record: Mapping[str, Any], spill: Spill) -> list[Message]:
    """The messages of a record; none where it is blank. Raises `ValueError`, with the reason, for one that can't be
    read."""
    kind = text_field(record, "type") or text_field(record, "role")
    if kind is None:
        raise ValueError("no type in it")
    content = Content()
    for thought in as_list(record.get("thoughts")):
        content.add("thinking", _thought(thought))
    value = next((record[key] for key in ("content", "parts", "text", "message") if record.get(key)), None)
    if value is not None:
        _add_parts(content, value, spill)
    calls = [call for call in as_list(record.get("toolCalls")) if isinstance(call, dict)]
    for call in calls:
        content.add("tool_call", call_text(call))
    role = ROLES.get(kind, "system")
    whole = _message(role, content, record)
    return [*([whole] if content.parts else []), *_results(calls, record, spill)]


def read_turn(turn: Mapping[str, Any], spill: Spill) -> list[Message]:
    """The messages of a `{role, parts}` turn, as checkpoints hold them: results apart from what else is in it."""
    return read_record({**turn, "type": turn.get("role")}, spill)


def answered_calls(record: Mapping[str, Any]) -> set[str]:
    """The ids of the calls whose results a record brings."""
    calls = [call for call in as_list(record.get("toolCalls")) if isinstance(call, dict)]
    return {call["id"] for call in calls if isinstance(call.get("id"), str) and _result_of(call) is not None}


def calls_only_answered(record: Mapping[str, Any]) -> set[str] | None:
    """For a record that is nothing but results of tools: the ids of their calls; `None` for any other."""
    value = record.get("content") or record.get("parts")
    parts = value if isinstance(value, list) else [value]
    ids: set[str] = set()
    for part in parts:
        response = part.get("functionResponse") if isinstance(part, dict) else None
        own = text_field(response, "id") if isinstance(response, dict) else None
        if own is None:
            return None
        ids.add(own)
    return ids


def _message(role: str, content: Content, record: Mapping[str, Any]) -> Message:
    kind: Kind = "notice" if role == "system" else content.kind
    if content.kinds == {"tool_result"}:
        role, kind = "tool", "tool_result"
    elif _CONTEXT.match(content.text) or (role == "assistant" and content.text.strip() == _ACKNOWLEDGED):
        kind = "notice"
    meta: dict[str, Any] = {key: record[key] for key in ("model",) if isinstance(record.get(key), str)}
    if role == "system":
        meta["level"] = str(record.get("type"))
    return Message(
        role=role,
        text=content.text,
        id=_id(record),
        at=iso_time(record.get("timestamp")),
        kind=kind,
        attachments=tuple(content.attachments),
        meta=meta,
    )


def _results(calls: list[dict[str, Any]], record: Mapping[str, Any], spill: Spill) -> Iterator[Message]:
    """The results of a record's calls; one without a time of its own has the record's."""
    for number, call in enumerate(calls, 1):
        value = _result_of(call)
        if value is None:
            continue
        content = Content()
        _add_parts(content, value, spill)
        if not content.parts:
            continue
        of, own = _id(record), _id(call)
        meta: dict[str, Any] = {"tool": call["name"]} if isinstance(call.get("name"), str) else {}
        if call.get("status") in ("error", "cancelled"):
            meta["is_error"] = True
        yield Message(
            role="tool",
            text="\n\n".join(text for _, text in content.parts),
            id=f"{of}/{own or number}" if of else own,
            at=iso_time(call.get("timestamp")) or iso_time(record.get("timestamp")),
            kind="tool_result",
            attachments=tuple(content.attachments),
            meta=meta,
        )


def _result_of(call: Mapping[str, Any]) -> Any:
    """What a call brought: what the model was given, else what the screen showed."""
    if call.get("result"):
        return call["result"]
    shown = call.get("resultDisplay")
    if isinstance(shown, dict):
        shown = shown.get("fileDiff")
    return shown if isinstance(shown, str) and shown.strip() else None


def _id(record: Mapping[str, Any]) -> str | None:
    value = record.get("id")
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) and str(value) else None


def _thought(thought: Any) -> str:
    if isinstance(thought, str):
        return thought
    if not isinstance(thought, dict):
        return ""
    return "\n".join(filter(None, (text_field(thought, key) for key in ("subject", "description", "text"))))


def _add_parts(content: Content, value: Any, spill: Spill) -> None:
    """A text, a part, or a list of both."""
    if not isinstance(value, str | dict | list):
        raise ValueError(f"its content is {kind_name(value)}")
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, str):
            content.add("message", part)
        elif isinstance(part, dict):
            _add_part(content, part, spill)
        elif part is not None:
            content.add("message", compact_json(part))


def _add_part(content: Content, part: Mapping[str, Any], spill: Spill) -> None:
    call, response = part.get("functionCall"), part.get("functionResponse")
    inline, file = part.get("inlineData"), part.get("fileData")
    if isinstance(part.get("text"), str):
        content.add("thinking" if part.get("thought") is True else "message", part["text"])
    elif isinstance(call, dict):
        content.add("tool_call", call_text(call))
    elif isinstance(response, dict):
        content.add("tool_result", _response(response, content.attachments, spill))
    elif isinstance(inline, dict) and isinstance(inline.get("data"), str):
        block = {"type": _label(inline), "data": inline["data"], "mimeType": inline.get("mimeType")}
        inner = read_content({**block, "mimeType": block["mimeType"] or "application/octet-stream"}, spill)
        content.add("message", inner.text)
        content.attachments += inner.attachments
    elif isinstance(file, dict):
        content.add("message", f"[file: {file.get('fileUri') or file.get('mimeType') or '?'}]")
    elif isinstance(part.get("executableCode"), dict):
        content.add("tool_call", f"[tool_use code] {part['executableCode'].get('code') or ''}")
    elif isinstance(part.get("codeExecutionResult"), dict):
        content.add("tool_result", str(part["codeExecutionResult"].get("output") or ""))
    elif set(part) - {"thoughtSignature", "thought"}:
        content.add("message", compact_json(part))


def _label(inline: Mapping[str, Any]) -> str:
    return "image" if str(inline.get("mimeType")).startswith("image/") else "document"


def _response(response: Mapping[str, Any], attachments: list[Attachment], spill: Spill) -> str:
    """What a tool answered; most answers are one text."""
    value = response.get("response")
    texts = []
    if isinstance(value, dict) and len(value) == 1:
        inner = next(iter(value.values()))
        value = inner if isinstance(inner, str) else value
    if value is not None:
        texts.append(value if isinstance(value, str) else compact_json(value))
    for part in as_list(response.get("parts")):
        inner_content = Content()
        _add_parts(inner_content, part, spill)
        attachments += inner_content.attachments
        texts += [text for _, text in inner_content.parts]
    return "\n\n".join(text for text in texts if text.strip())
