"""What the notes of a vault say beside their text: links, embedded files, tags within the text."""

from __future__ import annotations

import re
from urllib.parse import unquote

_WIKI = re.compile(r"(!?)\[\[([^\[\]\n|#^]{1,250})(?:[#^|][^\[\]\n]{0,250})?\]\]")
_MARKDOWN = re.compile(
    r"(!?)\[[^\[\]\n]{0,250}\]\((?!\w+://|mailto:|#|data:)<?([^\s()<>]{1,250}\.(?:md|markdown))(?:#[^\s()<>]{0,100})?>?\)"
)
_TAG = re.compile(r"(?:^|(?<=\s))#([^\W\d][\w/-]{0,80}|\d[\w/-]{0,60}[^\W\d][\w/-]{0,20})")
_COLOUR = re.compile(r"(?:[0-9a-f]{3}){1,2}", re.IGNORECASE)
_CODE = re.compile(
    r"^[ \t]{0,3}(```|~~~)[^\n]*+\n(?:(?!^[ \t]{0,3}\1)[^\n]*+\n?+)*+(?:[^\n]*+)|`[^`\n]{1,500}`", re.MULTILINE
)


def without_code(text: str) -> str:
    """A text without its code, in which such signs mean something else."""
    return _CODE.sub(" ", text) if "`" in text or "~~~" in text else text


def links_of(text: str) -> tuple[list[str], list[str]]:
    """The notes that a text links to, and the files that it embeds; each once, in their order."""
    links: dict[str, None] = {}
    embeds: dict[str, None] = {}
    for found in _WIKI.finditer(text):
        (embeds if found[1] else links)[found[2].strip()] = None
    for found in _MARKDOWN.finditer(text):
        (embeds if found[1] else links)[unquote(found[2]).rsplit(".", 1)[0]] = None
    return [name for name in links if name], [name for name in embeds if name]


def tags_of(text: str) -> list[str]:
    """The tags within a text."""
    tags = (found[1].rstrip("/-") for found in _TAG.finditer(text))
    return [tag for tag in tags if not _COLOUR.fullmatch(tag)]
