"""What one message of a Discord channel says. Nothing here knows about files, except those that a message carries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from jam.history.enclosed import attach
from jam.history.parsing.fields import as_object, first_text, id_field, objects, text_field
from jam.history.parsing.jsontext import kind_name
from jam.history.parsing.times import iso_time
from jam.history.reader import SourceFile, Spill
from jam.session import Attachment, Message

_SAID = frozenset("Default Reply ChatInputCommand ThreadStarterMessage ContextMenuCommand 0 19 20 21 23".split())
"""Types of what someone said, by name and by Discord's own number; every other type is an event of the channel."""
_MENTION = re.compile(r"<@!?(\d{1,25})>")


def is_message(row: Any) -> bool:
    """Whether a value looks like a message as DiscordChatExporter writes it."""
    return isinstance(row, dict) and isinstance(row.get("author"), dict) and "timestamp" in row and "content" in row


def read_message(record: Any, file: SourceFile, spill: Spill) -> Message | None:
    """A message; `None` for one that says nothing. Raises `ValueError`, with the reason, where it can't be read."""
    if not isinstance(record, dict):
        raise ValueError(f"{kind_name(record)}, not an object")
    if not any(key in record for key in ("content", "timestamp", "author", "embeds", "attachments")):
        raise ValueError("neither a text, a time nor an author in it")
    kind = id_field(record, "type")
    event = kind is not None and kind not in _SAID
    author = as_object(record.get("author"))
    attachments: list[Attachment] = []
    text = "\n".join(_parts(record, author.get("isBot") is True, file, spill, attachments)) or (
        f"[{kind}]" if event else ""
    )
    if not text:
        return None
    return Message(
        role="user",
        text=text,
        id=id_field(record, "id"),
        at=iso_time(record.get("timestamp")),
        speaker=person_name(author),
        kind="notice" if event else "message",
        attachments=tuple(attachments),
        meta=_meta(record, author, kind if event else None),
    )


def person_name(person: Mapping[str, Any]) -> str | None:
    """The name that others see: the nickname, else the account's."""
    return first_text(person, "nickname", "global_name", "name", "username") or id_field(person, "id")


def _parts(
    record: Mapping[str, Any], bot: bool, file: SourceFile, spill: Spill, attachments: list[Attachment]
) -> Iterator[str]:
    said = text_field(record, "content")
    if said:
        yield _with_names(said, objects(record.get("mentions")))
    forwarded = as_object(record.get("forwardedMessage"))
    if forwarded:
        yield "\n".join(["[forwarded]", *_parts(forwarded, True, file, spill, attachments)])
    for row in objects(record.get("attachments")):
        yield _file(row, file, spill, attachments)
    for row in objects(record.get("stickers")):
        yield f"[sticker: {text_field(row, 'name') or '?'}]"
    # What people write is repeated by previews of the pages they link to; what bots write is often an embed alone.
    if bot or not said:
        for row in objects(record.get("embeds")):
            if text := "\n".join(_embed(row)):
                yield text
    poll = as_object(record.get("poll"))
    if poll:
        question = text_field(as_object(poll.get("question")), "text") or text_field(poll, "question")
        answers = [text_field(row, "text") for row in objects(poll.get("answers"))]
        yield "\n".join([f"[poll: {question or '?'}]", *(f"- {answer}" for answer in answers if answer)])


def _with_names(text: str, mentions: list[Mapping[str, Any]]) -> str:
    """The text with names for the ids of the people that it mentions."""
    names = {id_field(row, "id"): person_name(row) for row in mentions}
    return _MENTION.sub(lambda found: f"@{names[found[1]]}" if names.get(found[1]) else found[0], text)


def _file(row: Mapping[str, Any], file: SourceFile, spill: Spill, attachments: list[Attachment]) -> str:
    """The mark of a file; one that was saved beside the export is spilled."""
    url = first_text(row, "url", "proxyUrl") or ""
    name = first_text(row, "fileName", "filename") or PurePosixPath(url.partition("?")[0]).name
    saved = attach(file, url, spill) if url else None
    if saved is not None:
        attachments.append(saved)
    return f"[file: {name or '?'}]"


def _embed(row: Mapping[str, Any]) -> Iterator[str]:
    for text in (
        text_field(as_object(row.get("author")), "name"),
        *(text_field(row, k) for k in ("title", "description")),
    ):
        if text:
            yield text
    for item in objects(row.get("fields")):
        if line := ": ".join(filter(None, (text_field(item, "name"), text_field(item, "value")))):
            yield line
    if footer := text_field(as_object(row.get("footer")), "text"):
        yield footer
    if not any(text_field(row, key) for key in ("title", "description")) and (url := text_field(row, "url")):
        yield f"[embed: {url}]"


def _meta(record: Mapping[str, Any], author: Mapping[str, Any], event: str | None) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    reference = as_object(record.get("reference"))
    if (reply := id_field(reference, "messageId")) and reference.get("type") != "Forward":
        meta["reply_to"] = reply
    if edited := iso_time(record.get("timestampEdited")):
        meta["edited"] = edited
    if author.get("isBot") is True:
        meta["bot"] = True
    if event:
        meta["type"] = event
    if command := text_field(as_object(record.get("interaction")), "name"):
        meta["command"] = command
    reactions = {
        name: row["count"]
        for row in objects(record.get("reactions"))
        if (name := text_field(as_object(row.get("emoji")), "name")) and isinstance(row.get("count"), int)
    }
    if reactions:
        meta["reactions"] = reactions
    return meta
