"""Sessions that are too long to be held: in parts or in one go, the same raw files; what is known is not touched."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jam.doctor import check
from jam.history.reader import Part, SourceFile
from jam.history.report import FileRow, ReadReport
from jam.memorizer import ingest as ingest_module
from jam.memorizer.desk import Desk
from jam.memorizer.ingest import Ingest
from jam.memorizer.ledger import Ledger
from jam.memorizer.merge import merge
from jam.memorizer.progress import Silent
from jam.memorizer.reconcile import reconcile
from jam.session import Message, Session
from jam.workspace import excerpts
from jam.workspace.layout import INBOX
from jam.workspace.settings import Settings
from jam.workspace.store import Workspace
from tests.conftest import tree_digest

LONGEST = 400
words = st.sampled_from(["tide", "berth", "winch", "mooring", "sail"])
texts = st.one_of(
    st.sampled_from(["ok", "yes", "no"]),
    st.lists(words, min_size=3, max_size=30).map(" ".join),
    st.lists(words, min_size=100, max_size=140).map(" ".join),
)


@pytest.fixture(autouse=True, scope="module")
def _short_limits() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(excerpts, "LONGEST", LONGEST)
        patch.setattr(excerpts, "BEGINNING", 60)
        patch.setattr(excerpts, "END", 20)
        yield


@dataclass
class Handed:
    """A history that is handed out as the test says."""

    sessions: Sequence[Session]
    report: ReadReport = field(default_factory=ReadReport)
    bytes: int = 0
    files: tuple[SourceFile, ...] = ()
    row: FileRow = field(default_factory=lambda: FileRow("a.jsonl", status="ingested"))

    def __call__(self, history: Path, spill: object, progress: object, **_: object) -> Handed:
        self.progress = progress
        return self

    def __iter__(self) -> Iterator[tuple[FileRow, Session]]:
        for session in self.sessions:
            yield self.row, session
        self.progress(1, 1, self.row)  # type: ignore[operator]


def taken(place: Path, *sessions: Session) -> dict[str, str]:
    """The tree, once a history of one file was taken in."""
    workspace = Workspace.create(place, Settings(part_tokens=60))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ingest_module, "read_history", Handed(sessions))
        Ingest(Desk.lay_out(workspace), Ledger(place / ".jam" / "ledger.json"), place.parent, Silent()).run()
    return tree_digest(place)


def in_parts(session: Session, cuts: Sequence[int], threads: dict[str, str] | None = None) -> list[Session]:
    """The session as a reader hands it out that can't hold it."""
    bounds = [0, *sorted({cut % (len(session.messages) + 1) for cut in cuts}), len(session.messages)]
    fields = {"format": session.format, "origin": session.origin, "group": session.group, "at": session.at}
    parts = [Part(session.id, session.messages[a:b], **fields) for a, b in pairwise(bounds)]
    last = Part(session.id, (), title=session.title, meta=session.meta, threads=threads or {}, **fields)
    return [*parts, last]


def chat(said: Sequence[str], ids: bool, times: bool, title: str | None = "Log") -> Session:
    messages = tuple(
        Message(
            "user" if n % 2 else "tool",
            text,
            id=f"m{n}" if ids else None,
            at=f"2026-01-01T10:{n % 60:02d}:00Z" if times else None,
        )
        for n, text in enumerate(said)
    )
    return Session("s", messages, title=title, origin="a.jsonl", group=("g",), meta={"cwd": "/"})


def whole(place: Path) -> Session:
    (session,) = Workspace.open(place).sessions()
    return session


