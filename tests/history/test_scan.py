from __future__ import annotations

import os
import socket

import pytest

from jam.errors import HistoryError
from jam.history import scan as scanning
from jam.history.scan import find_files, scan


def test_order_and_names(make):
    folder = make({"b.md": "x", "a/z.md": "x", "a/B.md": "x", ".hidden": "x", "Ä.txt": "x", "a.md": "x"})
    names = [file.name for file in find_files(folder)]
    assert names == sorted([".hidden", "a.md", "a/B.md", "a/z.md", "b.md", "Ä.txt"])


def test_one_file(make):
    folder = make({"a/b.md": "hello"})
    (file,) = find_files(folder / "a" / "b.md")
    assert (file.name, file.size, file.suffix) == ("b.md", 5, ".md")


def test_what_is_never_history(make):
    folder = make(
        {
            "note.md": "x",
            ".git/config": "x",
            "sub/node_modules/x.js": "x",
            "__pycache__/a": "x",
            ".obsidian/app.json": "{}",
            "memory.jam/README.md": "x",
            "work/jam.yaml": "version: 1",
            "work/.jam/index": "x",
            ".DS_Store": "x",
            "sub/Thumbs.db": "x",
        }
    )
    found = scan(folder)
    assert [file.name for file in found.files] == ["note.md"]
    assert [left.name for left in found.excluded] == [
        ".DS_Store",
        ".git/",
        ".obsidian/",
        "__pycache__/",
        "memory.jam/",
        "sub/Thumbs.db",
        "sub/node_modules/",
        "work/",
    ]


def test_links_are_listed_and_never_followed(make, tmp_path):
    folder = make({"a.md": "x", "sub/b.md": "y"})
    (tmp_path / "outside.md").write_text("secret")
    (folder / "l1.md").symlink_to("sub/b.md")
    (folder / "l2.md").symlink_to(tmp_path / "outside.md")
    (folder / "sub" / "loop").symlink_to(folder)
    (folder / "gone").symlink_to("nowhere")
    (folder / "self").symlink_to("self")
    found = scan(folder)
    assert [file.name for file in found.files] == ["a.md", "sub/b.md"]
    reasons = {left.name: left.reason for left in found.refused}
    assert reasons["l1.md"] == "link to sub/b.md"
    assert "outside" in reasons["l2.md"]
    assert "not followed" in reasons["sub/loop"]
    assert reasons["gone"] == reasons["self"] == "a broken link"


def test_special_files_are_not_opened(make, read):
    folder = make({"a.md": "x"})
    os.mkfifo(folder / "pipe.md")
    server = socket.socket(socket.AF_UNIX)
    try:
        server.bind(str(folder / "s"))
        result = read(folder)
    finally:
        server.close()
    reasons = {row.name: row.reason for row in result.report.rows if row.status == "skipped"}
    assert reasons == {"pipe.md": "a pipe, not a file", "s": "a socket, not a file"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything; see the simulated test")
def test_no_permission(make, read):
    folder = make({"a.md": "x", "closed.md": "x", "sub/b.md": "x"})
    (folder / "closed.md").chmod(0)
    (folder / "sub").chmod(0)
    result = read(folder)
    (folder / "sub").chmod(0o700)
    assert [row.status for row in result.report.rows] == ["ingested", "skipped", "skipped"]


def test_no_permission_simulated(make, read, monkeypatch):
    folder = make({"a.md": "hello", "closed.md": "x", "sub/b.md": "x"})
    scandir, open_file = os.scandir, type(folder).open

    def refusing_scandir(path):
        if str(path).endswith("sub"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    def refusing_open(self, *args, **kwargs):
        if self.name == "closed.md":
            raise PermissionError(13, "Permission denied")
        return open_file(self, *args, **kwargs)

    monkeypatch.setattr(scanning.os, "scandir", refusing_scandir)
    monkeypatch.setattr(type(folder), "open", refusing_open)
    result = read(folder)
    assert {row.name: row.status for row in result.report.rows} == {
        "a.md": "ingested",
        "closed.md": "skipped",
        "sub/": "skipped",
    }
    assert all("Permission denied" in row.reason for row in result.report.rows if row.status == "skipped")


def test_no_history(tmp_path):
    with pytest.raises(HistoryError, match="nowhere"):
        scan(tmp_path / "nowhere")
    with pytest.raises(HistoryError, match="no history"):
        scan(tmp_path / "nul\0byte")
    (tmp_path / "empty" / ".git").mkdir(parents=True)
    with pytest.raises(HistoryError, match="no files"):
        scan(tmp_path / "empty")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(HistoryError, match="neither"):
        scan(tmp_path / "pipe")


def test_a_workspace_is_no_history(make):
    folder = make({"jam.yaml": "version: 1", ".jam/x": "y"})
    with pytest.raises(HistoryError, match="workspace"):
        scan(folder)


def test_names_that_are_not_unicode(make, read):
    folder = make({"a.md": "x"})
    with open(os.fsencode(folder) + b"/b\xff.md", "wb") as stream:
        stream.write(b"hello")
    assert read(folder).report.ingested == 2
