"""One question over one scope: lexical, soft and dense evidence at four widths, no model.

Every message gets features from itself, from its neighbours (±1 and ±3 messages) and from its whole session; one that
is alone in its session (a note, a page) only from itself, with weights of its own. Each is standardised within the
scope, and the weighted sum is the score: roughly a log-odds that the message is wanted.

lexical   BM25 of the question's terms
soft      BM25 without counts, in which the likest word of the passage stands for a term (static vectors' cosine)
dense     cosine of the summed token vectors                rarest  idf of the rarest term that the message has
encoded   cosine by an encoder of the user's own, where the index has its vectors; of neighbours the mean
speaker   spoken by somebody whom the question names        self    by the user, where the asker says "I"
period    in a month or year that the question names        day     on or soon after a day that it names
length    a longer message has more chances to hold an answer
states    it does not end with a question                   answers how like the question is the one that it answers
time, number, name    the question asks for one, and the message has one
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jam.index.analyzer import DEFAULT_LANGUAGE, query_terms, speaks_of_self, words
from jam.index.events import counted_from, event_days, needs_event
from jam.index.lexicon import term_keys
from jam.index.passages import SESSION, Level, Passages
from jam.index.timing import fits
from jam.index.traits import Trait, Wanted, wanted
from jam.languages import language
from jam.times import TimeExpression, read_times

Array = NDArray[Any]
Feature = tuple[str, Level]

ALONE = "alone"
"""The level of a message that is all of its session."""
_OF_TEXT = ("lexical", "soft", "dense", "rarest", "length")
"""Features that a message alone has by the weights of that level only."""
K1 = 1.2
"""BM25: how soon repeating a term stops to count."""
B = 0.75
"""BM25: how much long passages are discounted."""
SHARPNESS = 2.0
"""Power on word likeness: near-synonyms count, loose relations hardly."""
WEIGHTS: dict[Feature, float] = {
    ("lexical", 3): 0.15,
    ("lexical", SESSION): 0.2,
    ("soft", 0): 0.2,
    ("soft", 1): 0.05,
    ("soft", 3): 0.35,
    ("soft", SESSION): 0.25,
    ("dense", 0): 0.35,
    ("dense", 1): 0.1,
    ("dense", 3): 0.25,
    ("speaker", 0): 3.0,
    ("self", 0): 1.5,
    ("period", SESSION): 3.0,
    ("day", SESSION): 3.0,
    ("length", 0): 0.6,
    ("states", 0): 0.3,
    ("answers", 0): 0.2,
    ("time", 0): 0.9,
    ("number", 0): 0.7,
    ("name", 0): 0.7,
    ("lexical", ALONE): 0.17,
    ("soft", ALONE): 0.1,
    ("dense", ALONE): 0.65,
    ("rarest", ALONE): 0.8,
    ("encoded", 0): 0.35,
    ("encoded", 1): 0.25,
}
"""Log-odds for a standard deviation; for speaker, self, period, day, length, states, time, number and name for a unit.

