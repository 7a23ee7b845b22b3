from __future__ import annotations

import contextlib
import io
import json
import zipfile
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jam.errors import JamError

from .conftest import read_all

USERS = [
    {"id": "U1", "name": "ann", "real_name": "Ann Lee", "profile": {"display_name": "Annie", "real_name": "Ann Lee"}},
    {"id": "U2", "name": "bo", "profile": {"display_name": "", "real_name": "Bo Berg &amp; Co"}},
    {"id": "U3", "name": "robot", "profile": {"real_name": "Robot", "bot_id": "B3"}},
]
CHANNELS = [{"id": "C1", "name": "general", "members": ["U1", "U2"]}]
DMS = [{"id": "D1", "created": 1, "members": ["U1", "U2"]}]
MPIMS = [{"id": "G9", "name": "mpdm-ann--bo--robot-1", "members": ["U1", "U2", "U3"]}]
DAY = "general/2024-03-05.json"
NOON = 1_709_640_000  # 2024-03-05 12:00 UTC


def ts(seconds=0, micro=0):
    return f"{NOON + seconds}.{micro:06}"


def row(text="hi", user="U1", stamp=None, **fields):
    return {"type": "message", "user": user, "text": text, "ts": stamp or ts(), **fields}


def export(*rows, day=DAY, **files):
    lists = {"users.json": USERS, "channels.json": CHANNELS, "dms.json": DMS, "mpims.json": MPIMS, day: list(rows)}
    return {name: json.dumps(value) for name, value in {**lists, **files}.items()}


def day_row(result, name=DAY):
    return next(row for row in result.report.rows if row.name == name)


@pytest.fixture
def one(make, read):
    def single(*args, **fields):
        return read(make(export(row(*args, **fields)))).session.messages[0]

    return single


def test_a_day(make, read):
    rows = [row("Hello <@U2>", stamp=ts(0, 200)), row("Hi &lt;b&gt; &amp;amp;", "U2", ts(5)), row("?", "U9", ts(6))]
    result = read(make(export(*rows)))
    session = result.session
    assert (session.id, session.title, session.group) == ("slack/C1/2024-03-05", "#general", ("general",))
    assert [(m.id, m.at, m.speaker, m.text) for m in session.messages] == [
        (ts(0, 200), "2024-03-05T12:00:00.000200+00:00", "Annie", "Hello @Bo Berg & Co"),
        (ts(5), "2024-03-05T12:00:05+00:00", "Bo Berg & Co", "Hi <b> &amp;"),
        (ts(6), "2024-03-05T12:00:06+00:00", "U9", "?"),
    ]
    assert {m.role for m in session.messages} == {"user"}
    assert all(r.status == "ingested" and r.format == "slack" for r in result.report.rows)


def test_companions_hold_no_messages(make, read):
    files = export(row())
    files |= dict.fromkeys(("groups.json", "integration_logs.json", "canvases.json", "general/2024-03-06.json"), "[]")
    files["integration_logs.json"] = json.dumps([{"user_id": "U1", "user_name": "ann", "change_type": "added"}])
    report = read(make(files)).report
    assert (report.skipped, report.ingested, report.messages) == (0, 9, 1)


def test_other_files_of_these_names_are_not_taken(make, read):
    files = {"users.json": '[{"id": 1, "email": "x"}]', "2024-03-05.json": '[{"steps": 5}]', "lists.json": "[1]"}
    assert {r.format for r in read(make(files)).report.rows} == {None}


def test_replies_join_the_day_of_their_root(make, read):
    root, late = ts(0), ts(13 * 3600)
    files = export(
        row("root", stamp=root, thread_ts=root, reply_count=1),
        row("now", stamp=ts(1)),
        **{"general/2024-03-06.json": [row("later", "U2", late, thread_ts=root), row("new", stamp=ts(13 * 3600 + 1))]},
    )
    sessions = read(make(files)).sessions
    assert [(s.id, [m.text for m in s.messages]) for s in sessions] == [
        ("slack/C1/2024-03-05", ["root", "now"]),
        ("slack/C1/2024-03-05", ["later"]),
        ("slack/C1/2024-03-06", ["new"]),
    ]
    later = sessions[1].messages[0]
    assert (later.at, later.thread, later.meta) == ("2024-03-06T01:00:00+00:00", None, {"reply_to": root})


