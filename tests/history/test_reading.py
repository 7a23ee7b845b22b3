from __future__ import annotations

import os
from importlib.metadata import EntryPoint

import pytest

from jam.errors import HistoryError, UnreadableFile, UsageError
from jam.history import registry
from jam.history.reader import Skipped
from jam.history.reading import read_history
from jam.history.registry import detect, get_reader, reader_names
from jam.memorizer.build import build
from jam.session import Message, Session


class Moody:
    """A reader that fails in the way that the file's name says."""

    name = "moody"
    description = "for tests"

    def recognises(self, file):
        if "unsure" in file.name:
            raise KeyError("lost")
        return 1.0 if file.suffix == ".moody" else 0.0

    def read(self, file, spill):
        if "late" in file.name:
            yield Session("late", (Message("user", "hello"),))
        if "spill" in file.name:
            spill(b"x", "image/png", None)
        if "clean" in file.name:
            raise UnreadableFile("nothing in it")
        if "empty" in file.name:
            yield Session("nothing", ())
            return
        raise ZeroDivisionError("surprise")


@pytest.fixture
def moody(monkeypatch):
    monkeypatch.setitem(registry.READERS, "moody", f"{__name__}:Moody")


def test_every_file_has_a_row(make, read):
    folder = make(
        {"a.md": "hello", "b.csv": "1,2", "c.bin": bytes(range(256)), "d.md": "", "e.md": " \n\t\n", "f.py": "x"}
    )
    result = read(folder)
    assert {row.name: (row.status, row.format, row.reason) for row in result.report.rows} == {
        "a.md": ("ingested", "markdown", None),
        "b.csv": ("skipped", None, "unsupported format"),
        "c.bin": ("skipped", None, "binary (not a supported format)"),
        "d.md": ("skipped", None, "empty"),
        "e.md": ("skipped", None, "empty"),
        "f.py": ("ingested", "plain_text", None),
    }
    counts = result.report.to_dict()
    assert (counts["found"], counts["ingested"], counts["skipped"], counts["unchanged"]) == (6, 2, 4, 0)
    assert "binary" in result.report.render()


@pytest.mark.usefixtures("moody")
def test_nothing_stops_the_others(make, read):
    folder = make({f"{n}.moody": "x" for n in ("clean", "crash", "empty", "late", "unsure")} | {"z.md": "hello"})
    result = read(folder)
    rows = {row.name: row for row in result.report.rows}
    assert rows["clean.moody"].reason == "nothing in it"
    assert "ZeroDivisionError: surprise" in rows["crash.moody"].reason
    assert rows["empty.moody"].reason == "no readable record in it"
    assert rows["late.moody"].status == "ingested"
    assert rows["late.moody"].records_skipped[0].where == "the rest of the file"
    assert rows["unsure.moody"].format == "plain_text"  # who can't even look at a file doesn't keep others from it
    assert rows["z.md"].status == "ingested"


@pytest.mark.usefixtures("moody")
def test_a_failing_spill_is_not_hidden(make):
    def full(payload, media_type, name):
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        list(read_history(make({"spill.moody": "x"}), full))


def test_unchanged_and_progress(make, read):
    seen = []
    folder = make({"a.md": "x", "b.md": "y"})
    result = read(
        folder,
        unchanged=lambda file: file.name == "a.md",
        progress=lambda done, total, row: seen.append((done, total, row.name, row.status)),
    )
    assert [session.id for session in result.sessions] == ["b.md"]
    assert seen == [(1, 2, "a.md", "unchanged"), (2, 2, "b.md", "ingested")]
    assert result.report.unchanged == 1


def test_formats_can_be_chosen(make, read):
    folder = make({"a.md": "x", "b.txt": "y"})
    result = read(folder, formats=["plain_text"])
    assert {row.name: row.format for row in result.report.rows} == {"a.md": "plain_text", "b.txt": "plain_text"}
    result = read(folder, formats=["markdown"])
    assert "not one of the formats asked for" in result.report.rows[1].reason
    with pytest.raises(UsageError, match=r"choose from claude_code, .*, plain_text"):
        read(folder, formats=["mardkown"])


def test_no_history(read, tmp_path):
    with pytest.raises(HistoryError):
        read(tmp_path / "nowhere")


def test_registry():
    names = reader_names()
    assert names[0] == "claude_code"
    assert names[-2:] == ["markdown", "plain_text"]  # any text is theirs, where no other reader knows it
    assert get_reader("jam.history.readers.documents.markdown:Markdown").name == "markdown"
    for name in reader_names():
        assert get_reader(name).name == name
        assert get_reader(name).description
    with pytest.raises(UsageError, match="can't be loaded"):
        get_reader("no.such:Reader")


def test_a_package_can_add_a_reader(make, read, monkeypatch):
    point = EntryPoint("moody", f"{__name__}:Moody", registry.ENTRY_POINTS)
    monkeypatch.setattr(registry, "_plugins", lambda: {"moody": point})
    assert read(make({"late.moody": "x"})).row.format == "moody"
    assert reader_names()[-1] == "moody"


def test_ties_go_to_the_first(make, monkeypatch, moody):
    from jam.history.scan import find_files
    from jam.history.source import read_sample

    (file,) = find_files(make({"a.moody": "x"}))
    monkeypatch.setitem(registry.READERS, "moody2", f"{__name__}:Moody")
    assert detect(read_sample(file), ["moody", "moody2"]) is get_reader("moody")


def test_many_skipped_records_are_counted_not_all_listed(make, read):
    lines = ['{"role": "user", "content": "hi"}'] + ["42"] * 1500
    row = read(make({"a.jsonl": "\n".join(lines) + "\n"})).row
    assert (row.skipped_count, len(row.records_skipped)) == (1500, 1000)
    assert isinstance(row.records_skipped[0], Skipped)
    assert "and 500 more" in "\n".join([read(make({})).report.render()])


def test_origin_and_format_are_set(make, read):
    session = read(make({"x/a.md": "hello"})).session
    assert (session.origin, session.format, session.group) == ("x/a.md", "markdown", ("x",))


def test_reading_twice_gives_the_same(make):
    reading = read_history(make({"a.md": "x", "b/c.txt": "y"}), lambda *_: pytest.fail("nothing to spill"))
    first = [session for _, session in reading]
    report = reading.report.to_dict()
    assert [session for _, session in reading] == first
    assert reading.report.to_dict() == report


def test_a_picture_kept_with_its_message_is_no_loss(make, tmp_path):
    picture = b"\xff\xd8\xff\xe0" + bytes(range(200))
    chat = "[12/03/2026, 09:14:05] Ann: look\n[12/03/2026, 09:15:00] Bo: <attached: one.jpg>\n"
    history = make({"_chat.txt": chat, "one.jpg": picture, "two.jpg": picture + b"2"})
    for name in ("_chat.txt", "one.jpg", "two.jpg"):
        os.utime(history / name, (1_700_000_000, 1_700_000_000))
    rows = {row.name: row for row in build(history, tmp_path / "w.jam")[1].history.rows}
    assert (rows["one.jpg"].status, rows["one.jpg"].reason) == ("ingested", None)
    assert rows["two.jpg"].reason == "binary (not a supported format)"
    rows = {row.name: row for row in build(history, tmp_path / "w.jam")[1].history.rows}
    assert rows["one.jpg"].status == "unchanged"
