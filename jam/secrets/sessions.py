"""Sessions and payloads without their secrets."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from jam.secrets.assigned import is_secret
from jam.secrets.finding import find_tokens_only
from jam.secrets.marks import Secret
from jam.secrets.redaction import redact
from jam.session import Attachment, Message, Session

Spill = Callable[[bytes, str, str | None], Attachment]
SessionT = TypeVar("SessionT", bound=Session)

_TEXT_TYPES = frozenset(
    f"application/{name}"
    for name in """
    json ld+json x-ndjson jsonl xml x-yaml yaml toml x-sh x-shellscript javascript x-javascript typescript sql graphql
    x-httpd-php x-python x-www-form-urlencoded x-pem-file pgp-keys pkcs8 rtf octet-stream
    """.split()
)
_DIGEST = 12
"""Hex digits that tell ids apart; a token has far more by chance than could be tried."""
_TEXT_ENDINGS = ("+json", "+xml", "+yaml")


class Redactor:
    """Redacts sessions and payloads one after the other, and counts what was in them."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def session(self, session: SessionT) -> SessionT:
        """The session without its secrets."""
        session, counts = redact_session(session)
        self._counts += counts
        return session

    def spill(self, spill: Spill) -> Spill:
        """The same as `spill`, but what is text is kept without its secrets, and so is the name."""

        def redacted(payload: bytes, media_type: str, name: str | None) -> Attachment:
            payload, counts = redact_payload(payload, media_type)
            self._counts += counts
            return spill(payload, media_type, self._text(name))

        return redacted

    def taken(self) -> dict[str, int]:
        """How many there were of each kind since this was asked last."""
        counts, self._counts = dict(self._counts), Counter()
        return counts

    def _text(self, text: str | None) -> str | None:
        text, counts = redact(text) if text else (text, Counter())
        self._counts += counts
        return text


def redact_session(session: SessionT) -> tuple[SessionT, Counter[str]]:
    """The session without the secrets in its title, its texts and what else is said of it.

    In ids, and in names of speakers and groups, a secret's mark has a short digest, so that what differs still does. An
    id that begins with the name of its file stays: such names are told everywhere.
    """
    counts: Counter[str] = Counter()
    own_id = session.id if session.origin and session.origin in session.id else _id(session.id, counts)
    group = tuple(_name(name, counts) for name in session.group)
    messages = tuple(_message(message, counts) for message in session.messages)
    title = _text(session.title, counts)
    meta = _mapping(session.meta, counts)
    named = (own_id, title, group) == (session.id, session.title, session.group)
    if named and meta is session.meta and all(map(_is, messages, session.messages)):
        return session, counts
    return replace(session, id=own_id, title=title, group=group, meta=meta, messages=messages), counts


def redact_id(text: str) -> str:
    """An id without the secrets in it that are known by their form; two that differ still do."""
    return _id(text, Counter())


def redact_message(message: Message) -> Message:
    """The message without its secrets; one that has none is returned as it is."""
    return _message(message, Counter())


def redact_payload(payload: bytes, media_type: str) -> tuple[bytes, Counter[str]]:
    """A text payload without its secrets; any other as it is."""
    encoding = text_encoding(payload, media_type)
    if encoding is None:
        return payload, Counter()
    text, counts = redact(payload.decode(encoding, "surrogatepass" if encoding == "utf-8" else "strict"))
    return (text.encode(encoding, "surrogatepass" if encoding == "utf-8" else "strict") if counts else payload), counts


def text_encoding(payload: bytes, media_type: str) -> str | None:
    """How to read a payload as text so that it can be written back byte for byte; `None` for what is no text."""
    media = media_type.partition(";")[0].strip().lower()
    named = media.startswith("text/") or media.endswith(_TEXT_ENDINGS) or media in _TEXT_TYPES
    if not (named or not media) or not payload:
        return None
    if payload.startswith((b"\xff\xfe", b"\xfe\xff")) and len(payload) % 2 == 0:
        encoding = "utf-16-le" if payload[0] == 0xFF else "utf-16-be"
        return encoding if _decodes(payload, encoding) else None
    if _decodes(payload, "utf-8") and b"\0" not in payload:
        return "utf-8"
    return "latin-1" if media.startswith("text/") else None


def _decodes(payload: bytes, encoding: str) -> bool:
    try:
        return payload.decode(encoding, "surrogatepass" if encoding == "utf-8" else "strict") is not None
    except UnicodeDecodeError:
        return False


def _is(one: object, other: object) -> bool:
    return one is other


def _message(message: Message, counts: Counter[str]) -> Message:
    text = _text(message.text, counts)
    meta = _mapping(message.meta, counts)
    attachments = tuple(_attachment(attachment, counts) for attachment in message.attachments)
    own_id = message.id and _id(message.id, counts)
    speaker = message.speaker and _name(message.speaker, counts)
    thread = message.thread and _id(message.thread, counts)
    told = (own_id, speaker, thread) == (message.id, message.speaker, message.thread)
    if told and text == message.text and meta is message.meta and attachments == message.attachments:
        return message
    return replace(
        message, text=text or "", id=own_id, speaker=speaker, thread=thread, meta=meta, attachments=attachments
    )


def _id(text: str, counts: Counter[str]) -> str:
    """An id: tokens in it get a mark of their own."""
    parts: list[str] = []
    done = 0
    for secret in find_tokens_only(text):
        counts[secret.kind] += 1
        parts += (
            text[done : secret.start],
            Secret(f"{secret.kind} {_digest(text[secret.start : secret.end])}", 0, 0).mark,
        )
        done = secret.end
    return "".join(parts) + text[done:]


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]


def _name(text: str, counts: Counter[str]) -> str:
    """A name of somebody or something: the same, and what it says of passwords goes too."""
    return _text(_id(text, counts), counts) or ""


def _attachment(attachment: Attachment, counts: Counter[str]) -> Attachment:
    name = _text(attachment.name, counts)
    return attachment if name == attachment.name else replace(attachment, name=name)


def _text(text: str | None, counts: Counter[str]) -> str | None:
    if not text:
        return text
    text, found = redact(text)
    counts += found
    return text


def _mapping(values: Mapping[str, Any], counts: Counter[str]) -> Mapping[str, Any]:
    """Values of JSON without secrets, also those that only their names tell of; the same object where there is none."""
    if not values:
        return values
    redacted = {key: _value(key, value, counts) for key, value in values.items()}
    return values if all(redacted[key] is value for key, value in values.items()) else redacted


def _value(name: str, value: Any, counts: Counter[str]) -> Any:
    if isinstance(value, str):
        kind = is_secret(name, value)
        if kind:
            counts[kind] += 1
            return Secret(kind, 0, len(value)).mark
        text = _text(value, counts)
        return value if text == value else text
    if isinstance(value, Mapping):
        return _mapping(value, counts)
    if isinstance(value, list | tuple):
        items = [_value(name, item, counts) for item in value]
        return value if all(map(_is, items, value)) else items
    return value
