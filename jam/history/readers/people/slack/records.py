"""What one message of a Slack export says. Nothing here knows about files, except those that a message carries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from jam.history.enclosed import attach, keep
from jam.history.parsing.fields import as_object, first_text, id_field, objects, text_field
from jam.history.parsing.jsontext import kind_name
from jam.history.parsing.times import iso_time
from jam.history.reader import SourceFile, Spill
from jam.history.readers.people.slack.directory import Directory, person_name, unescaped
from jam.history.readers.people.slack.text import said
from jam.session import Attachment, Message

_STAMP = re.compile(r"(\d{9,10})(?:\.(\d{1,6}))?", re.ASCII)
_SAID = frozenset(
    "bot_message me_message file_share file_comment file_mention thread_broadcast reply_broadcast "
    "slackbot_response".split()
)
"""Subtypes of what someone said; every other subtype is an event of the channel."""
_EVENTS = frozenset({"message_changed", "message_deleted", "message_replied"})
"""What an event of the programming interface says about a message that stands elsewhere."""


def is_message(row: Any) -> bool:
    """Whether a value looks like a message of Slack."""
    if not isinstance(row, dict) or stamp(row, "ts") is None:
        return False
    return row.get("type") == "message" or any(key in row for key in ("user", "text", "subtype", "bot_id"))


def stamp(record: Mapping[str, Any], key: str) -> str | None:
    """A `ts`, which is a time and a key; anything else in its place is none."""
    value = record.get(key)
    if isinstance(value, float):
        value = f"{value:.6f}"
    return value if isinstance(value, str) and _STAMP.fullmatch(value) else None


def stamp_time(value: str | None) -> str | None:
    """The time of a `ts`, to the microsecond."""
    found = _STAMP.fullmatch(value or "")
    return iso_time(int(found[1] + (found[2] or "").ljust(6, "0"))) if found else None


def root_of(record: Mapping[str, Any]) -> str | None:
    """The `ts` of the thread that a reply belongs to; `None` for what is no reply."""
    root = stamp(record, "thread_ts")
    return root if root != stamp(record, "ts") else None


def read_message(record: Any, directory: Directory, file: SourceFile, spill: Spill) -> Message | None:
    """A message; `None` for what is none. Raises `ValueError`, with the reason, for what can't be read."""
    if not isinstance(record, dict):
        raise ValueError(f"{kind_name(record)}, not an object")
    if stamp(record, "ts") is None and text_field(record, "text") is None:
        raise ValueError("neither a time nor a text in it")
    subtype = text_field(record, "subtype")
    if subtype in _EVENTS or record.get("hidden") is True or record.get("type", "message") != "message":
        return None
    attachments: list[Attachment] = []
    parts = [said(record, directory), *_files(record, file, spill, attachments)]
    event = subtype is not None and subtype not in _SAID
    text = "\n".join(part for part in parts if part) or (f"[{subtype}]" if event else "")
    if not text:
        return None
    return Message(
        role="user",
        text=text,
        id=stamp(record, "ts"),
        at=stamp_time(stamp(record, "ts")),
        speaker=_speaker(record, directory),
        kind="notice" if event else "message",
        attachments=tuple(attachments),
        meta=_meta(record, subtype),
    )


def _speaker(record: Mapping[str, Any], directory: Directory) -> str | None:
    user, bot = id_field(record, "user"), id_field(record, "bot_id")
    known = directory.people.get(user) if user else None
    own = person_name(as_object(record.get("user_profile"))) or first_text(
        as_object(record.get("user_profile")), "name"
    )
    named = first_text(record, "username") or text_field(as_object(record.get("bot_profile")), "name")
    if named and (user is None or record.get("subtype") == "bot_message"):
        return unescaped(named)
    name = known or own or named
    if name:
        return unescaped(name)
    return user or (directory.bots.get(bot, bot) if bot else None)


def _meta(record: Mapping[str, Any], subtype: str | None) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    if root := root_of(record):
        meta["reply_to"] = root
    if isinstance(record.get("edited"), dict):
        meta["edited"] = stamp_time(stamp(record["edited"], "ts")) or True
    if id_field(record, "bot_id"):
        meta["bot"] = True
    if subtype is not None and subtype not in _SAID:
        meta["subtype"] = subtype
    reactions = {
        name: row["count"]
        for row in objects(record.get("reactions"))
        if (name := text_field(row, "name")) and isinstance(row.get("count"), int)
    }
    if reactions:
        meta["reactions"] = reactions
    return meta


def _files(record: Mapping[str, Any], file: SourceFile, spill: Spill, attachments: list[Attachment]) -> Iterator[str]:
    """A mark for each file; one that was saved with the export is spilled."""
    rows = objects(record.get("files")) or objects([record.get("file")])
    for row in rows:
        name = first_text(row, "name", "title") or id_field(row, "id")
        if row.get("mode") in ("tombstone", "hidden_by_limit") or name is None:
            yield f"[file: {'deleted' if row.get('mode') == 'tombstone' else 'not in the export'}]"
            continue
        yield f"[file: {unescaped(name)}]"
        saved = _saved(row, file, spill)
        if saved is not None:
            attachments.append(saved)


def _saved(row: Mapping[str, Any], file: SourceFile, spill: Spill) -> Attachment | None:
    """A file's contents, where a tool put them beside the messages. Slack itself exports addresses only."""
    own, name = id_field(row, "id"), text_field(row, "name")
    if own is None or name is None or any(mark in own + name for mark in "/\\\0:") or ".." in (own, name):
        return None
    uploads = file.beside(f"../__uploads/{own}/{name}")
    return keep(uploads, spill) if uploads else attach(file, f"attachments/{own}-{name}", spill)
