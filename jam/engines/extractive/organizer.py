"""Filing without a model: sessions are grouped by what their memos say, and each group is named by its own words.

More than `limit` sessions are divided by topic, and so is each topic that is too large. A session that comes later
joins the folder it resembles most; what resembles none stays directly in the group's folder, until it is too full.

Where a session lies follows from the sessions alone, not from the builds that brought them: each time the group is
filed from its beginning, in the order of days. The first sessions are divided together, the others are added one by
one; how many are the first follows from how many there are. What comes later in time therefore leaves all that was
filed before where it is, until the group has grown by half.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from jam.index.embedder import StaticEmbedder, Vectors, static_embedder, unit
from jam.jobs import Placeable
from jam.text import language
from jam.workspace.names import folded, slug, unique_name

_PER_FOLDER = 6
"""How many sessions a topic folder is meant to begin with."""
_MOST_TOPICS = 12
"""Folders in a folder; from then on a session joins the nearest, however far."""
_JOIN = 0.30
"""A session joins a folder if it is this near to its middle (cosine, the group's mean taken away)."""
_GROWTH = 1.5
"""A group that has grown by this is divided anew."""
_NOISE = 1e-3
"""A session that differs from what all have in common by less is like them all."""
_ROUNDS = 25


class ExtractiveOrganizer:
    """Files sessions by the likeness of their memos."""

    afresh = True

    def __init__(self, embedder: StaticEmbedder | None = None) -> None:
        self.embedder = embedder or static_embedder()

    def place(self, items: Sequence[Placeable], limit: int, depth: int) -> dict[str, str]:
        ordered = sorted(items, key=lambda item: (item.memo.dates[:1], item.session_id))
        if not ordered:
            return {}
        filing = _Filing(ordered, self.embedder.encode([item.memo.descriptor() for item in ordered]), limit, depth)
        first = _first(len(ordered), limit)
        filing.begin(first)
        for row in range(first, len(ordered)):
            filing.add(row)
        return filing.moves()


def _first(count: int, limit: int) -> int:
    """How many of so many sessions are divided together: none of those that fit one folder."""
    first, size = 0, limit + 1
    while size <= count:
        first, size = size, max(size + 1, int(size * _GROWTH))
    return first


@dataclass
class _Folder:
    """A folder, as far as the group has been filed."""

    path: str
    level: int
    total: Vectors
    """The sum of the vectors of all sessions in it, those in its subfolders too."""
    count: int = 0
    rows: list[int] = field(default_factory=list)
    """The sessions directly in it."""
    below: list[_Folder] = field(default_factory=list)
    undivided: int = 0
    """How many sessions lay in it when they could not be divided."""


class _Filing:
    """The filing of one group, session by session."""

    def __init__(self, items: Sequence[Placeable], vectors: Vectors, limit: int, depth: int) -> None:
        self.items = items
        self.vectors = vectors
        self.limit = limit
        self.depth = depth
        self.filed = 0
        self.root = self._folder("", 0)

    def begin(self, count: int) -> None:
        """Files the first sessions together. What is in folders of people already draws what resembles it."""
        for row in range(count):
            self._meet(row)
        for row in sorted(range(count), key=lambda row: not self.items[row].fixed):
            self._lay(row)
        for folder in self._all():
            self._divide(folder)

    def add(self, row: int) -> None:
        """Files the next session, and divides its folder if that is too full now."""
        self._meet(row)
        self._divide(self._lay(row))

    def moves(self) -> dict[str, str]:
        """The new folders of all sessions that have none, or another."""
        found = {self.items[row].session_id: folder.path for folder in self._all() for row in folder.rows}
        return {item.session_id: found[item.session_id] for item in self.items if found[item.session_id] != item.folder}

    def _meet(self, row: int) -> None:
        """Takes a session into what all have in common."""
        self.filed += 1
        self.root.total += self.vectors[row]

    def _lay(self, row: int) -> _Folder:
        """Puts a session where it belongs among the folders that are there."""
        way = [self.root]
        if self.items[row].fixed:
            self._follow(way, self.items[row].folder or "")
        else:
            self._descend(way, row)
        for folder in way[1:]:
            folder.count += 1
            folder.total += self.vectors[row]
        way[-1].rows.append(row)
        return way[-1]

    def _all(self) -> list[_Folder]:
        """Every folder, the outer ones first."""
        found = [self.root]
        for folder in found:
            found += folder.below
        return found

    def _folder(self, path: str, level: int) -> _Folder:
        return _Folder(path, level, np.zeros(self.vectors.shape[1], np.float32))

    def _descend(self, way: list[_Folder], row: int) -> None:
        """Down to the folder that the session is nearest to, as far as it is near to one."""
        vector = self._centred(self.vectors[row])
        while way[-1].below:
            below = way[-1].below
            totals = np.stack([folder.total for folder in below])
            counts = np.array([[folder.count] for folder in below], np.float32)
            middles = self._centred(np.asarray(totals / counts, np.float32))
            nearness = middles @ vector
            best = int(np.argmax(nearness))
            if nearness[best] < _JOIN and len(below) < _MOST_TOPICS:
                return
            way.append(below[best])

    def _follow(self, way: list[_Folder], path: str) -> None:
        """Down to the folder where a session lies for good; folders that people made are made on the way."""
        parts = path.split("/") if path else []
        for level in range(1, len(parts) + 1):
            name = "/".join(parts[:level])
            found = next((folder for folder in way[-1].below if folder.path == name), None)
            if found is None:
                found = self._folder(name, level)
                way[-1].below.append(found)
            way.append(found)

    def _divide(self, folder: _Folder) -> None:
        """Divides by topic what lies directly in a folder, once that is more than the limit."""
        rows = [row for row in folder.rows if not self.items[row].fixed]
        if len(rows) <= max(self.limit, 2 * folder.undivided) or folder.level >= self.depth:
            return
        room = _MOST_TOPICS - len(folder.below)
        groups = _topics(self._centred(self.vectors[rows]), max(2, min(room, round(len(rows) / _PER_FOLDER))))
        if len(groups) < 2:
            folder.undivided = len(rows)
            return
        folder.rows = [row for row in folder.rows if self.items[row].fixed]
        self._found(folder, [[rows[index] for index in group] for group in groups])

    def _centred(self, vectors: Vectors) -> Vectors:
        """Unit vectors without what all of the group have in common."""
        if self.filed <= 2:
            return vectors
        own = np.asarray(vectors - self.root.total / self.filed, np.float32)
        return unit(np.where(np.linalg.norm(own, axis=-1, keepdims=True) > _NOISE, own, np.float32(0)))

    def _found(self, folder: _Folder, groups: Sequence[Sequence[int]]) -> None:
        """Makes a subfolder for each group, named by what sets it apart from the others."""
        prefix = f"{folder.path}/" if folder.path else ""
        taken = {folded(below.path.rpartition("/")[2]) for below in folder.below}
        words = [self._weights(group) for group in groups]
        for number, group in enumerate(groups):
            name = unique_name(_name(words, number, self._joined_by(group)), taken, f"{folder.path}/{number}")
            taken.add(folded(name))
            made = self._folder(prefix + name, folder.level + 1)
            made.rows, made.count, made.total = list(group), len(group), self.vectors[list(group)].sum(axis=0)
            folder.below.append(made)
            self._divide(made)

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
