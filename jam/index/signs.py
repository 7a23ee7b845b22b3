"""Whether a scope holds anything at all about a question: absent only when every sign agrees.

One strong sign of any kind (a full match, a near-synonym of the rarest word, a close message) keeps the verdict open,
for a wrong "absent" is worse than a missed one.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np

from jam.index.analyzer import text_terms
from jam.index.asked import SHARPNESS, Asked

_ROLES = frozenset({"user", "assistant"})
"""In "the user's car" the car is asked about."""
_DATED = 0.4
"""How well a session must fit a date that the question names, to be sought for its date alone."""
_TOP = 5
"""Messages whose mean coverage tells a subject from a stray match."""


@dataclass(frozen=True, slots=True)
class Signs:
    """How much of a question the scope speaks to; each value is in 0 to 1, higher is more."""

    coverage: float
    """The share of content terms (by idf) that the best message has, exactly or by likeness."""
    breadth: float
    """The same, mean of the best few messages."""
    rarest: float
    """Likeness of the best word anywhere to the rarest content term."""
    topic: float
    """Cosine of the closest message to the content words alone."""
    closeness: float
    """Cosine of the closest message to the whole question without names."""
    named: float
    """1 where a word stands there that is rare there and anywhere: an identifier, a word of another language."""


LIMITS = Signs(coverage=0.5, breadth=0.3, rarest=0.5, topic=0.34, closeness=0.4, named=0.5)
"""A sign below its limit is weak. Set so that hardly any answerable question of LoCoMo is called absent."""


def read_signs(asked: Asked) -> Signs | None:
    """The signs of a question; `None` where words can't decide.

    That is so where it has no content word, where there is nothing to look in, and where it names a month or a day that
    the scope has sessions of: those may be the answer, whatever their words.
    """
    if len(asked.passages) and max(float(fit.max()) for fit in asked.dates) >= _DATED:
        return None
    content = np.array([surface not in _ROLES for surface in asked.surfaces], bool)
    weight = np.where(content, asked.weight, 0.0)
    if not len(asked.passages) or weight.sum() <= 0:
        return None
    coverage = weight @ asked.similarity**SHARPNESS / weight.sum()
    wanted = [surface for surface, amount in zip(asked.surfaces, weight, strict=True) if amount > 0]
    named = set(asked.surfaces) - set(wanted)
    return Signs(
        coverage=float(coverage.max()),
        breadth=float(np.sort(coverage)[-_TOP:].mean()),
        rarest=float(asked.similarity[int(weight.argmax())].max()),
        topic=_nearest(asked, wanted),
        closeness=_nearest(asked, [word for word in text_terms(asked.text) if word not in named]),
        named=float(any(_rare(asked, line) for line in np.flatnonzero(weight > 0).tolist())),
    )


def absent(asked: Asked) -> bool:
    """True when the scope says nothing about the question: either is without words, or every sign is weak."""
    if not len(asked.passages) or not asked.terms:
        return True
    found = read_signs(asked)
    return found is not None and all(have < limit for have, limit in zip(astuple(found), astuple(LIMITS), strict=True))


def _rare(asked: Asked, line: int) -> bool:
    """Whether a term stands in a few messages of the scope and is no whole word of the embedder's vocabulary."""
    few = max(2, len(asked.passages) // 200)
    in_pieces = len(asked.passages.embedder.token_ids([asked.surfaces[line]])[0]) > 1
    return in_pieces and 0 < int((asked.frequency[line] > 0).sum()) <= few


def _nearest(asked: Asked, words: list[str]) -> float:
    """Cosine of the closest message to some words, over vectors without the corpus mean."""
    embedder = asked.passages.embedder
    ids = embedder.token_ids([" ".join(words)])[0]
    vector = (embedder.token_vectors[ids] - asked.passages.collection.token_mean).sum(axis=0)
    vector = vector / max(float(np.linalg.norm(vector)), 1e-9)
    return float((asked.passages.dot(vector.astype(np.float32)) / asked.passages.norms[0]).max())
