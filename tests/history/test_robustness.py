"""Whatever the bytes, a history is read, every file has its row, and only JamError comes out."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jam.errors import JamError
from jam.history.registry import reader_names

from .conftest import read_all

NAMES = st.sampled_from(["a.md", "a.txt", "a.json", "a.jsonl", "a", "a.log", "a.bin", "a.org"])
RELAXED = settings(suppress_health_check=[HealthCheck.too_slow], max_examples=50, deadline=None)
SEEDS = [
    json.dumps([{"role": "user", "content": "hi"}]).encode(),
    json.dumps({"messages": [{"role": "user", "content": [{"type": "text", "text": "x"}]}]}, indent=1).encode(),
    b'{"type":"user","sessionId":"s","uuid":"u","message":{"role":"user","content":"hi"}}\n' * 3,
    b'[{"sample_id":"c","conversation":{"speaker_a":"A","session_1":[{"dia_id":"D1:1","speaker":"A","text":"x"}]}}]',
    b"---\ntitle: x\ntags: [a]\n---\n# H\n\n- a\n- b\n\n```\ncode\n```\n",
    b"Ann: hi\nBo: ho\nAnn: hm\n",
]


def check(folder):
    try:
        result = read_all(folder)
    except JamError:
        return
    for row in result.report.rows:
        assert "reader failed" not in (row.reason or "")
        assert all("reader failed" not in skipped.reason for skipped in row.records_skipped)


@RELAXED
@given(NAMES, st.binary(max_size=300))
def test_any_bytes(tmp_path_factory, name, data):
    folder = tmp_path_factory.mktemp("h")
    (folder / name).write_bytes(data)
    check(folder)


@RELAXED
@given(NAMES, st.sampled_from(SEEDS), st.data())
def test_damaged_files(tmp_path_factory, name, seed, data):
    place = data.draw(st.integers(0, len(seed)))
    gone = data.draw(st.integers(0, 20))
    new = data.draw(st.binary(max_size=8) | st.sampled_from([b"null", b"{}", b"[]", b'"', b"\n", b"\\ud800", b"-1"]))
    folder = tmp_path_factory.mktemp("h")
    (folder / name).write_bytes(seed[:place] + new + seed[place + gone :])
    check(folder)


@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.json", "a.jsonl"])
@pytest.mark.parametrize(
    "data",
    [b"[" * 100_000, b'{"messages":' * 50_000, b"- " * 100_000, b"> " * 50_000, b"a: " * 50_000, b"_**" * 50_000,
     b"---\n" * 50_000, b"(" * 100_000, b"|" * 100_000, b"```\n" * 50_001, b"\n" * 100_000 + b"x", b"#" * 100_000,
     b"---\na: &a [*a]\ntags: &t [*t]\n---\nx", b"A" * 100_000 + b":", b"Ab " * 50_000, b"{{" * 50_000,
     b"# " + b" " * 90_000 + b"x", b"## User" + b" " * 90_000 + b"x", b"---\na: " + b"<%" * 30_000 + b"\n---\n",
     b"**User:** a\n\n**Claude:** b" + b"\n" * 90_000 + b"x", b"---\n" + b"{" * 5000 + b"\n---\n"],
)  # fmt: skip
def test_hostile_texts_end(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    check(tmp_path)


def test_deeply_nested_records_are_skipped(tmp_path):
    deep = "[" * 900 + "]" * 900
    lines = ['{"type":"user","sessionId":"s","message":{"content":"hi"}}']
    lines += [f'{{"type":"user","message":{{"content":[{{"type":"tool_use","name":"x","input":{deep}}}]}}}}']
    lines += [f'{{"type":"user","message":{{"content":{{"type":"tool_result","content":{deep}}}}}}}']
    (tmp_path / "a.jsonl").write_text("\n".join(lines) + "\n")
    messages = f'[{{"role": "user", "content": "x"}}, {{"role": "user", "content": {deep}}}]'
    (tmp_path / "b.json").write_text(f'{{"messages": {messages}}}')
    check(tmp_path)


def test_every_reader_is_tried():
    assert len(reader_names()) >= 5
