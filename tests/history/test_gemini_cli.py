from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .conftest import read_all
from .test_robustness import check

SID = "0a1b2c3d-1111-4222-8333-444455556666"
HASH = "ab" * 32
START = "2026-04-29T21:39:22.319Z"
AT = "2026-04-29T21:39:33.155Z"


def header(**fields):
    return {"sessionId": SID, "projectHash": HASH, "startTime": START, "lastUpdated": AT, **fields}


def turn(name, kind="user", content="hello", /, **fields):
    return {"id": name, "timestamp": AT, "type": kind, "content": content, **fields}


def lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


def document(*messages, **fields):
    return json.dumps(header(messages=messages, **fields), indent=1)


@pytest.fixture
def one(make, read):
    """The same messages in both of the shapes that sessions have."""

    def both(*messages, **fields):
        old = read(make({"x/a.json": document(*messages, **fields)}))
        new = read(make({"y/a.jsonl": lines(header(**fields), *messages)}) / "y")
        assert [s.messages for s in old.sessions] == [s.messages for s in new.sessions]
        return old

    return both


CALL = {
    "id": "c1",
    "name": "run_shell_command",
    "args": {"command": "ls"},
    "status": "success",
    "timestamp": "2026-04-29T21:39:35.364Z",
    "resultDisplay": "a.txt",
    "result": [
        {"functionResponse": {"id": "c1", "name": "run_shell_command", "response": {"output": "Output: a.txt"}}}
    ],
}


def test_a_session(one):
    session = one(
        turn("u1", "user", [{"text": "List the files"}]),
        turn(
            "g1",
            "gemini",
            "Let me look.",
            model="gemini-x",
            thoughts=[{"subject": "Planning", "description": "I should list."}],
            toolCalls=[CALL],
        ),
        turn("i1", "info", "Request cancelled."),
        turn("e1", "error", "No quota"),
        summary="The files",
        directories=["/home/ann/shop"],
    ).session
    assert (session.id, session.title, session.group) == (SID, "The files", ("shop",))
    assert session.at == "2026-04-29T21:39:22.319+00:00"
    assert [(m.id, m.role, m.kind) for m in session.messages] == [
        ("u1", "user", "message"),
        ("g1", "assistant", "message"),
        ("g1/c1", "tool", "tool_result"),
        ("i1", "system", "notice"),
        ("e1", "system", "notice"),
    ]
    called = '[thinking]\nPlanning\nI should list.\n\nLet me look.\n\n[tool_use run_shell_command] {"command":"ls"}'
    assert [m.text for m in session.messages[:3]] == ["List the files", called, "Output: a.txt"]
    assert session.messages[1].meta == {"model": "gemini-x"}
    assert session.messages[0].at == "2026-04-29T21:39:33.155+00:00"
    assert session.messages[2].at == "2026-04-29T21:39:35.364+00:00"


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (turn("a", "gemini", "", thoughts=[{"description": "Hm."}]), [("assistant", "thinking", "Hm.")]),
        (turn("a", "gemini", [{"text": "Hm.", "thought": True}]), [("assistant", "thinking", "Hm.")]),
        ({"id": "a", "type": "model", "parts": [{"text": "Ok"}]}, [("assistant", "message", "Ok")]),
        (turn("a", "gemini", "", toolCalls=[{"name": "f"}]), [("assistant", "tool_call", "[tool_use f] {}")]),
        (
            turn("a", "gemini", "", toolCalls=[{"name": "f", "args": {}, "resultDisplay": "shown", "status": "error"}]),
            [("assistant", "tool_call", "[tool_use f] {}"), ("tool", "tool_result", "shown")],
        ),
        (
            turn("a", "user", [{"functionResponse": {"id": "x", "response": {"output": "o", "more": 1}}}]),
            [("tool", "tool_result", '{"output":"o","more":1}')],
        ),
        (turn("a", "user", "<session_context>\nToday\n</session_context>"), [("user", "notice", None)]),
        (turn("a", "user", ["one", {"text": "two"}]), [("user", "message", "one\n\ntwo")]),
        (turn("a", "user", [{"fileData": {"fileUri": "gs://x"}}]), [("user", "message", "[file: gs://x]")]),
        (turn("a", "warning", "Careful"), [("system", "notice", "Careful")]),
        (turn("a", "gemini", ""), []),
    ],
)
def test_records(one, record, expected):
    result = one(turn("first"), record)
    found = [(m.role, m.kind, m.text) for m in result.session.messages[1:]]
    assert [each[:2] for each in found] == [each[:2] for each in expected]
    assert all(text is None or text == mine for (_, _, mine), (_, _, text) in zip(found, expected, strict=True))


