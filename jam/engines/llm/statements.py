"""What the editor and the distiller share: candidates are shown, numbered, and what is said of them is checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from jam.echo import own_text
from jam.engines.llm.data import as_data, numbered
from jam.engines.llm.role import LlmRole
from jam.faithful.gate import objection
from jam.jobs import Candidate, Edit, Edited
from jam.models.messages import ChatRequest
from jam.models.tokens import estimate
from jam.text import sentences

_AROUND = 800
"""Tokens of the prompt around the messages, and of asking once more."""
_LEAST = 200
"""Tokens that the messages get at least, however little the card or the context window leaves."""


def request_for(
    role: LlmRole, prompt: str, candidates: Sequence[Candidate], query: str, asked_at: str | None
) -> tuple[list[int], ChatRequest | None]:
    """The places of the candidates that are shown, and the request that shows them; none where none says anything."""
    places = fitting(candidates, role)
    if not places:
        return [], None
    lines = [as_line(number, candidates[place]) for number, place in enumerate(places, 1)]
    asked_at = as_data(asked_at) if asked_at else ""
    return places, role.ask(prompt, messages=lines, query=as_data(query), asked_at=asked_at)


def as_line(number: int, candidate: Candidate) -> str:
    """A candidate with its number, speaker and time, without what was recalled in it. Its further lines are set in, so
    that none passes for another message.
    """
    message = candidate.message
    line = numbered(number, replace(message, text=own_text(message), at=candidate.at))
    return "\n   ".join(line.splitlines())


def fitting(candidates: Sequence[Candidate], role: LlmRole) -> list[int]:
    """The places of those that are shown: of all that say something, the best-ranked that the prompt has room for.

    One that alone is too long is left out, and the next shorter ones are shown.
    """
    texts = "\n".join(candidate.message.text for candidate in candidates)
    chosen, left = [], role.scaled(texts, max(_LEAST, role.input_tokens - _AROUND))
    for place in sorted(range(len(candidates)), key=lambda place: -candidates[place].score):
        if not own_text(candidates[place].message).strip():
            continue
        size = estimate(as_line(len(candidates), candidates[place])) + 1
        if size <= left:
            chosen.append(place)
            left -= size
    return sorted(chosen)


def checked(candidate: Candidate, statement: str, query: str, reason: str = "") -> tuple[Edit, bool]:
    """What is kept of a candidate, and whether its own words had to step in for the statement."""
    statement = _unlabelled(statement.strip(), candidate)
    text = candidate.message.text
    if statement.split() in (text.split(), as_data(text).split()):
        return Edit(True, reason=reason), False
    problem = objection(statement, candidate, query)
    if problem:
        return Edit(True, reason=problem), True
    return Edit(True, statement, reason, reworded=not _is_quote(statement, text)), False


def joined(candidates: Sequence[Candidate], shown: Mapping[int, tuple[Edit, bool]], others: Sequence[Edit]) -> Edited:
    """The decisions on all candidates, in their order: on those that were shown, and on the others."""
    rest = iter(others)
    edits = tuple(shown[place][0] if place in shown else next(rest) for place in range(len(candidates)))
    return Edited(edits, mended=sum(mended for _, mended in shown.values()))


def text_of(row: Mapping[str, Any], key: str) -> str:
    """A text of a reply. Raises `ValueError` where there is none."""
    value = row.get(key)
    if not isinstance(value, str):
        raise ValueError(f'"{key}" must be a text in each of them')
    return value.strip()


def rows_of(data: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """A list of objects of a reply. Raises `ValueError` where there is none."""
    rows = data.get(key)
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise ValueError(f'"{key}" must be a list of objects')
    return rows


def _is_quote(statement: str, text: str) -> bool:
    """Whether it is whole sentences of a message: a part of one may say the opposite."""
    return statement in text and set(sentences(statement)) <= set(sentences(text))


def _unlabelled(statement: str, candidate: Candidate) -> str:
    """The statement without the name of the speaker before it, which the context adds itself."""
    name = candidate.message.speaker or candidate.message.role
    return statement.removeprefix(f"{name}:").strip() or statement
