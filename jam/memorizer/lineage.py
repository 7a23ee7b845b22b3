"""Sessions that go on from others. A tool that resumes or forks a conversation copies what was said before into a new
transcript, under a new session id: these messages belong to the session that they were first said in.

The new session keeps what is new, and its meta says what it `continues` and after which message. Sessions are of one
family if they begin with the very same message, known by an id that no two messages share. Which of them a message was
said in follows from the family alone: the one that went its own way first, else the one that ended first.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from jam.memorizer.desk import Desk
from jam.memorizer.known import Known
from jam.memorizer.merge import ID_BYTES, has_id, id_digest
from jam.memorizer.spool import Reading, Selection
from jam.session import Message, Session
from jam.workspace import files
from jam.workspace.raw_file import Kept

_log = logging.getLogger(__name__)
CONTINUES, AFTER = "continues", "continues_after"
"""In a session's meta: the session that it goes on from, and the id of the last message that they have in common."""
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_FIRST = 100
"""Among this many messages of a session is its first one that has an id."""
_DEEPEST = 100
_FILE = "roots.json"

Write = Callable[[Session, Iterable[Kept]], None]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A message of a session, and where in the tree it is."""

    key: bytes
    holder: str
    number: int

    @property
    def shareable(self) -> bool:
        return has_id((self.key, 0))


class Lineage:
    """The families of a workspace's sessions."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self._path = desk.workspace.derived / _FILE
        self._roots = _load(self._path)
        """Session id → the id of the message that it begins with; empty where that has none."""
        self._touched: set[str] = set()

    def own(self, reading: Reading) -> Reading:
        """What of a session belongs to it, as far as the tree knows that it goes on from another."""
        self._touched.add(reading.session.id)
        self._note_root(reading)
        before = self._ancestors(reading.session.id)
        if not before:
            return reading
        keys = [key for key, _ in reading.signs()]
        shared = {number for number, key in enumerate(keys) if has_id((key, 0)) and key in before}
        last = max(shared, default=-1)
        numbers = [n for n, key in enumerate(keys) if n not in shared and not (n < last and key in before)]
        return Reading(reading.session, Selection(reading, numbers))

    def settle(self, write: Write) -> set[str]:
        """Gives each message of the families that were touched to one session. Returns the sessions that changed."""
        changed: set[str] = set()
        for family in self._families():
            changed |= _Family(self.desk, family).settle(write)
        self._roots = {i: root for i, root in self._roots.items() if i in self.desk.paths}
        files.write_atomic(self._path, json.dumps(self._roots, ensure_ascii=True, sort_keys=True).encode())
        return changed

    def _note_root(self, reading: Reading) -> None:
        """Remembers what a session begins with. Where its files say it differently, the tree has the word."""
        session_id = reading.session.id
        root = _first_id(reading.get(number).message for number in range(min(_FIRST, len(reading))))
        if session_id not in self.desk.paths or not self._roots.get(session_id, root):
            self._roots[session_id] = root
        elif root and self._roots.get(session_id) != root:
            self._roots.pop(session_id, None)

    def _ancestors(self, session_id: str) -> set[bytes]:
        """The keys of all messages of the sessions that a session goes on from."""
        found: set[bytes] = set()
        seen = {session_id}
        while (front := self.desk.fronts.get(session_id)) is not None:
            session_id = str(front.meta.get(CONTINUES, ""))
            known = self.desk.known(session_id) if session_id and session_id not in seen else None
            if known is None:
                break
            seen.add(session_id)
            found |= {key for key, _ in known.signs}
        return found

    def _families(self) -> Iterator[list[str]]:
        """The families of the sessions that were read, as far as they have more than one member."""
        touched = [i for i in sorted(self._touched) if i in self.desk.paths]
        places = {(front.format, front.group) for i in touched for front in [self.desk.fronts[i]]}
        families: dict[tuple[str, object], list[str]] = {}
        for session_id, front in self.desk.fronts.items():
            if (front.format, front.group) in places and (root := self._root(session_id)):
                families.setdefault((root, (front.format, front.group)), []).append(session_id)
        wanted = {(self._root(i), (front.format, front.group)) for i in touched for front in [self.desk.fronts[i]]}
        for key, members in families.items():
            if key in wanted and len(members) > 1:
                yield sorted(members)

    def _root(self, session_id: str, depth: int = 0) -> str:
        """The message that a session begins with; what is not remembered is looked up in the tree."""
        if session_id not in self._roots:
            before = str(self.desk.fronts[session_id].meta.get(CONTINUES, ""))
            if before in self.desk.paths and depth < _DEEPEST:
                self._roots[session_id] = self._root(before, depth + 1)
            elif self.desk.fronts[session_id].kind == "document":
                self._roots[session_id] = ""
            else:
                raw = self.desk.read(self.desk.paths[session_id][0])
                self._roots[session_id] = _first_id(raw.session.messages[:_FIRST]) if raw else ""
        return self._roots[session_id]


