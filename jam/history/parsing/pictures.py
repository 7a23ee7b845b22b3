"""Pictures and other payloads inside a text: each is kept as an attachment, and a short mark stands in its place."""

from __future__ import annotations

import base64
import binascii
import re
from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import unquote_to_bytes

from jam.history.reader import Spill
from jam.session import Attachment, Message

_DATA_URL = re.compile(
    r"data:(?P<media>[\w.+-]{1,60}/[\w.+-]{1,60})?(?:;[\w=.-]{1,60})*?(?P<coded>;base64)?,", re.IGNORECASE
)
_IN_TEXT = re.compile(
    r"(?:!\[(?P<name>[^\]\n]{0,300})\]\(\s{0,9}<?)?(?P<url>data:[\w.+-]{1,60}/[\w.+-]{1,60};base64,[A-Za-z0-9+/]{64,}+={0,2})"
    r"(?(name)>?(?:\s+\"[^\"\n]{0,300}\")?\s{0,9}\))"
)
_MARK = re.compile(r"\[(?:image|file): [^\[\]\n]{1,200}, \d{1,15} bytes\]")


class Pictures:
    """The payloads of one text."""

    def __init__(self, spill: Spill) -> None:
        self._spill = spill
        self._kept: defaultdict[str, deque[Attachment]] = defaultdict(deque)

    def keep(self, payload: bytes, media_type: str, name: str | None) -> str:
        """Keep a payload; gives its mark."""
        label = "image" if media_type.startswith("image/") else "file"
        mark = f"[{label}: {media_type}, {len(payload)} bytes]"
        self._kept[mark].append(self._spill(payload, media_type, name))
        return mark

    def picture(self, address: str, alternative: str) -> str:
        """The mark of a picture of a page: its payload where the address holds it, else what it shows in words."""
        found = _DATA_URL.match(address)
        if found is None:
            return f"[image: {alternative}]" if alternative else ""
        data = address[found.end() :]
        try:
            payload = base64.b64decode(unquote_to_bytes(data), validate=False) if found["coded"] else b""
        except (binascii.Error, ValueError):
            payload = b""
        media = found["media"] or "text/plain"
        if len(payload) < _SMALLEST or not media.startswith("image/"):
            return f"[image: {alternative}]" if alternative else ""
        said = f"[image: {alternative}] " if alternative else ""
        return said + self.keep(payload, media, alternative or None)

    def inline(self, text: str) -> str:
        """A text whose payloads are replaced by their marks."""
        return _IN_TEXT.sub(self._replace, text) if ";base64," in text else text

    def _replace(self, found: re.Match[str]) -> str:
        url = _DATA_URL.match(found["url"])
        assert url is not None
        try:
            payload = base64.b64decode(found["url"][url.end() :], validate=True)
        except (binascii.Error, ValueError):
            return found[0]
        name = (found["name"] or "").strip()
        mark = self.keep(payload, url["media"] or "", name or None)
        return f"[image: {name}] {mark}" if name else mark

    def attach(self, messages: Iterable[Message]) -> list[Message]:
        """The messages, each with the payloads whose marks stand in it."""
        return [self._attached(message) if self._kept else message for message in messages]

    def _attached(self, message: Message) -> Message:
        marks = (found[0] for found in _MARK.finditer(message.text))
        kept = [self._kept[mark].popleft() for mark in marks if self._kept.get(mark)]
        return replace(message, attachments=(*message.attachments, *kept)) if kept else message


_SMALLEST = 200
"""Smaller pictures are dots and lines of a layout."""
