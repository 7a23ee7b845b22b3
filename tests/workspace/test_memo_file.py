"""A memo comes back as it was, and a person's edits of it count."""

import contextlib
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jam.errors import DamagedFile, NewerWorkspace, WorkspaceError
from jam.memo import Memo
from jam.workspace.memo_file import MemoFile, decode_memo, encode_memo, parse_memo, render_memo
from jam.workspace.verbatim import UNSAFE

GOLDEN = Path(__file__).parent / "golden" / "chat.memo.md"
_PIECES = [
    "---\n",
    "# x",
    "> q",
    "\n",
    "\r\n",
    "\r",
    "<!-- jam:summary -->\n",
    "\n<!-- jam:end -->",
    "\\",
    "\\u{",
    "\0",
]
_PIECES += ["Keywords: a", " · ", ",", "\ud800", "\u2028", "word", "jam:escaped"]
texts = st.text(st.characters(), max_size=40) | st.lists(st.sampled_from(_PIECES), max_size=8).map("".join)
lists = st.lists(texts, max_size=3).map(tuple)
memos = st.builds(
    Memo,
    title=texts,
    gist=texts,
    summary=texts,
    keywords=lists,
    people=lists,
    things=lists,
    dates=lists,
    engine=st.sampled_from(["extractive", "llm", "person"]),
    inputs=texts,
)
memo_files = st.builds(MemoFile, memos, session_id=texts, raw=texts, part=st.integers(1, 50))

CHAT = MemoFile(
    Memo(
        title="Support group",
        gist="Caroline tells Melanie about her first LGBTQ support group.",
        summary="Caroline went to a support group.\n\nMelanie has been painting.",
        keywords=("support group", "painting"),
        people=("Caroline", "Melanie"),
        dates=("2023-05-07", "2023-05-08"),
        inputs="5f2a",
    ),
    session_id="conv-26/session_1",
    raw="2023-05-08 support-group.md",
)


def edited(*changes: tuple[str, str]) -> MemoFile:
    """The memo file after a person changed its text so."""
    text = render_memo(CHAT)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return parse_memo(text, "x.memo.md")


@given(memo_files)
@settings(max_examples=400, deadline=None)
@example(replace(CHAT, memo=replace(CHAT.memo, title="", gist="", summary="", keywords=())))
@example(replace(CHAT, memo=replace(CHAT.memo, summary="\n\n# t\n<!-- jam:end -->\n")))
def test_every_memo_comes_back(file):
    text = render_memo(file)
    back = parse_memo(text, "x.memo.md")
    assert back == file
    assert not back.edited
    assert not UNSAFE.search(text)
    assert decode_memo(encode_memo(file), "x.memo.md") == file


def test_golden_file():
    if os.environ.get("JAM_UPDATE_GOLDEN"):
        GOLDEN.write_bytes(encode_memo(CHAT))
    assert GOLDEN.read_bytes() == encode_memo(CHAT), "run with JAM_UPDATE_GOLDEN=1 if the change is meant"


def test_an_edit_of_the_summary_counts_and_the_memo_is_theirs():
    file = edited(("Melanie has been painting.", "Melanie sold a painting.\n\nA new paragraph."))
    assert file.edited
    assert file.memo == replace(
        CHAT.memo,
        summary="Caroline went to a support group.\n\nMelanie sold a painting.\n\nA new paragraph.",
        engine="person",
    )


@pytest.mark.parametrize(
    ("old", "new", "field", "value"),
    [
        ("# Support group", "# First meeting", "title", "First meeting"),
        ('title: "Support group"', "title: First meeting", "title", "First meeting"),
        (
            "> Caroline tells Melanie about her",
            "> She tells of her\n> very",
            "gist",
            "She tells of her very first LGBTQ support group.",
        ),
        (
            'gist: "Caroline tells Melanie about',
            "gist: \"Caroline's",
            "gist",
            "Caroline's her first LGBTQ support group.",
        ),
        ("Keywords: support group", "Keywords: therapy", "keywords", ("therapy", "painting")),
        ('keywords: ["support group", "painting"]', "keywords: a, b c", "keywords", ("a", "b c")),
        (
            'keywords: ["support group", "painting"]',
            "keywords:\n  - yes\n  - 2023-05-08",
            "keywords",
            ("yes", "2023-05-08"),
        ),
        ('people: ["Caroline", "Melanie"]', "people: Caroline", "people", ("Caroline",)),
        ('people: ["Caroline", "Melanie"]\n', "", "people", ()),
        ('title: "Support group"', "title: 2023", "title", "2023"),
    ],
)
def test_each_edit_counts_wherever_it_was_made(old, new, field, value):
    file = edited((old, new))
    assert file.edited
    assert file.memo == replace(CHAT.memo, **{field: value}, engine="person")


