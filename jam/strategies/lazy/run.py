"""The `lazy` strategy: a broad pool, its windows edited side by side, what is kept in the order of time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jam.context import MemoryContext
from jam.index.search_index import Ranking
from jam.jobs import Candidate, Edit, Edited
from jam.models.parallel import all_results
from jam.strategies.constructing import conclude_constructed, construct, hand_out
from jam.strategies.lazy.pool import pool
from jam.strategies.lazy.settings import LazySettings, lazy_settings
from jam.strategies.lazy.windows import resolved, sub_windows, windows
from jam.strategies.one_round import run_once
from jam.strategies.question import Question

Window = Sequence[int]
"""Rows of the index: neighbouring messages of one file, in order."""


def lazy(question: Question) -> MemoryContext:
    """Answers a question by LazyMem's pipeline."""
    settings = lazy_settings(question.casting.engine)
    return run_once(question, "lazy", lambda bound, run_id: _answered(bound, run_id, settings))


def _answered(question: Question, run_id: str, settings: LazySettings) -> MemoryContext:
    ranking = question.toolbox.rank(question.query, question.within())
    shown = pool_windows(ranking, settings)
    candidates = hand_out(question, ranking, dict.fromkeys(row for window in shown for row in window))
    shown = [kept for window in shown if (kept := [row for row in window if row in candidates])]
    edited = _edited(question, shown, candidates)
    edits = merged(shown, [result.edits for result in edited])
    made = construct(question, candidates, edits, sum(result.mended for result in edited))
    return conclude_constructed(question, "lazy", ranking, made, _fell_back(edited), run_id)


def pool_windows(ranking: Ranking, settings: LazySettings) -> list[Window]:
    """The windows of the pool, files in the order of the tree."""
    index = ranking.index
    found: dict[int, list[int]] = {}
    for row in pool(ranking, settings):
        found.setdefault(int(index.collection.file[row]), []).append(index.message_number(row) - 1)
    out: list[Window] = []
    for file in sorted(found):
        path = index.files[file].path
        size = index.message_number(int(index.collection.start[file + 1]) - 1)
        for window in windows(found[file], size, settings.width):
            for part in sub_windows(window, settings.longest, settings.stride):
                out.append([index.row(path, place + 1, ranking.scores) for place in part])
    return out


def merged(shown: Sequence[Window], edits: Sequence[Sequence[Edit]]) -> dict[int, Edit]:
    """One decision a row, of those of all windows that have it; rows in order."""
    decisions = [
        (row, edit) for window, own in zip(shown, edits, strict=True) for row, edit in zip(window, own, strict=True)
    ]
    chosen = resolved([(row, edit.keep) for row, edit in decisions])
    return {row: decisions[chosen[row]][1] for row in sorted(chosen)}


def _edited(question: Question, shown: Sequence[Window], candidates: Mapping[int, Candidate]) -> list[Edited]:
    """Each window, edited."""
    editor = question.roles.editor
    handed = [[candidates[row] for row in window] for window in shown]

    def work(window: Sequence[Candidate]) -> Edited:
        return editor.edit(question.query, window, question.asked_at)

    return all_results(handed, work, editor.parallel) if editor.parallel > 1 else [work(window) for window in handed]


def _fell_back(edited: Sequence[Edited]) -> list[str]:
    """A sentence on windows that no reply could be used for, if there were any."""
    count = sum(result.fell_back for result in edited)
    return [f"{count} of {len(edited)} windows could not be edited, and were quoted whole."] if count else []
