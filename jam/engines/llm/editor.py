"""Construct with a chat model (LazyMem): a window of neighbouring messages, one call, one decision for each of them.

A reply counts as a whole or not at all: as many decisions as messages, each KEEP with a text or DROP without. What is
kept in other words must be faithful to its message (`jam.faithful.gate`), or its own words stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from jam.cards import RoleCard
from jam.engines.llm.role import LlmRole
from jam.engines.llm.statements import checked, joined, request_for, rows_of, text_of
from jam.errors import ModelError
from jam.jobs import Candidate, Edit, Edited, WindowEditor
from jam.models.chat import ChatModel
from jam.models.structured import ask_structured

_PARALLEL = 64
_NOT_USABLE = "the model's decisions could not be used"
_NO_REPLY = "the model gave no reply"


@dataclass(frozen=True, slots=True)
class _Decision:
    """What becomes of a message: dropped where `kept` is `None`."""

    kept: str | None
    reason: str


class LlmWindowEditor:
    """Edits windows, each in a call of its own.

    A message that says nothing of its own is not shown to the model, nor one that its context has no room for (the
    lowest-ranked of a window first); the fallback decides on those.
    """

    def __init__(self, role: RoleCard, model: ChatModel, fallback: WindowEditor) -> None:
        self.role = LlmRole(role, model)
        self.prompt = str(role.setting("prompt", "edit"))
        self.parallel = max(1, int(role.setting("parallel", _PARALLEL)))
        self.fallback = fallback

    def edit(self, query: str, window: Sequence[Candidate], asked_at: str | None = None) -> Edited:
        """A decision for every message; all are kept word for word where no reply can be used, or none came."""
        places, request = request_for(self.role, self.prompt, window, query, asked_at)
        if request is None:
            return self.fallback.edit(query, window, asked_at)
        read = partial(_decisions, count=len(places))
        try:
            found = ask_structured(self.role.model, request, "edit", read, listed="decisions", whole=True)
        except ModelError:  # the exchange is recorded with its error
            return Edited((Edit(True, reason=_NO_REPLY),) * len(window), fell_back=True)
        if found.value is None:
            return Edited((Edit(True, reason=_NOT_USABLE),) * len(window), asked_again=True, fell_back=True)
        shown = {
            place: _edit(decision, window[place], query) for place, decision in zip(places, found.value, strict=True)
        }
        left_out = [candidate for place, candidate in enumerate(window) if place not in shown]
        others = self.fallback.edit(query, left_out, asked_at).edits if left_out else ()
        return replace(joined(window, shown, others), asked_again=found.asked_again)


def _edit(decision: _Decision, candidate: Candidate, query: str) -> tuple[Edit, bool]:
    if decision.kept is None:
        return Edit(False, reason=decision.reason), False
    return checked(candidate, decision.kept, query, decision.reason)


def _decisions(data: Mapping[str, Any], count: int) -> list[_Decision]:
    """The decisions of a reply. Raises `ValueError` where one is missing, one too many, or one is none."""
    rows = rows_of(data, "decisions")
    if len(rows) != count:
        raise ValueError(f"there must be {count} decisions, one for each message in order, not {len(rows)}")
    return [_decision(number, row) for number, row in enumerate(rows, 1)]


def _decision(number: int, row: Mapping[str, Any]) -> _Decision:
    op, text, reason = (text_of(row, key) for key in ("op", "compressed_content", "reason"))
    op = op.upper()
    if op not in ("KEEP", "DROP"):
        raise ValueError(f'decision {number}: "op" must be KEEP or DROP')
    if op == "DROP" and text:
        raise ValueError(f'decision {number}: "compressed_content" must be "" for DROP; what has a text is kept')
    if op == "KEEP" and not text:
        raise ValueError(f'decision {number}: "compressed_content" must say what is kept')
    return _Decision(text if op == "KEEP" else None, reason)
