"""What one event of the second generation of OpenHands says: they name their `kind`, and hold the model's messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jam.history.parsing.content import Content, read_content
from jam.history.parsing.fields import text_field
from jam.history.parsing.jsontext import compact_json
from jam.history.parsing.times import iso_time
from jam.history.reader import Spill
from jam.session import Kind, Message

_SPEAKING = frozenset(
    {"ACPToolCallEvent", "ActionEvent", "AgentErrorEvent", "Condensation", "CondensationSummaryEvent"}
    | {"ConversationErrorEvent", "MessageEvent", "ObservationEvent", "SystemPromptEvent", "UserRejectObservation"}
)
_SILENT = frozenset(
    {"CondensationRequest", "ConversationStateUpdateEvent", "LLMCompletionLogEvent", "PauseEvent", "TokenEvent"}
    | {"StreamingDeltaEvent"}
)
_ROLES = {"user": "user", "agent": "assistant"}


def is_second_generation(event: Mapping[str, Any]) -> bool:
    """Whether an event is one of these."""
    kind = event.get("kind")
    return isinstance(kind, str) and (kind in _SPEAKING or kind in _SILENT)


def read_second(event: Mapping[str, Any], spill: Spill) -> Message | None:
    """The message of an event; `None` where it says nothing."""
    read = _READERS.get(text_field(event, "kind") or "")
    return read(event, spill) if read else None


def _said(event: Mapping[str, Any], spill: Spill) -> Message | None:
    inner = event.get("llm_message")
    content = Content()
    if isinstance(inner, dict):
        if isinstance(inner.get("reasoning_content"), str):
            content.add("thinking", inner["reasoning_content"])
        _extend(content, inner.get("content"), spill)
    role = _ROLES.get(str(event.get("source")), "system")
    return _message(event, role, "notice" if role == "system" else content.kind, content)


def _acted(event: Mapping[str, Any], spill: Spill) -> Message | None:
    content = Content()
    if isinstance(event.get("reasoning_content"), str):
        content.add("thinking", event["reasoning_content"])
    _extend(content, event.get("thought"), spill)
    action = event.get("action")
    name = text_field(event, "tool_name") or "?"
    inner: Mapping[str, Any] = action if isinstance(action, dict) else {}
    if name == "finish" and text_field(inner, "message"):
        content.add("message", inner["message"])
    elif name == "think" and text_field(inner, "thought"):
        content.add("thinking", inner["thought"])
    else:
        content.add("tool_call", f"[tool_use {name}] {_arguments(event, inner)}")
    return _message(event, "assistant", content.kind, content)


def _arguments(event: Mapping[str, Any], action: Mapping[str, Any]) -> str:
    call = event.get("tool_call")
    function = call.get("function") if isinstance(call, dict) else None
    for source in (call, function):
        if isinstance(source, dict) and isinstance(source.get("arguments"), str):
            return str(source["arguments"])
    return compact_json({key: value for key, value in action.items() if key != "kind" and value is not None})


def _observed(event: Mapping[str, Any], spill: Spill) -> Message | None:
    observation = event.get("observation")
    content = Content()
    if isinstance(observation, dict):
        for key in ("content", "output", "text", "error"):
            if not content.parts and isinstance(observation.get(key), str | list):
                _extend(content, observation[key], spill)
        if not content.parts:
            rest = {key: value for key, value in observation.items() if key != "kind" and value not in (None, "", [])}
            content.add("message", compact_json(rest) if rest else "")
    elif isinstance(observation, str | list):
        _extend(content, observation, spill)
    return _message(event, "tool", "tool_result", content)


def _told(keys: tuple[str, ...], role: str, kind: Kind):  # type: ignore[no-untyped-def]  # noqa: ANN202
    """Reads an event that is a text, under one of these keys."""

    def read(event: Mapping[str, Any], spill: Spill) -> Message | None:
        content = Content()
        for key in keys:
            value = event.get(key)
            if not content.parts and isinstance(value, str | dict | list):
                _extend(content, value, spill)
        return _message(event, role, kind, content)

    return read


def _outside_call(event: Mapping[str, Any], spill: Spill) -> Message | None:
    """A call of an agent behind another protocol: told again and again until it is over."""
    if event.get("status") not in ("completed", "failed"):
        return None
    name = text_field(event, "title") or text_field(event, "tool_kind") or "?"
    content = Content()
    content.add("tool_call", f"[tool_use {name}] {_as_text(event.get('raw_input'))}")
    content.add("tool_result", _as_text(event.get("raw_output")))
    return _message(event, "assistant", "tool_call", content)


def _as_text(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else compact_json(value)


def _extend(content: Content, value: Any, spill: Spill) -> None:
    if isinstance(value, str | list | dict):
        found = read_content(value, spill)
        content.parts += found.parts
        content.attachments += found.attachments


def _message(event: Mapping[str, Any], role: str, kind: Kind, content: Content) -> Message | None:
    if not content.parts:
        return None
    meta: dict[str, Any] = {}
    if name := text_field(event, "tool_name"):
        meta["tool"] = name
    if event.get("kind") in ("AgentErrorEvent", "UserRejectObservation"):
        meta["is_error"] = True
    if cause := text_field(event, "action_id"):
        meta["reply_to"] = cause
    return Message(
        role=role,
        text=content.text,
        id=text_field(event, "id"),
        at=iso_time(event.get("timestamp")),
        kind=kind,
        attachments=tuple(content.attachments),
        meta=meta,
    )


_READERS = {
    "ACPToolCallEvent": _outside_call,
    "ActionEvent": _acted,
    "AgentErrorEvent": _told(("error",), "tool", "tool_result"),
    "Condensation": _told(("summary",), "assistant", "summary"),
    "CondensationSummaryEvent": _told(("summary",), "assistant", "summary"),
    "ConversationErrorEvent": _told(("detail", "code"), "system", "notice"),
    "MessageEvent": _said,
    "ObservationEvent": _observed,
    "SystemPromptEvent": _told(("system_prompt",), "system", "notice"),
    "UserRejectObservation": _told(("rejection_reason",), "tool", "tool_result"),
}
