from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jam.history import gather

from .conftest import read_all

SID = "11111111-2222-3333-4444-555555555555"


def record(kind="user", content="hello", **fields):
    message = {"role": kind, "content": content}
    base = {
        "type": kind,
        "sessionId": SID,
        "uuid": "u1",
        "timestamp": "2026-01-02T03:04:05.678Z",
        "cwd": "/home/ann/shop",
    }
    return {**base, "message": message, **fields}


def lines(*records):
    return "".join(json.dumps(item) + "\n" for item in records)


@pytest.fixture
def one(make, read):
    return lambda *records: read(make({"p/a.jsonl": lines(*records)}))


def test_a_turn(one):
    session = one(record(gitBranch="main", version="2.1")).session
    (message,) = session.messages
    assert (session.id, session.group, session.kind) == (SID, ("shop",), "conversation")
    assert session.meta == {"cwd": "/home/ann/shop", "gitBranch": "main", "version": "2.1"}
    assert (message.id, message.role, message.text, message.kind) == ("u1", "user", "hello", "message")
    assert message.at == "2026-01-02T03:04:05.678+00:00"
    assert message.thread is None


def test_blocks_in_their_order(one):
    content = [
        {"type": "thinking", "thinking": "Hm.", "signature": "x"},
        {"type": "text", "text": "  Let me look.\n"},
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls", "é": [1]}},
    ]
    (message,) = one(record("assistant", content)).session.messages
    assert message.text == '[thinking]\nHm.\n\n  Let me look.\n\n\n[tool_use Bash] {"command":"ls","é":[1]}'
    assert message.kind == "message"


@pytest.mark.parametrize(
    ("kind", "content", "expected"),
    [
        ("assistant", [{"type": "thinking", "thinking": "Hm."}], ("assistant", "thinking", "Hm.")),
        (
            "assistant",
            [{"type": "tool_use", "name": "Ls", "input": {}}],
            ("assistant", "tool_call", "[tool_use Ls] {}"),
        ),
        ("user", [{"type": "tool_result", "content": "a\n\nb"}], ("tool", "tool_result", "a\n\nb")),
        ("user", [{"type": "tool_result", "content": [{"type": "text", "text": "x"}]}], ("tool", "tool_result", "x")),
        ("user", ["bare"], ("user", "message", "bare")),
        ("user", "<local-command-stdout>x</local-command-stdout>", ("user", "notice", None)),
        ("user", "<system-reminder>x</system-reminder>", ("user", "notice", None)),
        ("user", "<system-reminder>x</system-reminder> and I say", ("user", "message", None)),
        ("user", "<command-name>/clear</command-name><command-args></command-args>", ("user", "notice", None)),
        (
            "user",
            "<command-name>/p</command-name><command-args>fix the parser</command-args>",
            ("user", "message", None),
        ),
    ],
)
def test_roles_and_kinds(one, kind, content, expected):
    (message,) = one(record(kind, content)).session.messages
    assert (message.role, message.kind, message.text) == (*expected[:2], expected[2] or content)


def test_notices_summaries_and_side_chains(one):
    session = one(
        record(isMeta=True),
        record(uuid="u2", isCompactSummary=True),
        record(uuid="u3", isSidechain=True),
        record(uuid="u4", isSidechain=True, agentId="abc"),
        {"type": "system", "content": "Conversation compacted", "uuid": "s1", "sessionId": SID},
        {"type": "system", "uuid": "s2", "sessionId": SID},
    ).session
    assert [m.kind for m in session.messages] == ["notice", "summary", "message", "message", "notice"]
    assert [m.thread for m in session.messages] == [None, None, "sidechain", "abc", None]
    assert session.messages[-1].role == "system"


def test_summary_names_the_session(one):
    other = "99999999-2222-3333-4444-555555555555"
    result = one(
        {"type": "summary", "summary": "The shop", "leafUuid": "u2"},
        {"type": "summary", "summary": "Elsewhere", "leafUuid": "nowhere"},
        record(),
        record(uuid="u2", sessionId=other),
    )
    titles = {session.id: session.title for session in result.sessions}
    assert titles == {SID: None, other: "The shop"}
    assert result.sessions[1].messages[-1].kind == "summary"
    assert result.row.records_skipped[0].where == "line 2"


def test_images_are_spilled(one):
    data = base64.b64encode(b"\x89PNG....").decode()
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    result = one(record(content=[{"type": "text", "text": "see"}, image, {"type": "tool_result", "content": [image]}]))
    (message,) = result.session.messages
    assert message.text == "see\n\n[image: image/png, 8 bytes]\n\n[image: image/png, 8 bytes]"
    assert [a.size for a in message.attachments] == [8, 8]
    assert list(result.spilled.values()) == [b"\x89PNG...."]


def test_bad_base64_is_said(one):
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "%%%"}}
    assert one(record(content=[image])).texts == ["[image: image/png, unreadable]"]


def test_odd_records(one):
    result = one(
        "text", 42, [1], None, record(), {"type": "user", "message": "a string"}, record(content=None, uuid="u2"),
        {"type": "user", "message": {"contenst": []}}, {"type": "user"}, {"type": "progress"}, {"silly": "this"},
        record(content="", uuid="u3"), record(content=[{"type": "thinking", "thinking": ""}], uuid="u4"),
        record(content=7, uuid="u5"), record(uuid=5, timestamp=[], cwd=3, sessionId=None, content="kept"),
    )  # fmt: skip
    assert [s.where for s in result.row.records_skipped] == [f"line {n}" for n in (1, 2, 3, 4, 6, 7, 8, 9, 14)]
    assert result.row.ignored == 4
    kept = result.session.messages[-1]
    assert (kept.text, kept.id, kept.at) == ("kept", None, None)


