from __future__ import annotations

import base64
import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .conftest import read_all
from .test_robustness import NAMES, RELAXED, check

ROOT = "00000000-0000-4000-8000-000000000000"


def said(uuid, sender, text, **more):
    return {
        "uuid": uuid,
        "sender": sender,
        "text": text,
        "content": [{"type": "text", "text": text}],
        "created_at": "2025-03-01T10:00:00.123456Z",
        "attachments": [],
        "files": [],
        **more,
    }


def conversation(*messages, **more):
    return {
        "uuid": "c1",
        "name": "T",
        "created_at": "2025-03-01T09:00:00Z",
        "updated_at": "2025-03-02T09:00:00Z",
        "account": {"uuid": "a1"},
        "chat_messages": list(messages),
        **more,
    }


@pytest.fixture
def export(make, read):
    def one(*conversations, name="x/conversations.json", **files):
        return read(make({name: json.dumps(list(conversations)), **files}))

    return one


@pytest.fixture
def message(export):
    def one(**fields):
        return export(
            conversation(said("m1", "human", "first"), {**said("m2", "assistant", ""), **fields})
        ).session.messages[1]

    return one


def test_a_conversation(export):
    session = export(
        conversation(said("m1", "human", "hi"), said("m2", "assistant", "hello"), model="claude-x")
    ).session
    assert (session.id, session.title, session.at) == ("c1", "T", "2025-03-01T09:00:00+00:00")
    assert (session.format, session.group) == ("claude_ai", ("x",))
    assert session.meta == {"model": "claude-x", "updated": "2025-03-02T09:00:00+00:00"}
    assert [(m.id, m.role, m.text, m.at) for m in session.messages] == [
        ("m1", "user", "hi", "2025-03-01T10:00:00.123456+00:00"),
        ("m2", "assistant", "hello", "2025-03-01T10:00:00.123456+00:00"),
    ]


@pytest.mark.parametrize(
    ("wrap", "ids"),
    [
        (lambda c: [c, {**c, "uuid": "c2"}], ["c1", "c2"]),
        (lambda c: {"conversations": [c]}, ["c1"]),
        (lambda c: {"version": 1, "conversations": [c]}, ["c1"]),
        (lambda c: c, ["c1"]),
        (lambda c: [{"chat_messages": c["chat_messages"]}], ["a.json#1"]),
        (lambda c: {"chat_messages": c["chat_messages"]}, ["a.json"]),
    ],
)
def test_shapes(make, read, wrap, ids):
    result = read(make({"a.json": json.dumps(wrap(conversation(said("m1", "human", "hi"))))}))
    assert [session.id for session in result.sessions] == ids
    assert all([m.text for m in session.messages] == ["hi"] for session in result.sessions)


FILLER = "```\nThis block is not supported on your current device yet.\n```"
USE = {"type": "tool_use", "name": "web_search", "input": {"query": "q"}}
RESULT = {
    "type": "tool_result",
    "name": "web_search",
    "content": [{"type": "text", "text": "found"}],
    "is_error": False,
}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"text": "a", "content": [{"type": "text", "text": "a"}]}, ("message", "a")),
        (
            {"text": "flat", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
            ("message", "a\n\nb"),
        ),
        ({"text": "a", "content": []}, ("message", "a")),
        ({"text": "a", "content": None}, ("message", "a")),
        ({"text": "a", "content": [{"type": "text", "text": ""}]}, ("message", "a")),
        ({"text": "a", "content": [{"type": "text", "text": None}]}, ("message", "a")),
        ({"text": None, "content": "a text"}, ("message", "a text")),
        (
            {"text": "so", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "so"}]},
            ("message", "[thinking]\nhm\n\nso"),
        ),
        ({"text": "", "content": [{"type": "thinking", "thinking": "hm"}]}, ("thinking", "hm")),
        (
            {"text": f"Look\n{FILLER}\n", "content": [{"type": "text", "text": "Look"}, USE, RESULT]},
            ("message", 'Look\n\n[tool_use web_search] {"query":"q"}\n\nfound'),
        ),
        ({"text": FILLER, "content": [USE]}, ("tool_call", '[tool_use web_search] {"query":"q"}')),
        (
            {"text": f"kept\n{FILLER}", "content": [USE]},
            ("message", '[tool_use web_search] {"query":"q"}\n\nkept'),
        ),
        ({"text": "", "content": [RESULT]}, ("tool_result", "found")),
        ({"text": "a", "content": [{"type": "token_budget"}, {"type": "text", "text": "a"}]}, ("message", "a")),
        ({"text": "", "content": [{"type": "voice_note", "title": "n", "text": "said"}]}, ("message", "said")),
    ],
)
def test_contents(message, fields, expected):
    found = message(**fields)
    assert (found.kind, found.text) == expected


