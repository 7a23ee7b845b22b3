"""What came back, read: text, reasoning, tool calls, and token counts that can be believed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from jam.models.messages import CalledTool, ChatReply
from jam.models.parsing import LONGEST
from jam.models.tokens import estimate

_LIKELY = 4.0
"""A server's token count is believed if it is at most this many times ours, and at least that part of it."""
_SLACK = 200
"""Tokens that it may count beyond that, for a chat template that we don't see."""


def read_reply(message: Any, ours: int, allowed: int, seconds: float, attempts: int) -> ChatReply:
    """A LangChain message as a reply. `ours` is the prompt's length as we count it, `allowed` what it might write."""
    text = _text_of(message)
    thinking = str(message.additional_kwargs.get("reasoning_content") or "")[:LONGEST]
    calls = _calls_of(message)
    usage: Mapping[str, Any] = message.usage_metadata or {}
    written = estimate("\n".join([text, thinking, *(call.arguments for call in calls)]))
    read, read_doubtful = _believed(usage.get("input_tokens"), ours)
    wrote, wrote_doubtful = _believed_output(usage.get("output_tokens"), written, allowed)
    reused = (usage.get("input_token_details") or {}).get("cache_read") or 0
    metadata = message.response_metadata or {}
    return ChatReply(
        text=text,
        thinking=thinking,
        tool_calls=calls,
        finish=str(metadata.get("finish_reason") or metadata.get("stop_reason") or "stop"),
        input_tokens=read,
        output_tokens=wrote,
        reused_tokens=min(max(0, int(reused)), read),
        seconds=round(seconds, 6),
        attempts=attempts,
        estimated=read_doubtful or wrote_doubtful,
    )


def _text_of(message: Any) -> str:
    content = message.content
    if not isinstance(content, str):
        parts = [part.get("text", "") if isinstance(part, Mapping) else str(part) for part in content]
        content = "".join(part for part in parts if isinstance(part, str))
    return content[:LONGEST]


def _calls_of(message: Any) -> tuple[CalledTool, ...]:
    """The calls, those with arguments that are no JSON among them; in the order they were made, where that is known."""
    raw = message.additional_kwargs.get("tool_calls")
    if isinstance(raw, list):
        return tuple(_raw_call(call, number) for number, call in enumerate(raw) if isinstance(call, Mapping))
    good = [(call.get("id"), call["name"], json.dumps(call["args"], ensure_ascii=False)) for call in message.tool_calls]
    bad = [(call.get("id"), call.get("name"), call.get("args")) for call in message.invalid_tool_calls]
    return tuple(
        CalledTool(str(given or f"call_{number}"), str(name or ""), str(arguments or ""))
        for number, (given, name, arguments) in enumerate([*good, *bad])
    )


def _raw_call(call: Mapping[str, Any], number: int) -> CalledTool:
    function = call.get("function")
    said: Mapping[str, Any] = function if isinstance(function, Mapping) else {}
    arguments = said.get("arguments") or ""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return CalledTool(str(call.get("id") or f"call_{number}"), str(said.get("name") or ""), text)


def _believed(said: Any, ours: int) -> tuple[int, bool]:
    """The server's count if it can be right, else ours; and whether it couldn't."""
    if isinstance(said, bool) or not isinstance(said, int) or said < 0:
        return ours, True
    if said > ours * _LIKELY + _SLACK or said * _LIKELY < ours:
        return ours, True
    return said, False


def _believed_output(said: Any, ours: int, allowed: int) -> tuple[int, bool]:
    """The same for what was written. Reasoning may be counted and not shown: up to what was allowed it is believed."""
    if isinstance(said, int) and not isinstance(said, bool) and ours / _LIKELY <= said <= allowed + _SLACK:
        return said, False
    return _believed(said, ours)
