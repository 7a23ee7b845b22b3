"""Long texts cut to the size of a prompt: windows of a file, pieces of a session, as many lines as fit."""

from __future__ import annotations

import json
import re
import string
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import jam
from jam.cards import load_card
from jam.context import Evidence
from jam.engines.llm.browse import windows
from jam.engines.llm.pieces import cut, fitting, pieces, spread
from jam.index.store import open_index
from jam.models.tokens import estimate
from jam.session import Message, text_digest
from tests.servers import Say

WORDS = st.sampled_from(
    [
        "the ",
        "regatta ",
        "berth 7, ",
        "x" * 90,
        "QmFzZTY0" * 30,
        "港口办公室",
        "½",
        "﷽",
        "🚣",
        "İ",
        "ß",
        "\t",
        "wind—",
        "\x00",
    ]
)
SHORT = st.lists(WORDS, max_size=6).map("".join)
LONG = st.lists(WORDS, max_size=60).map("".join)
LINES = st.lists(
    st.one_of(SHORT, SHORT, LONG, st.text(max_size=80)).map(lambda text: text.replace("\n", " ")), max_size=15
)
LIMITS = st.integers(20, 300)
SLOW = settings(max_examples=40)
UNEVEN = "the regatta " * 300 + "½﷽" * 300


def said(*texts: str) -> list[Message]:
    return [Message("user", text) for text in texts]


@given(LINES, LIMITS)
@example([UNEVEN], 50)
@SLOW
def test_pieces_lose_nothing_and_keep_the_limit(lines, limit):
    found = pieces(lines, limit)
    assert "".join(found).replace("\n", "") == "".join(lines).replace("\n", "")
    assert max(map(estimate, found)) <= limit


def test_pieces_are_cut_between_lines_where_that_is_possible():
    lines = [f"{number}. The harbour office wrote again." for number in range(40)]
    found = pieces(lines, 60)
    assert len(found) > 3
    assert [line for piece in found for line in piece.split("\n")] == lines


def test_pieces_of_nothing_are_one_that_is_empty():
    assert pieces([], 100) == [""]


@given(st.one_of(LONG, st.text(max_size=300)), LIMITS)
@example(UNEVEN, 40)
@SLOW
def test_what_is_cut_can_be_put_together_again(text, limit):
    found = cut(text, limit)
    assert "".join(found) == text
    assert max(map(estimate, found)) <= limit


def test_a_character_is_never_cut():
    assert cut("﷽﷽", 1) == ["﷽", "﷽"]


@given(LINES, st.integers(0, 300))
@SLOW
def test_fitting_lines_are_the_first_that_fit(lines, limit):
    found = fitting(lines, limit)
    assert found == lines[: len(found)]
    assert estimate("\n".join(found)) <= limit or not found
    if len(found) < len(lines):
        assert sum(estimate(line) + 1 for line in lines[: len(found) + 1]) > limit


@given(LINES, st.integers(0, 300))
@SLOW
def test_a_spread_keeps_the_limit_and_the_order(lines, limit):
    found = spread(lines, limit)
    rest = iter(lines)
    assert all(line in rest for line in found), "a subsequence"
    assert estimate("\n".join(found)) <= limit or not found
    if sum(estimate(line) + 1 for line in lines) <= limit:
        assert found == lines


def test_a_spread_takes_from_everywhere():
    lines = [f"Session {number:03}: the wind and the waves" for number in range(100)]
    found = [int(re.findall(r"\d+", line)[0]) for line in spread(lines, 200)]
    assert len(found) > 5
    steps = [later - earlier for earlier, later in pairwise(found)]
    assert max(steps) - min(steps) <= 1
    assert found[0] == 0
    assert found[-1] >= 80


MESSAGES = st.lists(st.one_of(SHORT, SHORT, LONG), max_size=12).map(lambda texts: said(*texts))


