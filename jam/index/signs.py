"""Whether a scope holds anything at all about a question: absent only when every sign agrees.

One strong sign of any kind (a full match, a near-synonym of the rarest word, a close message) keeps the verdict open,
for a wrong "absent" is worse than a missed one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from jam.index.analyzer import text_terms
from jam.index.asked import SHARPNESS, Asked

_ROLES = frozenset({"user", "assistant"})
"""In "the user's car" the car is asked about."""
_DATED = 0.4
"""How well a session must fit a date that the question names, to be sought for its date alone."""
_TOP = 5
"""Messages whose mean coverage tells a subject from a stray match."""


LIMITS = {"coverage": 0.5, "breadth": 0.3, "rarest": 0.5, "topic": 0.34, "closeness": 0.4, "named": 0.5}
"""A sign below its limit is weak. Set so that hardly any answerable question of LoCoMo is called absent.

coverage   the share of content terms (by idf) that the best message has, exactly or by likeness
breadth    the same, mean of the best few messages
rarest     likeness of the best word anywhere to the rarest content term
named      1 where a word stands there that is rare there and anywhere: an identifier, a word of another language
topic      cosine of the closest message to the content words alone
closeness  cosine of the closest message to the whole question without names
"""


def absent(asked: Asked) -> bool:
    """True when the scope says nothing about the question: either is without words, or every sign is weak."""
    if not len(asked.passages) or not asked.terms:
        return True
    weight = _content(asked)
    if weight is None:
        return False
    return all(value < LIMITS[name] for name, value in _signs(asked, weight))


def _content(asked: Asked) -> NDArray[np.float64] | None:
    """What each word of the question weighs as its content; `None` where words can't decide.

    That is so where it has no content word, and where it names a month or a day that the scope has sessions of: those
    may be the answer, whatever their words.
    """
    if max(float(fit.max()) for fit in asked.dates) >= _DATED:
        return None
    content = np.array([surface not in _ROLES for surface in asked.surfaces], bool)
    weight = np.where(content, asked.weight, 0.0)
    return weight if weight.sum() > 0 else None


def _signs(asked: Asked, weight: NDArray[np.float64]) -> Iterator[tuple[str, float]]:
    """The signs, each 0 to 1, higher is more; what costs most comes last, for one that is strong is enough."""
    coverage = weight @ asked.similarity**SHARPNESS / weight.sum()
    yield "coverage", float(coverage.max())
    yield "breadth", float(np.sort(coverage)[-_TOP:].mean())
    yield "rarest", float(asked.similarity[int(weight.argmax())].max())
    yield "named", float(any(_rare(asked, line) for line in np.flatnonzero(weight > 0).tolist()))
    wanted = [surface for surface, amount in zip(asked.surfaces, weight, strict=True) if amount > 0]
    yield "topic", _nearest(asked, wanted)
    named = set(asked.surfaces) - set(wanted)
    yield "closeness", _nearest(asked, [word for word in text_terms(asked.text) if word not in named])


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
