"""Payloads within a text: long unbroken runs of base64 say nothing to a reader and become attachments.

Applied to every message of every format. Where a run stood, a mark says how many bytes went; around it the text stays
as it is.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import replace

from jam.history.reader import Spill
from jam.session import Attachment, Message

SHORTEST = 8_192
"""Characters that a run has at least."""
_RUN = re.compile(r"[A-Za-z0-9+/_-]*")
_PADDING = re.compile(r"={0,2}")
_WORDLIKE = re.compile(r"[A-Za-z0-9]")
_HEX = re.compile(r"[0-9A-Fa-f]+")
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w=.-]+)*;base64,\Z", re.IGNORECASE)
_URL_CHARACTERS = 200
_KNOWN = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
)
_UNKNOWN = "application/octet-stream"


def without_payloads(message: Message, spill: Spill) -> Message:
    """The message with its payloads spilled; most messages have none and are returned as they are."""
    parts: list[str] = []
    attachments = list(message.attachments)
    position = 0
    for start, end in _runs(message.text):
        payload, media = _decoded(message.text[start:end])
        named = _DATA_URL.search(message.text[max(0, start - _URL_CHARACTERS) : start])
        attachment = spill(payload, (named and named[1]) or media, None)
        if attachment.sha256 not in (known.sha256 for known in attachments):
            attachments.append(attachment)
        parts += [message.text[position:start], mark(attachment)]
        position = end
    if not parts:
        return message
    return replace(message, text="".join([*parts, message.text[position:]]), attachments=tuple(attachments))


def mark(attachment: Attachment) -> str:
    """What stands in a text for a payload."""
    return f"[data: {attachment.size} bytes]"


def _runs(text: str) -> Iterator[tuple[int, int]]:
    """Where the runs begin and end. A run that is long enough has a character at one of the places looked at."""
    place, end = SHORTEST - 1, 0
    while place < len(text):
        ahead = _end_of(_RUN, text, place)
        start = place - _length_before(text, end, place)
        if ahead > place and ahead - start >= SHORTEST and _WORDLIKE.search(text, start, ahead):
            end = _end_of(_PADDING, text, ahead)
            yield start, end
        place = max(place, ahead - ahead % SHORTEST - 1) + SHORTEST


def _length_before(text: str, least: int, place: int) -> int:
    """How many characters of a run stand before a place of it."""
    length = 0
    while place - length > least:
        before = text[max(least, place - length - SHORTEST) : place - length][::-1]
        length += (own := _end_of(_RUN, before, 0))
        if own < len(before):
            break
    return length


def _end_of(pattern: re.Pattern[str], text: str, place: int) -> int:
    found = pattern.match(text, place)
    return found.end() if found else place


def _decoded(run: str) -> tuple[bytes, str]:
    """The bytes that a run stands for and their media type; its own characters where it isn't exactly base64."""
    if len(run) % 4 == 0 and not _HEX.fullmatch(run):
        try:
            payload = base64.b64decode(run, validate=True)
        except (binascii.Error, ValueError):
            payload = b""
        # It is exactly the same again only if no bit is left over behind the last byte.
        if payload and base64.b64encode(payload[-(len(payload) % 3 or 3) :]).decode("ascii") == run[-4:]:
            return payload, next((media for mark, media in _KNOWN if payload.startswith(mark)), _UNKNOWN)
    return run.encode("ascii"), "text/plain"
