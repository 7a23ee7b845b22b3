"""What messages tell and questions ask for, by signs on the surface."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import jam
from jam.index.traits import Trait, Wanted, traits, wanted
from tests.index.indexes import index_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Shall we sail?", Trait.asks),
        ('She asked: "Shall we sail?"', Trait.asks),
        ("Yes.", Trait(0)),
        ("We sailed there last year", Trait.time),
        ("the mast is 14 m", Trait.number),
        ("we have three anchors", Trait.number),
        ("we met Ottilie at the pier", Trait.named),
        ("Gestern war es windig", Trait.time),
        ("明天去港口", Trait.time),
        ("今年の港？", Trait.asks | Trait.time),
    ],
)
def test_signs_of_a_message(text: str, expected: Trait):
    assert traits(text) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When did the sloop leave?", Wanted.time),
        ("How many anchors are there?", Wanted.number),
        ("Who painted the hull?", Wanted.named),
        ("How long is the pier?", Wanted.time | Wanted.number),
        ("What does Ann like?", Wanted(0)),
        ("Wann fährt die Fähre?", Wanted.time),
        ("¿Cuántos barcos hay?", Wanted.number),
        ("Où est le phare ?", Wanted.named),
        ("他什么时候去的？", Wanted.time),
        ("Whenever it rains", Wanted(0)),
    ],
)
def test_what_a_question_asks_for(question: str, expected: Wanted):
    assert wanted(question) == expected


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_has_signs(text: str):
    assert traits(text) in Trait(15)
    assert wanted(text) in Wanted(7)


def chat(*texts: str) -> jam.Session:
    return jam.Session("chat", tuple(jam.Message("user", text) for text in texts))


def test_a_time_is_preferred_where_one_is_asked_for():
    slowly, monday = (chat("hm", f"the sloop left the harbour {how}", "well", "no") for how in ("slowly", "on Monday"))
    index = index_of(replace(slowly, id="slowly"), replace(monday, id="monday"))
    assert index.place(index.rank("When did the sloop leave the harbour?").best(1)[0][0]) == ("monday.md", 2)


def test_an_answer_is_preferred_to_its_question():
    index = index_of(
        chat("hm", "no", "Where is the sorrel sloop moored?", "At the north pier, as ever", "hm", "no", "well")
    )
    best = [index.place(row)[1] for row, _ in index.rank("Where is the sorrel sloop moored?").best(2)]
    assert sorted(best) == [3, 4]


def test_a_note_is_found_among_chats():
    notes = [
        jam.Session(f"note-{n}", (jam.Message("document", text),))
        for n, text in enumerate(["Tide tables", "Winch oil"])
    ]
    index = index_of(chat("we talked of this", "and that", "of tides too"), *notes)
    assert index.place(index.rank("Which oil for the winch?").best(1)[0][0]) == ("note-1.md", 1)
