"""Writes are whole or not at all; paths stay inside."""

import contextlib
import os
import stat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jam.errors import ToolError
from jam.workspace import files
from jam.workspace.files import inside, move, read_bytes, remove, write_atomic

needs_links = pytest.mark.skipif(os.name == "nt", reason="making links needs rights on Windows")


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "w.jam"
    (root / "folder").mkdir(parents=True)
    (root / "folder" / "note.md").write_text("x")
    (tmp_path / "secret.md").write_text("secret")
    return root


def refused(root, relative: str) -> str:
    with pytest.raises(ToolError) as caught:
        inside(root, relative)
    assert str(caught.value)
    return caught.value.code


def test_a_write_makes_folders_and_leaves_nothing_else(tmp_path):
    path = tmp_path / "a" / "b" / "c.md"
    assert write_atomic(path, b"one")
    assert write_atomic(path, b"two")
    assert read_bytes(path) == b"two"
    assert os.listdir(path.parent) == ["c.md"]


def test_the_same_content_is_not_written_again(tmp_path):
    path = tmp_path / "c.md"
    write_atomic(path, b"one")
    os.utime(path, (1, 1))
    inode = path.stat().st_ino
    assert not write_atomic(path, b"one")
    assert (path.stat().st_mtime, path.stat().st_ino) == (1, inode)


def test_a_name_as_long_as_the_system_allows_can_be_written(tmp_path):
    assert write_atomic(tmp_path / ("x" * 255), b"one")


@pytest.mark.parametrize("broken", ["replace", "fsync"])
def test_a_failed_write_keeps_the_old_content_and_cleans_up(tmp_path, monkeypatch, broken):
    path = tmp_path / "c.md"
    write_atomic(path, b"old")

    def fail(*args: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, broken, fail)
    with pytest.raises(OSError, match="disk full"):
        write_atomic(path, b"new content")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["c.md"]


def test_temporaries_have_the_name_that_cleaners_look_for(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(os, "replace", lambda source, target: seen.extend(tmp_path.glob(files.TEMPORARY)))
    write_atomic(tmp_path / "c.md", b"new")
    assert len(seen) == 1


@needs_links
def test_a_write_replaces_a_link_instead_of_following_it(tmp_path):
    (tmp_path / "elsewhere").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    assert write_atomic(tmp_path / "link", b"new")
    assert (tmp_path / "elsewhere").read_bytes() == b"old"


def test_remove_says_whether_there_was_something(tmp_path):
    write_atomic(tmp_path / "c.md", b"x")
    assert remove(tmp_path / "c.md")
    assert not remove(tmp_path / "c.md")


def test_a_move_makes_the_folder_and_never_overwrites(tmp_path):
    source, target = tmp_path / "inbox" / "c.md", tmp_path / "topic" / "c.md"
    write_atomic(source, b"x")
    move(source, target)
    assert target.read_bytes() == b"x"
    assert not source.exists()
    write_atomic(source, b"y")
    with pytest.raises(FileExistsError):
        move(source, target)
    assert (source.read_bytes(), target.read_bytes()) == (b"y", b"x")
    with pytest.raises(FileNotFoundError):
        move(tmp_path / "missing", tmp_path / "anywhere")


@pytest.mark.parametrize(
    "relative", ["folder/note.md", "/folder/note.md", "./folder/note.md", "folder//note.md", "/./folder/./note.md"]
)
def test_the_ways_models_write_a_path(root, relative):
    assert inside(root, relative) == root / "folder" / "note.md"


@pytest.mark.parametrize("relative", ["/", ".", "./", "//"])
def test_the_root_itself(root, relative):
    assert inside(root, relative) == root


@pytest.mark.parametrize(
    "relative",
    [
        "",
        "  ",
        "..",
        "../secret.md",
        "/../secret.md",
        "folder/../../secret.md",
        "folder/../folder/note.md",
        "folder/..",
        "folder\\..\\..\\secret.md",
        "..\\secret.md",
        "C:/Windows/x",
        "/c:/Windows/x",
        "C:secret.md",
        "folder/note.md\0.png",
    ],
)
def test_what_leads_out_is_refused(root, relative):
    assert refused(root, relative) == "outside_workspace"


@pytest.mark.parametrize(
    "relative",
    [
        "/etc/passwd",
        "%2e%2e/secret.md",
        "‥/secret.md",
        "․․/secret.md",
        "．．/secret.md",
        "..../secret.md",
        "~/x",
        "folder/note.md/x",
    ],
)
def test_what_only_looks_like_leading_out_is_an_ordinary_missing_path(root, relative):
    path = inside(root, relative)
    assert path.is_relative_to(root)
    assert not path.exists()


@pytest.mark.parametrize("relative", ["x" * 300, "é" * 200 + "/y", "a/" * 3000 + "b", "\ud800\udfff/x"])
def test_what_no_file_system_holds_is_not_found(root, relative):
    assert refused(root, relative) == "not_found"


@needs_links
def test_links_that_leave_are_refused_and_others_followed(root, tmp_path):
    (root / "out.md").symlink_to(tmp_path / "secret.md")
    (root / "up").symlink_to(tmp_path)
    (root / "absent").symlink_to(tmp_path / "nothing-yet")
    (root / "folder" / "deep").symlink_to("../../secret.md")
    (root / "in").symlink_to("folder")
    (root / "twice").symlink_to("up/secret.md")
    for relative in (
        "out.md",
        "up/secret.md",
        "up",
        "up/w.jam/../secret.md",
        "absent",
        "absent/x",
        "folder/deep",
        "twice",
    ):
        assert refused(root, relative) == "outside_workspace"
    assert inside(root, "in/note.md").read_text() == "x"
    assert inside(root, "up/w.jam/folder/note.md").read_text() == "x"


@needs_links
def test_a_loop_of_links_is_not_found(root):
    (root / "a").symlink_to("b")
    (root / "b").symlink_to("a")
    assert refused(root, "a") == "not_found"
    assert refused(root, "a/x.md") == "not_found"


@needs_links
def test_a_workspace_reached_through_a_link_works(root, tmp_path):
    (tmp_path / "alias").symlink_to(root)
    assert inside(tmp_path / "alias", "folder/note.md").read_text() == "x"
    sibling = tmp_path / "w.jam-other"
    sibling.mkdir()
    (root / "sibling").symlink_to(sibling)
    assert refused(root, "sibling") == "outside_workspace"


@given(st.text(st.characters() | st.sampled_from("./\\~:"), max_size=30))
@settings(deadline=None)
def test_whatever_is_asked_stays_inside_or_is_refused(tmp_path_factory, relative):
    root = tmp_path_factory.getbasetemp() / "any"
    root.mkdir(exist_ok=True)
    with contextlib.suppress(ToolError):
        assert os.path.realpath(inside(root, relative)).startswith(os.path.realpath(root))


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_says_so(tmp_path):
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(PermissionError):
        write_atomic(folder / "c.md", b"x")
    folder.chmod(stat.S_IRWXU)
