from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .conftest import read_all
from .test_robustness import check

CONVERSATION = "5f0a1b2c3d4e5f60718293a4b5c6d7e8"


def event(number, source="agent", /, **fields):
    return {"id": number, "timestamp": f"2025-01-27T22:44:{number % 60:02}.900854", "source": source, **fields}


def said(number, text, source="user", /, **fields):
    return event(number, source, action="message", message=text, args={"content": text, "image_urls": None}, **fields)


RUN = event(2, action="run", message="Running", args={"command": "ls", "thought": "Let me look.", "is_input": False})
RAN = event(3, observation="run", cause=2, content="a.py", message="Command executed", extras={"exit_code": 0})
EVENTS = [said(1, "Fix it"), RUN, RAN, event(4, action="finish", message="All done", args={"final_thought": "Done."})]


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def one(make, read):
    return lambda value, name="x/a.json": read(make({name: json.dumps(value)}))


def told(session):
    return [(m.role, m.kind, m.text) for m in session.messages]


EXPECTED = [
    ("user", "message", "Fix it"),
    ("assistant", "message", 'Let me look.\n\n[tool_use run] {"command":"ls"}'),
    ("tool", "tool_result", "a.py"),
    ("assistant", "message", "Done."),
]


@pytest.mark.parametrize("shape", [lambda e: e, lambda e: {"trajectory": e}, lambda e: {"history": e}])
def test_a_conversation(one, shape):
    session = one(shape(EVENTS)).session
    assert (session.id, session.group, session.format) == ("x/a.json", ("x",), "openhands")
    assert told(session) == EXPECTED
    assert [m.id for m in session.messages] == ["1", "2", "3", "4"]
    assert session.messages[0].at == "2025-01-27T22:44:01.900854"
    assert session.messages[2].meta == {"event": "run", "reply_to": "2"}


CALL = {"id": "t1", "type": "function", "function": {"name": "str_replace_editor", "arguments": '{"command": "view"}'}}
MADE = {"tool_call_id": "t1", "model_response": {"choices": [{"message": {"content": "x", "tool_calls": [CALL]}}]}}


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (event(1, action="think", args={"thought": "Hm."}), ("assistant", "thinking", "Hm.")),
        (
            event(1, action="read", args={"path": "a", "thought": ""}, tool_call_metadata=MADE),
            ("assistant", "tool_call", '[tool_use str_replace_editor] {"command": "view"}'),
        ),
        (
            event(1, "user", action="run", args={"command": "ls"}),
            ("user", "tool_call", '[tool_use run] {"command":"ls"}'),
        ),
        (event(1, action="system", args={"content": "You are"}), ("system", "notice", "You are")),
        (event(1, action="condensation", args={"summary": "So far"}), ("assistant", "summary", "So far")),
        (event(1, observation="error", content="no"), ("tool", "tool_result", "no")),
        (event(1, observation="edit", content="", message="I edited it"), ("tool", "tool_result", "I edited it")),
        (event(1, "environment", observation="recall", content="Workspace"), ("system", "notice", "Workspace")),
        (
            event(1, "user", action="message", args={"content": "see", "image_urls": ["https://x.org/a.png"]}),
            ("user", "message", "see\n\n[image: https://x.org/a.png]"),
        ),
    ],
)
def test_events(one, record, expected):
    first = said(0, "Go")
    assert told(one([first, record]).session)[1] == expected


def test_changes_of_state_say_nothing(one):
    silent = [
        event(2, "environment", observation="agent_state_changed", content="", extras={"agent_state": "running"}),
        event(3, "user", action="recall", args={"query": "Fix it"}),
        event(4, action="change_agent_state", args={}),
        event(5, observation="null", content=""),
        event(6, action="condensation", args={"summary": None}),
    ]
    result = one([said(1, "Fix it"), *silent])
    assert (len(result.session.messages), result.row.ignored) == (1, 5)


