from __future__ import annotations

import contextlib
import io
import time
import zipfile
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jam.errors import JamError

from .conftest import read_all

NAME = "WhatsApp Chat with Ann.txt"


@pytest.fixture
def messages(make, read):
    def said(text, name=NAME):
        return [m for s in read(make({name: text}) / name).sessions for m in s.messages]

    return said


@pytest.mark.parametrize(
    ("line", "at"),
    [
        ("13/12/24, 10:05 - Ann: hi", "2024-12-13T10:05"),
        ("12/13/24, 3:05 PM - Ann: hi", "2024-12-13T15:05"),
        ("13/12/2024, 3:05 pm - Ann: hi", "2024-12-13T15:05"),
        ("13.12.24, 10:05 - Ann: hi", "2024-12-13T10:05"),
        ("13-12-2024 10:05 - Ann: hi", "2024-12-13T10:05"),
        ("2024-12-13, 12:05 AM - Ann: hi", "2024-12-13T00:05"),
        ("2024/12/13, 10:05 - Ann: hi", "2024-12-13T10:05"),
        ("[13/12/2024, 12:05:09 PM] Ann: hi", "2024-12-13T12:05:09"),
        ("[13/12/2024, 12:05:09\u202fAM] Ann: hi", "2024-12-13T00:05:09"),
        ("\u200e[13.12.24, 10:05:09] Ann: hi", "2024-12-13T10:05:09"),
        ("[2024/12/13 下午3:05:09] Ann: hi", "2024-12-13T15:05:09"),
        ("2024年12月13日 下午3:05 - Ann: hi", "2024-12-13T15:05"),
        ("[2024. 12. 13. 오후 3:05:09] Ann: hi", "2024-12-13T15:05:09"),
        ("13/12/2024 9:29 p. m. - Ann: hi", "2024-12-13T21:29"),
        ("13/12/2024 12:05 a.\u00a0m. - Ann: hi", "2024-12-13T00:05"),
        ("13.12.2024 klo 10.05.09 - Ann: hi", "2024-12-13T10:05:09"),
        ("13.12.24 10:05:09: Ann: hi", "2024-12-13T10:05:09"),
        ("١٣/١٢/٢٠٢٤، ١٠:٠٥ - Ann: hi", "2024-12-13T10:05"),
        ("[١٣\u200f/١٢\u200f/٢٠٢٤، ٩:٠٥:١٠ م] Ann: hi", "2024-12-13T21:05:10"),
        ("١٣\u200f/١٢\u200f/٢٠٢٤، ٩:٠٥ م - Ann: hi", "2024-12-13T21:05"),
        ("2024. 12. 13. 오후 9:05, Ann : hi", "2024-12-13T21:05"),
        ("2024년 12월 13일 오전 12:05, Ann : hi", "2024-12-13T00:05"),
        ("2024. 12. 13. 오후 9:05 - Ann: hi", "2024-12-13T21:05"),
    ],
)
def test_date_styles(messages, line, at):
    first = messages(line + "\n")[0]
    assert (first.at, first.speaker, first.text, first.id, first.role) == (at, "Ann", "hi", None, "user")


def test_a_chat(make, read):
    text = (
        "13/12/24, 10:00 - Messages and calls are end-to-end encrypted. Tap to learn more.\n"
        "13/12/24, 10:05 - Ann Lee: Hello: you\n\nsecond paragraph\n"
        "13/12/24, 10:06 - \u202a+49 1522 1234567\u202c: <Media omitted>\n"
        '13/12/24, 10:07 - Bo changed the subject from "a" to "b: c"\n'
        "14/12/24, 00:01 - ~\u202fNia: hi \u200e<This message was edited>\n"
        "14/12/24, 00:02 - Ann Lee: This message was deleted\n"
    )
    result = read(make({f"chats/{NAME}": text.replace("\n", "\r\n")}))
    assert [(s.id, s.title, s.group) for s in result.sessions] == [
        ("whatsapp/Ann/2024-12-13", "Ann", ("chats", "Ann")),
        ("whatsapp/Ann/2024-12-14", "Ann", ("chats", "Ann")),
    ]
    assert [(m.kind, m.speaker, m.text, m.meta) for s in result.sessions for m in s.messages] == [
        ("notice", None, "Messages and calls are end-to-end encrypted. Tap to learn more.", {}),
        ("message", "Ann Lee", "Hello: you\n\nsecond paragraph", {}),
        ("message", "+49 1522 1234567", "<Media omitted>", {}),
        ("notice", None, 'Bo changed the subject from "a" to "b: c"', {}),
        ("message", "Nia", "hi", {"edited": True}),
        ("notice", "Ann Lee", "This message was deleted", {}),
    ]
    assert (result.row.format, result.row.note, result.row.skipped_count) == ("whatsapp", None, 0)


