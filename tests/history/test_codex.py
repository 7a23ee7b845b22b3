from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jam.history import gather

from .conftest import read_all
from .test_robustness import check

SID = "019b2ea4-aaaa-7bbb-8ccc-58208e1f0000"
CHILD = "019b2ea5-0000-7bbb-8ccc-58208e1f0001"
AT = "2025-12-18T10:00:00.000Z"


def line(kind, /, at=AT, **payload):
    return {"timestamp": at, "type": kind, "payload": payload}


def meta(**fields):
    return line("session_meta", id=SID, timestamp=AT, cwd="/home/ann/shop", cli_version="0.9", source="cli", **fields)


def item(kind="message", /, **fields):
    return line("response_item", type=kind, **fields)


def said(role, *texts, **fields):
    kind = "output_text" if role == "assistant" else "input_text"
    return item(role=role, content=[{"type": kind, "text": text} for text in texts], **fields)


def event(kind, /, **fields):
    return line("event_msg", type=kind, **fields)


def lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.fixture
def one(make, read):
    return lambda *records: read(make({"a.jsonl": lines(*records)}))


def told(result):
    return [(m.role, m.kind, m.text) for m in result.session.messages]


def test_a_session(one):
    result = one(
        meta(git={"branch": "main"}),
        line("turn_context", cwd="/home/ann/shop", model="gpt-x"),
        said("user", "Hello"),
        item("reasoning", summary=[{"type": "summary_text", "text": "Hm."}], encrypted_content="zzz"),
        item("reasoning", summary=[], encrypted_content="zzz"),
        said("assistant", "Hi", id="m2", phase="final"),
        event("token_count", info=None),
    )
    session = result.session
    assert (session.id, session.group, session.at) == (SID, ("shop",), "2025-12-18T10:00:00.000+00:00")
    assert session.meta == {"cwd": "/home/ann/shop", "version": "0.9", "branch": "main", "model": "gpt-x"}
    assert told(result) == [
        ("user", "message", "Hello"),
        ("assistant", "thinking", "Hm."),
        ("assistant", "message", "Hi"),
    ]
    assert (session.messages[2].id, session.messages[2].meta) == ("m2", {"phase": "final"})
    assert session.messages[0].at == "2025-12-18T10:00:00.000+00:00"
    assert result.row.ignored == 4


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (
            item("function_call", name="shell", arguments='{"command":["ls"]}', call_id="c1"),
            ("assistant", "tool_call", '[tool_use shell] {"command":["ls"]}'),
        ),
        (item("function_call", name="f", summary="Running"), ("assistant", "tool_call", "[tool_use f] Running")),
        (
            item("tool_call", function={"name": "f"}, arguments={"x": 1}),
            ("assistant", "tool_call", '[tool_use f] {"x":1}'),
        ),
        (
            item("local_shell_call", call_id="c", status="completed", action={"type": "exec", "command": ["ls"]}),
            ("assistant", "tool_call", '[tool_use local_shell] {"type":"exec","command":["ls"]}'),
        ),
        (
            item("custom_tool_call", name="apply_patch", input="*** Begin Patch"),
            ("assistant", "tool_call", "[tool_use apply_patch] *** Begin Patch"),
        ),
        (
            item("web_search_call", id="ws", action={"type": "search", "query": "q"}),
            ("assistant", "tool_call", '[tool_use web_search] {"type":"search","query":"q"}'),
        ),
        (item("function_call_output", call_id="c", output="a\nb"), ("tool", "tool_result", "a\nb")),
        (
            item("function_call_output", output='{"output":"a\\nb","metadata":{"exit_code":1}}'),
            ("tool", "tool_result", "a\nb"),
        ),
        (item("function_call_output", output={"content": "no", "success": False}), ("tool", "tool_result", "no")),
        (item("custom_tool_call_output", output=[{"type": "input_text", "text": "x"}]), ("tool", "tool_result", "x")),
        (item("function_call_output", output={"type": "input_text", "text": "x"}), ("tool", "tool_result", "x")),
        (item("tool_result", result={"stdout": "x\n", "stderr": ""}), ("tool", "tool_result", "x\n")),
        (item("tool_search_output", tools=[{"name": "t"}]), ("tool", "tool_result", '[{"name":"t"}]')),
        (said("developer", "<permissions instructions>"), ("system", "notice", "<permissions instructions>")),
        (
            said("user", "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>a</INSTRUCTIONS>", "<environment_context>"),
            ("user", "notice", None),
        ),
        (said("user", "<environment_context>x</environment_context>", "Do it"), ("user", "message", None)),
        (line("response_item", role="user", content=[{"text": "x", "type": "input_text"}]), ("user", "message", "x")),
        (
            item("agent_message", author="/root", recipient="/root/a", content=[{"type": "input_text", "text": "go"}]),
            ("assistant", "message", "go"),
        ),
        (line("compacted", message="So far: all."), ("assistant", "summary", "So far: all.")),
    ],
)  # fmt: skip
def test_items(one, record, expected):
    (message,) = one(meta(), record).session.messages
    assert (message.role, message.kind) == expected[:2]
    if expected[2] is not None:
        assert message.text == expected[2]


