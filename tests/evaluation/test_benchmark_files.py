"""Files that are no benchmark: whatever stands in them, they are read or refused with clear words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jam.errors import HistoryError
from jam.evaluation.benchmarks.hotpotqa import load_hotpotqa
from jam.evaluation.benchmarks.locomo import load_locomo
from jam.evaluation.benchmarks.longmemeval import load_longmemeval
from jam.evaluation.benchmarks.question import Benchmark

scalars = st.none() | st.booleans() | st.integers(-2, 6) | st.sampled_from(["", " ", "D1:1", "s1", "Lund", "Why?"])
KEYS = """
    question qa conversation session_1 dia_id text blip_caption evidence category sample_id answer
    question_id question_type haystack_sessions haystack_session_ids haystack_dates answer_session_ids
    role content has_answer context paragraphs title sentences paragraph_text is_supporting
    supporting_facts type question_decomposition
""".split()
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
)
NEEDED = {
    load_locomo: ("conversation", "qa"),
    load_longmemeval: ("question", "haystack_sessions", "answer_session_ids"),
    load_hotpotqa: ("question", "context", "paragraphs", "supporting_facts"),
}


@pytest.mark.parametrize("load", NEEDED, ids=lambda load: load.__name__)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_json_is_read_or_refused(tmp_path: Path, load: Callable[[Path], Benchmark], data: st.DataObject):
    records: Any = data.draw(st.lists(st.fixed_dictionaries(dict.fromkeys(NEEDED[load], values)) | values, max_size=3))
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    try:
        questions = load(path).questions
    except HistoryError as error:
        told = str(error)
    else:
        told = path.name
        assert all(isinstance(question.text, str) for question in questions)
        assert all("#" in name for question in questions for name in question.gold)
    assert path.name in told


@pytest.mark.parametrize("load", NEEDED, ids=lambda load: load.__name__)
@pytest.mark.parametrize("content", [b"\xff\xfe{", b"", b"{", b"[[[[", b"null", b'{"a": 1}\n{"b": 2}\n'])
def test_what_is_no_benchmark_is_refused(tmp_path: Path, load: Callable[[Path], Benchmark], content: bytes):
    (tmp_path / "odd.json").write_bytes(content)
    with pytest.raises(HistoryError, match=r"odd\.json"):
        load(tmp_path / "odd.json")
