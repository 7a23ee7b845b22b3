"""Keyphrases, names and dates of a text, by counting and by static vectors.

A session's keyphrases depend on that session alone, never on the rest of the history, so that a memo made today is
the memo made tomorrow.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np

from jam.engines.extractive.small_talk import WORDS, small_talk
from jam.index.embedder import StaticEmbedder, Vectors, static_embedder
from jam.text import has_cjk, language, sentences, stopwords, words

_CANDIDATES = 200
_PAIR = 1.3
"""A pair of words says more than a word."""
_SMALL_TALK = 0.6
"""How much nearness to small talk counts against nearness to the whole."""
_FIRST_WORD, _IN_PIECES, _LAST_PIECE = 1996, 12_000, 29_000
"""Where words begin in the vocabulary, what a word in several pieces counts as, and a number near the end."""
_SAME = 0.85
"""Two phrases closer than this (cosine) say the same."""
_NAME = re.compile(r"[A-ZÀ-ÖØ-ÞΑ-ΩА-Я][\w'’-]*[^\W_]")
_ISO = re.compile(r"\b(\d{4}-\d{2}-\d{2})\b")
_CJK_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]{2,6}")
_PERSON_CUE = {
    "said",
    "says",
    "told",
    "tells",
    "asked",
    "asks",
    "thinks",
    "thought",
    "wants",
    "wanted",
    "argued",
    "sagte",
    "meinte",
    "fragte",
}


def keyphrases(texts: Sequence[str], whole: Vectors, embedder: StaticEmbedder, count: int = 8) -> list[str]:
    """The phrases that say best what the texts are about, best first; `whole` is the unit vector of all together.

    A phrase counts by how often it is said (its square root), by how rare its words are anywhere, and by how much
    nearer it is to the whole than to small talk; of two phrases that say the same only the better one is kept.
    """
    counts = _candidates(texts)
    weight = {
        phrase: counts[phrase] ** 0.5 * max(map(_rarity, phrase.split())) * (_PAIR if " " in phrase else 1.0)
        for phrase in counts
    }
    ranked = sorted(counts, key=lambda phrase: (-weight[phrase], phrase))[:_CANDIDATES]
    if not ranked:
        return []
    vectors = embedder.encode(ranked)
    nearness = np.clip(vectors @ whole - _SMALL_TALK * (vectors @ small_talk()), 0.0, None)
    return _distinct(ranked, vectors, np.array([weight[phrase] for phrase in ranked]) * nearness, count)


@lru_cache(maxsize=100_000)
def _rarity(word: str) -> float:
    """0 to 1: the vocabulary is ordered by frequency, and a word that it has only in pieces is rare."""
    pieces = static_embedder().token_ids([word])[0]
    piece = min(_IN_PIECES if len(pieces) > 1 else max(pieces, default=0), _LAST_PIECE)
    return math.log(max(piece, _FIRST_WORD) / 1000) / math.log(_LAST_PIECE / 1000)


def names(texts: Sequence[str], speakers: Sequence[str]) -> tuple[list[str], list[str]]:
    """Capitalised names that stand inside sentences: (people, other things), most frequent first.

    A name is a person's if it is a speaker's or if it acts like one's: it says, asks, thinks.
    """
    counts: Counter[str] = Counter()
    acting: set[str] = set()
    plain: set[str] = set()
    capitals = 0
    for text in texts:
        for sentence in sentences(text):
            tokens = words(sentence)
            capitals += sum(token[:1].isupper() for token in tokens[1:])
            plain.update(token.lower() for token in tokens if token[:1].islower())
            counts.update(_runs(tokens))
            acting.update(first for first, second in pairwise(tokens) if second.lower() in _PERSON_CUE)
    if language(" ".join(texts)[:4000]) == "de":
        counts = Counter({name: number for name, number in counts.items() if " " in name or name in acting})
    known = {speaker for speaker in speakers if speaker}
    kept = [
        name for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if name.lower() not in plain
    ]
    people = [*dict.fromkeys(speakers), *(name for name in kept if name in acting and name not in known)]
    things = [name for name in kept if name not in people and not any(part in known for part in name.split())]
    return [name for name in people if name], things


def iso_dates(texts: Sequence[str]) -> list[str]:
    """The ISO dates written in the texts, ascending."""
    return sorted({match for text in texts for match in _ISO.findall(text)})


def _candidates(texts: Sequence[str]) -> Counter[str]:
    """Single words and pairs of words, without function words and small talk."""
    stop = stopwords(language(" ".join(texts)[:4000])) | stopwords("en") | WORDS
    singles: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    for text in texts:
        if has_cjk(text):
            singles.update(_CJK_RUN.findall(text))
        for sentence in sentences(text):
            tokens = [word.lower().removesuffix("'s").removesuffix("’s") for word in words(sentence)]
            useful = [_useful(token, stop) for token in tokens]
            singles.update(token for token, keep in zip(tokens, useful, strict=True) if keep)
            pairs.update(
                f"{first} {second}"
                for (first, keep), (second, also) in pairwise(zip(tokens, useful, strict=True))
                if keep and also and first != second
            )
    return singles + pairs


def _useful(token: str, stop: frozenset[str]) -> bool:
    return (
        len(token) > 2
        and token not in stop
        and token.split("'")[0] not in stop
        and not token[0].isdigit()
        and not has_cjk(token)
    )


def _distinct(phrases: Sequence[str], vectors: Vectors, scores: Vectors, count: int) -> list[str]:
    kept: list[int] = []
    for row in np.argsort(-scores, kind="stable"):
        if scores[row] <= 0 or len(kept) == count:
            break
        said = set(phrases[row].split())
        if any(vectors[row] @ vectors[other] > _SAME or said & set(phrases[other].split()) for other in kept):
            continue
        kept.append(int(row))
    return [phrases[row] for row in kept]


def _runs(tokens: Sequence[str]) -> list[str]:
    """Runs of capitalised words that don't open the sentence."""
    found: list[str] = []
    run: list[str] = []
    for token in [*tokens[1:], ""]:
        if _NAME.fullmatch(token) and not token.isupper():
            run.append(token.removesuffix("'s").removesuffix("’s"))
            continue
        if run and len(run) <= 4:
            found.append(" ".join(run))
        run = []
    return [name for name in found if name.lower() not in stopwords("en") and not name.startswith(("I'", "I’"))]