def test_duplicates(one):
    result = one(record(), record(), record(content="edited"), record(content="edited"), record(content="again"))
    assert [m.id for m in result.session.messages] == ["u1", "u1~2", "u1~3"]
    assert result.row.ignored == 2


def test_lone_surrogates_and_a_cut_tail(make, read):
    text = lines(record(content="a\ud800b"))
    assert "\\ud800" in text
    result = read(make({"a.jsonl": text + '{"type": "user", "mess'}))
    assert result.texts == ["a\ud800b"]
    assert "line 2" in result.row.note
    assert result.row.skipped_count == 0


def test_subagents_belong_to_their_parent(make, read):
    agent = record(uuid="a1", agentId="abc", isSidechain=True)
    folder = make(
        {
            f"-home-ann-shop/{SID}.jsonl": lines(record()),
            f"-home-ann-shop/{SID}/subagents/agent-abc.jsonl": lines({**agent, "sessionId": "agent-abc"}),
            "copied/parent.jsonl": lines(record(sessionId="parent")),
            "copied/subagents/agent-xyz.jsonl": lines(record(uuid="x1", sessionId="agent-xyz", isSidechain=True)),
            "older/agent-old.jsonl": lines(record(uuid="o1", isSidechain=True)),
        }
    )
    sessions = {session.origin.split("/")[-1]: session for session in read(folder).sessions}
    assert sessions["agent-abc.jsonl"].id == SID
    assert sessions["agent-abc.jsonl"].messages[0].thread == "abc"
    assert sessions["agent-xyz.jsonl"].id == "parent"
    assert sessions["agent-xyz.jsonl"].messages[0].thread == "xyz"
    assert sessions["agent-old.jsonl"].id == SID
    assert sessions["agent-old.jsonl"].messages[0].thread == "old"


def test_ids_and_groups_without_fields(make, read):
    bare = {"type": "user", "message": {"content": "hi"}}
    result = read(make({"shop/a.jsonl": lines(bare), "b/a.jsonl": lines({**bare, "cwd": "C:\\code\\till"})}))
    assert {(s.id, s.group) for s in result.sessions} == {("shop/a", ("shop",)), ("b/a", ("till",))}


def test_interleaved_sessions_and_bounded_memory(one, monkeypatch):
    monkeypatch.setattr(gather, "MAX_MESSAGES", 10)
    records = [record(uuid=f"u{n}", sessionId=f"s{n % 2}", content=f"text {n}") for n in range(35)]
    result = one(*records)
    assert [s.id for s in result.sessions] == ["s0", "s1"] * 4
    assert [m.id for s in result.sessions for m in s.messages if s.id == "s1"] == [f"u{n}" for n in range(1, 35, 2)]
    assert (result.row.sessions, result.row.messages) == (2, 35)


def test_a_huge_first_line(one):
    assert one(record(content="x" * 300_000), record(uuid="u2")).row.messages == 2


TEXT = (
    st.text(alphabet=st.characters(), min_size=1).filter(str.strip).filter(lambda text: text.lstrip()[:1] not in "<[")
)


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), TEXT, st.booleans()), min_size=1, max_size=8))
def test_messages_come_back(tmp_path_factory, turns):
    path = tmp_path_factory.mktemp("h") / "a.jsonl"
    path.write_text(
        lines(
            *(
                record(role, [{"type": "text", "text": text}] if as_list else text, uuid=f"u{n}")
                for n, (role, text, as_list) in enumerate(turns)
            )
        )
    )
    messages = read_all(path).session.messages
    notice = "Caveat: The messages below"
    assert [(m.role, m.text) for m in messages] == [(role, text) for role, text, _ in turns]
    assert all(m.kind == "message" for m in messages if not m.text.startswith(notice))


KEYS = (
    "type message content uuid sessionId text source data summary timestamp cwd isMeta agentId input name leafUuid "
    "thinking"
)
SHAPES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda x: st.lists(x, max_size=3) | st.dictionaries(st.sampled_from(KEYS.split()), x, max_size=4),
    max_leaves=12,
)


@given(st.lists(SHAPES, max_size=6))
def test_no_shape_of_records_breaks_it(tmp_path_factory, records):
    path = tmp_path_factory.mktemp("h") / "a.jsonl"
    path.write_text(lines(record(), *({"type": "user", "message": r} for r in records), *records))
    row = read_all(path).row
    assert row.status == "ingested"
    assert all("reader failed" not in skipped.reason for skipped in row.records_skipped)


def test_a_line_that_is_still_being_written_is_told_of_and_no_loss(make, read):
    text = lines(record(), record("assistant", "There it is.", uuid="u2"))
    note = "line {} is not complete and not read yet: is the file still being written?"
    result = read(make({"p/a.jsonl": text + lines(record(uuid="u3"))[:-40]}))
    assert (result.texts, result.row.unfinished, result.row.skipped_count) == (["hello", "There it is."], 1, 0)
    assert (result.row.status, result.row.note) == ("ingested", note.format(3))
    assert f"p/a.jsonl: 1 sessions, 2 messages; as claude_code; {note.format(3)}" in result.report.render()
    alone = read(make({"q/b.jsonl": lines(record())[:-40]}) / "q").row
    assert (alone.status, alone.note) == ("ingested", f"{note.format(1)}; no messages in it")
