"""The messages of a mail file, as they lie in it: one, or many behind `From ` lines. Nothing is decoded here.

A mailbox of many gigabytes is gone through line by line. `From ` is also how sentences begin: a message begins only
behind a blank line, where the line states a date and a header follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from jam.history.reader import SourceFile

MAX_MAIL = 128 * 1024 * 1024
"""Bytes; a larger message is skipped without ever being held."""
_LONGEST_LINE = 1024 * 1024
_SEPARATOR = re.compile(
    rb"From (?=.{0,250}\d{1,2}:\d\d)(?=.{0,250}\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w{0,6}\b)"
    rb".{0,250}\b(?:19|20)\d\d\b"
)
_HEADER = re.compile(rb"[!-9;-~]{1,100}:|>From ")
_END_OF_PARTS = re.compile(rb"--\S.{0,200}--\s*$")
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)
_LENGTH = re.compile(rb"\s*(\d{1,12})\s*\r?\n")


@dataclass(frozen=True, slots=True)
class RawMail:
    """A message, or its header alone."""

    number: int
    """From 1."""
    data: bytes | None
    """`None` where it is too large to be held."""


def is_mailbox(beginning: bytes) -> bool:
    """Whether a file begins with a `From ` line and a header."""
    first, _, rest = beginning.lstrip(b"\xef\xbb\xbf\r\n").partition(b"\n")
    return _SEPARATOR.match(first) is not None and _HEADER.match(rest) is not None


def raw_mails(file: SourceFile, *, headers_only: bool = False) -> Iterator[RawMail]:
    """The messages of a file in their order, whole or as far as their first blank line."""
    if is_mailbox(file.sample or file.read_bytes(4096)):
        with file.open() as stream:
            yield from _Mailbox(stream, headers_only).read()
        return
    data = file.read_bytes(MAX_MAIL + 1)
    if file.suffix == ".emlx" and (length := _LENGTH.match(data)):
        data = data[length.end() : length.end() + int(length[1])]
    yield RawMail(1, data if len(data) <= MAX_MAIL else None)


class _Mailbox:
    """A mailbox being read."""

    def __init__(self, stream: BinaryIO, headers_only: bool) -> None:
        self.stream = stream
        self.headers_only = headers_only
        self.parts: list[bytes] | None = None
        self.size = 0
        self.in_header = True

    def read(self) -> Iterator[RawMail]:
        number = 0
        may_begin = whole_line = True
        candidate = b""
        while line := self.stream.readline(_LONGEST_LINE):
            if candidate and _HEADER.match(line):
                if self.parts is not None:
                    yield self._mail(number)
                number += 1
                self.parts, self.size, self.in_header, candidate = [], 0, True, b""
            elif candidate:
                self._add(candidate)
                candidate = b""
            if may_begin and whole_line and _SEPARATOR.match(line):
                candidate = line
            else:
                self._add(line)
            blank = not line.strip(b"\r\n")
            may_begin = whole_line and (blank or _END_OF_PARTS.match(line) is not None)
            whole_line = line.endswith(b"\n")
        if candidate:
            self._add(candidate)
        if self.parts is not None:
            yield self._mail(number)

    def _add(self, line: bytes) -> None:
        """A line of the message; those before the first message belong to none."""
        if self.parts is None or (self.headers_only and not self.in_header):
            return
        if self.in_header and not line.strip(b"\r\n"):
            self.in_header = False
        self.size += len(line)
        if self.size <= MAX_MAIL:
            self.parts.append(line)
        else:
            self.parts.clear()

    def _mail(self, number: int) -> RawMail:
        if self.size > MAX_MAIL:
            return RawMail(number, None)
        return RawMail(number, _ESCAPED.sub(rb"\1", b"".join(self.parts or [])))
