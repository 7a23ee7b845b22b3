"""READMEs: a folder's map, rendered from its children's memos. What a person adds around the map stays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from jam.workspace.names import label
from jam.workspace.templates import render

_BEGIN = re.compile(r"^<!-- jam:readme ([0-9a-f-]+)(?: (\w+))? -->$", re.MULTILINE)
_END = "<!-- jam:end -->"
_FENCE = re.compile(r"<!--\s*jam:")
GIST_CHARS = 200


@dataclass(frozen=True, slots=True)
class FolderLine:
    """A subfolder's line in a README."""

    title: str
    target: str
    count: str
    gist: str


@dataclass(frozen=True, slots=True)
class SessionLine:
    """A session's line in a README."""

    date: str
    title: str
    target: str
    parts: int
    gist: str


@dataclass(frozen=True, slots=True)
class Map:
    """All that a README says."""

    title: str
    summary: str
    folders: Sequence[FolderLine] = ()
    sessions: Sequence[SessionLine] = ()


def folder_title(path: str) -> str:
    """A folder's name as a heading: `adoption-and-family` is "Adoption and family"."""
    name = path.rpartition("/")[2].replace("-", " ").strip()
    return name[:1].upper() + name[1:] if name else "Memory"


def render_readme(content: Map, made: str, existing: str | None = None) -> str:
    """The README's text: `content` inside JAM's block, and around it what a person wrote in `existing`.

    `made` is what the summary was made from and by which engine, `0f3c…-81aa… llm`.
    """
    body = render(
        "readme.md.j2",
        title=label(content.title),
        summary=_inline(content.summary),
        folders=[FolderLine(label(f.title), f.target, f.count, label(f.gist, GIST_CHARS)) for f in content.folders],
        sessions=[
            SessionLine(s.date, label(s.title), s.target, s.parts, label(s.gist, GIST_CHARS)) for s in content.sessions
        ],
    )
    block = f"<!-- jam:readme {made} -->\n{body.strip()}\n{_END}\n"
    before, after = _around(existing)
    return before + block + after


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary that a README holds."""

    text: str
    inputs: str
    """What it was made from."""
    engine: str


def summary_of(existing: str | None) -> Summary | None:
    """The summary that a README holds; `None` where it has no block of JAM's."""
    block = _block(existing)
    if block is None:
        return None
    begin, end = block
    match = _BEGIN.match(existing or "", begin)
    lines = (existing or "")[begin:end].split("\n")[1:]
    paragraphs = "\n".join(line for line in lines if not line.startswith("# ")).split("\n## ")[0]
    return Summary(paragraphs.strip(), match[1], match[2] or "extractive") if match else None


def only_generated(existing: str) -> bool:
    """Whether a README holds nothing but JAM's block."""
    return _block(existing) is not None and not "".join(_around(existing)).strip()


def clean_summary(text: str) -> str:
    """A summary as a README can hold it: it can't close JAM's block or open a heading, and reads back as it is."""
    return _inline(text).encode("utf-8", "replace").decode().strip()


def _inline(text: str) -> str:
    """Text that can't close JAM's block or open a heading."""
    return "\n".join(
        line.lstrip("#").strip() if line.startswith("#") else line for line in _FENCE.sub("", text).split("\n")
    )


def _block(existing: str | None) -> tuple[int, int] | None:
    begin = _BEGIN.search(existing or "")
    if begin is None or existing is None:
        return None
    end = existing.find(_END, begin.end())
    return (begin.start(), end) if end >= 0 else None


def _around(existing: str | None) -> tuple[str, str]:
    """What stands before and after JAM's block; a README without one is a person's and is kept below."""
    if not existing:
        return "", ""
    block = _block(existing)
    if block is None:
        return "", "\n" + existing
    after = existing[block[1] + len(_END) :]
    return existing[: block[0]], after.removeprefix("\n")
