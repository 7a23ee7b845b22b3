"""Names are portable, readable, stable, and unique without case."""

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jam.workspace.names import NAME_BYTES, decode_id, encode_id, folded, label, raw_name, slug, unique_name

any_text = st.text(st.characters(), max_size=200)  # surrogates too
RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}


def assert_portable(name: str) -> None:
    assert name
    assert len(name.encode("utf-8")) <= NAME_BYTES + 80
    assert not set(name) & set('<>:"/\\|?*')
    assert not name.startswith((" ", "."))
    assert not name.endswith((" ", "."))
    assert name.split(".")[0].lower() not in RESERVED
    assert all(unicodedata.category(char)[0] != "C" for char in name)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Support group", "support-group"),
        ("Fix: `foo/bar.py` -- don't panic!", "fix-foo-bar-py-dont-panic"),
        ("Überraschung für Zoë", "überraschung-für-zoë"),
        ("東京での会議 2024", "東京での会議-2024"),
        ("हिन्दी में बातचीत", "हिन्दी-में-बातचीत"),
        ("", "untitled"),
        ("🎉🎉", "untitled"),
        ("CON", "con_"),
        ("Com7", "com7_"),
        ("../../etc/passwd", "etc-passwd"),
        ("a\u202eb\u200bc\0d", "a-bc-d"),
    ],
)
def test_slug_by_example(title, name):
    assert slug(title) == name


@given(any_text, st.integers(1, 80))
@settings(max_examples=300)
@example("ß" * 100, 60)
@example("字" * 100, 60)
@example("e" + "\u0301" * 300, 60)
def test_slugs_are_portable_and_stay_the_same(title, max_chars):
    name = slug(title, max_chars)
    assert_portable(name)
    assert len(name) <= max(max_chars, len("untitled"))
    assert len(name.encode()) <= NAME_BYTES
    assert unicodedata.is_normalized("NFC", name)
    assert not unicodedata.category(name[0]).startswith("M")


def test_a_long_title_is_cut_between_words_and_never_within_a_character():
    assert slug("one two three four five six seven", 20) == "one-two-three-four"
    decomposed = "न" + "ि" + "x" * 3
    assert slug("aaaa" + decomposed, 5) == "aaaa"


@pytest.mark.parametrize(
    ("started", "date"),
    [
        ("2023-05-08T13:56:00+00:00", "2023-05-08"),
        ("2023-05-08", "2023-05-08"),
        ("2023-05", "2023-05"),
        ("2023", "2023"),
        ("8 May", "undated"),
        ("2023-05-08/../x", "undated"),
        (None, "undated"),
    ],
)
def test_raw_names_begin_with_the_date(started, date):
    assert raw_name(started, "Support group") == f"{date} support-group"


@given(st.none() | any_text, any_text)
def test_raw_names_are_portable(started, title):
    assert_portable(raw_name(started, title))
    assert len(raw_name(started, title).encode()) <= NAME_BYTES


def test_a_taken_name_gets_an_ending_that_depends_on_the_tie_alone():
    name = unique_name("2023-05-08 Chat", {"2023-05-08 chat"}, "session-1")
    assert name == unique_name("2023-05-08 Chat", {"2023-05-08 chat", "other"}, "session-1")
    assert name.startswith("2023-05-08 Chat ~")
    assert len(name) == len("2023-05-08 Chat ~3fa2")
    longer = unique_name("2023-05-08 Chat", {"2023-05-08 chat", folded(name)}, "session-1")
    assert longer.startswith(name)
    assert unique_name("free", {"taken"}, "x") == "free"


@given(st.lists(st.tuples(any_text, st.uuids()), max_size=12), st.sampled_from(["Straße", "STRASSE", "é" * 60]))
def test_unique_names_are_unique_without_case(titles, same):
    taken: set[str] = set()
    for title, tie in [*titles, *((same.upper(), tie) for _, tie in titles)]:
        name = unique_name(slug(title), taken, str(tie))
        assert_portable(name)
        assert folded(name) not in taken
        taken.add(folded(name))
    assert unique_name("STRASSE", {folded("straße")}, "t") != "STRASSE"


def test_no_free_name_is_an_error_not_a_loop():
    class Everything(set[str]):
        def __contains__(self, name: object) -> bool:
            return True

    with pytest.raises(ValueError, match="no free name"):
        unique_name("a", Everything(), "t")


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("conv-26/session_1", "conv-26=2fsession_1"),
        ("GPT4", "+g+p+t4"),
        ("chat.jsonl", "chat.jsonl"),
        (".hidden.", "=2ehidden=2e"),
        (".", "=2e"),
        ("", "="),
        ("con", "=63on"),
        ("nul.txt", "=6eul.txt"),
        ("é", "=c3=a9"),
    ],
)
def test_encoded_ids_by_example(id, name):
    assert encode_id(id) == name
    assert decode_id(name) == id


@given(st.text(st.characters(), max_size=60))
@settings(max_examples=400)
@example("\ud800\udc00")
@example("\U00010000")
@example("A=41+a")
def test_ids_come_back_from_their_names(id):
    name = encode_id(id)
    assert_portable(name)
    assert name.isascii()
    assert name == name.lower()
    if len(id.encode("utf-8", "surrogatepass")) <= 60:
        assert decode_id(name) == id


@given(any_text, any_text)
def test_different_ids_have_different_names_even_without_case(one, other):
    assert (folded(encode_id(one)) == folded(encode_id(other))) == (one == other)


def test_a_very_long_id_is_hashed_and_says_so():
    one, other = "x/" * 500 + "a", "x/" * 500 + "b"
    assert encode_id(one) != encode_id(other)
    assert_portable(encode_id(one))
    with pytest.raises(ValueError, match="too long"):
        decode_id(encode_id(one))


@pytest.mark.parametrize("name", ["A", "=61", "=zz", "+1", "a/b", "é", "a."])
def test_names_that_are_not_encoded_ids_are_refused(name):
    with pytest.raises(ValueError, match="not the name"):
        decode_id(name)


@given(any_text, st.integers(2, 120))
def test_labels_are_one_safe_line(text, max_chars):
    line = label(text, max_chars)
    assert len(line) <= max_chars
    assert not set(line) & set("<>\n\r\t\0\u202e\u2028\ufeff")
    line.encode("utf-8")


def test_labels_keep_emoji_and_the_joiners_of_scripts():
    assert label("👩\u200d🚀 می\u200cخواهم") == "👩\u200d🚀 می\u200cخواهم"
    assert label("a <!-- jam:end -->\nb") == "a ‹!-- jam:end --› b"
    assert label("x" * 200, 10) == "x" * 9 + "…"


def test_a_date_in_the_title_is_not_said_twice():
    assert raw_name("2026-06-16", "2026-06-16, Tuesday") == "2026-06-16 tuesday"
    assert raw_name("2026-06-16", "2026-06-16") == "2026-06-16 2026-06-16"
    assert raw_name("2026-06-16", "2026-06-17 plan") == "2026-06-16 2026-06-17-plan"