def test_payloads_are_spilled(one):
    inline = {"inlineData": {"mimeType": "image/png", "data": base64.b64encode(b"12345").decode()}}
    result = one(turn("a", "user", [{"text": "see"}, inline]))
    assert result.texts == ["see\n\n[image: image/png, 5 bytes]"]
    assert list(result.spilled.values()) == [b"12345"]


def test_results_are_read_once(one):
    answer = turn("u2", "user", CALL["result"])
    result = one(turn("u1"), turn("g1", "gemini", "", toolCalls=[CALL]), answer)
    assert [m.kind for m in result.session.messages] == ["message", "tool_call", "tool_result"]
    assert result.row.ignored == 1


def test_lines_change_what_stands_before_them(make, read):
    log = lines(
        header(),
        turn("u1", "user", "Go"),
        {"$set": {"lastUpdated": AT}},
        turn("g1", "gemini", ""),
        turn("u2", "user", "And?"),
        turn("g1", "gemini", "Done", toolCalls=[{**CALL, "result": None, "resultDisplay": None}]),
        turn("g1", "gemini", "Done", toolCalls=[CALL]),
        {"$set": {"id": "u2", "content": "And then?"}},
        {"id": "u1", "$set": {"content": "Go!"}},
        {"$set": {"summary": "Going", "messages": [turn("u1", "user", "Go!!"), turn("u3", "user", "compressed")]}},
    )
    result = read(make({"a.jsonl": log}))
    assert [(m.id, m.text.split("\n")[0]) for m in result.session.messages] == [
        ("u1", "Go!!"),
        ("g1", "Done"),
        ("g1/c1", "Output: a.txt"),
        ("u2", "And then?"),
        ("u3", "compressed"),
    ]
    assert result.session.title == "Going"
    assert result.row.skipped_count == 0


def test_what_was_taken_back_is_a_branch(make, read):
    log = lines(
        header(),
        *(turn(f"{n}", "user", f"t{n}") for n in range(4)),
        {"$rewindTo": "2"},
        turn("4", "user", "t4"),
        turn("2", "user", "again"),
        {"$rewindTo": "1"},
        turn("5", "user", "t5"),
    )
    session = read(make({"a.jsonl": log})).session
    assert [(m.text, m.thread) for m in session.messages] == [
        ("t0", None),
        ("t1", "branch-2"),
        ("t2", "branch-1"),
        ("t3", "branch-1"),
        ("t4", "branch-2"),
        ("again", "branch-2"),
        ("t5", None),
    ]


def test_a_list_without_ids_is_not_read_again_and_again(make, read):
    bare = [{"type": "user", "content": "a"}, {"type": "gemini", "content": "b"}]
    log = lines(header(), {"$set": {"messages": bare[:1]}}, {"$set": {"messages": bare}})
    assert read(make({"a.jsonl": log})).texts == ["a", "b"]


def test_the_same_session_in_both_shapes(make, read):
    files = {"tmp/shop/chats/session-1-0a1b2c3d.json": document(turn("u1"))}
    files["tmp/shop/chats/session-1-0a1b2c3d.jsonl"] = lines(header(), turn("u1"), turn("u2"))
    sessions = read(make(files)).sessions
    assert {(s.id, s.group) for s in sessions} == {(SID, ("shop",))}
    assert [m.id for m in sessions[1].messages] == ["u1", "u2"]


def test_subagents_belong_to_their_parent(make, read):
    child = lines(header(sessionId="child", kind="subagent"), turn("c1"), {"$rewindTo": "c1"}, turn("c2"))
    session = read(make({f"tmp/shop/chats/{SID}/child.jsonl": child})).session
    assert (session.id, session.group, session.at) == (SID, ("shop",), None)
    assert [m.thread for m in session.messages] == ["child/branch-1", "child"]


