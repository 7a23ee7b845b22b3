"""From ranked messages to a context, with its proof.

The context groups messages by session, in the order of time. A session opens with the number of its source and its
date; every message says who speaks. Its length is counted exactly, in tokens of the shipped tokenizer.

    [1] 8 May 2023
    Caroline: I went to a LGBTQ support group yesterday and it was so powerful.
    …
    Melanie: Wow, that's cool, Caroline!
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from jam.context import Evidence
from jam.index.embedder import count_tokens
from jam.session import Message
from jam.strategies.packing import GAP_COST, pack
from jam.strategies.question import Question
from jam.strategies.stretch import stretch
from jam.workspace.raw_file import RawFile

_GAP = "…"
_LONGEST = 0.4
"""No single message takes more than this share of the budget; a longer one is quoted in part."""
_MARGIN, _MARGIN_FROM, _MARGIN_A_DOUBLING = 6.0, 2000, 1.5
"""What is hardly likely only dilutes a context, even where there is room. Of LoCoMo's gold messages 2.5 % score more
than 6 below the best, 1.1 % more than 8."""
_SHORTEST = 40
"""Tokens that a message may have in any case."""
_CONTROL = re.compile(
    r"<(?=/?(?:think|tool_use|tool_call|tool_response|answer|system|function_calls?|invoke)\b|\|)", re.IGNORECASE
)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


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


def assemble(question: Question, ranked: Sequence[tuple[int, float]]) -> Assembled:
    """The best of the ranked messages (rows of the index, with scores), as many as fit `budget.context_tokens`."""
    desk = _Desk(question)
    bar = max((score for _, score in ranked), default=0.0) - _margin(question.budget.context_tokens)
    usable = [(row, score) for row, score in ranked if score >= bar and desk.index.arrays["cost"][row] > 0]
    rows = [row for row, _ in usable]
    chosen = pack(
        rows,
        np.array([score for _, score in usable], np.float64),
        np.array([desk.line_cost(row) for row in rows], np.int64),
        [desk.file_of(row) for row in rows],
        desk.head_cost,
        question.budget.context_tokens,
    )
    return desk.write(chosen)


def _margin(tokens: int) -> float:
    """How far below the best a message may score (log-odds); who asks for more tokens gets less likely ones too."""
    return _MARGIN + _MARGIN_A_DOUBLING * max(0.0, math.log2(tokens / _MARGIN_FROM))


class _Desk:
    """Where a context is written: knows what every line of it costs, and reads each raw file once."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.index = question.index
        self.longest = max(_SHORTEST, int(question.budget.context_tokens * _LONGEST))
        self._raws: dict[int, RawFile] = {}

    def file_of(self, row: int) -> int:
        return int(self.index.arrays["file"][row])

    def line_cost(self, row: int) -> int:
        """Tokens of a message's line; a message that is too long costs what will be quoted of it at most."""
        text = min(int(self.index.arrays["cost"][row]), self.longest)
        speaker = str(self.index.arrays["speakers"][self.index.arrays["speaker"][row]])
        return text + count_tokens(f"{_plain(speaker)}:")

    def head_cost(self, file: int, number: int = 1) -> int:
        return count_tokens(f"[{number}]") + count_tokens(_day(self.index.files[file].started))

    def write(self, rows: Sequence[int]) -> Assembled:
        """The context of the chosen messages."""
        by_file: dict[int, list[int]] = {}
        for row in rows:
            by_file.setdefault(self.file_of(row), []).append(row)
        files = sorted(by_file, key=lambda file: (self.index.files[file].started or "", self.index.files[file].path))
        lines: list[str] = []
        tokens = 0
        evidence: list[Evidence] = []
        for number, file in enumerate(files, 1):
            lines.append(f"{_blank(lines)}[{number}] {_day(self.index.files[file].started)}".rstrip())
            tokens += self.head_cost(file, number)
            for row, before in zip(by_file[file], [None, *by_file[file]], strict=False):
                if before is not None and row != before + 1:
                    lines.append(_GAP)
                    tokens += GAP_COST
                message, text = self._quote(file, row)
                lines.append(f"{_plain(message.name)}: {_plain(text)}")
                tokens += self._cost(row, message, text)
                evidence.append(self._evidence(file, row, message, text))
        paths = tuple(self.index.files[file].path for file in files)
        return Assembled("\n".join(lines), tuple(evidence), paths, tokens)

    def _cost(self, row: int, message: Message, text: str) -> int:
        """Tokens of a line as it was written."""
        whole = text is message.text and not _CONTROL.search(text)
        own = int(self.index.arrays["cost"][row]) if whole else count_tokens(_plain(text))
        return own + count_tokens(f"{_plain(message.name)}:")

    def _quote(self, file: int, row: int) -> tuple[Message, str]:
        """A message, and what is quoted of it: all, or the stretch of a very long one that answers best."""
        if file not in self._raws:
            self._raws[file] = self.question.workspace.read_raw(self.index.files[file].path)
        message = self._raws[file].session.messages[self.index.message_number(row) - 1]
        if self.index.arrays["cost"][row] <= self.longest:
            return message, message.text
        return message, stretch(message.text, self.question.query, self.longest)

    def _evidence(self, file: int, row: int, message: Message, text: str) -> Evidence:
        return Evidence(
            path=self.index.files[file].path,
            message=self.index.message_number(row),
            text=text,
            sha256=message.sha256,
            id=message.id,
            at=message.at or self._raws[file].session.started,
            speaker=message.speaker,
            role=message.role,
        )


def _blank(lines: Sequence[str]) -> str:
    """An empty line between sessions."""
    return "\n" if lines else ""


def _plain(text: str) -> str:
    """The text with the tags that steer a model made harmless: it is quoted, never obeyed."""
    return _CONTROL.sub("‹", text)


def _day(started: str | None) -> str:
    """A date as people write it; what is no full date stays as it is."""
    try:
        day = date.fromisoformat((started or "")[:10])
    except ValueError:
        return (started or "")[:10]
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"