def test_file_names_are_not_utc_days(make, read):
    assert read(make(export(row(), day="general/2024-03-04.json"))).session.id == "slack/C1/2024-03-05"


def test_in_a_zip(tmp_path, read):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in export(row("hi <@U1>")).items():
            archive.writestr(name, content)
    (tmp_path / "team export.zip").write_bytes(buffer.getvalue())
    session = read(tmp_path).session
    assert (session.id, session.group) == ("slack/C1/2024-03-05", ("team export", "general"))
    assert session.messages[0].text == "hi @Annie"
    assert read(tmp_path / "team export.zip").session == session


@pytest.mark.parametrize(
    ("folder", "session_id", "title"),
    [
        ("D1", "slack/D1/2024-03-05", "Annie, Bo Berg & Co"),
        ("mpdm-ann--bo--robot-1", "slack/G9/2024-03-05", "Annie, Bo Berg & Co, Robot"),
        ("mpdm-ann--cleo-1", "slack/mpdm-ann--cleo-1/2024-03-05", "ann, cleo"),
        ("random", "slack/random/2024-03-05", "#random"),
        ("D0123456789", "slack/D0123456789/2024-03-05", "D0123456789"),
        ("C1", "slack/C1/2024-03-05", "#general"),
    ],
)
def test_conversations(make, read, folder, session_id, title):
    session = read(make(export(row(), day=f"{folder}/2024-03-05.json"))).session
    assert (session.id, session.title) == (session_id, title)


def test_two_exports_without_lists_stay_apart(make, read):
    files = {f"{team}/general/2024-03-05.json": json.dumps([row()]) for team in ("a", "b")}
    assert [s.id for s in read(make(files)).sessions] == [
        "slack/a/general/2024-03-05",
        "slack/b/general/2024-03-05",
    ]


@pytest.mark.parametrize(
    ("fields", "speaker"),
    [
        ({"user": "U9", "user_profile": {"display_name": "", "real_name": "Nia"}}, "Nia"),
        ({"user": None, "subtype": "bot_message", "username": "deploy", "bot_id": "B1"}, "deploy"),
        ({"user": None, "subtype": "bot_message", "bot_id": "B3"}, "Robot"),
        ({"user": None, "bot_id": "B7"}, "B7"),
        ({"user": None, "bot_id": "B7", "bot_profile": {"name": "Cal"}}, "Cal"),
        ({"user": "U3", "bot_id": "B3", "bot_profile": {"name": "Cal"}}, "Robot"),
        ({"user": {"id": 1}}, None),
    ],
)
def test_speakers(one, fields, speaker):
    message = one(**fields)
    assert (message.speaker, message.role, message.kind) == (speaker, "user", "message")


@pytest.mark.parametrize("subtype", ["channel_join", "channel_topic", "tombstone", "pinned_item", "huddle_thread"])
def test_notices(one, subtype):
    message = one("<@U1> did so", subtype=subtype)
    assert (message.kind, message.text, message.meta) == ("notice", "@Annie did so", {"subtype": subtype})
    assert one(None, subtype=subtype).text == f"[{subtype}]"


def test_what_was_said_is_no_notice(one):
    assert {one(subtype=s).kind for s in ("thread_broadcast", "me_message", "file_share")} == {"message"}


def test_text_stays_as_written(one):
    text = "<#C1|general> <https://a.org?x=1&amp;y|label> <!here> <@W77> *b*\nnext"
    assert one(text).text == text.replace("&amp;", "&")
    assert one("<@U77|nia>").text == "@nia"


def test_edits_and_reactions(one):
    fields = {"edited": {"user": "U1", "ts": ts(9)}, "reactions": [{"name": "+1", "users": ["U2"], "count": 1}, 3]}
    assert one(**fields).meta == {"edited": "2024-03-05T12:00:09+00:00", "reactions": {"+1": 1}}


