"""What was read of a session, message by message: in memory, or on disk where it comes in parts."""

from __future__ import annotations

import pickle
import tempfile
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields as dataclass_fields
from dataclasses import replace
from pathlib import Path
from typing import IO, Protocol

from jam.history.gather import in_thread
from jam.history.reader import Part
from jam.memorizer.merge import Reach, Sign, reach_of, signs_of, trait_of
from jam.memorizer.weave import Trait
from jam.session import Message, Session
from jam.workspace.raw_file import Kept


class Store(Protocol):
    """Where messages are put, and found again by their number."""

    def put(self, kept: Kept) -> None: ...

    def get(self, number: int) -> Kept: ...

    def __len__(self) -> int: ...


class Memory:
    """In memory."""

    def __init__(self) -> None:
        self._kept: list[Kept] = []

    def put(self, kept: Kept) -> None:
        self._kept.append(kept)

    def get(self, number: int) -> Kept:
        return self._kept[number]

    def __len__(self) -> int:
        return len(self._kept)


class Spool:
    """A file without a name, which holds the messages of several sessions and is gone with the process."""

    def __init__(self, folder: Path | None) -> None:
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
        self._file: IO[bytes] = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115

    def shelf(self) -> Shelf:
        """A place for the messages of one session."""
        return Shelf(self._file)

    def close(self) -> None:
        self._file.close()


class Shelf:
    """The messages of one session in a spool."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._places = array("q")

    def put(self, kept: Kept) -> None:
        self._file.seek(0, 2)
        self._places.append(self._file.tell())
        pickle.dump(kept, self._file, pickle.HIGHEST_PROTOCOL)

    def get(self, number: int) -> Kept:
        self._file.seek(self._places[number])
        kept: Kept = pickle.load(self._file)
        return kept

    def __len__(self) -> int:
        return len(self._places)


class Reading:
    """A session as one file has it."""

    def __init__(self, session: Session, store: Store) -> None:
        self.session = session
        """All that is said of it but its messages."""
        self._store = store
        self._threads: Mapping[str, str] = {}
        self._substitutes: dict[int, Kept] = {}

    def add(self, session: Session, keep: Callable[[Message], Kept], threads: Mapping[str, str] | None = None) -> None:
        """Takes some more messages in; `threads` tells of all messages, by their ids, where they turned out to be."""
        fields = {each.name: getattr(session, each.name) for each in dataclass_fields(Session)}
        self.session = Session(**{**fields, "messages": ()})  # no part of one
        self._threads = threads or self._threads
        for message in session.messages:
            self._store.put(keep(message))

    def __len__(self) -> int:
        return len(self._store)

    def get(self, number: int) -> Kept:
        """A message by its number, from 0."""
        if number in self._substitutes:
            return self._substitutes[number]
        kept = self._store.get(number)
        return replace(kept, message=in_thread(kept.message, self._threads)) if self._threads else kept

    def substitute(self, number: int, kept: Kept) -> None:
        """Puts another message in the place of one."""
        self._substitutes[number] = kept

    def all(self) -> Iterator[Kept]:
        """All messages in their order."""
        return map(self.get, range(len(self)))

    def signs(self) -> list[Sign]:
        """What each message is known by."""
        return signs_of(self.all())

    def reach(self) -> Reach:
        """How far it goes."""
        return reach_of(kept.message for kept in self.all())

    def traits(self) -> list[Trait]:
        """The times and threads of all messages."""
        return [trait_of(kept.message) for kept in self.all()]


class Selection:
    """Some messages of a reading, as a store of their own."""

    def __init__(self, reading: Reading, numbers: Sequence[int]) -> None:
        self._reading = reading
        self._numbers = numbers

    def put(self, kept: Kept) -> None:
        raise NotImplementedError("what was read is not added to")

    def get(self, number: int) -> Kept:
        return self._reading.get(self._numbers[number])

    def __len__(self) -> int:
        return len(self._numbers)


class Assembly:
    """Sessions as files have them: whole ones as they come, those that come in parts once their file is read."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._spool: Spool | None = None
        self._waiting: dict[str, Reading] = {}

    def take(self, session: Session, keep: Callable[[Message], Kept], wait: bool = False) -> Reading | None:
        """What came of a session; its messages are taken as `keep` gives them. `None` where more may follow, or where
        it is to wait for the file's end.
        """
        if not isinstance(session, Part) and not wait:
            whole = Reading(session, Memory())
            whole.add(session, keep)
            return whole
        if session.id not in self._waiting:
            self._spool = self._spool or Spool(self._folder)
            self._waiting[session.id] = Reading(session, self._spool.shelf())
        threads = session.threads if isinstance(session, Part) else None
        self._waiting[session.id].add(session, keep, threads)
        return None

    def waiting(self) -> list[Reading]:
        """The sessions of the file that came in parts; to be used before they are dropped."""
        return list(self._waiting.values())

    def rest(self) -> Iterator[Reading]:
        """The sessions of the file that came in parts; then they are dropped."""
        yield from self.waiting()
        self.close()

    def close(self) -> None:
        """Drops what is waiting."""
        self._waiting.clear()
        if self._spool:
            self._spool.close()
        self._spool = None
