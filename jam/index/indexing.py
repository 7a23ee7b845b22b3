"""Sessions to the arrays of the index. Everything is a plain numpy array by name, so that it can be memory-mapped.

Only messages are stored; windows of neighbours and whole sessions are sums over them, taken when asked. By name, with
N messages, F raw files, T terms, P postings, D dimensions:

    start (F+1)              first message of each file         file (N)         file of each message
    day (N), file_day (F)    ordinals of days, 0 unknown        cost (N)         tokens of each message's text
    speaker (N), speakers    numbers into the names             length (N)       terms of each message
    term_key (T)             64-bit names of terms, sorted      term_vector (T, D) a unit vector a term
    forward_start (N+1), forward_term (P)                       message → its distinct terms
    posting_start (T+1), posting_message (P), posting_count (P) term → its messages
    token_sum (N, D)         sum of token vectors, the corpus mean taken out     token_mean (D)
    languages                the languages that terms were stemmed in
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from jam.index.analyzer import analyze, text_language
from jam.index.embedder import StaticEmbedder
from jam.session import Message, Session

Arrays = dict[str, NDArray[np.generic]]
_UNSPOKEN = ("notice",)
"""Kinds of message that are kept in the raw file but are not searched for."""


@dataclass(frozen=True, slots=True)
class Passage:
    """What the index takes of a message."""

    text: str
    speaker: str
    day: int
    searched: bool


def passages_of(session: Session) -> list[Passage]:
    """A session's messages as passages; a message without a date has the session's."""
    day = ordinal(session.started)
    return [_passage(message, day) for message in session.messages]


def build_arrays(sessions: Sequence[Session], embedder: StaticEmbedder) -> Arrays:
    """Everything the index stores, from the sessions in the order of their files."""
    passages = [passages_of(session) for session in sessions]
    flat = [passage for own in passages for passage in own]
    sizes = [len(own) for own in passages]
    names = sorted({passage.speaker for passage in flat})
    number = {name: position for position, name in enumerate(names)}
    tokens = embedder.token_ids([passage.text for passage in flat])
    arrays: Arrays = {
        "start": np.cumsum([0, *sizes]).astype(np.int64),
        "file": np.repeat(np.arange(len(sizes), dtype=np.int32), sizes),
        "day": np.array([passage.day for passage in flat], np.int32),
        "file_day": np.array([ordinal(session.started) for session in sessions], np.int32),
        "cost": np.array([len(ids) for ids in tokens], np.int32),
        "speakers": np.array(names, dtype=np.str_) if names else np.zeros(0, "U1"),
        "speaker": np.array([number[passage.speaker] for passage in flat], np.int32),
    }
    arrays |= _lexical_arrays(sessions, passages, embedder)
    return arrays | _dense_arrays(sessions, passages, tokens, embedder)


def term_key(term: str) -> int:
    """A 64-bit name of a term, the same on every machine: the vocabulary is a sorted array."""
    return int.from_bytes(blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def ordinal(at: str | None) -> int:
    """The day of a time as an ordinal; 0 where it is unknown."""
    try:
        return date.fromisoformat((at or "")[:10]).toordinal()
    except ValueError:
        return 0


def _passage(message: Message, day: int) -> Passage:
    return Passage(message.text, message.name, ordinal(message.at) or day, message.kind not in _UNSPOKEN)


def _lexical_arrays(
    sessions: Sequence[Session], passages: Sequence[Sequence[Passage]], embedder: StaticEmbedder
) -> Arrays:
    spellings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    counts: list[Counter[str]] = []
    languages: set[str] = set()
    for session, own in zip(sessions, passages, strict=True):
        spoken = text_language(" ".join(passage.text[:200] for passage in own))
        languages.add(spoken)
        title = analyze(session.title or "", spoken)
        for passage in own:
            found = [*analyze(passage.text, spoken), *title] if passage.searched else []
            counts.append(Counter(term for term, _ in found))
            for term, surface in found:
                spellings[term][surface] += 1
    keys = {term: term_key(term) for term in spellings}
    vocabulary = sorted(keys, key=keys.__getitem__)
    row = {term: position for position, term in enumerate(vocabulary)}
    # The commonest spelling speaks for the stem, which itself is no word of the vector table.
    spoken_as = [min(spellings[term].items(), key=lambda item: (-item[1], item[0]))[0] for term in vocabulary]
    return {
        "languages": np.array(sorted(languages), dtype=np.str_) if languages else np.zeros(0, "U1"),
        "term_key": np.array([keys[term] for term in vocabulary], np.uint64),
        "term_vector": embedder.encode(spoken_as).astype(np.float16),
        "length": np.array([count.total() for count in counts], np.float32),
        **_postings([{row[term]: number for term, number in count.items()} for count in counts], len(vocabulary)),
    }


def _postings(counts: Sequence[Mapping[int, int]], terms: int) -> Arrays:
    """Counts by message as two compressed tables: message → terms and term → messages."""
    forward_start = np.cumsum([0, *map(len, counts)]).astype(np.int64)
    forward_term = np.array([term for count in counts for term in sorted(count)], np.int32)
    frequency = np.array([count[term] for count in counts for term in sorted(count)], np.float32)
    message = np.repeat(np.arange(len(counts), dtype=np.int32), np.diff(forward_start))
    order = np.argsort(forward_term, kind="stable")
    return {
        "forward_start": forward_start,
        "forward_term": forward_term,
        "posting_start": np.searchsorted(forward_term[order], np.arange(terms + 1)).astype(np.int64),
        "posting_message": message[order],
        "posting_count": frequency[order],
    }


def _dense_arrays(
    sessions: Sequence[Session],
    passages: Sequence[Sequence[Passage]],
    tokens: Sequence[Sequence[int]],
    embedder: StaticEmbedder,
) -> Arrays:
    """Sums of token vectors with the corpus mean taken out: what all messages share says nothing."""
    titles = embedder.token_ids([session.title or "" for session in sessions])
    heads = [title for title, own in zip(titles, passages, strict=True) for _ in own]
    searched = [passage.searched for own in passages for passage in own]
    pieces = [[*head, *ids] if keep else [] for head, ids, keep in zip(heads, tokens, searched, strict=True)]
    sizes = np.array([len(ids) for ids in pieces], np.float32)
    sums = embedder.sums(pieces)
    mean = sums.sum(axis=0) / max(1.0, float(sizes.sum()))
    return {"token_sum": (sums - sizes[:, None] * mean).astype(np.float32), "token_mean": mean.astype(np.float32)}
