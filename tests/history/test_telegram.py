from __future__ import annotations

import contextlib
import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jam.errors import JamError

from .conftest import read_all

NOON = 1_709_640_000  # 2024-03-05 12:00 UTC, 14:00 in the zone of the invented exporter
NOT_INCLUDED = "(File not included. Change data exporting settings to download.)"


def row(text="hi", id=1, seconds=0, **fields):
    moment = datetime.fromtimestamp(NOON + seconds, UTC)
    times = {
        "date": (moment + timedelta(hours=2)).replace(tzinfo=None).isoformat(),
        "date_unixtime": str(NOON + seconds),
    }
    return {"id": id, "type": "message", **times, "from": "Ann", "from_id": "user1", "text": text, **fields}


def chat(*rows, **fields):
    return {"name": "Ann Lee", "type": "personal_chat", "id": 77, "messages": list(rows), **fields}


@pytest.fixture
def one(make, read):
    def single(*args, **fields):
        return read(make({"result.json": json.dumps(chat(row(*args, **fields)))})).session.messages[0]

    return single


def test_one_chat(make, read):
    rows = [row("Hello"), row("evening", 2, 9 * 3600), row("night", 3, 11 * 3600), row("later", 4, 12 * 3600)]
    result = read(make({"x/result.json": json.dumps(chat(*rows), indent=1)}))
    assert [(s.id, s.title, s.group) for s in result.sessions] == [
        ("telegram/77/2024-03-05", "Ann Lee", ("x", "Ann Lee")),
        ("telegram/77/2024-03-06", "Ann Lee", ("x", "Ann Lee")),
    ]
    assert [(m.id, m.at, m.speaker, m.text, m.role) for s in result.sessions for m in s.messages] == [
        ("1", "2024-03-05T12:00:00+00:00", "Ann", "Hello", "user"),
        ("2", "2024-03-05T21:00:00+00:00", "Ann", "evening", "user"),
        ("3", "2024-03-05T23:00:00+00:00", "Ann", "night", "user"),
        ("4", "2024-03-06T00:00:00+00:00", "Ann", "later", "user"),
    ]
    assert result.sessions[0].meta == {"chat": "77", "chat_type": "personal_chat", "read_as": "days in UTC"}
    assert (result.row.format, result.row.skipped_count) == ("telegram", 0)


def test_without_a_time_in_utc_the_day_is_that_of_the_exporting_computer(make, read):
    rows = [{key: value for key, value in row("night", 3, 11 * 3600).items() if key != "date_unixtime"}]
    session = read(make({"result.json": json.dumps(chat(*rows))})).session
    assert (session.id, session.messages[0].at) == ("telegram/77/2024-03-06", "2024-03-06T01:00:00")
    assert session.meta["read_as"] == "likely days of the exporting computer"


def test_all_chats(make, read):
    export = {
        "about": "Here is the data you requested. Remember: Telegram is ad free.",
        "personal_information": {"user_id": 5, "first_name": "Me"},
        "contacts": {"about": "x", "list": [{"first_name": "Ann"}]},
        "chats": {"about": "x", "list": [chat(row()), {"type": "saved_messages", "id": 5, "messages": [row("note")]}]},
        "left_chats": {"about": "x", "list": [chat(row("bye"), name="Old", id=8, type="private_group"), {"id": 9}]},
    }
    result = read(make({"result.json": json.dumps(export)}))
    assert [(s.id, s.title, [m.text for m in s.messages]) for s in result.sessions] == [
        ("telegram/77/2024-03-05", "Ann Lee", ["hi"]),
        ("telegram/5/2024-03-05", "Saved Messages", ["note"]),
        ("telegram/8/2024-03-05", "Old", ["bye"]),
    ]
    assert [s.where for s in result.row.records_skipped] == ["left_chats, record 2"]


def test_an_account_without_chats(make, read):
    row = read(make({"result.json": json.dumps({"about": "x", "personal_information": {}, "contacts": {}})})).row
    assert (row.status, row.format, row.messages) == ("ingested", "telegram", 0)


def test_times_without_a_zone(one):
    fields = {"date": "2024-03-05T14:00:00", "date_unixtime": None}
    assert one(**fields).at == "2024-03-05T14:00:00"
    assert one(date=None, date_unixtime=None).at is None


