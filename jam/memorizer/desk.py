"""The writer's view of the tree: which session lies where, kept true while files are written and moved.

Only the Memorizer holds one, under the workspace's lease.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, count, islice
from pathlib import Path

from jam.errors import DamagedFile, ToolError
from jam.memorizer.known import Known
from jam.memorizer.staging import write_together
from jam.session import Session
from jam.workspace import files, raw_file
from jam.workspace.layout import DAMAGED_SUFFIX, INBOX, README, memo_path, parent
from jam.workspace.memo_file import encode_memo
from jam.workspace.names import encode_id, folded, unique_name
from jam.workspace.raw_file import RawFile
from jam.workspace.store import Workspace, unbroken

_log = logging.getLogger(__name__)


@dataclass
class Desk:
    """Session id → its raw files' paths, in the order of their parts."""

    workspace: Workspace
    paths: dict[str, list[str]] = field(default_factory=dict)
    fronts: dict[str, Session] = field(default_factory=dict)
    """Each session's front matter: all but its messages."""
    taken: dict[str, set[str]] = field(default_factory=dict)
    """Folder → the names in it, folded as file systems compare them."""
    counts: dict[str, int] = field(default_factory=dict)
    """Messages of each session, as far as its parts follow on one another without a gap."""
    damaged: list[str] = field(default_factory=list)
    """Raw files that couldn't be read and were renamed."""
    unsynced: set[str] = field(default_factory=set)
    """Folders whose changed names are not yet durable: each name is whole, but may still be the old one."""

    @classmethod
    def lay_out(cls, workspace: Workspace) -> Desk:
        desk = cls(workspace)
        for session_id, entries in workspace.by_session().items():
            desk.paths[session_id] = [entry.path for entry in entries]
            desk.fronts[session_id] = entries[0].front.session
            desk.counts[session_id] = unbroken(entries)
        return desk

    def renew(self) -> None:
        """Looks at the tree again: others may have written while the lease was given back."""
        fresh = Desk.lay_out(self.workspace)
        self.paths, self.fronts, self.counts = fresh.paths, fresh.fronts, fresh.counts
        self.taken.clear()

    def known(self, session_id: str) -> Known | None:
        """The session as it is in the tree; `None` where it isn't."""
        raws = ((path, raw) for path in list(self.paths.get(session_id, ())) for raw in [self.read(path)] if raw)
        known = Known(raws, self.workspace.skim_raw)
        return known if known.session else None

    def read(self, path: str) -> RawFile | None:
        """The raw file at a path, very long texts shortened; a damaged one is renamed, told of, and gives `None`: its
        source is read again.
        """
        try:
            return self.workspace.skim_raw(path)
        except (ToolError, FileNotFoundError) as error:
            _log.warning("left out: %s", error)  # gone, or put elsewhere by hand, while we worked
        except DamagedFile as error:
            _log.warning("set aside: %s", error)
            self._set_aside(path)
        self._names(parent(path)).discard(folded(path.rpartition("/")[2]))
        self.damaged.append(path)
        for session_id in [i for i, paths in self.paths.items() if path in paths]:
            self.paths[session_id].remove(path)
            self.counts[session_id] = 0
            if not self.paths[session_id]:
                del self.paths[session_id]
                del self.fronts[session_id]
        return None

    def _set_aside(self, path: str) -> None:
        """Renames a damaged file. Its memo goes, unless a person edited it: it is made again with the session."""
        memo = self.workspace.read_memo(path)
        if memo and not memo.edited:
            files.remove(self.workspace.root / memo_path(path))
            self._names(parent(path)).discard(folded(memo_path(path).rpartition("/")[2]))
        files.move(self.workspace.root / path, self._aside(path))

    def _aside(self, path: str) -> Path:
        """A free name for a damaged file; one that was set aside earlier is never overwritten."""
        aside = self.workspace.root / f"{path}{DAMAGED_SUFFIX}"
        number = 2
        while aside.exists():
            aside = self.workspace.root / f"{path}.{number}{DAMAGED_SUFFIX}"
            number += 1
        return aside

    def count(self, session_id: str) -> int:
        """How many messages of a session the tree holds, without a gap from the first."""
        return self.counts.get(session_id, 0)

    def write(self, session: Session, parts: Iterable[RawFile], keep: int = 0, messages: int = 0) -> None:
        """Writes a session's parts where the session lies, or to the inbox if it is new.

        Its first `keep` raw files, which hold so many messages, stay as they are; `session` says all but the messages.
        Where messages may move from one file to another all files are replaced as one.
        """
        paths = self.paths.get(session.id, [])
        before = paths[keep:]
        made = iter(parts)
        begin = list(islice(made, 2))
        written: dict[str, int] = {}

        def contents(several: Iterable[RawFile]) -> Iterator[tuple[str, bytes]]:
            for path, raw in zip(self._targets(session.id, paths, keep), several, strict=False):
                written[path] = len(raw.session.messages)
                yield path, raw_file.encode(raw)

        if len(before) > 1 or (before and len(begin) > 1):
            write_together(self.workspace.root, session.id, contents(chain(begin, made)), before)
        else:
            for path, data in contents(chain(begin, made)):
                files.write_atomic(self.workspace.root / path, data)
        for path in written:
            self._names(parent(path)).add(folded(path.rpartition("/")[2]))
        for path in before:
            if path not in written:
                self._names(parent(path)).discard(folded(path.rpartition("/")[2]))
        self.paths[session.id] = [*paths[:keep], *written]
        self.counts[session.id] = messages + sum(written.values())
        self.fronts[session.id] = replace(session, messages=())

    def remove(self, session_id: str) -> None:
        """Takes a session out of the tree: a part of a document that is no longer in it."""
        for path in self.paths.pop(session_id, []):
            self._remove(path)
        self.fronts.pop(session_id, None)
        self.counts.pop(session_id, None)

    def move(self, session_id: str, folder: str, stem: str) -> None:
        """Moves a session's files to a folder, under names made of `stem`. The memo goes first, then the raw file."""
        paths = self.paths[session_id]
        self.unsynced.update((folder, *map(parent, paths)))
        targets = list(islice(self._free_names(folder, stem, session_id, set(paths)), len(paths)))
        for path, target in zip(paths, targets, strict=True):
            if path == target:
                continue
            self._move_memo(path, target)
            files.move(self.workspace.root / path, self.workspace.root / target, sync=False)
            for old in (path, memo_path(path)):
                self._names(parent(path)).discard(folded(old.rpartition("/")[2]))
            self._names(folder).add(folded(target.rpartition("/")[2]))
        self.paths[session_id] = targets

    def _move_memo(self, path: str, target: str) -> None:
        """Moves the memo beside a raw file; one that is all JAM's is told the raw file's new name."""
        memo = self.workspace.root / memo_path(path)
        if not memo.exists():
            return
        file = self.workspace.read_memo(path)
        name = target.rpartition("/")[2]
        if file and not file.edited and file.raw != name:
            files.write_atomic(memo, encode_memo(replace(file, raw=name)), sync=False)
        files.move(memo, self.workspace.root / memo_path(target), sync=False)

    def sync(self) -> None:
        """Makes all moves durable."""
        for folder in sorted(self.unsynced):
            files.sync_folder(self.workspace.root / folder)
        self.unsynced.clear()

    def folder_of(self, session_id: str) -> str:
        """The folder that a session's first part lies in."""
        return parent(self.paths[session_id][0])

    def _targets(self, session_id: str, paths: list[str], keep: int) -> Iterator[str]:
        """Where a session's parts go, without an end: to the files that it has, then to new ones beside them."""
        yield from paths[keep:] or self._free_names(INBOX, encode_id(session_id), session_id, set())
        stem = paths[0].rpartition("/")[2].removesuffix(".md")
        taken = _stems(self._names(parent(paths[0])))
        prefix = f"{parent(paths[0])}/" if parent(paths[0]) else ""
        for number in count(len(paths) + 1):
            yield f"{prefix}{unique_name(f'{stem} part {number}', taken, session_id)}.md"

    def _free_names(self, folder: str, stem: str, session_id: str, own: set[str]) -> Iterator[str]:
        """Names for a session's parts, without an end."""
        prefix = f"{folder}/" if folder else ""
        mine = {folded(path.rpartition("/")[2]) for path in own if parent(path) == folder}
        taken = _stems(self._names(folder) - mine) | {folded(README.removesuffix(".md"))}
        first = name = unique_name(stem, taken, session_id)
        for number in count(2):
            taken.add(folded(name))
            yield f"{prefix}{name}.md"
            name = unique_name(f"{first} part {number}", taken, session_id)

    def _names(self, folder: str) -> set[str]:
        if folder not in self.taken:
            place = self.workspace.root / folder
            self.taken[folder] = {folded(entry.name) for entry in place.iterdir()} if place.is_dir() else set()
        return self.taken[folder]

    def _remove(self, path: str) -> None:
        files.remove(self.workspace.root / memo_path(path))
        files.remove(self.workspace.root / path)
        self._names(parent(path)).discard(folded(path.rpartition("/")[2]))


def _stems(names: set[str]) -> set[str]:
    """File names without their endings, and folder names as they are: none may be taken again."""
    return {name.removesuffix(".md").removesuffix(".memo") for name in names} | names
