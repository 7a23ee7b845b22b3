from __future__ import annotations

import io
import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .conftest import read_all
from .test_robustness import NAMES, RELAXED, check

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


def said(role, *parts, at=None, **more):
    message = {"author": {"role": role}, "content": {"content_type": "text", "parts": list(parts)}, "create_time": at}
    return {**message, **more}


def chain(*messages, **more):
    """A conversation without forks."""
    mapping = {"root": {"id": "root", "message": None, "parent": None, "children": ["n1"] if messages else []}}
    for number, message in enumerate(messages, 1):
        parent = f"n{number - 1}" if number > 1 else "root"
        children = [f"n{number + 1}"] if number < len(messages) else []
        mapping[f"n{number}"] = {"id": f"n{number}", "message": message, "parent": parent, "children": children}
    return {"conversation_id": "c1", "title": "T", "create_time": 1700000000.5, "mapping": mapping, **more}


@pytest.fixture
def export(make, read):
    """Read conversations written as an export, with other files beside it."""

    def one(*conversations, name="x/conversations.json", **files):
        return read(make({name: json.dumps(list(conversations)), **files}))

    return one


@pytest.fixture
def message(export):
    """The second message of a conversation, as it is read."""

    def one(message, **files):
        result = export(chain(said("user", "first"), message), **files)
        return next(s for s in result.sessions if s.id == "c1").messages[1]

    return one


def test_a_conversation(export):
    conversation = chain(
        said("user", "hi", at=1700000001, id="m1"),
        said("assistant", "hello", at=1700000002.25, id="m2", metadata={"model_slug": "gpt-4o"}),
        update_time=1700000003,
        default_model_slug="gpt-4o",
        is_archived=True,
    )
    session = export(conversation).session
    assert (session.id, session.title, session.at) == ("c1", "T", "2023-11-14T22:13:20.500000+00:00")
    assert (session.format, session.group, session.origin) == ("chatgpt", ("x",), "x/conversations.json")
    assert session.meta == {"model": "gpt-4o", "updated": "2023-11-14T22:13:23+00:00", "archived": True}
    assert [(m.id, m.role, m.text, m.at, m.thread) for m in session.messages] == [
        ("m1", "user", "hi", "2023-11-14T22:13:21+00:00", None),
        ("m2", "assistant", "hello", "2023-11-14T22:13:22.250000+00:00", None),
    ]
    assert session.messages[1].meta == {"model": "gpt-4o"}


FORK = {
    "r": {"parent": None, "children": ["a"], "message": None},
    "a": {"parent": "r", "children": ["b", "d"], "message": said("user", "a", at=1)},
    "b": {"parent": "a", "children": ["c"], "message": said("assistant", "b", at=2)},
    "c": {"parent": "b", "children": [], "message": said("user", "c", at=3)},
    "d": {"parent": "a", "children": ["e", "f"], "message": said("assistant", "d", at=4)},
    "e": {"parent": "d", "children": [], "message": said("user", "e", at=5)},
    "f": {"parent": "d", "children": [], "message": said("user", "f", at=6)},
}


@pytest.mark.parametrize(
    ("current", "expected"),
    [
        ("c", [("a", None), ("b", None), ("c", None), ("d", "branch-1"), ("f", "branch-1"), ("e", "branch-2")]),
        ("e", [("a", None), ("d", None), ("e", None), ("b", "branch-1"), ("c", "branch-1"), ("f", "branch-2")]),
        (None, [("a", None), ("d", None), ("f", None), ("b", "branch-1"), ("c", "branch-1"), ("e", "branch-2")]),
    ],
)
def test_branches(export, current, expected):
    session = export({"id": "c", "mapping": FORK, "current_node": current}).session
    assert [(m.text, m.thread) for m in session.messages] == expected