def test_pictures(one):
    url = "data:image/png;base64," + base64.b64encode(b"12345").decode()
    picture = base64.b64encode(b"\x89PNG\r\n").decode()
    result = one(
        meta(),
        item(
            role="user",
            content=[
                {"type": "input_text", "text": "<image name=[Image #1]>"},
                {"type": "input_image", "image_url": url},
                {"type": "input_text", "text": "</image>"},
                {"type": "input_text", "text": "What is this?"},
                {"type": "input_image", "image_url": None},
            ],
        ),
        event("user_message", message="What is this?", images=[url]),
        item("image_generation_call", id="ig", status="completed", revised_prompt="a cat", result=picture),
    )
    first, second = result.session.messages
    assert first.text.split("\n\n")[1:] == ["[image: image/png, 5 bytes]", "</image>", "What is this?"]
    assert second.text == "[tool_use image_generation] a cat\n\n[image: image/png, 6 bytes]"
    assert sorted(result.spilled.values()) == [b"12345", b"\x89PNG\r\n"]


def test_what_stands_there_twice_is_read_once(one):
    result = one(
        meta(),
        event("user_message", message="Start"),
        line("turn_context", model="m"),
        said("user", "Start", id="u1"),
        event("agent_reasoning", text="One"),
        event("agent_reasoning", text="Two"),
        item("reasoning", summary=[{"type": "summary_text", "text": t} for t in ("One", "Two")]),
        said("assistant", "Done"),
        event("agent_message", message="Done"),
        said("user", "again"),
        event("user_message", message="again"),
        said("user", "again"),
        event("user_message", message="again"),
    )
    assert [text for _, _, text in told(result)] == ["Start", "One\n\nTwo", "Done", "again", "again"]
    assert result.session.messages[0].id == "u1"
    assert result.row.messages + result.row.ignored == 13


def test_events_alone_are_the_messages(one):
    result = one(
        meta(),
        event("user_message", message="Hello", kind="plain"),
        event("agent_reasoning", text="Hm."),
        event("agent_message", message="Hi"),
        event("error", message="stream lost"),
        event("turn.completed", message="ok"),
        event("exec_command_end", call_id="c", aggregated_output="x"),
        event("item_completed", item={"type": "Plan", "id": "p", "text": "1. Do it"}),
        event("exited_review_mode", review_output={"overall_explanation": "Fine."}),
    )
    assert told(result) == [
        ("user", "message", "Hello"),
        ("assistant", "thinking", "Hm."),
        ("assistant", "message", "Hi"),
        ("system", "notice", "stream lost"),
        ("assistant", "message", "1. Do it"),
        ("assistant", "message", "Fine."),
    ]


def test_a_compaction_does_not_repeat_the_past(one):
    history = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]}]
    result = one(
        meta(), said("user", "a"), line("compacted", message="", replacement_history=history), said("user", "b")
    )
    assert [text for _, _, text in told(result)] == ["a", "b"]


def test_turns_rolled_back_are_a_branch(one):
    result = one(
        meta(),
        *(said(role, f"{role} {n}") for n in range(3) for role in ("user", "assistant")),
        event("thread_rolled_back", num_turns=2),
        said("user", "better"),
        event("thread_rolled_back", num_turns=99),
        said("user", "best"),
    )
    assert [m.thread for m in result.session.messages] == ["branch-2"] * 2 + ["branch-1"] * 4 + ["branch-2", None]


