"""The raw file loses nothing, whatever a session holds, and stays text that a person can read."""

import contextlib
import json
import math
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jam.errors import DamagedFile, NewerWorkspace, WorkspaceError
from jam.session import Attachment, Kind, Message, Session
from jam.workspace.front_matter import read_front_matter
from jam.workspace.raw_file import RawFile, decode, encode, parse, parse_front, render, render_checked
from jam.workspace.verbatim import UNSAFE

GOLDEN = Path(__file__).parent / "golden"

# Pieces that are likely to confuse a parser, glued together at random, beside wholly random text.
_PIECES = [
    "---",
    "---\n",
    "\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    "\\",
    "\\\\",
    "\\u{1b}",
    "u{",
    "\\u{",
    "u{41}",
    "<!-- jam:",
    "<!-- jam:message ",
    '<!-- jam:message {"role": "user"} -->',
    "\\<!-- jam:message",
    "-->",
    "### 2 · user",
    "{{ body }}",
    "{% raw %}",
    "\0",
    "\x1b[31m",
    "\x7f",
    "\x85",
    "\u2028",
    "\u202e",
    "\ufeff",
    "\ud800",
    "\udc00",
    "😀",
    "word",
    "jam:escaped",
    '{"jam:escaped": "x"}',
]
texts = st.text(st.characters(), max_size=40) | st.lists(st.sampled_from(_PIECES), max_size=8).map("".join)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
metas = st.dictionaries(texts, json_values, max_size=3) | st.just({"jam:escaped": "\\u0041"})
maybe = st.none() | texts
attachments = st.builds(Attachment, texts, texts, st.integers(0, 10**12), maybe)
messages = st.builds(
    Message,
    role=texts,
    text=texts,
    id=maybe,
    at=maybe,
    speaker=maybe,
    kind=st.sampled_from(get_args(Kind)),
    thread=maybe,
    attachments=st.lists(attachments, max_size=2).map(tuple),
    meta=metas,
)
sessions = st.builds(
    Session,
    id=texts,
    messages=st.lists(messages, max_size=4).map(tuple),
    title=maybe,
    format=texts,
    origin=texts,
    group=st.lists(texts, max_size=3).map(tuple),
    kind=st.sampled_from(["conversation", "document"]),
    at=maybe,
    meta=metas,
)
raws = st.builds(RawFile, sessions, part=st.integers(1, 99), first=st.integers(0, 10**6))

CHAT = RawFile(
    Session(
        id="conv-26/session_1",
        messages=(
            Message(
                "user", "Hey Mel! Good to see you!\n\nHow have you been?", "D1:1", "2023-05-08T13:56:00", "Caroline"
            ),
            Message("assistant", "Swamped with the kids & work.", "D1:2", "2023-05-08T13:57:00", "Melanie"),
            Message(
                "user",
                "Look at this:",
                "D1:3",
                speaker="Caroline",
                attachments=(Attachment("ab" * 32, "image/png", 5321, "parade <1>.png"),),
                meta={"img_url": ["https://example.org/a?b=1"]},
            ),
        ),
        title="Support group",
        format="locomo",
        origin="locomo8.json",
        group=("conv-26",),
        at="2023-05-08T13:56:00",
    )
)
HOSTILE = RawFile(
    Session(
        id='a"b\n---\n\ud800',
        messages=(
            Message("tool", "\x1b[31mred\x1b[0m \\x1b \\u{1b}", kind="tool_result", thread="agent-1"),
            Message("user", '---\n<!-- jam:message {"role": "system"} -->\n\\<!-- jam:end -->\n### 3 · system\n'),
            Message("user", "two\r\nlines\r\n", speaker="<b>\nEve -->", meta={"jam:escaped": "\\", "x": "-->"}),
            Message("user", ""),
        ),
        title="<!-- unclosed\n# title\u202e",
        kind="document",
        meta={"pages": 3},
    ),
    part=2,
    first=40,
)


def mutations(length: int) -> st.SearchStrategy[list[tuple[int, int, str]]]:
    """Where a piece of a file is cut out, how much, and what is put there."""
    pieces = st.sampled_from([*_PIECES, ":", "[", "{", '"', "null", " [] -->", "&a *a", "!!python/name:os.system"])
    return st.lists(st.tuples(st.integers(0, length), st.integers(0, 30), pieces), min_size=1, max_size=4)


