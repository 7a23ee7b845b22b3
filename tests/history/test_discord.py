from __future__ import annotations

import contextlib
import csv
import io
import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jam.errors import JamError

from .conftest import read_all

ANN = {"id": "11", "name": "ann", "discriminator": "0000", "nickname": "Annie", "isBot": False}


def row(content="hi", id="1", **fields):
    at = "2024-03-05T12:00:00.5+02:00"
    empty = {"attachments": [], "embeds": [], "stickers": [], "reactions": [], "mentions": []}
    return {"id": id, "type": "Default", "timestamp": at, "content": content, "author": ANN, **empty, **fields}


def export(*rows, **head):
    described = {
        "guild": {"id": "5", "name": "Club"},
        "channel": {"id": "77", "type": "GuildTextChat", "category": "Talk", "name": "general", "topic": "All"},
        "dateRange": {"after": None, "before": None},
    }
    return {**described, **head, "messages": list(rows), "messageCount": len(rows)}


@pytest.fixture
def one(make, read):
    def single(*args, **fields):
        return read(make({"a.json": json.dumps(export(row(*args, **fields)))})).session.messages[0]

    return single


def test_a_channel(make, read):
    rows = [row("Hello"), row("late", "2", timestamp="2024-03-05T23:30:00+02:00")]
    rows.append(row("next", "3", timestamp="2024-03-06T02:30:00+02:00", timestampEdited="2024-03-06T02:31:00+02:00"))
    result = read(make({"x/Club - Talk - general [77].json": json.dumps(export(*rows), indent=2)}))
    assert [(s.id, s.title, s.group) for s in result.sessions] == [
        ("discord/77/2024-03-05", "#general", ("x", "Club", "Talk", "general")),
        ("discord/77/2024-03-06", "#general", ("x", "Club", "Talk", "general")),
    ]
    assert [(m.id, m.at, m.speaker, m.text, m.role, m.meta) for s in result.sessions for m in s.messages] == [
        ("1", "2024-03-05T12:00:00.5+02:00", "Annie", "Hello", "user", {}),
        ("2", "2024-03-05T23:30:00+02:00", "Annie", "late", "user", {}),
        ("3", "2024-03-06T02:30:00+02:00", "Annie", "next", "user", {"edited": "2024-03-06T02:31:00+02:00"}),
    ]
    facts = {"channel": "77", "server": "Club", "topic": "All", "read_as": "days in UTC"}
    assert result.sessions[0].meta == facts
    assert (result.row.format, result.row.skipped_count) == ("discord", 0)


def test_partitions_are_one_session(make, read):
    files = {
        "a.json": json.dumps(export(row("one"))),
        "a [part 2].json": json.dumps(export(row("two", "2"))),
        "a [part 3].json": json.dumps(export()),
    }
    result = read(make(files))
    assert {s.id for s in result.sessions} == {"discord/77/2024-03-05"}
    assert {r.format for r in result.report.rows} == {"discord"}


def test_messages_between_people(make, read):
    head = {
        "guild": {"id": "0", "name": "Direct Messages"},
        "channel": {"id": "9", "type": "DirectTextChat", "name": "bo"},
    }
    session = read(make({"a.json": json.dumps(export(row(), **head))})).session
    assert (session.title, session.group) == ("bo", ("Direct Messages", "bo"))


def test_what_a_message_holds(one):
    fields = {
        "attachments": [{"url": "https://cdn.example/a.png?x=1", "fileName": "a.png"}],
        "stickers": [{"name": "wave"}],
        "mentions": [{"id": "12", "name": "bo", "nickname": "Bo"}],
        "reactions": [{"emoji": {"name": "👍"}, "count": 2}],
    }
    message = one("hi <@!12> <@99>", **fields)
    assert message.text == "hi @Bo <@99>\n[file: a.png]\n[sticker: wave]"
    assert (message.attachments, message.meta) == ((), {"reactions": {"👍": 2}})