def test_notices_in_the_name_of_a_group(messages):
    text = (
        "[13/12/2024, 10:00:00] Club: \u200eMessages and calls are end-to-end encrypted.\n"
        "[13/12/2024, 10:00:01] Club: \u200eAnn created group “Club”\n"
        "[13/12/2024, 10:00:02] Ann: \u200eimage omitted\n"
        "[13/12/2024, 10:00:03] Ann: I added salt\n"
    )
    found = messages(text, "WhatsApp Chat - Club/_chat.txt")
    assert [(m.kind, m.speaker, m.text) for m in found] == [
        ("notice", None, "Messages and calls are end-to-end encrypted."),
        ("notice", None, "Ann created group “Club”"),
        ("message", "Ann", "image omitted"),
        ("message", "Ann", "I added salt"),
    ]


def days(result):
    return [session.id.rpartition("/")[2] for session in result.sessions]


@pytest.mark.parametrize(
    ("dates", "clock", "expected", "assumed"),
    [
        (["01/02/24", "13/02/24"], "10:05", ["2024-02-01", "2024-02-13"], None),
        (["01/02/24", "01/13/24"], "10:05", ["2024-01-02", "2024-01-13"], None),
        (["01/12/24", "02/01/24", "03/01/24"], "10:05", ["2024-01-12", "2024-02-01", "2024-03-01"], None),
        (["12/01/24", "01/02/24", "01/03/24"], "10:05", ["2024-01-12", "2024-02-01", "2024-03-01"], None),
        (["01/02/24"], "10:05", ["2024-02-01"], "day first"),
        (["1/2/24"], "3:05 PM", ["2024-01-02"], "month first"),
        (["01/02/2024"], "3:05 pm", ["2024-02-01"], "day first"),
        (["01.02.24"], "3:05 PM", ["2024-02-01"], "day first"),
    ],
)
def test_order_of_day_and_month(make, read, dates, clock, expected, assumed):
    result = read(make({NAME: "".join(f"{date}, {clock} - Ann: {n}\n" for n, date in enumerate(dates))}))
    assert days(result) == expected
    note = f"whether the day or the month comes first is not clear from the file: {assumed} is assumed"
    assert result.row.note == (note if assumed else None)


def test_pictures_tell_the_order(make, read):
    for day, expected in (("20240102", "2024-01-02"), ("20240201", "2024-02-01")):
        result = read(make({NAME: f"01/02/24, 10:05 - Ann: IMG-{day}-WA0001.jpg (file attached)\n"}))
        assert (days(result), result.row.note) == ([expected], None)


@pytest.mark.parametrize(
    ("name", "key", "group"),
    [
        ("WhatsApp Chat with Ann.txt", "Ann", ("Ann",)),
        ("WhatsApp Chat with Ann (1).txt", "Ann", ("Ann",)),
        ("WhatsApp Chat - Ann - work/_chat.txt", "Ann - work", ("Ann - work",)),
        ("x/WhatsApp Chat with Ann/WhatsApp Chat with Ann.txt", "Ann", ("x", "Ann")),
        ("WhatsApp Chat mit Ann.txt", "Ann", ("Ann",)),
        ("Chat de WhatsApp con Ann.txt", "Ann", ("Ann",)),
        ("Discussion WhatsApp avec Ann.txt", "Ann", ("Ann",)),
        ("Ann ile WhatsApp Sohbeti.txt", "Ann", ("Ann",)),
        ("محادثة WhatsApp مع Ann.txt", "Ann", ("Ann",)),
        ("friends/_chat.txt", "friends", ("friends",)),
        ("a/talk.txt", "a/talk", ("a", "talk")),
    ],
)
def test_names_of_chats(make, read, name, key, group):
    text = "".join(f"13/12/24, 10:0{n} - Ann: hi\n" for n in range(4))
    session = read(make({name: text})).session
    assert (session.id, session.group) == (f"whatsapp/{key}/2024-12-13", group)