def test_text_in_pieces(one):
    pieces = ["See ", {"type": "bold", "text": "this"}, {"type": "text_link", "text": " page", "href": "https://a.org"}]
    message = one(pieces)
    assert (message.text, message.meta) == ("See this page", {"links": ["https://a.org"]})
    assert one(None, text_entities=[{"type": "plain", "text": "only here"}]).text == "only here"
    assert one("once", text_entities=[{"type": "plain", "text": "once"}]).text == "once"


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"photo": "photos/1.jpg"}, "[photo: photos/1.jpg]"),
        ({"photo": NOT_INCLUDED}, "[photo]"),
        ({"file": "files/a.pdf", "mime_type": "application/pdf"}, "[file: a.pdf]"),
        ({"file": NOT_INCLUDED, "file_name": "a.pdf"}, "[file: a.pdf]"),
        ({"file": NOT_INCLUDED, "media_type": "voice_message", "duration_seconds": 12}, "[voice message: 12 s]"),
        ({"file": NOT_INCLUDED, "media_type": "sticker", "sticker_emoji": "😀"}, "[sticker: 😀]"),
        ({"file": NOT_INCLUDED, "media_type": "audio_file", "performer": "P", "title": "T"}, "[audio: P, T]"),
        ({"file": NOT_INCLUDED, "media_type": "video_message", "duration_seconds": 3}, "[video message: 3 s]"),
        ({"contact_information": {"first_name": "Bo", "phone_number": "+1"}}, "[contact: Bo, +1]"),
        ({"location_information": {"latitude": 1.5, "longitude": 2}}, "[location: 1.5, 2]"),
        ({"place_name": "Café", "address": "Street 1"}, "[location: Café, Street 1]"),
        (
            {"poll": {"question": "When?", "answers": [{"text": "now"}, {"text": "later"}]}},
            "[poll: When?]\n- now\n- later",
        ),
    ],
)
def test_media(one, fields, text):
    assert one("", **fields).text == text
    assert one("caption", **fields).text == f"{text}\ncaption"


def test_saved_files_are_spilled(make, read):
    rows = [row("", photo="photos/1.jpg"), row("", 2, file="../secret.txt"), row("", 3, file="/etc/passwd")]
    folder = make({"x/result.json": json.dumps(chat(*rows)), "x/photos/1.jpg": b"\xff\xd8\xff", "secret.txt": "no"})
    session = next(s for s in read(folder).sessions if s.format == "telegram")
    assert [[(a.name, a.media_type) for a in m.attachments] for m in session.messages] == [
        [("1.jpg", "image/jpeg")],
        [],
        [],
    ]


def test_events(one):
    fields = {"type": "service", "actor": "Ann", "actor_id": "user1", "from": None, "from_id": None}
    invited = one("", action="invite_members", members=["Bo", None, "Cleo"], **fields)
    assert (invited.kind, invited.speaker, invited.text) == ("notice", "Ann", "[invite_members] Bo, Cleo")
    assert one("", action="phone_call", duration_seconds=35, **fields).text == "[phone_call] 35 s"
    assert one("", action="pin_message", message_id=4, **fields).text == "[pin_message]"
    assert one("", action="edit_group_title", title="New", **fields).text == "[edit_group_title] New"


def test_what_else_is_said(one):
    fields = {
        "edited": "2024-03-05T14:09:00",
        "edited_unixtime": str(NOON + 540),
        "reply_to_message_id": 4,
        "forwarded_from": None,
        "via_bot": "@gif",
        "reactions": [{"type": "emoji", "emoji": "👍", "count": 2}],
    }
    assert one(**fields).meta == {
        "edited": "2024-03-05T12:09:00+00:00",
        "reply_to": "4",
        "forwarded_from": "?",
        "via_bot": "@gif",
        "reactions": {"👍": 2},
    }
    assert one(edited="1970-01-01T01:00:00").meta == {}
    assert one(edited="2024-03-05T14:09:00").meta == {"edited": "2024-03-05T14:09:00"}


def test_deleted_accounts(one):
    assert one(**{"from": None}).speaker == "user1"
    assert one(**{"from": None, "from_id": None}).speaker is None


def test_noise_and_odd_rows(make, read):
    rows = [row(), {"id": 2, "type": "unsupported"}, row("", 3), 5, {}, None, row("last", 4)]
    found = read(make({"result.json": json.dumps(chat(*rows))})).row
    assert (found.messages, found.ignored, found.skipped_count) == (2, 2, 3)
    assert found.records_skipped[0].where == "record 4"


