"""When something that was written before is written again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jam.memorizer.upgrades import Stamp, is_due

A, OTHER_WRITER, OTHER_CONTENT = Stamp.of(["a"], "w1"), Stamp.of(["a"], "w2"), Stamp.of(["b"], "w1")
NAMES = ("extractive", "llm", "person")


@pytest.mark.parametrize(
    ("mine", "theirs", "due", "due_if_refreshed"),
    [
        ("extractive", "extractive", True, True),
        ("extractive", "llm", False, False),
        ("extractive", "person", False, False),
        ("llm", "extractive", True, True),
        ("llm", "llm", False, True),
        ("llm", "person", False, False),
    ],
)
def test_another_writer(mine, theirs, due, due_if_refreshed):
    assert is_due(OTHER_WRITER, mine, A, theirs) is due
    assert is_due(OTHER_WRITER, mine, A, theirs, refresh=True) is due_if_refreshed


@pytest.mark.parametrize("refresh", [False, True])
@pytest.mark.parametrize("mine", NAMES[:2])
@pytest.mark.parametrize("theirs", NAMES)
def test_other_content_is_always_due_but_for_what_a_person_wrote(mine, theirs, refresh):
    assert is_due(OTHER_CONTENT, mine, A, theirs, refresh) is (theirs != "person")


@pytest.mark.parametrize("refresh", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_the_same_writer_and_content_are_never_due(name, refresh):
    assert not is_due(A, name, A, name, refresh)


def test_what_bears_no_stamp_is_due():
    assert is_due(A, "extractive", Stamp.parse(""), "extractive")


@given(st.lists(st.text(max_size=10), max_size=4), st.text(max_size=10))
def test_a_stamp_is_read_as_it_was_written(content, fingerprint):
    stamp = Stamp.of(content, fingerprint)
    assert Stamp.parse(str(stamp)) == stamp


@pytest.mark.parametrize("text", ["", "-", "abc", "a-b-c", "—"])
def test_any_text_is_read_as_a_stamp(text):
    assert isinstance(Stamp.parse(text), Stamp)


def test_content_is_not_confused_with_where_it_is_divided():
    assert Stamp.of(["ab", "c"], "w") != Stamp.of(["a", "bc"], "w")
