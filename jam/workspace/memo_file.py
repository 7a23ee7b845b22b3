"""The memo file: a memo as data for JAM and as a page for people, who may edit it.

    ---
    jam: 1
    session: "conv-26/session_1"
    raw: "2023-05-08 support-group.md"
    title: "Support group"
    gist: "Caroline tells Melanie about her first support group."
    keywords: ["support group", "counseling"]
    written: {"all": "0f3c…", "title": "81aa…", "gist": "77d0…", "keywords": "be01…"}
    ---

    # Support group

    > Caroline tells Melanie about her first support group.

    <!-- jam:summary -->
    Caroline went to …
    <!-- jam:end -->

    Keywords: support group · counseling

Front matter holds everything but the summary, which stands between the two comments. `written` has digests of what JAM
wrote: where they no longer fit, a person has edited the memo, and what they wrote counts, in the front matter as in the
page. How they left quotes, spaces or line breaks in the front matter makes no difference.

Only text here: no paths, no files.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from jam.errors import DamagedFile, WorkspaceError
from jam.memo import Memo
from jam.workspace import templates
from jam.workspace.front_matter import FORMAT_VERSION, check_version, front_matter, read_front_matter
from jam.workspace.names import label
from jam.workspace.verbatim import OWN_COMMENT, decode_text, hide, reveal

_BEGIN, _END = f"{OWN_COMMENT}summary -->\n", f"\n{OWN_COMMENT}end -->"
_LISTS = ("keywords", "people", "things", "dates")
_ENGINES = ("extractive", "llm", "person")
_HEADING = re.compile(r"^#+ +(.*\S) *$", re.MULTILINE)
_QUOTE = re.compile(r"(?:^>.*\n?)+", re.MULTILINE)
_KEYWORDS = re.compile(r"^Keywords:(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class MemoFile:
    """What one memo file holds."""

    memo: Memo
    session_id: str
    raw: str
    """The name of the raw file that lies beside it."""
    part: int = 1
    edited: bool = field(default=False, compare=False)
    """Whether a person changed it since JAM wrote it; then the memo's engine is `person`."""


def render_memo(file: MemoFile, folder: Path | None = None) -> str:
    """The text of the memo file; `folder` may hold the user's own templates."""
    memo = file.memo
    summary, flags = hide(memo.summary)
    page = templates.render(
        "memo.md.j2",
        folder,
        title=label(memo.title) or "Untitled",
        gist=label(memo.gist, 400),
        summary=summary,
        keywords=[label(word, 80) for word in memo.keywords],
        people=[label(name, 80) for name in memo.people],
        things=[label(name, 80) for name in memo.things],
        dates=[label(date, 40) for date in memo.dates],
    )
    fields = _fields(file, flags)
    return f"{front_matter({**fields, 'written': _digests(fields, page)})}\n{page}"


def parse_memo(text: str, where: str) -> MemoFile:
    """The memo file that this text is, a person's edits included. Forgiving: only a lost session id is an error."""
    fields, start = read_front_matter(text, where)
    check_version(fields, where)
    if not isinstance(fields.get("session"), str):
        raise DamagedFile(
            f"{where}: 'session:' is missing from its front matter; restore that line, or remove the file"
        )
    page = text[start:].removeprefix("\n")
    written = fields.pop("written", None)
    digests = _digests(fields, page)
    edited = not isinstance(written, Mapping) or written.get("all") != digests["all"]
    memo = _memo(fields, page)
    if edited:
        memo = _as_edited(memo, page, digests, written if isinstance(written, Mapping) else {})
    part = fields.get("part", 1)
    return MemoFile(memo, fields["session"], _text(fields.get("raw")), part if type(part) is int else 1, edited)


def encode_memo(file: MemoFile, folder: Path | None = None) -> bytes:
    """The file's bytes, proved to parse back. `WorkspaceError` where a user's own template broke that."""
    text = render_memo(file, folder)
    back = parse_memo(text, "memo.md.j2")
    if back != file or back.edited:
        raise WorkspaceError("the template memo.md.j2 changes the summary; keep its two comments, or remove your copy")
    return text.encode("utf-8")


