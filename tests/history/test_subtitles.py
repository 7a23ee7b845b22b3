from __future__ import annotations

import contextlib
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jam.errors import JamError

from .conftest import read_all


def vtt(*cues, header="WEBVTT"):
    return f"{header}\n\n" + "".join(
        f"00:00:{n:02}.000 --> 00:00:{n + 1:02}.000\n{cue}\n\n" for n, cue in enumerate(cues)
    )


@pytest.fixture
def turns(make, read):
    def said(text, name="a.vtt"):
        return [(m.speaker, m.text) for m in read(make({name: text}) / name).session.messages]

    return said


def test_webvtt(make, read):
    text = (
        "\ufeffWEBVTT - Kick-off\nKind: captions\nLanguage: en\n\n"
        "intro\n00:01.500 --> 00:03.000 align:start\nHi &amp; hello\n\n"
        "00:00:03.000 --> 00:00:04.000\nTwo\nlines\n"
    )
    result = read(make({"x/a.vtt": text.replace("\n", "\r\n")}))
    session = result.session
    assert (session.id, session.title, session.group, session.at) == ("x/a.vtt", "Kick-off", ("x",), None)
    assert session.meta == {"kind": "captions", "language": "en"}
    assert [(m.id, m.text, m.at, m.meta) for m in session.messages] == [
        ("intro", "Hi & hello", None, {"offset": "00:01.500"}),
        (None, "Two\nlines", None, {"offset": "00:00:03.000"}),
    ]


def test_subrip(make, read):
    text = (
        "1\n00:00:00,500 --> 00:00:07,000\n<i>One</i> &amp; 2 < 3\n\n"
        "2\n00:00:07,000 --> 00:00:09,000\n{\\an8}Two\n\nstill two\n"
    )
    session = read(make({"my_talk.srt": text})).session
    assert [(m.id, m.text) for m in session.messages] == [("1", "One &amp; 2 < 3"), ("2", "Two\nstill two")]
    assert session.title == "my talk"


def test_sbv(make, read):
    text = "0:00:00.378,0:00:11.378\nBo: One\n\n0:00:11.378,0:00:12.305\nBo: Two\n"
    messages = read(make({"a.sbv": text})).session.messages
    assert [(m.speaker, m.text, m.meta["offset"]) for m in messages] == [
        ("Bo", "One", "0:00:00.378"),
        ("Bo", "Two", "0:00:11.378"),
    ]


def test_utf_16(make, read):
    assert read(make({"a.srt": "1\n00:00:00,500 --> 00:00:07,000\nПривет\n".encode("utf-16")})).texts == ["Привет"]


def test_comments_and_styles_are_ignored(make, read):
    text = (
        "WEBVTT\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:x\n\nNOTE\nby Ann\n\n"
        "00:01.000 --> 00:02.000\nOne\n\nNOTE done\n"
    )
    result = read(make({"a.vtt": text}))
    assert (result.texts, result.row.ignored, result.row.skipped_count) == (["One"], 4, 0)


def test_empty_cues_are_ignored(make, read):
    result = read(make({"a.vtt": vtt("One", "", "<c> </c>", "Four")}))
    assert (result.texts, result.row.ignored) == (["One", "Four"], 2)


def test_cues_without_a_time(make, read):
    text = "1\n00:00:00,500 --> 00:00:07,000\nOne\n\n2\nTwo\n\n3\n00:00:xx,500 --> 00:00:07,000\nThree\n"
    messages = read(make({"a.srt": text})).session.messages
    assert [(m.text, m.meta.get("offset")) for m in messages] == [
        ("One", "00:00:00,500"),
        ("Two", None),
        ("Three", None),
    ]
    text = vtt("One") + "Two\n\n00:00:09.000 --> 00:00:1d.000\nThree\n"
    assert read(make({"b.vtt": text})).sessions[1].messages[1].text == "Two"


def test_cues_without_a_blank_line_between(turns):
    assert turns("WEBVTT\n00:01.000 --> 00:02.000\nOne\n00:02.000 --> 00:03.000\nTwo\n") == [
        (None, "One"),
        (None, "Two"),
    ]
    text = "1\n00:00:01,000 --> 00:00:02,000\nOne\n2\n00:00:02,000 --> 00:00:03,000\nTwo\n"
    assert turns(text, "a.srt") == [(None, "One"), (None, "Two")]


