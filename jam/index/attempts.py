"""Asking a model that a question can do without: its failure becomes a sentence, and then it is left in peace."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from jam.errors import MissingExtra, ModelError

FAILURES = (ModelError, MissingExtra)
"""What an encoder or reranker raises where it can't be used."""
_PEACE = 30.0
"""Seconds for which what has failed is not asked again."""

T = TypeVar("T")


class Attempts:
    """The attempts to use one model. `called` is what it is called in notes: "embedder"."""

    def __init__(self, called: str) -> None:
        self.called = called
        self._failed_at = -_PEACE
        self._failure = ""

    def make(self, work: Callable[[], T]) -> tuple[T | None, str]:
        """What the work gives; or None, and a sentence that says why."""
        if self._failure and time.monotonic() - self._failed_at < _PEACE:
            return None, self._failure
        try:
            return work(), ""
        except FAILURES as error:
            self._failed_at = time.monotonic()
            self._failure = f"The {self.called} was not used: {str(error).rstrip('.')}."
            return None, self._failure
