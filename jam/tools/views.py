"""What the tools give back: plain data, with a text for readers and a dictionary for programs."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from jam.jobs import Gleaned
from jam.text import shorten
from jam.workspace.names import label

_SHOWN_CHARS = 600


@dataclass(frozen=True, slots=True)
class Child:
    """A line of a folder's listing."""

    path: str
    kind: str
    """`folder` or `session`."""
    title: str
    date: str | None = None
    sessions: int = 1


@dataclass(frozen=True, slots=True)
class FolderView:
    """What `open` shows."""

    path: str
    readme: str
    children: tuple[Child, ...]

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "children": [asdict(child) for child in self.children]}

    def render(self) -> str:
        lines = [self.readme.strip(), "", f"/{self.path}"]
        for child in self.children:
            mark = f"{child.path}/ ({child.sessions} sessions)" if child.kind == "folder" else child.path
            lines.append(f"  {mark}")
        return "\n".join(lines).strip()


@dataclass(frozen=True, slots=True)
class Quote:
    """A message as the tools show it."""

    path: str
    message: int
    id: str | None
    at: str | None
    speaker: str | None
    role: str
    kind: str
    text: str
    score: float

    def render(self) -> str:
        when = f" ({self.at[:16].replace('T', ' ')})" if self.at else ""
        return f"  {self.message}. {label(self.speaker or self.role)}{when}: {shorten(self.text, _SHOWN_CHARS)}"


@dataclass(frozen=True, slots=True)
class FileHit:
    """A session that a search found, with its best messages."""

    path: str
    title: str
    gist: str
    date: str | None
    score: float
    quotes: tuple[Quote, ...]
    linked: tuple[str, ...] = ()
    """Other sessions that go on with the matter of the best message, where links are to be shown."""

    def render(self) -> str:
        head = f"{self.path} · {label(self.title)}"
        linked = [f"  goes on in: {', '.join(self.linked)}"] if self.linked else []
        return "\n".join([head, *(quote.render() for quote in self.quotes), *linked])


@dataclass(frozen=True, slots=True)
class SearchView:
    """What `search` shows: sessions, best first."""

    query: str
    scope: str
    files: tuple[FileHit, ...]
    found: bool
    """Whether anything there bears on the query at all; otherwise the files are only the least unlike."""
    notes: tuple[str, ...] = ()
    """What it went without, in sentences."""

    def to_dict(self) -> dict[str, Any]:
        files = [{**asdict(file), "quotes": [asdict(quote) for quote in file.quotes]} for file in self.files]
        return {**asdict(self), "files": files}

    def render(self) -> str:
        if not self.files:
            return f"nothing found for {self.query!r}"
        head = [] if self.found else ["nothing fits well; the nearest are:"]
        return "\n\n".join([*head, *(file.render() for file in self.files)])


@dataclass(frozen=True, slots=True)
class Reading:
    """What `browse` shows: the messages of one session that bear on a question, in their order."""

    path: str
    query: str
    title: str
    date: str | None
    quotes: tuple[Quote, ...]
    gleaned: Gleaned = field(default=Gleaned(()), repr=False)
    """What the reader took from the file, in its order."""

    def to_dict(self) -> dict[str, Any]:
        data = {key: getattr(self, key) for key in ("path", "query", "title", "date")}
        return {**data, "quotes": [asdict(quote) for quote in self.quotes], "remarks": self.gleaned.remarks}

    def render(self) -> str:
        head = f"{self.path} · {label(self.title)}" + (f" · {self.date[:10]}" if self.date else "")
        remarks = [f"  reader's remark: {label(self.gleaned.remarks, 800)}"] if self.gleaned.remarks else []
        return "\n".join([head, *remarks, *(quote.render() for quote in self.quotes)])