histories = given(
    st.lists(texts, min_size=1, max_size=25),
    st.lists(texts, max_size=8),
    st.lists(st.integers(0, 40), max_size=5),
    st.lists(st.integers(0, 40), max_size=6),
    st.booleans(),
    st.booleans(),
)
few = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@histories
@few
def test_in_any_parts_it_is_the_same_tree(tmp_path_factory, said, more, cuts, kept, ids, times):
    first = chat(said, ids, times)
    place = tmp_path_factory.mktemp("w")
    tree = taken(place / "whole", first)
    assert taken(place / "parts", *in_parts(first, cuts)) == tree
    assert whole(place / "parts").messages == first.messages
    assert check(Workspace.open(place / "parts")).sound
    # Read again from the start: nothing is written.
    before = {path: path.stat().st_mtime_ns for path in (place / "parts").rglob("*.md")}
    assert taken(place / "parts", *in_parts(first, kept)) == tree
    assert {path: path.stat().st_mtime_ns for path in (place / "parts").rglob("*.md")} == before
    # Read again, grown and with something in between: as if it were merged whole.
    chosen = [message for n, message in enumerate(first.messages) if n not in kept] or list(first.messages)
    added = [replace(m, id=f"n{n}" if ids else None) for n, m in enumerate(chat(more, ids, times).messages)]
    second = replace(first, messages=(*chosen[: len(chosen) // 2], *added, *chosen[len(chosen) // 2 :]), title=None)
    assert taken(place / "parts", *in_parts(second, cuts)) == taken(place / "whole", second)
    assert whole(place / "parts").messages == merge(first, second).messages
    assert taken(place / "fresh", merge(first, second)) == tree_digest(place / "parts")
    assert check(Workspace.open(place / "parts")).sound


@given(st.lists(texts, min_size=6, max_size=25), st.integers(1, 10))
@few
def test_what_grows_keeps_its_earlier_files(tmp_path_factory, said, grown):
    session = chat(said, ids=True, times=False)
    begun = replace(session, messages=session.messages[: max(1, len(said) - grown)])
    place = tmp_path_factory.mktemp("w")
    taken(place / "w", begun)
    before = {path.name: path.stat().st_mtime_ns for path in (place / "w" / INBOX).iterdir()}
    assert taken(place / "w", *in_parts(session, [3])) == taken(place / "fresh", session)
    after = {path.name: path.stat().st_mtime_ns for path in (place / "w" / INBOX).iterdir()}
    assert sum(after[name] != stamp for name, stamp in before.items()) <= 1


def test_a_thread_that_turned_out_at_last_counts_from_the_first_part(tmp_path: Path):
    session = chat([f"message {n}" for n in range(9)], ids=True, times=True)
    taken(tmp_path / "w", *in_parts(session, [3, 6], {"m1": "branch-1", "m7": "branch-1"}))
    assert [m.id for m in whole(tmp_path / "w").messages if m.thread == "branch-1"] == ["m1", "m7"]


def test_copies_are_merged_and_parts_are_joined(tmp_path: Path):
    copy = chat(["ok", "ok"], ids=False, times=False)
    taken(tmp_path / "copies", copy, replace(copy, messages=(*copy.messages, *copy.messages)))
    taken(tmp_path / "parts", *in_parts(replace(copy, messages=copy.messages * 2), [2]))
    assert len(whole(tmp_path / "copies").messages) == len(whole(tmp_path / "parts").messages) == 4


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize("moment", range(1, 15))
def test_a_kill_while_it_grows_in_between_loses_and_doubles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: int
):
    said = [f"message {n} " + "tide " * 12 for n in range(30)]
    session = chat(said, ids=True, times=False)
    taken(tmp_path / "w", session)
    new = Message("user", "in between", id="new")
    grown = replace(session, messages=(*session.messages[:3], new, *session.messages[3:]))
    count = 0
    real = os.replace

    def killed(source: object, target: object) -> None:
        nonlocal count
        count += 1
        if count == moment:
            raise Killed
        real(source, target)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "replace", killed)
    with pytest.raises(Killed):
        taken(tmp_path / "w", *in_parts(grown, [5, 15]))
    monkeypatch.undo()
    reconcile(Workspace.open(tmp_path / "w"))
    kept = [message.id for message in whole(tmp_path / "w").messages]
    assert kept in ([m.id for m in session.messages], [m.id for m in grown.messages])
    assert check(Workspace.open(tmp_path / "w")).sound
    assert taken(tmp_path / "w", *in_parts(grown, [7])) == taken(tmp_path / "fresh", grown)


def test_a_lost_text_is_kept_again_when_it_is_read_again(tmp_path: Path):
    session = chat(["tide " * 200, "short"], ids=True, times=False)
    tree = taken(tmp_path / "w", session)
    next((tmp_path / "w" / "attachments").iterdir()).unlink()
    assert taken(tmp_path / "w", session) == tree
