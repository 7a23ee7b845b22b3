"""The search index, opened: which messages bear on a question.

Holds arrays (usually memory-mapped) and a record for each raw file. It knows numbers of messages, not their texts:
whoever shows a message reads it from its raw file.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jam.errors import UsageError
from jam.index.asked import WEIGHTS, Asked, Feature
from jam.index.collection import Collection
from jam.index.look import Look
from jam.index.passages import Norms, Passages
from jam.index.shortlist import Shortlist
from jam.index.signs import absent
from jam.index.timing import depends_on_day
from jam.workspace.layout import within

Rows = NDArray[np.int64]
_KEPT, _KEPT_ROWS = 24, 400_000
"""Rankings, and scopes, kept in memory for the next call of the same question; fewer of them where they are large."""
SHORTLIST = 8_000
"""A scope with more messages than this is first cut down to the likeliest sessions."""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A raw file in the index."""

    path: str
    session_id: str
    part: int
    title: str
    gist: str
    started: str | None
    ended: str | None


@dataclass(frozen=True, slots=True)
class Within:
    """Where a question looks: a folder, a span of days (ISO dates, both included), one file; and when it is asked."""

    scope: str = ""
    since: str | None = None
    until: str | None = None
    path: str | None = None
    asked_at: str | None = None
    """ISO date or time, in the asker's own zone. Without it "last week" tells nothing."""

    def days(self) -> tuple[int, int] | None:
        """The span as ordinals of days; `None` where there is none. Raises `UsageError` for what is no date."""
        if self.since is None and self.until is None:
            return None
        return _ordinal("since", self.since, date.min), _ordinal("until", self.until, date.max)

    def asked_on(self) -> date | None:
        """The day it is asked on. Raises `UsageError` for what is neither a date nor a time."""
        if self.asked_at is None:
            return None
        try:
            return datetime.fromisoformat(self.asked_at).date()
        except (ValueError, TypeError):
            raise UsageError(
                f"asked_at must be a date such as 2026-02-03 or a time such as 2026-02-03T09:14, not {self.asked_at!r}"
            ) from None


class Ranking:
    """The messages of a scope, ranked for one question."""

    def __init__(
        self, index: SearchIndex, asked: Asked, scores: NDArray[np.float32], notes: tuple[str, ...] = ()
    ) -> None:
        self.index = index
        self.asked = asked
        self.scores = scores
        """A score for each message of the index; -inf outside the scope."""
        self.notes = notes
        """What went without a model that should have had a part in it, in sentences."""

    @cached_property
    def order(self) -> Rows:
        """The scope's messages, best first; equal scores in the order of the tree."""
        inside = np.flatnonzero(np.isfinite(self.scores))
        order: Rows = inside[np.argsort(-self.scores[inside], kind="stable")]
        return order

    @cached_property
    def found(self) -> bool:
        """Whether anything in the scope bears on the question at all."""
        return len(self.order) > 0 and not absent(self.asked)

    def best(self, limit: int | None = None, tokens: int | None = None) -> list[tuple[int, float]]:
        """The best messages with their scores, at most so many, or until they make up so many tokens."""
        order = self.order if limit is None else self.order[:limit]
        if tokens is not None:
            spent = np.cumsum(self.index.arrays["cost"][order])
            order = order[: int(np.searchsorted(spent, tokens)) + 1]
        return [(int(row), float(self.scores[row])) for row in order]

    def apart(self, limit: int, width: int) -> list[tuple[int, float]]:
        """The best messages of which none stands within `width` of a better one of the same file, which brings it along
        where messages are shown with so many neighbours. With a width of 0 every message, however long, once. Messages
        that say nothing are passed over.
        """
        found: list[tuple[int, float]] = []
        taken: set[tuple[int, int]] = set()
        for row in map(int, self.order):
            if len(found) == limit:
                break
            file, message = int(self.index.collection.file[row]), self.index.message_number(row)
            if (file, message) not in taken and self.index.arrays["cost"][row] > 0:
                found.append((row, float(self.scores[row])))
                near = min(width, int(self.index.collection.start[file + 1] - self.index.collection.start[file]))
                taken.update((file, other) for other in range(message - near, message + near + 1))
        return found

    def files(self, limit: int) -> list[tuple[int, float]]:
        """The best files (numbers into `index.files`), each by its best message."""
        owners = self.index.collection.file[self.order]
        _, first = np.unique(owners, return_index=True)
        rows = self.order[np.sort(first)[:limit]]
        return [(int(self.index.collection.file[row]), float(self.scores[row])) for row in rows]

    def rows_of(self, file: int, limit: int) -> list[tuple[int, float]]:
        """The best messages of one file."""
        start, end = self.index.collection.start[file], self.index.collection.start[file + 1]
        rows = np.arange(start, end)
        rows = rows[np.isfinite(self.scores[rows])]
        best = rows[np.argsort(-self.scores[rows], kind="stable")][:limit]
        return [(int(row), float(self.scores[row])) for row in best]


