"""The workspace: a tree of plain files, opened for reading. Writing is the Memorizer's job."""

from __future__ import annotations

import logging
import re
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jam.errors import DamagedFile, NotAWorkspace, ToolError
from jam.session import Message, Session
from jam.workspace import files, memo_file, raw_file
from jam.workspace.attachments import AttachmentStore
from jam.workspace.excerpts import is_excerpt
from jam.workspace.layout import DERIVED, Stamp, is_raw_name, memo_path, raw_stamps
from jam.workspace.memo_file import MemoFile
from jam.workspace.raw_file import RawFile, RawFront
from jam.workspace.settings import FILE, Settings, is_workspace_root, read_settings

_log = logging.getLogger(__name__)
_CACHED_FILES = 256
_CACHED_BYTES = 64 * 1024 * 1024
"""Of the texts of raw files that are kept in memory."""
_MESSAGE_BYTES = 1_000
"""What a message takes beside its text, about."""
_HEAD_BYTES = 16_384
_GIT_ATTRIBUTES = b"# Raw files are kept byte for byte.\n* -text\n"


@dataclass(frozen=True, slots=True)
class RawEntry:
    """A raw file of the tree and what its first lines say."""

    path: str
    front: RawFront

    @property
    def session_id(self) -> str:
        return self.front.session.id


@dataclass(frozen=True, slots=True)
class _Cached:
    """A raw file in memory, as its file was."""

    stamp: tuple[int, int]
    raw: RawFile
    size: int