def test_embeds(one):
    embed = {
        "title": "Build",
        "description": "failed",
        "author": {"name": "CI"},
        "fields": [{"name": "branch", "value": "main"}],
        "footer": {"text": "now"},
    }
    said = "CI\nBuild\nfailed\nbranch: main\nnow"
    assert one("", embeds=[embed]).text == said
    assert one("look", embeds=[embed]).text == "look"
    bot = one("look", embeds=[embed], author={**ANN, "isBot": True})
    assert (bot.text, bot.meta, bot.role) == (f"look\n{said}", {"bot": True}, "user")
    assert one("", embeds=[{"title": "", "url": "https://a.org/x.gif"}]).text == "[embed: https://a.org/x.gif]"


def test_saved_files_are_spilled(make, read):
    attachments = [{"url": f"a.json_Files{mark}x-1.png", "fileName": "x.png"} for mark in "/\\"]
    attachments += [{"url": "../secret.txt", "fileName": "s"}, {"url": "C:\\secret.txt", "fileName": "t"}]
    folder = make(
        {"a.json": json.dumps(export(row("", attachments=attachments))), "a.json_Files/x-1.png": b"\x89PNG \r"}
    )
    message = next(s for s in read(folder).sessions if s.format == "discord").messages[0]
    assert message.text == "[file: x.png]\n[file: x.png]\n[file: s]\n[file: t]"
    assert [a.name for a in message.attachments] == ["x-1.png", "x-1.png"]


@pytest.mark.parametrize(
    ("kind", "content", "expected"),
    [
        ("Reply", "yes", ("message", "yes")),
        ("20", "done", ("message", "done")),
        (19, "done", ("message", "done")),
        (None, "x", ("message", "x")),
        ("GuildMemberJoin", "Joined the server.", ("notice", "Joined the server.")),
        ("ChannelPinnedMessage", "", ("notice", "[ChannelPinnedMessage]")),
    ],
)
def test_kinds(one, kind, content, expected):
    message = one(content, type=kind)
    assert (message.kind, message.text) == expected


def test_replies_and_forwards(one):
    assert one(type="Reply", reference={"messageId": "5", "channelId": "77"}).meta == {"reply_to": "5"}
    forward = one("", reference={"type": "Forward", "messageId": "5"}, forwardedMessage={"content": "news"})
    assert (forward.text, forward.meta) == ("[forwarded]\nnews", {})


@pytest.mark.parametrize(
    ("author", "speaker"),
    [({**ANN, "nickname": None}, "ann"), ({"id": "4"}, "4"), (None, None), ("ann", None)],
)
def test_speakers(one, author, speaker):
    assert one(author=author).speaker == speaker


def test_noise_and_odd_rows(make, read):
    rows = [row(), row("", "2"), 5, {}, None, row("last", "4", timestamp="soon")]
    result = read(make({"a.json": json.dumps(export(*rows))}))
    assert (result.row.messages, result.row.ignored, result.row.skipped_count) == (2, 1, 3)
    assert [(s.id, s.messages[0].at) for s in result.sessions][1] == ("discord/77", None)


def test_a_cut_file_keeps_what_came_before(make, read):
    text = json.dumps(export(row("a"), row("b", "2"), row("c", "3")))
    result = read(make({"a.json": text[:-80]}))
    assert (result.texts, result.row.skipped_count) == (["a", "b"], 1)


PACKAGE = [
    {"ID": 1, "Timestamp": "2024-03-05 12:00:00", "Contents": "hi", "Attachments": ""},
    {"ID": "2", "Timestamp": "2024-03-06 12:00:00.5+00:00", "Contents": "", "Attachments": "https://a.org/x.png?y=1"},
    {"ID": 3, "Timestamp": "2024-03-06 12:00:01", "Contents": "", "Attachments": ""},
]