def test_nodes_without_links_follow_one_another(export):
    mapping = {f"n{n}": {"message": said("user", str(n))} for n in range(3)}
    assert export({"id": "c", "mapping": mapping}).texts == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("wrapped", "name", "ids"),
    [
        (lambda c: [c, {**c, "conversation_id": "c2"}], "conversations-000.json", ["c1", "c2"]),
        (lambda c: c, "one chat.json", ["c1"]),
        (lambda c: {"conversations": [c]}, "a.json", ["c1"]),
        (lambda c: [{**c, "conversation_id": None, "id": None}], "a.json", ["a.json#1"]),
        (lambda c: {"mapping": c["mapping"]}, "a.json", ["a.json"]),
        (lambda c: [{"id": "x", "linear_conversation": list(c["mapping"].values())}], "a.json", ["x"]),
        (lambda c: [{"id": "x", "mapping": list(c["mapping"].values())}], "a.json", ["x"]),
        (lambda c: [{"id": "x", "messages": [said("user", "hi")]}], "a.json", ["x"]),
    ],
)
def test_shapes(make, read, wrapped, name, ids):
    result = read(make({name: json.dumps(wrapped(chain(said("user", "hi"))))}))
    assert [session.id for session in result.sessions] == ids
    assert all([m.text for m in s.messages] == ["hi"] and s.format == "chatgpt" for s in result.sessions)


def test_json_lines(make, read):
    lines = "".join(json.dumps(chain(said("user", "hi"), conversation_id=f"c{n}")) + "\n" for n in range(3))
    assert [s.id for s in read(make({"a.jsonl": lines})).sessions] == ["c0", "c1", "c2"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (1700000000, "2023-11-14T22:13:20+00:00"),
        (1700000000.123456, "2023-11-14T22:13:20.123456+00:00"),
        ("2024-05-06T07:08:09Z", "2024-05-06T07:08:09+00:00"),
        ("1700000000", "2023-11-14T22:13:20+00:00"),
        ({}, None),
        ("yesterday", None),
    ],
)
def test_times(message, value, expected):
    assert message(said("assistant", "x", create_time=value)).at == expected


def content(kind, **fields):
    return {"author": {"role": "assistant"}, "content": {"content_type": kind, **fields}}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (content("multimodal_text", parts=["a", {"content_type": "text", "text": "b"}]), ("message", "a\n\nb")),
        ({"author": {"role": "user"}, "content": {"parts": ["no type"]}}, ("message", "no type")),
        ({"author": {"role": "user"}, "content": "a text"}, ("message", "a text")),
        (content("code", language="python", text="print(1)"), ("message", "print(1)")),
        (
            {**content("code", language="python", text="print(1)"), "recipient": "python"},
            ("tool_call", "[tool_use python] print(1)"),
        ),
        (
            {**said("assistant", '{"prompt":"a cat"}'), "recipient": "dalle.text2im"},
            ("tool_call", '[tool_use dalle.text2im] {"prompt":"a cat"}'),
        ),
        ({**said("assistant", "hm"), "channel": "analysis"}, ("thinking", "hm")),
        (
            content("thoughts", thoughts=[{"summary": "Plan", "content": "First"}, "and", 5]),
            ("thinking", "Plan\nFirst\n\nand"),
        ),
        (content("reasoning_recap", content="Thought for 9s"), ("thinking", "Thought for 9s")),
        (content("execution_output", text="1"), ("message", "1")),
        (content("tether_quote", title="T", url="https://x.org", text="q"), ("message", "T\nhttps://x.org\nq")),
        (content("tether_browsing_display", result="r", summary="", assets=None), ("message", "r")),
        (content("system_error", name="Timeout", text="late"), ("notice", "Timeout\nlate")),
        (content("user_editable_context", user_profile="p", user_instructions="i"), ("notice", "p\ni")),
        (content("model_editable_context", model_set_context="m"), ("notice", "m")),
        (content("new_thing", widget={"a": 1}), ("message", '{"content_type":"new_thing","widget":{"a":1}}')),
        (content("new_thing", text="t", widget={"a": 1}), ("message", "t")),
        (
            content(
                "multimodal_text", parts=[{"content_type": "audio_transcription", "text": "said", "direction": "in"}]
            ),
            ("message", "said"),
        ),
        (
            {**said("user", "hidden"), "metadata": {"is_visually_hidden_from_conversation": True}},
            ("notice", "hidden"),
        ),
        (
            {**said("system", ""), "metadata": {"user_context_message_data": {"about_user_message": "I am Ann"}}},
            ("message", "I am Ann"),
        ),
    ],
)
def test_contents(message, given, expected):
    found = message(given)
    assert (found.kind, found.text) == expected


