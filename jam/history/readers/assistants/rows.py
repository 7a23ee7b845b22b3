"""The records of a file that holds conversations, or messages, in an array, in JSON lines, or as a single object."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from jam.history.parsing.decoding import decode
from jam.history.parsing.jsonitems import Item, json_items
from jam.history.parsing.jsontext import sample_json
from jam.history.parsing.lines import Record, json_records
from jam.history.reader import Note, Skipped, SourceFile
from jam.session import text_digest


@dataclass(frozen=True, slots=True)
class Row:
    """A record, where it stands, and what its session is called if it has no id of its own."""

    value: Any
    where: str
    name: str


def sample_rows(file: SourceFile, keys: Sequence[str] = (), limit: int = 10) -> list[Any]:
    """The first records of a file, as far as its sample goes; none where it isn't JSON."""
    sample = sample_json(file)
    if sample is None:
        return []
    if sample.shape == "lines":
        return list(sample.values[:limit])
    value = sample.values[0]
    if isinstance(value, dict):
        inner = next((value[key] for key in keys if isinstance(value.get(key), list)), None)
        return [value] if inner is None else inner[:limit]
    return value[:limit] if isinstance(value, list) else []


def read_rows(file: SourceFile, keys: Sequence[str] = ()) -> Iterator[Row | Skipped | Note]:
    """The file's records in their order: of an object, those of the array under the first of `keys` that it has."""
    sample = sample_json(file)
    if sample is not None and sample.shape == "lines":
        for line in json_records(file):
            if isinstance(line, Record):
                yield Row(line.value, f"line {line.number}", f"{file.name}#{line.number}")
            else:
                yield line
        return
    value = sample.values[0] if sample is not None else None
    alone = isinstance(value, dict) and not any(isinstance(value.get(key), list) for key in keys)
    for item in json_items(file, keys):
        if isinstance(item, Item):
            name = file.name if alone and item.number == 1 else f"{file.name}#{item.number}"
            yield Row(item.value, f"record {item.number}", name)
        else:
            yield item


NO_CONVERSATIONS = Note("no conversations in it", companion=True)
_SHORT = 100
"""Bytes."""
_EXPORTS = re.compile(r"conversations(?:-\d{1,4})?\.json")


def is_empty_export(file: SourceFile) -> bool:
    """Whether a file is an assistant's export of no conversations at all, by its name."""
    named = _EXPORTS.fullmatch(file.name.rpartition("/")[2]) is not None
    return named and (is_empty_list(file) or _text(file) == '{"conversations":[]}')


def is_empty_list(file: SourceFile) -> bool:
    """Whether a file is a whole JSON array without any record."""
    return _text(file) == "[]"


def _text(file: SourceFile) -> str:
    """A short file's text without its blanks."""
    return "".join(decode(file.sample).split()) if file.size < _SHORT else ""


class Ids:
    """The ids of a file's sessions: each its own, although rows repeat them."""

    def __init__(self, file_name: str) -> None:
        self._file_name = file_name
        self._digests: dict[str, list[str]] = {}

    def own(self, stated: str | None) -> str | None:
        """The id that a row states; a mere number, which other files have as well, is told apart by the file's name."""
        numbered = stated is not None and stated.isdecimal() and len(stated) < 9
        return f"{self._file_name}#{stated}" if numbered else stated

    def unique(self, session_id: str, content: object) -> str | None:
        """The id, numbered where another row of the file has it; `None` for the very same row again."""
        try:
            digest = text_digest(repr(content))[:16]
        except RecursionError:
            digest = ""  # its messages are skipped one by one
        earlier = self._digests.setdefault(session_id, [])
        if digest in earlier:
            return None
        earlier.append(digest)
        return session_id if len(earlier) == 1 else f"{session_id}~{len(earlier)}"