OLD = [
    {"content": "Fix it", "wait_for_response": False, "action": "message"},
    {"command": "ls", "thought": "Let me look.", "keep_prompt": True, "action": "run", "is_confirmed": "confirmed"},
    {"content": "a.py", "command_id": -1, "command": "ls", "exit_code": 0, "observation": "run"},
    {"content": "Which one?", "wait_for_response": True, "action": "message"},
    {"content": "The first", "wait_for_response": False, "action": "message"},
    {"outputs": {}, "thought": "Done.", "action": "finish"},
]
OLD_TOLD = [
    *EXPECTED[:3],
    ("assistant", "message", "Which one?"),
    ("user", "message", "The first"),
    ("assistant", "message", "Done."),
]


@pytest.mark.parametrize("pairs", [True, False])
def test_old_histories_without_times(one, pairs):
    history = [OLD[:1], OLD[1:3], OLD[3:4], OLD[4:5], OLD[5:]] if pairs else OLD
    row = {"instance_id": "x__y-1", "instruction": "Fix it", "history": history, "test_result": {"git_patch": ""}}
    result = one(row, "output.jsonl")
    assert told(result.session) == OLD_TOLD
    assert (result.session.id, result.session.title) == ("output.jsonl#x__y-1", "x__y-1")
    assert all(m.at is None and m.id is None for m in result.session.messages)


def test_rows(make, read):
    rows = [
        {"instance_id": "a", "history": EVENTS, "error": None},
        {"instance_id": "a", "history": EVENTS[:1]},
        {"issue": {"title": "No dark mode"}, "history": OLD, "success": True},
        {"instance_id": "c", "history": []},
        {"instance_id": "d", "history": None},
        7,
    ]
    result = read(make({"output.jsonl": lines(*rows)}))
    assert [(s.id, s.title, len(s.messages)) for s in result.sessions] == [
        ("output.jsonl#a", "a", 4),
        ("output.jsonl#2", "a", 1),
        ("output.jsonl#3", "No dark mode", 6),
    ]
    assert [s.where for s in result.row.records_skipped] == ["line 4", "line 5", "line 6"]
    assert result.sessions[2].meta == {"success": True}


def test_a_folder_of_events_is_one_conversation(make, read):
    base = f"home/sessions/{CONVERSATION}"
    many = [said(n, f"t{n}") for n in range(12)]
    files = {f"{base}/events/{n}.json": json.dumps(each) for n, each in enumerate(many)}
    files[f"{base}/events/5.json"] = '{"id": 5, "acti'
    files[f"{base}/events/12.json"] = "{"
    files[f"{base}/event_cache/0-25.json"] = json.dumps(many)
    files[f"{base}/metadata.json"] = json.dumps({"conversation_id": CONVERSATION, "title": "Fix things"})
    result = read(make(files))
    session = result.session
    assert (session.id, session.title, session.group) == (CONVERSATION, "Fix things", ("home", "sessions"))
    assert [m.text for m in session.messages] == [f"t{n}" for n in range(12) if n != 5]
    rows = {row.name: row for row in result.report.rows}
    assert [row.sessions for row in rows.values() if row.name.endswith("/11.json")] == [1]
    assert [s.where for s in rows[f"{base}/events/11.json"].records_skipped] == ["5.json", "12.json"]
    damaged = (f"{base}/events/5.json", f"{base}/events/12.json")
    assert {row.status for row in rows.values() if row.name not in damaged} == {"ingested"}


def test_a_folder_named_like_any_other(make, read):
    files = {f"{name}/events/{n}.json": json.dumps(said(n, "x")) for name in ("a/run", "b/run") for n in range(2)}
    assert [s.id for s in read(make(files)).sessions] == ["a/run", "b/run"]