def test_in_a_zip_with_media(tmp_path, read):
    text = (
        "[13/12/2024, 10:05:00] Ann: \u200e<attached: 00000001-PHOTO-2024-12-13.jpg>\n"
        "[13/12/2024, 10:06:00] Ann: IMG-1.png (file attached)\ncaption\n"
        "[13/12/2024, 10:07:00] Ann: ../secret.txt (file attached)\n"
        "[13/12/2024, 10:08:00] Ann: <adjunto: gone.opus>\n"
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("_chat.txt", text)
        archive.writestr("00000001-PHOTO-2024-12-13.jpg", b"\xff\xd8\xff")
        archive.writestr("IMG-1.png", b"\x89PNG \r\n")
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "WhatsApp Chat - Ann (2).zip").write_bytes(buffer.getvalue())
    (tmp_path / "x" / "secret.txt").write_text("no")
    session = next(s for s in read(tmp_path).sessions if s.format == "whatsapp")
    assert (session.id, session.group) == ("whatsapp/Ann/2024-12-13", ("x", "Ann"))
    assert [[a.name for a in m.attachments] for m in session.messages] == [
        ["00000001-PHOTO-2024-12-13.jpg"],
        ["IMG-1.png"],
        [],
        [],
    ]
    assert session.messages[1].text == "IMG-1.png (file attached)\ncaption"
    assert session.messages[0].attachments[0].media_type == "image/jpeg"
    alone = read(tmp_path / "x" / "WhatsApp Chat - Ann (2).zip").session
    assert (alone.id, alone.group) == ("whatsapp/Ann/2024-12-13", ("Ann",))


@pytest.mark.parametrize(
    ("name", "text", "format"),
    [
        ("a.txt", "13/12/24, 10:05 - Ann: hi\n13/12/24, 10:06 - Bo: hi\n13/12/24, 10:07 - Ann: hi\n", "whatsapp"),
        ("a.txt", "13/12/24, 10:05 - Ann: <Media omitted>\n", "whatsapp"),
        ("a.txt", "13/12/24, 10:05 - Ann: hi\n", "whatsapp"),
        ("a.md", "13/12/24, 10:05 - Ann: hi\n", "markdown"),
        ("a.txt", "2024-12-01 10:04:22 - INFO: start\n" * 5, "plain_text"),
        ("a.log", "[2024-12-01 10:04:22] local.ERROR: start\n" * 5, "plain_text"),
        ("a.txt", "[2024-12-01 10:04:22] worker: start\n" * 5, "plain_text"),
        ("a.txt", "01/12/2024 10:04:22 - app.ERROR: start\n" * 5, "plain_text"),
        ("a.txt", "Ann: hi\nBo: 13/12/24, 10:05 - Ann: hi\nAnn: oh\n", "plain_text"),
        ("a.txt", "[10:04] Ann: hi\n[10:05] Bo: hi\n[10:06] Ann: hm\n", "plain_text"),
        ("a.txt", "Notes\n13/12/24, 10:05 - Ann: hi\n", "plain_text"),
        ("a.txt", "[٣\u200f/١\u200f/٢٠٢٤، ٩:٠٥:١٠ م] علي: مرحبا\n", "whatsapp"),
        ("a.txt", "٣\u200f/١\u200f/٢٠٢٤، ٩:٠٥ م - علي: مرحبا\n", "whatsapp"),
        ("a.txt", "2024. 1. 3. 오후 9:05, 민수 : 안녕\n", "whatsapp"),
        ("a.txt", "2024-01-03 9:05, open: 3\n2024-01-03 9:06, open: 4\n2024-01-03 9:07, open: 5\n", "plain_text"),
        ("whatsapp.txt", "What I think of it.\n", "plain_text"),
    ],
)
def test_recognition(make, read, name, text, format):
    assert read(make({name: text})).row.format == format


