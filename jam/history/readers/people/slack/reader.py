"""Slack exports: a folder for each channel, a JSON file for each day, lists of people and channels beside them.

A session is a channel's day, in UTC: file names follow the workspace's own zone, and replies lie in the file of the
day on which they were written. They belong to the session of the message that they answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from jam.history.parsing.fields import objects
from jam.history.parsing.jsonitems import Item, json_items
from jam.history.parsing.jsontext import sample_json
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.history.readers.people.days import Days
from jam.history.readers.people.slack.directory import Channel, Directory, lists_of, read_directory
from jam.history.readers.people.slack.records import is_message, read_message, root_of, stamp, stamp_time
from jam.session import Message, Session

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_COMPANIONS = {
    "users.json": ("profile", "team_id", "is_bot"),
    "org_users.json": ("profile", "team_id", "is_bot"),
    "channels.json": ("members", "creator", "is_archived"),
    "groups.json": ("members", "creator", "is_archived"),
    "mpims.json": ("members", "creator"),
    "dms.json": ("members", "created"),
    "integration_logs.json": ("change_type", "app_type", "service_type", "app_id"),
    "canvases.json": ("mimetype", "filetype", "pretty_type"),
    "lists.json": ("mimetype", "filetype", "pretty_type"),
    "canvas_in_the_conversation.json": ("mimetype", "filetype", "pretty_type"),
    "file_conversations.json": ("mimetype", "filetype", "pretty_type", "created"),
    "huddle_transcripts.json": ("mimetype", "filetype", "pretty_type", "created"),
}
"""Files without messages, and fields of which their records have some."""
_KEPT_DIRECTORIES = 4


class Slack:
    """See the module."""

    name = "slack"
    description = "Slack exports (<channel>/YYYY-MM-DD.json and users.json), recognised by messages with type and ts"

    def __init__(self) -> None:
        self._directories: dict[tuple[tuple[str, str | None, int, int], ...], Directory] = {}

    def recognises(self, file: SourceFile) -> float:
        """Certain of messages in a file named by its day, or of the lists that belong to an export."""
        if file.suffix != ".json":
            return 0.0
        sample = sample_json(file)
        if sample is None:
            return 0.0
        value = sample.values[0]
        if isinstance(value, dict):
            value = value.get("messages")
            return 0.9 if any(map(is_message, objects(value)[:10])) else 0.0
        if any(map(is_message, objects(value)[:10])):
            return 0.97 if _DAY.fullmatch(file.stem) else 0.9
        if value == []:
            return 0.5 if _DAY.fullmatch(file.stem) or _file_name(file) in _COMPANIONS else 0.0
        return 0.9 if _is_companion(file, value) else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """The sessions that the day's messages belong to."""
        sample = sample_json(file)
        value = sample.values[0] if sample is not None else None
        if _is_companion(file, value):
            yield Note("names and settings of a Slack export", companion=True)
        elif value == []:
            yield Note("nothing was written on this day", companion=True)
        else:
            yield from _Day(file, self._directory(file), spill).read()

    def _directory(self, file: SourceFile) -> Directory:
        """The names of the file's export, read once for all of its files."""
        lists = lists_of(file)
        key = tuple((str(each.path), each.member, each.size, _changed(each)) for each in lists.values())
        if key not in self._directories:
            while len(self._directories) >= _KEPT_DIRECTORIES:
                self._directories.pop(next(iter(self._directories)))
            self._directories[key] = read_directory(lists)
        return self._directories[key]


def _changed(file: SourceFile) -> int:
    try:
        return file.path.stat().st_mtime_ns
    except OSError:
        return 0


def _file_name(file: SourceFile) -> str:
    return file.name.rpartition("/")[2]


def _is_companion(file: SourceFile, value: Any) -> bool:
    fields = _COMPANIONS.get(_file_name(file))
    if fields is None or not isinstance(value, list):
        return False
    return not value or any(key in row for row in objects(value) for key in fields)


class _Day:
    """One file being read."""

    def __init__(self, file: SourceFile, directory: Directory, spill: Spill) -> None:
        self.file = file
        self.directory = directory
        self.spill = spill
        self.day = file.stem if _DAY.fullmatch(file.stem) else None
        channel, group = self._place()
        self.days = Days(file, Slack.name, channel.id, channel.title, group)
        self.days.facts = {"channel": channel.id}

    def _place(self) -> tuple[Channel, tuple[str, ...]]:
        """The channel, and the folders that it is in: the channel's own folder bears the name that people know."""
        folders = self.file.folders
        if self.day is None:
            channel = self.directory.channel(self.file.stem, "/".join((*folders, self.file.stem)))
            return channel, (*folders, channel.title.removeprefix("#"))
        folder = folders[-1] if folders else self.file.place.parent.name
        channel = self.directory.channel(folder, "/".join((*folders[:-1], folder)))
        return channel, (*folders[:-1], channel.title.removeprefix("#"))

    def read(self) -> Iterator[Session | Skipped | Note]:
        for item in json_items(self.file, ("messages",)):
            if isinstance(item, Item):
                yield from self._take(item.value, f"record {item.number}")
            else:
                yield item
            yield from self.days.waiting()
        yield from self.days.finish()

    def _take(self, record: Any, where: str) -> Iterator[Skipped]:
        skipped = self.days.take(where, record, self._message, self._written)
        if skipped is not None:
            yield skipped
            return
        # One tool for saving chats keeps the replies in the message that they answer.
        replies = record.get("slackdump_thread_replies")
        for number, reply in enumerate(replies if isinstance(replies, list) else [], 1):
            if not (isinstance(reply, dict) and "slackdump_thread_replies" in reply):
                yield from self._take(reply, f"{where}, message {number}")

    def _message(self, record: Any) -> Message | None:
        return read_message(record, self.directory, self.file, self.spill)

    def _written(self, record: Mapping[str, Any]) -> str | None:
        """The day, in UTC, on which a message or the root of its thread was written."""
        at = stamp_time(root_of(record) or stamp(record, "ts"))
        return at[:10] if at else self.day
