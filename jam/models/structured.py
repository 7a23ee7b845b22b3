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
from jam.models.parsing import json_list, json_objects, split_thinking

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
    model: ChatModel,
    request: ChatRequest,
    purpose: str,
    read: Callable[[Mapping[str, Any]], T],
    *,
    listed: str = "",
    whole: bool = False,
) -> Structured[T]:
    """Asks for a JSON object and reads it with `read`, which raises `ValueError` for what it can't use.

    With `listed`, a bare array of objects is read as an object that has it under this key. With `whole`, what the
    limit of its length cut off is not mended: for replies whose end matters as much as their beginning.
    Raises `ModelError` where no reply came at all.
    """
    reply = ask_with_schema(model, request, purpose)
    value, problem = _first_readable(reply, read, listed, whole)
    if value is not None:
        return Structured(value)
    again = replace(request, messages=(*request.messages, *_objection(reply, problem, request.schema)))
    reply = ask_with_schema(model, again, purpose)
    value, second = _first_readable(reply, read, listed, whole)
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


def _first_readable(
    reply: ChatReply, read: Callable[[Mapping[str, Any]], T], listed: str, whole: bool
) -> tuple[T | None, str]:
    """The first object of the reply that can be used, else why the first can't."""
    mend = not (whole and reply.finish == "length")
    _, said = split_thinking(reply.text)
    found = (_objects(text, listed, mend) for text in (said, reply.text, reply.thinking))
    problems = []
    for candidate in next(filter(None, found), []):
        try:
            return read(candidate), ""
        except ValueError as error:
            problems.append(str(error))
    if problems:
        return None, problems[0]
    return None, "the reply was empty" if not reply.text.strip() else "there is no JSON object in the reply"


def _objects(text: str, listed: str, mend: bool) -> list[dict[str, Any]]:
    """The objects in a text; before them the first array of objects as one, where that is wanted."""
    rows = json_list(text, mend) if listed else []
    return [*([{listed: rows}] if rows else []), *json_objects(text, mend)]


def _objection(reply: ChatReply, problem: str, schema: Mapping[str, Any] | None) -> Sequence[ChatMessage]:
    cut = " It was cut off: be much shorter." if reply.finish == "length" else ""
    keys = ", ".join(json.dumps(key) for key in (schema or {}).get("properties", {}))
    form = f" with the keys {keys}" if keys else ""
    told = f"That can't be used: {problem}.{cut} Answer again with one JSON object{form}, and nothing else."
    return [assistant(replace(reply, tool_calls=()), _SHOWN), user(told)]
