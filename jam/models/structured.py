"""Structured replies: a JSON object that a job can read, or nothing and the reason.

The server holds the reply to a schema where it can; else the prompt alone asks for it. What comes back is mended where
it can be, and asked for once more with the error where it can't.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from jam.errors import KeyRefused, ModelRefused, PromptTooLong
from jam.models.chat import ChatModel
from jam.models.messages import ChatMessage, ChatReply, ChatRequest, assistant, user
from jam.models.parsing import json_objects, split_thinking

T = TypeVar("T")
_SHOWN = 1500
"""Characters of an unusable reply that are shown back to the model."""


@dataclass(frozen=True, slots=True)
class Structured(Generic[T]):
    """What was read from a structured reply."""

    value: T | None
    """`None` where neither reply was usable."""
    problem: str = ""
    asked_again: bool = False


def ask_structured(
    model: ChatModel, request: ChatRequest, purpose: str, read: Callable[[Mapping[str, Any]], T]
) -> Structured[T]:
    """Asks for a JSON object and reads it with `read`, which raises `ValueError` for what it can't use.

    Raises `ModelError` where no reply came at all.
    """
    reply = ask_with_schema(model, request, purpose)
    value, problem = _first_readable(reply, read)
    if value is not None:
        return Structured(value)
    again = replace(request, messages=(*request.messages, *_objection(reply, problem, request.schema)))
    reply = ask_with_schema(model, again, purpose)
    value, second = _first_readable(reply, read)
    return Structured(value, "" if value is not None else second, asked_again=True)


def ask_with_schema(model: ChatModel, request: ChatRequest, purpose: str) -> ChatReply:
    """The reply to a request, whose schema is left out where the server refuses it."""
    endpoint = model.endpoint
    if request.schema is None or model.settings.structured == "prompt" or endpoint.schema_works is False:
        return model.ask(replace(request, schema=None), purpose)
    try:
        reply = model.ask(request, purpose)
    except (PromptTooLong, KeyRefused):
        raise
    except ModelRefused:
        if endpoint.schema_works or model.settings.structured == "json_schema":
            raise
        reply = model.ask(replace(request, schema=None), purpose)
        endpoint.schema_works = False
        return reply
    endpoint.schema_works = True
    return reply


def _first_readable(reply: ChatReply, read: Callable[[Mapping[str, Any]], T]) -> tuple[T | None, str]:
    """The first object of the reply that can be used, else why the first can't."""
    _, said = split_thinking(reply.text)
    objects = json_objects(said) or json_objects(reply.text) or json_objects(reply.thinking)
    problems = []
    for candidate in objects:
        try:
            return read(candidate), ""
        except ValueError as error:
            problems.append(str(error))
    if problems:
        return None, problems[0]
    return None, "the reply was empty" if not reply.text.strip() else "there is no JSON object in the reply"


def _objection(reply: ChatReply, problem: str, schema: Mapping[str, Any] | None) -> Sequence[ChatMessage]:
    cut = " It was cut off: be much shorter." if reply.finish == "length" else ""
    keys = ", ".join(json.dumps(key) for key in (schema or {}).get("properties", {}))
    form = f" with the keys {keys}" if keys else ""
    told = f"That can't be used: {problem}.{cut} Answer again with one JSON object{form}, and nothing else."
    return [assistant(replace(reply, tool_calls=()), _SHOWN), user(told)]
