"""What `lazy` and `defer` share: messages are handed out as candidates, and what was made of them becomes a context.

A message that was kept is evidence with its own words. Where a player put it into other words, the context says those,
marked, and the evidence still has the verbatim text: the original is one hop away.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from jam.engines.faithful import with_dates
from jam.index.embedder import count_tokens
from jam.index.search_index import Ranking
from jam.index.stretch import stretch
from jam.jobs import Candidate, Edit
from jam.strategies.desk import BESIDE, Piece, longest_quote
from jam.strategies.question import Question


def usable(ranking: Ranking, row: int) -> bool:
    """Whether a row may be a candidate: it is in scope, in the days asked for, and no notice or echo."""
    return bool(np.isfinite(ranking.scores[row])) and int(ranking.index.arrays["cost"][row]) > 0


def hand_out(question: Question, ranking: Ranking, rows: Iterable[int]) -> dict[int, Candidate]:
    """The messages of some rows as candidates, by row, in the order of the rows; rows that aren't usable left out.

    Of a very long message, which is several rows, the best passage stands for it, with what is beside it.
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
        shown = replace(message, text=message.text[part]) if part else message
        out[row] = Candidate(path, number, shown, message.at or session.started, float(ranking.scores[row]) - best)
    return out


def pieces(question: Question, candidates: Mapping[int, Candidate], edits: Mapping[int, Edit]) -> dict[int, Piece]:
    """What the context may say of each row that was kept.

    The day that a relative time means is added in brackets behind it; the words themselves stay.
    """
    most = longest_quote(question.budget.context_tokens)
    return {row: _piece(question, candidates[row], edit, most) for row, edit in edits.items() if edit.keep}


def _piece(question: Question, candidate: Candidate, edit: Edit, most: int) -> Piece:
    whole = candidate.message.text
    own = edit.text is None or edit.text in whole
    quote = edit.text if own and edit.text else whole
    said = quote if own else edit.text or ""
    dated = with_dates(said, candidate.at)
    if count_tokens(dated) > most:
        quote = stretch(quote, question.query, most)
        dated = said = quote
    elif not own:
        quote = whole if count_tokens(whole) <= most else stretch(whole, question.query, most)
    return Piece(quote, None if dated == quote else dated)


def mended_note(mended: int) -> list[str]:
    """A sentence on statements that could not be used, if there were any."""
    if not mended:
        return []
    return [f"{mended} statement{'s' * (mended > 1)} not borne out by the message gave way to its own words."]
