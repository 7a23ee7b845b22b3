"""What a page says of itself: title, date, author, address. Only what it states; nothing is guessed from its text."""

from __future__ import annotations

import re
from collections.abc import Mapping

from jam.history.parsing.html.tokens import Token, unescape
from jam.history.parsing.written_dates import written_time

_TITLES = ("og:title", "citation_title", "dc.title", "twitter:title")
_DATES = (
    "article:published_time",
    "datepublished",
    "citation_publication_date",
    "citation_date",
    "parsely-pub-date",
    "publishdate",
    "publish-date",
    "publication_date",
    "pubdate",
    "dc.date.issued",
    "dcterms.issued",
    "dcterms.created",
    "dc.date",
    "dcterms.date",
    "date",
    "created",
)
_AUTHORS = ("author", "citation_author", "dc.creator", "dcterms.creator", "article:author")
_PUBLISHED = re.compile(r'"datePublished"\s{0,9}:\s{0,9}"([^"]{4,60})"')
_DATE_CLASS = re.compile(r"publish|dt-published|entry-date|post-date|byline", re.IGNORECASE)
_SAVED_FROM = re.compile(
    r"<!-- saved from url=\(\d{1,6}\)(\S{1,2000}) -->|Page saved with SingleFile\s+url: (\S{1,2000})"
)
_LONGEST = 500


class Head:
    """Takes the tokens of a page one by one."""

    def __init__(self, markup: str) -> None:
        saved = _SAVED_FROM.search(markup[:4000])
        self._saved_from = (saved[1] or saved[2]) if saved else None
        self._values: dict[str, str] = {}
        self._address: str | None = None
        self._title = ""
        self._within = ""
        self._times: list[str] = []
        self._published: str | None = None
        self.language: str | None = None

    def take(self, token: Token) -> None:
        """The next token."""
        if token.kind == "raw":
            self._raw(token.value)
        elif token.kind == "end":
            self._within = ""
        elif token.kind == "start":
            self._within = token.value if token.value in ("title", "script") else ""
            self._start(token.value, token.attributes)

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "meta":
            key = attributes.get("property") or attributes.get("name") or attributes.get("itemprop") or ""
            value = attributes.get("content", "").strip()
            if key and value:
                self._values.setdefault(key.lower()[:100], value[:_LONGEST])
        elif name == "html":
            self.language = (
                self.language or attributes.get("lang", "")[:20] or attributes.get("xml:lang", "")[:20] or None
            )
        elif name == "link" and attributes.get("rel", "").lower() == "canonical":
            self._address = self._address or attributes.get("href") or None
        elif name == "script":
            self._within = "ld" if attributes.get("type", "").lower() == "application/ld+json" else ""
        elif name == "time" and len(self._times) < 100:
            self._time(attributes)

    def _time(self, attributes: Mapping[str, str]) -> None:
        time = written_time(attributes.get("datetime", ""))
        if time is None:
            return
        stated = attributes.get("itemprop") == "datePublished" or "pubdate" in attributes
        if stated or _DATE_CLASS.search(attributes.get("class", "")[:_LONGEST]):
            self._published = self._published or time
        self._times.append(time)

    def _raw(self, text: str) -> None:
        if self._within == "title" and not self._title:
            self._title = _clean(unescape(text[: 4 * _LONGEST]))
        elif self._within == "ld" and self._published is None and (found := _PUBLISHED.search(text)):
            self._published = written_time(found[1])

    @property
    def at(self) -> str | None:
        """When the page was published: as stated; else the only time that it marks as one."""
        stated = next(filter(None, (written_time(self._values.get(key, "")) for key in _DATES)), None)
        only = self._times[0] if len(set(self._times)) == 1 else None
        return stated or self._published or only

    @property
    def author(self) -> str | None:
        """Who wrote it."""
        names = (_clean(self._values.get(key, "")) for key in _AUTHORS)
        return next((name for name in names if name and "://" not in name), None)

    @property
    def address(self) -> str | None:
        """Where the page was taken from."""
        address = self._saved_from or self._address or self._values.get("og:url")
        return address if address and "://" in address[:12] and len(address) <= 2000 else None

    def title(self, headings: list[str]) -> str | None:
        """The title, without the name of the site where the page, or one of its headings, says which part that is."""
        stated = next(filter(None, (_clean(self._values.get(key, "")) for key in _TITLES)), None)
        whole = self._title.casefold()
        contained = [heading for heading in headings if heading.casefold() in whole]
        leading = next((heading for heading in contained if whole.startswith(heading.casefold())), None)
        if stated and (stated in headings or not leading):
            return stated
        return leading or next(iter(contained), None) or self._title or (headings[0] if len(headings) == 1 else None)


def _clean(text: str) -> str:
    return " ".join(text.split())[:_LONGEST]
