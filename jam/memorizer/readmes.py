"""Folders → READMEs, bottom-up, once a build. A summary is made again only when its inputs changed."""

from __future__ import annotations

from dataclasses import dataclass, field

from jam.history.decoding import decode
from jam.jobs import FolderDigest, FolderSummarizer
from jam.memo import Memo
from jam.memorizer.progress import Progress
from jam.workspace import files
from jam.workspace.layout import README, folders, parent
from jam.workspace.readme import (
    FolderLine,
    Map,
    SessionLine,
    folder_title,
    inputs_digest,
    render_readme,
    summary_of,
)
from jam.workspace.store import Workspace


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


def write_readmes(workspace: Workspace, filed: list[Filed], summarizer: FolderSummarizer, progress: Progress) -> int:
    """Brings every README up to date. Returns how many changed."""
    tree = _tree(workspace, filed)
    order = sorted(tree, key=lambda path: (-(path.count("/") + 1 if path else 0), path))
    progress.stage("READMEs", len(order))
    everything: dict[str, list[Filed]] = {}
    summaries: dict[str, str] = {}
    changed = 0
    for number, path in enumerate(order, 1):
        inside = [*tree[path].sessions, *(item for child in tree[path].below for item in everything[child])]
        everything[path] = sorted(inside, key=lambda item: (item.started or "", item.path))
        changed += _write(workspace, path, tree[path], everything, summaries, summarizer)
        progress.advance(number, len(order))
    return changed


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


def _write(
    workspace: Workspace,
    path: str,
    folder: _Folder,
    everything: dict[str, list[Filed]],
    summaries: dict[str, str],
    summarizer: FolderSummarizer,
) -> bool:
    file = workspace.root / path / README
    existing = decode(file.read_bytes()) if file.exists() else None
    title = folder_title(path)
    inside = everything[path]
    inputs = inputs_digest([summarizer.fingerprint, title, *(f"{item.path} {item.memo}" for item in inside)])
    present = summary_of(existing)
    if present and present[0] == inputs:
        summary = present[1]
    else:
        started = [item.started for item in inside if item.started]
        ended = [item.ended for item in inside if item.ended]
        digest = FolderDigest(
            title, tuple(i.memo for i in inside), min(started, default=None), max(ended, default=None)
        )
        summary = summarizer.summarize(digest)
    summaries[path] = summary
    lines = [_folder_line(child, everything[child], summaries[child]) for child in sorted(folder.below)]
    text = render_readme(Map(title, summary, lines, _session_lines(folder.sessions)), inputs, existing)
    return files.write_atomic(file, text.encode("utf-8", "replace"))


def _folder_line(path: str, inside: list[Filed], summary: str) -> FolderLine:
    count = f"{len(inside)} session{'s' if len(inside) != 1 else ''}"
    sentence = summary.partition("About ")[2] or summary
    return FolderLine(folder_title(path), f"{path.rpartition('/')[2]}/{README}", count, sentence.split("\n")[0])


def _session_lines(sessions: list[Filed]) -> list[SessionLine]:
    ordered = sorted(sessions, key=lambda item: (item.started or "", item.path))
    return [
        SessionLine((i.started or "undated")[:10], i.memo.title, i.path.rpartition("/")[2], i.parts, i.memo.gist)
        for i in ordered
    ]
