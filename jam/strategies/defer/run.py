"""The `defer` strategy: candidates by segments and their links, distilled in one call."""

from __future__ import annotations

from collections.abc import Mapping

from jam.context import MemoryContext, Usage
from jam.errors import ModelError
from jam.jobs import Candidate, Edited
from jam.links.store import open_links
from jam.strategies.conclude import conclude
from jam.strategies.constructing import construct, hand_out
from jam.strategies.defer.candidates import candidates
from jam.strategies.defer.settings import DeferSettings, defer_settings
from jam.strategies.one_round import run_once
from jam.strategies.question import Question, extractive_roles

_CHOSEN_WITHOUT = "The model's choice of candidates could not be used: they were chosen and cut without it."


def defer(question: Question) -> MemoryContext:
    """Answers a question by DeferMem's two stages."""
    settings = defer_settings(question.casting.engine)
    return run_once(question, "defer", lambda bound, run_id: _answered(bound, run_id, settings))


def _answered(question: Question, run_id: str, settings: DeferSettings) -> MemoryContext:
    ranking = question.toolbox.rank(question.query, question.within())
    links = open_links(question.workspace, question.index)
    rows = candidates(ranking, links, settings.messages, settings.candidate_tokens)
    handed = hand_out(question, ranking, rows)
    edited = _distilled(question, handed)
    made = construct(question, handed, dict(zip(handed, edited.edits, strict=True)), edited.mended)
    return conclude(
        question,
        [(row, float(ranking.scores[row])) for row in made.pieces],
        strategy="defer",
        searched=[question.query],
        usage=Usage(tool_calls=1),
        run_id=run_id,
        remarks=[*ranking.notes, *([_CHOSEN_WITHOUT] if edited.fell_back else []), *made.notes],
        pieces=made.pieces,
    )


def _distilled(question: Question, handed: Mapping[int, Candidate]) -> Edited:
    shown = list(handed.values())
    if not shown:
        return Edited(())
    try:
        return question.roles.distiller.distill(question.query, shown, question.asked_at)
    except ModelError:  # the exchange is recorded with its error
        computed = extractive_roles(question.index).distiller.distill(question.query, shown, question.asked_at)
        return Edited(computed.edits, fell_back=True)