def decode_memo(data: bytes, where: str) -> MemoFile:
    """The memo file in these bytes; `where` is its path for messages."""
    return parse_memo(decode_text(data, where), where)


def _fields(file: MemoFile, flags: Mapping[str, object]) -> dict[str, object]:
    memo = file.memo
    fields: dict[str, object] = {"jam": FORMAT_VERSION, "session": file.session_id, "raw": file.raw}
    if file.part != 1:
        fields["part"] = file.part
    fields |= {"title": memo.title, "gist": memo.gist}
    fields |= {key: list(value) for key in _LISTS if (value := getattr(memo, key))}
    fields |= {"engine": memo.engine, "inputs": memo.inputs}
    return fields | ({"summary": flags} if flags else {})


def _memo(fields: Mapping[str, Any], page: str) -> Memo:
    flags = fields.get("summary")
    engine = fields.get("engine")
    return Memo(
        title=_text(fields.get("title")),
        gist=_text(fields.get("gist")),
        summary=reveal(_summary(page), flags if isinstance(flags, Mapping) else {}),
        keywords=_list(fields.get("keywords")),
        people=_list(fields.get("people")),
        things=_list(fields.get("things")),
        dates=_list(fields.get("dates")),
        engine=engine if engine in _ENGINES else "person",
        inputs=_text(fields.get("inputs")),
    )


def _as_edited(memo: Memo, page: str, digests: Mapping[str, str], written: Mapping[str, Any]) -> Memo:
    """The memo with what a person changed on the page, which otherwise only repeats the front matter."""
    shown = _shown(page)

    def chosen(key: str, value: str) -> str:
        # Without a digest to compare with, the page counts only where the front matter is silent.
        changed = written[key] != digests[key] if key in written else not value
        return shown[key] if changed and shown[key] else value

    keywords = chosen("keywords", " · ".join(memo.keywords))
    return replace(
        memo,
        title=chosen("title", memo.title),
        gist=chosen("gist", memo.gist),
        summary=memo.summary.strip("\n"),
        keywords=_list(keywords) if keywords == shown["keywords"] else memo.keywords,
        engine="person",
    )


def _digests(fields: Mapping[str, object], page: str) -> dict[str, str]:
    """Of all that the file says, and of each part of the page that repeats the front matter."""
    everything = json.dumps([fields, page.rstrip("\n")], sort_keys=True)
    return {"all": _digest(everything), **{key: _digest(value) for key, value in _shown(page).items()}}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _shown(page: str) -> dict[str, str]:
    """The title, gist and keywords as the page shows them; empty where it doesn't."""
    before, _, after = page.partition(_BEGIN)
    after = after.rpartition(_END)[2] or page
    heading, quote = _HEADING.search(before), _QUOTE.search(before)
    keywords = _KEYWORDS.search(after)
    return {
        "title": heading[1] if heading else "",
        "gist": " ".join(line.lstrip("> ").strip() for line in quote[0].splitlines()) if quote else "",
        "keywords": keywords[1].strip() if keywords else "",
    }


def _summary(page: str) -> str:
    """What stands between the two comments, or, where a person removed them, what is nothing else."""
    _, begin, rest = page.partition(_BEGIN)
    summary, end, _ = rest.rpartition(_END)
    if begin and end:
        return summary
    for pattern in (_HEADING, _QUOTE, _KEYWORDS):
        page = pattern.sub("", page, count=1)
    return re.sub(rf"^{OWN_COMMENT}.*$", "", page, flags=re.MULTILINE).strip()


def _text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else str(value)


def _list(value: object) -> tuple[str, ...]:
    """A list as JAM writes it, or as a person types it: `a, b` or `a · b`."""
    if isinstance(value, list):
        return tuple(_text(item) for item in value)
    return tuple(word.strip() for word in re.split(r"[,·]", _text(value)) if word.strip())