def test_text_of_blocks_and_attachments(one):
    section = {"type": "section", "text": {"type": "mrkdwn", "text": "A &lt; B"}, "fields": [{"text": "F"}]}
    parts = [
        {"type": "text", "text": "1 &lt; 2 "},
        {"type": "user", "user_id": "U1"},
        {"type": "emoji", "name": "wave"},
        {"type": "link", "url": "https://a.org"},
    ]
    rich = {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": parts}]}
    items = [{"type": "rich_text_section", "elements": [{"type": "text", "text": t}]} for t in "ab"]
    listed = {"type": "rich_text", "elements": [{"type": "rich_text_list", "elements": items}]}
    blocks = [section, {"type": "divider"}, rich, listed, {"type": "image", "alt_text": "plan"}]
    assert one("", blocks=blocks).text == ("A < B\nF\n1 &lt; 2 @Annie:wave:<https://a.org>\n• a\n• b\n[image: plan]")
    assert one("said", blocks=blocks).text == "said"
    assert one("This content can't be displayed.", blocks=[section]).text == "A < B\nF"
    attachments = [
        {"title": "Build", "text": "failed", "fields": [{"title": "branch", "value": "main"}]},
        {"fallback": "x"},
    ]
    assert one("", attachments=attachments).text == "Build\nfailed\nbranch: main\nx"


def test_files(make, read):
    files = [
        {"id": "F1", "name": "plan &amp; map.pdf"},
        {"id": "F2", "mode": "tombstone"},
        {"id": "F3", "mode": "hidden_by_limit"},
        {"id": "F4", "name": "../../etc/passwd"},
        {"id": "F5", "name": "a.png"},
    ]
    folder = make(export(row("see", files=files)) | {"general/attachments/F5-a.png": b"\x89PNG \r\n"})
    result = read(folder)
    message = result.session.messages[0]
    assert message.text == (
        "see\n[file: plan & map.pdf]\n[file: deleted]\n[file: not in the export]\n"
        "[file: ../../etc/passwd]\n[file: a.png]"
    )
    assert [(a.name, a.media_type) for a in message.attachments] == [("F5-a.png", "image/png")]
    assert list(result.spilled.values()) == [b"\x89PNG \r\n"]


def test_noise_is_counted_and_odd_rows_are_skipped(make, read):
    rows = [row(), row(hidden=True), row(subtype="message_changed"), row("", stamp=ts(1)), 5, {}, None, {"x": 1}]
    result = read(make(export(*rows, row("last", stamp=ts(2)))))
    found = day_row(result)
    assert (found.messages, found.ignored, found.skipped_count) == (2, 3, 4)
    assert [s.where for s in found.records_skipped] == ["record 5", "record 6", "record 7", "record 8"]


def test_messages_without_a_time(make, read):
    session = read(make(export(row(), {"type": "message", "text": "lost", "ts": "soon"}))).session
    assert (session.messages[1].text, session.messages[1].at, session.messages[1].id) == ("lost", None, None)


def test_a_saved_channel_in_one_file(make, read):
    reply = row("reply", stamp=ts(5), thread_ts=ts())
    saved = {"channel_id": "C1", "messages": [row("root", thread_ts=ts(), slackdump_thread_replies=[reply])]}
    session = read(make({"C1.json": json.dumps(saved), "users.json": json.dumps(USERS)})).session
    assert [(m.text, m.speaker) for m in session.messages] == [("root", "Annie"), ("reply", "Annie")]


def test_a_message_that_stands_twice(make, read):
    found = day_row(read(make(export(row(), row(), row("other")))))
    assert (found.messages, found.ignored) == (2, 1)


def test_a_damaged_list_of_people(make, read):
    result = read(make(export(row("<@U1>")) | {"users.json": '[{"id": "U1", '}))
    assert [(m.speaker, m.text) for s in result.sessions for m in s.messages] == [("U1", "<@U1>")]


def test_lists_are_read_once(make, read, monkeypatch):
    from jam.history.readers.people.slack import directory as slack_directory

    real, names = slack_directory.read_json, []
    monkeypatch.setattr(slack_directory, "read_json", lambda file: (names.append(file.name), real(file))[1])
    days = {f"general/2024-04-{n:02}.json": [row(stamp=ts(n))] for n in range(1, 20)}
    assert len(read(make(export(row(), **days))).sessions) == 20
    assert len(names) <= 4


TEXT = st.text(alphabet=st.characters(exclude_characters="<>&"), min_size=1).filter(str.strip)
MOMENTS = st.integers(1_000_000_000, 2_000_000_000)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(MOMENTS, st.integers(0, 999_999), st.sampled_from(["U1", "U2", "U9", None]), TEXT, st.booleans()),
        min_size=1,
        max_size=12,
        unique_by=lambda entry: entry[:2],
    )
)
def test_messages_come_back(tmp_path_factory, entries):
    folder = tmp_path_factory.mktemp("h")
    rows, expected = [], {}
    for second, micro, user, text, threaded in entries:
        stamp = f"{second}.{micro:06}"
        root = rows[0]["ts"] if threaded and rows else stamp
        rows.append({"type": "message", "ts": stamp, "user": user, "text": text, "thread_ts": root})
        day = datetime.fromtimestamp(int(root.split(".")[0]), UTC).date()
        moment = datetime.fromtimestamp(second, UTC).replace(microsecond=micro).isoformat()
        expected.setdefault(f"slack/C1/{day}", []).append((stamp, moment, text))
    for name, content in export(*rows).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content)
    sessions = read_all(folder).sessions
    assert {s.id: [(m.id, m.at, m.text) for m in s.messages] for s in sessions} == expected


