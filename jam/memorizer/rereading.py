"""Files that are read otherwise than before. Where a file leaves open on which days its messages were written, its
reader takes what is likely; once the file has grown, it may tell. Then the same messages are of other sessions.

What was read by the other assumption gives way to what is read now, message by message: a message is the same but for
its day. What the file no longer holds stays where it is. A guess gives way to what another file of the same chat tells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from jam.history.reader import GUESS, READ_AS
from jam.memorizer.desk import Desk
from jam.memorizer.merge import merged_order, put_together, signs_of, trait_of
from jam.memorizer.spool import Reading, Selection
from jam.session import Session
from jam.workspace.raw_file import Kept

Write = Callable[[Session, Iterable[Kept]], None]
Chat = tuple[str, str]
"""The format, and what the ids of a chat's sessions have in common."""
Said = tuple[object, ...]
"""A message without its day."""


@dataclass(slots=True)
class _Reread:
    """A chat that a file gives otherwise than the tree has it."""

    stale: set[str] = field(default_factory=set)
    """Sessions that give way to what is read."""
    certain: set[str] = field(default_factory=set)
    """Sessions that what is read gives way to."""


class Rereading:
    """What one reading of a history reads otherwise than the tree has it."""

    def __init__(self, desk: Desk, is_gone: Callable[[str], bool]) -> None:
        self.desk = desk
        self.changed: set[str] = set()
        self.removed: set[str] = set()
        self._is_gone = is_gone
        self._chats: dict[Chat, set[str]] | None = None
        self._found: dict[tuple[str, Chat], _Reread] = {}

    def concerns(self, session: Session) -> bool:
        """Whether a session that was read must wait until its file is read to its end."""
        if READ_AS not in session.meta:
            return False
        place = (session.origin, _chat(session))
        if place not in self._found:
            self._found[place] = self._find(session)
        return bool(self._found[place].stale or self._found[place].certain)

    def note(self, session: Session) -> None:
        """Remembers a session that was written."""
        if self._chats is not None:
            self._chats.setdefault(_chat(session), set()).add(session.id)

    def settle(self, readings: Sequence[Reading], write: Write) -> Iterator[Reading]:
        """Writes what a file gives otherwise than before, and yields the readings to be merged as they are. To be gone
        through to its end: only then what gives way goes.
        """
        chats: dict[Chat, list[Reading]] = {}
        for reading in readings:
            if self.concerns(reading.session):
                chats.setdefault(_chat(reading.session), []).append(reading)
            else:
                yield reading
        for chat, own in chats.items():
            yield from self._settle_chat(self._found[own[0].session.origin, chat], own, write)

    def _find(self, session: Session) -> _Reread:
        found = _Reread()
        if self._chats is None:
            self._chats = {}
            for front in self.desk.fronts.values():
                self.note(front)
        mine = str(session.meta[READ_AS])
        for session_id in self._chats.get(_chat(session), set()) & self.desk.fronts.keys():
            front = self.desk.fronts[session_id]
            theirs = str(front.meta.get(READ_AS, ""))
            same_file = front.origin == session.origin or self._is_gone(front.origin)
            if (same_file and theirs != mine) or _gives_way(theirs, mine):
                found.stale.add(session_id)
            elif theirs and _gives_way(mine, theirs):
                found.certain.add(session_id)
        return found

    def _settle_chat(self, found: _Reread, readings: Sequence[Reading], write: Write) -> Iterator[Reading]:
        given = Counter(_said(kept) for reading in readings for kept in reading.all())
        left = {session_id: self._left(session_id, given) for session_id in sorted(found.stale)}
        certain = Counter(said for session_id in sorted(found.certain) for said in self._all_said(session_id))
        for reading in readings:
            if certain:
                reading = _without(reading, certain)
            if reading.session.id in left:
                self._replace(reading, left.pop(reading.session.id), write)
            else:
                yield reading
        for session_id, kept in left.items():
            self._reduce(session_id, kept, write)

    def _left(self, session_id: str, given: Counter[Said]) -> list[Kept]:
        """The messages of a session that the file does not give any more."""
        known = self.desk.known(session_id)
        there = map(known.get, range(len(known.signs))) if known else ()
        return [kept for kept in there if not _taken(kept, given)]

    def _all_said(self, session_id: str) -> Iterator[Said]:
        known = self.desk.known(session_id)
        for number in range(len(known.signs) if known else 0):
            yield _said(known.get(number))  # type: ignore[union-attr]

    def _replace(self, reading: Reading, left: Sequence[Kept], write: Write) -> None:
        """Writes a session as it is read now, with what is left of it."""
        if not len(reading):
            self._reduce(reading.session.id, left, write)
            return
        merged = merged_order(
            signs_of(left),
            reading.signs(),
            lambda: [trait_of(kept.message) for kept in left],
            reading.traits,
            standing=1,
        )
        order = [left[place] if place >= 0 else reading.get(~place) for place in merged.order]
        known = self.desk.known(reading.session.id)
        same = known is not None and known.signs == signs_of(order) and self._is_front(reading.session)
        if not same:
            write(reading.session, put_together(merged, 0, left.__getitem__, reading.get))
            self.changed.add(reading.session.id)

    def _is_front(self, session: Session) -> bool:
        return self.desk.fronts.get(session.id) == replace(session, messages=())

    def _reduce(self, session_id: str, left: Sequence[Kept], write: Write) -> None:
        """Leaves a session what no file gives anew; one that has nothing left goes."""
        if not left:
            self.desk.remove(session_id)
            self.removed.add(session_id)
        elif len(left) != self.desk.count(session_id):
            write(self.desk.fronts[session_id], left)
            self.changed.add(session_id)


def _gives_way(guess: str, other: str) -> bool:
    """Whether an assumption is a guess, and another one tells otherwise."""
    return guess.startswith(GUESS) and not other.startswith(GUESS) and guess.removeprefix(GUESS) != other


def _chat(session: Session) -> Chat:
    return session.format, session.id.rpartition("/")[0]


def _said(kept: Kept) -> Said:
    message = kept.message
    if message.id is not None:
        return message.id, kept.sha256
    return message.speaker, message.role, message.kind, kept.sha256, (message.at or "").partition("T")[2]


def _taken(kept: Kept, given: Counter[Said]) -> bool:
    """Whether a message is among those given; each counts once."""
    said = _said(kept)
    if not given[said]:
        return False
    given[said] -= 1
    return True


def _without(reading: Reading, given: Counter[Said]) -> Reading:
    """What a reading has beside those given."""
    numbers = [number for number in range(len(reading)) if not _taken(reading.get(number), given)]
    return Reading(reading.session, Selection(reading, numbers))
