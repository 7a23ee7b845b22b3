"""The records of a data set: an array, one object alone, or JSON lines. Nothing here knows what they hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from jam.history.parsing.jsonitems import Item, json_items
from jam.history.parsing.jsontext import sample_json
from jam.history.parsing.lines import Record, json_records
from jam.history.reader import Note, Skipped, SourceFile

_LOOKED_AT = 10


@dataclass(frozen=True, slots=True)
class Row:
    """A record and its place."""

    number: int
    """Of the record, or of the line it stands on, from 1."""
    where: str
    """The same for people: `record 3` or `line 3`."""
    value: Any


def first_rows(file: SourceFile) -> list[dict[str, Any]]:
    """The objects among the first records, as far as the sample goes."""
    sample = sample_json(file)
    if sample is None:
        return []
    values: Any = sample.values
    if isinstance(values[0], list):
        values = values[0]
    return [value for value in values[:_LOOKED_AT] if isinstance(value, dict)]


def rows(file: SourceFile) -> Iterator[Row | Skipped | Note]:
    """All records of a file, one at a time, with what can't be read in between."""
    sample = sample_json(file)
    if sample is not None and sample.shape == "lines" and not isinstance(sample.values[0], list):
        for line in json_records(file):
            yield Row(line.number, f"line {line.number}", line.value) if isinstance(line, Record) else line
    else:
        for item in json_items(file):
            yield Row(item.number, f"record {item.number}", item.value) if isinstance(item, Item) else item


def own_id(value: object) -> str | None:
    """An id as text; `None` where there is none."""
    is_id = isinstance(value, str | int) and not isinstance(value, bool)
    return str(value) if is_id and str(value).strip() else None


def free_name(name: str, taken: set[str]) -> str:
    """The name, or `name~2` and so on where others have it; taken from now on."""
    free = name
    for number in count(2):
        if free not in taken:
            break
        free = f"{name}~{number}"
    taken.add(free)
    return free