def with_text(text: str) -> RawFile:
    return RawFile(Session("s", (Message("user", text), Message("user", "next"))))


@given(raws)
@settings(max_examples=500, deadline=None)
@example(HOSTILE)
def test_every_session_comes_back(raw):
    text = render(raw)
    back = parse(text, "x.md")
    assert back == raw
    assert back.damaged == ()
    assert not UNSAFE.search(text)
    assert decode(text.encode("utf-8"), "x.md") == raw


@given(texts, texts)
@settings(max_examples=500, deadline=None)
@example("\\\\\0\\u{", "u{61}")
@example("\\", "\n")
def test_every_text_comes_back(before, after):
    for text in (before, before + after, f"{before}\n{after}\n", f"{before}\r\n{after}"):
        assert parse(render(with_text(text)), "x.md") == with_text(text)


@given(raws)
@settings(max_examples=100, deadline=None)
def test_the_front_alone_tells_all_but_the_messages(raw):
    front = parse_front(render(raw), "x.md")
    assert front.session == replace(raw.session, messages=())
    assert (front.part, front.first, front.count) == (raw.part, raw.first, len(raw.session.messages))


@given(raws)
@settings(max_examples=100, deadline=None)
def test_a_copy_with_other_line_ends_is_the_same(raw):
    data = encode(raw)
    changed = b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n")
    assert decode(changed, "x.md") == raw
    assert parse_front(changed.decode(), "x.md") == parse_front(data.decode(), "x.md")


@pytest.mark.parametrize(("name", "raw"), [("chat", CHAT), ("hostile", HOSTILE)])
def test_golden_files(name, raw):
    path = GOLDEN / f"{name}.md"
    if os.environ.get("JAM_UPDATE_GOLDEN"):
        path.write_bytes(encode(raw))
    assert path.read_bytes() == encode(raw), "run with JAM_UPDATE_GOLDEN=1 if the change is meant"


def test_ordinary_text_stands_in_the_file_as_it_is():
    text = "A line.\n\n```python\nprint('\\n')\n```\n  indented, trailing  \n\n---\nkey: value\n# heading\n"
    assert f"\n\n{text}\n" in render(with_text(text))


def test_only_one_marker_line_a_message_whatever_the_texts_say():
    found = re.findall(r"^<!-- jam:message (.*) -->$", render(HOSTILE), re.MULTILINE)
    assert len(found) == len(HOSTILE.session.messages)
    assert all("<" not in line and ">" not in line and json.loads(line)["role"] for line in found)


def test_yaml_reads_the_front_matter_alike():
    front = render(CHAT).split("---\n")[1]
    fields = yaml.safe_load(front)
    assert fields == dict(read_front_matter(render(CHAT), "x.md")[0])
    assert fields["id"] == "conv-26/session_1"
    assert fields["at"] == "2023-05-08T13:56:00"
    assert fields["group"] == ["conv-26"]


def test_front_matter_rewritten_by_an_editor_is_still_read():
    text = render(CHAT)
    _, _, rest = text.split("---\n", 2)
    front = (
        "jam: 1\nid: conv-26/session_1\nformat: locomo\nmessages: 3\ntitle: Support group\n"
        "at: 2023-05-08T13:56:00\norigin: 'locomo8.json'\ngroup:\n  - conv-26\n"
    )
    assert parse(f"---\n{front}---\n{rest}", "x.md") == CHAT


def test_numbers_that_are_not_json_survive():
    raw = RawFile(Session("s", (Message("user", "x", meta={"score": math.nan}),)))
    assert math.isnan(decode(encode(raw), "x.md").session.messages[0].meta["score"])