@given(MESSAGES, st.integers(100, 400), st.integers(0, 3))
@example(said("short", UNEVEN, "short"), 100, 2)
@SLOW
def test_windows_show_every_message_within_the_limit(messages, limit, overlap):
    found = windows(messages, limit, overlap)
    numbers = [number for window in found for number in window.numbers]
    assert list(dict.fromkeys(numbers)) == list(range(1, len(messages) + 1))
    assert all(estimate(window.text) <= limit for window in found)
    for window in found:
        assert list(window.numbers) == sorted(set(window.numbers))
        assert all(re.search(rf"^{number}\. ", window.text, re.MULTILINE) for number in window.numbers)


def test_windows_of_no_message():
    assert windows([], 100, 2) == []


def test_all_that_fits_is_one_window():
    found = windows([Message("user", "Ahoy.", at="2026-05-02T10:00:00", speaker="Mira"), *said("Aye.")], 100, 2)
    assert len(found) == 1
    assert found[0].numbers == (1, 2)
    assert found[0].text == "1. Mira (2026-05-02 10:00): Ahoy.\n2. user: Aye."


@pytest.mark.parametrize("overlap", [0, 1, 2, 5])
def test_a_window_begins_with_the_end_of_the_one_before(overlap):
    found = windows(said(*(f"The boat number {number} left the harbour." for number in range(60))), 160, overlap)
    assert len(found) > 3
    for before, after in pairwise(found):
        assert len(before.numbers) > overlap
        shared = before.text.split("\n")[len(before.numbers) - overlap :]
        assert after.text.split("\n")[:overlap] == shared
        assert after.numbers[0] == before.numbers[-1] + 1 - overlap


def test_an_overlap_larger_than_a_window_still_ends():
    messages = said(*("The harbour office wrote again, and nobody had time to answer." for _ in range(20)))
    found = windows(messages, 100, 50)
    assert found[-1].numbers[-1] == 20
    assert len(found) <= 20


def test_a_very_long_message_is_shown_whole_stretch_by_stretch():
    words = [f"{first}{second}{third}" for first in "bdk" for second in "aeiou" for third in string.ascii_lowercase]
    found = windows(said("short", " ".join(words), "short"), 120, 1)
    assert len(found) > 3
    shown = [window.text for window in found if 2 in window.numbers]
    whole = {word for text in shown for word in re.findall(r"\w+", text)}
    assert whole.issuperset(words), "no word is only shown in two halves"
    later = [line for text in shown for line in text.split("\n") if line.startswith("2. …")]
    assert len(later) >= len(shown) - 1, "every further stretch says which message it is of"


def test_a_quote_from_the_midst_of_a_very_long_message_is_found(serve):
    text = "The wind was fair. " * 500 + "The key of the boathouse hangs behind the clock. " + "It rained again. " * 500

    def script(request, _):
        shown = request["messages"][1]["content"]
        quotes = [{"message": 1, "quote": "The key of the boathouse"}] if "boathouse hangs" in shown else []
        return Say(json.dumps({"summary": "", "quotes": quotes}))

    model, server = serve(script)
    reader = load_card("llm").cast("browse_reader", model=model)
    gleaned = reader.read("chats/a.md", [Message("user", text)], "Where is the key?", [])
    assert [excerpt.quote for excerpt in gleaned.excerpts] == ["The key of the boathouse"]
    assert gleaned.picked
    assert len(server.requests) > 2


def test_evidence_that_is_too_long_for_the_window_is_shown_as_far_as_it_fits(serve, built_examples):
    verdict = {"answer": "", "verdict": "partial", "missing": [], "notes": ""}
    model, server = serve([Say(json.dumps(verdict))], context_tokens=1500)
    text = "The key of the boathouse hangs behind the clock. " * 300
    index = open_index(jam.Workspace.open(built_examples))
    evidence = [Evidence(index.files[0].path, 1, text, text_digest(text), at="2026-05-02")]
    load_card("llm").cast("judge", model=model, index=index).judge("Where is the key?", evidence, "")
    shown = server.requests[0]["messages"][1]["content"]
    assert shown.startswith("<evidence>\n[1] 2 May 2026\nuser: The key of the boathouse")
    assert shown.endswith("</evidence>\nQuestion: Where is the key?")
    assert estimate(shown) < 1500
