from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jam.history.parsing.chunks import MESSAGE_WORDS, PART_WORDS

from .conftest import read_all

NOTE = """---
title: Kiln log
tags: [clay, glaze]
aliases:
  - oven
date: 2024-05-06
---
# Kiln

Fired at 1,240 degrees.

Held for *ten* minutes.

## Next

- wax
- bisque

```python
x = 1

# no heading
```
"""


def squeeze(text: str) -> str:
    return "".join(text.split())


def test_a_note(make, read):
    session = read(make({"vault/craft/kiln.md": NOTE})).session
    assert (session.id, session.title, session.kind) == ("vault/craft/kiln.md", "Kiln log", "document")
    assert (session.group, session.at) == (("vault", "craft"), "2024-05-06")
    assert session.meta["tags"] == ["clay", "glaze"]
    assert session.meta["aliases"] == ["oven"]
    assert session.meta["front_matter"] == NOTE[: NOTE.index("# Kiln")]
    assert [m.text for m in session.messages] == [
        NOTE[: NOTE.index("# Kiln")].rstrip(),
        "# Kiln\n\nFired at 1,240 degrees.\n\nHeld for *ten* minutes.",
        NOTE[NOTE.index("## Next") :].rstrip(),
    ]
    assert {m.role for m in session.messages} == {"user"}


@pytest.mark.parametrize(
    ("name", "text", "at", "title"),
    [
        ("2026-03-02.md", "x", "2026-03-02", "2026-03-02"),
        ("2026-03-02 Dentist.md", "x", "2026-03-02", "Dentist"),
        ("20260302.md", "x", "2026-03-02", "20260302"),
        ("a.md", "---\ncreated: 2024-01-02T03:04:05Z\n---\nx", "2024-01-02T03:04:05+00:00", "a"),
        ("a.md", "---\ndate: {{date}}\ntitle: T\n---\nx", None, "T"),
        ("a.md", "---\ntitle: [broken\n---\nx", None, "a"),
        ("a.md", "---\n- list\n---\nx", None, "a"),
        ("a.md", "---\nno end", None, "a"),
        ("a.md", "\ufeff---\r\ntitle: Windows\r\n---\r\nx", None, "Windows"),
        ("a.md", "intro\n\n# Only one\n\ntext", None, "Only one"),
        ("a.md", "# One\n\n# Two", None, "One"),
        ("a.md", "Setext\n===\n\ntext", None, "Setext"),
    ],
)
def test_titles_and_dates(make, read, name, text, at, title):
    session = read(make({name: text})).session
    assert (session.at, session.title) == (at, title)
    assert squeeze("".join(m.text for m in session.messages)) == squeeze(text.removeprefix("\ufeff"))


def test_only_front_matter(make, read):
    assert read(make({"a.md": "---\ntitle: T\n---\n"})).texts == ["---\ntitle: T\n---"]


def test_blocks_are_merged_but_never_cut(make, read):
    code = "```\n" + "\n\n".join("word " * 20 for _ in range(20)) + "\n```"
    table = "\n".join("| a | b |" for _ in range(200))
    items = "- one\n- two\n  more\n\n  para\n- three"
    texts = read(make({"a.md": f"small\n\n{code}\n\n{table}\n\ntail\n\n{items}\n"})).texts
    assert code in texts
    assert table in texts
    assert texts[-1] == f"tail\n\n{items}"


def test_long_paragraphs_and_lists_are_cut(make, read):
    sentences = " ".join(f"Sentence number {n} says a little." for n in range(200))
    items = "\n".join(f"- item {n} " + "word " * 10 for n in range(100))
    texts = read(make({"a.md": f"{sentences}\n\n{items}\n"})).texts
    assert all(len(text.split()) <= 2 * MESSAGE_WORDS for text in texts)
    assert all(text.startswith(("Sentence", "- item")) for text in texts)


def test_a_long_document_becomes_parts(make, read):
    body = "# Book\n\n" + "".join(f"## Chapter {n}\n\n" + "one two three four five.\n\n" * 300 for n in range(1, 6))
    sessions = read(make({"b/book.md": body})).sessions
    assert [s.id for s in sessions] == ["b/book.md", *(f"b/book.md#{n}" for n in range(2, len(sessions) + 1))]
    assert sessions[0].title == "Book"
    assert sessions[1].title.startswith("Book: Chapter ")
    assert all(sum(len(m.text.split()) for m in s.messages) <= PART_WORDS for s in sessions)
    assert squeeze("".join(m.text for s in sessions for m in s.messages)) == squeeze(body)
    grown = read(make({"b/book.md": body + "## Epilogue\n\nThe end.\n"})).sessions
    assert grown[: len(sessions) - 1] == sessions[:-1]


