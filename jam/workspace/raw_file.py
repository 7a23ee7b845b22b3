"""The raw file: one part of a session as Markdown that a person can read, and that parses back without loss.

    ---
    jam: 1
    id: "conv-26/session_1"
    title: "Support group"
    messages: 18
    ---

    # Support group

    ### 1 · Caroline · 2023-05-08 13:56
    <!-- jam:message {"id": "D1:1", "role": "user", "speaker": "Caroline", "sha256": "9f86d081884c7d65"} -->

    Hey Mel! Good to see you!

What counts is the front matter, the marker comments, and the text between a marker's empty line and the line break
that ends it; titles and headings are for people. Text stands as it is, except that
- a line beginning like a comment of JAM's own gets a backslash before it, and one more each time;
- characters that would harm a terminal or can't be UTF-8 become `\\u{1b}`, and the marker says `escaped`; a backslash
  that stands before `u{` or such a character is doubled then;
- CRLF throughout becomes LF, and the marker says `newlines`;
- of a very long text only the beginning and the end are there, and the marker says `spilled`: the digest of the whole,
  which is kept in `attachments/`.

Only text here: no paths, no files. What is read here has excerpts where texts were spilled; the store fetches the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

from jam.errors import DamagedFile, WorkspaceError
from jam.session import Attachment, Kind, Message, Session, SessionKind
from jam.workspace import excerpts, templates
from jam.workspace.excerpts import Spilled
from jam.workspace.front_matter import (
    FORMAT_VERSION,
    check_version,
    dump_json,
    front_matter,
    load_json,
    read_front_matter,
)
from jam.workspace.names import label
from jam.workspace.verbatim import OWN_COMMENT, decode_text, hide, reveal

# A marker always stands below a heading: beginning with the line break makes this a search for a literal.
_MARKER = re.compile(rf"\n{OWN_COMMENT}message(.*)")
_MINUTES = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)", re.ASCII)
_KINDS = frozenset(get_args(Kind))
_SESSION_KINDS = frozenset(get_args(SessionKind))
_TEXT_OR_NONE = {str, type(None)}
_OPTIONAL = ("id", "at", "speaker", "thread")
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class RawFile:
    """What one raw file holds."""

    session: Session
    """With the messages of this part only."""
    part: int = 1
    """Counts from 1; most sessions have one part."""
    first: int = 0
    """Index within the whole session of this file's first message, from 0."""
    damaged: tuple[int, ...] = field(default=(), compare=False)
    """Numbers (from 1, within this file) of the messages whose text is not what JAM wrote."""
    spilled: Mapping[int, Spilled] = field(default_factory=dict)
    """Number of a message whose text here is an excerpt → where the whole is."""


@dataclass(frozen=True, slots=True)
class RawFront:
    """What a raw file's front matter alone tells."""

    session: Session
    """Without its messages."""
    part: int
    first: int
    count: int
    """How many messages the file holds."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A message as it stands in a raw file: an excerpt in the place of a very long text, and where the whole is."""

    message: Message
    spilled: Spilled | None = None

    @classmethod
    def of(cls, message: Message) -> Kept:
        """The message, of which the whole text is at hand."""
        if len(message.text) <= excerpts.LONGEST:
            return cls(message)
        spilled = Spilled(message.sha256, len(message.text))
        return cls(replace(message, text=excerpts.excerpt(message.text, spilled)), spilled)

    @property
    def sha256(self) -> str:
        """The digest of the whole text."""
        return (self.spilled or self.message).sha256


def raw_of(session: Session, messages: Sequence[Kept], part: int = 1, first: int = 0) -> RawFile:
    """A part of a session as it is written and read; the session says all but the messages."""
    spilled = {number: kept.spilled for number, kept in enumerate(messages, 1) if kept.spilled}
    own = replace(session, messages=tuple(kept.message for kept in messages))
    return RawFile(own, part, first, spilled=spilled)


def kept_in(raw: RawFile) -> list[Kept]:
    """The messages of a raw file as they stand in it."""
    return [
        Kept(message, raw.spilled[number]) if number in raw.spilled else Kept.of(message)
        for number, message in enumerate(raw.session.messages, 1)
    ]


def shortened(raw: RawFile) -> RawFile:
    """The raw file with excerpts in the place of very long texts."""
    if all(len(message.text) <= excerpts.LONGEST for message in raw.session.messages):
        return raw
    return raw_of(raw.session, kept_in(raw), raw.part, raw.first)


