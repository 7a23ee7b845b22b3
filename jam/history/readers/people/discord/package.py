"""Discord's own data package, which people get on request: `messages/c<id>/messages.json` or `.csv`.

It holds only what its owner wrote. Times have no zone in most packages, so none is assumed.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from jam.errors import UnreadableFile
from jam.history.parsing.decoding import decode
from jam.history.parsing.fields import as_object, id_field, objects, text_field
from jam.history.parsing.jsonitems import Item, json_items
from jam.history.parsing.jsontext import JsonSample, kind_name, read_json, read_whole
from jam.history.parsing.times import iso_time
from jam.history.reader import Skipped, SourceFile
from jam.history.readers.people.discord.records import person_name
from jam.session import Message

_COLUMNS = ("ID", "Timestamp", "Contents")
_ACCOUNTS = ("../../account/user.json", "../../Account/user.json")


@dataclass(frozen=True, slots=True)
class PackageChannel:
    """A channel of a package, and whose package it is."""

    id: str
    title: str
    server: str | None
    owner: str | None


def is_package(file: SourceFile, sample: JsonSample | None) -> bool:
    """Whether a file holds messages of a data package."""
    if file.suffix == ".csv":
        head = decode(file.sample[:200]).splitlines()
        return bool(head) and head[0].replace('"', "").startswith(",".join(_COLUMNS))
    rows = objects(sample.values[0]) if sample is not None and sample.shape == "document" else []
    return any(all(key in row for key in _COLUMNS) for row in rows[:10])


def is_companion(file: SourceFile, sample: JsonSample | None) -> bool:
    """Whether a file belongs to a data package without holding messages."""
    value = sample.values[0] if sample is not None and sample.shape == "document" else None
    own = file.name.rpartition("/")[2].lower()
    folder = file.place.parent.name.lower()
    if own == "messages.json":
        return value == [] and _is_channel_folder(folder)
    if not isinstance(value, dict):
        return False
    if own == "channel.json":
        return "id" in value and "type" in value and _is_channel_folder(folder)
    if own == "index.json":
        return folder in ("messages", "servers") and bool(value) and all(key.isdecimal() for key in value)
    return own == "user.json" and folder == "account" and {"id", "username", "relationships"} <= value.keys()


def _is_channel_folder(name: str) -> bool:
    return name.removeprefix("c").isdecimal()


def channel_of(file: SourceFile) -> PackageChannel:
    """The channel that a file's messages were written in."""
    listed = _object(file.beside("channel.json"))
    owner = next((person_name(user) for path in _ACCOUNTS if (user := _object(file.beside(path)))), None)
    folder = file.place.parent.name
    own = id_field(listed, "id") or folder.removeprefix("c")
    recipients = listed.get("recipients")
    people = [each for each in recipients if isinstance(each, str)] if isinstance(recipients, list) else []
    names = _object(file.beside("../index.json"))
    name = text_field(listed, "name")
    title = f"#{name}" if name else text_field(names, own) or ", ".join(people) or own
    return PackageChannel(own, title, text_field(as_object(listed.get("guild")), "name"), owner)


def _object(file: SourceFile | None) -> Mapping[str, Any]:
    """The object in a file of the package; nothing where the file is missing or damaged."""
    try:
        value = read_json(file) if file is not None else None
    except (OSError, UnreadableFile):
        return {}
    return value if isinstance(value, dict) else {}


def package_rows(file: SourceFile) -> Iterator[Item | Skipped]:
    """The records of a file of messages."""
    if file.suffix != ".csv":
        yield from json_items(file)
        return
    rows = csv.DictReader(io.StringIO(read_whole(file).removeprefix("\ufeff").replace("\0", ""), newline=""))
    number = 0
    while True:
        number += 1
        try:
            row = next(rows, None)
        except csv.Error as error:
            yield Skipped(f"record {number}", str(error))
            continue
        if row is None:
            return
        yield Item(number, {key: value for key, value in row.items() if isinstance(key, str)})


def read_row(row: Any, channel: PackageChannel) -> Message | None:
    """One message; `None` for one that says nothing. Raises `ValueError`, with the reason, where it can't be read."""
    if not isinstance(row, dict):
        raise ValueError(f"{kind_name(row)}, not an object")
    if not any(row.get(key) for key in _COLUMNS):
        raise ValueError("neither a text nor a time in it")
    files = (text_field(row, "Attachments") or "").split()
    marks = [f"[file: {PurePosixPath(address.partition('?')[0]).name or address}]" for address in files]
    text = "\n".join(filter(None, (text_field(row, "Contents"), *marks)))
    if not text:
        return None
    return Message(
        role="user",
        text=text,
        id=id_field(row, "ID"),
        at=iso_time(row.get("Timestamp")),
        speaker=channel.owner,
    )
