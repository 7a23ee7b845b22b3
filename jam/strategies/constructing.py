"""What `lazy` and `defer` share: messages are handed out as candidates, and what was made of them becomes a context.

A message that was kept is evidence with its own words. Where a player put it into other words, the context says those,
marked, and the evidence still has the verbatim text: the original is one hop away.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from jam.context import MemoryContext, Usage
from jam.index.embedder import count_tokens
from jam.index.search_index import Ranking
from jam.index.stretch import own_part, stretch
from jam.jobs import Candidate, Edit
from jam.strategies.conclude import conclude
from jam.strategies.desk import BESIDE, Piece, longest_quote
from jam.strategies.question import Question
from jam.times.dated import with_dates

_DATED = 3
"""Days in brackets are added to a message that takes up at most this part of the budget: before they push it out."""


def usable(ranking: Ranking, row: int) -> bool:
    """Whether a row may be a candidate: it is in scope, in the days asked for, and no notice or echo."""
    return bool(np.isfinite(ranking.scores[row])) and int(ranking.index.arrays["cost"][row]) > 0


def hand_out(question: Question, ranking: Ranking, rows: Iterable[int]) -> dict[int, Candidate]:
    """The messages of some rows as candidates, by row, in the order of the rows; rows that aren't usable left out.

    Of a very long message, which is several rows, the best passage stands for it, with what is beside it; of one that
    repeats what JAM gave out, its own words.
    """
    index, best = ranking.index, float(ranking.scores[ranking.order[0]]) if len(ranking.order) else 0.0
    by_message: dict[tuple[str, int], int] = {}
    for row in rows:
        if usable(ranking, row):
            other = by_message.setdefault(index.place(row), row)
            if ranking.scores[row] > ranking.scores[other]:
                by_message[index.place(row)] = row
    out: dict[int, Candidate] = {}
    for (path, number), row in by_message.items():
        session = question.workspace.read_raw(path).session
        message = session.messages[number - 1]
        part = index.near(row, BESIDE)
        text = message.text[part] if part else own_part(message, question.query)
        shown = message if text == message.text else replace(message, text=text)
        out[row] = Candidate(path, number, shown, message.at or session.started, float(ranking.scores[row]) - best)
    return out


@dataclass(frozen=True, slots=True)
class Constructed:
    """What a context may say."""

    pieces: Mapping[int, Piece]
    """By row of the index."""
    notes: tuple[str, ...]
    """What a caller should know of how it came about, in sentences."""


def construct(
    question: Question, candidates: Mapping[int, Candidate], edits: Mapping[int, Edit], mended: int = 0
) -> Constructed:
    """What the context may say of each row that was kept. `mended` statements have given way already.

    The day that a relative time means is added in brackets behind it; the words themselves stay. A statement that is
    longer than a message may be in the context gives way to the message's own words too.
    """
    most = longest_quote(question.budget.context_tokens)
    made: dict[int, Piece] = {}
    for row, edit in edits.items():
        if not edit.keep:
            continue
        own = candidates[row].message.text
        if edit.text and not edit.reworded and edit.text in own:
            own = edit.text
        elif edit.text and _fits(dated := with_dates(" ".join(edit.text.split()), candidates[row].at), most):
            made[row] = Piece(own if _fits(own, most) else stretch(own, question.query, most) or own, dated)
            continue
        elif edit.text:
            mended += 1
        if not _fits(own, most):
            own = stretch(own, question.query, most)
        dated = with_dates(own, candidates[row].at)
        dated = dated if _fits(dated, min(most, question.budget.context_tokens // _DATED)) else own
        if own.strip():
            made[row] = Piece(own, None if dated == own else dated)
    return Constructed(made, _notes(mended))


def conclude_constructed(
    question: Question, strategy: str, ranking: Ranking, made: Constructed, remarks: Iterable[str], run_id: str
) -> MemoryContext:
    """The context of what was constructed from a ranking, with the strategy's own remarks."""
    return conclude(
        question,
        [(row, float(ranking.scores[row])) for row in made.pieces],
        strategy=strategy,
        searched=[question.query],
        usage=Usage(tool_calls=1),
        run_id=run_id,
        remarks=[*ranking.notes, *remarks, *made.notes],
        pieces=made.pieces,
    )


def _fits(text: str, most: int) -> bool:
    return count_tokens(text) <= most


def _notes(mended: int) -> tuple[str, ...]:
    """A sentence on statements that could not be used, if there were any."""
    if not mended:
        return ()
    many = "s" * (mended > 1)
    return (f"{mended} statement{many} too long, or not borne out by the message, gave way to its own words.",)
