"""Secrets that are in a workspace: what was kept before redaction, or without it. Nothing is changed here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from jam.errors import DamagedFile
from jam.secrets import Secret, find_secrets
from jam.secrets.sessions import redact_session, text_encoding
from jam.session import Message, Session
from jam.workspace.layout import ATTACHMENTS, DERIVED, RAW_SUFFIX, is_raw_name
from jam.workspace.store import Workspace, is_foreign

_SHOWN_OF_LONG = 4
_LONG = 20
_LARGEST = 256 * 1024 * 1024
"""Bytes of a file that is looked into."""
_DERIVED = ("runs", "replies")
_CHOSEN = ("password", "password in an address", "card number", "bank account", "social security number")
"""Kinds of which nothing is shown: their beginnings tell too much."""


@dataclass(frozen=True, slots=True)
class Exposed:
    """A secret and its place. The secret itself is not kept."""

    path: str
    """Relative to the workspace, with `/`."""
    message: int | None
    """The message's number within that file, from 1; `None` outside of messages."""
    kind: str
    shown: str
    """`ghp_…`, or nothing where even that would say too much."""

    def render(self) -> str:
        """One line for people."""
        where = f"{self.path}, message {self.message}" if self.message else self.path
        return f"{where}: {self.kind}" + (f" ({self.shown})" if self.shown else "")


@dataclass(frozen=True, slots=True)
class Exposure:
    """All secrets that were found, and how much was looked at."""

    workspace: str
    redact: bool
    """Whether the next build redacts."""
    files: int
    secrets: tuple[Exposed, ...]

    def to_dict(self) -> dict[str, Any]:
        """The exposure as JSON values."""
        found = [asdict(secret) for secret in self.secrets]
        return {**asdict(self), "secrets": found, "sound": not self.secrets}

    def advice(self) -> list[str]:
        """What to do about it."""
        lines = []
        if any(not _is_derived(secret.path) for secret in self.secrets):
            lines.append(
                "jam build HISTORY -w " + self.workspace + ("" if self.redact else " --redact") + " replaces them; "
                "what you wrote yourself (memos you edited, other files) is yours to change"
            )
        if any(_is_derived(secret.path) for secret in self.secrets):
            lines.append(f"saved runs and replies may be deleted: {DERIVED}/runs, {DERIVED}/replies")
        if self.secrets:
            lines.append("copies may be elsewhere (the history itself, version control): change what was exposed")
        return lines


def find_exposed(workspace: Workspace) -> Exposure:
    """Looks through raw files, memos, READMEs and other text of the tree, text attachments, saved runs and replies."""
    files = 0
    found: list[Exposed] = []
    for path in _paths(workspace.root):
        files += 1
        found += _in_file(workspace, path)
    return Exposure(str(workspace.root), workspace.settings.redact, files, tuple(found))


def _paths(root: Path) -> Iterator[str]:
    """The files to look into, by their paths."""
    for current, names, entries in os.walk(root):
        relative = os.path.relpath(current, root).replace(os.sep, "/")
        prefix = "" if relative == "." else f"{relative}/"
        names[:] = sorted(name for name in names if not name.startswith(".") or (not prefix and name == DERIVED))
        if prefix == f"{DERIVED}/":
            names[:] = [name for name in names if name in _DERIVED]
            continue
        yield from (f"{prefix}{name}" for name in sorted(entries) if not name.startswith("."))


def _in_file(workspace: Workspace, path: str) -> Iterator[Exposed]:
    if is_raw_name(path.rpartition("/")[2]) and not path.startswith((f"{ATTACHMENTS}/", f"{DERIVED}/")):
        try:
            session = workspace.read_raw(path).session
        except (DamagedFile, OSError):
            if is_foreign(workspace.root, path):
                yield from _in_text(path, None, _text(workspace.root / path))
                return
        else:
            yield from _in_session(path, session)
            return
    yield from _in_text(path, None, _text(workspace.root / path))


def _in_session(path: str, session: Session) -> Iterator[Exposed]:
    """In the texts of the messages, and in what else front matter and headings say of them and of the session."""
    yield from _in_text(path, None, session.title or "")
    yield from _of_kinds(path, None, redact_session(replace(session, title=None, messages=()))[1])
    for number, message in enumerate(session.messages, 1):
        yield from _in_text(path, number, message.text)
        yield from _of_kinds(path, number, redact_session(Session("", (_silent(message),)))[1])


def _silent(message: Message) -> Message:
    return replace(message, text="")


def _in_text(path: str, message: int | None, text: str) -> Iterator[Exposed]:
    for secret in find_secrets(text):
        yield Exposed(path, message, secret.kind, _shown(secret, text))


def _of_kinds(path: str, message: int | None, kinds: Iterable[str]) -> Iterator[Exposed]:
    for kind in kinds:
        yield Exposed(path, message, kind, "")


def _shown(secret: Secret, text: str) -> str:
    if secret.kind in _CHOSEN or secret.end - secret.start < _LONG:
        return ""
    return text[secret.start : secret.start + _SHOWN_OF_LONG] + "…"


def _text(path: Path) -> str:
    """The file's text; nothing for what is no text."""
    try:
        if path.is_symlink() or path.stat().st_size > _LARGEST:
            return ""
        payload = path.read_bytes()
    except OSError:
        return ""
    encoding = text_encoding(payload, "text/plain" if path.name.endswith(RAW_SUFFIX) else "")
    return payload.decode(encoding, "replace") if encoding else ""


def _is_derived(path: str) -> bool:
    return path.startswith(f"{DERIVED}/")
