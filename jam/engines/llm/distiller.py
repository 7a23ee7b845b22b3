"""Distil with a chat model (DeferMem): all candidates in one call, which names the useful ones and says what each says.

A reply counts where both halves agree: known messages, each named once, and one statement for each of them and for no
other. A statement must be faithful to its message (`jam.faithful.gate`), or the message's own words stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from jam.cards import RoleCard
from jam.engines.llm.role import LlmRole
from jam.engines.llm.statements import checked, joined, request_for, rows_of, text_of
from jam.errors import ModelError
from jam.jobs import Candidate, Distiller, Edit, Edited
from jam.models.chat import ChatModel
from jam.models.structured import ask_structured

_NOT_USEFUL = "not useful for the question"
_DIGITS = 9
"""Of the number of a message at most: a longer text is none."""


class LlmDistiller:
    """Selects and words the evidence of a question in one call.

    Where the model's context has no room for all candidates, the lowest-ranked are not shown to it; nor is a message
    that says nothing of its own. The fallback decides on those.
    """

    def __init__(self, role: RoleCard, model: ChatModel, fallback: Distiller) -> None:
        self.role = LlmRole(role, model)
        self.prompt = str(role.setting("prompt", "distill"))
        self.fallback = fallback

    def distill(self, query: str, candidates: Sequence[Candidate], asked_at: str | None = None) -> Edited:
        """A decision for every candidate; the fallback's where no reply came, or neither of two can be used."""
        places, request = request_for(self.role, self.prompt, candidates, query, asked_at)
        if request is None:
            return self.fallback.distill(query, candidates, asked_at)
        read = partial(_statements, count=len(places))
        try:
            found = ask_structured(self.role.model, request, "distill", read, whole=True)
        except ModelError:  # the exchange is recorded with its error
            return replace(self.fallback.distill(query, candidates, asked_at), fell_back=True)
        if found.value is None:
            computed = self.fallback.distill(query, candidates, asked_at)
            return replace(computed, asked_again=True, fell_back=True)
        shown = {
            place: checked(candidates[place], found.value[number], query)
            if number in found.value
            else (Edit(False, reason=_NOT_USEFUL), False)
            for number, place in enumerate(places, 1)
        }
        left_out = [candidate for place, candidate in enumerate(candidates) if place not in shown]
        others = self.fallback.distill(query, left_out, asked_at).edits if left_out else ()
        return replace(joined(candidates, shown, others), asked_again=found.asked_again)


def _statements(data: Mapping[str, Any], count: int) -> dict[int, str]:
    """The statements of a reply by the number of their message. Raises `ValueError` where its halves don't agree."""
    named = data.get("useful_msg")
    if not isinstance(named, list):
        raise ValueError('"useful_msg" must be a list of numbers of messages')
    useful = _distinct([_number(value, count) for value in named], "useful_msg")
    rows = rows_of(data, "distilled_info")
    told = _distinct([_number(row.get("msg_id"), count) for row in rows], "distilled_info")
    number = min(useful ^ told, default=None)
    if number is not None:
        where, other = ("useful_msg", "distilled_info") if number in useful else ("distilled_info", "useful_msg")
        raise ValueError(f'message {number} is in "{where}" and not in "{other}"')
    texts = [text_of(row, "info") for row in rows]
    if not all(texts):
        raise ValueError('"info" must say something in each of them')
    return {_number(row["msg_id"], count): text for row, text in zip(rows, texts, strict=True)}


def _number(value: Any, count: int) -> int:
    """The number of a message that was shown; models like to write it as a text."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= _DIGITS:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= count:
        raise ValueError(f"there is no message {value!r:.40}; the messages are 1 to {count}")
    return value


def _distinct(numbers: Sequence[int], key: str) -> set[int]:
    twice = next((number for number in numbers if numbers.count(number) > 1), None)
    if twice is not None:
        raise ValueError(f'"{key}" has message {twice} twice')
    return set(numbers)
