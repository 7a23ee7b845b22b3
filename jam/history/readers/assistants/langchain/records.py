"""What one LangChain message says, in any of the forms in which it is written down. Nothing here knows about files.

The forms: a dump of the object (`lc`, `type: constructor`, the class in `id`, its fields in `kwargs`), a pair of `type`
and `data`, and the fields alone with their `type`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jam.history.parsing.content import CALL_TYPES, Content, call_text, read_content
from jam.history.parsing.fields import as_object, first_id, first_text, objects
from jam.history.parsing.jsontext import compact_json, kind_name
from jam.history.parsing.times import iso_time
from jam.history.reader import Spill
from jam.history.readers.assistants.openai_messages.records import ROLES, first_time
from jam.session import Kind, Message

TYPES = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "tool",
    "chat": "",
    "developer": "system",
}
"""The types of messages, and our roles; a chat message has its own."""
REMOVED = "remove"
"""A message that only takes another away."""


@dataclass(frozen=True, slots=True)
class Form:
    """A message's type and fields, whatever form it is written in."""

    type: str
    fields: Mapping[str, Any]


def form_of(row: Any) -> Form | None:
    """The form of a message; `None` for anything else."""
    if not isinstance(row, dict):
        return None
    kind, fields, data = row.get("type"), row.get("kwargs"), row.get("data")
    if isinstance(fields, dict) and (name := _class_type(row.get("id"))):
        return Form(name, fields)
    if not isinstance(kind, str):
        return None
    name = _known(kind)
    if name and isinstance(data, dict) and ("content" in data or name == REMOVED):
        return Form(name, data)
    return Form(name, row) if name and ("content" in row or name == REMOVED) else None


def is_dump(row: Any) -> bool:
    """Whether an object is a dump of a message, which nothing else looks like."""
    return isinstance(row, dict) and isinstance(row.get("kwargs"), dict) and _class_type(row.get("id")) is not None


def _class_type(path: Any) -> str | None:
    """`["langchain", "schema", "messages", "AIMessage"]` is `ai`."""
    name = path[-1] if isinstance(path, list) and path and isinstance(path[-1], str) else ""
    stem = name.removesuffix("Chunk")
    return _known(stem.removesuffix("Message").lower()) if stem.endswith("Message") else None


def _known(name: str) -> str | None:
    name = name.removesuffix("MessageChunk").lower()
    return name if name in TYPES or name == REMOVED else None


def read_message(row: Any, spill: Spill) -> Message | None:
    """A message; `None` where it says nothing. Raises `ValueError`, with the reason, where it can't be read."""
    form = form_of(row)
    if form is None:
        raise ValueError("no message" if isinstance(row, dict) else f"{kind_name(row)}, not an object")
    if form.type == REMOVED:
        return None
    fields, more = form.fields, as_object(form.fields.get("additional_kwargs"))
    content = _content(fields, more, spill)
    if not content.parts:
        return None
    given = first_text(fields, "role") or "chat"
    role = TYPES[form.type] or ROLES.get(given.lower()) or "user"
    unknown = not TYPES[form.type] and given.lower() not in ROLES
    return Message(
        role=role,
        text=content.text,
        id=first_id(fields, "id"),
        at=_time(fields, more),
        speaker=first_text(fields, "name") or (given if unknown else None),
        kind=_kind(role, more, content),
        attachments=tuple(content.attachments),
        meta=_meta(fields),
    )


def _content(fields: Mapping[str, Any], more: Mapping[str, Any], spill: Spill) -> Content:
    """Reasoning, text and calls; calls that stand among the blocks already are not read again."""
    content = Content()
    value = fields.get("content")
    reasoning = more.get("reasoning_content")
    if isinstance(reasoning, str):
        content.add("thinking", reasoning)
    if value is not None:
        said = read_content(value if isinstance(value, str | list | dict) else compact_json(value), spill)
        content.parts += [part for part in said.parts if part not in content.parts]
        content.attachments += said.attachments
    known = _calls_among(value)
    for call in _calls(fields, more):
        if first_id(call, "id") not in known:
            content.add("tool_call", call_text(call))
    return content


def _calls_among(value: Any) -> set[str | None]:
    """The ids of the calls among the blocks of a content; `None` for one without an id."""
    blocks = value if isinstance(value, list) else []
    calls = [block for block in blocks if isinstance(block, dict) and str(block.get("type")) in CALL_TYPES]
    ids = {first_id(call, key) for call in calls for key in ("id", "call_id") if key in call}
    return ids if all("id" in call or "call_id" in call for call in calls) else {*ids, None}


def _calls(fields: Mapping[str, Any], more: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The calls of a message; as the model's maker wrote them where LangChain has none."""
    found = [*objects(fields.get("tool_calls")), *objects(fields.get("invalid_tool_calls"))]
    if not found:
        found = objects(more.get("tool_calls"))
        call = more.get("function_call")
        found += [call] if isinstance(call, dict) else []
    yield from found


def _kind(role: str, more: Mapping[str, Any], content: Content) -> Kind:
    if role == "tool":
        return "tool_result"
    return "summary" if more.get("lc_source") == "summarization" else content.kind


def _time(fields: Mapping[str, Any], more: Mapping[str, Any]) -> str | None:
    """The message's own time, where whoever wrote it added one."""
    told = as_object(fields.get("response_metadata"))
    return first_time(fields) or first_time(more) or first_time(told) or iso_time(told.get("created"))


def _meta(fields: Mapping[str, Any]) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    if model := first_text(as_object(fields.get("response_metadata")), "model_name", "model"):
        meta["model"] = model
    if call_id := first_text(fields, "tool_call_id"):
        meta["tool_call_id"] = call_id
    if fields.get("status") == "error":
        meta["is_error"] = True
    return meta
