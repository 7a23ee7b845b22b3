from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .conftest import read_all


def test_a_note(make, read):
    session = read(make({"notes/2024-01-02 call.txt": "First.\r\n\r\nSecond."})).session
    assert (session.id, session.kind, session.at) == ("notes/2024-01-02 call.txt", "document", "2024-01-02")
    assert (session.title, session.group) == ("call", ("notes",))
    assert [m.text for m in session.messages] == ["First.\r\n\r\nSecond."]


@pytest.mark.parametrize(
    "name", ["a.txt", "a.text", "a.log", "a.rst", "a.org", "README", ".profile", "a.py", "a.unknown"]
)
def test_names_that_are_text(make, read, name):
    assert read(make({name: "hello"})).row.format == "plain_text"


@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.yaml", "a.toml", "uv.lock", "a.svg", "a.css", "a.jsonl"])
def test_names_that_are_data(make, read, name):
    row = read(make({name: '{"hello": 1}'})).row
    assert (row.format, row.reason) == (None, "unsupported format")


def test_a_json_file_that_is_cut_says_where(make, read):
    assert read(make({"a.json": '{"messages": [{"role": "us'})).row.reason.startswith("not valid JSON: ")


def test_data_under_an_unusual_name(make, read):
    data = '{"rows": [{"name": "ls"}]}'
    folder = make({"run.dat": data, "run.txt": data, "todo": "[ ] wax\n[x] clay", "app.ini": "[main]\na = {1}\n"})
    formats = {row.name: row.format for row in read(folder).report.rows}
    assert formats == {"run.dat": None, "run.txt": "plain_text", "todo": "plain_text", "app.ini": "plain_text"}


def test_a_transcript(make, read):
    text = "Kick-off\n\nAnn: Shall we?\nBo Berg: Yes.\nAnd then:\nmore\n\nAnn: Good.\nBo Berg:\nBye.\n"
    session = read(make({"a.txt": text})).session
    assert session.kind == "conversation"
    assert [(m.speaker, m.text) for m in session.messages] == [
        (None, "Kick-off"),
        ("Ann", "Shall we?"),
        ("Bo Berg", "Yes.\nAnd then:\nmore"),
        ("Ann", "Good."),
        ("Bo Berg", "Bye."),
    ]
    assert {m.role for m in session.messages} == {"user"}


def test_diarised_speakers(make, read):
    text = "Speaker 0 (3s):\nHello there.\n\nSpeaker 1 (9s):\nHi.\n\nSpeaker 0 (1m 2s):\nSo.\n"
    messages = read(make({"a.txt": text})).session.messages
    assert [(m.speaker, m.text, m.meta) for m in messages] == [
        ("Speaker 0", "Hello there.", {"offset": "3s"}),
        ("Speaker 1", "Hi.", {"offset": "9s"}),
        ("Speaker 0", "So.", {"offset": "1m 2s"}),
    ]


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        (
            "Voice 0: 00:00:02\n\nHello.\n\nMore.\n\nAnn Lee: 00:00:09\n\nHi.\n\nVoice 0: 00:01:02\n\nSo.\n",
            [
                ("Voice 0", "Hello.\n\nMore.", "00:00:02"),
                ("Ann Lee", "Hi.", "00:00:09"),
                ("Voice 0", "So.", "00:01:02"),
            ],
        ),
        (
            "0 (0s):\nHello there.\n\n2 (16s):\nHi.\n\n0 (1m 2s):\nSo.\n",
            [("0", "Hello there.", "0s"), ("2", "Hi.", "16s"), ("0", "So.", "1m 2s")],
        ),
        (
            "Ann Lee  0:03\nHello there.\n\nBo Berg  0:09\nHi.\n\nAnn Lee  1:02\nSo.\n",
            [("Ann Lee", "Hello there.", "0:03"), ("Bo Berg", "Hi.", "0:09"), ("Ann Lee", "So.", "1:02")],
        ),
        (
            "[00:03] Ann: Hello there.\n[00:09] Bo: Hi.\n[01:02] Ann: So.\n",
            [("Ann", "Hello there.", "00:03"), ("Bo", "Hi.", "00:09"), ("Ann", "So.", "01:02")],
        ),
        (
            "12:01 <ann> Hello there.\n12:02 <@bo_> Hi.\n12:03 <ann> So.\n",
            [("ann", "Hello there.", "12:01"), ("bo_", "Hi.", "12:02"), ("ann", "So.", "12:03")],
        ),
        (
            "**Ann:** Hello there.\n\n**Bo:** Hi.\n\n**Ann**: So.\n",
            [("Ann", "Hello there.", None), ("Bo", "Hi.", None), ("Ann", "So.", None)],
        ),
    ],
)
def test_forms_of_transcripts(make, read, text, turns):
    messages = read(make({"a.txt": text})).session.messages
    assert [(m.speaker, m.text, m.meta.get("offset")) for m in messages] == turns


