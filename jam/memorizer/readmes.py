"""Folders → READMEs, bottom-up, once a build. A summary is made again only when its inputs changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from itertools import groupby

from jam.errors import ModelError
from jam.history.parsing.decoding import decode
from jam.jobs import FolderBelow, FolderDigest, FolderSummarizer
from jam.memo import Memo
from jam.memorizer.progress import Progress
from jam.memorizer.upgrades import Stamp, is_due
from jam.models.parallel import side_by_side
from jam.workspace import files
from jam.workspace.layout import README, folders, parent
from jam.workspace.readme import (
    FolderLine,
    Map,
    SessionLine,
    clean_summary,
    folder_title,
    render_readme,
    summary_of,
)
from jam.workspace.store import Workspace

_STALE = "0"
"""The inputs of a summary that could not be made: it is tried again by the next build."""


@dataclass(frozen=True, slots=True)
class Filed:
    """A session as READMEs name it."""

    path: str
    """Of its first part."""
    parts: int
    started: str | None
    ended: str | None
    memo: Memo


@dataclass
class _Folder:
    sessions: list[Filed] = field(default_factory=list)
    below: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Summed:
    """A folder's summary, with what it was made from and by whom."""

    text: str
    made: str


class Readmes:
    """The READMEs of a workspace, for the sessions that are filed in it."""

    def __init__(self, workspace: Workspace, filed: list[Filed], summarizer: FolderSummarizer) -> None:
        self.workspace = workspace
        self.summarizer = summarizer
        self.failed: dict[str, str] = {}
        """Folder → why its summary could not be made; it has a computed one, and is tried again."""
        self._tree = _tree(workspace, filed)
        self._inside: dict[str, list[Filed]] = {}
        self._summed: dict[str, _Summed] = {}

    def sum_up(
        self,
        progress: Progress,
        unleased: AbstractContextManager[None] | None = None,
        workers: int = 1,
        refresh: bool = False,
    ) -> None:
        """Makes the summaries. With `unleased` a model does: it is asked within that context, `workers` at a time."""
        order = self._order()
        progress.stage("READMEs", len(order))
        for path in order:
            inside = [*self._tree[path].sessions, *(f for child in self._tree[path].below for f in self._inside[child])]
            self._inside[path] = sorted(inside, key=lambda item: (item.started or "", item.path))
        with unleased or nullcontext():
            for number, _ in enumerate(self._sums(order, workers, refresh), 1):
                progress.advance(number, len(order))

    def write(self) -> int:
        """Brings every README up to date. Returns how many changed."""
        return sum(map(self._write, self._order()))

    def _order(self) -> list[str]:
        """The folders, the deepest first."""
        return sorted(self._tree, key=lambda path: (-_level(path), path))

    def _sums(self, order: list[str], workers: int, refresh: bool) -> Iterator[str]:
        """Makes the summaries, level by level from the deepest: a folder's is made of those below it."""
        for _, paths in groupby(order, key=_level):
            for done in side_by_side(list(paths), lambda path: self._summary(path, refresh), workers):
                if done.error is not None:
                    raise done.error
                assert done.result is not None
                self._summed[done.item] = done.result
                yield done.item

    def _summary(self, path: str, refresh: bool) -> _Summed:
        digest = self._digest(path)
        content = [digest.name, *(f"{item.path} {item.memo}" for item in self._inside[path])]
        stamp = Stamp.of(content, self.summarizer.fingerprint)
        present = summary_of(self._existing(path))
        if present and not is_due(stamp, self.summarizer.name, Stamp.parse(present.inputs), present.engine, refresh):
            return _Summed(present.text, f"{present.inputs} {present.engine}")
        paid = present.text if present and present.engine == "llm" else ""
        if paid and self.summarizer.name == "extractive":
            return self._kept(paid, digest)
        try:
            return _Summed(clean_summary(self.summarizer.summarize(digest)), f"{stamp} {self.summarizer.name}")
        except ModelError as error:
            self.failed[path] = str(error)
            return self._kept(paid, digest) if paid else _Summed(self._computed(digest), f"{_STALE} extractive")

    def _kept(self, paid: str, digest: FolderDigest) -> _Summed:
        """What a model was paid for, with the size and span of now; the next build with a model makes it anew."""
        size = self._computed(digest).partition(". ")[0].rstrip(".")
        return _Summed(f"{size}. {paid.partition('. ')[2] or paid}", f"{_STALE} llm")

    def _computed(self, digest: FolderDigest) -> str:
        return clean_summary(self.summarizer.without_model(digest))

    def _digest(self, path: str) -> FolderDigest:
        inside, folder = self._inside[path], self._tree[path]
        return FolderDigest(
            name=folder_title(path),
            memos=tuple(item.memo for item in inside),
            started=min((item.started for item in inside if item.started), default=None),
            ended=max((item.ended for item in inside if item.ended), default=None),
            direct=tuple(item.memo for item in folder.sessions),
            below=tuple(
                FolderBelow(folder_title(child), len(self._inside[child]), self._summed[child].text)
                for child in sorted(folder.below)
            ),
        )

    def _write(self, path: str) -> bool:
        folder, summed = self._tree[path], self._summed[path]
        lines = [_folder_line(child, self._inside[child], self._summed[child].text) for child in sorted(folder.below)]
        content = Map(folder_title(path), summed.text, lines, _session_lines(folder.sessions))
        text = render_readme(content, summed.made, self._existing(path))
        return files.write_atomic(self.workspace.root / path / README, text.encode("utf-8", "replace"))

    def _existing(self, path: str) -> str | None:
        file = self.workspace.root / path / README
        return decode(file.read_bytes()) if file.exists() else None


def _level(path: str) -> int:
    return path.count("/") + 1 if path else 0


def _tree(workspace: Workspace, filed: list[Filed]) -> dict[str, _Folder]:
    tree: dict[str, _Folder] = {"": _Folder()}
    for folder in folders(workspace.root):
        tree[folder] = _Folder()
    for item in filed:
        tree[parent(item.path)].sessions.append(item)
    for path in [path for path in tree if path and not _holds(path, tree)]:
        del tree[path]  # an empty folder, or one that holds only what people put there
    for path in tree:
        if path:
            tree[parent(path)].below.append(path)
    return tree


def _holds(path: str, tree: dict[str, _Folder]) -> bool:
    return any(tree[other].sessions for other in tree if other == path or other.startswith(path + "/"))


def _folder_line(path: str, inside: list[Filed], summary: str) -> FolderLine:
    """A subfolder in a line: its name, its size, and of its summary what isn't the size again."""
    count = f"{len(inside)} session{'s' if len(inside) != 1 else ''}"
    rest = summary.partition(". ")[2] or summary  # the first sentence is the size and the span of time
    sentence = rest.removeprefix("About ")
    return FolderLine(folder_title(path), f"{path.rpartition('/')[2]}/{README}", count, sentence.split("\n")[0])


def _session_lines(sessions: list[Filed]) -> list[SessionLine]:
    ordered = sorted(sessions, key=lambda item: (item.started or "", item.path))
    return [
        SessionLine((i.started or "undated")[:10], i.memo.title, i.path.rpartition("/")[2], i.parts, i.memo.gist)
        for i in ordered
    ]
