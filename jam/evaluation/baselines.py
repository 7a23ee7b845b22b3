"""What else one could put into a prompt: the nearest messages of a plain store, the gold alone, or everything.

A store holds single messages as lines, `speaker: text` (of a document `title: text`), and knows nothing of neighbours,
sessions and dates. The tokens of a baseline's context are those of its lines alone.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jam.evaluation.measures import share
from jam.evaluation.places import Places
from jam.evaluation.prediction import Answer, Outcome
from jam.evaluation.question import BenchQuestion
from jam.index.embedder import static_embedder
from jam.session import Message, Session
from jam.workspace.store import Workspace

DEPTHS = (20, 50)
ORACLE, FULL = "oracle", "full history"


class Store:
    """The messages of one conversation in a plain store."""

    def __init__(self, workspace: Workspace, places: Places, conversation: str) -> None:
        lines: dict[str, str] = {}
        for path in places.paths(conversation):
            session = workspace.read_raw(path).session
            for number, message in enumerate(session.messages, 1):
                lines[places.name(path, number)] = _line(session, message)
        self.names = list(lines)
        self._lines = list(lines.values())
        self.tokens = dict(zip(self.names, static_embedder().count_tokens(self._lines), strict=True))

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
        return static_embedder().encode(self._lines)

    @cached_property
    def _bm25(self) -> Any:
        import bm25s

        logging.getLogger("bm25s").setLevel(logging.WARNING)  # it tells of every index that it makes
        index = bm25s.BM25()
        index.index(_words(self._lines), show_progress=False)
        return index


class Baselines:
    """Every baseline of a question. Keeps the store of one conversation: ask the questions of one after another."""

    def __init__(self, workspace: Workspace, places: Places) -> None:
        self._workspace, self._places = workspace, places
        self._conversation: str | None = None
        self._store: Store | None = None

    def ask(self, question: BenchQuestion) -> dict[str, Outcome]:
        """What each baseline gives for a question, by its name."""
        store = self._of(question.conversation)
        nearest, lexical = store.nearest(question.text), store.bm25(question.text)
        found = {f"plain RAG top-{depth}": nearest[:depth] for depth in DEPTHS}
        found |= {f"bm25 top-{depth}": lexical[:depth] for depth in DEPTHS}
        found[ORACLE] = [name for name in question.gold if name in store.tokens]
        outcomes = {name: Outcome((_answer(store, question, names),)) for name, names in found.items()}
        whole = Answer(None, (), share(question.gold, store.tokens), sum(store.tokens.values()))
        return {**outcomes, FULL: Outcome((whole,))}

    def _of(self, conversation: str) -> Store:
        if self._store is None or self._conversation != conversation:
            self._store = Store(self._workspace, self._places, conversation)
            self._conversation = conversation
        return self._store


def baseline_names() -> list[str]:
    """The baselines, in the order of the table."""
    plain = [f"{kind} top-{depth}" for kind in ("plain RAG", "bm25") for depth in DEPTHS]
    return [*plain, ORACLE, FULL]


def _answer(store: Store, question: BenchQuestion, names: Sequence[str]) -> Answer:
    tokens = sum(store.tokens[name] for name in names)
    return Answer(None, tuple(names), share(question.gold, names), tokens)


def _line(session: Session, message: Message) -> str:
    name = session.title if session.kind == "document" and session.title else message.name
    return f"{name}: {message.text}"


def _words(texts: Sequence[str]) -> list[list[str]]:
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    words: list[list[str]] = bm25s.tokenize(
        list(texts), stopwords="en", stemmer=stemmer, return_ids=False, show_progress=False
    )
    return words
