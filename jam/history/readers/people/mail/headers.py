"""The header of a mail as text: encoded words, addresses, dates and references, however badly they are written.

Python's own parser splits a mail into parts; what its fields say is read here, so that a bad one costs itself only.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC
from email.message import Message as Mail
from email.utils import getaddresses, parsedate_to_datetime

from jam.history.parsing.decoding import decode_narrow
from jam.history.parsing.written_dates import written_time

DEFECTS = (ValueError, LookupError, TypeError, AttributeError, AssertionError)
"""What Python's mail package raises for damaged mails; UnicodeError and binascii.Error are ValueErrors."""
_WORD = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?]*)\?=")
_FOLD = re.compile(r"\r?\n[ \t]*")
_QUOTED = re.compile(rb"=([0-9A-Fa-f]{2})")
_ID = re.compile(r"<([^<>\s]{1,500})>")
_PREFIX = re.compile(
    r"\s*(?:(?:re|aw|antw|antwort|sv|vs|rif|ref|odp|fw|fwd|wg|tr|rv|enc|i)(?:\[\d+\]|\(\d+\))?\s*[:：]|\[fwd:)\s*",
    re.IGNORECASE,
)
_REPLY = re.compile(r"\s*(?:re|aw|antw|antwort|sv|vs|rif|ref|odp)(?:\[\d+\]|\(\d+\))?\s*[:：]", re.IGNORECASE)
_FIRST_YEAR = 1971
_MOST_REFERENCES = 1_000


@dataclass(frozen=True, slots=True)
class Address:
    """Someone who writes or is written to."""

    name: str
    address: str

    @property
    def shown(self) -> str:
        """The name, else the address."""
        return self.name or self.address


def fields(mail: Mail, name: str) -> list[str]:
    """The values of all fields of a name, decoded."""
    return [decoded(value) for value in _raw(mail, name)]


def field(mail: Mail, name: str) -> str | None:
    """The first field of a name that says anything."""
    return next((text for text in fields(mail, name) if text), None)


def _raw(mail: Mail, name: str) -> Iterator[str]:
    for own, value in mail.raw_items():
        if own.lower() == name:
            yield str(value)


def decoded(raw: str) -> str:
    """One field on one line, its encoded words and stray bytes as text."""
    text = _FOLD.sub(" ", raw)
    if not text.isascii():
        text = decode_narrow(text.encode("utf-8", "surrogateescape"))
    parts: list[str] = []
    waiting, charset, end = b"", "", 0
    for found in _WORD.finditer(text):
        between = text[end : found.start()]
        data = _word_bytes(found[2], found[3])
        if waiting and (between.strip() or found[1].lower() != charset):
            parts.append(decode_as(waiting, charset))
            waiting = b""
        if between.strip() or not (parts or waiting):
            parts.append(between)
        waiting, charset, end = waiting + data, found[1].lower(), found.end()
    if waiting:
        parts.append(decode_as(waiting, charset))
    return " ".join("".join([*parts, text[end:]]).split())


def _word_bytes(encoding: str, text: str) -> bytes:
    data = text.encode("utf-8", "surrogatepass")
    if encoding in "qQ":
        return _QUOTED.sub(lambda found: bytes((int(found[1], 16),)), data.replace(b"_", b" "))
    try:
        return binascii.a2b_base64(data + b"=" * (-len(data) % 4))
    except ValueError:
        return data


def decode_as(data: bytes, charset: str | None) -> str:
    """Bytes in the character set that a mail states, or in whichever they are."""
    name = (charset or "").partition("*")[0].strip("\"' ").lower()
    if name and name not in ("us-ascii", "ascii", "unknown-8bit", "x-unknown", "unicode_escape", "raw_unicode_escape"):
        try:
            return data.decode(name)
        except DEFECTS:
            pass
    return decode_narrow(data)


def addresses(mail: Mail, name: str) -> list[Address]:
    """Everyone in the fields of a name."""
    found: list[Address] = []
    for raw in _raw(mail, name):
        try:
            pairs = getaddresses([_FOLD.sub(" ", raw)])
        except (*DEFECTS, RecursionError):
            pairs = []
        known = [Address(decoded(shown), decoded(address)) for shown, address in pairs if shown or address]
        text = decoded(raw)
        found += known or ([Address(text, "")] if text else [])
    return found


def sent_at(mail: Mail) -> str | None:
    """When a mail was sent, in the zone of its sender; where it doesn't say, when it was first received."""
    received = [raw.rpartition(";")[2] for raw in _raw(mail, "received")]
    times = (_time(_FOLD.sub(" ", raw)) for raw in (*_raw(mail, "date"), *reversed(received)))
    return next(filter(None, times), None)


def _time(raw: str) -> str | None:
    try:
        at = parsedate_to_datetime(raw.strip())
    except (*DEFECTS, OverflowError):
        return written_time(raw)
    if at.tzinfo is None and raw.rstrip().endswith("-0000"):  # UTC, and nobody knows where the sender was
        at = at.replace(tzinfo=UTC)
    return at.isoformat() if at.year >= _FIRST_YEAR else None


def message_id(mail: Mail) -> str | None:
    """The id of a mail, without its brackets."""
    text = field(mail, "message-id") or ""
    found = _ID.search(text)
    return found[1] if found else text.strip("<> ").partition(" ")[0][:500] or None


def references(mail: Mail) -> list[str]:
    """The ids of the mails that a mail answers, the oldest first."""
    texts = (*fields(mail, "references"), *fields(mail, "in-reply-to"))
    return list(dict.fromkeys(own for text in texts for own in _ID.findall(text)[:_MOST_REFERENCES]))


def bare_subject(subject: str) -> str:
    """A subject without `Re:` and its like."""
    start = 0
    while found := _PREFIX.match(subject, start):
        start = found.end()
    return subject[start:].strip()


def is_reply(subject: str) -> bool:
    """Whether a subject begins with `Re:` or its like."""
    return _REPLY.match(subject) is not None
