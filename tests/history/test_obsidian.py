from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .test_robustness import RELAXED, check

CANVAS = {
    "nodes": [
        {"id": "a", "type": "text", "text": "# Plan\n\nFire the kiln.", "x": 0, "y": 0},
        {"id": "b", "type": "file", "file": "Notes/Kiln.md"},
        {"id": "c", "type": "link", "url": "https://clay.example/"},
        {"id": "d", "type": "group", "label": "Later"},
    ],
    "edges": [{"id": "e", "fromNode": "a", "toNode": "b", "label": "see"}],
}


def test_a_canvas(make, read):
    session = read(make({"vault/Plan for May.canvas": json.dumps(CANVAS)})).session
    assert (session.id, session.kind, session.group) == ("vault/Plan for May.canvas", "document", ("vault",))
    assert (session.title, session.meta) == ("Plan", {"links": ["Notes/Kiln.md"]})
    assert [m.text for m in session.messages] == ["# Plan\n\nFire the kiln.", "https://clay.example/", "Later"]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("{}", "an empty canvas"),
        ('{"nodes": []}', "a canvas without texts"),
        ('{"nodes":[{"file":"a"}]}', "a canvas without texts"),
    ],
)
def test_a_canvas_without_texts(make, read, text, note):
    row = read(make({"a.canvas": text})).row
    assert (row.status, row.note) == ("ingested", note)


def test_views_are_settings(make, read):
    row = read(make({"Daily.base": "views:\n  - type: table\n"})).row
    assert (row.status, row.format, row.note) == ("ingested", "obsidian", "settings of Obsidian (a database view)")


def test_bad_canvases(make, read):
    rows = {
        row.name: row
        for row in read(
            make({"a.canvas": '{"nodes": [1, {"text": "x"}, null]}', "b.canvas": "{", "c.canvas": '{"a": 1}'})
        ).report.rows
    }
    assert [str(skipped.where) for skipped in rows["a.canvas"].records_skipped] == ["card 1", "card 3"]
    assert rows["a.canvas"].messages == 1
    assert rows["b.canvas"].reason.startswith("damaged or cut JSON")
    assert rows["c.canvas"].reason == "not a canvas: it has no list of cards"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
CARD = st.dictionaries(st.sampled_from(["id", "type", "text", "file", "url", "label"]), JSON)


@RELAXED
@given(st.dictionaries(st.sampled_from(["nodes", "edges"]), st.lists(CARD | JSON) | JSON))
def test_anything_in_a_canvas(tmp_path_factory, value):
    folder = tmp_path_factory.mktemp("h")
    (folder / "a.canvas").write_text(json.dumps(value))
    check(folder)
