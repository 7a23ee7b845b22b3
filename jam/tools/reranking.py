"""The best messages of a ranking, scored anew by a reranker that reads them together with the question."""

from __future__ import annotations

from jam.echo import own_text
from jam.encoding import Reranker, load_reranker
from jam.index.asked import standardise
from jam.index.attempts import Attempts
from jam.index.search_index import Ranking, SearchIndex
from jam.workspace.store import Workspace

RERANKED = 50
"""Messages that are scored anew."""
WEIGHT = 2.0
"""Log-odds for a standard deviation of the reranker's scores."""
_BESIDE = 500
"""Characters of a neighbour that are read with a message, those next to it."""
_RERANKER = "reranker"


def rerank(workspace: Workspace, ranking: Ranking) -> Ranking:
    """The ranking with its best messages reordered, where `jam.yaml` names a reranker; one that fails changes nothing,
    and the notes say so.
    """
    rows = [row for row, _ in ranking.best(RERANKED)]
    there = _reranker_of(workspace)
    if there is None or len(rows) < 2:
        return ranking
    reranker, attempts = there
    texts = [_text(workspace, ranking.index, row) for row in rows]
    found, failure = attempts.make(lambda: reranker.scores(ranking.asked.text, texts))
    if found is None:
        return Ranking(ranking.index, ranking.asked, ranking.scores, (*ranking.notes, failure))
    scores = ranking.scores.copy()
    scores[rows] += WEIGHT * standardise(found)
    return Ranking(ranking.index, ranking.asked, scores, ranking.notes)


def _reranker_of(workspace: Workspace) -> tuple[Reranker, Attempts] | None:
    """The reranker that `jam.yaml` names, kept with the workspace; None where it names none."""
    given = dict(workspace.settings.reranker)
    if not given:
        return None
    if _RERANKER not in workspace.kept:
        workspace.kept[_RERANKER] = load_reranker(given.pop("spec"), given), Attempts("reranker")
    there: tuple[Reranker, Attempts] = workspace.kept[_RERANKER]
    return there


def _text(workspace: Workspace, index: SearchIndex, row: int) -> str:
    """A message with who speaks it, between the ends of its neighbours that are next to it."""
    file = int(index.collection.file[row])
    start, end = int(index.collection.start[file]), int(index.collection.start[file + 1])
    lines = []
    for near in range(max(start, row - 1), min(end, row + 2)):
        text = _spoken(workspace, index, near)
        if near != row:
            text = text[-_BESIDE:] if near < row else text[:_BESIDE]
        speaker = index.collection.speakers[index.arrays["speaker"][near]]
        lines += [f"{speaker}: {text}"] if text else []
    return "\n".join(lines)


def _spoken(workspace: Workspace, index: SearchIndex, row: int) -> str:
    path, number = index.place(row)
    message = workspace.read_raw(path).session.messages[number - 1]
    part = index.part(row)
    return message.text[part] if part else own_text(message)
