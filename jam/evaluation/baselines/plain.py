"""What else one could put into a prompt: the nearest messages of a plain store, the gold alone, or everything.

A store holds single messages as lines and knows nothing of neighbours, sessions and dates. The tokens of a baseline's
context are those of its lines alone; the text that is answered from has the days over them.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jam.evaluation.baselines.distilled import Distilled
from jam.evaluation.baselines.lines import Lines
from jam.evaluation.benchmarks.places import Places
from jam.evaluation.benchmarks.prediction import Answer, Outcome
from jam.evaluation.benchmarks.question import BenchQuestion, share
from jam.index.embedder import static_embedder
from jam.workspace.store import Workspace

DEPTHS = (20, 50)
ORACLE, SESSIONS, FULL = "oracle", "oracle sessions", "full history"


class Store:
    """The messages of one conversation in a plain store."""

    def __init__(self, lines: Lines) -> None:
        self.names = list(lines.by_name)
        self._texts = [line.said() for line in lines.by_name.values()]

    def nearest(self, query: str) -> list[str]:
        """All messages, by the cosine of their vector to the question's."""
        return self._sorted(self._vectors @ static_embedder().encode([query])[0])

    def bm25(self, query: str) -> list[str]:
        """All messages by BM25."""
        known = self._bm25.vocab_dict
        asked = [word for word in _words([query])[0] if word in known]
        return self._sorted(self._bm25.get_scores(asked) if asked else np.zeros(len(self.names)))

    def _sorted(self, scores: NDArray[Any]) -> list[str]:
        return [self.names[row] for row in np.argsort(-scores, kind="stable").tolist()]

    @cached_property
    def _vectors(self) -> NDArray[np.float32]:
        return static_embedder().encode(self._texts)

    @cached_property
    def _bm25(self) -> Any:
        import bm25s

        logging.getLogger("bm25s").setLevel(logging.WARNING)  # it tells of every index that it makes
        index = bm25s.BM25()
        index.index(_words(self._texts), show_progress=False)
        return index


class Baselines:
    """Every baseline of a question. Keeps the store of one conversation: ask the questions of one after another."""

    def __init__(self, workspace: Workspace, places: Places, distilled: Sequence[Distilled] = ()) -> None:
        self._workspace, self._places, self._distilled = workspace, places, distilled
        self._of: tuple[str, Lines, Store] | None = None

    def ask(self, question: BenchQuestion, before: float = 0.0) -> dict[str, Outcome]:
        """What each baseline gives for a question, by its name, in the order of `baseline_names`. `before` is as for
        `Asking`.
        """
        lines, store = self._conversation(question.conversation)
        nearest, lexical = store.nearest(question.text), store.bm25(question.text)
        ranked = {f"plain RAG top-{depth}": nearest[:depth] for depth in DEPTHS}
        ranked |= {f"bm25 top-{depth}": lexical[:depth] for depth in DEPTHS}
        outcomes = {name: _outcome(lines, question, names) for name, names in ranked.items()}
        outcomes |= {distilled.name: distilled.ask(question, lines, before) for distilled in self._distilled}
        outcomes[ORACLE] = _outcome(lines, question, [name for name in question.gold if name in lines.tokens])
        outcomes[SESSIONS] = _outcome(lines, question, lines.of_sessions(question.gold_sessions))
        tokens, inside = sum(lines.tokens.values()), share(question.gold, lines.tokens)
        return {**outcomes, FULL: Outcome((Answer(None, (), inside, tokens, text=lines.whole),))}

    def _conversation(self, name: str) -> tuple[Lines, Store]:
        if self._of is None or self._of[0] != name:
            lines = Lines(self._workspace, self._places, name)
            self._of = name, lines, Store(lines)
        return self._of[1:]


def baseline_names(distilled: Sequence[str] = ()) -> list[str]:
    """The baselines, in the order of the table."""
    plain = [f"{kind} top-{depth}" for kind in ("plain RAG", "bm25") for depth in DEPTHS]
    return [*plain, *distilled, ORACLE, SESSIONS, FULL]


def _outcome(lines: Lines, question: BenchQuestion, names: Sequence[str]) -> Outcome:
    tokens = sum(lines.tokens[name] for name in names)
    answer = Answer(None, tuple(names), share(question.gold, names), tokens, text=lines.page(names))
    return Outcome((answer,))


def _words(texts: Sequence[str]) -> list[list[str]]:
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    words: list[list[str]] = bm25s.tokenize(
        list(texts), stopwords="en", stemmer=stemmer, return_ids=False, show_progress=False
    )
    return words
