"""Reflect with a chat model: the answer, and how far the evidence reaches.

Where the policy has answered, nothing more is asked. Where the model can't be asked any more, the fallback judges. A
model that sees nothing where the index sees a good match is not taken at its word: the evidence stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from jam.cards import RoleCard
from jam.context import VERDICTS, Evidence, Verdict
from jam.echo import unframed
from jam.engines.llm.answers import read_answer
from jam.engines.llm.data import as_data, enclosed
from jam.engines.llm.pieces import cut, spread
from jam.engines.llm.role import LlmRole
from jam.errors import ModelError
from jam.jobs import Answer, Judge, Judgement
from jam.models.chat import ChatModel
from jam.models.structured import ask_structured
from jam.rendering import render_context


class LlmJudge:
    """Judges the evidence of a question."""

    def __init__(self, role: RoleCard, model: ChatModel, fallback: Judge) -> None:
        self.role = LlmRole(role, model)
        self.prompt = str(role.setting("prompt", "judge"))
        self.fallback = fallback

    def judge(
        self,
        query: str,
        evidence: Sequence[Evidence],
        scope: str,
        answer: Answer | None = None,
        asked_at: str | None = None,
    ) -> Judgement:
        computed = self.fallback.judge(query, evidence, scope, asked_at=asked_at)
        if not evidence:
            return computed
        notes = ""
        if answer is None:
            answer, notes = self._asked(query, evidence)
        if answer is None or not (answer.text or answer.verdict):
            return Judgement(computed.verdict, _joined(notes, computed.notes), computed.missing)
        verdict = answer.verdict or computed.verdict
        if verdict == "absent" and computed.verdict != "absent":
            verdict, notes = "partial", "The model found no answer in this evidence."
        missing = answer.missing or (computed.missing if verdict == "partial" else ())
        return Judgement(verdict, _joined(notes, answer.notes), missing, answer.text)

    def _asked(self, query: str, evidence: Sequence[Evidence]) -> tuple[Answer | None, str]:
        """The model's conclusion from the evidence alone; `None`, and why, where it gives none."""
        sources = list(dict.fromkeys(item.path for item in evidence))
        context = enclosed(unframed(render_context(evidence, sources)))
        lines = [cut(line, self.role.input_tokens // 2)[0] for line in context.split("\n")]
        shown = "\n".join(spread(lines, self.role.input_tokens))
        request = self.role.ask(self.prompt, query=as_data(query), evidence=shown)
        try:
            found = ask_structured(self.role.model, request, "judge", _reader)
        except ModelError as error:
            return None, f"The verdict was computed without the model: {error}."
        if found.value is None:
            return None, f"The verdict was computed, since the model's could not be used: {found.problem}."
        return found.value, ""


def _reader(data: Mapping[str, Any]) -> Answer:
    answer = read_answer({"answer": "", **data})
    verdict = data.get("verdict")
    if verdict not in VERDICTS:
        raise ValueError(f'"verdict" must be one of {", ".join(VERDICTS)}')
    return Answer(answer.text, notes=answer.notes, verdict=cast(Verdict, verdict), missing=answer.missing)


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
