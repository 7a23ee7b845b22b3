"""Chats exported by WhatsApp: a text file, alone or with its media in a folder or zip. A session is a day of a chat.

The same chat exported again, later, bears the same name: its days grow, none is read twice. Times are those of the
phone; no zone is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from jam.errors import UnreadableFile
from jam.history.enclosed import attach
from jam.history.parsing.decoding import decode, looks_binary
from jam.history.parsing.lines import text_lines
from jam.history.reader import GUESS, READ_AS, Note, Skipped, SourceFile, Spill
from jam.history.readers.people.days import Days
from jam.history.readers.people.whatsapp.lines import MARKS, Dates, Header, Order, clean_name, read_header
from jam.session import Attachment, Kind, Message, Session

_SUFFIXES = frozenset({".txt", ".text", ""})
_SAMPLE_LINES = 200
_COPY = re.compile(r"\s*\(\d{1,3}\)$")
_EXPORT_NAMES = (
    re.compile(
        r".{0,40}?\bwhats ?app\b.{0,40}?"
        r"(?:\s[-–]\s|\s(?:with|mit|con|com|avec|met|med|مع|dengan|cu|z|ze|s|с)\s)(?P<chat>.+)",
        re.IGNORECASE,
    ),
    re.compile(r"(?P<chat>.+?) ile whatsapp.*", re.IGNORECASE),
)
_SIGNS = ("end-to-end encrypt", "<Media omitted>", "image omitted", "(file attached)", "<attached: ", "\u200e")
_LOG_WORD = re.compile(r"(?:\S*\.)?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)", re.IGNORECASE)
_SYSTEM = re.compile(
    r"Messages (?:and calls|you send|to this).{0,80}end-to-end encrypt"
    r"|.{1,120} (?:created (?:this )?group|added|removed|left|joined using|changed (?:the|this|their))\b",
)
_GONE = re.compile(
    r"(?:This message was deleted|You deleted this message|This message was deleted by admin .{1,80})\.?"
)
_EDITED = re.compile(rf"[\s{MARKS}]{{0,3}}<This message was edited>\s{{0,3}}$")
_FILE_ATTACHED = re.compile(rf"[{MARKS}]{{0,3}}([^\\/:*?\"<>|\n]{{1,200}}\.\w{{1,5}}) \([^()\n]{{3,40}}\)\s*$")
_ATTACHED = re.compile(r"<[^<>:\n]{2,40}:\s?([^<>:\\/\n]{1,200}\.\w{1,5})>")


class WhatsApp:
    """See the module."""

    name = "whatsapp"
    description = "WhatsApp chat exports (*.txt, _chat.txt in a zip), recognised by lines with date, time and sender"

    def recognises(self, file: SourceFile) -> float:
        """Sure of a file with WhatsApp's name or signs; fairly sure of lines that begin with date, time and sender."""
        if file.suffix not in _SUFFIXES or looks_binary(file.sample):
            return 0.0
        text = decode(file.sample)
        lines = [line for line in text.split("\n", _SAMPLE_LINES)[:_SAMPLE_LINES] if line.strip()]
        headers = [header for line in lines if (header := read_header(line.rstrip("\r")))]
        if not headers or read_header(lines[0].rstrip("\r")) is None:
            return 0.0
        if _is_export_name(file.stem) or any("whatsapp" in folder.lower() for folder in file.folders[-1:]):
            return 0.95
        if any(sign in text for sign in _SIGNS):
            return 0.9
        senders = [header.sender for header in headers if header.sender]
        logs = sum(_LOG_WORD.fullmatch(sender) is not None for sender in senders)
        if _is_log(headers[0]) or logs > 0.3 * len(senders):
            return 0.0
        if len(senders) >= 3 and len(headers) >= 0.3 * len(lines):
            return 0.8
        return 0.6 if senders and len(headers) == len(lines) else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """The days of the chat. The file is gone through twice: first for the order of day and month."""
        dates = Dates()
        for line in text_lines(file):
            header = read_header(line.text) if line.text else None
            if header is not None:
                dates.add(header)
        order, assumed = dates.order()
        chat = _Chat(file, spill, order)
        if not dates.year_first:
            chat.days.facts = {READ_AS: f"{GUESS}{order}" if assumed else order}
        yield from chat.read()
        if assumed:
            yield Note(f"whether the day or the month comes first is not clear from the file: {order} is assumed")