def test_tools_and_names(message):
    found = message({**content("execution_output", text="1"), "author": {"role": "tool", "name": "python"}})
    assert (found.role, found.kind, found.speaker) == ("tool", "tool_result", "python")
    assert message({"content": {"parts": ["x"]}, "metadata": {"model_slug": "m"}}).role == "assistant"
    assert message({"content": {"parts": ["x"]}}).role == "user"
    found = message({"author": {"role": "critic"}, "content": {"parts": ["x"]}})
    assert (found.role, found.speaker) == ("user", "critic")


def test_what_says_nothing_is_counted(export):
    empty = [said("system", ""), content("tether_browsing_display", result="", summary="", assets=None), said("user")]
    nothing = [{"author": {"role": "user"}, "content": None}, {"author": None}, content("thoughts", thoughts=[])]
    row = export(chain(said("user", "hi"), *empty, *nothing)).row
    assert (row.messages, row.ignored, row.skipped_count) == (1, 6, 0)


def test_sources_of_an_answer_are_kept(message):
    metadata = {
        "citations": [{"metadata": {"title": "A", "url": "https://a.org"}}],
        "content_references": [{"items": [{"url": "https://b.org"}, {"url": "https://a.org"}]}, 5],
    }
    found = message({**said("assistant", "x"), "metadata": metadata})
    assert found.meta["sources"] == [{"title": "A", "url": "https://a.org"}, {"url": "https://b.org"}]


def test_projects_are_groups(export):
    session = export(chain(said("user", "x"), conversation_template_id="g-p-1", gizmo_id="g-p-1")).session
    assert session.group == ("x", "g-p-1")
    assert session.meta["gizmo_id"] == "g-p-1"
    assert export(chain(said("user", "x"), gizmo_id="g-2"), name="y.json").sessions[-1].group == ()


def picture(pointer, **more):
    return content(
        "multimodal_text", parts=[{"content_type": "image_asset_pointer", "asset_pointer": pointer, **more}, "see"]
    )


@pytest.mark.parametrize(
    ("pointer", "path"),
    [
        ("file-service://file-AbCdEf123", "x/file-AbCdEf123-photo.png"),
        ("file-service://file-AbCdEf123", "x/dalle-generations/file-AbCdEf123-1234.png"),
        ("sediment://file_00000000aa", "x/file_00000000aa-sanitized.png"),
        ("sediment://file_00000000aa", "x/user-9/file_00000000aa-1.png"),
        ("sediment://file_00000000aa", "x/c1/audio/file_00000000aa.png"),
        ("sediment://file_00000000aa", "x/file_00000000aa.dat"),
    ],
)
def test_pictures_of_the_export(make, read, pointer, path):
    files = {
        "x/conversations.json": json.dumps([chain(said("user", "first"), picture(pointer))]),
        "x/user.json": json.dumps({"id": "user-9", "email": "e@x.org"}),
        path: PNG,
    }
    result = read(make(files))
    found = result.session.messages[1]
    assert found.text == "[image: image/png, 28 bytes]\n\nsee"
    assert found.attachments[0].media_type == "image/png"
    assert list(result.spilled.values()) == [PNG]
    assert {row.name: (row.status, row.sessions) for row in result.report.rows} == {
        "x/conversations.json": ("ingested", 1),
        "x/user.json": ("ingested", 0),
        path: ("ingested", 0),
    }


def test_pictures_in_an_archive(make, read):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(
            "conversations.json", json.dumps([chain(said("user", "x"), picture("sediment://file_00aa11bb"))])
        )
        archive.writestr("dalle-generations/file_00aa11bb-1.png", PNG)
        archive.writestr("chat.html", "<html></html>")
    result = read(make({"export.zip": packed.getvalue()}))
    assert result.session.messages[1].text.startswith("[image: image/png, 28 bytes]")
    assert result.session.group == ("export",)
    assert all(row.status == "ingested" for row in result.report.rows)


