"""From ranked messages to a context: what fits the budget, with its proof. Lengths are counted exactly."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from jam.context import Evidence
from jam.echo import CLOSE, OPEN, own_stretches
from jam.index.embedder import count_tokens
from jam.rendering import context_lines, head_line, plain
from jam.session import Message
from jam.strategies.packing import exchange, pack
from jam.strategies.question import Question
from jam.index.stretch import stretch, words_met

_LONGEST = 0.4
"""No single message takes more than this share of the budget; a longer one is quoted in part."""
_MARGIN, _MARGIN_FROM, _MARGIN_A_DOUBLING = 12.0, 2000, 1.5
"""What is hardly likely only dilutes a context, even where there is room. Of documents, whose scores lie wide apart, a
narrower margin leaves out gold: see docs/lab.md."""
_BESIDE = 300
"""Characters beside a passage that may be quoted with it."""
_SHORTEST = 40
"""Tokens that a message may have in any case."""
_AROUND = 12
"""Tokens of what stands around a message at least, but for the frame: its speaker, and the head of its source."""


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
    frame = count_tokens(OPEN) + count_tokens(CLOSE)
    bar = max((score for _, score in ranked), default=0.0) - _margin(question.budget.context_tokens)
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


class _Desk:
    """Where a context is written: knows what every line of it costs."""

    def __init__(self, question: Question, focus: Mapping[int, str]) -> None:
        self.question = question
        self.focus = focus
        self.index = question.index
        most = question.budget.context_tokens
        self.longest = max(_SHORTEST, int(most * _LONGEST)) if most > 2 * _SHORTEST else max(1, most - _AROUND)
        self._quotes: dict[int, Evidence] = {}
        self._heads: dict[int, int] = {}
        self._names: dict[str, int] = {}
        self._in_part: set[int] = set()
        """Rows of which not all is quoted."""

    def file_of(self, row: int) -> int:
        return int(self.index.collection.file[row])

    def line_cost(self, row: int) -> int:
        """Tokens of a message's line; a message that is too long costs what will be quoted of it at most."""
        text = min(int(self.index.arrays["cost"][row]), self._most_of(row))
        return text + self._name_cost(self.index.collection.speakers[self.index.arrays["speaker"][row]])

    def _most_of(self, row: int) -> int:
        """Tokens that a quote may have; that of a passage out of a very long message leaves room for others."""
        return self.longest if self.index.part(row) is None else min(self.longest, max(_SHORTEST, self.longest // 2))

    def head_cost(self, file: int) -> int:
        """Tokens of the line that opens a file; counted once."""
        if file not in self._heads:
            self._heads[file] = count_tokens(head_line(1, self.index.files[file].started))
        return self._heads[file]

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
        whole = row not in self._in_part and plain(quote.text) == quote.text
        text = int(self.index.arrays["cost"][row]) if whole else count_tokens(plain(quote.text))
        return text + self._name_cost(quote.speaker or quote.role)

    def _name_cost(self, name: str) -> int:
        """Tokens of a speaker's name; counted once."""
        if name not in self._names:
            self._names[name] = count_tokens(f"{plain(name)}:")
        return self._names[name]

    def _evidence(self, row: int) -> Evidence:
        """A quote of a message; made once."""
        if row not in self._quotes:
            self._quotes[row] = self._quote(row)
        return self._quotes[row]

    def _quote(self, row: int) -> Evidence:
        record, number = self.index.files[self.file_of(row)], self.index.message_number(row)
        session = self.question.workspace.read_raw(record.path).session
        message = session.messages[number - 1]
        return Evidence(
            path=record.path,
            message=number,
            text=self._quoted(row, message),
            sha256=message.sha256,
            id=message.id,
            at=message.at or session.started,
            speaker=message.speaker,
            role=message.role,
        )

    def _quoted(self, row: int, message: Message) -> str:
        """What is quoted of a message: all of it; of one that is very long, or holds recalled text, a stretch of its
        own that answers best.
        """
        part = self.index.near(row, _BESIDE)
        if part:
            self._in_part.add(row)
            return stretch(message.text[part], self.focus.get(row, self.question.query), self._most_of(row))
        own = [message.text[start:end] for start, end in own_stretches(message)]
        short = self.index.arrays["cost"][row] <= self.longest
        if short and own == [message.text]:
            return message.text
        self._in_part.add(row)
        asked = self.focus.get(row, self.question.query)
        text = max(own, key=lambda part: words_met(part, asked), default="")
        return text if short else stretch(text, asked, self.longest)
