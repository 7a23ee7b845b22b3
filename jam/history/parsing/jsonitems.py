"""The records of one large JSON document, one at a time: an array, or the array under a known key of an object.

An export of many hundred megabytes is never held whole, and a damaged or cut record costs itself only.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from jam.history.parsing.decoding import mend_strays, wide_encoding
from jam.history.parsing.jsontext import TOKEN, decode_value, read_whole
from jam.history.reader import Skipped
from jam.history.source import SourceFile

_MOST_BROKEN = 200
"""So many damaged records on end, and the rest is given up: it is no array of records."""
MAX_RECORD = 128 * 1024 * 1024
"""Characters; a longer record is skipped."""
_HELD_WHOLE = 8 * 1024 * 1024
_CHUNK = 1024 * 1024
_NEAR_THE_END = 65_536
"""An error this close to the end of what has been read may merely mean that more must be read."""
_BLANK = re.compile(r"[\s\ufeff\x00]*")


@dataclass(frozen=True, slots=True)
class Item:
    """A record and its place in the array."""

    number: int
    """From 1."""
    value: Any


def json_items(file: SourceFile, keys: Sequence[str] = ()) -> Iterator[Item | Skipped]:
    """The records of the document's array; of an object, those of the array under the first of `keys` that it has, else
    the object itself as the only one. What can't be read is skipped, with its number and line."""
    yield from _Items(file, keys).read()


class _Broken(Exception):
    """A record that is no JSON."""


class _Items:
    """A document being read: the text that waits, and how far it has been taken."""

    def __init__(self, file: SourceFile, keys: Sequence[str]) -> None:
        self._chunks = _chunks(file)
        self._keys = keys
        self._text = ""
        self._at = 0
        self._lines = 1
        self._ended = False

    def read(self) -> Iterator[Item | Skipped]:
        mark = self._peek()
        if mark == "[":
            yield from self._array()
        elif mark == "{" and self._keys:
            yield from self._object()
        elif mark:
            yield self._record(1)

    def _object(self) -> Iterator[Item | Skipped]:
        """The array under one of the keys; an object without any of them is the record."""
        fields: dict[str, Any] = {}
        self._at += 1
        while True:
            mark = self._peek()
            if mark == ",":
                self._at += 1
                continue
            if mark != '"':
                break
            try:
                key = self._value()
                if self._peek() != ":":
                    break
                self._at += 1
                if key in self._keys and self._peek() == "[":
                    yield from self._array()
                    return
                fields[key] = self._value()
            except _Broken as error:
                yield Skipped("record 1", f"{error} (line {self._line()})")
                return
        if mark == "}":
            yield Item(1, fields)
        else:
            yield Skipped("record 1", f"damaged or cut JSON (line {self._line()})")

    def _array(self) -> Iterator[Item | Skipped]:
        number = broken = 0
        self._at += 1
        while True:
            mark = self._peek()
            if mark == "]":
                return
            if broken == _MOST_BROKEN:
                yield Skipped(f"after record {number}", "the rest of the file is no JSON")
                return
            if mark == "," and number:
                self._at += 1
                continue
            if not mark:
                yield Skipped(f"after record {number}", f"the file is cut off (line {self._line()})")
                return
            number += 1
            record = self._record(number)
            broken = broken + 1 if isinstance(record, Skipped) else 0
            yield record
            if isinstance(record, Skipped) and self._ended and self._at >= len(self._text):
                return

    def _record(self, number: int) -> Item | Skipped:
        try:
            return Item(number, self._value())
        except _Broken as error:
            line = self._line()
            self._step_over()
            return Skipped(f"record {number}", f"{error} (begins at line {line})")

    def _value(self) -> Any:
        """The value that begins here. Raises `_Broken`."""
        self._peek()
        while True:
            try:
                value, end = decode_value(self._text, self._at)
            except RecursionError:
                raise _Broken("nested too deeply") from None
            except json.JSONDecodeError as error:
                open_string = error.msg.startswith("Unterminated string")
                far = error.pos < len(self._text) - _NEAR_THE_END and not open_string
                if far or not self._more():
                    raise _Broken(f"damaged or cut JSON: {error.msg}") from None
            else:
                # A number may go on in what has not been read yet.
                if end < len(self._text) or self._text[end - 1] in '"]}' or not self._more():
                    self._at = end
                    return value

    def _step_over(self) -> None:
        """To the end of a damaged record, as far as its brackets tell; to the end of the file where they don't."""
        depth = 0
        while True:
            for token in TOKEN.finditer(self._text, self._at):
                mark = token[0]
                if mark == '"':  # a string that has not been read to its end
                    self._at = token.start()
                    break
                depth += (mark in "[{") - (mark in "]}")
                if (depth < 0 and mark == "]") or (depth == 0 and mark == ","):
                    self._at = token.start()
                    return
                self._at = token.end()
                if depth <= 0 and mark in "]}":
                    return
            else:
                self._at = len(self._text)
            if not self._more():
                self._at, self._ended = len(self._text), True
                return

    def _peek(self) -> str:
        """The next character that isn't blank; empty at the end of the file."""
        while True:
            found = _BLANK.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _more(self) -> bool:
        """Read on: at least as much again as is waiting, so that a long record is not tried too often."""
        if self._ended or len(self._text) - self._at > MAX_RECORD:
            return False
        self._lines += self._text.count("\n", 0, self._at)
        parts = [self._text[self._at :]]
        wanted = len(parts[0])
        while wanted >= 0:
            chunk = next(self._chunks, None)
            if chunk is None:
                self._ended = True
                break
            parts.append(chunk)
            wanted -= len(chunk)
        self._text, self._at = "".join(parts), 0
        return len(parts) > 1

    def _line(self) -> int:
        return self._lines + self._text.count("\n", 0, self._at)


def _chunks(file: SourceFile) -> Iterator[str]:
    """The text in pieces; small files, and those in wide or unknown encodings, in one."""
    if file.size <= _HELD_WHOLE or wide_encoding(file.sample or file.read_bytes(4096)):
        yield read_whole(file)
        return
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    with file.open() as stream:
        while data := stream.read(_CHUNK):
            yield mend_strays(decoder.decode(data))
    yield mend_strays(decoder.decode(b"", final=True))