def test_a_chat_without_id_or_name(make, read):
    session = read(make({"x/result.json": json.dumps({"messages": [row()]})})).session
    assert (session.id, session.title) == ("telegram/x/result/2024-03-05", "result")


def test_a_cut_file_keeps_what_came_before(make, read):
    text = json.dumps(chat(row("a"), row("b", 2), row("c", 3)))
    result = read(make({"result.json": text[:-60]}))
    assert (result.texts, result.row.skipped_count) == (["a", "b"], 1)


@pytest.mark.parametrize(
    "content",
    [
        {"messages": [{"id": 1, "type": "message", "text": "x"}]},
        {"chats": [{"id": 1, "messages": []}]},
        {"messages": [{"role": "user", "type": "message", "content": "x"}]},
        {"guild": {}, "channel": {}, "messages": [{"id": "1", "type": "Default", "timestamp": "2024-01-01"}]},
        {"contacts": {}, "sessions": {}},
    ],
)
def test_other_files_are_not_taken(make, read, content):
    assert read(make({"result.json": json.dumps(content)})).row.format != "telegram"


TEXT = st.text(alphabet=st.characters(), min_size=1).filter(str.strip)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(-40_000_000, 40_000_000), st.sampled_from(["Ann", None]), TEXT, st.booleans()),
        min_size=1,
        max_size=12,
    ),
    st.booleans(),
)
def test_messages_come_back(tmp_path_factory, entries, whole_account):
    rows, expected = [], {}
    for number, (seconds, who, text, in_pieces) in enumerate(entries):
        pieces = [text[:1], {"type": "bold", "text": text[1:]}]
        rows.append(row(pieces if in_pieces else text, number, seconds, **{"from": who}))
        at = datetime.fromtimestamp(NOON + seconds, UTC)
        day = at.date()
        found = (str(number), at.isoformat(), who or "user1", text)
        expected.setdefault(f"telegram/77/{day}", []).append(found)
    path = tmp_path_factory.mktemp("h") / "result.json"
    path.write_text(json.dumps({"chats": {"list": [chat(*rows)]}} if whole_account else chat(*rows)))
    sessions = read_all(path).sessions
    assert {s.id: [(m.id, m.at, m.speaker, m.text) for m in s.messages] for s in sessions} == expected


KEYS = st.sampled_from(["text", "type", "list", "id", "question", "answers", "count", "emoji"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner),
    max_leaves=8,
)
FIELDS = (
    "id type date date_unixtime from from_id text text_entities photo file media_type duration_seconds poll reactions "
    "contact_information location_information place_name edited reply_to_message_id forwarded_from action members"
).split()


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.dictionaries(st.sampled_from(FIELDS), VALUES), st.dictionaries(st.sampled_from(["name", "id", "type"]), VALUES)
)
def test_any_value_in_any_field(tmp_path_factory, fields, head):
    path = tmp_path_factory.mktemp("h") / "result.json"
    path.write_text(json.dumps(chat(row("before"), row("odd", 2) | fields, row("after", 3)) | head))
    result = read_all(path)
    texts = [m.text for s in result.sessions for m in s.messages]
    assert {"before", "after"} <= set(texts)
    assert "reader failed" not in result.report.render()


SEEDS = [
    json.dumps(chat(row(), row(["a", {"type": "bold", "text": "b"}], 2))).encode(),
    json.dumps({"about": "Telegram", "personal_information": {}, "chats": {"list": [chat(row())]}}, indent=1).encode(),
]


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.sampled_from(SEEDS), st.sampled_from(["result.json", "a.txt"]), st.data())
def test_damaged_files(tmp_path_factory, seed, name, data):
    place, gone = data.draw(st.integers(0, len(seed))), data.draw(st.integers(0, 20))
    new = data.draw(st.binary(max_size=8) | st.sampled_from([b"null", b"{}", b"[]", b'"', b"\\ud800", b"-1"]))
    folder = tmp_path_factory.mktemp("h")
    (folder / name).write_bytes(seed[:place] + new + seed[place + gone :])
    with contextlib.suppress(JamError):
        assert "reader failed" not in read_all(folder).report.render()