def test_attached_documents_and_files(message):
    attached = [
        {"file_name": "notes.txt", "file_type": "txt", "extracted_content": "line one\nline two"},
        {"file_name": "", "extracted_content": "pasted"},
        {"file_name": "empty.pdf", "extracted_content": None},
        {},
        5,
    ]
    files = [{"file_uuid": "f1", "file_name": "photo.png", "file_kind": "image"}, {"file_name": "notes.txt"}]
    found = message(text="see", content=None, attachments=attached, files=files, files_v2=files)
    assert found.text == (
        "see\n\n[attachment: notes.txt]\nline one\nline two\n\n[attachment]\npasted\n\n[attachment: empty.pdf]"
        "\n\n[image: photo.png]"
    )


def test_a_picture_in_a_block_is_spilled(export):
    source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(b"12345").decode()}
    result = export(conversation(said("m", "human", "", content=[{"type": "image", "source": source}])))
    assert result.texts == ["[image: image/png, 5 bytes]"]
    assert list(result.spilled.values()) == [b"12345"]


def forked(*links):
    return [said(own, "human", own, parent_message_uuid=parent) for own, parent in links]


@pytest.mark.parametrize(
    ("leaf", "expected"),
    [
        ("c", [("a", None), ("b", None), ("c", None), ("d", "branch-1")]),
        ("d", [("a", None), ("d", None), ("b", "branch-1"), ("c", "branch-1")]),
        (None, [("a", None), ("d", None), ("b", "branch-1"), ("c", "branch-1")]),
        ("b", [("a", None), ("b", None), ("c", None), ("d", "branch-1")]),
    ],
)
def test_branches(export, leaf, expected):
    messages = forked(("a", ROOT), ("b", "a"), ("c", "b"), ("d", "a"))
    session = export(conversation(*messages, current_leaf_message_uuid=leaf)).session
    assert [(m.text, m.thread) for m in session.messages] == expected


def test_an_edited_first_message(export):
    messages = forked(("a", ROOT), ("b", "a"), ("c", ROOT), ("d", "c"))
    session = export(conversation(*messages, current_leaf_message_uuid="b")).session
    assert [(m.text, m.thread) for m in session.messages] == [
        ("a", None),
        ("b", None),
        ("c", "branch-1"),
        ("d", "branch-1"),
    ]


@pytest.mark.parametrize("parent", [{}, {"parent_message_uuid": None}, {"parent_message_uuid": ROOT}])
def test_without_links_the_order_counts_and_a_leaf_cuts_nothing_off(export, parent):
    messages = [said(f"m{n}", "human", str(n), **parent) for n in range(4)]
    session = export(conversation(*messages, current_leaf_message_uuid="m1")).session
    assert [(m.text, m.thread) for m in session.messages] == [(str(n), None) for n in range(4)]


def test_bad_records_cost_themselves_only(export):
    row = export(
        conversation(said("m1", "human", "hi")),
        None,
        conversation(None, 7, said("m2", "human", "there"), said("m3", "assistant", "", content=[]), uuid="c2"),
        {"uuid": "c3", "name": "no messages"},
        conversation(uuid="c4"),
        conversation(uuid="c5", chat_messages=None),
    ).row
    assert (row.sessions, row.messages, row.ignored) == (2, 2, 1)
    assert [skipped.where for skipped in row.records_skipped] == [
        "record 2",
        "session c2, message 1",
        "session c2, message 2",
        "session c3",
        "session c4",
        "session c5",
    ]


def test_all_chat_messages_null(export):
    row = export(conversation(chat_messages=None), conversation(uuid="c2", chat_messages=None)).row
    assert (row.format, row.status, row.skipped_count) == ("claude_ai", "skipped", 2)


def test_odd_senders_titles_and_projects(export):
    session = export(
        conversation(said("m", "narrator", "Once"), name="", project={"name": "Book", "uuid": "p"})
    ).session
    assert (session.title, session.group) == (None, ("x", "Book"))
    assert (session.messages[0].role, session.messages[0].speaker) == ("user", "narrator")


