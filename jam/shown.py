"""A text as a person sees it, for searching: without colour codes, and with what is escaped in it as the character.

What is found there is told by its place in the text as it stands. Nothing here knows what is searched for.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable

_CODE = r"\[[0-9;:]{0,40}[A-Za-z]"
COLOUR = rf"\x1b{_CODE}|\\\\{{0,15}}(?:u001[bB]|x1[bB]|033|e){_CODE}|\^\[{_CODE}"
"""A code for a terminal, as it is sent or written as an escape. Alternatives that begin with one character each are
what makes a search fast."""

Span = tuple[int, int]


class Shown:
    """A text, and the same text with some stretches replaced by one character each, or by nothing."""

    def __init__(self, text: str, pattern: re.Pattern[str], instead: Callable[[re.Match[str]], str]) -> None:
        """`instead` gives a character, or the empty text, for each match of the pattern."""
        self._length = len(text)
        self._places: list[int] = []
        self._originals: list[int] = []
        self._widths: list[int] = []
        parts: list[str] = []
        done = length = 0
        for match in pattern.finditer(text):
            sign = instead(match)
            if sign == match[0]:
                continue
            self._begin(length, done, 1)
            parts += (text[done : match.start()], sign)
            length += match.start() - done
            if sign:
                self._begin(length, match.start(), match.end() - match.start())
            length += len(sign)
            done = match.end()
        self._begin(length, done, 1)
        self.text = "".join(parts) + text[done:] if done else text

    def _begin(self, place: int, original: int, width: int) -> None:
        self._places.append(place)
        self._originals.append(original)
        self._widths.append(width)

    def inner(self, start: int, end: int) -> Span:
        """Where in the text the characters `text[start:end]`, of which there are some, stand: nothing around them."""
        return self._start(start), self._end(end - 1)

    def outer(self, start: int, end: int) -> Span:
        """The same with what vanished before and behind them."""
        last = self._start(end) if end < len(self.text) else self._length
        return self._end(start - 1) if start else 0, last

    def _start(self, place: int) -> int:
        number = bisect_right(self._places, place) - 1
        return self._originals[number] + place - self._places[number]

    def _end(self, place: int) -> int:
        number = bisect_right(self._places, place) - 1
        return self._originals[number] + place - self._places[number] + self._widths[number]
