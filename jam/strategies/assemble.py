"""From ranked messages to a context: what fits the budget, with its proof. Lengths are counted exactly."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from jam.context import Evidence
from jam.index.embedder import count_tokens
from jam.rendering import context_lines, head_line, plain
from jam.strategies.packing import pack
from jam.strategies.question import Question
from jam.strategies.stretch import stretch
from jam.workspace.raw_file import RawFile

_LONGEST = 0.4
"""No single message takes more than this share of the budget; a longer one is quoted in part."""
_MARGIN, _MARGIN_FROM, _MARGIN_A_DOUBLING = 8.0, 2000, 1.5
"""What is hardly likely only dilutes a context, even where there is room: of LoCoMo's gold messages 1.1 % score more
than 8 below the best."""
_SHORTEST = 40
"""Tokens that a message may have in any case."""


@dataclass(frozen=True, slots=True)
class Assembled:
    """A context and what it is made of."""

    context: str
    evidence: tuple[Evidence, ...]
    sources: tuple[str, ...]
    tokens: int


def nothing() -> Assembled:
    """An empty context."""
    return Assembled("", (), (), 0)


def assemble(
    question: Question, ranked: Sequence[tuple[int, float]], focus: Mapping[int, str] | None = None
) -> Assembled:
    """The best of the ranked messages (rows of the index, with scores), as many as fit `budget.context_tokens`.

    `focus` says of rows what to look for in them where they are too long to be quoted whole; else it is the question.
    """
    desk = _Desk(question, focus or {})
    bar = max((score for _, score in ranked), default=0.0) - _margin(question.budget.context_tokens)
    usable = {row: score for row, score in ranked if score >= bar and desk.index.arrays["cost"][row] > 0}
    rows = list(usable)
    chosen = pack(
        rows,
        np.array(list(usable.values()), np.float64),
        np.array([desk.line_cost(row) for row in rows], np.int64),
        [desk.file_of(row) for row in rows],
        desk.head_cost,
        question.budget.context_tokens,
    )
    written = desk.write(chosen)
    while written.tokens > question.budget.context_tokens:  # a session over several days opens more than once
        chosen.remove(min(chosen, key=usable.__getitem__))
        written = desk.write(chosen)
    return written


def _margin(tokens: int) -> float:
    """How far below the best a message may score (log-odds); who asks for more tokens gets less likely ones too."""
    return _MARGIN + _MARGIN_A_DOUBLING * max(0.0, math.log2(tokens / _MARGIN_FROM))


class _Desk:
    """Where a context is written: knows what every line of it costs, and reads each raw file once."""

    def __init__(self, question: Question, focus: Mapping[int, str]) -> None:
        self.question = question
        self.focus = focus
        self.index = question.index
        self.longest = max(_SHORTEST, int(question.budget.context_tokens * _LONGEST))
        self._raws: dict[int, RawFile] = {}

    def file_of(self, row: int) -> int:
        return int(self.index.arrays["file"][row])

    def line_cost(self, row: int) -> int:
        """Tokens of a message's line; a message that is too long costs what will be quoted of it at most."""
        text = min(int(self.index.arrays["cost"][row]), self.longest)
        return text + self._name_cost(str(self.index.arrays["speakers"][self.index.arrays["speaker"][row]]))

    def head_cost(self, file: int) -> int:
        return count_tokens(head_line(1, self.index.files[file].started))

    def write(self, rows: Sequence[int]) -> Assembled:
        """The context of the chosen messages, sessions in the order of time."""
        files = sorted({self.file_of(row) for row in rows}, key=self._order)
        ranks = {file: rank for rank, file in enumerate(files)}
        ordered = sorted(rows, key=lambda row: (ranks[self.file_of(row)], row))
        evidence = tuple(map(self._evidence, ordered))
        sources = tuple(self.index.files[file].path for file in files)
        lines = list(context_lines(evidence, sources))
        tokens = sum(
            count_tokens(line) if number is None else self._cost(ordered[number], evidence[number])
            for line, number in lines
        )
        return Assembled("\n".join(line for line, _ in lines), evidence, sources, tokens)

    def _order(self, file: int) -> tuple[str, str]:
        record = self.index.files[file]
        return (record.started or "", record.path)

    def _cost(self, row: int, quote: Evidence) -> int:
        """Tokens of a quote's line as it is written."""
        whole = self._is_whole(row) and plain(quote.text) == quote.text
        text = int(self.index.arrays["cost"][row]) if whole else count_tokens(plain(quote.text))
        return text + self._name_cost(quote.speaker or quote.role)

    def _name_cost(self, name: str) -> int:
        return count_tokens(f"{plain(name)}:")

    def _is_whole(self, row: int) -> bool:
        return bool(self.index.arrays["cost"][row] <= self.longest)

    def _evidence(self, row: int) -> Evidence:
        """A quote of a message: all of it, or the stretch of a very long one that answers best."""
        file = self.file_of(row)
        record, number = self.index.files[file], self.index.message_number(row)
        if file not in self._raws:
            self._raws[file] = self.question.workspace.read_raw(record.path)
        session = self._raws[file].session
        message = session.messages[number - 1]
        whole = self._is_whole(row)
        return Evidence(
            path=record.path,
            message=number,
            text=message.text
            if whole
            else stretch(message.text, self.focus.get(row, self.question.query), self.longest),
            sha256=message.sha256,
            id=message.id,
            at=message.at or session.started,
            speaker=message.speaker,
            role=message.role,
        )
