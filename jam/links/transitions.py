"""Scores of transition: how much a session turns to something else between a message and the next one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from jam.links.segmenting import Floats, cosines_across

_WIDTH = 2
"""Messages on either side of a gap that are compared. One alone is often an exclamation."""


@dataclass(frozen=True, slots=True)
class Talk:
    """A session, as transitions are looked for in it."""

    vectors: Floats
    """Of its messages, see `jam/links/vectors.py`."""
    texts: Callable[[], Sequence[str]]
    """Reads its messages' texts, as many as there are vectors."""


class Transitions(Protocol):
    """Finds transitions. Two with one fingerprint give the same scores."""

    @property
    def fingerprint(self) -> str: ...

    def scores(self, talk: Talk) -> Floats:
        """A score for each gap between messages; where it has a local peak, a segment may begin."""
        ...


class StaticTransitions:
    """By the static vectors of the index, without a model: the less what was just said is like what follows."""

    fingerprint = f"static-{_WIDTH}"

    def scores(self, talk: Talk) -> Floats:
        distances: Floats = np.float32(1.0) - cosines_across(talk.vectors, _WIDTH)
        return distances