def test_projects(export):
    project = {
        "uuid": "p1",
        "name": "Garden",
        "description": "All plants",
        "prompt_template": "Answer briefly",
        "created_at": "2025-01-01T00:00:00Z",
        "docs": [
            {
                "uuid": "d1",
                "filename": "beds.md",
                "content": "# Beds\n\nTomatoes",
                "created_at": "2025-01-02T00:00:00Z",
            },
            {"uuid": "d2", "filename": "x.txt", "content": None},
            None,
        ],
    }
    result = export(project, {"uuid": "p2", "name": "Empty", "docs": []}, name="projects.json")
    assert [(s.id, s.title, s.group, s.kind, s.at) for s in result.sessions] == [
        ("p1", "Garden", ("Garden",), "document", "2025-01-01T00:00:00+00:00"),
        ("d1", "beds.md", ("Garden",), "document", "2025-01-02T00:00:00+00:00"),
    ]
    assert [m.text for s in result.sessions for m in s.messages] == [
        "All plants\n\nAnswer briefly",
        "# Beds\n\nTomatoes",
    ]
    assert result.row.skipped_count == 2
    assert export({"uuid": "p2", "name": "Empty", "docs": []}, name="projects.json").row.status == "ingested"


def test_a_project_alone(make, read):
    project = {"uuid": "p1", "name": "Garden", "prompt_template": "", "docs": [{"filename": "a.md", "content": "A"}]}
    session = read(make({"projects/p1.json": json.dumps(project)})).session
    assert (session.id, session.title, session.group) == ("p1/1", "a.md", ("projects", "Garden"))


def test_memories(export):
    memory = {
        "account_uuid": "a1",
        "conversations_memory": "Likes tea",
        "project_memories": {"p1": "Grows tomatoes", "p2": None},
        "memory_files": [{"path": "/likes.md", "content": "tea", "updated_at": "2025-01-01T00:00:00Z"}, None],
    }
    result = export(memory, name="memories.json")
    assert [(s.id, s.kind, [(m.role, m.kind, m.text) for m in s.messages]) for s in result.sessions] == [
        ("a1/memory", "document", [("assistant", "summary", "Likes tea")]),
        ("p1/memory", "document", [("assistant", "summary", "Grows tomatoes")]),
        ("a1/likes.md", "document", [("assistant", "summary", "tea")]),
    ]


def test_companions(export):
    users = [{"uuid": "a1", "full_name": "Ann", "email_address": "a@x.org"}]
    manifest = {"created_at": "x", "data_files": [{"category": "conversations", "filename": "c.zip"}]}
    files = {
        "x/users.json": json.dumps(users),
        "x/login_history.json": "[]",
        "x/manifest-1.json": json.dumps(manifest),
    }
    result = export(conversation(said("m", "human", "hi")), **files)
    assert all(row.status == "ingested" and row.format == "claude_ai" for row in result.report.rows)
    assert len(result.report.rows) == 4


def test_chats_about_designs(make, read):
    chat = {
        "uuid": "d1",
        "title": "Header",
        "project": {"uuid": "p", "name": "Shop"},
        "created_at": "2026-04-01T10:00:00Z",
        "messages": [
            {
                "uuid": "m1",
                "role": "user",
                "created_at": "2026-04-01T10:00:01Z",
                "content": {"content": "Blue", "authorAccountUuid": "a", "authorName": "Ada", "attachments": []},
            },
            {
                "uuid": "m2",
                "role": "assistant",
                "content": {
                    "timestamp": "2026-04-01T10:00:02Z",
                    "contentBlocks": [
                        {"type": "thinking", "text": "hm"},
                        {"type": "text", "text": "Done"},
                        {"type": "tool_call", "toolCall": {"name": "write", "input": {"p": 1}, "output": "ok"}},
                        {"type": "user_interjection", "message": {"content": "Also this"}},
                        {"type": "error", "message": "stopped"},
                    ],
                },
            },
            {"uuid": "m3", "role": "user", "content": {"content": "Checked", "pill": True}},
            None,
        ],
    }
    result = read(make({"design_chats/d1.json": json.dumps(chat)}))
    assert (result.session.id, result.session.group) == ("d1", ("design_chats", "Shop"))
    assert [(m.role, m.kind, m.at, m.speaker) for m in result.session.messages] == [
        ("user", "message", "2026-04-01T10:00:01+00:00", "Ada"),
        ("assistant", "message", "2026-04-01T10:00:02+00:00", None),
        ("user", "notice", None, None),
    ]
    assert (
        result.texts[1]
        == '[thinking]\nhm\n\nDone\n\n[tool_use write] {"p":1}\n\nok\n\n[user]\nAlso this\n\n[error]\nstopped'
    )


