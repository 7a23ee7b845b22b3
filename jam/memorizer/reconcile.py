"""What a broken-off build left behind: memos parted from their raw files, files that never got their name."""

from __future__ import annotations

import os

from jam.errors import DamagedFile
from jam.memorizer.staging import recover
from jam.workspace import files, memo_file
from jam.workspace.layout import MEMO_SUFFIX, RAW_SUFFIX, memo_path
from jam.workspace.store import Workspace


def reconcile(workspace: Workspace) -> int:
    """Finishes what was planned, sweeps up half-written files, and brings memos back to their raw files.

    Returns how many memos were parted from theirs. Only for the holder of the lease.
    """
    recover(workspace.root)
    for left in workspace.root.rglob(files.TEMPORARY):
        left.unlink(missing_ok=True)
    orphans = [path for path in _memos(workspace) if not (workspace.root / _raw_path(path)).exists()]
    if not orphans:
        return 0
    raws = {(entry.session_id, entry.front.part): entry.path for entry in workspace.entries()}
    for path in orphans:
        full = workspace.root / path
        try:
            memo = memo_file.decode_memo(full.read_bytes(), path)
        except DamagedFile:
            continue  # a person's file perhaps; `jam doctor` names it
        target = raws.get((memo.session_id, memo.part))
        if target and not (workspace.root / memo_path(target)).exists():
            files.move(full, workspace.root / memo_path(target))
        elif not memo.edited:
            files.remove(full)
    return len(orphans)


def _memos(workspace: Workspace) -> list[str]:
    found = []
    for current, names, entries in os.walk(workspace.root):
        names[:] = sorted(name for name in names if not name.startswith("."))
        relative = os.path.relpath(current, workspace.root).replace(os.sep, "/")
        prefix = "" if relative == "." else f"{relative}/"
        found += [f"{prefix}{name}" for name in entries if name.endswith(MEMO_SUFFIX) and not name.startswith(".")]
    return sorted(found)


def _raw_path(memo: str) -> str:
    return memo.removesuffix(MEMO_SUFFIX) + RAW_SUFFIX