def test_files_that_are_not_in_the_export_are_named(message):
    assert message(picture("sediment://file_404404")).text == "[image: sediment://file_404404]\n\nsee"
    prompted = picture("sediment://file_404404", metadata={"dalle": {"prompt": "a cat"}})
    assert message(prompted).text == "[image: sediment://file_404404]\n\n[prompt: a cat]\n\nsee"
    uploaded = {**said("user", "read this"), "metadata": {"attachments": [{"id": "file-1", "name": "plan.pdf"}]}}
    assert message(uploaded).text == "[file: plan.pdf]\n\nread this"
    recording = content(
        "multimodal_text",
        parts=[
            {
                "content_type": "real_time_user_audio_video_asset_pointer",
                "audio_asset_pointer": {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://file_7"},
                "frames_asset_pointers": [],
            }
        ],
    )
    assert message(recording).text == "[audio: sediment://file_7]"


def test_an_upload_that_is_shown_is_not_named_twice(message):
    shown = picture("file-service://file-AbCdEf123")
    shown["metadata"] = {
        "attachments": [{"id": "file-AbCdEf123", "name": "photo.png"}, {"id": "file-2", "name": "b.txt"}]
    }
    assert message(shown).text == "[file: b.txt]\n\n[image: file-service://file-AbCdEf123]\n\nsee"


def test_the_other_files_of_an_export(export, make, read):
    names = "chat.html user.json user_settings.json message_feedback.json model_comparisons.json shopping.json"
    files = {f"x/{name}": "[{}]" for name in names.split()}
    result = export(chain(said("user", "hi")), **files)
    assert all(row.status == "ingested" for row in result.report.rows)
    assert len(result.report.rows) == 7
    alone = read(make({"other/user.json": "{}"}))
    assert next(row for row in alone.report.rows if row.name == "other/user.json").status == "skipped"


def test_group_chats(export):
    chats = {
        "chats": [
            {
                "id": "g1",
                "name": "Trip",
                "created_at": "2025-11-14T10:00:00+00:00",
                "messages": [
                    {"id": "m1", "role": "user", "text": "hi", "created_at": "2025-11-14T10:01:00+00:00"},
                    {"id": "m2", "role": "assistant", "text": "hello"},
                    {"role": "user", "text": None},
                    7,
                ],
            }
        ]
    }
    result = export(chain(said("user", "hi")), **{"x/group_chats.json": json.dumps(chats)})
    session = next(session for session in result.sessions if session.id == "g1")
    assert (session.title, session.at) == ("Trip", "2025-11-14T10:00:00+00:00")
    assert [(m.role, m.text) for m in session.messages] == [("user", "hi"), ("assistant", "hello")]
    row = next(row for row in result.report.rows if row.name == "x/group_chats.json")
    assert [skipped.where for skipped in row.records_skipped] == ["session g1, message 4"]


def test_bad_records_cost_themselves_only(export):
    bad_node = chain(said("user", "hi"), conversation_id="c2")
    bad_node["mapping"]["n2"] = 5
    bad_node["mapping"]["n3"] = {"message": "text", "parent": "n1"}
    row = export(chain(said("user", "hi")), 5, None, {"title": None}, bad_node, chain(conversation_id="c3")).row
    assert (row.sessions, row.messages) == (2, 2)
    assert [skipped.where for skipped in row.records_skipped] == [
        "record 2",
        "record 3",
        "record 4",
        "session c2, message 3",
        "session c2, message 4",
        "session c3",
    ]


def test_null_titles_and_missing_times(export):
    conversation = {**chain(said("user", "hi")), "title": None, "create_time": None}
    session = export(conversation).session
    assert (session.title, session.at, session.started) == (None, None, None)


def test_a_conversation_that_stands_there_twice(export):
    row = export(chain(said("user", "hi")), chain(said("user", "hi"))).row
    assert (row.sessions, row.messages, row.ignored, row.skipped_count) == (1, 1, 1, 0)


def test_a_cut_file_keeps_what_came_before(make, read):
    text = json.dumps([chain(said("user", "hi"), conversation_id=f"c{n}") for n in range(3)])
    row = read(make({"conversations.json": text[:-200]})).row
    assert (row.status, row.sessions) == ("ingested", 2)
    assert row.skipped_count == 1


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-8"])
def test_encodings_and_surrogates(make, read, encoding):
    text = json.dumps([chain(said("user", "héllo \ud800 日本"))])
    assert read(make({"conversations.json": text.encode(encoding)})).texts == ["héllo \ud800 日本"]


def test_deep_nesting_is_skipped(export):
    deep = json.loads("[" * 400 + "]" * 400)
    check_row = export(chain(said("user", "hi"), content("x", widget=deep))).row
    assert check_row.messages + check_row.skipped_count == 2


def test_real_files(data, read):
    folder = data / "formats" / "chatgpt_export"
    counts = {row.name: (row.sessions, row.messages, row.skipped_count) for row in read(folder).report.rows}
    assert counts == {
        "ctxray_conversations.json": (2, 7, 0),
        "mitkury_example-conversation.json": (1, 5, 0),
        "snezhana_chatgpt_export.json": (2, 6, 0),
    }


TEXT = st.text(alphabet=st.characters(), min_size=1).filter(str.strip)
TURNS = st.lists(
    st.tuples(st.sampled_from(["user", "assistant", "system"]), TEXT, st.none() | st.integers(10**9, 2 * 10**9)),
    min_size=1,
    max_size=8,
)


@given(st.lists(TURNS, min_size=1, max_size=3), st.booleans())
def test_conversations_come_back(tmp_path_factory, conversations, is_marked):
    path = tmp_path_factory.mktemp("h") / "conversations.json"
    written = [
        chain(
            *(said(role, text, at=at) for role, text, at in turns),
            conversation_id=f"c{number}",
            current_node=f"n{len(turns)}" if is_marked else None,
        )
        for number, turns in enumerate(conversations)
    ]
    path.write_text(json.dumps(written))
    result = read_all(path)
    assert [s.id for s in result.sessions] == [f"c{n}" for n in range(len(conversations))]
    assert [[(m.role, m.text) for m in s.messages] for s in result.sessions] == [
        [(role, text) for role, text, _ in turns] for turns in conversations
    ]
    assert [[m.at is None for m in s.messages] for s in result.sessions] == [
        [at is None for *_, at in turns] for turns in conversations
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
FIELDS = ["id", "author", "create_time", "content", "metadata", "recipient", "channel", "status"]
NODE_FIELDS = ["id", "message", "parent", "children"]
ROW_FIELDS = ["conversation_id", "title", "create_time", "mapping", "current_node", "update_time", "gizmo_id"]


@RELAXED
@given(
    st.dictionaries(st.sampled_from(FIELDS), JSON),
    st.dictionaries(st.sampled_from(NODE_FIELDS), JSON),
    st.dictionaries(st.sampled_from(ROW_FIELDS), JSON),
    st.sampled_from(["text", "code", "thoughts", "multimodal_text", "tether_quote", "user_editable_context", "?"]),
    st.dictionaries(st.sampled_from(["parts", "text", "thoughts", "result", "asset_pointer"]), JSON),
)
def test_any_value_anywhere(tmp_path_factory, fields, node_fields, row_fields, kind, content_fields):
    folder = tmp_path_factory.mktemp("h")
    odd = {**said("user", "x"), "content": {"content_type": kind, **content_fields}, **fields}
    conversation = chain(said("user", "hi"), odd, conversation_id="odd")
    conversation["mapping"]["n2"].update(node_fields)
    good = chain(said("user", "good"), conversation_id="good")
    (folder / "conversations.json").write_text(
        json.dumps([good, {**conversation, **row_fields}, {**good, "id": "last"}])
    )
    check(folder)
    result = read_all(folder)
    assert [m.text for s in result.sessions if s.id == "good" for m in s.messages][:1] == ["good"]


SEEDS = [
    json.dumps([{"id": "c", "title": "t", "create_time": 1.5, "current_node": "c", "mapping": FORK}]).encode(),
    json.dumps(chain(said("user", "x"), picture("sediment://file_1")), indent=1).encode(),
]


@RELAXED
@given(NAMES, st.sampled_from(SEEDS), st.data())
def test_damaged_files(tmp_path_factory, name, seed, data):
    place, gone = data.draw(st.integers(0, len(seed))), data.draw(st.integers(0, 20))
    new = data.draw(st.binary(max_size=8) | st.sampled_from([b"null", b"{}", b"[]", b'"', b"\n", b"\\ud800", b"-1"]))
    folder = tmp_path_factory.mktemp("h")
    (folder / name).write_bytes(seed[:place] + new + seed[place + gone :])
    check(folder)


@pytest.mark.parametrize("text", ["[]", " [\n]\n", '{"conversations": []}'])
@pytest.mark.parametrize("name", ["conversations.json", "export/conversations-000.json"])
def test_an_export_without_conversations_is_known(make, read, name, text):
    row = read(make({name: text})).row
    assert (row.status, row.format, row.sessions, row.note) == ("ingested", "chatgpt", 0, "no conversations in it")


def test_a_cut_export_is_not_an_empty_one(make, read):
    assert read(make({"conversations.json": "["})).row.status == "skipped"
