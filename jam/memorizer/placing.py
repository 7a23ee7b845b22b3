"""Memos → folders. Each group of the history has its own folder; within it the organizer files by topic.

An organizer that files afresh is asked anew whenever a group has changed, so that where its sessions lie follows from
them alone, whatever builds brought them. What a person moved stays, and so does what a model was paid to file.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from jam.errors import ModelError
from jam.jobs import Organizer, Placeable
from jam.memo import Memo
from jam.memorizer.desk import Desk
from jam.memorizer.filings import Filings
from jam.session import text_digest
from jam.workspace import files
from jam.workspace.layout import ATTACHMENTS, INBOX, README, folders, parent
from jam.workspace.names import folded, raw_name, slug, unique_name
from jam.workspace.readme import only_generated

_log = logging.getLogger(__name__)
_STAMP = "filing-1"

Group = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Plan:
    """Where the sessions of a group should lie, relative to its folder; those that stay are not among them."""

    items: tuple[Placeable, ...]
    targets: dict[str, str]


@dataclass
class Placing:
    """One round of filing."""

    desk: Desk
    organizer: Organizer
    filings: Filings
    failed: dict[str, str] = field(default_factory=dict)
    """Session id → why it could not be filed; it stays in the inbox for the next build."""

    @property
    def afresh(self) -> bool:
        """Whether the organizer files all of a group anew; one of a user's own that doesn't say so doesn't."""
        return bool(getattr(self.organizer, "afresh", False))

    @classmethod
    def prepare(cls, desk: Desk, organizer: Organizer, memos: Callable[[], Mapping[str, Memo]]) -> Placing:
        """A round of filing; `memos` gives those of the tree as the last build left it."""
        filings = Filings.load(desk.workspace.derived)
        placing = cls(desk, organizer, filings or Filings.empty(desk.workspace.derived))
        if filings is None and placing.afresh and desk.paths:
            placing._find_out(memos())
        return placing

    def run(self, memos: Mapping[str, Memo], unleased: AbstractContextManager[None] | None = None) -> int:
        """Files every session that has a memo and is new, or should move. Returns how many moved.

        With `unleased` a model says where: it is asked within that context, without the lease.
        """
        self._tidy()  # what sessions that are gone have left: its names are free
        groups = self._groups(memos)
        present = {group: self._present_base(group, ids) for group, ids in groups.items()}
        items = {group: self._items(group, ids, memos, present[group]) for group, ids in groups.items()}
        bases = self._bases(present, {item.session_id for own in items.values() for item in own if _is_free(item)})
        stamps = {group: self._stamp(items[group], bases[group], self._nested(bases[group], bases)) for group in groups}
        due = [group for group in sorted(groups) if self._is_due(group, items[group], stamps[group])]
        before = {session_id: list(paths) for session_id, paths in self.desk.paths.items()}
        with unleased or nullcontext():
            planned = {group: self._plan(bases[group], items[group]) for group in due}
        if unleased:
            self.desk.renew()
        moved = 0
        for group, plan in planned.items():
            still = {i: folder for i, folder in plan.targets.items() if self.desk.paths.get(i) == before[i]}
            moved += self._file(group, bases, _Plan(plan.items, still), memos)
            self.filings.stamps[_key(group)] = stamps[group]
            self.filings.bases[_key(group)] = bases[group]
        self.desk.sync()
        self._tidy()
        self._forget()
        self.filings.save()
        return moved

    def _find_out(self, memos: Mapping[str, Memo]) -> None:
        """Finds out what JAM has filed itself: what lies where it would put it."""
        groups = self._groups({i: memo for i, memo in memos.items() if i in self.desk.paths and not self._in_inbox(i)})
        present = {group: self._present_base(group, ids) for group, ids in groups.items()}
        for group, ids in groups.items():
            base = present[group]
            if base is None:
                continue
            there = {i: folder for i in ids if (folder := self._relative(i, base)) is not None}
            items = [Placeable(i, memos[i], folder) for i, folder in there.items()]
            nested = self._nested(base, {other: found for other, found in present.items() if found is not None})
            targets = self._plan(base, items).targets
            names = self._free(base, set(targets.values()) | set(there.values()), nested)
            found = {i: (_key(group), f) for i, f in there.items() if _named(targets.get(i, f), names) == f}
            self.filings.folders |= found
        anew = self._bases(dict.fromkeys(groups), set(self.filings.folders))
        self.filings.bases = {_key(group): anew[group] for group in groups if present[group] == anew[group]}

    def _groups(self, memos: Mapping[str, Memo]) -> dict[Group, list[str]]:
        groups: dict[Group, list[str]] = {}
        for session_id in sorted(memos):
            groups.setdefault(self._group(session_id), []).append(session_id)
        return groups

    def _items(
        self, group: Group, ids: list[str], memos: Mapping[str, Memo], base: str | None
    ) -> tuple[Placeable, ...]:
        """The sessions of a group that are to be filed, or are in its folder. One that lies elsewhere was put there by
        a person, unless JAM filed it when it was of another group.
        """
        found = []
        for session_id in ids:
            if self._in_inbox(session_id) or self._is_astray(session_id, group):
                found.append(Placeable(session_id, memos[session_id], None))
                continue
            folder = None if base is None else self._relative(session_id, base)
            if folder is not None:
                fixed = self.afresh and self.filings.folders.get(session_id) != (_key(group), folder)
                found.append(Placeable(session_id, memos[session_id], folder, fixed))
        return tuple(found)

    def _is_astray(self, session_id: str, group: Group) -> bool:
        """Whether a session lies where JAM filed it as one of another group."""
        before, folder = self.filings.folders.get(session_id, (_key(group), ""))
        base = self.filings.bases.get(before)
        if before == _key(group) or base is None:
            return False
        return self.desk.folder_of(session_id) == "/".join(part for part in (base, folder) if part)

    def _stamp(self, items: tuple[Placeable, ...], base: str, nested: set[str]) -> str:
        """Digest of all that the filing of a group follows from."""
        settings = self.desk.workspace.settings
        facts = [_STAMP, base, str(settings.folder_limit), str(settings.depth_limit), *sorted(nested)]
        for item in items:
            facts += [item.session_id, *item.memo.dates[:1], item.memo.descriptor()]
            facts += [item.folder or ""] if item.fixed else []
        return text_digest("\x1f".join(facts))[:32]

    def _is_due(self, group: Group, items: tuple[Placeable, ...], stamp: str) -> bool:
        changed = self.afresh and self.filings.stamps.get(_key(group)) != stamp
        return changed or any(item.folder is None for item in items)

    def _plan(self, base: str, items: tuple[Placeable, ...] | list[Placeable]) -> _Plan:
        """Where the sessions of a group should lie; nowhere, and why, where the model gave no reply."""
        settings = self.desk.workspace.settings
        depth = max(0, settings.depth_limit - (base.count("/") + 1 if base else 0))
        try:
            moves = self.organizer.place(items, settings.folder_limit, depth)
        except ModelError as error:
            self.failed |= {item.session_id: str(error) for item in items if item.folder is None}
            moves = {}
        stay = {item.session_id: item.folder for item in items if item.folder is not None and not item.fixed}
        return _Plan(tuple(items), stay | moves)

    def _file(self, group: Group, bases: Mapping[Group, str], plan: _Plan, memos: Mapping[str, Memo]) -> int:
        """Moves what should lie elsewhere."""
        base = bases[group]
        own = {item.folder for item in plan.items if item.folder and (item.fixed or not self.afresh)}
        names = self._free(base, set(plan.targets.values()) - own, self._nested(base, bases))
        moved = 0
        for session_id, folder in sorted(plan.targets.items()):
            folder = _named(folder, names)
            target = "/".join(part for part in (base, folder) if part)
            if self.afresh:
                self.filings.folders[session_id] = (_key(group), folder)
            else:
                self.filings.folders.pop(session_id, None)
            if self.desk.folder_of(session_id) == target:
                continue
            if not self._in_inbox(session_id):
                _log.info("filed anew: %s, now in %s", self.desk.paths[session_id][0], target or "the workspace")
            self.desk.move(session_id, target, raw_name(self._started(session_id), memos[session_id].title))
            moved += 1
        return moved

    def _free(self, base: str, wanted: set[str], nested: set[str]) -> dict[str, str]:
        """Folder names that would fall on another group's folder, or on JAM's own, with the names to use."""
        reserved = {INBOX, ATTACHMENTS} if not base else set()
        taken = {folded(name) for name in nested | reserved}
        tops = {folder.partition("/")[0] for folder in wanted if folder}
        renamed = {top: unique_name(top, taken, base + top) for top in tops if folded(top) in taken}
        return {f: f.replace(t, n, 1) for t, n in renamed.items() for f in wanted if f.partition("/")[0] == t}

    def _started(self, session_id: str) -> str | None:
        first = self.desk.workspace.skim_raw(self.desk.paths[session_id][0])
        return first.session.started

    def _in_inbox(self, session_id: str) -> bool:
        return any(path.startswith(f"{INBOX}/") for path in self.desk.paths[session_id])

    def _relative(self, session_id: str, base: str) -> str | None:
        folder = self.desk.folder_of(session_id)
        if not base or folder == base:
            return "" if folder == base else folder
        return folder[len(base) + 1 :] if folder.startswith(base + "/") else None

    def _group(self, session_id: str) -> Group:
        group = self.desk.fronts[session_id].group
        most = max(1, self.desk.workspace.settings.depth_limit - 1)
        return group if len(group) <= most else (*group[: most - 1], " ".join(group[most - 1 :]))

    def _bases(self, present: Mapping[Group, str | None], free: set[str]) -> dict[Group, str]:
        """Each group's folder: the one that a person gave it, else one named after it. `free` are the filed sessions
        that may be filed anew.
        """
        bases: dict[Group, str] = {(): ""}
        for group in sorted(present):
            found = present[group]
            if found is not None and not (self.afresh and self.filings.bases.get(_key(group)) == found):
                for length in range(len(group), 0, -1):
                    bases.setdefault(group[:length], "/".join(found.split("/")[:length]))
        ours = {folder for session_id in free for folder in _upwards(self.desk.folder_of(session_id))}
        for group in sorted(present):
            for length in range(1, len(group) + 1):
                if group[:length] not in bases:
                    bases[group[:length]] = self._new_base(group[:length], bases, ours)
        return bases

    def _present_base(self, group: Group, ids: list[str]) -> str | None:
        """The folder that most of a group's sessions lie in; `None` where none is filed."""
        filed = [i for i in ids if not self._in_inbox(i) and not self._is_astray(i, group)]
        if not group:
            return "" if filed else None
        found = Counter(
            "/".join(self.desk.paths[i][0].split("/")[: len(group)])
            for i in filed
            if self.desk.paths[i][0].count("/") >= len(group)
        )
        return found.most_common(1)[0][0] if found else None

    def _new_base(self, group: Group, bases: dict[Group, str], ours: set[str]) -> str:
        """A folder named after a group; not one that is there already, unless JAM made it, and makes it anew."""
        above = bases[group[:-1]]
        prefix = f"{above}/" if above else ""
        siblings = {folded(base.rpartition("/")[2]) for base in bases.values() if base and parent(base) == above}
        place = self.desk.workspace.root / above
        there = [entry.name for entry in place.iterdir() if entry.is_dir()] if place.is_dir() else []
        siblings |= {folded(name) for name in there if prefix + name not in ours}
        siblings |= {INBOX, ATTACHMENTS} if not above else set()
        return prefix + unique_name(slug(group[-1], 60), siblings, "/".join(group))

    def _nested(self, base: str, bases: Mapping[Group, str]) -> set[str]:
        """Folders directly in `base` that belong to other groups."""
        prefix = f"{base}/" if base else ""
        return {
            other[len(prefix) :].partition("/")[0]
            for other in bases.values()
            if other != base and other.startswith(prefix)
        }

    def _forget(self) -> None:
        """Forgets the sessions that are no longer there."""
        self.filings.folders = {i: folder for i, folder in self.filings.folders.items() if i in self.desk.paths}

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


def _is_free(item: Placeable) -> bool:
    """Whether a session is filed, and may be filed anew."""
    return item.folder is not None and not item.fixed


def _key(group: Group) -> str:
    return "\x1f".join(group)


def _named(folder: str, names: Mapping[str, str]) -> str:
    return names.get(folder, folder)


def _upwards(folder: str) -> list[str]:
    """A folder and those above it."""
    parts = folder.split("/") if folder else []
    return ["/".join(parts[:length]) for length in range(1, len(parts) + 1)]
