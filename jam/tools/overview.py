"""The tree in few words: folders with their counts, sessions with their titles, as deep as a number of tokens reaches.

It is pruned by depth and size, never chopped: every line is whole, and what is left out is said to be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from jam.index.search_index import FileRecord
from jam.rendering import plain
from jam.text import shorten
from jam.workspace.layout import within

_TITLE_CHARS = 70
_FEW = 3
"""Sessions of a folder that stand for all of them, where not all fit."""


@dataclass
class _Folder:
    path: str
    folders: dict[str, _Folder] = field(default_factory=dict)
    sessions: list[tuple[str, str]] = field(default_factory=list)
    """Path and title."""
    total: int = 0


def overview(
    files: Sequence[FileRecord], scope: str, limit: int, count: Callable[[str], int], summary: str = ""
) -> str:
    """The tree at and below a scope in at most `limit` tokens as `count` counts them; `summary` stands first."""
    root = _tree(files, scope)
    head = [plain(shorten(summary, 600))] if summary else []

    def fits(lines: Sequence[str]) -> bool:
        return count("\n".join(lines)) <= limit

    forms = [[*head, *_lines(root, level, 0, 0)] for level in range(1, _depth(root) + 1)]
    levels = [level for level, lines in enumerate(forms, 1) if fits(lines)]
    if not levels:
        return "\n".join(_largest(root, head, fits))
    for most in (None, _FEW):
        lines = [*head, *_lines(root, levels[-1], most, 0)]
        if fits(lines):
            return "\n".join(lines)
    return "\n".join(forms[levels[-1] - 1])


def _largest(root: _Folder, head: list[str], fits: Callable[[Sequence[str]], bool]) -> list[str]:
    """The folders with the most sessions, as many as fit."""
    first = _folder_line(root, 0)
    names = sorted(root.folders, key=lambda name: (-root.folders[name].total, name))
    low, high = 0, len(names)
    while low < high:
        middle = (low + high + 1) // 2
        lines = [_folder_line(root.folders[name], 1) for name in names[:middle]]
        low, high = (middle, high) if fits([*head, first, *lines, "  … 9999 more folders"]) else (low, middle - 1)
    shown = [_folder_line(root.folders[name], 1) for name in names[:low]]
    more = [f"  … {len(names) - low} more folders"] if low < len(names) else []
    lines = [*head, first, *shown, *more]
    return next((form for form in (lines, [first]) if fits(form)), [])


def _tree(files: Sequence[FileRecord], scope: str) -> _Folder:
    root = _Folder(scope)
    for record in files:
        if record.part != 1 or not within(record.path, scope):
            continue
        *parts, _ = (record.path[len(scope) + 1 :] if scope else record.path).split("/")
        node = root
        node.total += 1
        for part in parts:
            node = node.folders.setdefault(part, _Folder(f"{node.path}/{part}" if node.path else part))
            node.total += 1
        node.sessions.append((record.path, record.title))
    return root


def _depth(folder: _Folder) -> int:
    return 1 + max((_depth(child) for child in folder.folders.values()), default=0)


def _lines(folder: _Folder, level: int, most: int | None, indent: int) -> list[str]:
    """A folder with its subfolders down to a level, and up to `most` of each folder's sessions (`None`: all)."""
    lines = [_folder_line(folder, indent)]
    if level == 0:
        return lines
    for name in sorted(folder.folders):
        lines += _lines(folder.folders[name], level - 1, most, indent + 1)
    return lines + _session_lines(folder.sessions, most, indent + 1)


def _folder_line(folder: _Folder, indent: int) -> str:
    return f"{'  ' * indent}/{plain(folder.path)} ({folder.total} session{'s' if folder.total != 1 else ''})"


def _session_lines(sessions: Sequence[tuple[str, str]], most: int | None, indent: int) -> list[str]:
    shown = sessions if most is None else sessions[:most]
    lines = [
        f"{'  ' * indent}{plain(path.rpartition('/')[2])} · {plain(shorten(t, _TITLE_CHARS))}" for path, t in shown
    ]
    if 0 < len(shown) < len(sessions):
        lines.append(f"{'  ' * indent}… {len(sessions) - len(shown)} more")
    return lines
