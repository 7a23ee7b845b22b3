"""Raw files → memos beside them. A memo whose inputs are the same, or that a person edited, is left as it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from jam.jobs import MemoWriter
from jam.memo import Memo
from jam.memorizer.progress import Progress
from jam.session import Session, text_digest
from jam.workspace import files
from jam.workspace.layout import memo_path, parent
from jam.workspace.memo_file import MemoFile, encode_memo
from jam.workspace.store import Workspace


def write_memos(workspace: Workspace, paths: Iterable[str], writer: MemoWriter, progress: Progress) -> int:
    """Makes the memos that are missing or out of date. Returns how many were written."""
    todo = list(paths)
    progress.stage("memos", len(todo))
    written = 0
    for number, path in enumerate(todo, 1):
        written += _write_memo(workspace, path, writer)
        progress.advance(number, len(todo))
    for folder in sorted({parent(path) for path in todo}) if written else ():
        files.sync_folder(workspace.root / folder)
    return written


def _write_memo(workspace: Workspace, path: str, writer: MemoWriter) -> bool:
    raw = workspace.read_raw(path)
    inputs = memo_inputs(raw.session, writer.fingerprint)
    existing = workspace.read_memo(path)
    if existing and (existing.edited or existing.memo.engine == "person" or existing.memo.inputs == inputs):
        return False
    memo: Memo = replace(writer.write_memo(raw.session), inputs=inputs)
    file = MemoFile(memo, raw.session.id, path.rpartition("/")[2], raw.part)
    return files.write_atomic(workspace.root / memo_path(path), encode_memo(file), sync=False)


def memo_inputs(session: Session, fingerprint: str) -> str:
    """Digest of all that a memo is made from: the writer, the title and time, and every message."""
    parts = [fingerprint, session.title or "", session.started or ""]
    parts += [f"{message.speaker} {message.kind} {message.sha256}" for message in session.messages]
    return text_digest("\x1f".join(parts))[:16]