def test_edits_of_front_matter_and_page_count_together():
    file = edited(('title: "Support group"', "title: Ours"), ("has been painting", "paints"))
    assert (file.memo.title, file.memo.summary.splitlines()[-1]) == ("Ours", "Melanie paints.")


def test_front_matter_written_anew_with_the_same_content_is_no_edit():
    text = render_memo(CHAT)
    same = text.replace('title: "Support group"', "title: Support group").replace(
        'keywords: ["support group", "painting"]', "keywords:\n- support group\n- painting"
    )
    assert same != text
    assert not parse_memo(same, "x").edited
    assert not decode_memo(text.replace("\n", "\r\n").encode() + b"\r\n", "x").edited


def test_a_page_written_anew_without_the_comments_is_understood():
    front = render_memo(CHAT).partition("\n---\n")[0]
    file = parse_memo(f"{front}\n---\n\n# Mine\n\n> My gist.\n\nMy summary.\n\nKeywords: x, y\n", "x.memo.md")
    assert file.memo == replace(
        CHAT.memo, title="Mine", gist="My gist.", summary="My summary.", keywords=("x", "y"), engine="person"
    )


def test_a_memo_written_by_hand_is_understood():
    file = parse_memo("---\njam: 1\nsession: s1\n---\n# Hand made\n\nAll of it.\n", "x.memo.md")
    assert file.edited
    assert file.session_id == "s1"
    assert file.memo == Memo("Hand made", "", "All of it.", engine="person")


def test_an_edited_memo_written_again_by_jam_stays_the_persons():
    file = edited(("# Support group", "# First meeting"))
    again = parse_memo(render_memo(file), "x")
    assert again == file
    assert not again.edited
    assert again.memo.engine == "person"


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda text: "# Only a page\n", DamagedFile, "line 1: no front matter"),
        (lambda text: text.replace("session: ", "sesion: "), DamagedFile, "'session:' is missing"),
        (lambda text: text.replace('title: "', "title: ["), DamagedFile, r"line \d+: the front matter can't be read"),
        (lambda text: text.replace("jam: 1", "jam: 9"), NewerWorkspace, "later JAM"),
    ],
)
def test_what_cannot_be_understood_says_where_and_what_to_do(change, error, message):
    with pytest.raises(error, match=message):
        parse_memo(change(render_memo(CHAT)), "a/x.memo.md")


@given(st.lists(st.tuples(st.integers(0, 800), st.integers(0, 30), texts), min_size=1, max_size=4))
@settings(max_examples=300, deadline=None)
def test_whatever_a_person_does_to_a_memo_it_is_read_or_refused(changes):
    text = render_memo(CHAT)
    for start, length, piece in changes:
        text = text[:start] + piece + text[start + length :]
    with contextlib.suppress(DamagedFile, NewerWorkspace):
        file = parse_memo(text, "x.memo.md")
        assert parse_memo(render_memo(file), "x.memo.md") == file


def test_a_template_of_the_users_own_may_look_different(tmp_path):
    (tmp_path / "memo.md.j2").write_text(
        "## Memo: {{ title }}\n<!-- jam:summary -->\n{{ summary }}\n<!-- jam:end -->\nby {{ people | join(', ') }}\n"
    )
    text = render_memo(CHAT, tmp_path)
    assert parse_memo(text, "x") == CHAT
    changed = parse_memo(text.replace("has been painting", "paints"), "x")
    assert changed.memo.title == CHAT.memo.title
    assert changed.memo.gist == CHAT.memo.gist


def test_a_template_that_loses_the_summary_is_refused(tmp_path):
    (tmp_path / "memo.md.j2").write_text("# {{ title }}\n")
    with pytest.raises(WorkspaceError, match="two comments"):
        encode_memo(CHAT, tmp_path)
