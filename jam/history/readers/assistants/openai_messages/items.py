"""Items of the OpenAI Responses API that are no messages: calls, their output, reasoning.

Nothing here knows about files.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from jam.history.parsing.content import Content, block_text, call_text, read_content
from jam.history.parsing.jsontext import compact_json
from jam.history.reader import Spill
from jam.session import Message

_NAMED_CALLS = frozenset({"function_call", "custom_tool_call", "mcp_call", "tool_call"})
_OUTPUT = "_output"
_NEVER_SAID = frozenset({"item_reference", "mcp_list_tools", "compaction"})
_NOT_ARGUMENTS = frozenset({"id", "type", "status", "call_id", "result", "output"})


def is_item(row: Any) -> bool:
    """Whether an object is such an item."""
    kind = row.get("type") if isinstance(row, dict) else None
    if not isinstance(kind, str) or "role" in row:
        return False
    if kind == "reasoning":
        return isinstance(row.get("summary"), list) or isinstance(row.get("content"), list)
    return kind in _NEVER_SAID or kind.removesuffix(_OUTPUT).endswith("_call")


def read_item(row: Mapping[str, Any], spill: Spill) -> Message | None:
    """What an item says; `None` where it says nothing (reasoning that is encrypted). Raises `ValueError`."""
    kind = row["type"]
    if kind in _NEVER_SAID:
        return None
    if kind == "reasoning":
        content = _reasoning(row)
    elif kind.endswith(_OUTPUT):
        content = _output(row.get("output"), spill)
    else:
        content = _call(kind, row, spill)
    if not content.parts:
        return None
    result = kind.endswith(_OUTPUT)
    item_id, call_id = row.get("id"), row.get("call_id")
    return Message(
        role="tool" if result else "assistant",
        text=content.text,
        id=item_id if isinstance(item_id, str) and item_id else None,
        kind="tool_result" if result else content.kind,
        attachments=tuple(content.attachments),
        meta={"tool_call_id": call_id} if isinstance(call_id, str) and call_id else {},
    )


def _reasoning(row: Mapping[str, Any]) -> Content:
    content = Content()
    for key in ("summary", "content"):
        parts = row.get(key)
        for part in parts if isinstance(parts, list) else []:
            content.add("thinking", block_text(part) or "" if isinstance(part, dict) else str(part))
    return content


def _output(value: Any, spill: Spill) -> Content:
    """What a tool gave back: a text, or blocks as messages have them."""
    if value is None:
        raise ValueError("no output in it")
    return read_content(value if isinstance(value, str | list | dict) else compact_json(value), spill)


def _call(kind: str, row: Mapping[str, Any], spill: Spill) -> Content:
    """A call of a tool; what a built-in tool gave back stands in the call itself."""
    content = Content()
    arguments = {key: value for key, value in row.items() if key not in _NOT_ARGUMENTS and value is not None}
    named = kind in _NAMED_CALLS
    content.add("tool_call", call_text(row if named else {"name": kind.removesuffix("_call"), "arguments": arguments}))
    output, picture = row.get("output"), row.get("result")
    if isinstance(output, str):
        content.add("tool_result", output)
    if kind == "image_generation_call" and isinstance(picture, str) and picture:
        try:
            payload = base64.b64decode(picture, validate=True)
        except (binascii.Error, ValueError):
            content.add("message", "[image: unreadable]")
        else:
            content.attachments.append(spill(payload, "image/png", None))
            content.add("message", f"[image: image/png, {len(payload)} bytes]")
    return content