def test_lines_that_only_look_like_a_beginning(messages):
    text = "13/12/24, 10:05 - Ann: see\n99/99/24, 10:06 - Bo: no\n13/12/24, 25:06 - Bo: no\n12/12/24: no\n"
    assert [m.text for m in messages(text)] == ["see\n99/99/24, 10:06 - Bo: no\n13/12/24, 25:06 - Bo: no\n12/12/24: no"]


def test_empty_messages_are_counted(make, read):
    result = read(make({NAME: "13/12/24, 10:05 - Ann: \n13/12/24, 10:06 - Ann:\nnext line\n"}))
    assert (result.texts, result.row.ignored) == (["\nnext line"], 1)


def test_a_byte_order_mark_and_utf_16(messages):
    line = "13/12/24, 10:05 - Änne: grüß dich\n"
    for data in (b"\xef\xbb\xbf" + line.encode(), line.encode("utf-16")):
        assert [(m.speaker, m.text) for m in messages(data)] == [("Änne", "grüß dich")]


def test_hostile_texts_end(make, read):
    began = time.monotonic()
    start = "13/12/24, 10:05 - Ann: "
    for body in (
        " " * 200_000,
        "<a:" * 60_000,
        "(" * 100_000,
        "1/1/24, " * 30_000,
        "\u200e" * 100_000,
        "x.y (" * 40_000,
    ):
        read(make({NAME: start + body + "\n" + body}))
    assert time.monotonic() - began < 10


WORDS = st.text(alphabet=st.characters(exclude_characters="\r\x00", exclude_categories=["Cs"]), min_size=1)
TEXTS = WORDS.filter(lambda t: t.strip("\u200e\u200f \n") and not t[0].isspace() and not t[-1].isspace()).filter(
    lambda t: t[0] not in "\u200e\u200f\ufeff"
)
STYLES = {
    "%d/%m/%y, %H:%M - ": "minutes",
    "[%d.%m.%Y, %H:%M:%S] ": "seconds",
    "%Y-%m-%d, %I:%M %p - ": "minutes",
    "[%m/%d/%y, %I:%M:%S\u202f%p] ": "seconds",
}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.datetimes(datetime(2010, 1, 1), datetime(2099, 1, 1)), st.sampled_from(["Ann", "+49 152 1"]), TEXTS
        ),
        min_size=1,
        max_size=10,
    ),
    st.sampled_from(list(STYLES)),
)
def test_messages_come_back(tmp_path_factory, entries, style):
    entries = sorted(entries, key=lambda entry: entry[0].date())
    entries.append((datetime(2099, 12, 31, 5, 6, 7), "Ann", "last"))
    path = tmp_path_factory.mktemp("h") / NAME
    path.write_bytes("".join(f"{at.strftime(style)}{who}: {text}\n" for at, who, text in entries).encode("utf-8"))
    expected: dict[str, list[tuple[str, str, str]]] = {}
    for at, who, text in entries:
        stamp = at.isoformat(timespec=STYLES[style])
        expected.setdefault(f"whatsapp/Ann/{at.date()}", []).append((stamp, who, text))
    assert {s.id: [(m.at, m.speaker, m.text) for m in s.messages] for s in read_all(path).sessions} == expected


SEEDS = [
    b"13/12/24, 10:05 - Ann: hi\n13/12/24, 10:06 - Bo: IMG-1.png (file attached)\nmore\n",
    "[13/12/2024, 12:05:09\u202fPM] Ann: \u200e<attached: a.png>\r\n".encode() * 3,
]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(SEEDS), st.sampled_from([NAME, "_chat.txt", "a.txt", "a"]), st.data())
def test_damaged_files(tmp_path_factory, seed, name, data):
    place, gone = data.draw(st.integers(0, len(seed))), data.draw(st.integers(0, 20))
    new = data.draw(st.binary(max_size=8) | st.sampled_from([b"99/99/99", b"\n", b"[", b"\xff\xfe", b": "]))
    folder = tmp_path_factory.mktemp("h")
    (folder / name).write_bytes(seed[:place] + new + seed[place + gone :])
    with contextlib.suppress(JamError):
        assert "reader failed" not in read_all(folder).report.render()
