"""Browse without a model: the messages that the index ranks best in the file, with their neighbours."""

from __future__ import annotations

from collections.abc import Sequence

from jam.jobs import Excerpt, Gleaned
from jam.session import Message

_MOST = 12
_BELOW_BEST = 0.6
"""A message is worth reading if it has this share of the best one's score (scores at or below zero are not)."""


class ExtractiveBrowseReader:
    """Picks messages by their rank; what stands next to a picked one is shown with it."""

    def read(self, path: str, messages: Sequence[Message], query: str, ranked: Sequence[Excerpt]) -> Gleaned:
        if not ranked:
            return Gleaned(())
        bar = ranked[0].score * _BELOW_BEST if ranked[0].score > 0 else ranked[0].score
        picked = [excerpt for excerpt in ranked[:_MOST] if excerpt.score >= bar]
        scores = {excerpt.message: excerpt.score for excerpt in ranked}
        chosen = {excerpt.message: excerpt.score for excerpt in picked}
        for excerpt in picked:
            for neighbour in (excerpt.message - 1, excerpt.message + 1):
                if neighbour in scores:
                    chosen.setdefault(neighbour, scores[neighbour])
        excerpts = (Excerpt(number, score) for number, score in chosen.items())
        return Gleaned(tuple(sorted(excerpts, key=lambda excerpt: (-excerpt.score, excerpt.message))))