class SearchIndex:
    """All messages of a workspace, ready to be asked."""

    def __init__(
        self,
        collection: Collection,
        files: Sequence[FileRecord],
        look: Look | None = None,
    ) -> None:
        """With `look`, questions are compared by an encoder of the user's own as well."""
        self.collection = collection
        self.arrays: Mapping[str, NDArray[Any]] = collection.columns
        """What is known of each message by number, see `jam/index/columns.py`."""
        self.files = files
        self.shortlist = Shortlist(collection) if len(collection) > SHORTLIST else None
        self.weights: Mapping[Feature, float] = WEIGHTS
        """Of the ranking's features; a measurement leaves some out."""
        self._lock = threading.Lock()  # the calls of a round ask beside one another
        self._by_path = {record.path: number for number, record in enumerate(files)}
        self._passages: OrderedDict[bytes, Passages] = OrderedDict()
        self._scopes: dict[str, NDArray[np.bool_]] = {}
        self._look = look
        self._rankings: OrderedDict[tuple[str, Within, str], Ranking] = OrderedDict()

    @cached_property
    def _norms(self) -> Norms:
        return Norms(self.collection)

    def __len__(self) -> int:
        """The number of passages: of messages, where none is very long."""
        return len(self.collection)

    def has(self, path: str) -> bool:
        """Whether a raw file is in the index."""
        return path in self._by_path

    def file(self, path: str) -> FileRecord:
        """The record of a raw file that `has` knows."""
        return self.files[self._by_path[path]]

    def message_number(self, row: int) -> int:
        """The number of a passage's message within its raw file, from 1."""
        return int(self.arrays["message"][row]) + 1

    def place(self, row: int) -> tuple[str, int]:
        """Where a message is: its raw file's path and its number there."""
        return self.files[int(self.collection.file[row])].path, self.message_number(row)

    def rows(self, path: str, number: int) -> range:
        """The passages of the message at a place; one, unless it is very long."""
        file = self._by_path[path]
        start, end = int(self.collection.start[file]), int(self.collection.start[file + 1])
        bounds = np.searchsorted(self.arrays["message"][start:end], [number - 1, number])
        return range(start + int(bounds[0]), start + int(bounds[1]))

    def row(self, path: str, number: int, scores: NDArray[np.float32] | None = None) -> int:
        """The message at a place; of a very long one its first passage, or the one of the highest score."""
        rows = self.rows(path, number)
        if not rows:
            raise IndexError(f"{path} has no message {number}")
        return rows[0] if scores is None else rows[int(np.argmax(scores[rows.start : rows.stop]))]

    def part(self, row: int) -> slice | None:
        """Where in the text of its message a passage stands; `None` where it is the whole message."""
        begin, end = int(self.arrays["begin"][row]), int(self.arrays["end"][row])
        return slice(begin, end) if end else None

    def near(self, row: int, margin: int) -> slice | None:
        """The same, with so much of what stands directly beside it."""
        part = self.part(row)
        if part is None:
            return None
        before, after = self._beside(row, -1), self._beside(row, 1)
        begin = max(before.start, part.start - margin) if before and before.stop == part.start else part.start
        end = min(after.stop, part.stop + margin) if after and after.start == part.stop else part.stop
        return slice(begin, end)

    def _beside(self, row: int, step: int) -> slice | None:
        """Where the passage before or after another of the same message stands."""
        other = row + step
        if not 0 <= other < len(self) or self.place(other) != self.place(row):
            return None
        return self.part(other)

    def rank(self, query: str, where: Within = Within()) -> Ranking:
        """Ranks the messages of a scope for a question. The same question again is answered from memory."""
        day = where.asked_on()
        reference = day if depends_on_day(query, day) else None
        where = replace(where, asked_at=reference.isoformat() if reference else None)
        vector, note = self._look.vector(query) if self._look else (None, "")
        key = (query, where, note)
        with self._lock:
            if key in self._rankings:
                self._rankings.move_to_end(key)
                return self._rankings[key]
        whole = Within(where.scope, asked_at=where.asked_at)
        if where != whole:
            base = self.rank(query, whole)
            ranking = Ranking(self, base.asked, self._narrowed(base.scores, where), base.notes)
        else:
            asked = Asked(self._scope(query, where.scope), query, self.weights, reference, vector)
            ranking = Ranking(self, asked, asked.scores(len(self)), (note,) if note else ())
        with self._lock:
            self._rankings[key] = ranking
            while len(self._rankings) > min(_KEPT, max(1, _KEPT_ROWS // max(1, len(self)))):
                self._rankings.popitem(last=False)
        return ranking

    def _scope(self, query: str, scope: str) -> Passages:
        inside = self._inside(scope)
        if self.shortlist is not None and int(np.diff(self.collection.start)[inside].sum()) > SHORTLIST:
            return Passages(self.collection, inside & self.shortlist.likely(query, inside), self._norms, scope=inside)
        key = np.packbits(inside).tobytes()
        with self._lock:
            passages = self._passages.pop(key, None) or Passages(self.collection, inside, self._norms)
            self._passages[key] = passages
            rows = sum(map(len, self._passages.values()))
            while len(self._passages) > _KEPT or (rows > _KEPT_ROWS and len(self._passages) > 1):
                rows -= len(self._passages.popitem(last=False)[1])
        return passages

    def _inside(self, scope: str) -> NDArray[np.bool_]:
        """A mask of the files in a scope."""
        if scope not in self._scopes:
            if len(self._scopes) >= _KEPT:
                self._scopes.clear()
            self._scopes[scope] = np.array([within(record.path, scope) for record in self.files], dtype=bool)
        return self._scopes[scope]

    def _narrowed(self, scores: NDArray[np.float32], where: Within) -> NDArray[np.float32]:
        keep = np.ones(len(scores), dtype=bool)
        days = where.days()
        if days is not None:
            known = self.arrays["day"]
            keep &= (known > 0) & (known >= days[0]) & (known <= days[1])
        if where.path is not None:
            keep &= self.collection.file == self._by_path.get(where.path, -1)
        narrowed: NDArray[np.float32] = np.where(keep, scores, np.float32(-np.inf))
        return narrowed


def _ordinal(name: str, text: str | None, default: date) -> int:
    if text is None:
        return default.toordinal()
    try:
        return date.fromisoformat(text[:10]).toordinal()
    except ValueError:
        raise UsageError(f"{name} must be a date such as 2026-02-03, not {text!r}") from None
