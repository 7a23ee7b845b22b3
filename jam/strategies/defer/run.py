"""The `defer` strategy: candidates by segments and their links, distilled in one call."""

from __future__ import annotations

from jam.context import MemoryContext
from jam.jobs import Edited
from jam.links.store import open_links
from jam.strategies.constructing import conclude_constructed, construct, hand_out
from jam.strategies.defer.candidates import candidates
from jam.strategies.defer.settings import DeferSettings, defer_settings
from jam.strategies.one_round import run_once
from jam.strategies.question import Question

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
    shown = list(handed.values())
    edited = question.roles.distiller.distill(question.query, shown, question.asked_at) if shown else Edited(())
    made = construct(question, handed, dict(zip(handed, edited.edits, strict=True)), edited.mended)
    remarks = [_CHOSEN_WITHOUT] if edited.fell_back else []
    return conclude_constructed(question, "defer", ranking, made, remarks, run_id)
