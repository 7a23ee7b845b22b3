"""From ranked messages to a context: what fits the budget, with its proof. Lengths are counted exactly."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from jam.echo import CLOSE, OPEN
from jam.index.embedder import count_tokens
from jam.strategies.desk import Assembled, Desk, Piece
from jam.strategies.packing import exchange, pack
from jam.strategies.question import Question

_MARGIN, _MARGIN_FROM, _MARGIN_A_DOUBLING = 12.0, 2000, 1.5
"""What is hardly likely only dilutes a context, even where there is room. Of documents, whose scores lie wide apart, a
narrower margin leaves out gold: see docs/lab.md."""


def assemble(
    question: Question,
    ranked: Sequence[tuple[int, float]],
    focus: Mapping[int, str] | None = None,
    pieces: Mapping[int, Piece] | None = None,
) -> Assembled:
    """The best of the ranked messages (rows of the index, with scores), as many as fit `budget.context_tokens`.

    `focus` says of rows what to look for in them where they are too long to be quoted whole; else it is the question.
    With `pieces` a player has chosen: what it says of each row is taken as it is, however unlikely the row.
    """
    desk = Desk(question, focus or {}, pieces or {})
    frame = count_tokens(OPEN) + count_tokens(CLOSE)
    bar = max((score for _, score in ranked), default=0.0) - _margin(question.budget.context_tokens)
    bar = bar if pieces is None else -math.inf
    usable = {row: score for row, score in ranked if score >= bar and desk.index.arrays["cost"][row] > 0}
    rows = list(usable)
    given = (
        rows,
        np.array(list(usable.values()), np.float64),
        np.array([desk.line_cost(row) for row in rows], np.int64),
        [desk.file_of(row) for row in rows],
        desk.head_cost,
        question.budget.context_tokens - frame,
    )
    chosen = exchange(pack(*given), *given)
    written = desk.write(chosen)
    while written.tokens > question.budget.context_tokens:  # a session over several days opens more than once
        chosen.remove(min(chosen, key=usable.__getitem__))
        written = desk.write(chosen)
    return written


def _margin(tokens: int) -> float:
    """How far below the best a message may score (log-odds); who asks for more tokens gets less likely ones too."""
    return _MARGIN + _MARGIN_A_DOUBLING * max(0.0, math.log2(tokens / _MARGIN_FROM))
