"""Very long texts: an excerpt in the raw file, the whole in `attachments/`, and nobody notices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jam.doctor import check
from jam.errors import DamagedFile
from jam.session import Attachment, Message, Session
from jam.workspace import excerpts, raw_file
from jam.workspace.raw_file import Kept, RawFile, parse, render, shortened
from jam.workspace.store import Workspace

LONGEST = 60
any_text = st.text(st.characters(exclude_categories=()), max_size=40)
pieces = st.sampled_from(["tide ", "\n", "\r\n", "\r", "\x00", "\ud800", "é", "\\u{61}", "<!-- jam:message", "ünï\n\n"])
long_text = st.lists(st.one_of(pieces, any_text), min_size=8, max_size=40).map("".join)


@pytest.fixture(autouse=True, scope="module")
def _short_limits():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(excerpts, "LONGEST", LONGEST)
        patch.setattr(excerpts, "BEGINNING", 20)
        patch.setattr(excerpts, "END", 10)
        yield


def written(place: Path, raw: RawFile) -> Workspace:
    """A workspace that holds the raw file, and its texts."""
    workspace = Workspace.create(place)
    for message in raw.session.messages:
        if Kept.of(message).spilled:
            workspace.attachments.keep_text(message.text)
    (workspace.root / "a.md").write_bytes(raw_file.encode(raw))
    return workspace


def chat(*texts: str) -> RawFile:
    return RawFile(Session("s", tuple(Message("tool", text, id=f"m{n}") for n, text in enumerate(texts))))


@given(st.lists(st.one_of(any_text, long_text), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
@example(["short", "x" * LONGEST, "x" * (LONGEST + 1), "\r\n" * LONGEST, "\n" * 99, "\ud800" * 99])
def test_every_text_comes_back_through_the_store(tmp_path_factory: pytest.TempPathFactory, texts: list[str]):
    raw = chat(*texts)
    workspace = written(tmp_path_factory.mktemp("w") / "w", raw)
    back = workspace.read_raw("a.md")
    assert back == raw
    assert back.damaged == ()
    assert [m.sha256 for m in back.session.messages] == [m.sha256 for m in raw.session.messages]
    skimmed = workspace.skim_raw("a.md")
    assert set(skimmed.spilled) == {n for n, text in enumerate(texts, 1) if len(text) > LONGEST}
    assert skimmed == shortened(raw)
    assert parse(render(skimmed), "a.md") == skimmed
    assert [kept.sha256 for kept in raw_file.kept_in(skimmed)] == [m.sha256 for m in raw.session.messages]


def test_the_file_says_how_much_is_where():
    text = "so the log begins\n" + "tide " * 100 + "\nand it ends"
    raw = chat(text)
    body = render(raw)
    assert text[:20] in body
    assert body.rstrip().endswith(text[-10:])
    assert f"500 of {len(text)} characters are left out here: the whole text is in attachments/" in body
    assert f'"spilled": "{raw.session.messages[0].sha256}", "characters": {len(text)}' in body
    assert len(body) < 700


def test_whole_sessions_have_whole_texts(tmp_path: Path):
    raw = chat("tide " * 40, "short")
    workspace = written(tmp_path / "w", raw)
    (session,) = workspace.sessions()
    assert session == raw.session


def edited(workspace: Workspace) -> None:
    path = workspace.root / "a.md"
    path.write_text(path.read_text(encoding="utf-8").replace("tide tide", "tide turn", 1), encoding="utf-8")


def lost(workspace: Workspace) -> None:
    next((workspace.root / "attachments").iterdir()).unlink()


def altered(workspace: Workspace) -> None:
    next((workspace.root / "attachments").iterdir()).write_bytes(b"evil")


def test_an_edited_excerpt_is_told(tmp_path: Path):
    workspace = written(tmp_path / "w", chat("tide " * 40))
    edited(workspace)
    assert workspace.read_raw("a.md").damaged == (1,)
    assert workspace.read_raw("a.md").session.messages[0].text == "tide " * 40
    assert "damaged_message" in [finding.code for finding in check(workspace).findings]


@pytest.mark.parametrize("harm", [lost, altered])
def test_a_text_that_is_not_there_is_told(tmp_path: Path, harm: Callable[[Workspace], None]):
    workspace = written(tmp_path / "w", chat("tide " * 40, "short"))
    harm(workspace)
    with pytest.raises(DamagedFile, match=r"a\.md, message 1: its text can't be read"):
        workspace.read_raw("a.md")
    assert workspace.skim_raw("a.md").session.messages[1].text == "short"
    assert [f.code for f in check(workspace).findings if f.level == "fault"] == ["missing_attachment"]


@pytest.mark.parametrize("wrong", ['"spilled": 3', '"spilled": "ab"', '"characters": -1', '"characters": "9"'])
def test_a_marker_that_makes_no_sense_is_refused(wrong: str):
    text = render(chat("tide " * 40))
    key = wrong.split(":")[0]
    begin = text.index(key)
    with pytest.raises(DamagedFile, match="not a message's marker"):
        parse(text[:begin] + wrong + text[text.index(",", begin) :], "a.md")


def test_what_is_said_of_a_message_stays(tmp_path: Path):
    message = Message(
        "tool",
        "tide " * 40,
        "m1",
        "2026-01-02T03:04:05Z",
        "Eve",
        "tool_result",
        "agent-1",
        (Attachment("ab" * 32, "image/png", 9),),
        {"model": "x"},
    )
    raw = RawFile(Session("s", (message,), title="T", group=("g",), meta={"cwd": "/"}), part=3, first=17)
    assert written(tmp_path / "w", raw).read_raw("a.md") == raw


def test_memory_for_raw_files_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("jam.workspace.store._CACHED_BYTES", 10_000)
    workspace = Workspace.create(tmp_path / "w")
    for number in range(9):
        raw = replace(chat("x" * 50), session=Session(f"s{number}", (Message("user", "x" * 50),) * 3))
        (workspace.root / f"{number}.md").write_bytes(raw_file.encode(raw))
        assert workspace.read_raw(f"{number}.md") == raw
    held = workspace._raw_cache
    assert 0 < sum(cached.size for cached in held.values()) <= 10_000
    assert ("8.md", False) in held
    big = chat("y" * LONGEST)
    (workspace.root / "big.md").write_bytes(
        raw_file.encode(RawFile(replace(big.session, messages=big.session.messages * 20)))
    )
    assert len(workspace.read_raw("big.md").session.messages) == 20
    assert ("big.md", False) not in held
    assert ("8.md", False) in held
