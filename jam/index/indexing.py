"""Sessions to the arrays of a segment. Everything is a plain numpy array by name, so that it can be memory-mapped.

Only messages are stored, a very long one as several passages, each like a message; windows of neighbours and whole
sessions are sums over them, taken when asked. By name, with N messages or passages, F raw files, T terms, W words,
P and Q postings, D dimensions:

    start (F+1)              first message of each file         file_day (F)     ordinal of its day, 0 unknown
    file_language (F)        the languages that its terms were stemmed in, set apart by spaces
    file_sum (F, D)          sum of its token vectors           message (N)      number within its file, from 0
    begin (N), end (N)       where a passage stands in its message; both 0 where it is the whole message
    day (N)                  ordinal of its day, 0 unknown      cost (N)         tokens of its text
    speaker (N), speakers    numbers into the sorted names      length (N)       terms of it
    recalled (N)             whether all of it is an echo of what JAM gave out
    traits (N)               whether it asks, and tells a time, a number, a name
    sum (N, D), scale (N)    sum of its token vectors, as bytes with a factor
    size (N)                 tokens in that sum                 signature (N, D/64)  the signs of that sum, as bits
    term_key (T)             64-bit names of terms, sorted      posting_start (T+1)  first posting of each term
    posting_message (P), posting_count (P), posting_weight (P)  its messages, how often, and what that counts for
    word_key (W)             64-bit names of words, sorted      word_vector (W, D)   the direction of each, as bytes
    forward_start (N+1), forward_word (Q)                       message → its words
    code (N, C), code_scale (N)    its vector by an encoder of the user's own, where there is one

Nothing in a message's rows hangs on other messages, so that segments can be put together and taken apart. One session
is in memory at a time; what is large goes to files while it is made.
"""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from jam.echo import own_stretches, own_text
from jam.index.analyzer import DEFAULT_LANGUAGE
from jam.index.codes import Encoding
from jam.index.columns import MESSAGE_COLUMNS, FileColumns, VectorColumns, write_messages
from jam.index.embedder import StaticEmbedder, Vectors
from jam.index.lexicon import Counted, Lexicon
from jam.index.postings import Postings
from jam.index.traits import traits
from jam.index.words import Words
from jam.languages import spoken_in
from jam.session import Message, Session
from jam.text import stretches

Arrays = dict[str, NDArray[np.generic]]
_UNSPOKEN = ("notice",)
"""Kinds of message that are kept in the raw file but are not searched for."""
LONG, PASSAGE = 10_000, 2_000
"""Characters: a longer message is kept as passages of this size."""
_SAMPLE = 200
"""Characters of a passage that its language is told by."""


@dataclass(frozen=True, slots=True)
class Passage:
    """What the index takes of a message."""

    text: str
    speaker: str
    day: int
    searched: bool
    recalled: bool
    """Whether all of it was given out by JAM before: it is no passage, and no hit."""
    message: int
    """The number of its message within the file, from 0."""
    begin: int = 0
    end: int = 0
    """Where it stands in the text of its message; a very long message is several passages. Both 0 where it is all."""


def passages_of(session: Session) -> list[Passage]:
    """A session's messages as passages; a message without a date has the session's."""
    day = ordinal(session.started)
    return [passage for number, message in enumerate(session.messages) for passage in _passages(number, message, day)]


def build_arrays(sessions: Iterable[Session], embedder: StaticEmbedder) -> Arrays:
    """Everything the index stores, in memory, from the sessions in the order of their files."""
    with tempfile.TemporaryDirectory(prefix="jam-index-") as temporary:
        write_arrays(sessions, embedder, Path(temporary))
        return load_arrays(Path(temporary), mapped=False)


def write_arrays(
    sessions: Iterable[Session], embedder: StaticEmbedder, folder: Path, encoding: Encoding | None = None
) -> None:
    """Writes everything the index stores into a folder, an array a file; with `encoding`, an encoder's vectors too."""
    making = _Making(embedder, folder, encoding)
    for session in sessions:
        making.add(session)
    making.finish()


def load_arrays(folder: Path, mapped: bool = True) -> Arrays:
    """The arrays that `write_arrays` wrote, memory-mapped or read."""
    return {path.stem: load_array(path, mapped) for path in folder.glob("*.npy")}