def columns(rows):
    out = io.StringIO()
    writer = csv.DictWriter(out, list(PACKAGE[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "content"), [("messages.json", json.dumps(PACKAGE)), ("messages.csv", columns(PACKAGE))]
)
def test_data_packages(make, read, name, content):
    files = {
        f"messages/c77/{name}": content,
        "messages/c77/channel.json": json.dumps({"id": "77", "type": 0, "name": "general", "guild": {"name": "Club"}}),
        "messages/c8/messages.json": "[]",
        "messages/c8/channel.json": json.dumps({"id": "8", "type": 1, "recipients": ["11", "12"]}),
        "messages/index.json": json.dumps({"77": "general in Club", "8": None}),
        "account/user.json": json.dumps({"id": "11", "username": "ann", "global_name": "Ann", "relationships": []}),
    }
    result = read(make(files))
    assert [(s.id, s.title, s.group) for s in result.sessions] == [
        ("discord/77/2024-03-05", "#general", ("messages", "Club", "general")),
        ("discord/77/2024-03-06", "#general", ("messages", "Club", "general")),
    ]
    assert [(m.id, m.at, m.speaker, m.text) for s in result.sessions for m in s.messages] == [
        ("1", "2024-03-05T12:00:00", "Ann", "hi"),
        ("2", "2024-03-06T12:00:00.5+00:00", "Ann", "[file: x.png]"),
    ]
    assert (result.report.skipped, result.report.ignored) == (0, 1)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("channel.json", {"id": 1, "type": 2}),
        ("a.json", {"messages": [{"role": "user", "content": "x"}], "channel": {}, "guild": None}),
        ("messages/index.json", {"a": "b"}),
        ("messages.json", []),
        ("user.json", {"id": 1, "username": "ann"}),
    ],
)
def test_other_files_are_not_taken(make, read, name, content):
    assert read(make({name: json.dumps(content)})).row.format != "discord"


TEXT = st.text(alphabet=st.characters(exclude_characters="<"), min_size=1).filter(str.strip)
ZONES = st.integers(-12, 12).map(lambda hours: timezone(timedelta(hours=hours)))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.datetimes(datetime(2016, 1, 1), timezones=ZONES), TEXT), min_size=1, max_size=12))
def test_messages_come_back(tmp_path_factory, entries):
    rows, expected = [], {}
    for number, (at, text) in enumerate(entries):
        rows.append(row(text, str(number), timestamp=at.isoformat()))
        expected.setdefault(f"discord/77/{at.astimezone(UTC).date()}", []).append((str(number), at.isoformat(), text))
    path = tmp_path_factory.mktemp("h") / "a.json"
    path.write_text(json.dumps(export(*rows)))
    sessions = read_all(path).sessions
    assert {s.id: [(m.id, m.at, m.text) for m in s.messages] for s in sessions} == expected


KEYS = st.sampled_from(["text", "name", "url", "id", "fields", "emoji", "count", "content", "messageId"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner),
    max_leaves=8,
)
FIELDS = (
    "id type timestamp timestampEdited content author attachments embeds stickers reactions mentions reference "
    "forwardedMessage interaction poll ID Timestamp Contents Attachments"
).split()
HEADS = st.dictionaries(st.sampled_from(["guild", "channel"]), st.dictionaries(KEYS | st.just("type"), VALUES))


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.dictionaries(st.sampled_from(FIELDS), VALUES), HEADS, st.booleans())
def test_any_value_in_any_field(tmp_path_factory, fields, head, packaged):
    path = tmp_path_factory.mktemp("h") / "a.json"
    rows = (
        [PACKAGE[0], PACKAGE[0] | fields, PACKAGE[0]] if packaged else [row(), row("odd", "2") | fields, row("z", "3")]
    )
    path.write_text(json.dumps(rows if packaged else export(*rows, **head)))
    result = read_all(path)
    texts = [m.text for s in result.sessions for m in s.messages]
    assert "hi" in texts
    assert packaged or "z" in texts
    assert "reader failed" not in result.report.render()


SEEDS = [json.dumps(export(row(), row("b", "2"))).encode(), json.dumps(PACKAGE).encode(), columns(PACKAGE).encode()]


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.sampled_from(SEEDS), st.sampled_from(["a.json", "messages.csv", "a.txt"]), st.data())
def test_damaged_files(tmp_path_factory, seed, name, data):
    place, gone = data.draw(st.integers(0, len(seed))), data.draw(st.integers(0, 20))
    new = data.draw(st.binary(max_size=8) | st.sampled_from([b"null", b"{}", b"[]", b'"', b"\\ud800", b"-1", b"\0"]))
    folder = tmp_path_factory.mktemp("h")
    (folder / name).write_bytes(seed[:place] + new + seed[place + gone :])
    with contextlib.suppress(JamError):
        assert "reader failed" not in read_all(folder).report.render()
