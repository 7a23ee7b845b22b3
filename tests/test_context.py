"""The context as plain data."""

from __future__ import annotations

import json

import pytest

import jam
from jam.errors import UsageError

EVIDENCE = jam.Evidence("a.md", 1, "said", "0" * 64, id="m1", at="2026-01-01", speaker="Ann", role="user")
CONTEXT = jam.MemoryContext("q?", "partial", "[1]\nAnn: said", (EVIDENCE,), ("a.md",), missing=("dog",))


def test_a_context_comes_back_from_its_json():
    assert jam.MemoryContext.from_dict(json.loads(json.dumps(CONTEXT.to_dict()))) == CONTEXT


def test_to_render_is_to_give_the_context():
    assert CONTEXT.render() == CONTEXT.context


def test_unknown_fields_are_left_aside():
    data = {**CONTEXT.to_dict(), "colour": "red", "usage": {"rounds": 2, "colour": "red"}}
    assert jam.MemoryContext.from_dict(data).usage == jam.Usage(rounds=2)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"verdict": "maybe"}, "verdict"),
        ({"query": None}, "query"),
        ({"context": 5}, "context"),
        ({"evidence": "a"}, "evidence"),
        ({"evidence": [5]}, "evidence 1"),
        ({"evidence": [{**CONTEXT.to_dict()["evidence"][0], "message": True}]}, "evidence 1: message"),
        ({"evidence": [{**CONTEXT.to_dict()["evidence"][0], "sha256": None}]}, "evidence 1: sha256"),
        ({"sources": {"a": 1}}, "sources"),
    ],
)
def test_a_context_that_makes_no_sense_names_the_field(change: dict[str, object], named: str):
    with pytest.raises(UsageError, match=named):
        jam.MemoryContext.from_dict({**CONTEXT.to_dict(), **change})


def test_what_is_no_object_is_refused():
    with pytest.raises(UsageError, match="JSON object"):
        jam.MemoryContext.from_dict([])  # type: ignore[arg-type]