def test_odd_times(turns):
    text = "WEBVTT\n\n0:0:0.0 --> 0:0:0.570\nOne\n\n1088:42:00.500 --> 1088:42:07.000\nTwo\n\n00:02 --> 00:03\nThree\n"
    assert [text for _, text in turns(text)] == ["One", "Two", "Three"]


def test_voices(turns):
    text = vtt(
        "<v Ann Lee>Hello.</v>", "<v.loud Bo>Hi\nthere</v>", "Noise", "<v Ann>One</v> <v Bo>Two", "<v Tom &amp; Co>\nx"
    )
    assert turns(text) == [
        ("Ann Lee", "Hello."),
        ("Bo", "Hi\nthere"),
        (None, "Noise"),
        ("Ann", "One"),
        ("Bo", "Two"),
        ("Tom & Co", "x"),
    ]


def test_names_before_the_text(turns):
    assert turns(vtt("Ann Lee: Hello: you", "bo (he): Hi", "Ann Lee: at 10:30")) == [
        ("Ann Lee", "Hello: you"),
        ("bo (he)", "Hi"),
        ("Ann Lee", "at 10:30"),
    ]


def test_names_now_and_then(turns):
    said = ["Ann: a", "b", "c", "d", "Bo: e", "f", "Ann: g", "h", "two things: x", "two things: y", "Bo: i", "Note: z"]
    speakers = [speaker for speaker, _ in turns(vtt(*said))]
    assert speakers == ["Ann", None, None, None, "Bo", None, "Ann", None, None, None, "Bo", None]


def test_one_colon_is_no_name(turns):
    assert turns(vtt("Remember: be kind", "And so on", "Yes")) == [
        (None, "Remember: be kind"),
        (None, "And so on"),
        (None, "Yes"),
    ]


def test_rolling_captions_with_timed_words(turns):
    text = vtt(
        " \nso<00:00:00.500><c> this</c>",
        "so this\n ",
        "so this\nis<00:00:02.500><c> it</c>",
        "is it\n ",
        "is it\nso<00:00:04.500><c> this</c>",
    )
    assert [text for _, text in turns(text)] == ["so this", "is it", "so this"]


def test_rolling_captions_without_timed_words(turns):
    assert [text for _, text in turns(vtt("a\nb", "b\nc", "c\nd", "d\ne"))] == ["a\nb", "c", "d", "e"]


def test_what_is_said_twice_stays(turns):
    said = ["Yes.", "Yes.", "No.", "Why?", "Why?", "So.", "Well.", "Hm.", "Ah.", "Oh."]
    assert [text for _, text in turns(vtt(*said))] == said


@pytest.mark.parametrize(
    ("name", "header", "at"),
    [
        ("2024-03-05 call.vtt", "WEBVTT", "2024-03-05"),
        ("GMT20210315-130512_Recording.transcript.vtt", "WEBVTT", "2021-03-15T13:05:12+00:00"),
        ("a.vtt", "WEBVTT\n\nNOTE Date: 2017/04/16 15:44:03", "2017-04-16T15:44:03"),
        ("2024-03-05.vtt", "WEBVTT\n\nNOTE\nRecorded on: 2024-03-04", "2024-03-04"),
        ("a.vtt", "WEBVTT\n\nNOTE Date: soon", None),
    ],
)
def test_dates(make, read, name, header, at):
    session = read(make({name: vtt("One", header=header)})).session
    assert (session.at, session.messages[0].at) == (at, None)


def test_names_of_cues_that_recur_are_no_ids(make, read):
    text = "".join(f"1\n00:00:0{n},000 --> 00:00:09,000\nyes\n\n" for n in range(3))
    messages = read(make({"a.srt": text})).session.messages
    assert [(m.id, m.text) for m in messages] == [(None, "yes")] * 3


