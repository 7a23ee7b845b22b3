"""A model's conclusion, read tolerantly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jam.engines.llm.answers import read_answer
from jam.jobs import Answer, Cited

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["path", "source", "quote", "text", "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)
FIELDS = ("answer", "sources", "quotes", "verdict", "missing", "notes")


def test_an_answer_as_it_is_asked_for():
    data = {
        "answer": " On 14 June. ",
        "sources": ["chats/berths.md", "notes/plan.md"],
        "quotes": [{"source": "chats/berths.md", "quote": "moved to 14 June"}],
        "verdict": "partial",
        "missing": ["the hour"],
        "notes": "It was moved.",
    }
    assert read_answer(data) == Answer(
        "On 14 June.",
        ("chats/berths.md", "notes/plan.md"),
        (Cited("chats/berths.md", "moved to 14 June"),),
        "It was moved.",
        "partial",
        ("the hour",),
    )


def test_an_answer_alone_suffices():
    assert read_answer({"answer": "Yes."}) == Answer("Yes.")


def test_without_an_answer_there_is_none():
    with pytest.raises(ValueError, match='"answer" is missing'):
        read_answer({"sources": ["chats/berths.md"]})


@pytest.mark.parametrize(
    ("given", "expected"),
    [("", None), ("  ", None), (None, None), ({}, None), ([], None), (7, "7"), (2.5, "2.5"), (["a", "b"], "a\nb")],
)
def test_the_answer_as_text(given, expected):
    assert read_answer({"answer": given}).text == expected


@pytest.mark.parametrize(
    "given",
    ["chats/a.md", "/chats/a.md", "./chats/a.md", " chats/a.md\n", {"path": "chats/a.md"}, {"source": "chats/a.md"}],
)
def test_a_source_is_a_path_as_the_tree_writes_it(given):
    assert read_answer({"answer": "", "sources": [given]}).sources == ("chats/a.md",)
    assert read_answer({"answer": "", "sources": given}).sources == ("chats/a.md",)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("the berth is free", Cited("", "the berth is free")),
        ({"quote": "the berth is free"}, Cited("", "the berth is free")),
        ({"text": "the berth is free", "path": "a.md"}, Cited("a.md", "the berth is free")),
        ({"quote": "the berth is free", "source": "/a.md"}, Cited("a.md", "the berth is free")),
        ({"quote": "the berth is free", "source": 3}, Cited("", "the berth is free")),
    ],
)
def test_a_quote_with_its_source_if_it_names_one(given, expected):
    assert read_answer({"answer": "", "quotes": [given]}).quotes == (expected,)
    assert read_answer({"answer": "", "quotes": given}).quotes == (expected,)


@pytest.mark.parametrize("given", ["", {"quote": "  "}, {"quote": 7}, {}, 7, None, ["a"]])
def test_what_is_no_quote_is_left_out(given):
    assert read_answer({"answer": "", "quotes": [given]}).quotes == ()


@pytest.mark.parametrize("given", ["certain", None, 1, ["sufficient"], {}])
def test_an_unknown_verdict_is_none(given):
    assert read_answer({"answer": "", "verdict": given}).verdict is None


def test_what_is_missing_as_a_list_or_a_text():
    assert read_answer({"answer": "", "missing": "the hour"}).missing == ("the hour",)
    assert read_answer({"answer": "", "missing": ["the hour", "", None, 3]}).missing == ("the hour", "3")


def test_everything_is_bounded():
    many = ["x" * 9000] * 100
    found = read_answer({"answer": many, "sources": many, "quotes": many, "missing": many, "notes": many})
    assert len(found.text or "") <= 4000
    assert len(found.notes) <= 4000
    assert max(len(found.sources), len(found.quotes), len(found.missing)) <= 20
    assert max(len(path) for path in found.sources) <= 500


@given(st.fixed_dictionaries({"answer": JSON}, optional=dict.fromkeys(FIELDS[1:], JSON)))
def test_any_json_is_read_without_an_error(data):
    found = read_answer(data)
    assert found.text is None or found.text
    assert all(isinstance(path, str) for path in found.sources)
    assert all(cited.quote.strip() for cited in found.quotes)
    assert found.verdict in ("sufficient", "partial", "conflicting", "absent", None)
    assert all(found.missing)
