"""HTML cut into tags and texts, the way browsers do it, in time that grows with the length of the markup only.

The standard library's parser takes minutes over a few dozen kilobytes of hostile markup, and dies of some. Nothing here
knows what a tag means, apart from the elements whose content is no markup.
"""

from __future__ import annotations

import html
import re
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from jam.history.parsing.decoding import decode, mark_of, wide_encoding, windows_text

RAW = frozenset({"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"})
"""Elements whose content is no markup."""
VOID = frozenset(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split()
)
"""Elements without content."""

_MARKUP = re.compile(r"<(?=[A-Za-z/!?])")
_TAG = re.compile(r"<(/?)([A-Za-z][^\s/>]*+)")
_ATTRIBUTE = re.compile(r"""[\s/]*+([^\s/>][^\s/>=]*+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"'][^\s>]*+))?+)?+""")
_TAG_END = re.compile(r"[\s/]*+>?")
_HUGE_REFERENCE = re.compile(r"&#(?:[xX][0-9a-fA-F]{9,}+|[0-9]{9,}+);?")
_CHARSET = re.compile(rb"""<meta[^>]{0,400}?charset\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"""\A\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w.:-]{2,40})""", re.IGNORECASE)
_CODE_PAGE = re.compile(
    r"windows-?\d{3,4}|cp\d{3,4}|iso-?8859-?\d{1,2}|latin-?\d|koi8-?[ru]|gb2312|gbk|gb18030|big5|euc-?(?:jp|kr)"
    r"|shift[_-]?jis|sjis|x-sjis|iso-2022-jp|ks_c_5601-1987|macintosh|tis-?620|ibm866",
    re.IGNORECASE,
)
_OTHER_NAMES = {
    **dict.fromkeys(("iso-8859-1", "iso8859-1", "latin1", "latin-1", "windows-1252", "windows1252"), "cp1252"),
    **dict.fromkeys(("gb2312", "gbk"), "gb18030"),
    "x-sjis": "shift_jis",
    "macintosh": "mac_roman",
}


@dataclass(frozen=True, slots=True)
class Token:
    """A tag, or what stands between two."""

    kind: Literal["start", "end", "text", "raw"]
    """`raw` is the content of one of the `RAW` elements."""
    value: str
    """The name of a tag in lower case; text with its character references replaced; raw content as it stands."""
    attributes: Mapping[str, str] = field(default_factory=dict)
    closed: bool = False
    """Whether a start tag ends with `/>`."""


def is_xhtml(markup: str) -> bool:
    """Whether `<a/>` closes itself, as in XML."""
    return markup[:100].lstrip("\ufeff \t\r\n").startswith("<?xml") or "http://www.w3.org/1999/xhtml" in markup[:2000]


def unescape(text: str) -> str:
    """Text with its character references replaced."""
    return html.unescape(_HUGE_REFERENCE.sub("\ufffd", text)) if "&" in text else text


def tokens(markup: str) -> Iterator[Token]:
    """The tags and texts of some markup in their order; comments and declarations are left out."""
    at, xml = 0, is_xhtml(markup)
    unclosed: set[str] = set()
    while at < len(markup):
        begin = _MARKUP.search(markup, at)
        if begin is None or begin.start() != at:
            end = begin.start() if begin else len(markup)
            yield Token("text", unescape(markup[at:end]))
            at = end
            continue
        found = _TAG.match(markup, at)
        if found is None:
            at = yield from _no_tag(markup, at, unclosed)
            continue
        name = found[2].lower()
        attributes, at, closed = _attributes(markup, found.end())
        if found[1]:
            yield Token("end", name)
            continue
        closed_in_xml = xml and closed and name not in VOID
        yield Token("start", name, attributes, closed and not closed_in_xml)
        if closed_in_xml:
            yield Token("end", name)
        elif name in RAW:
            closing = yield from _raw(markup, at, name, unclosed)
            if closing is None:
                yield Token("end", name)
            at = closing or at


def _attributes(markup: str, at: int) -> tuple[dict[str, str], int, bool]:
    """What a tag says from `at` on, where it ends, and whether it closes itself."""
    attributes: dict[str, str] = {}
    while found := _ATTRIBUTE.match(markup, at):
        at = found.end()
        value = next((group for group in found.groups()[1:] if group is not None), "")
        attributes.setdefault(found[1].lower(), unescape(value))
    end = _TAG_END.match(markup, at)
    assert end is not None
    return attributes, end.end(), "/" in end[0]


def _no_tag(markup: str, at: int, unclosed: set[str]) -> Generator[Token, None, int]:
    """What begins like markup and is no tag: a comment or a declaration. Gives where it ends."""
    for mark, closing in (("<!--", "-->"), ("<![CDATA[", "]]>")):
        if markup.startswith(mark, at) and mark not in unclosed:
            end = markup.find(closing, at + len(mark))
            if end < 0:
                unclosed.add(mark)
                break
            if mark != "<!--":
                yield Token("text", markup[at + len(mark) : end])
            return end + len(closing)
    end = -1 if ">" in unclosed else markup.find(">", at)
    if end >= 0:
        return end + 1
    unclosed.add(">")
    return at + 2


def _raw(markup: str, at: int, name: str, unclosed: set[str]) -> Generator[Token, None, int | None]:
    """The content of an element that holds no markup. Gives where it ends; `None` where it is never closed."""
    if name in unclosed:
        return None
    closing = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(markup, at)
    if closing is None:
        unclosed.add(name)
        return None
    if closing.start() > at:
        yield Token("raw", markup[at : closing.start()])
    return closing.start()


def decode_markup(data: bytes) -> str:
    """The text of an HTML or XML file: by its byte order mark, as UTF-8 where it is that, by what it states, or by
    detection. A page that was saved anew often still states its old encoding."""
    if mark_of(data) or wide_encoding(data):
        return decode(data)
    stated = _CHARSET.search(data[:4096]) or _XML_ENCODING.search(data[:200])
    name = stated[1].decode("ascii").lower() if stated else ""
    if not _CODE_PAGE.fullmatch(name):
        return decode(data)
    if not data.isascii():
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            pass
    name = _OTHER_NAMES.get(name, name)
    try:
        return windows_text(data) if name == "cp1252" else data.decode(name)
    except (UnicodeError, LookupError):
        return decode(data)