def test_checkpoints(make, read):
    turns = [
        {"role": "user", "parts": [{"text": "This is the Gemini CLI. We are setting up the context for our chat."}]},
        {"role": "model", "parts": [{"text": "Got it. Thanks for the context!"}]},
        {"role": "user", "parts": [{"text": "Go"}]},
        {"role": "model", "parts": [{"text": "Going."}, {"functionCall": {"name": "ls", "args": {"path": "."}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "ls", "response": {"output": "a.txt"}}}]},
    ]
    files = {
        "checkpoint-my%20plan.json": json.dumps(turns),
        "new/checkpoint-b.json": json.dumps({"history": turns, "authType": "x"}),
        "checkpoints/t-a.txt-write_file.json": json.dumps({"history": [], "clientHistory": turns, "toolCall": {}}),
    }
    result = read(make(files))
    assert [(s.id, s.title) for s in result.sessions] == [
        ("checkpoint-my%20plan.json", "my plan"),
        ("new/checkpoint-b.json", "b"),
    ]
    for session in result.sessions:
        assert [(m.role, m.kind) for m in session.messages] == [
            ("user", "notice"),
            ("assistant", "notice"),
            ("user", "message"),
            ("assistant", "message"),
            ("tool", "tool_result"),
        ]
        assert session.messages[3].text == 'Going.\n\n[tool_use ls] {"path":"."}'
        assert all(m.at is None and m.id is None for m in session.messages)
    assert all(row.status == "ingested" for row in result.report.rows)


def test_prompts(make, read):
    row = {"sessionId": SID, "messageId": 0, "type": "user", "message": "Go", "timestamp": AT}
    other = {**row, "sessionId": "99999999-gone", "message": "Lost"}
    files = {
        "tmp/shop/logs.json": json.dumps([row, other, {**row, "messageId": 1}, {**other, "messageId": 1}, 7, {}]),
        "tmp/shop/chats/session-2026-0a1b2c3d.json": document(turn("u1", "user", "Go")),
        "tmp/till/logs.json": json.dumps([row]),
        "tmp/till/chats/session-2026-0a1b2c3d.json": document(turn("u1", "user", "Go")),
        "tmp/.gemini/oauth_creds.json": "{}",
    }
    result = read(make(files))
    lost = [s for s in result.sessions if s.id == "99999999-gone"]
    assert [(m.id, m.text) for m in lost[0].messages] == [("0", "Lost"), ("1", "Lost")]
    rows = {row.name: row for row in result.report.rows}
    assert (rows["tmp/shop/logs.json"].ignored, rows["tmp/shop/logs.json"].skipped_count) == (2, 2)
    assert all(row.status == "ingested" for row in rows.values())


def test_odd_records(one):
    odd = [7, None, "x", {"id": "n"}, turn("c", "user", 7), turn("p", "gemini", [7, None, {}, {"video": 1}]), turn("u")]
    result = one(*odd)
    assert result.texts == ['7\n\n{"video":1}', "hello"]
    assert [s.where for s in result.row.records_skipped] == [f"record {n}" for n in (1, 2, 3, 4, 5)]


def test_a_cut_document_gives_what_is_whole(make, read):
    text = document(*(turn(f"u{n}", "user", f"t{n}") for n in range(5)))
    result = read(make({"a.json": text[: text.index("t4")]}))
    assert result.session.id == SID
    assert result.texts[:4] == [f"t{n}" for n in range(4)]
    assert result.row.skipped_count == 1


def test_a_line_still_being_written(make, read):
    result = read(make({"a.jsonl": lines(header(), turn("u1")) + '{"id": "u2", "ty'}))
    assert (result.row.messages, result.row.skipped_count) == (1, 0)
    assert "line 3" in result.row.note


def test_others_are_not_claimed(make, read):
    others = {
        "a.json": json.dumps({"messages": [{"role": "user", "content": "hi"}]}),
        "b.json": json.dumps([{"role": "user", "content": "hi"}]),
        "c.json": json.dumps({"messages": [{"type": "user", "content": "hi"}], "title": "x"}),
        "d.jsonl": lines({"$set": {"a": 1}}, {"$set": {"b": 1}}),
        "e.jsonl": lines({"type": "user", "sessionId": "s", "uuid": "u", "message": {"content": "hi"}}),
    }
    assert not [s for s in read(make(others)).sessions if s.format == "gemini_cli"]


