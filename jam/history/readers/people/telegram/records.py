"""What one message of a Telegram export says. Nothing here knows about files, except those that a message carries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from jam.history.enclosed import attach
from jam.history.parsing.fields import as_object, first_text, id_field, objects, text_field
from jam.history.parsing.jsontext import kind_name
from jam.history.parsing.times import iso_time
from jam.history.reader import SourceFile, Spill
from jam.history.readers.people.days import utc_day
from jam.session import Attachment, Message

_MEDIA = {
    "sticker": "sticker",
    "voice_message": "voice message",
    "video_message": "video message",
    "animation": "animation",
    "video_file": "video",
    "audio_file": "audio",
}
_DETAILS = (
    "title",
    "new_title",
    "inviter",
    "discard_reason",
    "emoticon",
    "information_text",
    "boosts",
    "reason_app_name",
)


def is_message(row: Any) -> bool:
    """Whether a value looks like a message of Telegram."""
    if not isinstance(row, dict) or "id" not in row or row.get("type") not in ("message", "service", "unsupported"):
        return False
    return any(key in row for key in ("date", "date_unixtime", "from_id", "actor_id", "text_entities"))


def day_of(record: Mapping[str, Any]) -> str | None:
    """The day of a message in UTC; where the export doesn't tell, by the clock of the computer that exported it."""
    return utc_day(_at(record))


def read_message(record: Any, file: SourceFile, spill: Spill) -> Message | None:
    """A message; `None` for what is none. Raises `ValueError`, with the reason, for what can't be read."""
    if not isinstance(record, dict):
        raise ValueError(f"{kind_name(record)}, not an object")
    if not any(key in record for key in ("text", "text_entities", "date", "date_unixtime", "type")):
        raise ValueError("neither a text nor a time in it")
    attachments: list[Attachment] = []
    service = record.get("type") == "service"
    parts = [*_media(record, file, spill, attachments)] if not service else [_action(record)]
    said = plain_text(record.get("text")) or plain_text(record.get("text_entities"))
    text = "\n".join(part for part in (*parts, said) if part.strip())
    if not text:
        return None
    return Message(
        role="user",
        text=text,
        id=id_field(record, "id"),
        at=_at(record),
        speaker=first_text(record, "from", "actor") or id_field(record, "from_id") or id_field(record, "actor_id"),
        kind="notice" if service else "message",
        attachments=tuple(attachments),
        meta=_meta(record),
    )


def _at(record: Mapping[str, Any]) -> str | None:
    return iso_time(record.get("date_unixtime")) or iso_time(record.get("date"))


def plain_text(value: Any) -> str:
    """A text that is a string, or a list of strings and of entities with a text."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return plain_text(value.get("text"))
    return "".join(map(plain_text, value)) if isinstance(value, list) else ""


def _meta(record: Mapping[str, Any]) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    reply = id_field(record, "reply_to_message_id")
    if reply:
        meta["reply_to"] = reply
    edited = iso_time(record.get("edited_unixtime")) or iso_time(record.get("edited"))
    if edited and not edited.startswith(("1969", "1970")):  # older exports write the beginning of time for «never»
        meta["edited"] = edited
    if "forwarded_from" in record:
        meta["forwarded_from"] = text_field(record, "forwarded_from") or id_field(record, "forwarded_from_id") or "?"
    for key in ("saved_from", "via_bot", "author"):
        if text := text_field(record, key):
            meta[key] = text
    links = [link for row in objects(record.get("text")) if (link := text_field(row, "href"))]
    if links:
        meta["links"] = links
    reactions = {
        name: row["count"]
        for row in objects(record.get("reactions"))
        if (name := first_text(row, "emoji", "type")) and isinstance(row.get("count"), int)
    }
    if reactions:
        meta["reactions"] = reactions
    return meta


def _action(record: Mapping[str, Any]) -> str:
    """What happened in the chat: `[invite_members] Ann, Bo`."""
    members = record.get("members")
    names = [str(name) for name in members if isinstance(name, str)] if isinstance(members, list) else []
    details = [*names, *(text for key in _DETAILS if (text := text_field(record, key))), *_duration(record)]
    return f"[{text_field(record, 'action') or 'service'}] {', '.join(details)}".rstrip()


def _duration(record: Mapping[str, Any]) -> Iterator[str]:
    for key in ("duration_seconds", "duration"):
        if isinstance(record.get(key), int) and not isinstance(record[key], bool):
            yield f"{record[key]} s"
            return


def _media(record: Mapping[str, Any], file: SourceFile, spill: Spill, attachments: list[Attachment]) -> Iterator[str]:
    """A mark for each picture, recording, place, … in a message; a file that was saved with the export is spilled."""
    for key in ("photo", "file"):
        if key not in record:
            continue
        path = _saved(record, key)
        yield _mark(_label(record, key), _about(record, key, path))
        saved = attach(file, path, spill) if path else None
        if saved is not None:
            attachments.append(saved)
    contact, place = as_object(record.get("contact_information")), as_object(record.get("location_information"))
    if contact:
        name = " ".join(filter(None, (text_field(contact, "first_name"), text_field(contact, "last_name"))))
        yield _mark("contact", [name, text_field(contact, "phone_number")])
    if place or "place_name" in record:
        where = [str(place[key]) for key in ("latitude", "longitude") if isinstance(place.get(key), int | float)]
        yield _mark("location", [text_field(record, "place_name"), text_field(record, "address"), *where])
    for key, label in (("poll", "poll"), ("todo_list", "list")):
        asked = as_object(record.get(key))
        if asked:
            title = plain_text(asked.get("question")) or plain_text(asked.get("title"))
            answers = [plain_text(answer.get("text")) for answer in objects(asked.get("answers"))]
            yield "\n".join([_mark(label, [title]), *(f"- {answer}" for answer in answers if answer)])
    if game := text_field(record, "game_title"):
        yield _mark("game", [game, text_field(record, "game_description")])
    if invoice := as_object(record.get("invoice_information")):
        yield _mark("invoice", [text_field(invoice, "title"), text_field(invoice, "description")])


def _mark(label: str, details: list[str | None]) -> str:
    known = [detail for detail in details if detail]
    return f"[{label}: {', '.join(known)}]" if known else f"[{label}]"


def _saved(record: Mapping[str, Any], key: str) -> str | None:
    """The path of a file; in its place may stand, in brackets, why it was left out."""
    path = text_field(record, key)
    return None if path is None or path.startswith("(") or "(File " in path else path


def _label(record: Mapping[str, Any], key: str) -> str:
    kind = text_field(record, "media_type")
    return _MEDIA.get(kind or "", "file") if key == "file" else "photo"


def _about(record: Mapping[str, Any], key: str, path: str | None) -> list[str | None]:
    """What tells a file from others: its name, a sticker's emoji, how long a recording is."""
    if key == "photo":
        return [path]
    kind = text_field(record, "media_type")
    if kind == "sticker":
        return [text_field(record, "sticker_emoji")]
    if kind in ("voice_message", "video_message"):
        return list(_duration(record))
    name = text_field(record, "file_name") or (PurePosixPath(path).name if path else None)
    if kind == "audio_file":
        return [text_field(record, "performer"), text_field(record, "title") or name, *_duration(record)]
    return [name, *_duration(record)]