def render(raw: RawFile, folder: Path | None = None) -> str:
    """The text of the raw file; `folder` may hold the user's own templates."""
    raw = shortened(raw)
    title = label(raw.session.title or raw.session.id) or "Untitled"
    body = templates.render(
        "raw.md.j2",
        folder,
        title=title if raw.part == 1 else f"{title} (part {raw.part})",
        messages=[_shown(n, message, raw.spilled.get(n)) for n, message in enumerate(raw.session.messages, 1)],
    )
    return f"{front_matter(_front_fields(raw))}\n{body}"


def render_checked(raw: RawFile, folder: Path | None = None) -> str:
    """As `render`, and proved to parse back. `WorkspaceError` where a user's own template broke that."""
    raw = shortened(raw)
    text = render(raw, folder)
    try:
        back = parse(text, "raw.md.j2")
        # Rendering again compares what equality can't: NaN in the meta of a source.
        intact = not back.damaged and (back == raw or render(back, folder) == text)
    except DamagedFile as error:
        raise WorkspaceError(f"what the template raw.md.j2 makes can't be read back: {error}") from error
    if not intact:
        raise WorkspaceError("the template raw.md.j2 changes or loses messages; correct it or remove your copy")
    return text


def encode(raw: RawFile, folder: Path | None = None) -> bytes:
    """The file's bytes, proved to parse back."""
    return render_checked(raw, folder).encode("utf-8")


def decode(data: bytes, where: str) -> RawFile:
    """The raw file in these bytes; `where` is its path for messages."""
    return parse(decode_text(data, where), where)


def parse(text: str, where: str) -> RawFile:
    """The raw file that this text is. Text that a person changed is read, and its messages are listed as `damaged`."""
    front, start = _read_front(text, where)
    messages: list[Message] = []
    damaged: list[int] = []
    spilled: dict[int, Spilled] = {}
    for marker, body in _chunks(text, start):
        try:
            message, digest, whole = _read_message(marker[1], body)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            line = text.count("\n", 0, marker.start() + 1) + 1
            raise DamagedFile(f"{where}, line {line}: not a message's marker ({error}); restore that line") from error
        messages.append(message)
        if whole:
            spilled[len(messages)] = whole
        if (whole or message).sha256[:16] != digest:
            damaged.append(len(messages))
    if len(messages) != front.count:
        found = f"holds {len(messages)} messages, but its front matter says {front.count}"
        raise DamagedFile(f"{where}: {found}; restore the file")
    session = replace(front.session, messages=tuple(messages))
    return RawFile(session, front.part, front.first, tuple(damaged), spilled)


def parse_front(text: str, where: str) -> RawFront:
    """The front matter alone; the beginning of the file is enough, if it holds all of it."""
    text = text.removeprefix("\ufeff")
    return _read_front(text.replace("\r\n", "\n") if "\r" in text else text, where)[0]


def _front_fields(raw: RawFile) -> dict[str, object]:
    session = raw.session
    optional: dict[str, tuple[object, object]] = {
        "title": (session.title, None),
        "at": (session.at, None),
        "kind": (session.kind, "conversation"),
        "origin": (session.origin, ""),
        "group": (session.group, ()),
        "part": (raw.part, 1),
        "first": (raw.first, 0),
        "meta": (session.meta, {}),
    }
    present = {key: value for key, (value, default) in optional.items() if value != default}
    fields = {"jam": FORMAT_VERSION, "id": session.id, "format": session.format, "messages": len(session.messages)}
    return fields | present


def _read_front(text: str, where: str) -> tuple[RawFront, int]:
    fields, start = read_front_matter(text, where)
    check_version(fields, where)
    try:
        return _front(fields), start
    except (ValueError, TypeError, KeyError) as error:
        raise DamagedFile(f"{where}: its front matter is wrong or incomplete ({error}); correct it") from error


def _front(fields: Mapping[str, Any]) -> RawFront:
    session = Session(
        id=_checked(fields, "id", str),
        messages=(),
        title=_checked(fields, "title", str, None),
        format=_checked(fields, "format", str, "unknown"),
        origin=_checked(fields, "origin", str, ""),
        group=tuple(_checked(fields, "group", list, [])),
        kind=_checked(fields, "kind", str, "conversation"),
        at=_checked(fields, "at", str, None),
        meta=_checked(fields, "meta", dict, {}),
    )
    if session.kind not in _SESSION_KINDS or not all(isinstance(name, str) for name in session.group):
        raise ValueError(f"kind {session.kind!r}, group {session.group!r}")
    part, first = _checked(fields, "part", int, 1), _checked(fields, "first", int, 0)
    return RawFront(session, part, first, _checked(fields, "messages", int))


