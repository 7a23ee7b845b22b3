"""What one OpenHands event says: an action or an observation, of the first generation of OpenHands or of the second.

Changes of state and recalled context that only repeats say nothing. Nothing here knows about files.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jam.history.parsing.content import Content, call_text, read_content
from jam.history.parsing.fields import text_field
from jam.history.parsing.jsontext import compact_json
from jam.history.parsing.times import iso_time
from jam.history.reader import Spill
from jam.history.readers.agents.openhands.events import is_second_generation, read_second
from jam.session import Kind, Message

_ACTIONS_WITHOUT_WORDS = frozenset(
    {"agent_state_changed", "change_agent_state", "condensation_request", "null", "pause", "recall", "resume", "start"}
)
_OBSERVATIONS_WITHOUT_WORDS = frozenset({"agent_state_changed", "null"})
_CONTEXT = frozenset({"recall", "microagent"})
_KNOWN = frozenset(
    {"add_task", "browse", "browse_interactive", "call_tool_mcp", "chat", "condensation", "condense", "delegate"}
    | {"edit", "error", "finish", "initialize", "kill", "loop_recovery", "mcp", "message", "modify_task", "push"}
    | {"read", "reject", "run", "run_ipython", "send_pr", "stop", "success", "summarize", "system"}
    | {"task_tracking", "think", "user_rejected", "write"}
    | _ACTIONS_WITHOUT_WORDS
    | _CONTEXT
)
_SOURCES = frozenset({"agent", "environment", "user"})
_ENVELOPE = frozenset(
    {"action", "args", "cause", "extras", "id", "llm_metrics", "message", "observation", "source", "success"}
    | {"timeout", "timestamp", "tool_call_metadata"}
)
_NOT_ARGUMENTS = frozenset(
    {"action_risk", "blocking", "confirmation_state", "hidden", "impl_source", "is_confirmed", "is_input", "is_static"}
    | {"keep_prompt", "kernel_init_code", "security_risk", "thought", "translated_ipython_code", "wait_for_response"}
)


def is_event(value: Any) -> bool:
    """Whether a value is an event: an action or an observation, with something of what belongs to it."""
    if not isinstance(value, dict) or "role" in value:
        return False
    if is_second_generation(value):
        return True
    # Only one of both: what other agents call a step has an action and its observation.
    names = [value[key] for key in ("action", "observation") if isinstance(value.get(key), str)]
    if len(names) != 1:
        return False
    if isinstance(value.get("source"), str) and value["source"] in _SOURCES:
        return True
    return names[0] in _KNOWN and bool({"args", "thought", "content", "extras", "outputs", "command"} & set(value))


def read_event(event: Mapping[str, Any], last: Message | None, spill: Spill) -> Message | None:
    """The message of an event, which may depend on the one before it; `None` where it says nothing. Raises
    `ValueError`, with the reason, for what is no event."""
    if is_second_generation(event):
        return read_second(event, spill)
    action, observation = text_field(event, "action"), text_field(event, "observation")
    if action is not None:
        return None if action in _ACTIONS_WITHOUT_WORDS else _action(action, event, last, spill)
    if observation is not None:
        return None if observation in _OBSERVATIONS_WITHOUT_WORDS else _observation(observation, event, spill)
    raise ValueError("neither an action nor an observation")


def _action(action: str, event: Mapping[str, Any], last: Message | None, spill: Spill) -> Message | None:
    given = event.get("args")
    args: Mapping[str, Any] = given if isinstance(given, dict) else _without(event, _ENVELOPE)
    content = Content()
    role = "user" if event.get("source") == "user" else "assistant"
    kind: Kind | None = None
    content.add("thinking", _first(args, ("reasoning_content",)))
    if action == "message":
        role = "user" if _is_users(event, last) else "assistant"
        _add_words(content, args, event, spill)
    elif action == "system":
        role, kind = "system", "notice"
        content.add("message", _first(args, ("content",)) or _first(event, ("message",)))
    elif action == "condensation":
        kind = "summary"
        content.add("message", _first(args, ("summary",)))
    elif action == "think":
        content.add("thinking", _first(args, ("thought",)))
    elif action in ("finish", "reject"):
        texts = [_first(args, (key,)) for key in ("thought", "final_thought", "message")]
        content.add("message", "\n\n".join(dict.fromkeys(filter(None, texts))) or _first(event, ("message",)))
    else:
        content.add("message", _first(args, ("thought",)))
        content.add("tool_call", _call(action, args, event))
    return _message(event, role, kind or content.kind, content)


def _is_users(event: Mapping[str, Any], last: Message | None) -> bool:
    """Old histories don't say who speaks: there, the user begins, and answers what the agent says."""
    source = event.get("source")
    if source is not None:
        return bool(source == "user")
    return last is None or (last.role == "assistant" and last.kind == "message" and last.meta.get("event") is None)


