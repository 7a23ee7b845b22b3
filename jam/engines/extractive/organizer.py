"""Filing without a model: sessions are grouped by what their memos say, and each group is named by its own words.

A session joins the folder it resembles most. What resembles none stays directly in the group's folder, until more
than `limit` sessions lie there: then they are divided by topic. The first build is the same thing, with no folder
to begin with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jam.index.embedder import StaticEmbedder, Vectors, static_embedder, unit
from jam.jobs import Placeable
from jam.text import language
from jam.workspace.names import folded, slug, unique_name

_PER_FOLDER = 6
"""How many sessions a topic folder is meant to begin with."""
_MOST_TOPICS = 12
_JOIN = 0.30
"""A session joins a folder if it is this near to its middle (cosine, the group's mean taken away)."""
_ROUNDS = 25


class ExtractiveOrganizer:
    """Files sessions by the likeness of their memos."""

    def __init__(self, embedder: StaticEmbedder | None = None) -> None:
        self.embedder = embedder or static_embedder()

    def place(self, items: Sequence[Placeable], limit: int, depth: int) -> dict[str, str]:
        ordered = sorted(items, key=lambda item: (item.memo.dates[:1], item.session_id))
        if not ordered:
            return {}
        desk = _Desk(ordered, self._vectors(ordered), limit, depth)
        desk.join_folders()
        desk.divide("")
        return desk.moves()

    def _vectors(self, items: Sequence[Placeable]) -> Vectors:
        """A unit vector a session, without what all of the group have in common."""
        vectors = self.embedder.encode([item.memo.descriptor() for item in items])
        return unit(vectors - vectors.mean(axis=0)) if len(items) > 2 else vectors


@dataclass
class _Desk:
    """The filing of one group."""

    items: Sequence[Placeable]
    vectors: Vectors
    limit: int
    depth: int

    def __post_init__(self) -> None:
        self.folders: list[str | None] = [item.folder for item in self.items]

    def join_folders(self) -> None:
        """New sessions go to the folder whose middle is nearest, or to the group's own folder."""
        topics = sorted({folder for folder in self.folders if folder})
        if topics:
            middles = unit(np.stack([self.vectors[self._rows(topic)].mean(axis=0) for topic in topics]))
        for row, folder in enumerate(self.folders):
            if folder is not None:
                continue
            self.folders[row] = ""
            if topics:
                nearness = middles @ self.vectors[row]
                best = int(np.argmax(nearness))
                if nearness[best] >= _JOIN:
                    self.folders[row] = topics[best]

    def divide(self, folder: str) -> None:
        """Divides a folder, and what is below it, until none holds more than the limit directly."""
        rows = self._rows(folder)
        level = folder.count("/") + 1 if folder else 0
        if len(rows) > self.limit and level < self.depth:
            groups = _topics(self.vectors[rows], min(_MOST_TOPICS, max(2, round(len(rows) / _PER_FOLDER))))
            if len(groups) > 1:
                self._found(folder, [[rows[index] for index in group] for group in groups])
        prefix = f"{folder}/" if folder else ""
        below = {path[len(prefix) :].partition("/")[0] for path in self.folders if path and path.startswith(prefix)}
        for name in sorted(below - {""}):
            self.divide(prefix + name)

    def moves(self) -> dict[str, str]:
        return {
            item.session_id: folder
            for item, folder in zip(self.items, self.folders, strict=True)
            if folder is not None and folder != item.folder
        }

    def _rows(self, folder: str) -> list[int]:
        return [row for row, current in enumerate(self.folders) if current == folder]

    def _found(self, folder: str, groups: Sequence[Sequence[int]]) -> None:
        """Makes a subfolder for each group, named by what sets it apart from the others."""
        prefix = f"{folder}/" if folder else ""
        taken = {
            folded(path[len(prefix) :].partition("/")[0]) for path in self.folders if path and path.startswith(prefix)
        }
        words = [self._weights(group) for group in groups]
        for number, group in enumerate(groups):
            name = unique_name(_name(words, number, self._joined_by(group)), taken, f"{folder}/{number}")
            taken.add(folded(name))
            for row in group:
                self.folders[row] = prefix + name

    def _weights(self, rows: Sequence[int]) -> dict[str, float]:
        weights: Counter[str] = Counter()
        for row in rows:
            for rank, keyword in enumerate(self.items[row].memo.keywords):
                weights[keyword] += 1.0 / (1 + 0.25 * rank)  # type: ignore[assignment]
        return {keyword: weight / len(rows) for keyword, weight in weights.items()}

    def _joined_by(self, rows: Sequence[int]) -> str:
        spoken = language(" ".join(self.items[row].memo.summary for row in rows))
        return {"en": " and ", "de": " und ", "fr": " et ", "es": " y ", "it": " e "}.get(spoken or "", " ")


def _name(weights: Sequence[dict[str, float]], number: int, joined_by: str) -> str:
    """The two keywords that are most this group's own, as a folder name."""
    own = weights[number]
    others = Counter(keyword for index, group in enumerate(weights) if index != number for keyword in group)
    ranked = sorted(own, key=lambda keyword: (-own[keyword] / (1 + others[keyword]), keyword))
    chosen: list[str] = []
    for keyword in ranked:
        if not any(part[:5] == other[:5] for part in keyword.split() for word in chosen for other in word.split()):
            chosen.append(keyword)
        if len(chosen) == 2:
            break
    return slug(joined_by.join(chosen) or "other", 40)


def _topics(vectors: Vectors, count: int) -> list[list[int]]:
    """Divides rows into at most `count` groups by spherical k-means; a group of one joins its nearest.

    The first middle is the row nearest to the mean, each further one the row farthest from all before it, so that
    the same rows always give the same groups.
    """
    seeds = [int(np.argmax(vectors @ vectors.mean(axis=0)))]
    while len(seeds) < count:
        seeds.append(int(np.argmin((vectors @ vectors[seeds].T).max(axis=1))))
    middles = vectors[seeds].copy()
    labels = np.full(len(vectors), -1)
    for _ in range(_ROUNDS):
        nearest = np.argmax(vectors @ middles.T, axis=1)
        if np.array_equal(nearest, labels):
            break
        labels = nearest
        for group in range(count):
            if np.any(labels == group):
                middles[group] = vectors[labels == group].sum(axis=0)
        middles = unit(middles)
    labels = _without_singles(vectors, middles, labels)
    return [np.flatnonzero(labels == group).tolist() for group in range(count) if np.any(labels == group)]


def _without_singles(vectors: Vectors, middles: Vectors, labels: np.ndarray) -> np.ndarray:
    sizes = np.bincount(labels, minlength=len(middles))
    allowed = sizes > 1
    if not allowed.any():
        return np.zeros_like(labels)
    nearness = np.where(allowed, vectors @ middles.T, -np.inf)
    return np.where(allowed[labels], labels, np.argmax(nearness, axis=1))
