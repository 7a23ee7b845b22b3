"""What a mail says: its text, else its HTML as text, with a mark for everything that is attached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message as Mail

from jam.history.parsing.html.page import html_to_text
from jam.history.reader import Spill
from jam.history.readers.people.mail.headers import DEFECTS, decode_as, decoded, fields
from jam.session import Attachment

_DEEPEST = 20
"""Mails forwarded within mails, and parts within parts, beyond which nobody reads."""
_SIGNATURES = frozenset({"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"})
_SHOWN_OF_FORWARDED = ("From", "To", "Date", "Subject")


@dataclass(slots=True)
class Body:
    """The parts of a mail that say something, in their order."""

    texts: list[str] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All of them, a blank line between two."""
        return "\n\n".join(self.texts)

    def add(self, text: str) -> None:
        """Append a part, unless it is blank."""
        plain = text.replace("\r\n", "\n")
        if plain.strip():
            self.texts.append(plain.strip("\n").rstrip())


def read_body(mail: Mail, spill: Spill) -> Body:
    """The body of a mail. Attached files are spilled."""
    body = Body()
    _read(mail, body, spill, 0)
    return body


def content_type(part: Mail) -> str:
    """The type of a part, whatever its header looks like."""
    try:
        return part.get_content_type()
    except DEFECTS:
        return "text/plain"


def _read(part: Mail, body: Body, spill: Spill, depth: int) -> None:
    kind = content_type(part)
    inner = _parts(part)
    if depth > _DEEPEST:
        body.add("[nested too deeply]")
    elif kind == "message/delivery-status" and inner:
        body.add("\n".join(line for block in inner for line in _header_lines(block)))
    elif kind.startswith("message/") and inner:
        _read_forwarded(inner[0], body, spill, depth)
    elif kind == "multipart/alternative" and inner:
        _read_alternative(inner, body, spill, depth)
    elif inner:
        for each in inner:
            _read(each, body, spill, depth + 1)
    elif _is_text(part, kind):
        text = decode_as(_payload(part), _charset(part))
        body.add(html_to_text(text) if kind == "text/html" else text)
    elif kind not in _SIGNATURES:
        _attach(part, kind, body, spill)


def _parts(part: Mail) -> list[Mail]:
    inner = part.get_payload()
    return [each for each in inner if isinstance(each, Mail)] if isinstance(inner, list) else []


def _read_alternative(inner: list[Mail], body: Body, spill: Spill, depth: int) -> None:
    """One of several forms of the same: plain text if there is any, else the richest."""
    kinds = [content_type(part) for part in inner]
    forms = [n for n, kind in enumerate(kinds) if kind.startswith(("text/", "multipart/"))]
    forms.sort(key=lambda n: (kinds[n] != "text/plain", not kinds[n].startswith("multipart/"), kinds[n] != "text/html"))
    before = len(body.texts)
    for number in forms:
        if len(body.texts) == before:
            _read(inner[number], body, spill, depth + 1)
    for number, part in enumerate(inner):
        if number not in forms:
            _read(part, body, spill, depth + 1)


def _read_forwarded(mail: Mail, body: Body, spill: Spill, depth: int) -> None:
    """A mail within a mail."""
    shown = (f"{name}: {', '.join(values)}" for name in _SHOWN_OF_FORWARDED if (values := fields(mail, name.lower())))
    body.add("\n".join(["[forwarded message]", *shown]))
    _read(mail, body, spill, depth + 1)


def _header_lines(block: Mail) -> Iterator[str]:
    for name, value in block.raw_items():
        yield f"{name}: {decoded(str(value))}"


def _is_text(part: Mail, kind: str) -> bool:
    if not kind.startswith(("text/", "multipart/", "message/")) or kind == "text/calendar":
        return False
    return not _disposition(part).startswith("attachment") and _file_name(part) is None


def _disposition(part: Mail) -> str:
    return next(iter(fields(part, "content-disposition")), "").strip().lower()


def _file_name(part: Mail) -> str | None:
    try:
        name = part.get_filename()
    except DEFECTS:
        name = None
    return decoded(name).replace("/", "_").replace("\\", "_").strip() or None if name else None


def _charset(part: Mail) -> str | None:
    try:
        return part.get_content_charset()
    except DEFECTS:
        return None


def _payload(part: Mail) -> bytes:
    """The bytes of a part, decoded from what mail makes of them."""
    try:
        data = part.get_payload(decode=True)
    except DEFECTS:
        data = None
    if isinstance(data, bytes):
        return data
    raw = part.get_payload()
    return raw.encode("utf-8", "surrogateescape") if isinstance(raw, str) else b""


def _attach(part: Mail, kind: str, body: Body, spill: Spill) -> None:
    data, name = _payload(part), _file_name(part)
    label = "image" if kind.startswith("image/") else "attachment"
    shown = f"{name}, {kind}" if name else kind
    if data:
        body.attachments.append(spill(data, kind, name))
    body.add(f"[{label}: {shown}, {len(data)} bytes]")