@pytest.mark.parametrize(
    "text",
    [
        "# Talk\n\n## User\n\nhi\n\n## Assistant\n\nhello\n",
        "**User:** hi\n\n**ChatGPT:** hello\n",
        "#### 🧑 You:\nhi\n\n#### 🤖 Claude:\nhello\n",
        "User: hi\n\nAssistant: hello\n\nUser: hm\n",
        "_Exported on 9/12/2025_\n\n---\n\n**User**\n\nhi\n\n---\n\n**Cursor**\n\nhello\n\n---\n\n**User**\n\nbye",
        "_**User: Ann Lee (2025-12-04 14:30Z)**_\n\nhi\n\n_**Agent (model claude-x)**_\n\nhello\n\n---\n",
    ],
)
def test_other_chats(make, read, text):
    session = read(make({"a.md": text})).session
    said = [(m.role, m.text) for m in session.messages if not m.text.startswith(("# Talk", "_Exported"))]
    assert session.kind == "conversation"
    assert said[:2] == [("user", "hi"), ("assistant", "hello")]


def test_an_article_that_quotes_is_a_document(make, read):
    text = "## Intro\n\nQ: why?\nA: because.\n\n## More\n\nQ: how?\nA: so.\n\nQ: when?\nA: now.\n"
    assert read(make({"a.md": text})).session.kind == "document"


def test_a_header_in_code_is_no_turn(make, read):
    text = "## User\n\nhow?\n\n## Assistant\n\nlike this:\n\n```\n## User\n\nno turn\n```\n\n## User\n\nthanks\n"
    assert [m.text for m in read(make({"a.md": text})).session.messages] == [
        "how?",
        "like this:\n\n```\n## User\n\nno turn\n```",
        "thanks",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "## User\n\nThe table of users.\n\n## Model\n\nThe table of models.\n",
        "# System\n\nx\n\n# User\n\ny\n\n# Agent\n\nz\n",
        "**User** is a table.\n\n**Order** is another.\n",
    ],
)
def test_headings_that_are_no_turns(make, read, text):
    assert read(make({"a.md": text})).session.kind == "document"


def test_names_and_models_of_turns(make, read):
    text = "_**User: Ann Lee (2025-12-04 14:30Z)**_\n\nhi\n\n_**Agent (model claude-x, mode Ask)**_\n\nhello\n"
    messages = read(make({"a.md": text})).session.messages
    assert [(m.role, m.speaker, m.at, m.meta) for m in messages] == [
        ("user", "Ann Lee", "2025-12-04T14:30+00:00", {}),
        ("assistant", None, None, {"model": "claude-x", "mode": "Ask"}),
    ]


def test_links_of_a_vault(make, read):
    text = (
        '---\nup: "[[Home]]"\ntags: [clay]\n---\n'
        "See [[Kiln|the kiln]], [[Kiln#Cones]], [[a/Wax]] and [it](Two%20words.md#x).\n"
        "![[photo.jpg|300]] #glaze/red #1 #fff (#not) `[[code]]` #2024-plan\n\n"
        "```\n[[code]] #code\n```\n[web](https://a.org/b.md)\n"
    )
    meta = read(make({"a.md": text})).session.meta
    assert meta["links"] == ["Home", "Kiln", "a/Wax", "Two words"]
    assert meta["embeds"] == ["photo.jpg"]
    assert meta["tags"] == ["clay", "glaze/red", "2024-plan"]


