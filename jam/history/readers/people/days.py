"""A chat that goes on for years, filed under its days while its messages are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from jam.history.gather import Gathering
from jam.history.parsing.jsonitems import Item
from jam.history.reader import Note, Skipped, SourceFile
from jam.session import Message, Session

UTC_DAYS = "days in UTC"
"""The assumption (`READ_AS`) that a chat was read by whose times say where they are counted from."""


def utc_day(at: str | None) -> str | None:
    """The day of an ISO time: in UTC where its zone is known, so that it is the same wherever the chat was exported;
    else the day as it is written."""
    if not at:
        return None
    moment = datetime.fromisoformat(at)
    if moment.tzinfo is None:
        return at[:10]
    try:
        return moment.astimezone(UTC).date().isoformat()
    except OverflowError:  # at the very ends of the calendar
        return at[:10]


class Days:
    """The days of one chat or channel: a session each, named `<format>/<chat>/<day>`."""

    def __init__(self, file: SourceFile, format: str, key: str, title: str, group: tuple[str, ...]) -> None:
        self.title = title
        self.group = group
        self.facts: Mapping[str, object] = {}
        """What is worth keeping of the chat itself."""
        self.ignored = 0
        self._name = f"{format}/{key}"
        self._gathering = Gathering(format, file.name)

    def read(
        self,
        rows: Iterable[Item | Skipped],
        message_of: Callable[[Any], Message | None],
        day_of: Callable[[Any], str | None],
    ) -> Iterator[Session | Skipped | Note]:
        """The sessions of records that are a message each."""
        for row in rows:
            skipped = self.take(f"record {row.number}", row.value, message_of, day_of) if isinstance(row, Item) else row
            if skipped is not None:
                yield skipped
            yield from self.waiting()
        yield from self.finish()

    def take(
        self,
        where: str,
        record: Any,
        message_of: Callable[[Any], Message | None],
        day_of: Callable[[Any], str | None],
    ) -> Skipped | None:
        """File one record; what can't be read is given back, with its place."""
        try:
            message = message_of(record)
        except ValueError as error:
            return Skipped(where, str(error))
        except RecursionError:
            return Skipped(where, "nested too deeply")
        self.add(message, day_of(record) if message is not None else None)
        return None

    def add(self, message: Message | None, day: str | None) -> None:
        """File a message under its day; `None` for no message is counted, for no day has a session of its own."""
        if message is None:
            self.ignored += 1
            return
        draft = self._gathering.draft(f"{self._name}/{day}" if day else self._name)
        draft.title, draft.group = self.title, self.group
        draft.describe(self.facts)
        self._gathering.add(draft.id, message)

    def waiting(self) -> Iterator[Session]:
        """What has been read so far, if that is much."""
        if self._gathering.full():
            yield from self._gathering.take()

    def finish(self) -> Iterator[Session | Note]:
        """All the rest."""
        yield from self._gathering.take()
        yield Note(ignored=self.ignored + self._gathering.repeated)
