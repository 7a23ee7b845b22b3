"""Text to index terms, in several languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jam.index.analyzer import analyze, query_terms, speaks_of_self, text_language, text_terms

any_text = st.text(st.characters(exclude_categories=()), max_size=80)


def terms(text: str, spoken: str = "en") -> list[str]:
    return [term for term, _ in analyze(text, spoken)]


@pytest.mark.parametrize(
    ("spoken", "one", "other", "stem"),
    [
        ("en", "berth", "berths", "berth"),
        ("en", "settle", "settled", "settl"),
        ("de", "Haus", "Häuser", "haus"),
        ("es", "barco", "barcos", "barc"),
        ("ru", "лодка", "лодки", "лодк"),
    ],
)
def test_forms_of_a_word_share_a_stem(spoken, one, other, stem):
    assert terms(one, spoken) == terms(other, spoken) == [stem]


def test_the_surface_is_kept_beside_the_stem():
    assert analyze("Berths", "en") == [("berth", "berths")]


def test_function_words_are_left_out():
    assert terms("where is the harbor") == ["harbor"]


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("東京タワー", ["東京", "京タ", "タワ", "ワー"]),
        ("東京", ["東京"]),
        ("港", ["港"]),
        ("회의실", ["회의", "의실"]),
    ],
)
def test_chinese_japanese_and_korean_become_pairs(text, pairs):
    assert text_terms(text) == pairs
    assert set(pairs) <= set(terms(text))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("foo_bar", ["foo_bar", "foo", "bar"]),
        ("fooBar", ["foobar", "foo", "bar"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("v1.2.3", ["v1.2.3", "v1", "2", "3"]),
        ("src/tide/gap.py", ["src/tide/gap.py", "src", "tide", "gap", "py"]),
        ("E_TIDE_4071", ["e_tide_4071", "e", "tide", "4071"]),
    ],
)
def test_an_identifier_is_kept_whole_and_in_parts(text, found):
    assert text_terms(text) == found


def test_wide_and_narrow_letters_are_one():
    assert text_terms("Ｈarbor") == text_terms("Harbor")


def test_a_question_of_function_words_keeps_them():
    assert [term.surface for term in query_terms("Who was it?", ["en"])] == ["who", "was", "it"]


def test_a_question_word_has_a_stem_for_each_language_of_the_index():
    assert query_terms("Booten", ["en", "de"])[0].stems == ("boot", "booten")


def test_a_question_word_counts_once():
    assert [term.surface for term in query_terms("berth, berths and berth", ["en"])] == ["berth"]


@pytest.mark.parametrize(
    ("text", "spoken"),
    [("Where is the boat that we hired?", "en"), ("Wo ist das Boot, das wir gemietet haben?", "de"), ("8443", "en")],
)
def test_the_language_is_told_by_function_words(text, spoken):
    assert text_language(text) == spoken


def test_first_person_is_noticed_as_a_word_only():
    assert speaks_of_self("What did I say?")
    assert not speaks_of_self("What is the image size?")


@given(any_text, st.sampled_from(["en", "de", "ru", "tr", "xx"]))
def test_any_text_has_terms_in_lower_case(text, spoken):
    assert all(term and surface for term, surface in analyze(text, spoken))
    assert query_terms(text, [spoken]) == query_terms(text, [spoken])
