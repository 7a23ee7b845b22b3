"""`jam formats`."""

from __future__ import annotations

import json

from jam.history.registry import reader_names


def test_every_format_says_how_it_is_recognised(run):
    result = run("formats", "--json")
    assert result.code == 0
    known = json.loads(result.out)
    assert [entry["name"] for entry in known] == reader_names()
    assert all(entry["description"] and isinstance(entry["ready"], bool) for entry in known)
    shown = run("formats").out.splitlines()
    assert len(shown) == len(known)
    assert "Claude Code transcripts" in shown[0]


def test_the_files_of_a_history_are_recognised(run, example_history):
    (example_history / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    (example_history / "broken.zip").write_bytes(b"PK\x03\x04")
    before = sorted(path.name for path in example_history.parent.iterdir())
    result = run("formats", example_history, "--json")
    rows = {row["file"]: row for row in json.loads(result.out)}
    assert rows["picture.png"]["format"] is None
    assert "not a zip archive" in rows["broken.zip"]["reason"]
    assert {row["format"] for row in rows.values()} >= {"claude_code", "markdown", "openai_messages", None}
    assert "-                picture.png" in run("formats", example_history).out.splitlines()
    assert sorted(path.name for path in example_history.parent.iterdir()) == before


def test_no_history_is_an_error(run, tmp_path):
    result = run("formats", tmp_path / "nothing")
    assert result.code == 1
    assert "no history at" in result.err
