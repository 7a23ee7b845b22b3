"""The tree as people see it: folders with their sessions, down to a depth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from jam.workspace.layout import within
from jam.workspace.store import RawEntry, Workspace


@dataclass
class Node:
    """A folder."""

    path: str
    folders: dict[str, Node] = field(default_factory=dict)
    files: list[RawEntry] = field(default_factory=list)

    @property
    def sessions(self) -> int:
        """Sessions at and below this folder."""
        return len({entry.session_id for entry in self.files}) + sum(node.sessions for node in self.folders.values())

    def to_dict(self, depth: int) -> dict[str, Any]:
        """The folder as JSON values; below `depth` only the count of sessions is given."""
        data: dict[str, Any] = {"path": self.path, "sessions": self.sessions}
        if depth > 0:
            data["folders"] = [self.folders[name].to_dict(depth - 1) for name in sorted(self.folders)]
            data["files"] = [{"path": e.path, "id": e.session_id, "messages": e.front.count} for e in self.files]
        return data

    def render(self, depth: int, indent: str = "") -> list[str]:
        """A line for each folder and file, as a drawing."""
        if depth <= 0:
            return []
        names = [*sorted(self.folders), *(entry.path for entry in self.files)]
        lines = []
        for number, name in enumerate(names, 1):
            branch, below = ("└── ", "    ") if number == len(names) else ("├── ", "│   ")
            if name in self.folders:
                node = self.folders[name]
                lines.append(f"{indent}{branch}{name}/  ({node.sessions} session{'s' if node.sessions != 1 else ''})")
                lines += node.render(depth - 1, indent + below)
            else:
                lines.append(f"{indent}{branch}{name.rpartition('/')[2]}")
        return lines


def tree(workspace: Workspace, folder: str = "") -> Node:
    """The tree at and below a folder."""
    root = Node(folder)
    for entry in workspace.entries():
        if not within(entry.path, folder):
            continue
        node = root
        *parts, _name = (entry.path[len(folder) + 1 :] if folder else entry.path).split("/")
        for part in parts:
            node = node.folders.setdefault(part, Node(f"{node.path}/{part}" if node.path else part))
        node.files.append(entry)
    return root