@pytest.mark.parametrize(
    ("name", "text", "format"),
    [
        ("a.txt", vtt("One"), "subtitles"),
        ("a.txt", "1\n00:00:00,500 --> 00:00:07,000\nOne\n", "subtitles"),
        ("a.txt", "1\nOne --> two\n", "plain_text"),
        ("a.srt", "1\nsome text", "subtitles"),
        ("a.vtt", "00:00:00.500 --> 00:00:07.000\nNo mark\n", "subtitles"),
        ("a.md", "# Times\n\n1\n00:00:00,500 --> 00:00:07,000\n", "markdown"),
        ("a.srt", b"\x89PNG \x00\x01", None),
    ],
)
def test_recognition(make, read, name, text, format):
    assert read(make({name: text})).row.format == format


def test_nothing_in_it(make, read):
    assert read(make({"a.vtt": "WEBVTT\n\nNOTE nothing\n"})).row.reason == "no cues with a text in it"


def test_real_files(data, read):
    path = data / "formats" / "vtt_srt"
    if not path.exists():
        pytest.skip("no subtitles in the test data")
    result = read(path)
    for session in result.sessions:
        text = (path / session.origin).read_text("utf-8-sig")
        timings = re.findall(r"^\S+ --> \S+", text, re.MULTILINE)
        assert len(session.messages) == len(timings) + ("missing_time" in session.origin) - (
            "youtube" in session.origin
        )
        assert timings[0].split(" ")[0] == session.messages[0].meta["offset"]
    assert (len(result.sessions), result.report.messages, result.report.records_skipped) == (8, 45, 0)


@pytest.mark.parametrize(
    "text",
    [
        "<v " * 50_000,
        "<v" + " " * 100_000,
        "<c." * 50_000,
        "&" * 100_000,
        "a: " * 50_000,
        "1\n" * 50_000,
        ">" * 100_000,
    ],
)
def test_hostile_texts_end(make, read, text):
    began = time.monotonic()
    read(make({"a.vtt": vtt(text), "b.srt": text}))
    assert time.monotonic() - began < 10


WORDS = st.text(alphabet=st.characters(exclude_characters="<>&{}:：\r\n\x00", exclude_categories=["Cs"]), min_size=1)
LINES = WORDS.map(str.strip).filter(
    lambda line: line and not line.isdecimal() and not line.startswith(("NOTE", "WEBVTT"))
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 359_999_999), st.sampled_from(["Ann", "Bo Li"]), st.lists(LINES, min_size=1, max_size=3)
        ),
        min_size=1,
        max_size=12,
        unique_by=lambda cue: tuple(cue[2]),
    ),
    st.booleans(),
)
def test_cues_come_back(tmp_path_factory, cues, numbered):
    path = tmp_path_factory.mktemp("h") / "a.vtt"
    text, expected, shown = "WEBVTT\n\n", [], set()
    for number, (moment, who, lines) in enumerate(cues, 1):
        if set(lines) & shown:
            continue  # what repeats the lines of the cue before may be a rolling caption
        shown = set(lines)
        hours, rest = divmod(moment, 3_600_000)
        offset = f"{hours:02}:{rest // 60_000:02}:{rest // 1000 % 60:02}.{rest % 1000:03}"
        text += f"{number}\n" if numbered else ""
        text += f"{offset} --> 99:00:00.000\n<v {who}>" + "\n".join(lines) + "</v>\n\n"
        expected.append((str(number) if numbered else None, who, "\n".join(lines), {"offset": offset}))
    path.write_bytes(text.encode("utf-8"))
    messages = read_all(path).session.messages
    assert [(m.id, m.speaker, m.text, m.meta) for m in messages] == expected


SEEDS = [
    vtt("<v Ann>One</v>", "so<00:00:00.500><c> this</c>").encode(),
    b"1\n00:00:00,500 --> 00:00:07,000\nAnn: One\n\n",
]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(SEEDS), st.sampled_from(["a.vtt", "a.srt", "a.sbv", "a.txt"]), st.data())
def test_damaged_files(tmp_path_factory, seed, name, data):
    place, gone = data.draw(st.integers(0, len(seed))), data.draw(st.integers(0, 20))
    new = data.draw(st.binary(max_size=8) | st.sampled_from([b"-->", b"\n\n", b"<v ", b"NOTE", b"\r"]))
    folder = tmp_path_factory.mktemp("h")
    (folder / name).write_bytes(seed[:place] + new + seed[place + gone :])
    with contextlib.suppress(JamError):
        assert "reader failed" not in read_all(folder).report.render()
