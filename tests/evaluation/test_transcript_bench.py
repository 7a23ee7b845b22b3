"""A transcript that is large for the limits that hold here: everything is kept, everything is found."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import jam
from jam.doctor import check
from jam.evaluation.product.transcript import Written, measure_transcript, render_transcript, write_transcript
from jam.history import gather
from jam.index import buckets, growing, lexicon, passages
from jam.memorizer.build import build
from jam.workspace import excerpts
from jam.workspace.store import Workspace
from tests.conftest import tree_digest


@pytest.fixture(scope="module", autouse=True)
def _small_limits() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gather, "MAX_CHARACTERS", 150_000)
        patch.setattr(excerpts, "LONGEST", 20_000)
        patch.setattr(growing, "_IN_MEMORY", 4_096)
        patch.setattr(lexicon, "_SLICE", 30_000)
        patch.setattr(lexicon, "_REMEMBERED", 5_000)
        patch.setattr(buckets, "_WAITING", 4_096)
        patch.setattr(passages, "_POSTINGS", 20_000)
        patch.setattr("jam.workspace.store._CACHED_BYTES", 500_000)
        yield


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Written]:
    folder = tmp_path_factory.mktemp("transcript")
    (folder / "history").mkdir()
    return folder, write_transcript(folder / "history" / "t.jsonl", 3, 0.5)


@pytest.fixture(scope="module")
def workspace(written: tuple[Path, Written]) -> Workspace:
    place, report = build(written[0] / "history", written[0] / "w")
    assert report.complete
    assert (report.sessions, report.messages) == (1, written[1].messages)
    return place


def said(folder: Path) -> list[str]:
    """Every text of the transcript, as far as it is no payload."""
    found = []
    for line in (folder / "history" / "t.jsonl").read_text(encoding="utf-8").splitlines():
        content = json.loads(line)["message"]["content"]
        parts = [content] if isinstance(content, str) else [p.get("text") or p.get("content") or "" for p in content]
        found.append(max(parts, key=len))
    return found


def test_every_message_is_kept_and_payloads_are_spilled(written: tuple[Path, Written], workspace: Workspace):
    (session,) = workspace.sessions()
    assert len(session.messages) == written[1].messages
    for message, text in zip(session.messages, said(written[0]), strict=True):
        if not message.attachments:
            assert message.text == text
    pictures = [
        a for m in session.messages for a in m.attachments if workspace.attachments.read(a.sha256)[1:4] == b"PNG"
    ]
    assert len(pictures) == written[1].payloads > 1
    assert {picture.media_type for picture in pictures} == {"image/png"}
    assert sum("[data: " in m.text or "[image: " in m.text for m in session.messages) == len(pictures)
    long = [len(m.text) for m in session.messages if len(m.text) > excerpts.LONGEST]
    assert len(long) == sum(hidden.long for hidden in written[1].hidden) > 1
    assert max((workspace.root / entry.path).stat().st_size for entry in workspace.entries()) < 120_000
    assert check(workspace).sound


def test_what_is_hidden_in_very_long_messages_is_found(written: tuple[Path, Written], workspace: Workspace):
    for hidden in written[1].hidden:
        context = jam.recall(workspace, hidden.question, save=False)
        assert hidden.answer in context.context or not hidden.long, hidden
        assert jam.verify_context(workspace, context) == []


def test_read_anew_it_changes_nothing(written: tuple[Path, Written], workspace: Workspace):
    before = tree_digest(workspace.root)
    stamps = {path: path.stat().st_mtime_ns for path in workspace.root.rglob("*.md")}
    (workspace.root / ".jam" / "ledger.json").unlink()
    _, report = build(written[0] / "history", workspace.root)
    assert report.history.ingested == 1
    assert tree_digest(workspace.root) == before
    assert {path: path.stat().st_mtime_ns for path in workspace.root.rglob("*.md")} == stamps


def test_the_limits_make_no_difference(written: tuple[Path, Written], workspace: Workspace):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gather, "MAX_CHARACTERS", 100_000_000)
        patch.setattr(gather, "MAX_MESSAGES", 1_000_000)
        other, _ = build(written[0] / "history", written[0] / "other")
    assert tree_digest(other.root) == tree_digest(workspace.root)


def test_the_same_seed_gives_the_same_transcript(tmp_path: Path):
    one, two = (write_transcript(tmp_path / name, 0.3, 0.1) for name in ("a", "b"))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert one.hidden == two.hidden
    assert 0.8 < one.bytes / 300_000 < 1.5
    assert one.longest_line < 150_000


def test_the_bench_measures(tmp_path: Path):
    data = measure_transcript(1, 0.3, tmp_path)
    assert data["unchanged"]
    assert data["messages"] == data["built_messages"]
    assert data["payloads"]["written"] == data["payloads"]["spilled"] > 0
    assert data["hidden"]["long"]["found"] == data["hidden"]["long"]["asked"] > 0
    # The system counts what the process had before it became the build: what a worker of tests has, here.
    assert data["build"]["peak_megabytes"] is None or data["build"]["peak_megabytes"] > 50
    assert "MB of memory at most" in render_transcript(data) or data["build"]["peak_megabytes"] is None
