"""YAML front matter of notes, read tolerantly: templates and broken YAML never cost the note.

Every value stays text (a date is not turned into something else), and what can't be parsed is simply part of the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from jam.history.parsing.times import iso_time

_FENCED = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(.*?)(?:\r?\n)?^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)
_TEMPLATE = re.compile(r"\{\{[^\n]{0,200}?\}\}|<%[^\n]{0,200}?%>")
_LARGEST = 65_536
_DEEPEST = 50
"""The parser's time grows with the square of the nesting."""
_DATE_KEYS = ("date", "created", "created_at", "date created", "published", "start")


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
        return next(filter(None, (iso_time(self.values.get(key)) for key in _DATE_KEYS)), None)

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
    found = _FENCED.match(text[: _LARGEST * 2])
    if found is None or len(found[1]) > _LARGEST or _depth(found[1]) > _DEEPEST:
        return FrontMatter()
    try:
        values = yaml.load(
            _TEMPLATE.sub("", found[1]), Loader=yaml.BaseLoader
        )  # makes nothing but text, lists and maps
    except (yaml.YAMLError, RecursionError, ValueError, TypeError):
        return FrontMatter()
    if not isinstance(values, dict):
        return FrontMatter()
    keyed = {key.lower(): value for key, value in values.items() if isinstance(key, str)}
    return FrontMatter(found[0].removeprefix("\ufeff"), keyed, found.end())


def _depth(text: str) -> int:
    depth = deepest = 0
    for mark in re.findall(r"[\[\]{}]", text):
        depth += 1 if mark in "[{" else -1
        deepest = max(deepest, depth)
    return deepest
