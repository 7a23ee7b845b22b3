"""Exports come as zip archives; they are read where they are."""

from __future__ import annotations

import io
import json
import os
import zipfile

import pytest

from jam.errors import HistoryError
from jam.history import archive
from jam.history.scan import scan
from jam.history.source import SourceFile
from jam.memorizer.build import build

CHAT = json.dumps({"id": "c1", "messages": [{"role": "user", "content": "Which port?"}]}).encode()


def packed(files: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", compression) as zipped:
        for name, content in files.items():
            zipped.writestr(name, content)
    return data.getvalue()


def test_members_are_files_of_the_history(make, read):
    history = make({"export.zip": packed({"chats/one.json": CHAT, "notes/Ärger.md": "# Ärger\n\nÜber".encode()})})
    result = read(history)
    assert [(row.name, row.status, row.format) for row in result.report.rows] == [
        ("export.zip/chats/one.json", "ingested", "openai_messages"),
        ("export.zip/notes/Ärger.md", "ingested", "markdown"),
    ]
    chat, note = result.sessions
    assert (chat.id, chat.group, chat.messages[0].text) == ("c1", ("export", "chats"), "Which port?")
    assert (note.id, note.group, note.title) == ("export.zip/notes/Ärger.md", ("export", "notes"), "Ärger")


def test_an_archive_alone_is_a_history(tmp_path, read):
    (tmp_path / "export.ZIP").write_bytes(packed({"one.json": CHAT}, zipfile.ZIP_STORED))
    assert read(tmp_path / "export.ZIP").session.id == "c1"


def test_what_can_not_be_read_is_named(make, read):
    files = {
        "inner.zip": packed({"a.md": b"a"}),
        "../outside.md": b"x",
        "__MACOSX/._a": b"x",
        ".git/config": b"x",
        "a.md": b"# a\n\nb",
    }
    result = read(make({"x.zip": packed(files), "broken.zip": b"PK\x03\x04 no archive", "empty.zip": packed({})}))
    reasons = {row.name: row.reason for row in result.report.rows}
    assert reasons["x.zip/a.md"] is None
    assert "inside an archive" in reasons["x.zip/inner.zip"]
    assert "out of the archive" in reasons["x.zip/../outside.md"]
    assert "not a zip archive" in reasons["broken.zip"]
    assert reasons["empty.zip"] == "an empty archive"
    assert {left.name for left in result.report.excluded} == {"x.zip/__MACOSX/._a", "x.zip/.git/config"}


def test_encrypted_members_are_named(make, read):
    data = bytearray(packed({"a.md": b"secret"}))
    directory = data.index(b"PK\x01\x02")
    data[6] |= 1
    data[directory + 8] |= 1
    result = read(make({"x.zip": bytes(data), "b.md": b"b"}))
    assert "encrypted" in result.report.rows[1].reason


def test_a_damaged_member_costs_itself_only(make, read):
    data = packed({"a.md": b"# a\n\nfirst words", "b.md": b"# b\n\nsecond words"}, zipfile.ZIP_STORED)
    data = data.replace(b"first words", b"first wordz")
    result = read(make({"x.zip": data}))
    assert [row.status for row in result.report.rows] == ["skipped", "ingested"]
    assert "damaged" in result.report.rows[0].reason


def test_an_archive_that_expands_without_measure_is_not_opened(make, monkeypatch):
    monkeypatch.setattr(archive, "MAX_EXPANDED", 100_000)
    history = make({"bomb.zip": packed({"a.md": b"0" * 1_000_000}), "b.md": b"b"})
    assert "expand" in scan(history).refused[0].reason


def test_an_archive_of_nothing_but_litter(tmp_path):
    (tmp_path / "x.zip").write_bytes(packed({"__MACOSX/a": b"x"}))
    with pytest.raises(HistoryError, match="no files"):
        scan(tmp_path / "x.zip")


def test_files_beside(make):
    inside = {"export/users.json": b"[]", "export/general/2024-01-01.json": b"[]", "export/general/b.json": b"{}"}
    history = make({"s.zip": packed(inside), "plain/users.json": b"[]", "plain/general/2024-01-01.json": b"[1]"})
    for file in [f for f in scan(history).files if f.stem == "2024-01-01"]:
        users = file.beside("../users.json")
        assert users is not None
        assert users.name == file.name.replace("general/2024-01-01.json", "users.json")
        assert users.read_bytes() == b"[]"
        assert file.beside("nothing.json") is None
        assert file.beside("../../../../../nothing.json") is None
        assert file.stem + ".json" in file.neighbours()
        assert file.neighbours("..") == ["users.json"]


def test_reading_tells_how_far_it_is(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"x" * 200_000)
    passed: list[int] = []
    file = SourceFile(tmp_path / "a.txt", "a.txt", 200_000, watch=passed.append)
    assert len(file.read_bytes()) == sum(passed) == 200_000


def test_an_archive_is_read_once(make, tmp_path):
    history = make({"x.zip": packed({"one.json": CHAT, "a.md": b"# a\n\nwords"})})
    os.utime(history / "x.zip", (1_700_000_000, 1_700_000_000))
    build(history, tmp_path / "x.jam")
    workspace, report = build(history, tmp_path / "x.jam")
    assert (report.history.unchanged, report.new, report.grown) == (2, 0, 0)
    assert {session.origin for session in workspace.sessions()} == {"x.zip/one.json", "x.zip/a.md"}