def test_headings_in_a_transcript(make, read):
    text = "---\ntitle: Talk\nspeakers: [Ann, Bo]\n---\n## Start\n\nAnn: 00:01\n\nHello.\n\n"
    session = read(make({"a.txt": text + "## Middle\n\nBo: 00:02\n\nHi.\n\nAnn: 00:03\n\nBye.\n"})).session
    assert (session.kind, session.title, session.meta) == ("conversation", "Talk", {"speakers": ["Ann", "Bo"]})
    assert [(m.kind, m.speaker, m.text) for m in session.messages[1:]] == [
        ("message", None, "## Start"),
        ("message", "Ann", "Hello."),
        ("notice", None, "## Middle"),
        ("message", "Bo", "Hi."),
        ("message", "Ann", "Bye."),
    ]


def test_names_in_other_scripts(make, read):
    text = "张三：你好\n李四：你好，最近怎么样？\n张三：很好\n"
    message = read(make({"a.txt": text})).session.messages[0]
    assert (message.speaker, message.text) == ("张三", "你好")


def test_chat_roles(make, read):
    roles = [m.role for m in read(make({"a.txt": "User: hi\nAssistant: hello\nuser: bye\n"})).session.messages]
    assert roles == ["user", "assistant", "user"]


@pytest.mark.parametrize(
    "text",
    [
        "INFO: a\nERROR: b\nINFO: c\nERROR: d\n",
        "name: Ann\nage: 3\nname: Bo\nage: 5\n",
        "Host: a\nPort: b\nUser-Agent: c\nAccept: d\n",
        "A note. Ann: said so.\n\nText goes on and on.\n\nAnn: yes\n",
        "https://a.org\nhttps://b.org\nhttps://c.org\n",
        "Files: a\nCopyright: b\nLicence: c\n\n" * 6,
        "Classifier: a\nClassifier: b\nRequires-Dist: c\nClassifier: d\n",
        "Tea: 08:00\nLunch: 12:00\nTea: 16:00\nLunch: 12:30\n",
    ],
)
def test_not_a_transcript(make, read, text):
    assert read(make({"a.txt": text})).session.kind == "document"


def test_headings_of_books(make, read):
    text = "CHAPTER I\n\n" + "Word after word. " * 900 + "\n\nCHAPTER II\n\n" + "More and more. " * 900 + "\n"
    titles = [session.title for session in read(make({"tale.txt": text})).sessions]
    assert titles == ["tale", "tale: CHAPTER II"]


def test_code_pages(make, read):
    assert read(make({"a.txt": "très agréable, à bientôt".encode("cp1252")})).texts == ["très agréable, à bientôt"]


def test_endless_text_is_cut_quickly(make, read):
    began = time.process_time()
    result = read(make({"a.txt": "x" * 1_000_000, "b.txt": "word " * 200_000, "c.log": "line\n" * 100_000}))
    assert time.process_time() - began < 10
    assert (
        sum(len(m.text.replace(" ", "")) for s in result.sessions for m in s.messages if s.origin == "a.txt")
        == 1_000_000
    )
    assert len(result.sessions) > 10


NAMES = st.sampled_from(["Ann", "Bo"])  # three who speak in turn, again and again, are fields of records
WORDS = st.lists(st.sampled_from(["yes", "no", "the", "kiln", "was", "hot."]), min_size=1, max_size=6).map(" ".join)


@given(st.lists(st.tuples(NAMES, WORDS), min_size=8, max_size=20).filter(lambda turns: len({n for n, _ in turns}) > 1))
def test_turns_come_back(tmp_path_factory, turns):
    path = tmp_path_factory.mktemp("h") / "a.txt"
    path.write_text("".join(f"{name}: {words}\n" for name, words in turns))
    assert [(m.speaker, m.text) for m in read_all(path).session.messages] == turns
