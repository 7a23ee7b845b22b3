"""Discord channels, as DiscordChatExporter saves them or as Discord's own data package holds them.

A session is a day of a channel: in UTC where the messages' times have a zone, else as they are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from jam.history.parsing.fields import as_object, id_field, objects, text_field
from jam.history.parsing.jsonitems import json_items
from jam.history.parsing.jsontext import JsonSample, sample_json
from jam.history.parsing.times import iso_time
from jam.history.reader import READ_AS, Note, Skipped, SourceFile, Spill
from jam.history.readers.people.days import UTC_DAYS, Days, utc_day
from jam.history.readers.people.discord.package import channel_of, is_companion, is_package, package_rows, read_row
from jam.history.readers.people.discord.records import is_message, read_message
from jam.session import Session

_BETWEEN_PEOPLE = ("DirectTextChat", "DirectGroupTextChat", "DM", "GroupDM", "1", "3")


class Discord:
    """See the module."""

    name = "discord"
    description = (
        "Discord channels (DiscordChatExporter JSON, data packages), recognised by guild, channel and messages"
    )

    def recognises(self, file: SourceFile) -> float:
        """Certain of a channel with its messages, or of a package's columns."""
        if file.suffix == ".csv":
            return 0.95 if is_package(file, None) else 0.0
        sample = sample_json(file)
        value = sample.values[0] if sample is not None and sample.shape == "document" else None
        if isinstance(value, dict) and isinstance(value.get("messages"), list):
            exported = bool({"dateRange", "exportedAt", "messageCount"} & value.keys())
            known = exported or any(map(is_message, objects(value["messages"])[:10]))
            return 0.97 if known and "guild" in value and isinstance(value.get("channel"), dict) else 0.0
        return 0.95 if is_package(file, sample) else 0.9 if is_companion(file, sample) else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """The days of the channel."""
        sample = sample_json(file) if file.suffix != ".csv" else None
        if is_companion(file, sample):
            yield Note("names and settings of a Discord data package", companion=True)
        elif is_package(file, sample):
            yield from _package(file)
        else:
            yield from _export(file, sample, spill)


def _export(file: SourceFile, sample: JsonSample | None, spill: Spill) -> Iterator[Session | Skipped | Note]:
    """What DiscordChatExporter saved; the channel is described before its messages."""
    value = sample.values[0] if sample is not None else None
    head: Mapping[str, Any] = value if isinstance(value, dict) else {}
    guild, channel = as_object(head.get("guild")), as_object(head.get("channel"))
    own, server = id_field(channel, "id"), text_field(guild, "name")
    title = text_field(channel, "name") or own or file.stem
    private = server == "Direct Messages" or id_field(channel, "type") in _BETWEEN_PEOPLE
    category = None if private else text_field(channel, "category")
    group = (*file.folders, *filter(None, (server, category, title)))
    key = own or str(PurePosixPath(file.name).with_suffix(""))
    days = Days(file, Discord.name, key, title if private else f"#{title}", group)
    days.facts = {"channel": own, "server": server, "topic": text_field(channel, "topic"), READ_AS: UTC_DAYS}
    rows = json_items(file, ("messages",))
    yield from days.read(
        rows, lambda record: read_message(record, file, spill), lambda record: _day(record, "timestamp")
    )


def _package(file: SourceFile) -> Iterator[Session | Skipped | Note]:
    """What someone wrote in one channel, as their data package holds it."""
    channel = channel_of(file)
    # The folder of a channel is named by its id: the name that people know stands in for it.
    group = (*file.folders[:-1], *filter(None, (channel.server, channel.title.removeprefix("#"))))
    days = Days(file, Discord.name, channel.id, channel.title, group)
    days.facts = {"channel": channel.id, "server": channel.server}
    yield from days.read(package_rows(file), lambda row: read_row(row, channel), lambda row: _day(row, "Timestamp"))


def _day(record: Mapping[str, Any], key: str) -> str | None:
    return utc_day(iso_time(record.get(key)))