class Workspace:
    """A workspace on disk. Cheap to open; reads what it is asked for and keeps the last few raw files in memory."""

    def __init__(self, root: Path, settings: Settings) -> None:
        self.root = root
        self.settings = settings
        self.attachments = AttachmentStore(root)
        self.last_build: object | None = None
        """The report of the build that made this object, if one did (`jam.memorizer.build.BuildReport`)."""
        self.kept: dict[str, Any] = {}
        """What the layers above keep with an open workspace."""
        self._lock = threading.Lock()
        self._raw_cache: OrderedDict[tuple[str, bool], _Cached] = OrderedDict()

    def __repr__(self) -> str:
        return f"Workspace({str(self.root)!r})"

    @classmethod
    def open(cls, path: str | Path) -> Workspace:
        """The workspace at `path`. Raises `NotAWorkspace` or `NewerWorkspace`."""
        root = Path(path).expanduser()
        if not root.is_dir():
            what = "is a file" if root.exists() else "does not exist"
            raise NotAWorkspace(f"{root} {what}; a workspace is a folder: make one with: jam build HISTORY -w {root}")
        return cls(root.resolve(), read_settings(root))

    @classmethod
    def create(cls, path: str | Path, settings: Settings | None = None) -> Workspace:
        """The workspace at `path`, made if there is none. Raises `NotAWorkspace` where other files are in its place."""
        root = Path(path).expanduser()
        if is_workspace(root):
            return cls.open(root)
        if root.exists() and (not root.is_dir() or any(entry.name != DERIVED for entry in root.iterdir())):
            raise NotAWorkspace(f"{root} exists and is not a JAM workspace; choose another place with -w, or empty it")
        root.mkdir(parents=True, exist_ok=True)
        files.write_atomic(root / ".gitattributes", _GIT_ATTRIBUTES)
        files.write_atomic(root / ".gitignore", f"/{DERIVED}/\n".encode())
        files.write_atomic(root / FILE, (settings or Settings()).render().encode())
        return cls.open(root)

    @property
    def derived(self) -> Path:
        """`.jam/`: all that can be made again from the tree."""
        return self.root / DERIVED

    def stamps(self, folder: str = "") -> list[Stamp]:
        """The raw files at and below `folder`, by path."""
        return raw_stamps(self.root, folder)

    def entries(self) -> list[RawEntry]:
        """Every raw file with its front matter, by path. A damaged one is left out and logged."""
        found = []
        for stamp in self.stamps():
            try:
                found.append(RawEntry(stamp.path, self._front(stamp.path)))
            except FileNotFoundError:
                continue
            except DamagedFile as error:
                if not is_foreign(self.root, stamp.path):
                    _log.warning("left out: %s", error)
        return found

    def _front(self, path: str) -> RawFront:
        with (self.root / path).open("rb") as file:
            head = file.read(_HEAD_BYTES)
            try:
                return raw_file.parse_front(head.decode("utf-8", "ignore"), path)
            except DamagedFile:
                return raw_file.parse_front((head + file.read()).decode("utf-8", "replace"), path)

    def read_raw(self, path: str) -> RawFile:
        """The raw file at a path of the tree, with all its texts whole.

        Raises `ToolError` for a wrong path, `DamagedFile` for a broken file, or a text that is not in `attachments/`.
        """
        raw, stamp = self._parsed(path)
        if not raw.spilled:
            return raw
        return self._cached(path, True, stamp) or self._keep(path, True, stamp, self._whole(raw, path))

    def skim_raw(self, path: str) -> RawFile:
        """The same, but with an excerpt where a text is very long; `RawFile.spilled` says where."""
        return self._parsed(path)[0]

    def _parsed(self, path: str) -> tuple[RawFile, tuple[int, int]]:
        full = self.file(path)
        status = full.stat()
        stamp = (status.st_size, status.st_mtime_ns)
        cached = self._cached(path, False, stamp)
        return cached or self._keep(path, False, stamp, raw_file.decode(full.read_bytes(), path)), stamp

    def _whole(self, raw: RawFile, path: str) -> RawFile:
        """The raw file with its spilled texts in their places."""
        messages = list(raw.session.messages)
        damaged = set(raw.damaged)
        for number, spilled in raw.spilled.items():
            try:
                text = self.attachments.read(spilled.sha256).decode("utf-8", "surrogatepass")
            except (DamagedFile, UnicodeDecodeError) as error:
                raise DamagedFile(f"{path}, message {number}: its text can't be read: {error}") from error
            message = messages[number - 1]
            if not is_excerpt(message.text, text, spilled):
                damaged.add(number)
            messages[number - 1] = replace(message, text=text)
        session = replace(raw.session, messages=tuple(messages))
        return replace(raw, session=session, damaged=tuple(sorted(damaged)), spilled={})

    def _cached(self, path: str, whole: bool, stamp: tuple[int, int]) -> RawFile | None:
        with self._lock:
            found = self._raw_cache.get((path, whole))
            if found is None or found.stamp != stamp:
                return None
            self._raw_cache.move_to_end((path, whole))
            return found.raw

    def _keep(self, path: str, whole: bool, stamp: tuple[int, int], raw: RawFile) -> RawFile:
        """Keeps a raw file in memory, within bounds; of files too large for that, none."""
        size = sum(sys.getsizeof(message.text) + _MESSAGE_BYTES for message in raw.session.messages)
        if size > _CACHED_BYTES:
            return raw
        with self._lock:
            self._raw_cache.pop((path, whole), None)
            self._raw_cache[path, whole] = _Cached(stamp, raw, size)
            total = sum(cached.size for cached in self._raw_cache.values())
            while len(self._raw_cache) > _CACHED_FILES or total > _CACHED_BYTES:
                total -= self._raw_cache.popitem(last=False)[1].size
        return raw

    def read_memo(self, raw_path: str) -> MemoFile | None:
        """The memo beside a raw file; `None` where there is none yet, or none that can be read."""
        path = memo_path(raw_path)
        try:
            return memo_file.decode_memo((self.root / path).read_bytes(), path)
        except FileNotFoundError:
            return None
        except DamagedFile as error:
            _log.warning("memo left out: %s", error)
            return None

    def file(self, path: str) -> Path:
        """Where a raw file lies on disk. Raises `ToolError` for a path that is no raw file of this workspace."""
        full = self.resolve(path)
        if full.is_dir():
            raise ToolError("is_folder", f"{path!r} is a folder: open it, or name a file in it")
        if not full.is_file() or not is_raw_name(full.name) or DERIVED in full.relative_to(self.root).parts:
            raise ToolError("not_found", f"there is no session file {path!r} in this workspace")
        return full

    def resolve(self, path: str) -> Path:
        """A path of the tree on disk, strictly inside the workspace. Raises `ToolError` (`outside_workspace`)."""
        return files.inside(self.root, path)

    def sessions(self) -> Iterator[Session]:
        """Every session, whole, in the order of their times, then of their ids."""
        for entries in sorted(self.by_session().values(), key=self._order):
            yield self.join(entries)

    def _order(self, entries: list[RawEntry]) -> tuple[str, str]:
        front = entries[0].front.session
        return (front.at or self.skim_raw(entries[0].path).session.started or "", front.id)

    def by_session(self) -> dict[str, list[RawEntry]]:
        """The raw files of each session, in the order of its parts."""
        found: dict[str, list[RawEntry]] = {}
        for entry in self.entries():
            found.setdefault(entry.session_id, []).append(entry)
        return {session_id: _one_a_part(entries) for session_id, entries in found.items()}

    def join(self, entries: list[RawEntry]) -> Session:
        """The session that is kept in these raw files."""
        messages: list[Message] = []
        first = self.read_raw(entries[0].path).session
        for entry in entries:
            own = self.read_raw(entry.path).session.messages
            messages += own[max(0, len(messages) - entry.front.first) :]  # parts that overlap say the same twice
        return replace(first, messages=tuple(messages))


def unbroken(entries: Sequence[RawEntry]) -> int:
    """How many messages the parts hold, up to the first gap between them."""
    count = 0
    for entry in entries:
        if entry.front.first > count:
            break
        count = max(count, entry.front.first + entry.front.count)
    return count


def is_foreign(root: Path, path: str) -> bool:
    """Whether a Markdown file in the tree is somebody's own: it has no memo, and never was a raw file."""
    if (root / memo_path(path)).exists():
        return False
    try:
        with (root / path).open("rb") as file:
            head = file.read(_HEAD_BYTES).lstrip(b"\xef\xbb\xbf")
    except OSError:
        return False
    return not head.startswith(b"---") or re.search(rb"^jam:", head, re.MULTILINE) is None


def _one_a_part(entries: list[RawEntry]) -> list[RawEntry]:
    """The parts of a session in their order; of several files of one part the one with the shortest name."""
    best: dict[int, RawEntry] = {}
    for entry in sorted(entries, key=lambda entry: (len(entry.path), entry.path)):
        best.setdefault(entry.front.part, entry)
    return sorted(best.values(), key=lambda entry: (entry.front.first, entry.path))


def is_workspace(path: Path) -> bool:
    """Whether a folder is a workspace, of whatever version."""
    return is_workspace_root(path)