TEXT_BLOCK = {"type": "text", "text": "a.py"}
SECOND = [
    ({"kind": "SystemPromptEvent", "system_prompt": TEXT_BLOCK}, ("system", "notice", "a.py")),
    (
        {"kind": "MessageEvent", "source": "user", "llm_message": {"role": "user", "content": [TEXT_BLOCK]}},
        ("user", "message", "a.py"),
    ),
    (
        {
            "kind": "ActionEvent", "thought": [{"type": "text", "text": "Look"}], "reasoning_content": "Hm.",
            "tool_name": "terminal", "tool_call": {"arguments": '{"command": "ls"}'}, "action": {"kind": "X"},
        },
        ("assistant", "message", '[thinking]\nHm.\n\nLook\n\n[tool_use terminal] {"command": "ls"}'),
    ),
    (
        {"kind": "ActionEvent", "tool_name": "terminal", "action": {"kind": "X", "command": "ls", "timeout": None}},
        ("assistant", "tool_call", '[tool_use terminal] {"command":"ls"}'),
    ),
    (
        {"kind": "ObservationEvent", "tool_name": "terminal", "observation": {"content": [TEXT_BLOCK]}},
        ("tool", "tool_result", "a.py"),
    ),
    ({"kind": "ObservationEvent", "observation": {"kind": "X", "code": 3}}, ("tool", "tool_result", '{"code":3}')),
    ({"kind": "AgentErrorEvent", "error": "no"}, ("tool", "tool_result", "no")),
    ({"kind": "Condensation", "summary": "So far"}, ("assistant", "summary", "So far")),
    ({"kind": "ActionEvent", "tool_name": "finish", "action": {"message": "Done"}}, ("assistant", "message", "Done")),
    ({"kind": "ActionEvent", "tool_name": "think", "action": {"thought": "Hm."}}, ("assistant", "thinking", "Hm.")),
    ({"kind": "ConversationErrorEvent", "code": "E", "detail": "broke"}, ("system", "notice", "broke")),
    (
        {"kind": "ACPToolCallEvent", "status": "completed", "title": "ls", "raw_input": {}, "raw_output": "a"},
        ("assistant", "tool_call", "[tool_use ls] {}\n\na"),
    ),
]  # fmt: skip


def test_the_second_generation(make, read):
    silent = [{"kind": "PauseEvent"}, {"kind": "TokenEvent"}, {"kind": "ACPToolCallEvent", "status": "pending"}]
    every = [*(record for record, _ in SECOND), *silent]
    files = {
        f"c/{CONVERSATION}/events/event-{n:05}-ab.json": json.dumps(
            {"source": "agent", "id": f"e{n}", "timestamp": f"2026-01-02T03:04:{n:02}", **record}
        )
        for n, record in enumerate(every)
    }
    files[f"c/{CONVERSATION}/base_state.json"] = json.dumps({"id": CONVERSATION})
    result = read(make(files))
    session = result.session
    assert session.id == CONVERSATION
    assert told(session) == [expected for _, expected in SECOND]
    assert [m.id for m in session.messages] == [f"e{n}" for n in range(len(SECOND))]
    assert sum(row.ignored for row in result.report.rows) == 3


def test_odd_events(one):
    odd = [7, None, "x", {"id": 2}, {"action": 3}, event(2, observation="run", content=7, message=3), ["x"]]
    result = one([said(1, "first"), *odd, said(9, "last", cause=True)])
    assert [m.text for m in result.session.messages] == ["first", "last"]
    assert [s.where for s in result.row.records_skipped] == [f"record {n}" for n in (2, 3, 4, 5, 6, 8)]
    assert result.row.ignored == 1


@pytest.mark.parametrize("shape", [lambda e: e, lambda e: {"history": e}])
def test_a_cut_file_gives_what_is_whole(make, read, shape):
    text = json.dumps(shape(EVENTS))
    result = read(make({"a.json": text[: text.index("All done")]}))
    assert told(result.session) == EXPECTED[:3]
    assert result.row.skipped_count == 1


def test_others_are_not_claimed(make, read):
    others = {
        "a.json": json.dumps([{"action": "login", "message": "Ann"}, {"action": "run", "message": "x"}]),
        "b.json": json.dumps({"history": [{"role": "user", "content": "hi"}]}),
        "c.json": json.dumps({"trajectory": [{"action": "ls", "observation": "a", "thought": "b"}]}),
        "d.jsonl": lines({"kind": "MessageEvent2"}, {"action": "message", "observation": "run", "source": "user"}),
        "events/1.json": json.dumps({"name": "party"}),
        "metadata.json": json.dumps({"title": "x"}),
    }
    assert not [s for s in read(make(others)).sessions if s.format == "openhands"]