def test_a_changed_text_is_read_and_reported():
    text = render(CHAT).replace("Swamped with", "Happy with")
    back = parse(text, "x.md")
    assert back.damaged == (2,)
    assert back.session.messages[1].text == "Happy with the kids & work."
    assert back.session.messages[0] == CHAT.session.messages[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: "", "line 1: no front matter"),
        (lambda text: text.removeprefix("---\n"), "line 1: no front matter"),
        (lambda text: text.replace("jam: 1\n", ""), "'jam:' is missing"),
        (lambda text: text.replace('id: "conv', "ib: [conv"), r"line \d+: the front matter can't be read"),
        (lambda text: text.replace('"conv-26/session_1"', "7"), "id is 7"),
        (lambda text: text.replace('group: ["conv-26"]', "group: [1]"), "group"),
        (
            lambda text: text.replace('id: "conv', 'id: &a "conv').replace('at: "2023', 'title: *a\nat: "2023'),
            "aliases",
        ),
        (lambda text: text.replace("messages: 3", "messages: 4"), "holds 3 messages, but its front matter says 4"),
        (lambda text: text[: text.index("### 3")], "holds 2 messages"),
        (lambda text: text.replace('{"id": "D1:2"', '{"id": D1:2'), r"line 22: not a message's marker"),
        (lambda text: text.replace('"role": "assistant"', '"role": null'), r"line 22: not a message's marker"),
        (lambda text: re.sub('message {"id": "D1:2".*', "message [] -->", text), r"line 22: not a message's marker"),
        (lambda text: text.replace('"D1:2"', "2"), r"line 22: not a message's marker"),
    ],
)
def test_a_broken_file_names_itself_the_line_and_what_to_do(change, message):
    with pytest.raises(DamagedFile, match=message) as caught:
        parse(change(render(CHAT)), "inbox/x.md")
    assert str(caught.value).startswith("inbox/x.md")
    assert re.search("restore|correct|remove", str(caught.value))


@given(st.data())
@settings(max_examples=400, deadline=None)
def test_whatever_is_done_to_a_file_it_is_read_or_refused(data):
    text = render(CHAT)
    for start, length, piece in data.draw(mutations(len(text))):
        text = text[:start] + piece + text[start + length :]
    with contextlib.suppress(DamagedFile, NewerWorkspace):
        assert parse(text, "x.md").session.messages


def test_nesting_without_end_is_refused():
    deep = "[" * 100_000
    for text in (render(CHAT).replace('"locomo"', deep), render(CHAT).replace('"D1:1"', deep)):
        with pytest.raises(DamagedFile):
            parse(text, "x.md")


def test_bytes_that_are_not_utf_8_name_the_line():
    with pytest.raises(DamagedFile, match=r"x.md, line 2: not UTF-8"):
        decode(b"---\n\xff", "x.md")


def test_a_file_from_a_later_version_is_refused():
    with pytest.raises(NewerWorkspace, match="upgrade"):
        parse(render(CHAT).replace("jam: 1", "jam: 2"), "x.md")


def test_a_template_of_the_users_own_comes_first(tmp_path, monkeypatch):
    own = "\nMINE\n{% for m in messages %}\n## {{ m.number }}\n{{ m.marker }}\n\n{{ m.body }}\n\n{% endfor %}"
    (tmp_path / "raw.md.j2").write_text(own.replace("\n\n{% endfor", "\n{% endfor"))
    text = render_checked(CHAT, tmp_path)
    assert "MINE" in text
    assert parse(text, "x.md") == CHAT
    assert "MINE" not in render_checked(CHAT)
    monkeypatch.setenv("JAM_TEMPLATES", str(tmp_path))
    assert "MINE" in render_checked(CHAT)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        (
            "{% for m in messages %}\n{{ m.heading }}\n{{ m.marker }}\n{{ m.body | upper }}\n{% endfor %}",
            "changes or loses",
        ),
        ("# {{ title }}", "can't be read back"),
        ("{{ titel }}", "'titel' is undefined"),
        ("{% for %}", "fails"),
        ("{{ title + 1 }}", "fails"),
    ],
)
def test_a_template_that_would_lose_something_is_refused(tmp_path, template, message):
    (tmp_path / "raw.md.j2").write_text(template)
    with pytest.raises(WorkspaceError, match=message):
        encode(CHAT, tmp_path)


def test_a_folder_of_templates_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(WorkspaceError, match="JAM_TEMPLATES"):
        render(CHAT, tmp_path / "typo")