def _is_export_name(stem: str) -> bool:
    return "whatsapp" in stem.lower().replace(" ", "") or _COPY.sub("", stem).lower() == "_chat"


def _is_log(header: Header) -> bool:
    """Programs write dates like this: year first, seconds, no comma, a clock of 24 hours."""
    return header.year_first and not header.comma and not header.half_days and header.clock.count(":") == 2


@dataclass(slots=True)
class _Written:
    """A message as far as it has been read."""

    number: int
    header: Header
    lines: list[str] = field(default_factory=list)


class _Chat:
    """One file being read."""

    def __init__(self, file: SourceFile, spill: Spill, order: Order) -> None:
        self.file = file
        self.spill = spill
        self.order = order
        self.name, group, key = _identity(file)
        self.days = Days(file, WhatsApp.name, key, self.name, group)

    def read(self) -> Iterator[Session | Skipped | Note]:
        current: _Written | None = None
        for line in text_lines(self.file):
            if line.text is None:
                yield Skipped(f"line {line.number}", "too long to be held")
                continue
            header = read_header(line.text)
            if header is not None:
                self._take(current)
                current = _Written(line.number, header, [header.text])
                yield from self.days.waiting()
            elif current is not None:
                current.lines.append(line.text)
            elif line.text.strip("\ufeff \t\r"):
                yield Skipped(f"line {line.number}", "no date and time before it")
        if current is None:
            raise UnreadableFile("no line with date and time in it")
        self._take(current)
        yield from self.days.finish()

    def _take(self, written: _Written | None) -> None:
        if written is not None:
            self.days.add(self._message(written), written.header.at(self.order).partition("T")[0])

    def _message(self, written: _Written) -> Message | None:
        speaker = written.header.sender
        text = "\n".join(written.lines).lstrip("\u200e\u200f").rstrip()
        plain = _EDITED.sub("", text)
        meta = {"edited": True} if plain != text else {}
        if not plain.strip():
            return None
        kind: Kind = "message"
        if speaker is None or self._is_system(speaker, plain, marked=written.lines[0].startswith("\u200e")):
            speaker, kind = None, "notice"
        elif _GONE.fullmatch(plain):
            kind = "notice"
        attachments = tuple(self._attachments(plain)) if kind == "message" else ()
        at = written.header.at(self.order)
        return Message(role="user", text=plain, at=at, speaker=speaker, kind=kind, attachments=attachments, meta=meta)

    def _is_system(self, speaker: str, text: str, *, marked: bool) -> bool:
        """What WhatsApp says in the name of the chat: iPhones write the group's name before it."""
        found = _SYSTEM.match(text)
        return found is not None and (text.startswith("Messages ") or (marked and speaker == self.name))

    def _attachments(self, text: str) -> Iterator[Attachment]:
        named = _FILE_ATTACHED.match(text.partition("\n")[0])
        for name in [named[1]] if named else [found[1] for found in _ATTACHED.finditer(text)]:
            saved = attach(self.file, name.strip(), self.spill)
            if saved is not None:
                yield saved


def _identity(file: SourceFile) -> tuple[str, tuple[str, ...], str]:
    """The chat's name, where it is filed, and what tells it from other chats, whichever export it is in."""
    stem = _COPY.sub("", file.stem)
    folders = file.folders
    holder = folders[-1] if folders else file.place.parent.name
    if stem.lower() == "_chat":
        name = _chat_of(holder)
    elif _is_export_name(stem):
        name = _chat_of(stem)
    else:
        return stem, (*folders, stem), str(PurePosixPath(*folders, stem))
    # The folder or archive of one chat bears the name of the chat.
    outer = folders[:-1] if folders and _chat_of(folders[-1]) == name else folders
    return name, (*outer, name), name


def _chat_of(name: str) -> str:
    """The name of the chat in the name of an export: `WhatsApp Chat with Ann (1)` is the chat `Ann`."""
    bare = _COPY.sub("", name.removesuffix(".zip"))
    found = next(filter(None, (pattern.fullmatch(bare) for pattern in _EXPORT_NAMES)), None)
    return clean_name(found["chat"]) or bare if found else bare