def load_array(path: Path, mapped: bool = True) -> NDArray[np.generic]:
    """An array of the index."""
    values: NDArray[np.generic]
    try:
        values = np.load(path, mmap_mode="r" if mapped else None, allow_pickle=False)
    except ValueError:
        values = np.load(path, allow_pickle=False)  # an empty array can't be mapped
    return values


def ordinal(at: str | None) -> int:
    """The day of a time as an ordinal; 0 where it is unknown."""
    try:
        return date.fromisoformat((at or "")[:10]).toordinal()
    except ValueError:
        return 0


def _passages(number: int, message: Message, day: int) -> Iterator[Passage]:
    """What was only recalled in a message is left out; of one that is nothing else, all."""
    text, day = message.text, ordinal(message.at) or day
    searched = message.kind not in _UNSPOKEN
    own = own_stretches(message) if len(text) > LONG else ()
    for begin, end in (cut for stretch in own for cut in stretches(text, PASSAGE, *stretch)):
        yield Passage(text[begin:end], message.name, day, searched, False, number, begin, end)
    if not own:
        text = own_text(message)
        recalled = not text and bool(message.text.strip())
        yield Passage(text, message.name, day, searched and not recalled, recalled, number)


class _Making:
    """The arrays as far as they are made."""

    def __init__(self, embedder: StaticEmbedder, folder: Path, encoding: Encoding | None) -> None:
        self.embedder = embedder
        self.encoding = encoding
        self.folder = folder
        self.files = FileColumns(folder, embedder.dimensions)
        self.messages = {name: array(code) for name, (code, _) in MESSAGE_COLUMNS.items()}
        self.names: dict[str, int] = {}
        self.postings = Postings(folder)
        self.words = Words(folder)
        self.lexicon = Lexicon(self.words.name)
        self.vectors = VectorColumns(folder, embedder.dimensions)

    def add(self, session: Session) -> None:
        passages = passages_of(session)
        for passage in passages:
            for name in ("message", "begin", "end", "day", "recalled"):
                self.messages[name].append(getattr(passage, name))
            self.messages["traits"].append(int(traits(passage.text)))
            self.messages["speaker"].append(self.names.setdefault(passage.speaker, len(self.names)))
        languages = self._add_terms(passages, session.title or "")
        total = self._add_vectors(passages, session.title or "")
        self.files.add(len(passages), ordinal(session.started), languages, total)
        if self.encoding is not None:
            self.encoding.add([passage.text if passage.searched else "" for passage in passages], session.title or "")

    def _add_terms(self, passages: list[Passage], title: str) -> str:
        """Returns the languages that the terms were stemmed in."""
        main, each = spoken_in([passage.text[:_SAMPLE] for passage in passages], DEFAULT_LANGUAGE)
        for passage, spoken in zip(passages, each, strict=True):
            texts = [(passage.text, spoken), *([(title, main)] if title else [])] if passage.searched else []
            self._add_counted([counted for text, own in texts for counted in self.lexicon.count(text, own)])
        return " ".join(sorted({main, *each}))

    def _add_counted(self, counted: list[Counted]) -> None:
        length = self.postings.add(len(self.messages["length"]), (part.terms for part in counted))
        self.words.add(part.words for part in counted)
        self.messages["length"].append(length)

    def _add_vectors(self, passages: list[Passage], title: str) -> Vectors:
        """Returns the sum of all."""
        head = self.embedder.token_ids([title])[0]
        sums = np.zeros((len(passages), self.embedder.dimensions), np.float32)
        costs = [0] * len(passages)
        last = -1
        for number, ids in self.embedder.token_pieces([passage.text for passage in passages]):
            if passages[number].searched:
                own = [*head, *ids.tolist()] if head and number != last else ids
                sums[number] += self.embedder.sums([own])[0]
            costs[number] += len(ids)
            last = number
        sizes = [cost + len(head) if passage.searched else 0 for cost, passage in zip(costs, passages, strict=True)]
        self.messages["cost"].extend(costs)
        self.messages["size"].extend(sizes)
        self.vectors.add(sums, np.array(sizes, np.float32)[:, None] * self.embedder.common)
        total: Vectors = sums.sum(axis=0)
        return total

    def finish(self) -> None:
        lengths = np.array(self.messages["length"], np.int32)
        self.postings.write(self.folder, lengths)
        self.words.write(self.folder, self.embedder)
        self.vectors.close()
        self.files.close()
        if self.encoding is not None:
            self.encoding.close()
        columns = {name: np.array(values) for name, values in self.messages.items()}
        write_messages(self.folder, columns, list(self.names))
