"""Where Claude Code keeps what: transcripts, those of sub-agents, large tool results. Only names, nothing is opened.

<project>/<session>.jsonl
<project>/<session>/subagents/agent-<id>.jsonl            (or deeper, below `subagents/`)
<project>/<session>/tool-results/<name>
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from jam.history.source import SourceFile

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_AGENT_FILE = re.compile(r"agent-(.+)")
_RESULTS = "tool-results"
_SUBAGENTS = "subagents"


@dataclass(frozen=True, slots=True)
class Subagent:
    """Whose transcript a file is."""

    agent: str
    session: str | None
    """The session that started the sub-agent, as far as the place of the file tells."""


def subagent_of(file: SourceFile) -> Subagent | None:
    """The sub-agent whose transcript a file is; `None` for any other file.

    Claude Code files it under `<session>/subagents/`, so a folder named like a session id decides. Such a file's own
    `sessionId` is the parent's in some versions and merely the agent's in others. Where `subagents/` was copied next
    to a single transcript, that one is the parent. Otherwise the records' own `sessionId` has to do.
    """
    found = _AGENT_FILE.fullmatch(file.stem)
    if found is None:
        return None
    up = _levels_up_to(file, _SUBAGENTS)
    if up is None:
        return Subagent(found[1], None)
    holder = file.place.parts[-2 - up]
    if UUID.fullmatch(holder) or file.beside(f"{'../' * (up + 1)}{holder}.jsonl"):
        return Subagent(found[1], holder)
    stems = [PurePosixPath(name).stem for name in file.neighbours("../" * up) if name.endswith(".jsonl")]
    beside = [stem for stem in stems if not _AGENT_FILE.fullmatch(stem)]
    return Subagent(found[1], beside[0] if len(beside) == 1 else None)


def session_of(file: SourceFile) -> str:
    """The session of records that name none: the file's name, with its folders unless it is unique by itself."""
    return file.stem if UUID.fullmatch(file.stem) else str(PurePosixPath(file.name).with_suffix(""))


def folder_of(file: SourceFile) -> str:
    """The folder that stands for the project: the one that holds the transcript, or the session that a file is of."""
    parts = file.place.parts[:-1]
    for name in (_SUBAGENTS, _RESULTS):
        up = _levels_up_to(file, name)
        if up is not None:
            parts = parts[: len(parts) - up]
            parts = parts[:-1] if parts and UUID.fullmatch(parts[-1]) else parts
            break
    return parts[-1].strip("/\\") if parts and parts[-1].strip("/\\") else "project"


def result_session(file: SourceFile) -> str | None:
    """The session whose tool results a file is among; `None` for any other file."""
    up = _levels_up_to(file, _RESULTS)
    if up is None:
        return None
    holder = file.place.parts[-2 - up] if len(file.place.parts) > up + 1 else ""
    return holder if UUID.fullmatch(holder) or transcript_of_result(file, holder) else None


def transcript_of_result(file: SourceFile, session: str) -> SourceFile | None:
    """The transcript that a file among the tool results belongs to, where it is there."""
    up = _levels_up_to(file, _RESULTS)
    return file.beside(f"{'../' * (up + 1)}{session}.jsonl") if up is not None and session else None


def results_folder(file: SourceFile) -> str:
    """Where the tool results of a transcript lie, from the transcript's own folder."""
    up = _levels_up_to(file, _SUBAGENTS)
    return f"{file.stem}/{_RESULTS}" if up is None else f"{'../' * up}{_RESULTS}"


def _levels_up_to(file: SourceFile, name: str) -> int | None:
    """How many folders up from a file's own the parent of the nearest folder of this name is; `None` without one."""
    folders = file.place.parts[:-1]
    if name not in folders:
        return None
    return folders[::-1].index(name) + 1
