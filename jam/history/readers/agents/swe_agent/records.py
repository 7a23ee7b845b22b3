"""What one message of a SWE-agent or mini-swe-agent run says. Nothing here knows about files.

What the environment answers comes as `user` or as `tool`: behind the first reply both are results of tools. System
prompts and demonstrations are notices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jam.history.parsing.content import Content, call_text, read_content
from jam.history.parsing.fields import as_list, text_field
from jam.history.parsing.times import iso_time
from jam.history.reader import Spill
from jam.history.readers.agents.codex.records import read_item
from jam.session import Kind, Message


def is_reply(message: Any) -> bool:
    """Whether a message is the model's."""
    return isinstance(message, dict) and (message.get("role") == "assistant" or isinstance(message.get("output"), list))


def read_message(message: Mapping[str, Any], replied: bool, spill: Spill) -> Iterator[Message]:
    """A message of the history; `replied` says whether the model has spoken before. Raises `ValueError` for one that
    can't be read."""
    role = text_field(message, "role")
    if role is None:
        yield from _items(message, spill)
        return
    content = _content(message, spill)
    if not content.parts:
        return
    ours, kind = _place(role, message, replied, content)
    yield Message(
        role=ours,
        text=content.text,
        id=text_field(message, "id"),
        at=_time(message),
        kind=kind,
        attachments=tuple(content.attachments),
        meta=_facts(message),
    )


def read_step(step: Mapping[str, Any], spill: Spill) -> Iterator[Message]:
    """A step of the trajectory: what the model did, and what the environment answered."""
    content = Content()
    said = next(filter(None, (text_field(step, key) for key in ("response", "thought"))), "")
    content.add("message", said)
    action = text_field(step, "action")
    if action and action.strip() and action.strip() not in said:
        content.add("tool_call", f"[tool_use command] {action}")
    if content.parts:
        yield Message("assistant", content.text, kind=content.kind)
    answer = step.get("observation")
    if answer is not None:
        found = read_content(answer, spill)
        if found.parts:
            yield Message("tool", found.text, kind="tool_result", attachments=tuple(found.attachments))


def _place(role: str, message: Mapping[str, Any], replied: bool, content: Content) -> tuple[str, Kind]:
    if message.get("is_demo") is True or message.get("message_type") == "demonstration":
        return ("assistant" if role == "assistant" else "user"), "notice"
    if role == "assistant":
        return "assistant", content.kind
    if role in ("tool", "function") or (role == "user" and replied):
        return "tool", "tool_result"
    return ("user", "message") if role == "user" else ("system", "notice")


def _content(message: Mapping[str, Any], spill: Spill) -> Content:
    """Reasoning, what was said, and the calls, or the command where nothing else shows it."""
    content = Content()
    for block in as_list(message.get("thinking_blocks")):
        if isinstance(block, dict) and isinstance(block.get("thinking"), str):
            content.add("thinking", block["thinking"])
    if not content.parts and isinstance(message.get("reasoning_content"), str):
        content.add("thinking", message["reasoning_content"])
    if message.get("content") is not None:
        said = read_content(message["content"], spill)
        content.parts += said.parts
        content.attachments += said.attachments
    elif not as_list(message.get("tool_calls")) and not content.parts:
        raise ValueError("no content")
    calls = [call for call in as_list(message.get("tool_calls")) if isinstance(call, dict)]
    for call in calls:
        content.add("tool_call", call_text(call))
    action = message.get("action")
    if message.get("role") == "assistant" and not calls and isinstance(action, str) and action.strip():
        shown = action.strip() in content.text
        content.add("tool_call", "" if shown else f"[tool_use command] {action}")
    return content


def _items(message: Mapping[str, Any], spill: Spill) -> Iterator[Message]:
    """A message as the Responses API has it: a reply with its output, or what a call brought."""
    output = message.get("output")
    items = output if isinstance(output, list) else [message]
    if not isinstance(output, list) and "type" not in message:
        raise ValueError("no role in it")
    for item in items:
        said = read_item(item, _time(message), spill) if isinstance(item, dict) else None
        if said is not None:
            yield said.message


def _time(message: Mapping[str, Any]) -> str | None:
    extra = message.get("extra")
    return iso_time(message.get("timestamp")) or iso_time(extra.get("timestamp") if isinstance(extra, dict) else None)


def _facts(message: Mapping[str, Any]) -> dict[str, Any]:
    facts = {key: message[key] for key in ("agent", "tool_call_id") if isinstance(message.get(key), str)}
    return facts if facts.get("agent") not in ("main", "primary") else {k: v for k, v in facts.items() if k != "agent"}
