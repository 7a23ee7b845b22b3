"""Construct and distil without a model: a message is kept by how well it ranks, a long one cut to its best sentences.

Nothing is put into other words, so that no operand of a comparison, no time and no name can be lost on the way: a
message is kept whole, or a stretch of its own sentences, or not at all.
"""

from __future__ import annotations

from collections.abc import Sequence

from jam.cards import RoleCard
from jam.index.embedder import count_tokens
from jam.index.stretch import own_part, stretch
from jam.jobs import Candidate, Edit, Edited

_MARGIN, _WHOLE = 6.5, 120


class _Keeping:
    """Decides on each message alone."""

    def __init__(self, role: RoleCard) -> None:
        self.margin = float(role.setting("margin", _MARGIN))
        self.whole_tokens = int(role.setting("whole_tokens", _WHOLE))

    def keep(self, query: str, candidates: Sequence[Candidate]) -> Edited:
        return Edited(tuple(self._edit(query, candidate) for candidate in candidates))

    def _edit(self, query: str, candidate: Candidate) -> Edit:
        text = own_part(candidate.message, query)
        if not text.strip():
            return Edit(False, reason="it says nothing of its own")
        if candidate.score < -self.margin:
            return Edit(False, reason="others rank far better")
        if count_tokens(text) <= self.whole_tokens:
            return Edit(True, None if text == candidate.message.text else text)
        return Edit(True, stretch(text, query, self.whole_tokens) or None, "the sentences that answer best")


class ExtractiveWindowEditor:
    """Keeps or drops the messages of a window."""

    parallel = 1

    def __init__(self, role: RoleCard) -> None:
        self._keeping = _Keeping(role)

    def edit(self, query: str, window: Sequence[Candidate], asked_at: str | None = None) -> Edited:
        return self._keeping.keep(query, window)


class ExtractiveDistiller:
    """Selects useful messages among all candidates."""

    def __init__(self, role: RoleCard) -> None:
        self._keeping = _Keeping(role)

    def distill(self, query: str, candidates: Sequence[Candidate], asked_at: str | None = None) -> Edited:
        return self._keeping.keep(query, candidates)