@pytest.mark.parametrize(
    ("name", "at", "title"),
    [
        ("2023_09_12.md", "2023-09-12", "2023_09_12"),
        ("202309121405 Kiln.md", "2023-09-12T14:05", "Kiln"),
        ("2023.09.12 Kiln.md", "2023-09-12", "Kiln"),
        ("September 12th, 2023.md", "2023-09-12", "September 12th, 2023"),
        ("2026-03-09_11-11Z-fix-it.md", "2026-03-09T11:11+00:00", "fix it"),
        ("2023/09/12.md", "2023-09-12", "12"),
        ("2023/09/notes.md", None, "notes"),
        ("2023/12.md", None, "12"),
        ("2023 Japan Trip.md", None, "2023 Japan Trip"),
        ("2023-13-45.md", None, "2023-13-45"),
        ("12345678901234.md", None, "12345678901234"),
        ("1700000000.md", None, "1700000000"),
    ],
)
def test_dates_in_names(make, read, name, at, title):
    session = read(make({name: "x"})).session
    assert (session.at, session.title) == (at, title)


@pytest.mark.parametrize(
    ("head", "at"),
    [
        ("Date: 2023-09-12", "2023-09-12"),
        ("created_at: 2023-09-12 14:05", "2023-09-12T14:05"),
        ("creation date: Tuesday, September 12th 2023, 2:05:09 pm", "2023-09-12T14:05:09"),
        ('date: "[[2023-09-12]]"', "2023-09-12"),
        ("date: 12 September 2023", "2023-09-12"),
        ("date: 09/12/2023", None),
        ("date: {{date:YYYY-MM-DD}}", None),
        ('date: <% tp.date.now("YYYY-MM-DD") %>', None),
        ("date:\nmodified: 2023-09-12", None),
        ("created: 2023-09-13\ndate: 2023-09-12", "2023-09-12"),
    ],
)
def test_dates_in_front_matter(make, read, head, at):
    session = read(make({"a.md": f"---\n{head}\n---\nIt is {{{{date}}}}.\n"})).session
    assert (session.at, session.kind) == (at, "document")


def test_front_matter_in_toml(make, read):
    session = read(
        make({"a.md": '+++\ntitle = "Kiln"\ndate = 2024-05-06T07:08:09Z\ntags = ["clay"]\n+++\ntext\n'})
    ).session
    assert (session.title, session.at, session.meta["tags"]) == ("Kiln", "2024-05-06T07:08:09+00:00", ["clay"])


def test_payloads_in_a_note_are_kept(make, read):
    payload = bytes(range(256))
    data = base64.b64encode(payload).decode()
    result = read(
        make({"a.md": f"See ![the kiln](data:image/png;base64,{data}) here.\n\n[1]: <data:image/png;base64,{data}>\n"})
    )
    (message,) = result.session.messages
    mark = "[image: image/png, 256 bytes]"
    assert message.text == f"See [image: the kiln] {mark} here.\n\n[1]: <{mark}>"
    assert [a.name for a in message.attachments] == ["the kiln", None]
    assert list(result.spilled.values()) == [payload]


def test_the_data_of_a_drawing_are_no_text(make, read):
    drawing = (
        "```compressed-json\n"
        + "N4KAkARALgngDgUwgLgAQQQDwMYEMA2AlgCYBOuA7hADTgQBuCpAzoQPYB2KqATLZMzYBXUtiRoIACyhQ4zZAH\n" * 50
        + "```"
    )
    text = f"---\nexcalidraw-plugin: parsed\n---\n## Text Elements\nkiln ^a1\n\n## Drawing\n{drawing}\n"
    result = read(make({"a.excalidraw.md": text}))
    held = "".join(m.text for m in result.session.messages)
    assert "kiln ^a1" in held
    assert "N4KAk" not in held
    assert list(result.spilled.values()) == [drawing.encode()]


LINES = st.lists(
    st.sampled_from(
        ["# H", "text here.", "", "- item", "  - sub", "```", "| a | b |", "---", "> q", "1. one", "\t", "===", "a: b"]
    )
    | st.text(max_size=30),
    max_size=30,
)


@given(LINES, st.sampled_from(["\n", "\r\n", "\r"]))
def test_no_text_is_lost(tmp_path_factory, lines, end):
    text = end.join(lines)
    path = tmp_path_factory.mktemp("h") / "a.md"
    path.write_bytes(text.encode())
    result = read_all(path)
    if result.sessions and all(session.kind == "document" for session in result.sessions):
        held = "".join(m.text for session in result.sessions for m in session.messages)
        assert squeeze(held).strip("\ufeff") == squeeze(text).strip("\ufeff")
    for session in result.sessions:
        assert all(m.text in text for m in session.messages)
