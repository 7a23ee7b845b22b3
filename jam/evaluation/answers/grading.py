"""Grades: a model says of an answer whether it is right, by the reference that the benchmark gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jam.engines.llm.data import as_data
from jam.errors import KeyRefused, ModelRefused
from jam.evaluation.benchmarks.question import BenchQuestion
from jam.evaluation.costs.counted import CountedModel
from jam.models.messages import ChatRequest, Sampling, system, user
from jam.models.parallel import all_results
from jam.models.structured import ask_structured
from jam.prompts import render_prompt
from jam.text import shorten

PROMPT = "grade"
_OUTPUT_TOKENS = 1000
_LONGEST_ANSWER = 4000
"""Characters of an answer that a grader is shown."""
_SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["reason", "right"],
    "properties": {"reason": {"type": "string", "maxLength": 300}, "right": {"type": "boolean"}},
}
_CANNOT = "The question can't be answered from what is known."


@dataclass(frozen=True, slots=True)
class Grade:
    """What a grader says of an answer."""

    right: bool | None
    """`None` where its replies could not be used: that is no score."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Grader:
    """Grades by one model."""

    model: CountedModel

    def grade(self, question: BenchQuestion, answers: Sequence[str]) -> dict[str, Grade]:
        """The grade of each answer; none where the benchmark has no reference.

        Raises `ModelError` where the model can't be reached.
        """
        reference = _reference(question)
        if reference is None:
            return {}
        once = list(dict.fromkeys(answers))
        grades = all_results(once, lambda said: self._ask(question, reference, said), self._at_a_time)
        self.model.take(0.0)
        return dict(zip(once, grades, strict=True))

    @property
    def _at_a_time(self) -> int:
        return self.model.settings.concurrency

    def _ask(self, question: BenchQuestion, reference: str, said: str) -> Grade:
        if not said.strip():
            return Grade(False, "There is no answer.")
        try:
            found = ask_structured(self.model, _request(question, reference, said), PROMPT, _reader)
        except KeyRefused:
            raise
        except ModelRefused as error:
            return Grade(None, str(error))
        return found.value or Grade(None, found.problem)


def _reference(question: BenchQuestion) -> str | None:
    """What a right answer says; `None` where the benchmark doesn't tell."""
    if not question.answerable:
        return f"{_CANNOT} {question.answer or ''}".strip()
    return " / ".join(text for text in (question.answer, *question.aliases) if text) or None


def _request(question: BenchQuestion, reference: str, said: str) -> ChatRequest:
    data = {"query": question.text, "reference": reference, "answer": said[:_LONGEST_ANSWER]}
    shown = {name: as_data(text) for name, text in data.items()}
    messages = (system(render_prompt(PROMPT, "system")), user(render_prompt(PROMPT, "user", **shown)))
    return ChatRequest(messages, _OUTPUT_TOKENS, Sampling(temperature=0.0, thinking=False), _SCHEMA)


def _reader(data: Mapping[str, Any]) -> Grade:
    right = data.get("right")
    if not isinstance(right, bool):
        raise ValueError('"right" must be true or false')
    reason = data.get("reason")
    return Grade(right, shorten(reason, 300) if isinstance(reason, str) else "")
