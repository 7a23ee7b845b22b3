"""Requests to chat APIs and their responses, as logs and batch files have them: the conversation in them.

A request has `messages`, or `input` with `instructions`; a response has `choices`, or `output`. Either may lie in a
`body`, and a file may hold only one of the two. Nothing here knows about files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from jam.history.readers.assistants.openai_messages.items import is_item
from jam.history.readers.assistants.openai_messages.records import ROLES, first_time, is_message

_REQUEST = ((), ("body",), ("request",), ("request", "body"), ("params",))
_RESPONSE = (("response", "body"), ("response",), ("body",), ())
_TIMED = ("choices", "output")


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request with its response."""

    messages: list[Any]
    others: list[list[Any]] = field(default_factory=list)
    """Answers that were given beside the first."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What the request and the response say of themselves."""


def exchange_of(row: Any) -> Exchange | None:
    """The conversation in a record; `None` where there is neither a request nor a response in it."""
    if not isinstance(row, dict):
        return None
    request = next(filter(_asks, (_at(row, place) for place in _REQUEST)), {})
    response = next(filter(_answers, (_at(row, place) for place in _RESPONSE)), {})
    if not request and not response:
        return None
    answers = list(_given(response))
    messages = [*_prompt(request), *_asked(request), *(answers[0] if answers else [])]
    return Exchange(messages, answers[1:], {**response, **request})


def is_said(row: Any) -> bool:
    """Whether an object is a message of a known role, or an item beside such."""
    return isinstance(row, dict) and ((is_message(row) and row["role"] in ROLES) or is_item(row))


def _at(row: Mapping[str, Any], place: tuple[str, ...]) -> dict[str, Any]:
    value: Any = row
    for key in place:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _asks(value: Mapping[str, Any]) -> bool:
    if isinstance(value.get("messages"), list):
        return True
    given = value.get("input")
    return isinstance(given, list) or (isinstance(given, str) and any(key in value for key in ("output", "model")))


def _answers(value: Mapping[str, Any]) -> bool:
    return any(isinstance(value.get(key), list) for key in _TIMED) or (is_said(value) and "role" in value)


def _prompt(request: Mapping[str, Any]) -> Iterator[Any]:
    """Instructions that stand beside the messages."""
    for key in ("instructions", "system"):
        if isinstance(request.get(key), str | list) and request[key]:
            yield {"role": "system", "content": request[key]}


def _asked(request: Mapping[str, Any]) -> Iterator[Any]:
    if isinstance(request.get("messages"), list):
        yield from request["messages"]
    given = request.get("input")
    if isinstance(given, str):
        yield {"role": "user", "content": given}
    elif isinstance(given, list):
        yield from given


def _given(response: Mapping[str, Any]) -> Iterator[list[Any]]:
    """The answers; each was given when the response says that it was."""
    at = first_time(response)
    if isinstance(response.get("choices"), list):
        for choice in response["choices"]:
            message = choice.get("message") if isinstance(choice, dict) else None
            yield [_dated(message if message is not None else choice, at)]
    elif isinstance(response.get("output"), list):
        yield [_dated(item, at) for item in response["output"]]
    elif is_said(response):
        yield [dict(response)]


def _dated(message: Any, at: str | None) -> Any:
    return {"created_at": at, **message} if at and isinstance(message, dict) else message
