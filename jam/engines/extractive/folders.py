"""The summary paragraph of a README, without a model: counts, span of time, main subjects, people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from jam.jobs import FolderDigest
from jam.memo import Memo

_SUBJECTS = 8
_PEOPLE = 6


class ExtractiveFolderSummarizer:
    """Says how much there is, from when to when, and what about."""

    name = "extractive"
    fingerprint = "extractive-folder-1"

    def without_model(self, folder: FolderDigest) -> str:
        return self.summarize(folder)

    def summarize(self, folder: FolderDigest) -> str:
        count = len(folder.memos)
        parts = [f"{count} session{'s' if count != 1 else ''}{_span(folder.started, folder.ended)}."]
        subjects = common(folder.memos, "keywords", _SUBJECTS)
        if subjects:
            parts.append(f"About {', '.join(subjects)}.")
        people = common(folder.memos, "people", _PEOPLE)
        if people:
            parts.append(f"People: {', '.join(people)}.")
        return " ".join(parts)


def common(memos: Sequence[Memo], field: str, count: int) -> list[str]:
    """The values of a memo field that most memos share; earlier in a memo and shorter lists count more."""
    scores: Counter[str] = Counter()
    for memo in memos:
        for rank, value in enumerate(getattr(memo, field)):
            scores[value] += 1.0 / (rank + 2)  # type: ignore[assignment]
    return [value for value, _ in sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:count]]


def _span(started: str | None, ended: str | None) -> str:
    if not started:
        return ""
    first, last = started[:10], (ended or started)[:10]
    return f", {first}" if first == last else f", {first} to {last}"
