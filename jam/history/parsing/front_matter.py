"""YAML (or TOML) front matter of notes, read tolerantly: templates and broken YAML never cost the note.

Every value stays text (a date is not turned into something else), and what can't be parsed is simply part of the text.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, time
from typing import Any

import yaml

from jam.history.parsing.written_dates import written_time

_FENCED = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(.*?)(?:\r?\n)?^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)
_TOML = re.compile(r"\A\ufeff?\+\+\+[ \t]*\r?\n(.*?)^\+\+\+[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_TEMPLATE = re.compile(r"\{\{[^\n]{0,200}?\}\}|<%[^\n]{0,200}?%>")
_LARGEST = 65_536
_DEEPEST = 50
"""The parser's time grows with the square of the nesting."""
_DATE_KEYS = "date created createdat datecreated creationdate day datetime published publishdate pubdate start".split()
"""Without the signs between their words; the first that holds a date counts."""
_BETWEEN_WORDS = str.maketrans("", "", " _-")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The head of a note."""

    raw: str = ""
    """Verbatim, with its fences; empty where there is none."""
    values: Mapping[str, Any] = field(default_factory=dict)
    end: int = 0
    """Where the note's text begins."""

    @property
    def title(self) -> str | None:
        """The note's title."""
        value = self.values.get("title")
        return value.strip() or None if isinstance(value, str) else None

    @property
    def at(self) -> str | None:
        """The note's date, as precise as it is given."""
        dates = {key.translate(_BETWEEN_WORDS): value for key, value in self.values.items()}
        return next(filter(None, (written_time(dates.get(key)) for key in _DATE_KEYS)), None)

    def texts(self, *keys: str) -> list[str]:
        """The texts under some keys; a list, one text, or texts with commas between them."""
        found: list[str] = []
        for key in keys:
            value = self.values.get(key)
            if isinstance(value, str):
                found += re.split(r"[,\s]+" if key.startswith("tag") else r",\s*", value)
            elif isinstance(value, list):
                found += [item for item in value if isinstance(item, str)]
        return [text for text in (each.strip().removeprefix("#") for each in found) if text]


def front_matter(text: str) -> FrontMatter:
    """The front matter at the beginning of a text; an empty one where there is none, or none that can be parsed."""
    start = text[: _LARGEST * 2]
    found = _FENCED.match(start) or _TOML.match(start)
    if found is None or len(found[1]) > _LARGEST or _depth(found[1]) > _DEEPEST:
        return FrontMatter()
    head = _TEMPLATE.sub("", found[1])
    try:
        values = yaml.load(head, Loader=yaml.BaseLoader) if found.re is _FENCED else _texts(tomllib.loads(head))
    except (yaml.YAMLError, RecursionError, ValueError, TypeError):
        return FrontMatter()
    if not isinstance(values, dict):
        return FrontMatter()
    keyed = {key.lower(): value for key, value in values.items() if isinstance(key, str)}
    return FrontMatter(found[0].removeprefix("\ufeff"), keyed, found.end())


def _texts(value: Any) -> Any:
    """The values of TOML as those of YAML are read: nothing but text, lists and maps."""
    if isinstance(value, dict):
        return {key: _texts(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_texts(each) for each in value]
    return value.isoformat() if isinstance(value, date | time) else str(value)


def _depth(text: str) -> int:
    depth = deepest = 0
    for mark in re.findall(r"[\[\]{}]", text):
        depth += 1 if mark in "[{" else -1
        deepest = max(deepest, depth)
    return deepest