def test_a_name(one):
    assert one(meta(), said("user", "x"), event("thread_name_updated", thread_name="Shop")).session.title == "Shop"


def test_only_the_first_header_counts(one):
    other = line("session_meta", id="other", cwd="/elsewhere", timestamp="2024-01-01T00:00:00Z")
    result = one(meta(forked_from_id="other"), other, said("user", "x"), other)
    assert (result.session.id, result.session.group) == (SID, ("shop",))
    assert result.session.meta["forked_from"] == "other"


PARENT = "019b2ea4-0000-7000-8000-000000000000"
"""Given on 2025-12-17 or 18, by the day's border of the zone."""


def parent_lines():
    return lines(
        line("session_meta", id=PARENT, cwd="/home/ann/shop", timestamp=AT),
        said("user", "<environment_context>a</environment_context>"),
        said("user", "one"),
        said("assistant", "1"),
        said("user", "two"),
        said("assistant", "2"),
        said("user", "yes"),
    )


@pytest.mark.parametrize("folder", ["", "sessions/2025/12/18/"])
def test_a_fork_leaves_the_past_to_its_origin(make, read, folder):
    now = "2025-12-19T10:00:00.000Z"
    fork = lines(
        line("session_meta", id=SID, forked_from_id=PARENT, cwd="/home/ann/shop", timestamp=now, at=now),
        line("session_meta", id=PARENT, cwd="/home/ann/shop", timestamp=AT, at=now),
        said("user", "<environment_context>a</environment_context>"),
        event("user_message", message="one"),
        said("user", "one"),
        said("assistant", "1"),
        event("agent_message", message="1"),
        said("user", "<environment_context>new</environment_context>"),
        said("user", "yes, but"),
        said("assistant", "1"),
    )
    later = folder.replace("12/18", "12/19")
    files = {
        f"{folder}rollout-2025-12-18T10-00-00-{PARENT}.jsonl": parent_lines(),
        f"{later}rollout-2025-12-19T10-00-00-{SID}.jsonl": fork,
    }
    by_id = {session.id: [m.text for m in session.messages] for session in read(make(files)).sessions}
    assert by_id[PARENT][1:] == ["one", "1", "two", "2", "yes"]
    assert by_id[SID] == ["<environment_context>new</environment_context>", "yes, but", "1"]


def test_a_fork_whose_origin_is_elsewhere_keeps_all(make, read):
    fork = lines(meta(forked_from_id=PARENT), said("user", "one"), said("user", "two"))
    assert read(make({"rollout-x.jsonl": fork})).texts == ["one", "two"]


@pytest.mark.parametrize(
    "header",
    [
        {"source": {"subagent": {"thread_spawn": {"parent_thread_id": SID, "depth": 1}}}},
        {"session_id": SID, "thread_source": "subagent", "source": {"subagent": {"thread_spawn": {"depth": 2}}}},
        {"parent_thread_id": SID, "source": "cli"},
    ],
)
def test_subagents_belong_to_the_session_that_started_them(make, read, header):
    child = line("session_meta", id=CHILD, cwd="/home/ann/shop", agent_nickname="Mendel", timestamp=AT, **header)
    files = {
        f"rollout-1-{SID}.jsonl": lines(meta(), said("user", "go")),
        f"rollout-2-{CHILD}.jsonl": lines(child, said("user", "look"), said("assistant", "seen")),
    }
    parent, part = read(make(files)).sessions
    assert (parent.id, part.id) == (SID, SID)
    assert [(m.thread, m.speaker) for m in part.messages] == [(CHILD, None), (CHILD, "Mendel")]


def test_a_reviewer_without_a_parent_is_a_session(one):
    assert one(meta() | {"payload": {"id": "r", "source": {"subagent": "review"}}}, said("user", "x")).session.id == "r"


def test_old_lines(make, read):
    records = [
        {"id": SID, "timestamp": "2025-05-01T10:00:00Z", "instructions": None, "git": {"branch": "dev"}},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "reasoning", "summary": [], "encrypted_content": None},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"},
        {"type": "function_call_output", "call_id": "c", "output": '{"output":"x","metadata":{"exit_code":0}}'},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "ho"}]},
    ]
    session = read(make({"x/rollout-2025-05-01.jsonl": lines(*records)})).session
    assert (session.id, session.format, session.at) == (SID, "codex", "2025-05-01T10:00:00+00:00")
    assert [m.text for m in session.messages] == ["hi", "[tool_use shell] {}", "x", "ho"]
    assert session.group == ("x",)
    bare = read(make({"y/rollout-x.jsonl": lines(*records[4:6])}) / "y").session
    assert (bare.format, len(bare.messages)) == ("codex", 2)


