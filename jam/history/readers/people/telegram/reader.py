"""Chats exported by Telegram Desktop: result.json, with one chat or all of them. A session is a day of a chat.

Days and times are in UTC where the export has them so, else those of the computer that exported the chat. Contacts,
devices and the owner's own data, which the export of all chats also holds, are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from jam.errors import UnreadableFile
from jam.history.parsing.fields import id_field, objects, text_field
from jam.history.parsing.jsonitems import Item, json_items
from jam.history.parsing.jsontext import kind_name, read_json, sample_json
from jam.history.reader import GUESS, READ_AS, Note, Skipped, SourceFile, Spill
from jam.history.readers.people.days import UTC_DAYS, Days
from jam.history.readers.people.telegram.records import day_of, is_message, read_message
from jam.session import Session

_CHATS = frozenset(
    "personal_chat bot_chat saved_messages replies verification_codes private_group private_supergroup public_group "
    "public_supergroup private_channel public_channel".split()
)
_TITLES = {"saved_messages": "Saved Messages", "replies": "Replies"}
_LOCAL_DAYS = f"{GUESS}days of the exporting computer"
_LISTS = ("chats", "left_chats")
_ACCOUNT = frozenset({"personal_information", "profile_pictures", "contacts", "frequent_contacts", "sessions", "about"})


class Telegram:
    """See the module."""

    name = "telegram"
    description = "Telegram Desktop exports (result.json), recognised by messages with type, date and from_id"

    def recognises(self, file: SourceFile) -> float:
        """Sure of a chat with messages of Telegram, and of what else an account's export begins with."""
        sample = sample_json(file)
        value = sample.values[0] if sample is not None and sample.shape == "document" else None
        if not isinstance(value, dict):
            return 0.0
        if any(map(is_message, objects(value.get("messages"))[:10])):
            return 0.95
        if _is_chat(value):
            return 0.9
        if any(_is_chat(chat) for key in _LISTS for chat in _chats(value, key)):
            return 0.9
        return 0.9 if "personal_information" in value and len(_ACCOUNT & value.keys()) > 1 else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """The days of the chat, or of each chat."""
        sample = sample_json(file)
        head = sample.values[0] if sample is not None else None
        if isinstance(head, dict) and "messages" in head:
            rows = json_items(file, ("messages",))
            yield from _days(file, head).read(rows, lambda record: read_message(record, file, spill), day_of)
        else:
            yield from _account(file, spill)


def _is_chat(value: Mapping[str, Any]) -> bool:
    messages = value.get("messages")
    known = isinstance(value.get("type"), str) and value["type"] in _CHATS
    return isinstance(messages, list) and (known or any(map(is_message, objects(messages)[:10])))


def _chats(value: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    listed = value.get(key)
    return objects(listed.get("list") if isinstance(listed, dict) else listed)


def _account(file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
    """All chats of an account."""
    value = read_json(file)
    if not isinstance(value, dict):
        raise UnreadableFile(f"{kind_name(value)}, not an export of Telegram")
    if not any(key in value for key in _LISTS):
        yield Note("an account of Telegram without chats", companion=True)
    for key in _LISTS:
        for number, head in enumerate(_chats(value, key), 1):
            yield from _one_of_many(file, spill, head, f"{key}, record {number}")


def _one_of_many(
    file: SourceFile, spill: Spill, head: Mapping[str, Any], where: str
) -> Iterator[Session | Skipped | Note]:
    messages = head.get("messages")
    if not isinstance(messages, list):
        yield Skipped(where, f"its messages are {kind_name(messages)}, not a list")
        return
    rows = [Item(number, record) for number, record in enumerate(messages, 1)]
    for found in _days(file, head).read(rows, lambda record: read_message(record, file, spill), day_of):
        yield Skipped(f"{where}, {found.where}", found.reason) if isinstance(found, Skipped) else found


def _days(file: SourceFile, head: Mapping[str, Any]) -> Days:
    """The days of a chat, by what is said of it before its messages."""
    own, name, kind = id_field(head, "id"), text_field(head, "name"), text_field(head, "type")
    key = own or name or str(PurePosixPath(file.name).with_suffix(""))
    title = name or _TITLES.get(kind or "") or own or file.stem
    days = Days(file, Telegram.name, key, title, (*file.folders, title))
    in_utc = any("date_unixtime" in row for row in objects(head.get("messages")))
    days.facts = {"chat": own, "chat_type": kind, READ_AS: UTC_DAYS if in_utc else _LOCAL_DAYS}
    return days
