"""Message content as chat APIs write it: a string, or a list of typed blocks, becomes one text.

Text stays verbatim. Calls and reasoning are marked by a short label, since they were not said to anyone; pictures and
other payloads are spilled and named where they stood.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jam.history.parsing.jsontext import BadJson, compact_json, kind_name, parse_json
from jam.history.reader import Spill
from jam.session import Attachment, Kind

TEXT_TYPES = frozenset({"text", "input_text", "output_text", "refusal"})
THINKING_TYPES = frozenset({"thinking", "reasoning", "reasoning_content"})
CALL_TYPES = frozenset({"tool_use", "tool_call", "function_call", "function", "server_tool_use", "mcp_tool_use"})
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w=.-]+)*;base64,", re.IGNORECASE)


@dataclass(slots=True)
class Content:
    """What the blocks of one message hold."""

    parts: list[tuple[Kind, str]] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)

    def add(self, kind: Kind, text: str) -> None:
        """Append a part; an empty one says nothing and is left out."""
        if text.strip():
            self.parts.append((kind, text))

    @property
    def kinds(self) -> set[Kind]:
        """The kinds of the parts."""
        return {kind for kind, _ in self.parts}

    @property
    def kind(self) -> Kind:
        """A message if anything was said, otherwise what there is."""
        order: tuple[Kind, ...] = ("message", "tool_call", "tool_result", "thinking")
        return next((kind for kind in order if kind in self.kinds), "message")

    @property
    def text(self) -> str:
        """The parts in their order, a blank line between two of them."""
        alone = self.kinds == {"thinking"}
        return "\n\n".join(
            f"[thinking]\n{text}" if kind == "thinking" and not alone else text for kind, text in self.parts
        )


def read_content(value: Any, spill: Spill) -> Content:
    """The content of a message. Raises `ValueError` for what is neither text nor blocks."""
    content = Content()
    if isinstance(value, str):
        content.add("message", value)
    elif isinstance(value, dict):
        _add_block(content, value, spill)
    elif isinstance(value, list):
        for block in value:
            _add_block(content, block, spill)
    else:
        raise ValueError("no content" if value is None else f"content is {kind_name(value)}")
    return content


def _add_block(content: Content, block: Any, spill: Spill) -> None:
    if isinstance(block, str):
        content.add("message", block)
        return
    if not isinstance(block, dict):
        content.add("message", compact_json(block))
        return
    kind = block["type"] if isinstance(block.get("type"), str) else None
    if kind in TEXT_TYPES or (kind is None and block_text(block) is not None):
        content.add("message", block_text(block) or "")
    elif kind in THINKING_TYPES:
        content.add("thinking", _thinking(block))
    elif kind in CALL_TYPES:
        content.add("tool_call", call_text(block))
    elif kind == "tool_result":
        _add_result(content, block, spill)
    elif kind == "redacted_thinking":
        return  # encrypted: there is nothing to read
    elif (payload := _payload(block)) is not None:
        _add_payload(content, block, payload, spill)
    else:
        content.add("message", block_text(block) or compact_json(block))


def block_text(block: Mapping[str, Any]) -> str | None:
    """The text of a block, under whichever of its names."""
    for key in ("text", "value", "content", "refusal"):
        value = block.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, dict) and isinstance(value.get("value"), str):  # the Assistants API nests it once more
            return str(value["value"])
    return None


def _thinking(block: Mapping[str, Any]) -> str:
    for key in ("thinking", "reasoning", "reasoning_content"):
        if isinstance(block.get(key), str):
            return str(block[key])
    summary = block.get("summary")
    if isinstance(summary, list):
        return "\n\n".join(filter(None, (block_text(part) for part in summary if isinstance(part, dict))))
    return block_text(block) or ""


def call_text(call: Mapping[str, Any]) -> str:
    """A tool call on one line: `[tool_use NAME] ARGUMENTS`, the arguments as the source has them."""
    inner = call.get("function")
    source: Mapping[str, Any] = inner if isinstance(inner, dict) else call
    if isinstance(call.get("value"), str):
        try:
            parsed = parse_json(call["value"])
        except BadJson:
            parsed = None
        if not isinstance(parsed, dict):
            return f"[tool_use ?] {call['value']}"
        source = parsed
    name = source.get("name")
    arguments: Any = next((source[key] for key in ("arguments", "input", "args", "parameters") if key in source), {})
    text = arguments if isinstance(arguments, str) else compact_json(arguments)
    return f"[tool_use {name if isinstance(name, str) else '?'}] {text}"


def _add_result(content: Content, block: Mapping[str, Any], spill: Spill) -> None:
    value = block.get("content")
    if value is None:
        return
    inner = read_content(value if isinstance(value, str | list | dict) else compact_json(value), spill)
    content.attachments += inner.attachments
    content.add("tool_result", "\n\n".join(text for _, text in inner.parts))


def _payload(block: Mapping[str, Any]) -> tuple[str, str | None, str] | None:
    """Of a picture or document: (label, media type, base64 or address)."""
    kind = block.get("type")
    label = "image" if "image" in str(kind) else "document" if kind in ("document", "file") else str(kind)
    source = block.get("source")
    if isinstance(source, dict):
        data = source.get("data") if source.get("type") != "url" else source.get("url")
        media = source.get("media_type")
        return (label, media if isinstance(media, str) else None, data) if isinstance(data, str) else None
    for key in ("image_url", "url", "file_data", "file", "input_audio", "data"):
        value = block.get(key)
        if isinstance(value, dict):
            value = value.get("url") or value.get("file_data") or value.get("data")
        if isinstance(value, str):
            media = block.get("mimeType") or block.get("media_type")
            return label, media if isinstance(media, str) else None, value
    return None


def _add_payload(
    content: Content, block: Mapping[str, Any], payload: tuple[str, str | None, str], spill: Spill
) -> None:
    label, media, data = payload
    source = block.get("source")
    if isinstance(source, dict) and source.get("type") == "text":
        content.add("message", data)
        return
    prefix = _DATA_URL.match(data)
    if prefix is None and (media is None or (isinstance(source, dict) and source.get("type") == "url")):
        content.add("message", f"[{label}: {data}]")
        return
    media = (prefix[1] if prefix else media) or "application/octet-stream"
    try:
        raw = base64.b64decode(data[prefix.end() if prefix else 0 :], validate=True)
    except (binascii.Error, ValueError):
        content.add("message", f"[{label}: {media}, unreadable]")
        return
    name = next((block[key] for key in ("title", "filename", "name") if isinstance(block.get(key), str)), None)
    content.attachments.append(spill(raw, media, name))
    content.add("message", f"[{label}: {media}, {len(raw)} bytes]")
