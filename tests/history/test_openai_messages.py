from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .conftest import read_all

HELLO = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]


def rows(*values):
    return "".join(json.dumps(value) + "\n" for value in values)


@pytest.mark.parametrize(
    ("name", "content", "ids"),
    [
        ("x/chat.json", json.dumps({"messages": HELLO}), ["x/chat.json"]),
        ("x/chat.json", json.dumps(HELLO, indent=1), ["x/chat.json"]),
        ("x/chat.json", json.dumps([{"messages": HELLO}, {"messages": HELLO}]), ["x/chat.json#1", "x/chat.json#2"]),
        ("x/chat.json", json.dumps([HELLO, HELLO]), ["x/chat.json#1", "x/chat.json#2"]),
        ("x/chat.jsonl", rows({"messages": HELLO}, {"messages": HELLO}), ["x/chat.jsonl#1", "x/chat.jsonl#2"]),
        ("x/chat.jsonl", rows({"messages": HELLO}), ["x/chat.jsonl#1"]),
        ("x/chat.jsonl", rows(*HELLO), ["x/chat.jsonl"]),
        ("x/chat.txt", rows({"messages": HELLO, "id": "abc"}, {"messages": HELLO, "session_id": "d"}), ["abc", "d"]),
        ("x/chat.json", json.dumps([{"messages": HELLO, "id": 1}]), ["x/chat.json#1"]),
    ],
)
def test_shapes(make, read, name, content, ids):
    result = read(make({name: content}))
    assert [session.id for session in result.sessions] == ids
    assert all([m.text for m in session.messages] == ["hi", "hello"] for session in result.sessions)
    assert all(session.group == ("x",) and session.format == "openai_messages" for session in result.sessions)


@pytest.fixture
def message(make, read):
    def one(**fields):
        return read(make({"a.json": json.dumps([HELLO[0], {"role": "assistant", **fields}])})).session.messages[1]

    return one


CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"content": None, "tool_calls": [CALL]}, ("assistant", "tool_call", '[tool_use weather] {"city": "Oslo"}')),
        (
            {"content": "Let me see", "tool_calls": [CALL]},
            ("assistant", "message", 'Let me see\n\n[tool_use weather] {"city": "Oslo"}'),
        ),
        ({"role": "tool", "content": "7 degrees", "tool_call_id": "c1"}, ("tool", "tool_result", "7 degrees")),
        (
            {"content": [{"type": "text", "value": "a"}, {"type": "text", "text": "b"}]},
            ("assistant", "message", "a\n\nb"),
        ),
        ({"content": [{"type": "reasoning", "value": "hm"}]}, ("assistant", "thinking", "hm")),
        (
            {"content": [{"type": "reasoning", "value": "hm"}, {"type": "text", "value": "so"}]},
            ("assistant", "message", "[thinking]\nhm\n\nso"),
        ),
        ({"content": "so", "reasoning_content": "hm"}, ("assistant", "message", "[thinking]\nhm\n\nso")),
        (
            {"content": [{"type": "tool_call", "value": '{"name": "f", "arguments": {"x": 1}}'}]},
            ("assistant", "tool_call", '[tool_use f] {"x":1}'),
        ),
        ({"role": "developer", "content": "be brief"}, ("system", "message", "be brief")),
        ({"role": "function", "content": "x"}, ("tool", "tool_result", "x")),
    ],
)
def test_messages(message, fields, expected):
    found = message(**fields)
    assert (found.role, found.kind, found.text) == expected


def test_unknown_roles_and_names_are_speakers(message):
    assert message(role="narrator", content="Once").speaker == "narrator"
    assert message(role="user", name="Ann", content="Hi").speaker == "Ann"


def test_data_urls_are_spilled(make, read):
    url = "data:image/jpeg;base64," + base64.b64encode(b"12345").decode()
    content = [
        {"type": "image_url", "image_url": {"url": url}},
        {"type": "image_url", "image_url": "https://x.org/a.png"},
    ]
    result = read(make({"a.json": json.dumps([{"role": "user", "content": content}])}))
    assert result.texts == ["[image: image/jpeg, 5 bytes]\n\n[image: https://x.org/a.png]"]
    assert list(result.spilled.values()) == [b"12345"]


def test_times_titles_and_ids(make, read):
    row = {
        "id": "s1",
        "title": "Plans",
        "created": 1_700_000_000,
        "model": "m",
        "messages": [{"id": "m1", "role": "user", "content": "x", "timestamp": "2024-01-01T00:00:00Z"}],
    }
    session = read(make({"a.json": json.dumps(row)})).session
    assert (session.id, session.title, session.at) == ("s1", "Plans", "2023-11-14T22:13:20+00:00")
    assert session.meta == {"model": "m"}
    assert (session.messages[0].id, session.messages[0].at) == ("m1", "2024-01-01T00:00:00+00:00")


def test_loose_messages_with_session_ids(make, read):
    lines = rows(*({**m, "conversation_id": c} for c in ("c1", "c2") for m in HELLO))
    assert [s.id for s in read(make({"a.jsonl": lines})).sessions] == ["c1", "c2"]


def test_the_same_id_twice_in_a_file(make, read):
    other = [{"role": "user", "content": "other"}]
    result = read(make({"a.jsonl": rows(*({"id": "a", "messages": m} for m in (HELLO, HELLO, other)))}))
    assert [s.id for s in result.sessions] == ["a", "a~2"]
    assert result.row.ignored == 1


def test_odd_rows_are_skipped(make, read):
    bad = [{"role": "user"}, {"content": "x"}, 5, {"role": "user", "content": None}, {"role": 3, "content": "x"}]
    lines = rows({"messages": HELLO + bad}, 42, {"messages": []}, {"other": 1}, {"messages": None})
    row = read(make({"a.jsonl": lines})).row
    assert [s.where for s in row.records_skipped] == [
        *(f"line 1, message {n}" for n in range(3, 8)),
        *(f"line {n}" for n in range(2, 6)),
    ]
    assert row.messages == 2


def test_a_file_cut_in_half_says_where(make, read):
    text = json.dumps({"messages": HELLO}, indent=1)
    row = read(make({"a.json": text[:-20]})).row
    assert row.status == "skipped"
    assert "line" in row.reason
    assert "column" in row.reason


def test_too_large_to_hold(make, read, monkeypatch):
    from jam.history.parsing import jsontext

    monkeypatch.setattr(jsontext, "MAX_WHOLE_FILE", 10)
    assert "too large" in read(make({"a.json": json.dumps({"messages": HELLO})})).row.reason


@pytest.mark.parametrize(
    "content",
    [
        '{"a": 1}',
        "[]",
        "[1, 2]",
        '{"messages": [{"type": "user", "content": "x"}]}',
        '[{"conversations": [{"from": "human"}]}]',
    ],
)
def test_other_json_is_not_claimed(make, read, content):
    assert read(make({"a.json": content})).row.reason == "unsupported format"


TEXT = st.text(alphabet=st.characters(), min_size=1).filter(str.strip)


@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant", "system"]), TEXT), min_size=1, max_size=8), st.booleans()
)
def test_messages_come_back(tmp_path_factory, turns, a_line_each):
    path = tmp_path_factory.mktemp("h") / "a.jsonl"
    messages = [{"role": role, "content": text} for role, text in turns]
    path.write_text(rows(*messages) if a_line_each else rows({"messages": messages}))
    assert [(m.role, m.text) for m in read_all(path).session.messages] == turns