def test_an_old_document(make, read):
    document = {
        "session": {"timestamp": "2025-04-20T08:00:00Z", "id": "s-1", "instructions": ""},
        "items": [
            {"role": "user", "content": [{"type": "input_text", "text": "hi"}], "type": "message"},
            {"type": "local_shell_call", "action": {"command": ["ls"]}, "call_id": "c"},
            {"type": "local_shell_call_output", "call_id": "c", "output": "x"},
            7,
            {"role": "assistant", "content": None, "type": "message"},
            {"role": "assistant", "content": [{"type": "output_text", "text": "ho"}], "type": "message"},
        ],
    }
    result = read(make({"rollout-2025-04-20-s.json": json.dumps(document)}))
    assert (result.session.id, result.session.at) == ("s-1", "2025-04-20T08:00:00+00:00")
    assert result.texts == ["hi", '[tool_use local_shell] {"command":["ls"]}', "x", "ho"]
    assert [s.where for s in result.row.records_skipped] == ["record 4", "record 5"]
    cut = read(make({"cut/rollout.json": json.dumps(document)[:-60]}) / "cut")
    assert cut.texts[:3] == result.texts[:3]
    assert cut.row.skipped_count


def test_prompts_and_names_beside_the_sessions(make, read):
    prompts = [
        {"session_id": PARENT, "ts": 1_766_052_000, "text": "one"},
        {"session_id": "gone", "ts": 1_766_052_000, "text": "lost"},
    ]
    files = {
        f"home/sessions/2025/12/18/rollout-2025-12-18T10-00-00-{PARENT}.jsonl": parent_lines(),
        "home/history.jsonl": lines(*prompts, *prompts[:1]),
        "home/session_index.jsonl": lines({"id": PARENT, "thread_name": "Shop", "updated_at": AT}),
        "all/.codex/auth.json": "{}",
    }
    result = read(make(files))
    assert {session.id: len(session.messages) for session in result.sessions} == {PARENT: 6, "gone": 1}
    rows = {row.name: row for row in result.report.rows}
    assert rows["home/history.jsonl"].ignored == 2
    assert {row.status for row in rows.values()} == {"ingested"}


def test_odd_lines(one):
    result = one(
        meta(),
        "text",
        [1],
        {"type": "response_item", "payload": "x"},
        item("message", role=None, content=[]),
        item("message", role="user", content=None),
        item("message", role="user", content=7),
        item("function_call_output", output=7),
        item("ghost_snapshot"),
        item("unheard_of"),
        said("user", "kept"),
    )
    assert result.texts == ["kept"]
    assert [s.where for s in result.row.records_skipped] == [f"line {n}" for n in (2, 3, 4, 5, 6, 7, 8)]


def test_without_a_header(make, read):
    session = read(make({f"rollout-2025-12-18T10-00-00-{SID}.jsonl": lines(said("user", "x"))})).session
    assert session.id == SID
    assert read(make({"b/x.jsonl": lines(said("user", "x"))}) / "b").session.id == "x.jsonl"


def test_bounded_memory(one, monkeypatch):
    monkeypatch.setattr(gather, "MAX_MESSAGES", 10)
    records = [r for n in range(20) for r in (said("user", f"t{n}"), event("user_message", message=f"t{n}"))]
    result = one(meta(), *records)
    assert [m.text for s in result.sessions for m in s.messages] == [f"t{n}" for n in range(20)]


