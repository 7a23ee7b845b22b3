"""A Gemini CLI session as it is written since about version 0.40: lines that add to and change what stands before them.

    {"sessionId": …, "projectHash": …}     the header
    {"id": …, "type": …, "content": …}     a message, or its newer version
    {"$set": {…}}                          newer facts of the header; `messages` are newer versions of messages
    {"$rewindTo": id}                      that message and all behind it were taken back

What was taken back stays, as a branch. What a compression drops from the model's memory was said all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jam.history.parsing.jsontext import kind_name
from jam.history.parsing.lines import Record, json_records
from jam.history.reader import Note, Skipped, SourceFile


@dataclass(slots=True)
class Kept:
    """A record of a session's log, as it was written last."""

    number: int
    """Its place among the records, by when it was first written."""
    record: dict[str, Any]
    where: str
    thread: str | None = None


class Log:
    """The lines of one file, taken together."""

    def __init__(self) -> None:
        self.header: dict[str, Any] = {}
        self.ignored = 0
        self._records: dict[str, Kept] = {}
        self._rewound: list[Kept] = []
        self._added = 0
        self._branches = 0

    def read(self, file: SourceFile) -> Iterator[Skipped | Note]:
        """Take all lines; yields what can't be read."""
        for line in json_records(file):
            if not isinstance(line, Record):
                yield line
            elif isinstance(line.value, dict):
                self._take(line.value, f"line {line.number}")
            else:
                yield Skipped(f"line {line.number}", f"{kind_name(line.value)}, not an object")

    def records(self) -> list[Kept]:
        """The records in the order in which they were first written."""
        return sorted([*self._rewound, *self._records.values()], key=lambda kept: kept.number)

    def _take(self, line: dict[str, Any], where: str) -> None:
        changes = line.get("$set")
        if isinstance(line.get("$rewindTo"), str):
            self.ignored += 1
            self._rewind(line["$rewindTo"])
        elif isinstance(changes, dict):
            self.ignored += 1
            self._change(changes, line.get("id", changes.get("id")), where)
        elif "type" in line or "role" in line or ("id" in line and "sessionId" not in line):
            self._add(line, where)
        else:
            self.ignored += 1
            self._describe(line, where)

    def _change(self, changes: dict[str, Any], message: Any, where: str) -> None:
        """A patch of a message that it names, else of the header."""
        if isinstance(message, str) and message in self._records:
            self._records[message].record.update(changes)
        else:
            self._describe(changes, where)

    def _describe(self, facts: Mapping[str, Any], where: str) -> None:
        self.header.update({key: value for key, value in facts.items() if key != "messages"})
        messages = facts.get("messages")
        for number, message in enumerate(messages if isinstance(messages, list) else [], 1):
            if isinstance(message, dict):
                self._add(message, f"{where}, message {number}", listed=True)

    def _add(self, record: dict[str, Any], where: str, listed: bool = False) -> None:
        """A message, or another version of it; it stays where it first stood."""
        name = record.get("id")
        if not isinstance(name, str):
            # A list is written again and again: without an id, only the place in it tells which message is meant.
            name = f"\0{where.rpartition(', ')[2]}" if listed else f"\0{self._added}"
        if name in self._records:
            self.ignored += 1
            self._records[name].record, self._records[name].where = record, where
        else:
            self._added += 1
            self._records[name] = Kept(self._added, record, where)

    def _rewind(self, to: str) -> None:
        """Take back a message and all behind it; all there are, where it isn't known (as the program does)."""
        self._branches += bool(self._records)
        while self._records:
            name, kept = self._records.popitem()
            kept.thread = f"branch-{self._branches}"
            self._rewound.append(kept)
            if name == to:
                return
