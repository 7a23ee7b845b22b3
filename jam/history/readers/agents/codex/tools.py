"""Calls of tools and their results, as items of a Codex conversation. Nothing here knows about files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jam.history.parsing.content import Content, read_content
from jam.history.parsing.fields import text_field
from jam.history.parsing.jsontext import BadJson, compact_json, kind_name, parse_json
from jam.history.reader import Spill
from jam.session import Message

CALLS = frozenset(
    {
        "custom_tool_call",
        "function_call",
        "image_generation_call",
        "local_shell_call",
        "tool_call",
        "tool_search_call",
        "web_search_call",
    }
)
RESULTS = frozenset(
    {"custom_tool_call_output", "function_call_output", "local_shell_call_output", "tool_result", "tool_search_output"}
)
_PICTURES = (("iVBOR", "image/png"), ("/9j/", "image/jpeg"), ("UklGR", "image/webp"), ("R0lGOD", "image/gif"))
_NAMES = {"local_shell_call": "local_shell", "image_generation_call": "image_generation"}
_NOT_ARGUMENTS = frozenset({"type", "id", "status", "call_id"})


def read_call(item: Mapping[str, Any], at: str | None, spill: Spill) -> Message:
    """A call: `[tool_use NAME] ARGUMENTS`."""
    kind = text_field(item, "type") or ""
    function = item.get("function")
    inner: Mapping[str, Any] = function if isinstance(function, dict) else {}
    name = text_field(item, "name") or text_field(inner, "name") or _NAMES.get(kind, kind.removesuffix("_call"))
    text = f"[tool_use {name}] {_arguments(item, inner)}".rstrip(" ")
    attachments = []
    picture = item.get("result") if kind == "image_generation_call" else None
    if isinstance(picture, str) and picture:
        media = next((media for start, media in _PICTURES if picture.startswith(start)), "application/octet-stream")
        shown = read_content({"type": "image", "data": picture, "mimeType": media}, spill)
        text, attachments = f"{text}\n\n{shown.text}", shown.attachments
    return Message(
        role="assistant",
        text=text,
        id=text_field(item, "id"),
        at=at,
        kind="tool_call",
        attachments=tuple(attachments),
        meta=facts(item, "call_id"),
    )


def _arguments(item: Mapping[str, Any], inner: Mapping[str, Any]) -> str:
    """The arguments as the source has them: most often a JSON text."""
    for source in (item, inner):
        for key in ("arguments", "input", "action", "revised_prompt", "summary"):
            value = source.get(key)
            if value is not None and value != []:
                return value if isinstance(value, str) else compact_json(value)
    known = {"name", "function", "result", "namespace"} | _NOT_ARGUMENTS
    rest = {key: value for key, value in item.items() if key not in known and isinstance(value, str | int | list)}
    return compact_json(rest) if rest else ""


def read_result(item: Mapping[str, Any], at: str | None, spill: Spill) -> Message | None:
    """What a call brought; `None` where that is nothing. Raises `ValueError` where it can't be read."""
    value = next((item[key] for key in ("output", "result", "content", "tools") if item.get(key) is not None), None)
    text, meta = _unwrapped(value)
    content = Content()
    if text is not None:
        content.add("tool_result", text)
    elif isinstance(value, list | dict):
        content = content_of(value if _is_content(value) else compact_json(value), spill)
    elif value is not None:
        raise ValueError(f"its output is {kind_name(value)}")
    if not content.parts:
        return None
    return Message(
        role="tool",
        text=content.text,
        id=text_field(item, "id"),
        at=at,
        kind="tool_result",
        attachments=tuple(content.attachments),
        meta={**facts(item, "call_id"), **meta},
    )


def _unwrapped(value: Any) -> tuple[str | None, dict[str, Any]]:
    """The output of a tool: older versions wrap it as JSON, with the exit code beside it."""
    wrapped = value
    if isinstance(value, str) and value.startswith("{") and '"output"' in value[:200]:
        try:
            wrapped = parse_json(value)
        except BadJson:
            return value, {}
    text = _only_text(wrapped) if isinstance(wrapped, dict) else None
    if text is None:
        return (value if isinstance(value, str) else None), {}
    facts = wrapped.get("metadata")
    code = facts.get("exit_code") if isinstance(facts, dict) else wrapped.get("exitCode")
    return text, {"exit_code": code} if isinstance(code, int) else {}


def _only_text(result: Mapping[str, Any]) -> str | None:
    """What a result says, where it says nothing but a text."""
    if set(result) <= {"stdout", "stderr", "exitCode", "exit_code"}:
        streams = [result[key] for key in ("stdout", "stderr") if isinstance(result.get(key), str)]
        return "\n".join(stream for stream in streams if stream.strip())
    text = next((result[key] for key in ("output", "content") if isinstance(result.get(key), str)), None)
    return text if set(result) <= {"output", "content", "metadata", "success"} else None


def _is_content(value: Any) -> bool:
    blocks = value if isinstance(value, list) else [value]
    return all(isinstance(b, str) or (isinstance(b, dict) and ("text" in b or "image_url" in b)) for b in blocks)


def content_of(value: Any, spill: Spill) -> Content:
    """Content, without pictures that are named but not there, and without what is encrypted."""
    if isinstance(value, list):
        value = [block for block in value if not _is_empty(block)]
    return read_content(value, spill)


def _is_empty(block: Any) -> bool:
    if not isinstance(block, dict):
        return False
    no_picture = block.get("type") == "input_image" and not block.get("image_url")
    return no_picture or ("encrypted_content" in block and "text" not in block)


def facts(item: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """Those of these fields that are texts."""
    return {key: item[key] for key in keys if isinstance(item.get(key), str) and item[key]}