def test_real_files(data, read):
    folder = data / "formats/gemini_cli"
    if not folder.is_dir():
        pytest.skip("no Gemini CLI files in the test data")
    result = read(folder)
    by_origin = {session.origin: session for session in result.sessions}
    for row in result.report.rows:
        whole = json.loads(Path(folder / row.name).read_text("utf-8"))
        records = [m for m in whole["messages"] if m.get("content") or m.get("parts") or m.get("toolCalls")]
        results = [c for m in records for c in m.get("toolCalls", []) if c.get("result")]
        session = by_origin[row.name]
        assert session.id == whole["sessionId"]
        assert [m.id for m in session.messages if m.kind != "tool_result"] == [m["id"] for m in records]
        assert row.messages == len(records) + len(results)
        assert session.ended == records[-1]["timestamp"].replace("Z", "+00:00")


TEXT = (
    st.text(alphabet=st.characters(), min_size=1)
    .filter(str.strip)
    .filter(lambda text: not text.lstrip().startswith("<"))
)
KINDS = st.sampled_from(["user", "gemini", "info"])


@given(st.lists(st.tuples(KINDS, TEXT, st.booleans(), st.booleans()), min_size=1, max_size=8), st.booleans())
def test_messages_come_back(tmp_path_factory, turns, as_lines):
    path = tmp_path_factory.mktemp("h") / ("a.jsonl" if as_lines else "a.json")
    records = [
        {**turn(f"m{n}", kind, [{"text": text}] if in_parts else text), "timestamp": AT if timed else None}
        for n, (kind, text, in_parts, timed) in enumerate(turns)
    ]
    path.write_text(lines(header(), *records) if as_lines else document(*records))
    messages = read_all(path).session.messages
    roles = {"user": "user", "gemini": "assistant", "info": "system"}
    assert [(m.role, m.text, m.id) for m in messages] == [
        (roles[kind], text, f"m{n}") for n, (kind, text, _, _) in enumerate(turns)
    ]
    assert [m.at is not None for m in messages] == [timed for *_, timed in turns]


KEYS = (
    "id type content parts text thought functionCall functionResponse inlineData data response toolCalls result name "
    "args thoughts timestamp sessionId $set $rewindTo messages resultDisplay status"
)
SHAPES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["user", "gemini", "u1"]),
    lambda x: st.lists(x, max_size=3) | st.dictionaries(st.sampled_from(KEYS.split()), x, max_size=4),
    max_leaves=12,
)


@given(st.lists(SHAPES, max_size=6), st.booleans())
def test_no_shape_of_records_breaks_it(tmp_path_factory, records, as_lines):
    path = tmp_path_factory.mktemp("h") / ("a.jsonl" if as_lines else "a.json")
    every = [turn("first"), *records, *(turn("odd", "gemini", r, toolCalls=[r], thoughts=[r]) for r in records)]
    path.write_text(lines(header(), *every, turn("last")) if as_lines else document(*every, turn("last")))
    result = read_all(path)
    assert result.row.status == "ingested"
    assert all("reader failed" not in skipped.reason for skipped in result.row.records_skipped)
    assert "last" in {m.id for s in result.sessions for m in s.messages}


SEEDS = [
    document(turn("u1"), turn("g1", "gemini", "x", toolCalls=[CALL])).encode(),
    lines(header(), turn("u1"), {"$set": {"summary": "x"}}, {"$rewindTo": "u1"}).encode(),
    json.dumps([{"role": "user", "parts": [{"text": "x"}]}]).encode(),
    json.dumps([{"sessionId": SID, "messageId": 0, "type": "user", "message": "x", "timestamp": AT}]).encode(),
]


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.sampled_from(["a.json", "a.jsonl", "logs.json"]), st.sampled_from(SEEDS), st.data())
def test_damaged_files(tmp_path_factory, name, seed, data):
    place = data.draw(st.integers(0, len(seed)))
    gone = data.draw(st.integers(0, 20))
    new = data.draw(st.binary(max_size=8) | st.sampled_from([b"null", b"{}", b"[]", b'"', b"\n", b"\\ud800", b"-1"]))
    folder = tmp_path_factory.mktemp("h")
    (folder / name).write_bytes(seed[:place] + new + seed[place + gone :])
    check(folder)
