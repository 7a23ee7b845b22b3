"""Several files replaced as one: a kill at any moment leaves what was there, or all of what was to be.

The new files are written aside, then a plan is; from then on the change is carried through, by this build or by the
next. Needed where messages move from one part of a session to another.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from jam.session import text_digest
from jam.workspace import files
from jam.workspace.layout import INBOX, memo_path

_PREFIX = ".together-"
_PLAN = "plan.json"


def write_together(root: Path, session_id: str, contents: Mapping[str, bytes], surplus: Sequence[str]) -> None:
    """Writes all the files (paths relative to `root`), and removes the surplus raw files with their memos."""
    folder = root / INBOX / f"{_PREFIX}{text_digest(session_id)[:16]}"
    shutil.rmtree(folder, ignore_errors=True)
    for number, data in enumerate(contents.values()):
        files.write_atomic(folder / str(number), data, sync=False)
    files.sync_folder(folder)
    plan = {"targets": list(contents), "surplus": list(surplus)}
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
            files.sync_folder((root / target).parent)
    for path in plan["surplus"]:
        files.remove(root / memo_path(path))
        files.remove(root / path)
    shutil.rmtree(folder)
