"""Texts in batches that a server takes: halved where they are too much together, cut where one alone is."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import numpy as np

from jam.encoding import Vectors
from jam.errors import PromptTooLong

_log = logging.getLogger(__name__)
_KEPT = 0.7
"""Of a text that is too long, at each attempt."""
_SHORTEST = 32
"""Characters that any model can read: what is too long then is not the text."""

T = TypeVar("T")
Send = Callable[[Sequence[str]], Awaitable[Vectors]]


class Batches:
    """How texts are sent to one server, with what it was found to take."""

    def __init__(self) -> None:
        self.cut = 0
        """Texts whose end the server's model has not seen."""
        self._fitting: int | None = None
        """Characters that the last cut text was left with."""

    async def send(self, texts: Sequence[str], send: Send) -> Vectors:
        """What the server replies for each text, in their order. Raises what `send` does."""
        try:
            return await send(texts)
        except PromptTooLong:
            if len(texts) == 1:
                return await self._shortened(texts[0], send)
        middle = len(texts) // 2
        return np.concatenate([await self.send(texts[:middle], send), await self.send(texts[middle:], send)])

    async def _shortened(self, text: str, send: Send) -> Vectors:
        length = len(text)
        while True:
            length = min(int(length * _KEPT), 2 * (self._fitting or length))
            try:
                reply = await send([text[:length]])
            except PromptTooLong:
                if length < _SHORTEST:
                    raise
                continue
            if self.cut == 0:
                _log.warning("a text of %d characters is too long for the model; its end is left out", len(text))
            self.cut, self._fitting = self.cut + 1, length
            return reply


def in_batches(items: Sequence[T], size: int) -> list[Sequence[T]]:
    """The items, some at a time."""
    return [items[start : start + size] for start in range(0, len(items), size)]


def well_formed(text: str) -> str:
    """The text with a question mark for each lone surrogate, which neither servers nor tokenizers take."""
    return text.encode("utf-8", "replace").decode("utf-8")
