"""JSON lines, streamed in bounded memory.

The last line of a file that is still being written is cut: it has no line end and does not parse. It is left for the
next reading and noted, never taken for an error.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from jam.history.parsing.decoding import decode_narrow, wide_encoding
from jam.history.parsing.jsontext import BadJson, parse_json, read_whole
from jam.history.reader import Note, Skipped, SourceFile

MAX_LINE = 64 * 1024 * 1024
"""A longer line is skipped without ever being held in memory."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file, without its end."""

    number: int
    """From 1."""
    text: str | None
    """`None` where the line is too long to be held."""
    ended: bool
    """Whether a line end follows it in the file."""


@dataclass(frozen=True, slots=True)
class Record:
    """A JSON value and the line it stands on."""

    number: int
    value: Any


def json_records(file: SourceFile) -> Iterator[Record | Skipped | Note]:
    """The values of a JSON-lines file in their order, with what can't be read in between."""
    for line in text_lines(file):
        if line.text is None:
            yield Skipped(f"line {line.number}", f"longer than {MAX_LINE // 1024 // 1024} MB")
        elif line.text.strip("\ufeff\x00 \t\r"):
            yield _record(line, line.text)


def _record(line: Line, text: str) -> Record | Skipped | Note:
    try:
        return Record(line.number, parse_json(text.strip("\ufeff\x00 \t\r")))
    except BadJson as error:
        if not line.ended:
            text = f"line {line.number} is not complete and not read yet: is the file still being written?"
            return Note(text, unfinished=1)
        return Skipped(f"line {line.number}", f"not JSON: {error}")


def text_lines(file: SourceFile) -> Iterator[Line]:
    """The lines of a file, whatever its encoding; only UTF-16 and UTF-32 files are held whole."""
    if wide_encoding(file.sample or file.read_bytes(4096)):
        yield from _split(read_whole(file))
    else:
        yield from _stream(file)


def _split(text: str) -> Iterator[Line]:
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        last = number == len(lines)
        if line or not last:
            yield Line(number, line, ended=not last)


def _stream(file: SourceFile) -> Iterator[Line]:
    number = 0
    with file.open() as stream:
        while data := stream.readline(MAX_LINE + 1):
            number += 1
            if len(data) > MAX_LINE and not data.endswith(b"\n"):
                while data and not data.endswith(b"\n"):
                    data = stream.readline(MAX_LINE)
                yield Line(number, None, ended=True)
                continue
            ended = data.endswith(b"\n")
            yield Line(number, decode_narrow(data.rstrip(b"\r\n").removeprefix(codecs.BOM_UTF8)), ended)