KEYS = st.sampled_from(["text", "type", "elements", "name", "ts", "id", "fields"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["text", "type", "elements", "name"]), inner)
    ),
    max_leaves=8,
)
FIELDS = (
    "type ts user text subtype thread_ts edited files file blocks attachments reactions user_profile bot_id "
    "bot_profile username hidden slackdump_thread_replies"
).split()


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.dictionaries(st.sampled_from(FIELDS), VALUES), VALUES)
def test_any_value_in_any_field(tmp_path_factory, fields, user):
    folder = tmp_path_factory.mktemp("h")
    (folder / "general").mkdir()
    (folder / DAY).write_text(json.dumps([row("before"), row("odd", stamp=ts(1)) | fields, row("after", stamp=ts(2))]))
    (folder / "users.json").write_text(json.dumps([*USERS, {"id": "U7", "profile": user}, {"id": user}, user]))
    result = read_all(folder)
    texts = [m.text for s in result.sessions for m in s.messages]
    assert texts[0] == "before"
    assert "after" in texts
    assert "reader failed" not in result.report.render()


SEEDS = [export(row(), row("two", stamp=ts(3), thread_ts=ts()))[DAY].encode(), json.dumps(USERS).encode()]


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.sampled_from(SEEDS), st.sampled_from([DAY, "users.json", "a.json"]), st.data())
def test_damaged_files(tmp_path_factory, seed, name, data):
    place, gone = data.draw(st.integers(0, len(seed))), data.draw(st.integers(0, 20))
    new = data.draw(st.binary(max_size=8) | st.sampled_from([b"null", b"{}", b"[]", b'"', b"\\ud800", b"-1"]))
    folder = tmp_path_factory.mktemp("h")
    (folder / "general").mkdir()
    (folder / name).write_bytes(seed[:place] + new + seed[place + gone :])
    with contextlib.suppress(JamError):
        assert "reader failed" not in read_all(folder).report.render()


def test_deep_nesting_is_skipped(make, read):
    deep = {"type": "text", "text": "x"}
    for _ in range(400):
        deep = {"type": "rich_text_section", "elements": [deep]}
    rows = [row(), row("", stamp=ts(1), blocks=[{"type": "rich_text", "elements": [deep]}]), row("c", stamp=ts(2))]
    assert day_row(read(make(export(*rows)))).messages >= 2
