"""Answers: a model answers each question from one context alone, and another (or the same) grades what it says.

Whoever answers and grades is not told which method a context is from. Equal requests are made once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from jam.echo import unframed
from jam.engines.llm.data import as_data, enclosed
from jam.errors import KeyRefused, ModelRefused
from jam.evaluation.answers.grading import Grade, Grader
from jam.evaluation.answers.scores import refuses, score
from jam.evaluation.benchmarks.prediction import Answer, Outcome, Worded
from jam.evaluation.benchmarks.question import BenchQuestion
from jam.evaluation.costs.counted import CountedModel
from jam.models.messages import ChatReply, ChatRequest, Sampling, system, user
from jam.models.parallel import all_results
from jam.models.parsing import split_thinking
from jam.models.tokens import estimate
from jam.prompts import render_prompt

PROMPT = "answer"
_OUTPUT_TOKENS = 1000
_HOPELESS = 1.6
"""A prompt that is estimated at so many times the context window isn't even sent."""


@dataclass(frozen=True, slots=True)
class Answering:
    """Answers and grades the contexts of one budget, and the baselines."""

    benchmark: str
    answerer: CountedModel
    grader: Grader
    budget: int

    def answer(
        self, question: BenchQuestion, asked_at: str | None, outcomes: Mapping[str, Outcome]
    ) -> dict[str, Outcome]:
        """The outcomes, with a worded answer in each that has a context of the budget or of none.

        Raises `ModelError` where a model can't be reached.
        """
        chosen = {name: place for name, outcome in outcomes.items() for place in self._places(outcome)}
        texts = {name: outcomes[name].answers[place].text or "" for name, place in chosen.items()}
        requests = {name: _request(question, asked_at, text) for name, text in texts.items()}
        replies = self._replies(list(requests.values()))
        said = {name: _said(replies[request.text()]) for name, request in requests.items()}
        grades = self.grader.grade(question, [text for text in said.values() if text is not None])
        done = dict(outcomes)
        for name, place in chosen.items():
            reply = replies[requests[name].text()]
            done[name] = _with(outcomes[name], place, self._worded(question, said[name], reply, grades))
        return done

    def _places(self, outcome: Outcome) -> list[int]:
        return [place for place, answer in enumerate(outcome.answers) if answer.budget in (None, self.budget)][:1]

    def _replies(self, requests: Sequence[ChatRequest]) -> dict[str, ChatReply | None]:
        """The reply to each request by its text; `None` to one that the model refuses."""
        once = {request.text(): request for request in requests}
        replies = all_results(list(once.values()), self._ask, self.answerer.settings.concurrency)
        self.answerer.take(0.0)
        return dict(zip(once, replies, strict=True))

    def _ask(self, request: ChatRequest) -> ChatReply | None:
        endpoint = self.answerer.endpoint
        window = endpoint.settings.context_tokens or endpoint.facts.context_tokens
        if window and estimate(request.text()) > window * _HOPELESS:
            return None
        try:
            return self.answerer.ask(request, PROMPT)
        except KeyRefused:
            raise
        except ModelRefused:
            return None

    def _worded(
        self, question: BenchQuestion, said: str | None, reply: ChatReply | None, grades: Mapping[str, Grade]
    ) -> Worded:
        if said is None or reply is None:
            return Worded(None)
        gold = [text for text in (question.answer, *question.aliases) if text] if question.answerable else []
        agreed = score(self.benchmark, question.category, gold, said)
        grade = grades.get(said, Grade(None))
        return Worded(
            said,
            refuses(said),
            agreed.f1,
            agreed.exact,
            grade.right,
            grade.reason,
            reply.input_tokens,
            reply.output_tokens,
        )


def _request(question: BenchQuestion, asked_at: str | None, context: str) -> ChatRequest:
    evidence = enclosed(unframed(context))
    messages = (
        system(render_prompt(PROMPT, "system")),
        user(render_prompt(PROMPT, "user", evidence=evidence, query=as_data(question.text), asked_at=asked_at or "")),
    )
    return ChatRequest(messages, _OUTPUT_TOKENS, Sampling(temperature=0.0, thinking=False))


def _said(reply: ChatReply | None) -> str | None:
    return None if reply is None else split_thinking(reply.text)[1]


def _with(outcome: Outcome, place: int, worded: Worded) -> Outcome:
    answers: list[Answer] = list(outcome.answers)
    answers[place] = replace(answers[place], worded=worded)
    return replace(outcome, answers=tuple(answers))
