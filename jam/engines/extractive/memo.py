"""Memorize without a model: a memo made of the session's own words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jam.engines.extractive.keyphrases import iso_dates, keyphrases, names
from jam.engines.extractive.small_talk import small_talk
from jam.index.embedder import StaticEmbedder, Vectors, static_embedder, unit
from jam.jobs import Cost
from jam.memo import Memo
from jam.session import Message, Session
from jam.text import plain, sentences, shorten, words

_VERSION = 1
_TITLE_WORDS = (3, 14)
_TITLE_CHARS = 60
_GIST_CHARS = 180
_SUMMARY_SENTENCES = 5
_SENTENCES = 600
_SPREAD = 0.7
"""How much nearness to the whole counts against likeness to what the summary already says."""
_SAYS_SOMETHING = 0.1
"""An opening is a title if it is this much nearer to the whole than to small talk (cosine)."""
_SMALL_TALK = 0.6
"""How much nearness to small talk counts against a sentence."""
_SAID = ("message", "summary")


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    speaker: str | None
    role: str
    size: int
    """Words."""


class ExtractiveMemoWriter:
    """Titles from the session or its opening, gist and summary from its most central sentences."""

    name = "extractive"

    def __init__(self, embedder: StaticEmbedder | None = None) -> None:
        self.embedder = embedder or static_embedder()

    @property
    def fingerprint(self) -> str:
        return f"extractive-memo-{_VERSION}-{self.embedder.fingerprint}"

    def write_memo(self, session: Session) -> Memo:
        said = _sentences(session.messages)
        sums = self.embedder.sums(self.embedder.token_ids([sentence.text for sentence in said]))
        vectors, whole = unit(sums), unit(sums.sum(axis=0))
        texts = [sentence.text for sentence in said]
        phrases = keyphrases(texts, whole, self.embedder)
        speakers = list(dict.fromkeys(message.speaker for message in session.messages if message.speaker))
        people, things = names(texts, speakers)
        central = _central(said, vectors)
        title = session.title or _opening(said, vectors, whole) or ", ".join(phrases[:2]) or "Untitled"
        return Memo(
            title=shorten(title, _TITLE_CHARS),
            gist=shorten(said[central[0]].text, _GIST_CHARS) if central else "",
            summary=_told([said[row] for row in sorted(central)], len(speakers) > 1),
            keywords=tuple(phrases),
            people=tuple(people[:10]),
            things=tuple(things[:12]),
            dates=tuple(sorted({*iso_dates(texts), *(at[:10] for at in (session.started, session.ended) if at)})),
        )

    def reduce(self, memos: Sequence[Memo]) -> Memo:
        """The first part says what a session is about."""
        return memos[0]

    def cost(self, session: Session) -> Cost:
        return Cost()


def _sentences(messages: Sequence[Message]) -> list[_Sentence]:
    """The sentences said on the main line; of all there is, where nothing was said."""
    said = [message for message in messages if message.kind in _SAID and message.thread is None]
    for chosen in (said, messages):
        found = [
            _Sentence(shorten(text, 300), message.speaker, message.role, len(words(text)))
            for message in chosen
            for text in sentences(plain(message.text))
        ]
        if found:
            return found[:_SENTENCES]
    return []


def _opening(said: Sequence[_Sentence], vectors: Vectors, whole: Vectors) -> str | None:
    """The user's first sentence, if it says something about the whole; a greeting doesn't."""
    opening = [row for row, sentence in enumerate(said) if sentence.role == "user"][:2]
    for row in opening:
        enough = _TITLE_WORDS[0] <= said[row].size <= _TITLE_WORDS[1]
        if enough and float(vectors[row] @ whole) - float(vectors[row] @ small_talk()) > _SAYS_SOMETHING:
            return said[row].text.rstrip(".!:")
    return None


def _central(said: Sequence[_Sentence], vectors: Vectors) -> list[int]:
    """The sentences that together stand best for the whole, most central first (maximal marginal relevance)."""
    rows = [row for row, sentence in enumerate(said) if sentence.size >= 5] or list(range(len(said)))[:1]
    if not rows:
        return []
    own = vectors[rows]
    relevance = own @ own.mean(axis=0) - _SMALL_TALK * (own @ small_talk())
    chosen = [int(np.argmax(relevance))]
    while len(chosen) < min(_SUMMARY_SENTENCES, len(rows)):
        redundancy = (own @ own[chosen].T).max(axis=1)
        score = _SPREAD * relevance - (1 - _SPREAD) * redundancy
        score[chosen] = -np.inf
        chosen.append(int(np.argmax(score)))
    return [rows[number] for number in chosen]


def _told(chosen: Sequence[_Sentence], several: bool) -> str:
    """The sentences in their order; who said each where several speak."""
    return "\n".join(f"{s.speaker}: {s.text}" if several and s.speaker else s.text for s in chosen)
