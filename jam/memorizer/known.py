"""A session as it is in the tree: which message is in which raw file, and what each is known by."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from jam.memorizer.merge import Reach, Sign, further, signs_of, trait_of
from jam.memorizer.weave import Trait
from jam.session import Session
from jam.workspace.raw_file import Kept, RawFile, kept_in

Skim = Callable[[str], RawFile]


@dataclass(frozen=True, slots=True)
class _Part:
    """Messages of the session that are in one raw file."""

    path: str
    first: int
    """Number of its first message within the session, from 0."""
    count: int
    skipped: int
    """Messages at its beginning that an earlier part has too."""


class Known:
    """Built from the raw files in the order of their parts, of which one is in memory at a time."""

    def __init__(self, raws: Iterable[tuple[str, RawFile]], skim: Skim) -> None:
        self._skim = skim
        self._held: tuple[str, list[Kept]] = ("", [])
        self._parts: list[_Part] = []
        self.session: Session | None = None
        """All that is said of it but its messages; `None` where there is no raw file."""
        self.whole = True
        """Whether the parts follow on one another without gaps, and nothing is there twice."""
        self.reach: Reach = (False, "")
        count = 0

        def kept() -> Iterable[Kept]:
            nonlocal count
            for path, raw in raws:
                self.session = self.session or raw.session
                own = kept_in(raw)
                skipped = max(0, count - raw.first)
                self.whole = self.whole and raw.first == count and raw.part == len(self._parts) + 1
                self._parts.append(_Part(path, count, max(0, len(own) - skipped), skipped))
                count += self._parts[-1].count
                for each in own[skipped:]:
                    self.reach = further(self.reach, each.message)
                    yield each

        self.signs: list[Sign] = signs_of(kept())
        self._firsts = [part.first for part in self._parts]

    def get(self, number: int) -> Kept:
        """A message by its number, from 0."""
        part = self._parts[bisect_right(self._firsts, number) - 1]
        if self._held[0] != part.path:
            self._held = part.path, kept_in(self._skim(part.path))[part.skipped :]
        return self._held[1][number - part.first]

    def traits(self) -> list[Trait]:
        """The times and threads of all messages."""
        return [trait_of(self.get(number).message) for number in range(len(self.signs))]

    def settled(self, order: Sequence[int]) -> tuple[int, int]:
        """How many raw files, and messages in them, stay as they are where the session becomes what `order` says.

        A part stays if the message that follows it is the one that followed it before: that one didn't fit into it. The
        last part never does, for what comes next may fit.
        """
        if not self.whole:
            return 0, 0
        same = next((place for place, each in enumerate(order) if place != each), len(order))
        parts = [part for part in self._parts[:-1] if part.first + part.count < same]
        return len(parts), sum(part.count for part in parts)