def test_real_files(data, read):
    folder = data / "formats/swe_agent_openhands"
    if not folder.is_dir():
        pytest.skip("no conversations in the test data")
    sessions = [s for s in read(folder).sessions if s.format == "openhands"]
    events = json.loads((folder / "openhands_basic.json").read_text("utf-8"))
    rows = [json.loads(text) for text in (folder / "openhands_resolver_output.jsonl").read_text("utf-8").splitlines()]
    assert [len(s.messages) for s in sessions] == [len(events), *(len(row["history"]) for row in rows)]
    assert [m.at for m in sessions[0].messages] == [each["timestamp"] for each in events]
    for session, row in zip(sessions[1:], rows, strict=True):
        assert session.title == row["issue"]["title"]
        for message, source in zip(session.messages, row["history"], strict=True):
            assert source.get("thought", "") in message.text
            assert message.at is None
            assert (message.role == "tool") == ("observation" in source)


TEXT = st.text(alphabet=st.characters(), min_size=1).filter(str.strip)
SPOKEN = st.tuples(st.sampled_from(["user", "agent", "run"]), TEXT, st.booleans())


@given(st.lists(SPOKEN, min_size=1, max_size=8), st.sampled_from(["list", "row", "lines"]))
def test_messages_come_back(tmp_path_factory, turns, shape):
    path = tmp_path_factory.mktemp("h") / ("a.json" if shape == "list" else "a.jsonl")
    records = []
    for number, (source, text, timed) in enumerate(turns):
        record = event(number, observation="run", content=text) if source == "run" else said(number, text, source)
        records.append(record if timed else {**record, "timestamp": None})
    path.write_text(
        lines({"history": records}) if shape == "row" else lines(*records) if shape == "lines" else json.dumps(records)
    )
    messages = read_all(path).session.messages
    roles = {"user": "user", "agent": "assistant", "run": "tool"}
    assert [(m.role, m.text, m.id) for m in messages] == [
        (roles[source], text, str(n)) for n, (source, text, _) in enumerate(turns)
    ]
    assert [m.at is not None for m in messages] == [timed for _, _, timed in turns]


KEYS = (
    "id action observation source args content message thought cause extras kind llm_message tool_call action "
    "tool_call_metadata model_response choices tool_calls timestamp history image_urls"
)
SHAPES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from(["user", "message", "ActionEvent"]),
    lambda x: st.lists(x, max_size=3) | st.dictionaries(st.sampled_from(KEYS.split()), x, max_size=4),
    max_leaves=12,
)


@given(st.lists(SHAPES, max_size=6), st.booleans())
def test_no_shape_of_records_breaks_it(tmp_path_factory, records, in_a_row):
    path = tmp_path_factory.mktemp("h") / "a.json"
    odd = [{**said(n, "x"), **r} for n, r in enumerate(records) if isinstance(r, dict)]
    every = [said(100, "first"), *records, *odd, said(101, "last")]
    path.write_text(json.dumps({"history": every, "issue": records, "title": records} if in_a_row else every))
    result = read_all(path)
    assert result.row.status == "ingested"
    assert all("reader failed" not in skipped.reason for skipped in result.row.records_skipped)
    assert {"first", "last"} <= {m.text for s in result.sessions for m in s.messages}


SEEDS = [json.dumps(EVENTS).encode(), lines({"instance_id": "a", "history": OLD}).encode()]


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.sampled_from(["a.json", "a.jsonl", "events/1.json"]), st.sampled_from(SEEDS), st.data())
def test_damaged_files(tmp_path_factory, name, seed, data):
    place = data.draw(st.integers(0, len(seed)))
    gone = data.draw(st.integers(0, 20))
    new = data.draw(st.binary(max_size=8) | st.sampled_from([b"null", b"{}", b"[]", b'"', b"\n", b"\\ud800", b"-1"]))
    folder = tmp_path_factory.mktemp("h")
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes(seed[:place] + new + seed[place + gone :])
    check(folder)
