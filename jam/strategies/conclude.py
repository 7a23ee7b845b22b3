"""The end of every strategy: from ranked messages to the context that is returned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jam.context import MemoryContext, Usage
from jam.jobs import Judgement
from jam.strategies.assemble import assemble, nothing
from jam.strategies.question import Question
from jam.strategies.runs import new_run_id


def conclude(
    question: Question, ranked: Sequence[tuple[int, float]], *, strategy: str, searched: Sequence[str], usage: Usage
) -> MemoryContext:
    """Assembles what fits, has it judged, and says so; an absent answer has no evidence."""
    gathered = assemble(question, ranked)
    judgement = question.roles.judge.judge(question.query, gathered.evidence, question.scope)
    if not searched:
        judgement = Judgement("partial", "The budget allowed no search.", judgement.missing)
    elif not ranked:
        judgement = Judgement("absent", "There is no message in what was searched.", judgement.missing)
    if judgement.verdict == "absent":
        gathered = nothing()
    return MemoryContext(
        query=question.query,
        verdict=judgement.verdict,
        answer=judgement.answer,
        context=gathered.context,
        evidence=gathered.evidence,
        sources=gathered.sources,
        notes=judgement.notes,
        searched=tuple(dict.fromkeys(searched)),
        missing=judgement.missing,
        strategy=strategy,
        usage=replace(usage, context_tokens=gathered.tokens),
        run_id=new_run_id(),
    )
