"""The end of every strategy: from ranked messages to the context that is returned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from jam.context import MemoryContext, Usage
from jam.jobs import Answer, Judgement
from jam.strategies.assemble import assemble
from jam.strategies.desk import Piece, nothing
from jam.strategies.question import Question


def conclude(
    question: Question,
    ranked: Sequence[tuple[int, float]],
    *,
    strategy: str,
    searched: Sequence[str],
    usage: Usage,
    run_id: str,
    answer: Answer | None = None,
    focus: Mapping[int, str] | None = None,
    remarks: Sequence[str] = (),
    pieces: Mapping[int, Piece] | None = None,
) -> MemoryContext:
    """Assembles what fits, has it judged, and says so; an absent answer has no evidence.

    `answer` is what the policy concluded, `focus` which stretch of a row it quoted, `remarks` what a caller should know
    of how the run went, `pieces` what a player made of each row.
    """
    gathered = assemble(question, ranked, focus, pieces)
    judgement = question.roles.judge.judge(question.query, gathered.evidence, question.scope, answer, question.asked_at)
    if not ranked and not searched:
        judgement = Judgement("partial", "Nothing was looked at: the budget allowed no search.", judgement.missing)
    elif not ranked and pieces is not None and judgement.verdict != "absent":
        judgement = Judgement("partial", "Of what was found nothing was kept as useful.", judgement.missing)
    elif not ranked:
        judgement = Judgement("absent", "There is no message in what was searched.", judgement.missing)
    if judgement.verdict == "absent":
        gathered = nothing()
    return MemoryContext(
        query=question.query,
        verdict=judgement.verdict,
        answer=judgement.answer if judgement.verdict != "absent" else None,
        context=gathered.context,
        evidence=gathered.evidence,
        sources=gathered.sources,
        notes=" ".join(part for part in (*remarks, judgement.notes) if part),
        searched=tuple(dict.fromkeys(searched)),
        missing=judgement.missing,
        strategy=strategy,
        usage=replace(usage, context_tokens=gathered.tokens),
        run_id=run_id,
    )