class _Family:
    """Sessions that begin with the same message."""

    def __init__(self, desk: Desk, members: Sequence[str]) -> None:
        self.desk = desk
        self.known: dict[str, Known] = {}
        for session_id in members:
            known = desk.known(session_id)
            if known is not None and known.session is not None:
                self.known[session_id] = known
        self.here = {
            i: [_Entry(key, i, number) for number, (key, _) in enumerate(known.signs)]
            for i, known in self.known.items()
        }
        self.full = {i: self._whole(i, ()) for i in self.known}

    def settle(self, write: Write) -> set[str]:
        """Writes the sessions that don't have what is theirs, those first that get something from another."""
        order = sorted(self.full, key=self._rank)
        owners: dict[bytes, str] = {}
        for session_id in order:
            for entry in self.full[session_id]:
                if entry.shareable:
                    owners.setdefault(entry.key, session_id)
        due = {
            i: (front, own) for i in order for front, own in [self._share(i, owners)] if self._differs(i, front, own)
        }
        for session_id in sorted(due, key=lambda i: all(entry.holder == i for entry in due[i][1])):
            front, own = due[session_id]
            if own:
                write(front, map(self._message, own))
        for session_id in due:
            if not due[session_id][1]:
                _log.info("session %s says nothing that another doesn't: it is left out", session_id)
                self.desk.remove(session_id)
        return set(due)

    def _whole(self, session_id: str, above: tuple[str, ...]) -> list[_Entry]:
        """All messages of a session, those too that belong to the sessions it goes on from."""
        front = self.known[session_id].session
        assert front is not None
        before, after = front.meta.get(CONTINUES), front.meta.get(AFTER)
        if before not in self.known or before in (session_id, *above) or not isinstance(after, str):
            return self.here[session_id]
        lead = self._whole(str(before), (*above, session_id))
        last = next((n for n, entry in enumerate(lead) if entry.key[:ID_BYTES] == id_digest(after)), -1)
        return [*lead[: last + 1], *self.here[session_id]]

    def _rank(self, session_id: str) -> tuple[str, str]:
        """When a session went its own way; if it never did, when it ended."""
        others = {entry.key for i, full in self.full.items() if i != session_id for entry in full}
        own = [entry for entry in self.full[session_id] if entry.shareable]
        alone = next((entry for entry in own if entry.key not in others), own[-1] if own else None)
        return (self._message(alone).message.at or "" if alone else "", session_id)

    def _share(self, session_id: str, owners: dict[bytes, str]) -> tuple[Session, list[_Entry]]:
        """What belongs to a session, and its front."""
        full = self.full[session_id]
        shared = [n for n, entry in enumerate(full) if entry.shareable and owners[entry.key] != session_id]
        last = max(shared, default=-1)
        others = {entry.key for i, here in self.here.items() if i != session_id for entry in here}
        own = [
            entry
            for n, entry in enumerate(full)
            if n not in set(shared) and not (n < last and not entry.shareable and entry.key in others)
        ]
        front = self.known[session_id].session
        assert front is not None
        meta = {key: value for key, value in front.meta.items() if key not in (CONTINUES, AFTER)}
        first = next(
            (n for n, entry in enumerate(full) if entry.shareable and owners[entry.key] == session_id), len(full)
        )
        before = next((n for n in reversed(shared) if n < first), None)
        if before is not None:
            meta |= {CONTINUES: owners[full[before].key], AFTER: self._message(full[before]).message.id}
        return replace(front, messages=(), meta=meta), own

    def _differs(self, session_id: str, front: Session, own: Sequence[_Entry]) -> bool:
        there = self.known[session_id].session
        assert there is not None
        return own != self.here[session_id] or dict(front.meta) != dict(there.meta)

    def _message(self, entry: _Entry) -> Kept:
        return self.known[entry.holder].get(entry.number)


def _first_id(messages: Iterable[Message]) -> str:
    """The first id, on the main line, that no other message has; empty where there is none."""
    ids = (message.id for message in messages if message.thread is None and message.id)
    return next((own for own in ids if _UUID.fullmatch(own)), "")


def _load(path: Path) -> dict[str, str]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return {str(key): str(value) for key, value in data.items()}
    except (OSError, ValueError, AttributeError):
        return {}
