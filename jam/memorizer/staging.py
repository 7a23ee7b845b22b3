"""Several files replaced as one: a kill at any moment leaves what was there, or all of what was to be.

The new files are written aside, then a plan is; from then on the change is carried through, by this build or by the
next. Needed where messages move from one part of a session to another.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from jam.session import text_digest
from jam.workspace import files
from jam.workspace.layout import INBOX, memo_path

_PREFIX = ".together-"
_PLAN = "plan.json"


def write_together(root: Path, session_id: str, contents: Iterable[tuple[str, bytes]], before: Sequence[str]) -> None:
    """Writes all the files (paths relative to `root`); one is in memory at a time.

    Of the raw files that were there `before` those that aren't among them are removed, with their memos.
    """
    folder = root / INBOX / f"{_PREFIX}{text_digest(session_id)[:16]}"
    shutil.rmtree(folder, ignore_errors=True)
    left = dict.fromkeys(before)
    targets: list[str] = []
    for path, data in contents:
        left.pop(path, None)
        if not files.holds(root / path, data):
            files.write_atomic(folder / str(len(targets)), data, sync=False)
            targets.append(path)
    if not targets and not left:
        return
    files.make_folder(folder)
    files.sync_folder(folder)
    plan = {"targets": targets, "surplus": list(left)}
    files.write_atomic(folder / _PLAN, json.dumps(plan, ensure_ascii=True).encode())
    _carry_through(root, folder)


def recover(root: Path) -> int:
    """Finishes what a killed build had planned, and drops what it had not. Returns how many were found."""
    found = sorted((root / INBOX).glob(f"{_PREFIX}*"))
    for folder in found:
        if (folder / _PLAN).is_file():
            _carry_through(root, folder)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    return len(found)


def _carry_through(root: Path, folder: Path) -> None:
    plan = json.loads((folder / _PLAN).read_text(encoding="utf-8"))
    for number, target in enumerate(plan["targets"]):
        staged = folder / str(number)
        if staged.exists():
            files.make_folder((root / target).parent)
            os.replace(staged, root / target)
    for place in sorted({(root / target).parent for target in plan["targets"]}):
        files.sync_folder(place)
    for path in plan["surplus"]:
        files.remove(root / memo_path(path))
        files.remove(root / path)
    shutil.rmtree(folder)
