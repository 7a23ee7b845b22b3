"""Writing a context: its lines, what each of them costs, and the evidence behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jam.context import Evidence
from jam.index.embedder import count_tokens
from jam.index.stretch import own_part, stretch
from jam.rendering import EDITED, context_lines, head_line, plain
from jam.session import Message
from jam.strategies.question import Question

_LONGEST = 0.4
"""No single message takes more than this share of the budget; a longer one is quoted in part."""
BESIDE = 300
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


@dataclass(frozen=True, slots=True)
class Piece:
    """What a context says of a message, where a player chose that."""

    quote: str
    """Its own words."""
    rewritten: str | None = None
    """Other words in their place."""


def longest_quote(context_tokens: int) -> int:
    """Tokens that one message may have in a context of so many."""
    if context_tokens <= 2 * _SHORTEST:
        return max(1, context_tokens - _AROUND)
    return max(_SHORTEST, int(context_tokens * _LONGEST))


class Desk:
    """Where a context is written: knows what every line of it costs."""

    def __init__(self, question: Question, focus: Mapping[int, str], pieces: Mapping[int, Piece]) -> None:
        self.question = question
        self.focus = focus
        self.pieces = pieces
        self.index = question.index
        self.longest = longest_quote(question.budget.context_tokens)
        self._quotes: dict[int, Evidence] = {}
        self._heads: dict[int, int] = {}
        self._names: dict[str, int] = {}
        self._in_part: set[int] = set()
        """Rows of which not all is quoted."""

    def file_of(self, row: int) -> int:
        return int(self.index.collection.file[row])

    def line_cost(self, row: int) -> int:
        """Tokens of a message's line; a message that is too long costs what will be quoted of it at most."""
        if row in self.pieces:
            return self._piece_cost(row, self.index.collection.speakers[self.index.arrays["speaker"][row]])
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
        if row in self.pieces:
            return self._piece_cost(row, quote.speaker or quote.role)
        whole = row not in self._in_part and plain(quote.text) == quote.text
        text = int(self.index.arrays["cost"][row]) if whole else count_tokens(plain(quote.text))
        return text + self._name_cost(quote.speaker or quote.role)

    def _piece_cost(self, row: int, name: str) -> int:
        piece = self.pieces[row]
        if piece.rewritten is None:
            return count_tokens(plain(piece.quote)) + self._name_cost(name)
        return count_tokens(plain(piece.rewritten)) + self._name_cost(f"{name}{EDITED}")

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
        piece = self.pieces.get(row)
        return Evidence(
            path=record.path,
            message=number,
            text=piece.quote if piece else self._quoted(row, message),
            sha256=message.sha256,
            id=message.id,
            at=message.at or session.started,
            speaker=message.speaker,
            role=message.role,
            rewritten=piece.rewritten if piece else None,
        )

    def _quoted(self, row: int, message: Message) -> str:
        """What is quoted of a message: all of it; of one that is very long, or holds recalled text, a stretch of its
        own that answers best.
        """
        part = self.index.near(row, BESIDE)
        if part:
            self._in_part.add(row)
            return stretch(message.text[part], self.focus.get(row, self.question.query), self._most_of(row))
        asked = self.focus.get(row, self.question.query)
        own = own_part(message, asked)
        short = self.index.arrays["cost"][row] <= self.longest
        if short and own == message.text:
            return message.text
        self._in_part.add(row)
        return own if short else stretch(own, asked, self.longest)