def _checked(fields: Mapping[str, Any], key: str, kind: type, *default: Any) -> Any:
    if key not in fields and default:
        return default[0]
    if not isinstance(fields[key], kind):
        raise TypeError(f"{key} is {fields[key]!r}")
    return fields[key]


def _shown(number: int, message: Message, spilled: Spilled | None) -> dict[str, object]:
    body, flags = hide(message.text)
    if spilled:
        flags |= {"spilled": spilled.sha256, "characters": spilled.characters}
    flags["sha256"] = (spilled or message).sha256[:16]
    marker = dump_json(_marker_fields(message, flags)).replace("<", "\\u003c").replace(">", "\\u003e")
    return {
        "number": number,
        "heading": _heading(number, message),
        "marker": f"{OWN_COMMENT}message {marker} -->",
        "body": body,
    }


def _heading(number: int, message: Message) -> str:
    """`### 3 · Caroline · 2023-05-08 13:56`, and what else helps a person."""
    parts = [str(number), label(message.name, 60), "" if message.kind == "message" else message.kind.replace("_", " ")]
    if message.at:
        minutes = _MINUTES.match(message.at)
        parts.append(f"{minutes[1]} {minutes[2]}" if minutes else label(message.at, 40))
    if message.thread is not None:
        parts.append(f"thread {label(message.thread, 40)}")
    parts += [f"attached {label(file.name or file.sha256[:12], 60)}" for file in message.attachments]
    return "### " + " · ".join(part for part in parts if part)


def _marker_fields(message: Message, flags: Mapping[str, object]) -> dict[str, object]:
    fields: dict[str, object] = {key: value for key in _OPTIONAL if (value := getattr(message, key)) is not None}
    fields["role"] = message.role
    if message.kind != "message":
        fields["kind"] = message.kind
    if message.attachments:
        files = [asdict(file) for file in message.attachments]
        fields["attachments"] = [{key: value for key, value in file.items() if value is not None} for file in files]
    if message.meta:
        fields["meta"] = message.meta
    return {**fields, **flags}


def _chunks(text: str, start: int) -> Iterator[tuple[re.Match[str], str]]:
    """Each marker with the body below it."""
    marker = _MARKER.search(text, start - 1)
    while marker:
        following = _MARKER.search(text, marker.end())
        # A body ends before the heading of the next message, or with the file.
        end = text.rfind("\n", marker.end(), following.start()) if following else len(text)
        yield marker, text[marker.end() : end].removeprefix("\n").removeprefix("\n").removesuffix("\n")
        marker = following


def _read_message(marker: str, body: str) -> tuple[Message, str, Spilled | None]:
    """The message, the beginning of the digest that its text had when it was written, and where the whole text is."""
    fields = load_json(marker.rstrip().removesuffix("-->"))
    if not isinstance(fields, dict):
        raise TypeError("not an object")
    role, kind = fields["role"], fields.get("kind", "message")
    id, at, speaker, thread = (fields.get(key) for key in _OPTIONAL)
    if kind not in _KINDS or type(role) is not str:
        raise ValueError(f"kind {kind!r}, role {role!r}")
    if not {type(id), type(at), type(speaker), type(thread)} <= _TEXT_OR_NONE:
        raise TypeError(f"id {id!r}, at {at!r}, speaker {speaker!r}, thread {thread!r}")
    attachments = tuple(Attachment(**file) for file in fields["attachments"]) if "attachments" in fields else ()
    text = reveal(body, fields)
    message = Message(role, text, id, at, speaker, kind, thread, attachments, fields.get("meta", {}))
    return message, fields.get("sha256", ""), _read_spilled(fields) if "spilled" in fields else None


def _read_spilled(fields: Mapping[str, Any]) -> Spilled:
    digest, characters = fields["spilled"], fields["characters"]
    if type(digest) is not str or not _DIGEST.fullmatch(digest) or type(characters) is not int or characters < 0:
        raise ValueError(f"spilled {digest!r}, characters {characters!r}")
    return Spilled(digest, characters)