Fitted (softmax over messages, no weight below zero): down to `length` on either half of LoCoMo's conversations, the
last four on either half of HotpotQA's and MuSiQue's questions, the others on all; averaged and rounded.
Those of `encoded`, which hang on the encoder, were not fitted: together they weigh about what `dense` does.
"""
STRANGE_MORE: dict[Feature, float] = {("lexical", 0): 0.3, ("lexical", ALONE): 0.8, ("soft", ALONE): 0.3}
STRANGE_DENSE = 0.4
"""In a language that is strange to the embedder the words themselves count for more, and the sums of their vectors for
so much less. Set on invented questions in 20 languages; no benchmark asks in any but English."""


class Asked:
    """The evidence that ranking and the verdict share."""

    def __init__(
        self,
        passages: Passages,
        text: str,
        weights: Mapping[Feature, float] = WEIGHTS,
        reference: date | None = None,
        vector: NDArray[np.float32] | None = None,
    ) -> None:
        """`reference` is the day on which it is asked: what "last week" is counted from; `vector` the question's unit
        vector by the encoder that the index has the vectors of.
        """
        self.passages, self.text, self.weights = passages, text, weights
        self.reference, self.vector = reference, vector
        self.terms = query_terms(text, passages.languages)
        self.surfaces = [term.surface for term in self.terms]
        self.frequency, present = self._frequency()
        self.idf = passages.inverse_frequency(present)
        spoken = words(text)
        named = {speaker for speaker, name in passages.names.items() if name & spoken}
        # Naming everybody singles out nobody.
        self.named = named if len(named) < len(passages.names) else set()
        names = frozenset[str]().union(*passages.names.values())
        # A speaker's name matches greetings, not content: it counts through `speaker` instead.
        self.weight = np.where([surface in names for surface in self.surfaces], 0.0, self.idf)

    def scores(self, total: int) -> NDArray[np.float32]:
        """A score for each of the index's `total` messages; -inf outside the scope."""
        scores = np.full(total, -np.inf, np.float32)
        if len(self.passages):
            weights = self._weights().items()
            summed = sum(weight * self._feature(*feature) for feature, weight in weights if self._known(feature[0]))
            scores[self.passages.messages] = summed
        # What the index leaves out (an empty message, a notice) is reachable but never preferred; an echo is neither.
        scores[self.passages.messages] -= np.where(self.passages.length > 0, 0.0, 10.0)
        scores[self.passages.messages[self.passages.recalled]] = -np.inf
        return scores

    def _frequency(self) -> tuple[Array, Array]:
        """How often each word of the question stands in each message, several stems where languages differ in it; and
        how many messages have it.
        """
        frequency = np.zeros((len(self.terms), len(self.passages)), np.float32)
        present = np.zeros(len(self.terms), np.int64)
        for line, term in enumerate(self.terms):
            frequency[line], present[line] = self.passages.frequency(term_keys(term.stems))
        return frequency, present

    @cached_property
    def similarity(self) -> Array:
        """Likeness, 0 to 1, of the best word of each message to each term; terms x messages."""
        best = self.passages.likest(self.passages.embedder.encode(self.surfaces))
        return np.where(self.frequency > 0, np.float32(1.0), best)

    @cached_property
    def closeness(self) -> Array:
        """Dot product of each message's token sum with the question's unit vector."""
        embedder = self.passages.embedder
        ids = embedder.token_ids([self.text])[0]
        vector = (embedder.token_vectors[ids] - self.passages.collection.token_mean).sum(axis=0)
        vector = vector / max(float(np.linalg.norm(vector)), 1e-9)
        return self.passages.dot(vector.astype(np.float32))

    @property
    def bm25(self) -> Array:
        """BM25 of each message of the passages, alone."""
        return self._bm25(self.frequency, self.passages.lengths[0])

    @property
    def cosine(self) -> Array:
        """The dense likeness of each message of the passages, alone."""
        cosine: Array = self.closeness / self.passages.norms[0]
        return cosine

    def _weights(self) -> Mapping[Feature, float]:
        """The weights, as the question's language has them."""
        spoken = language(self.text, ()) or (DEFAULT_LANGUAGE if self.text.isascii() else "")
        if spoken in self.passages.embedder.languages:
            return self.weights
        own = {key: weight * (STRANGE_DENSE if key[0] == "dense" else 1.0) for key, weight in self.weights.items()}
        lexical = any(name == "lexical" for name, _ in own)
        return {**own, **{key: own.get(key, 0.0) + more for key, more in STRANGE_MORE.items() if lexical}}

    def _feature(self, name: str, level: Level) -> Array:
        """A feature, 0 for messages that don't have it at that level."""
        if name not in _OF_TEXT:
            return self._spread(name, level)
        alone = self.passages.alone
        if not (alone.any() if level == ALONE else not alone.all()):
            return np.zeros(len(self.passages))
        return np.where(alone == (level == ALONE), self._spread(name, 0 if level == ALONE else level), 0.0)

    @cached_property
    def likeness(self) -> Array:
        """Cosine of each message to the question by the encoder of the user's own."""
        assert self.vector is not None
        return self.passages.code_dot(self.vector)

    def _known(self, name: str) -> bool:
        return name != "encoded" or self.vector is not None

    def _spread(self, name: str, level: Level) -> Array:
        """A feature, a value a message; a session's value is that of each of its messages."""
        value: Array = getattr(self, f"_{name}")(level)
        return value[self.passages.session] if level == SESSION else value

    def _lexical(self, level: Level) -> Array:
        return standardise(self._bm25(self.passages.sum(self.frequency, level), self.passages.lengths[level]))

    def _soft(self, level: Level) -> Array:
        if level == 0:
            return self._own_soft
        return standardise(self.weight @ self.passages.max(self.similarity, level) ** SHARPNESS)

    @cached_property
    def _own_soft(self) -> Array:
        return standardise(self.weight @ self.similarity**SHARPNESS)

    def _dense(self, level: Level) -> Array:
        return standardise(self.passages.sum(self.closeness, level) / self.passages.norms[level])

    def _rarest(self, _: Level) -> Array:
        return standardise(((self.frequency > 0) * self.weight[:, None]).max(axis=0, initial=0.0))

    def _states(self, _: Level) -> Array:
        return 1.0 - self._has(Trait.asks)

    def _answers(self, _: Level) -> Array:
        asks, like = self._has(Trait.asks), np.maximum(self._own_soft, 0.0)
        before = np.concatenate([[0.0], (asks * like)[:-1]])
        same = np.concatenate([[False], self.passages.session[1:] == self.passages.session[:-1]])
        return np.where(same, before, 0.0)

    def _time(self, _: Level) -> Array:
        return self._told(Wanted.time, Trait.time)

    def _number(self, _: Level) -> Array:
        return self._told(Wanted.time | Wanted.number, Trait.number)

    def _name(self, _: Level) -> Array:
        return self._told(Wanted.named, Trait.named)

    def _told(self, kinds: Wanted, trait: Trait) -> Array:
        return self._has(trait) if self.wanted & kinds else np.zeros(len(self.passages))

    def _has(self, trait: Trait) -> Array:
        return (self.passages.traits & trait > 0).astype(np.float64)

    @cached_property
    def wanted(self) -> Wanted:
        """What the question asks for."""
        return wanted(self.text)

    def _encoded(self, level: Level) -> Array:
        total = self.passages.sum(self.likeness, level)
        return standardise(total / self.passages.sum(np.ones(len(self.passages)), level))

    def _speaker(self, _: Level) -> Array:
        return np.isin(self.passages.speaker, sorted(self.named)).astype(np.float64)

    def _self(self, _: Level) -> Array:
        asked = speaks_of_self(self.text) and not self.named
        users = [speaker for speaker, name in self.passages.names.items() if name == {"user"}]
        return np.isin(self.passages.speaker, users if asked else []).astype(np.float64)

    def _period(self, _: Level) -> Array:
        return self.dates[0]

    def _day(self, _: Level) -> Array:
        return self.dates[1]

    def _length(self, _: Level) -> Array:
        size: Array = np.log1p(self.passages.length)
        return size - float(size.mean())

    @cached_property
    def dates(self) -> tuple[Array, Array]:
        """How well each session fits the dates that the question names, 0 to 1: same month or year, near the day."""
        days = self.passages.collection.file_day[self.passages.files]
        return fits(self._times(days), days)

    def _times(self, days: Array) -> Iterator[TimeExpression]:
        """What the question tells of time; what it counts from an event, as often as the event may have been."""
        for expression in read_times(self.text, self.reference):
            if not needs_event(expression):
                yield expression
                continue
            for day in event_days(self._spoken(expression.anchor or ""), self.passages.start, days):
                yield counted_from(expression, day)

    def _spoken(self, event: str) -> Array:
        """The share of an event's words that each message has, or much like them, by how rare they are."""
        said = words(event)
        own = np.where([surface in said for surface in self.surfaces], self.weight, 0.0)
        share: Array = (own / max(float(own.sum()), 1e-9)) @ self.similarity**SHARPNESS
        return share

    def _bm25(self, frequency: Array, length: Array) -> Array:
        """BM25 of every passage; `frequency` is terms x passages."""
        norm = K1 * (1 - B + B * length / max(float(length.mean()), 1e-9))
        score: Array = self.weight @ (frequency * (K1 + 1) / (frequency + norm))
        return score


def standardise(values: Array) -> Array:
    """Zero mean and unit spread; all zeros where every value is the same."""
    spread = float(values.std())
    if spread <= 1e-9:
        return np.zeros_like(values)
    scaled: Array = (values - values.mean()) / spread
    return scaled
