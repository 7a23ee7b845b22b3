"""What a Claude.ai export holds beside its conversations: the documents of projects, and memories.

A document is cut like other texts, so that its messages are of a readable size. A memory is what Claude wrote down
about the account, not what somebody said: its messages are summaries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from jam.history.parsing.blocks import Style
from jam.history.parsing.chunks import chunk, parts
from jam.history.parsing.fields import first_id, first_text
from jam.history.parsing.times import iso_time
from jam.history.reader import Skipped
from jam.session import Kind, Message, Session

_MEMORIES = frozenset({"project_memories", "memory_files"})
_STYLES: dict[str, Style] = {".md": "markdown", ".markdown": "markdown", "": "markdown", ".org": "org"}


@dataclass(frozen=True, slots=True)
class _Text:
    """A text that becomes a document."""

    id: str
    title: str
    text: str
    at: str | None = None
    style: Style = "markdown"
    kind: Kind = "message"


def is_project(row: Any) -> bool:
    """Whether an object is a project: it has documents or instructions, and no messages."""
    if not isinstance(row, dict) or "name" not in row or "uuid" not in row:
        return False
    return "prompt_template" in row or (isinstance(row.get("docs"), list) and "chat_messages" not in row)


def is_memory(row: Any) -> bool:
    """Whether an object is the memory of an account."""
    if not isinstance(row, dict):
        return False
    return "conversations_memory" in row or ("account_uuid" in row and bool(_MEMORIES & row.keys()))


def read_project(row: Mapping[str, Any], name: str, folders: tuple[str, ...]) -> Iterator[Session | Skipped]:
    """A document for each of the project's, and one for its description and instructions."""
    project_id = first_id(row, "uuid") or name
    title = first_text(row, "name") or project_id
    group = (*folders, title)
    about = [text for text in (first_text(row, key) for key in ("description", "prompt_template")) if text]
    if about:
        yield from _document(_Text(project_id, title, "\n\n".join(about), iso_time(row.get("created_at"))), group)
    docs = row.get("docs")
    for number, doc in enumerate(docs if isinstance(docs, list) else [], 1):
        content = doc.get("content") if isinstance(doc, dict) else None
        if not isinstance(content, str) or not content.strip():
            yield Skipped(f"session {project_id}, document {number}", "no text in it")
            continue
        file_name = first_text(doc, "filename", "file_name", "name") or f"{title} {number}"
        doc_id = first_id(doc, "uuid") or f"{project_id}/{number}"
        style = _STYLES.get(PurePosixPath(file_name).suffix.lower(), "plain")
        yield from _document(_Text(doc_id, file_name, content, iso_time(doc.get("created_at")), style), group)


def read_memory(row: Mapping[str, Any], name: str, folders: tuple[str, ...]) -> Iterator[Session | Skipped]:
    """A document for what is remembered of all conversations, and one for each project."""
    owner = first_id(row, "account_uuid") or name
    for text in _memories(row, owner):
        yield from _document(text, folders)


def _memories(row: Mapping[str, Any], owner: str) -> Iterator[_Text]:
    if text := first_text(row, "conversations_memory"):
        yield _Text(f"{owner}/memory", "Memory of conversations", text, kind="summary")
    projects = row.get("project_memories")
    for project, text in projects.items() if isinstance(projects, dict) else ():
        if isinstance(text, str) and text.strip():
            yield _Text(f"{project}/memory", f"Memory of project {project}", text, kind="summary")
    files = row.get("memory_files")
    for file in files if isinstance(files, list) else []:
        text = first_text(file, "content") if isinstance(file, dict) else None
        if text:
            path = first_text(file, "path") or "memory"
            yield _Text(f"{owner}/{path.strip('/')}", path, text, iso_time(file.get("updated_at")), kind="summary")


def _document(text: _Text, group: tuple[str, ...]) -> Iterator[Session]:
    """A document as one session, or as several where it is long."""
    role = "assistant" if text.kind == "summary" else "user"
    for number, part in enumerate(parts(chunk(text.text, text.style)), 1):
        yield Session(
            id=text.id if number == 1 else f"{text.id}#{number}",
            messages=tuple(Message(role=role, text=piece.text, kind=text.kind) for piece in part),
            title=text.title if number == 1 else f"{text.title} ({number})",
            group=group,
            kind="document",
            at=text.at,
        )
