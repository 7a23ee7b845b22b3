"""Memos → folders. Each group of the history has its own folder; within it the organizer files by topic."""

from __future__ import annotations

from collections import Counter
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace

from jam.errors import ModelError
from jam.jobs import Organizer, Placeable
from jam.memo import Memo
from jam.memorizer.desk import Desk
from jam.workspace import files
from jam.workspace.layout import ATTACHMENTS, INBOX, README, folders
from jam.workspace.names import folded, raw_name, slug, unique_name
from jam.workspace.readme import only_generated

Group = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Plan:
    """Where the sessions of a group should lie, relative to its folder, and the folders that are there."""

    targets: dict[str, str]
    own: set[str]


@dataclass
class Placing:
    """One round of filing."""

    desk: Desk
    organizer: Organizer
    failed: dict[str, str] = field(default_factory=dict)
    """Session id → why it could not be filed; it stays in the inbox for the next build."""

    def run(self, memos: dict[str, Memo], unleased: AbstractContextManager[None] | None = None) -> int:
        """Files every session that has a memo and is new, or should move. Returns how many moved.

        With `unleased` a model says where: it is asked within that context, without the lease.
        """
        groups: dict[Group, list[str]] = {}
        for session_id in sorted(memos):
            groups.setdefault(self._group(session_id), []).append(session_id)
        bases = self._bases(groups)
        due = [group for group in sorted(groups) if any(map(self._in_inbox, groups[group]))]
        before = {session_id: list(paths) for session_id, paths in self.desk.paths.items()}
        with unleased or nullcontext():
            planned = {group: self._plan(bases[group], groups[group], memos) for group in due}
        if unleased:
            self.desk.renew()
        moved = 0
        for group, plan in planned.items():
            still = {i: folder for i, folder in plan.targets.items() if self.desk.paths.get(i) == before[i]}
            moved += self._file(bases[group], replace(plan, targets=still), memos, self._nested(bases[group], bases))
        self.desk.sync()
        self._tidy()
        return moved

    def _plan(self, base: str, ids: list[str], memos: dict[str, Memo]) -> _Plan:
        """Where the sessions of a group should lie; nowhere, and why, where the model gave no reply."""
        settings = self.desk.workspace.settings
        items = [Placeable(i, memos[i], self._relative(i, base)) for i in ids]
        depth = max(0, settings.depth_limit - (base.count("/") + 1 if base else 0))
        own = {item.folder for item in items if item.folder}
        try:
            return _Plan(self.organizer.place(items, settings.folder_limit, depth), own)
        except ModelError as error:
            self.failed |= {i: str(error) for i in ids if self._in_inbox(i)}
            return _Plan({}, own)

    def _file(self, base: str, plan: _Plan, memos: dict[str, Memo], nested: set[str]) -> int:
        names = self._free(base, set(plan.targets.values()), plan.own, nested)
        for session_id, folder in sorted(plan.targets.items()):
            target = "/".join(part for part in (base, names.get(folder, folder)) if part)
            self.desk.move(session_id, target, raw_name(self._started(session_id), memos[session_id].title))
        return len(plan.targets)

    def _free(self, base: str, wanted: set[str], own: set[str], nested: set[str]) -> dict[str, str]:
        """New folder names that would fall on another group's folder, or on JAM's own, with the names to use."""
        reserved = {INBOX, ATTACHMENTS} if not base else set()
        taken = {folded(name) for name in nested | reserved}
        tops = {folder.partition("/")[0] for folder in wanted if folder and folder not in own}
        renamed = {top: unique_name(top, taken, base + top) for top in tops if folded(top) in taken}
        return {f: f.replace(t, n, 1) for t, n in renamed.items() for f in wanted if f.partition("/")[0] == t}

    def _started(self, session_id: str) -> str | None:
        first = self.desk.workspace.read_raw(self.desk.paths[session_id][0])
        return first.session.started

    def _in_inbox(self, session_id: str) -> bool:
        return any(path.startswith(f"{INBOX}/") for path in self.desk.paths[session_id])

    def _relative(self, session_id: str, base: str) -> str | None:
        folder = self.desk.folder_of(session_id)
        if self._in_inbox(session_id):
            return None
        if not base or folder == base:
            return "" if folder == base else folder
        return folder[len(base) + 1 :] if folder.startswith(base + "/") else None

    def _group(self, session_id: str) -> Group:
        group = self.desk.fronts[session_id].group
        most = max(1, self.desk.workspace.settings.depth_limit - 1)
        return group if len(group) <= most else (*group[: most - 1], " ".join(group[most - 1 :]))

    def _bases(self, groups: dict[Group, list[str]]) -> dict[Group, str]:
        """Each group's folder: the one that its sessions already lie in, else a new one named after it."""
        bases: dict[Group, str] = {(): ""}
        for group in sorted(groups):
            found = self._present_base(group, groups[group])
            if found is not None:
                for length in range(len(group), 0, -1):
                    bases.setdefault(group[:length], "/".join(found.split("/")[:length]))
        for group in sorted(groups):
            for length in range(1, len(group) + 1):
                if group[:length] not in bases:
                    bases[group[:length]] = self._new_base(group[:length], bases)
        return bases

    def _present_base(self, group: Group, ids: list[str]) -> str | None:
        found = Counter(
            "/".join(self.desk.paths[i][0].split("/")[: len(group)])
            for i in ids
            if not self._in_inbox(i) and self.desk.paths[i][0].count("/") >= len(group)
        )
        return found.most_common(1)[0][0] if found and group else None

    def _new_base(self, group: Group, bases: dict[Group, str]) -> str:
        above = bases[group[:-1]]
        siblings = {
            folded(base.rpartition("/")[2]) for base in bases.values() if base and base.rpartition("/")[0] == above
        }
        present = self.desk.workspace.root / above
        siblings |= {folded(entry.name) for entry in present.iterdir()} if present.is_dir() else set()
        siblings |= {INBOX, ATTACHMENTS} if not above else set()
        name = unique_name(slug(group[-1], 60), siblings, "/".join(group))
        return f"{above}/{name}" if above else name

    def _nested(self, base: str, bases: dict[Group, str]) -> set[str]:
        """Folders directly in `base` that belong to other groups."""
        prefix = f"{base}/" if base else ""
        return {
            other[len(prefix) :].partition("/")[0]
            for other in bases.values()
            if other != base and other.startswith(prefix)
        }

    def _tidy(self) -> None:
        """Removes folders that hold nothing, or nothing but a README that is all JAM's."""
        root = self.desk.workspace.root
        for folder in folders(root):
            names = {entry.name for entry in (root / folder).iterdir()}
            readme = root / folder / README
            if names <= {README} and (
                not names or only_generated(readme.read_text(encoding="utf-8", errors="replace"))
            ):
                files.remove(readme)
                (root / folder).rmdir()
