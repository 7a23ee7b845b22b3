"""Raw files → memos beside them. A memo whose inputs are the same, or that a person edited, is left as it is."""

from __future__ import annotations

from dataclasses import replace

from jam.jobs import MemoWriter
from jam.memo import Memo
from jam.memorizer.desk import Desk
from jam.memorizer.progress import Progress
from jam.session import Session, text_digest
from jam.workspace import files
from jam.workspace.layout import memo_path, parent
from jam.workspace.memo_file import MemoFile, encode_memo


def write_memos(desk: Desk, writer: MemoWriter, progress: Progress) -> int:
    """Makes the memos that are missing or out of date. Returns how many were written."""
    workspace = desk.workspace
    paths = [path for session_id in sorted(desk.paths) for path in desk.paths[session_id]]
    todo = paths
    progress.stage("memos", len(todo))
    written = 0
    for number, path in enumerate(todo, 1):
        written += _write_memo(desk, path, writer)
        progress.advance(number, len(todo))
    for folder in sorted({parent(path) for path in todo}) if written else ():
        files.sync_folder(workspace.root / folder)
    return written


def _write_memo(desk: Desk, path: str, writer: MemoWriter) -> bool:
    workspace, raw = desk.workspace, desk.read(path)
    if raw is None:
        return False
    inputs = memo_inputs(raw.session, writer.fingerprint)
    existing = workspace.read_memo(path)
    if existing is None and (workspace.root / memo_path(path)).exists():
        return False  # it can't be read, and may hold what a person wrote: it is theirs to correct
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
