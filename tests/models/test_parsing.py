"""Reading what models write, whatever that is."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jam.models.parsing import json_list, json_objects, split_thinking

PIECES = st.sampled_from(
    [*'{}[]":,\\\n a1“', "'", *"// /* ```json true null <think> </think>".split(), "word ", '{"a": ', '"b": ']
)
ANYTHING = st.text(max_size=300) | st.lists(PIECES, max_size=80).map("".join)
KEYS = st.text(st.characters(codec="utf-8", exclude_characters="{}"), min_size=1, max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8"), max_size=15),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(KEYS, VALUES, min_size=1, max_size=4)
PROSE = st.text(st.characters(codec="utf-8", exclude_characters="{}`"), max_size=60)


@given(ANYTHING)
def test_any_text_is_read_without_an_error(text):
    assert all(isinstance(found, dict) for found in json_objects(text))
    assert all(isinstance(found, dict) for found in json_list(text))
    thought, said = split_thinking(text)
    assert len(thought) + len(said) <= len(text)


@pytest.mark.parametrize(
    "text",
    [
        "{" * 100_000,
        '{"' * 50_000,
        '{"a" ' * 20_000,
        '{"a":' * 20_000,
        '{"a":[' * 20_000,
        "[" * 100_000,
        '{"a":[' + "{}," * 60_000,
        "[{" * 50_000,
        '[{"a":' * 20_000,
        "[{}," * 40_000,
        '{"a": "' + "\\" * 90_000,
        '{"a": ' + "“: a\n'" * 20_000,
        "<think>" * 30_000,
        "</think>" * 30_000,
        "```\n" * 50_000,
    ],
    ids=lambda text: text[:12],
)
def test_reading_ends_in_bounded_time(text):
    began = time.process_time()
    json_objects(text)
    json_list(text)
    split_thinking(text)
    assert time.process_time() - began < 10


@given(PROSE, OBJECTS, PROSE)
def test_an_object_within_prose_is_found(before, data, after):
    found = json_objects(f"{before}{json.dumps(data)}{after}")
    assert data in found


@given(OBJECTS)
def test_an_object_in_a_fence_is_found(data):
    assert json_objects(f"Here:\n```json\n{json.dumps(data, indent=2)}\n```\nThat is all.") == [data]


@given(st.lists(OBJECTS, min_size=2, max_size=4), PROSE)
@settings(max_examples=40)
def test_several_objects_are_found_in_their_order(data, between):
    assert json_objects(between.join(json.dumps(one) for one in data)) == data


@given(PROSE.filter(lambda text: "[" not in text), st.lists(OBJECTS, min_size=1, max_size=4), PROSE)
@settings(max_examples=40)
def test_an_array_of_objects_is_found(before, rows, after):
    for text in (json.dumps(rows), f"```json\n{json.dumps(rows, indent=1)}\n```", json.dumps({"rows": rows})):
        assert json_list(f"{before}\n{text}\n{after}") == rows


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('[{"a": 1}, {"a": 2},]', [{"a": 1}, {"a": 2}]),
        ("[{'a': 1}, {'a': 2}]", [{"a": 1}, {"a": 2}]),
        ('[{"a": "one"}, {"a": "tw', [{"a": "one"}, {"a": "tw"}]),
        ('[1, 2] and [{"a": 1}]', [{"a": 1}]),
        ('[{"a": 1}, 2]', []),
        ("[]", []),
        ("[", []),
        ("none", []),
    ],
)
def test_an_array_is_mended_or_there_is_none(text, rows):
    assert json_list(text) == rows


@given(st.lists(OBJECTS, min_size=1, max_size=3), st.data())
def test_what_is_not_to_be_mended_is_only_read_where_it_is_whole(rows, draw):
    text = json.dumps(rows)
    cut = draw.draw(st.integers(0, len(text) - 1))
    assert json_list(text[:cut], mend=False) == []
    assert json_objects(json.dumps({"rows": rows})[:cut] + '{"', mend=False) == json_objects(
        json.dumps({"rows": rows})[:cut], mend=False
    )


@given(OBJECTS, st.data())
def test_a_cut_off_object_never_raises(data, draw):
    text = json.dumps(data)
    cut = draw.draw(st.integers(1, len(text) - 1))
    assert all(isinstance(found, dict) for found in json_objects(text[:cut]))


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ('{"title": "A walk", "points": ["one", "tw', {"title": "A walk", "points": ["one", "tw"]}),
        ('{"title": "A walk", "points": ["one",', {"title": "A walk", "points": ["one"]}),
        ('{"title": "A walk", "people": [{"name": "Ann"}, {"na', {"title": "A walk", "people": [{"name": "Ann"}]}),
        ("{'title': 'A walk', 'done': True}", {"title": "A walk", "done": True}),
        ('{"title": "A walk",}', {"title": "A walk"}),
        ('{"title": "A walk" "done": true}', {"title": "A walk", "done": True}),
        ('{title: "A walk"}', {"title": "A walk"}),
        ('{"title": "line\none"}', {"title": "line\none"}),
    ],
)
def test_broken_objects_are_mended(text, first):
    found = json_objects(text)[0]
    assert {key: found[key] for key in first if key != "people"} == {k: v for k, v in first.items() if k != "people"}
    assert found.get("people", [])[:1] == first.get("people", [])


def test_a_whole_object_comes_before_a_broken_one():
    assert json_objects('The set {x, y} means {"title": "A walk"}.')[0] == {"title": "A walk"}


@pytest.mark.parametrize("text", ["", "no object", "[1, 2]", "{}", "}{", '"{"'])
def test_where_nothing_is_said_nothing_is_found(text):
    assert [found for found in json_objects(text) if found] == []


@pytest.mark.parametrize(
    ("text", "thought", "said"),
    [
        ("plain", "", "plain"),
        ("<think>hm</think>yes", "hm", "yes"),
        ("<thinking>hm</thinking>\n\nyes", "hm", "yes"),
        ("hm</think>yes", "hm", "yes"),
        ("<THINK>hm</THINK>yes", "hm", "yes"),
        ("<think>never ends", "never ends", ""),
        ("Well. <think>hm</think>yes", "hm", "Well. yes"),
        ("<think>a <think>b</think> c</think>yes", "a <think>b</think> c", "yes"),
        ("<think></think>yes", "", "yes"),
        ("", "", ""),
    ],
)
def test_thinking_is_set_apart(text, thought, said):
    assert split_thinking(text) == (thought, said)
