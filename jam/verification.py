"""Checking a context word for word against the raw files."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from jam.context import Evidence, MemoryContext
from jam.echo import unframed
from jam.errors import DamagedFile, ToolError
from jam.rendering import render_context
from jam.workspace.raw_file import RawFile
from jam.workspace.store import Workspace


@dataclass(frozen=True, slots=True)
class Fault:
    """A quote that doesn't hold, and why."""

    path: str
    message: int
    reason: str

    def render(self) -> str:
        return f"{self.path}, message {self.message}: {self.reason}" if self.message else f"{self.path}: {self.reason}"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def verify_context(workspace: Workspace, context: MemoryContext) -> list[Fault]:
    """Every fault of a context: a quote that isn't there word for word, an altered message in a cited file.

    An empty list means that all holds.
    """
    faults = [fault for evidence in context.evidence for fault in _check(workspace, evidence)]
    cited = {evidence.path for evidence in context.evidence}
    faults += [Fault(path, 0, "a source that no evidence quotes") for path in context.sources if path not in cited]
    faults += [Fault(path, 0, "quoted, but not among the sources") for path in sorted(cited - set(context.sources))]
    rendered = render_context(context.evidence, context.sources)
    if context.context not in (rendered, unframed(rendered)):  # contexts of the first version had no frame
        faults.append(Fault("context", 0, "the text is not what its evidence gives"))
    told = {(fault.path, fault.message) for fault in faults}
    for path in sorted(cited):
        raw = _read(workspace, path)
        if isinstance(raw, RawFile):
            altered = [Fault(path, number, "the text is not what JAM wrote") for number in raw.damaged]
            faults += [fault for fault in altered if (path, fault.message) not in told]
    return faults


def _check(workspace: Workspace, evidence: Evidence) -> list[Fault]:
    raw = _read(workspace, evidence.path)
    if not isinstance(raw, RawFile):
        return [Fault(evidence.path, evidence.message, raw)]
    if not 1 <= evidence.message <= len(raw.session.messages):
        return [Fault(evidence.path, evidence.message, f"the file has messages 1 to {len(raw.session.messages)}")]
    message = raw.session.messages[evidence.message - 1]
    found = []
    if message.sha256 != evidence.sha256:
        found.append(Fault(evidence.path, evidence.message, "the message's text has changed since it was quoted"))
    if evidence.text not in message.text or not evidence.text.strip():
        found.append(Fault(evidence.path, evidence.message, "the quote is not in the message word for word"))
    said = {"id": message.id, "at": message.at or raw.session.started, "speaker": message.speaker, "role": message.role}
    for name, value in said.items():
        if getattr(evidence, name) != value:
            found.append(
                Fault(evidence.path, evidence.message, f"{name} is {value!r}, not {getattr(evidence, name)!r}")
            )
    return found


def _read(workspace: Workspace, path: str) -> RawFile | str:
    try:
        return workspace.read_raw(path)
    except (ToolError, DamagedFile, OSError) as error:
        return str(error)
