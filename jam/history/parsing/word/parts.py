"""The parts of a Word file that say what its text means: styles, numbering, relations, properties."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from jam.history.parsing.packages import BadPart, Package, parse_xml
from jam.history.parsing.written_dates import written_time

Start = Callable[[str, dict[str, str]], None]
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_LIST = re.compile(r"list (?:bullet|number) ([2-9])", re.IGNORECASE)
_CONTENTS = re.compile(r"toc (?:\d|heading)|table of (?:figures|authorities)", re.IGNORECASE)
_CODE = re.compile(r"(?:source ?)?code\b.*|html preformatted|preformatted text", re.IGNORECASE)
_MOST_PARENTS = 12
_TEMPLATE_DATE = "2013-12-23T23:15:00+00:00"
"""Of the template of a library that writes Word files: it dates no document."""


@dataclass(slots=True)
class Style:
    """What a paragraph style says."""

    name: str = ""
    parent: str = ""
    outline: int | None = None
    numbering: str | None = None
    level: int = 0


@dataclass(slots=True)
class Look:
    """What a paragraph is, by its style."""

    heading: int = 0
    numbering: str | None = None
    level: int = 0
    code: bool = False
    quote: bool = False
    contents: bool = False


@dataclass(slots=True)
class Styles:
    """The paragraph styles of a file."""

    styles: dict[str, Style] = field(default_factory=dict)

    def look(self, identity: str) -> Look:
        """A style with what it inherits."""
        look, outline = Look(), None
        for _ in range(_MOST_PARENTS):
            style = self.styles.get(identity)
            if style is None:
                break
            found = _HEADING.fullmatch(style.name)
            if outline is None and style.outline is not None:
                outline = style.outline
            look.heading = look.heading or (int(found[1]) if found else 1 if style.name.lower() == "title" else 0)
            if look.numbering is None and style.numbering is not None:
                named = _LIST.fullmatch(style.name)
                look.numbering, look.level = style.numbering, int(named[1]) - 1 if named else style.level
            look.code |= _CODE.fullmatch(style.name) is not None
            look.quote |= style.name.lower() in ("quote", "intense quote", "block text")
            look.contents |= _CONTENTS.fullmatch(style.name) is not None
            identity = style.parent
        if not look.heading and outline is not None and outline < 9:
            look.heading = outline + 1
        look.heading = min(look.heading, 6)
        return look


def read_styles(package: Package, path: str) -> Styles:
    """The styles; none where the part is missing or damaged."""
    styles = Styles()
    current = Style()

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal current
        value = attributes.get("val", "")
        if name == "style":
            current = styles.styles.setdefault(attributes.get("styleId", ""), Style())
        elif name == "name":
            current.name = value
        elif name == "basedOn":
            current.parent = value
        elif name == "outlineLvl":
            current.outline = level_of(value)
        elif name == "numId":
            current.numbering = value
        elif name == "ilvl":
            current.level = level_of(value)

    _try(package, path, start)
    return styles


@dataclass(slots=True)
class Numbering:
    """The lists of a file, and how far each has counted."""

    formats: dict[tuple[str, int], str] = field(default_factory=dict)
    """Of an abstract list's level."""
    starts: dict[tuple[str, int], int] = field(default_factory=dict)
    lists: dict[str, str] = field(default_factory=dict)
    """The abstract list of each list."""
    counts: dict[str, list[int | None]] = field(default_factory=dict)

    def marker(self, numbering: str, level: int) -> str:
        """Of the next item."""
        key = (self.lists.get(numbering, ""), level)
        kind = self.formats.get(key, "bullet")
        if kind in ("bullet", "none"):
            return "- "
        counts = self.counts.setdefault(numbering, [None] * 10)
        before = counts[level]
        counts[level] = self.starts.get(key, 1) if before is None else before + 1
        counts[level + 1 :] = [None] * (9 - level)
        count = counts[level] or 0
        letter = kind in ("lowerLetter", "upperLetter") and 0 < count <= 26
        return f"{chr(96 + count)}. " if letter else f"{count}. "


def read_numbering(package: Package, path: str) -> Numbering:
    """The lists; none where the part is missing or damaged."""
    numbering = Numbering()
    abstract, own, level = "", "", 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal abstract, own, level
        value = attributes.get("val", "")
        if name == "abstractNum":
            abstract = attributes.get("abstractNumId", "")
        elif name == "lvl":
            level = level_of(attributes.get("ilvl", ""))
        elif name == "numFmt":
            numbering.formats.setdefault((abstract, level), value)
        elif name == "start":
            numbering.starts.setdefault((abstract, level), number_of(value))
        elif name == "num":
            own = attributes.get("numId", "")
        elif name == "abstractNumId" and own:
            numbering.lists.setdefault(own, value)

    _try(package, path, start)
    return numbering


def read_relations(package: Package, part: str) -> dict[str, tuple[str, str]]:
    """What a part refers to: id → (the last word of its type, target)."""
    folder, _, name = part.rpartition("/")
    relations: dict[str, tuple[str, str]] = {}

    def start(name: str, attributes: dict[str, str]) -> None:
        if name == "Relationship":
            target = attributes.get("Target", "")
            if attributes.get("TargetMode") != "External":
                target = target if target.startswith("/") or not folder else f"{folder}/{target}"
            kind = attributes.get("Type", "").rpartition("/")[2]
            relations[attributes.get("Id", "")] = (kind, target)

    _try(package, f"{folder}/_rels/{name}.rels", start)
    return relations


@dataclass(slots=True)
class Properties:
    """What a Word file says of itself."""

    title: str | None = None
    author: str | None = None
    created: str | None = None
    modified: str | None = None


def read_properties(package: Package) -> Properties:
    """The core properties; none where the part is missing or damaged."""
    found: dict[str, str] = {}
    current = ""

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal current
        current = name

    def text(data: str) -> None:
        if current:
            found[current] = found.get(current, "") + data

    _try(package, "docProps/core.xml", start, text)
    values = {key: value.strip()[:500] or None for key, value in found.items()}
    created, modified = written_time(values.get("created")), written_time(values.get("modified"))
    return Properties(
        values.get("title"),
        values.get("creator"),
        created if created != _TEMPLATE_DATE else None,
        modified if modified != _TEMPLATE_DATE else None,
    )


def number_of(text: str) -> int:
    """A number; 0 for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0


def level_of(text: str) -> int:
    """The level of a list or an outline."""
    return min(number_of(text), 9)


def _try(package: Package, path: str, start: Start, text: Callable[[str], None] | None = None) -> None:
    """Read a part that the text can do without."""
    with suppress(BadPart):
        parse_xml(package.read(path), start, lambda name: None, text)