def test_others_are_not_claimed(make, read):
    others = {
        "chat.jsonl": lines({"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}),
        "x.jsonl": lines({"type": "message", "role": "user", "content": "hi"}),
        "y.json": json.dumps({"session": "a", "items": [1]}),
        "z.jsonl": lines({"type": "event_msg"}, {"timestamp": AT, "payload": 3}),
    }
    assert not [s for s in read(make(others)).sessions if s.format == "codex"]


def test_real_files(data, read):
    folder = data / "formats/codex_rollout"
    if not folder.is_dir():
        pytest.skip("no Codex files in the test data")
    result = read(folder)
    for row in result.report.rows:
        records = [json.loads(text) for text in Path(folder / row.name).read_text("utf-8").splitlines() if text]
        items = [r for r in records if r["type"] == "response_item"]
        assert row.format == "codex"
        assert row.messages == len(items)
        assert row.messages + row.ignored + row.skipped_count == len(records)
    for session in result.sessions:
        records = [json.loads(text) for text in (folder / session.origin).read_text("utf-8").splitlines() if text]
        assert session.id == records[0]["payload"]["id"]


TEXT = (
    st.text(alphabet=st.characters(), min_size=1).filter(str.strip).filter(lambda text: text.lstrip()[:1] not in "<#")
)


@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant"]), TEXT, st.integers(0, 2)), min_size=1, max_size=8),
    st.booleans(),
)
def test_messages_come_back(tmp_path_factory, turns, timed):
    """Whether a text is an item, an event or both: it comes back once, in its place."""
    path = tmp_path_factory.mktemp("h") / "a.jsonl"
    records = [meta()]
    for role, text, form in turns:
        spoken = event("user_message" if role == "user" else "agent_message", message=text)
        records += [[said(role, text)], [said(role, text), spoken], [spoken, said(role, text)]][form]
    path.write_text(lines(*(record if timed else {**record, "timestamp": None} for record in records)))
    messages = read_all(path).session.messages
    assert [(m.role, m.text) for m in messages] == [(role, text) for role, text, _ in turns]
    assert all((m.at is not None) == timed and m.kind == "message" for m in messages)


KEYS = (
    "type message content role payload text summary timestamp cwd id name arguments output images source subagent git "
    "call_id action session_id"
)
TYPES = "message reasoning function_call function_call_output user_message item_completed thread_rolled_back"
SHAPES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(TYPES.split()),
    lambda x: st.lists(x, max_size=3) | st.dictionaries(st.sampled_from(KEYS.split()), x, max_size=4),
    max_leaves=12,
)
OUTER = st.sampled_from(["session_meta", "response_item", "event_msg", "turn_context", "compacted", "x"])


@given(st.lists(st.tuples(OUTER, SHAPES), max_size=6))
def test_no_shape_of_records_breaks_it(tmp_path_factory, records):
    path = tmp_path_factory.mktemp("h") / "a.jsonl"
    odd = [{"type": kind, "timestamp": payload, "payload": payload} for kind, payload in records]
    path.write_text(lines(meta(), said("user", "first"), *odd, *(p for _, p in records), said("user", "last")))
    result = read_all(path)
    assert result.row.status == "ingested"
    assert all("reader failed" not in skipped.reason for skipped in result.row.records_skipped)
    texts = [m.text for session in result.sessions for m in session.messages]
    assert {"first", "last"} <= set(texts)


SEEDS = [
    lines(meta(), said("user", "hi"), event("user_message", message="hi"), line("compacted", message="x")).encode(),
    json.dumps({"session": {"id": "s"}, "items": [{"type": "message", "role": "user", "content": "x"}]}).encode(),
]


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.sampled_from(["a.json", "a.jsonl", "rollout-a.jsonl"]), st.sampled_from(SEEDS), st.data())
def test_damaged_files(tmp_path_factory, name, seed, data):
    place = data.draw(st.integers(0, len(seed)))
    gone = data.draw(st.integers(0, 20))
    new = data.draw(st.binary(max_size=8) | st.sampled_from([b"null", b"{}", b"[]", b'"', b"\n", b"\\ud800", b"-1"]))
    folder = tmp_path_factory.mktemp("h")
    (folder / name).write_bytes(seed[:place] + new + seed[place + gone :])
    check(folder)


def test_deeply_nested_records_are_skipped(make, read):
    deep = "[" * 900 + "]" * 900
    bad = f'{{"type":"response_item","payload":{{"type":"message","role":"user","content":{deep}}}}}\n'
    worse = f'{{"type":"response_item","payload":{{"type":"function_call","name":"f","arguments":{deep}}}}}\n'
    result = read(make({"a.jsonl": lines(meta(), said("user", "x")) + bad + worse}))
    assert result.row.messages + result.row.skipped_count == 3
