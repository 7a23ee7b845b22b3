"""Every quote is checked word for word."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import jam
from jam.rendering import render_context
from jam.verification import Fault
from tests.histories import PORT

Q = "What is the berth limit for the east pontoon?"


@pytest.fixture
def workspace(example_workspace: Path) -> jam.Workspace:
    return jam.Workspace.open(example_workspace)


@pytest.fixture
def context(workspace: jam.Workspace) -> jam.MemoryContext:
    return jam.recall(workspace, Q, strategy="search", save=False)


def tampered(context: jam.MemoryContext, **changes: object) -> jam.MemoryContext:
    first, *others = context.evidence
    return replace(context, evidence=(replace(first, **changes), *others))


def test_a_true_context_holds(workspace: jam.Workspace, context: jam.MemoryContext):
    assert context.evidence
    assert jam.verify_context(workspace, context) == []


def test_one_letter_changed_in_a_raw_file_names_its_message(workspace: jam.Workspace, context: jam.MemoryContext):
    evidence = next(item for item in context.evidence if "48 boats" in item.text)
    raw = workspace.root / evidence.path
    raw.write_bytes(raw.read_bytes().replace(b"pontoon is 48 boats", b"pontoon is 49 boats"))
    faults = jam.verify_context(workspace, context)
    assert {(fault.path, fault.message) for fault in faults} == {(evidence.path, evidence.message)}
    assert "changed since it was quoted" in faults[0].reason


def test_a_changed_message_that_is_not_quoted_is_named_too(workspace: jam.Workspace):
    context = jam.recall(workspace, Q, strategy="search", budget=jam.Budget(context_tokens=60), save=False)
    quoted = {(item.path, item.message) for item in context.evidence}
    path = context.evidence[0].path
    messages = workspace.read_raw(path).session.messages
    number = next(n for n in range(1, len(messages) + 1) if (path, n) not in quoted)
    line = messages[number - 1].text.splitlines()[0]
    raw = workspace.root / path
    text = raw.read_text(encoding="utf-8")
    at = text.rindex(line)
    raw.write_text(text[:at] + "X" + text[at + 1 :], encoding="utf-8")
    assert jam.verify_context(workspace, context) == [Fault(path, number, "the text is not what JAM wrote")]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"text": "The limit is 99."}, "not in the message word for word"),
        ({"text": ""}, "not in the message word for word"),
        ({"sha256": "0" * 64}, "changed since it was quoted"),
        ({"message": 0}, "the file has messages 1 to"),
        ({"message": 10_000}, "the file has messages 1 to"),
        ({"id": "another"}, "id is"),
        ({"at": "1999-01-01"}, "at is"),
        ({"speaker": "Somebody"}, "speaker is"),
        ({"role": "system"}, "role is"),
        ({"path": "notes/absent.md"}, "no session file"),
        ({"path": "../outside.md"}, "leads upwards"),
        ({"path": "README.md"}, "no session file"),
        ({"path": ".jam/ledger.json"}, "no session file"),
        ({"path": "notes"}, "is a folder"),
    ],
)
def test_a_tampered_quote_is_a_fault(
    workspace: jam.Workspace, context: jam.MemoryContext, changes: dict[str, object], reason: str
):
    faults = jam.verify_context(workspace, tampered(context, **changes))
    assert any(reason in fault.reason for fault in faults)


def test_a_quote_moved_to_another_message_is_a_fault(workspace: jam.Workspace, context: jam.MemoryContext):
    other = context.evidence[0].message % 2 + 1
    assert jam.verify_context(workspace, tampered(context, message=other))


def test_a_stretch_of_a_message_holds(workspace: jam.Workspace, context: jam.MemoryContext):
    cut = tampered(context, text=context.evidence[0].text[2:20])
    cut = replace(cut, context=render_context(cut.evidence, cut.sources))
    assert jam.verify_context(workspace, cut) == []


def test_a_missing_file_is_a_fault(workspace: jam.Workspace, context: jam.MemoryContext):
    (workspace.root / context.sources[0]).unlink()
    assert {fault.path for fault in jam.verify_context(workspace, context)} == {context.sources[0]}


def test_a_source_that_nothing_quotes_is_a_fault(workspace: jam.Workspace, context: jam.MemoryContext):
    false = replace(context, sources=(*context.sources, "notes/never.md"))
    assert jam.verify_context(workspace, false) == [Fault("notes/never.md", 0, "a source that no evidence quotes")]


def test_a_quote_whose_source_is_not_listed_is_a_fault(workspace: jam.Workspace, context: jam.MemoryContext):
    assert jam.verify_context(workspace, replace(context, sources=context.sources[1:]))


def test_words_in_the_context_that_no_evidence_has_are_a_fault(workspace: jam.Workspace, context: jam.MemoryContext):
    false = replace(context, context=context.context.replace("48 boats", "84 boats"))
    assert jam.verify_context(workspace, false)


def test_an_absent_context_holds(workspace: jam.Workspace):
    context = jam.recall(workspace, "What is the user's blood type?", save=False)
    assert jam.verify_context(workspace, context) == []


def test_a_move_within_the_workspace_breaks_the_path_only(workspace: jam.Workspace):
    context = jam.recall(workspace, PORT, strategy="search", save=False)
    (workspace.root / context.sources[0]).rename(workspace.root / "notes" / "moved.md")
    assert {fault.path for fault in jam.verify_context(workspace, context)} == {context.sources[0]}
