"""Checking a workspace: the tree itself, and the index against one made anew from the tree."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from jam.errors import DamagedFile
from jam.index.store import IndexState, index_state, open_index, rebuild
from jam.links.store import discard_links, links_hold
from jam.workspace import memo_file
from jam.workspace.layout import ATTACHMENTS, DAMAGED_SUFFIX, INBOX, MEMO_SUFFIX, RAW_SUFFIX, README, memo_path
from jam.workspace.lease import current_holder
from jam.workspace.raw_file import RawFile
from jam.workspace.settings import FILE
from jam.workspace.store import Workspace, is_foreign

Level = Literal["fault", "remark"]
_SET_ASIDE = "set aside by a build; see whether the session is whole again, then mend or delete this file"
_FOREIGN = "not a file of JAM's; it is left alone and not searched"
_OWN_FILES = {FILE, README, ".gitattributes", ".gitignore"}


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a check noticed; a fault needs a hand, a remark doesn't."""

    level: Level
    code: str
    """Stable: `damaged_file`, `damaged_message`, `doubled_part`, `missing_part`, `missing_attachment`, `orphan_memo`,
    `damaged_memo`, `raw_only`, `in_inbox`, `other_file`, `index_missing`, `index_stale`, `index_differs`,
    `links_differ`, `busy`."""
    path: str
    text: str

    def render(self) -> str:
        return f"{self.level}: {self.path}: {self.text}" if self.path else f"{self.level}: {self.text}"


@dataclass(frozen=True, slots=True)
class Checkup:
    """All that was found, and what was looked at."""

    workspace: str
    sessions: int
    messages: int
    findings: tuple[Finding, ...]
    index: str
    """`equal`, `missing`, `stale`, or `differs`: the stored index against one made anew."""
    rebuilt: bool

    @property
    def sound(self) -> bool:
        """No fault was found."""
        return not any(finding.level == "fault" for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "findings": [asdict(finding) for finding in self.findings], "sound": self.sound}


def check(workspace: Workspace, *, rebuild_index: bool = False) -> Checkup:
    """Reads everything and reports. Nothing is changed, except that `rebuild_index` replaces what is derived."""
    findings: list[Finding] = []
    seen: dict[tuple[str, int], str] = {}
    starts: dict[str, list[tuple[int, int, str]]] = {}
    messages = 0
    for stamp in workspace.stamps():
        raw = _read(workspace, stamp.path, findings)
        if raw is None:
            continue
        messages += len(raw.session.messages)
        findings += _raw_findings(workspace, stamp.path, raw)
        other = seen.setdefault((raw.session.id, raw.part), stamp.path)
        if other != stamp.path:
            findings.append(Finding("fault", "doubled_part", stamp.path, f"the same session and part as {other}"))
        else:
            starts.setdefault(raw.session.id, []).append((raw.first, len(raw.session.messages), stamp.path))
    findings += [finding for parts in starts.values() for finding in _gaps(sorted(parts))]
    findings += _other_files(workspace)
    state = index_state(workspace)
    findings += _index_findings(state)
    if state is IndexState.equal and not links_hold(workspace, open_index(workspace)):
        text = "the stored links between messages are not what the index gives; run jam doctor --rebuild"
        findings.append(Finding("fault", "links_differ", "", text))
    holder = current_holder(workspace.root)
    if holder:
        text = f"{holder.purpose} is at work (process {holder.pid} on {holder.host}, since {holder.started})"
        findings.append(Finding("remark", "busy", "", text))
    rebuilt = rebuild_index and rebuild(workspace)
    if rebuilt:
        discard_links(workspace)
    return Checkup(str(workspace.root), len(starts), messages, tuple(findings), state.name, rebuilt)


def _read(workspace: Workspace, path: str, findings: list[Finding]) -> RawFile | None:
    try:
        return workspace.skim_raw(path)
    except (DamagedFile, OSError) as error:
        if is_foreign(workspace.root, path):
            findings.append(Finding("remark", "other_file", path, _FOREIGN))
        else:
            findings.append(Finding("fault", "damaged_file", path, str(error)))
        return None


def _raw_findings(workspace: Workspace, path: str, raw: RawFile) -> Iterator[Finding]:
    damaged = raw.damaged
    if raw.spilled:
        try:
            damaged = workspace.read_raw(path).damaged
        except (DamagedFile, OSError) as error:
            yield Finding("fault", "missing_attachment", path, str(error))
    for number in damaged:
        yield Finding("fault", "damaged_message", path, f"message {number}: the text is not what JAM wrote")
    for attachment in (a for message in raw.session.messages for a in message.attachments):
        try:
            workspace.attachments.read(attachment.sha256)
        except (DamagedFile, OSError) as error:
            yield Finding("fault", "missing_attachment", path, str(error))
    memo = workspace.root / memo_path(path)
    if not memo.exists():
        yield Finding("remark", "raw_only", path, "no memo yet; the next jam build writes it")
    if path.startswith(f"{INBOX}/"):
        yield Finding("remark", "in_inbox", path, "not filed yet; the next jam build does it")


def _gaps(parts: list[tuple[int, int, str]]) -> Iterator[Finding]:
    expected = 0
    for first, count, path in parts:
        if first < expected:
            yield Finding("fault", "doubled_part", path, "its first messages are in another part of the session too")
        if first > expected:
            yield Finding(
                "fault", "missing_part", path, f"messages {expected + 1} to {first} of its session are in no file"
            )
        expected = max(expected, first + count)


def _other_files(workspace: Workspace) -> Iterator[Finding]:
    for current, names, files in os.walk(workspace.root):
        names[:] = sorted(name for name in names if not name.startswith("."))
        relative = os.path.relpath(current, workspace.root).replace(os.sep, "/")
        prefix = "" if relative == "." else f"{relative}/"
        if not prefix:
            names[:] = [name for name in names if name != ATTACHMENTS]
        for name in sorted(files):
            if name.endswith(DAMAGED_SUFFIX):
                yield Finding("fault", "damaged_file", prefix + name, _SET_ASIDE)
            elif name.endswith(MEMO_SUFFIX):
                yield from _memo_findings(workspace, prefix + name)
            elif not name.endswith(RAW_SUFFIX) and name not in _OWN_FILES:
                yield Finding("remark", "other_file", prefix + name, _FOREIGN)


def _memo_findings(workspace: Workspace, path: str) -> Iterator[Finding]:
    if not (workspace.root / (path.removesuffix(MEMO_SUFFIX) + RAW_SUFFIX)).is_file():
        yield Finding("fault", "orphan_memo", path, "its raw file is not beside it; jam build mends it, or delete it")
        return
    try:
        memo_file.decode_memo((workspace.root / path).read_bytes(), path)
    except (DamagedFile, OSError) as error:
        yield Finding("fault", "damaged_memo", path, f"{error}; delete it, and the next jam build writes it again")


def _index_findings(state: IndexState) -> Iterator[Finding]:
    texts: dict[IndexState, tuple[Level, str, str]] = {
        IndexState.missing: ("remark", "index_missing", "there is no index; it is made when it is needed"),
        IndexState.stale: (
            "remark",
            "index_stale",
            "the tree has changed since the index was made; it is made again when needed",
        ),
        IndexState.differs: (
            "fault",
            "index_differs",
            "the stored index is not what the tree gives; run jam doctor --rebuild",
        ),
    }
    if state in texts:
        level, code, text = texts[state]
        yield Finding(level, code, "", text)