def test_real_files(data, read):
    rows = read(data / "formats" / "claude_ai_export").report.rows
    assert {row.name: (row.sessions, row.messages, row.skipped_count) for row in rows} == {
        "ctxray_claude_chat_export.json": (2, 6, 0),
        "osteele_claude-bakery-chat.json": (1, 4, 0),
        "osteele_conversations.json": (2, 6, 0),
        "osteele_sample_history.json": (1, 6, 0),
        "snezhana_claude_export.json": (1, 4, 0),
    }


TEXT = st.text(alphabet=st.characters(), min_size=1).filter(str.strip)


@given(st.lists(st.tuples(st.sampled_from(["human", "assistant"]), TEXT, st.booleans()), min_size=1, max_size=8))
def test_messages_come_back(tmp_path_factory, turns):
    path = tmp_path_factory.mktemp("h") / "conversations.json"
    messages = [
        said(f"m{n}", sender, text, content=[] if flat else [{"type": "text", "text": text}], created_at=None)
        for n, (sender, text, flat) in enumerate(turns)
    ]
    for before, message in pairwise(messages):
        message["parent_message_uuid"] = before["uuid"]
    path.write_text(json.dumps([conversation(*messages)]))
    session = read_all(path).session
    roles = {"human": "user", "assistant": "assistant"}
    assert [(m.role, m.text, m.at) for m in session.messages] == [(roles[who], text, None) for who, text, _ in turns]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
FIELDS = ["uuid", "sender", "text", "content", "created_at", "attachments", "files", "parent_message_uuid", "model"]
ROW_FIELDS = ["uuid", "name", "created_at", "chat_messages", "current_leaf_message_uuid", "project", "summary"]


@RELAXED
@given(
    st.dictionaries(st.sampled_from(FIELDS), JSON),
    st.dictionaries(st.sampled_from(ROW_FIELDS), JSON),
    st.dictionaries(st.sampled_from(["docs", "prompt_template", "memory_files", "project_memories", "messages"]), JSON),
)
def test_any_value_anywhere(tmp_path_factory, fields, row_fields, others):
    folder = tmp_path_factory.mktemp("h")
    odd = conversation({**said("m1", "human", "x"), **fields}, said("m2", "human", "y"), uuid="odd")
    other = {"uuid": "p", "name": "n", "account_uuid": "a", "conversations_memory": "m", **others}
    rows = [conversation(said("g", "human", "good"), uuid="good"), {**odd, **row_fields}, other]
    (folder / "conversations.json").write_text(json.dumps(rows))
    (folder / "projects.json").write_text(json.dumps([other]))
    check(folder)
    assert [m.text for s in read_all(folder).sessions if s.id == "good" for m in s.messages][:1] == ["good"]


SEEDS = [
    json.dumps([conversation(*forked(("a", ROOT), ("b", "a"), ("c", "a")), current_leaf_message_uuid="b")]).encode(),
    json.dumps(
        {"uuid": "p", "name": "n", "prompt_template": "x", "docs": [{"filename": "a", "content": "b"}]}
    ).encode(),
    json.dumps([{"conversations_memory": "m", "account_uuid": "a", "project_memories": {"p": "x"}}]).encode(),
]


@RELAXED
@given(NAMES, st.sampled_from(SEEDS), st.data())
def test_damaged_files(tmp_path_factory, name, seed, data):
    place, gone = data.draw(st.integers(0, len(seed))), data.draw(st.integers(0, 20))
    new = data.draw(st.binary(max_size=8) | st.sampled_from([b"null", b"{}", b"[]", b'"', b"\n", b"\\ud800", b"-1"]))
    folder = tmp_path_factory.mktemp("h")
    (folder / name).write_bytes(seed[:place] + new + seed[place + gone :])
    check(folder)


def test_an_export_without_conversations_is_known(make, read):
    account = [{"uuid": "1", "full_name": "Ann Lee", "email_address": "ann@example.org"}]
    files = {
        "conversations.json": "[]",
        "projects.json": "[]",
        "memories.json": "[]",
        "users.json": json.dumps(account),
    }
    rows = {row.name: row for row in read(make(files)).report.rows}
    assert {row.status for row in rows.values()} == {"ingested"}
    assert {row.format for row in rows.values()} == {"claude_ai"}
    assert [rows[name].note for name in ("conversations.json", "projects.json", "memories.json")] == [
        "no conversations in it",
        "no projects in it",
        "no memories in it",
    ]
