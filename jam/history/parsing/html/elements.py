"""What the elements of HTML mean for the text in them: which are blocks, which hold no text of the page, which surround
its main text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from jam.history.parsing.html.tokens import Token
from jam.history.parsing.text_blocks import Table

DEEPEST = 8
"""Lists, quotes and tables that are nested deeper look like those at this depth."""
DROPPED = frozenset(
    "script style textarea title xmp iframe noembed noframes template select datalist button svg canvas object applet"
    " audio video map rp annotation annotation-xml noscript".split()
)
"""Elements whose content is no text of the page."""
BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure"
    " footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup option p"
    " plaintext pre search section summary table tbody td tfoot th thead tr ul".split()
)
LISTS = frozenset({"ul", "ol", "menu", "dir", "dl"})
PARTS_OF_TABLES = frozenset({"tr", "td", "th", "thead", "tbody", "tfoot", "caption"})
CONTAINED = {
    **dict.fromkeys(("li", "dt", "dd"), LISTS),
    **dict.fromkeys(PARTS_OF_TABLES, frozenset({"table"})),
}
"""Elements that end where the next of their kind begins in the same container."""

_LEADING_AWAY = frozenset({"navigation", "search", "menu", "menubar", "toolbar", "dialog", "alertdialog"})
_SURROUNDING = frozenset({"banner", "contentinfo", "complementary"})
_NEVER_TEXT = (
    r"share|sharing|share-\S+|social|social-\S+|related|related-\S+|newsletter\S*|advert\S*|ads?|promo\S*|cookies?"
    r"|cookie-\S+|skip-link|skiplink|mw-editsection|mw-jump-link|noprint|navbox|catlinks|printfooter|toc"
)
_WITHIN_MAIN = re.compile(rf"(?:^|\s)(?:{_NEVER_TEXT})(?=\s|$)", re.IGNORECASE)
_OUTSIDE_MAIN = re.compile(
    rf"(?:^|\s)(?:(?:site-|page-|global-|main-)?(?:nav|navbar|navigation|menu|sidebar|footer)|breadcrumbs?|{_NEVER_TEXT})"
    r"(?=\s|$)",
    re.IGNORECASE,
)
_MAIN_NAMES = frozenset({"main", "content", "main-content", "maincontent", "mw-content-text", "article", "articlebody"})
_PAGE = frozenset({"html", "body", "main", "article"})
_NOT_SHOWN = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_LANGUAGE = re.compile(r"(?:^|[\s-])(?:lang(?:uage)?|highlight-source)-([\w+#-]{1,20})|^brush:\s*(\w{1,20})")
_LOOKED_AT = 500
"""So much of an attribute counts."""


@dataclass(slots=True)
class Open:
    """An open element, with what it inherits from those around it."""

    name: str
    dropped: bool = False
    hidden: bool = False
    aside: bool = False
    main: bool = False
    pre: bool = False
    foreign: bool = False
    """Whether it is in a drawing or a formula."""
    heading: int = 0
    quotes: int = 0
    lists: int = 0
    number: int = -1
    """Of the next item of a numbered list."""
    table: Table | None = None
    language: str = ""

    def within(self, token: Token) -> Open:
        """An element that opens in this one."""
        opened = Open(
            token.value,
            dropped=self.dropped or token.value in DROPPED,
            hidden=self.hidden or _is_hidden(token),
            aside=self.aside,
            main=self.main or _is_main(token),
            pre=self.pre or token.value in ("pre", "listing", "plaintext"),
            foreign=self.foreign or token.value in ("svg", "math"),
            heading=self.heading,
            quotes=self.quotes,
            lists=self.lists,
            language=self.language,
        )
        opened.aside = self.aside or _is_aside(token, opened.main)
        opened._shape(token)
        return opened

    def _shape(self, token: Token) -> None:
        name = token.value
        if len(name) == 2 and name[0] == "h" and name[1] in "123456":
            self.heading = int(name[1])
        elif name == "blockquote":
            self.quotes = min(self.quotes + 1, DEEPEST)
        elif name in LISTS:
            self.lists = min(self.lists + 1, DEEPEST)
            self.number = _first_number(token) if name == "ol" else -1
        elif name in ("pre", "code") and self.pre:
            found = _LANGUAGE.search(_attribute(token, "class"))
            self.language = (found[1] or found[2]) if found else self.language

    def says_the_same(self, other: Open) -> bool:
        """Whether its text is treated like that of the other."""
        mine = (self.dropped, self.hidden, self.aside, self.main, self.foreign, self.language)
        return mine == (other.dropped, other.hidden, other.aside, other.main, other.foreign, other.language)


def _attribute(token: Token, name: str) -> str:
    return token.attributes.get(name, "")[:_LOOKED_AT]


def _first_number(token: Token) -> int:
    start = _attribute(token, "start")
    return int(start) if start.isdecimal() and len(start) < 6 else 1


def _is_main(token: Token) -> bool:
    return (
        token.value in ("main", "article")
        or _attribute(token, "role").lower() in ("main", "article")
        or _attribute(token, "id").lower() in _MAIN_NAMES
        or _attribute(token, "itemprop") == "articleBody"
    )


def _is_hidden(token: Token) -> bool:
    """Whether an element is not shown, or leads elsewhere."""
    if token.value == "nav" or _attribute(token, "role").lower() in _LEADING_AWAY:
        return True
    return token.value not in _PAGE and (
        "hidden" in token.attributes or bool(_NOT_SHOWN.search(_attribute(token, "style")))
    )


def _is_aside(token: Token, main: bool) -> bool:
    """Whether an element surrounds the main text."""
    name = token.value
    if name in ("aside", "footer") or _attribute(token, "role").lower() in _SURROUNDING:
        return True
    if name == "header" and not main:
        return True
    pattern = _WITHIN_MAIN if main else _OUTSIDE_MAIN
    return name not in _PAGE and bool(
        pattern.search(_attribute(token, "class")) or pattern.search(_attribute(token, "id"))
    )