def _add_words(content: Content, args: Mapping[str, Any], event: Mapping[str, Any], spill: Spill) -> None:
    content.add("message", _first(args, ("content",)) or _first(event, ("message", "content")))
    for key in ("image_urls", "images_urls"):
        urls = args.get(key)
        for url in urls if isinstance(urls, list) else ():
            if isinstance(url, str) and url:
                shown = read_content({"type": "image", "url": url}, spill)
                content.attachments += shown.attachments
                content.add("message", shown.text)


def _call(action: str, args: Mapping[str, Any], event: Mapping[str, Any]) -> str:
    """The call as the model made it, where that is kept; else the action with its arguments."""
    made = event.get("tool_call_metadata")
    call = _made_call(made) if isinstance(made, dict) else None
    if call is not None:
        return call_text(call)
    said = {key: value for key, value in args.items() if key not in _NOT_ARGUMENTS and value not in (None, "", [], {})}
    return f"[tool_use {action}] {compact_json(said)}"


def _made_call(made: Mapping[str, Any]) -> dict[str, Any] | None:
    response = made.get("model_response")
    choices = response.get("choices") if isinstance(response, dict) else None
    for choice in choices if isinstance(choices, list) else ():
        message = choice.get("message") if isinstance(choice, dict) else None
        calls = message.get("tool_calls") if isinstance(message, dict) else None
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict) and call.get("id") and call["id"] == made.get("tool_call_id"):
                return call
    return None


def _observation(observation: str, event: Mapping[str, Any], spill: Spill) -> Message | None:
    content = Content()
    value = event.get("content")
    if isinstance(value, str | list | dict) and value:
        found = read_content(value, spill)
        content.attachments += found.attachments
        content.add("tool_result", "\n\n".join(text for _, text in found.parts))
    if not content.parts:
        content.add("tool_result", _first(event, ("message",)))
    if observation in _CONTEXT:
        return _message(event, "system", "notice", content)
    if observation in ("chat", "message") and event.get("source") in ("user", None):
        return _message(event, "user", "message", content)
    return _message(event, "tool", "tool_result", content)


def _message(event: Mapping[str, Any], role: str, kind: Kind, content: Content) -> Message | None:
    if not content.parts:
        return None
    meta: dict[str, Any] = {}
    name = text_field(event, "action") or text_field(event, "observation")
    if name and name != "message":
        meta["event"] = name
    if event.get("observation") in ("error", "user_rejected"):
        meta["is_error"] = True
    cause = event.get("cause")
    if isinstance(cause, int | str) and not isinstance(cause, bool):
        meta["reply_to"] = str(cause)
    own = event.get("id")
    return Message(
        role=role,
        text=content.text,
        id=str(own) if isinstance(own, int | str) and not isinstance(own, bool) and str(own) else None,
        at=iso_time(event.get("timestamp")),
        kind=kind,
        attachments=tuple(content.attachments),
        meta=meta,
    )


def _first(source: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    """The first of these fields that is a text, or an object around one, as a thought may be."""
    for key in keys:
        value = source.get(key)
        text = text_field(value, "text") if isinstance(value, dict) else text_field(source, key)
        if text:
            return text
    return ""


def _without(event: Mapping[str, Any], keys: frozenset[str]) -> dict[str, Any]:
    return {key: value for key, value in event.items() if key not in keys}
