"""Sessions to the arrays of the index. Everything is a plain numpy array by name, so that it can be memory-mapped.

Only messages are stored, a very long one as several passages, each like a message; windows of neighbours and whole
sessions are sums over them, taken when asked. By name, with N messages or passages, F raw files, T terms, V of them
with a vector (all, unless there are very many), P and Q postings, D dimensions:

    start (F+1)              first message of each file         file (N)         file of each message
    message (N)              number within its file, from 0
    begin (N), end (N)       where a passage stands in its message; both 0 where it is the whole message
    day (N), file_day (F)    ordinals of days, 0 unknown        cost (N)         tokens of each message's text
    speaker (N), speakers    numbers into the names             length (N)       terms of each message
    recalled (N)             whether all of it is an echo of what JAM gave out
    term_key (T)             64-bit names of terms, sorted      term_vector (V, D) a unit vector a term
    forward_start (N+1), forward_term (Q)                       message → its distinct terms with a vector (of V)
    posting_start (T+1), posting_message (P), posting_count (P) term → its messages
    token_sum (N, D)         sum of token vectors, the corpus mean taken out     token_mean (D)
    languages                the languages that terms were stemmed in

One session is in memory at a time; what is large goes to files while it is made.
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
from jam.index.embedder import StaticEmbedder
from jam.index.growing import Growing, SetAside
from jam.index.lexicon import Lexicon
from jam.index.postings import Postings
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
_BLOCK = 8_192
"""Messages whose vectors are in memory at a time."""


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


def write_arrays(sessions: Iterable[Session], embedder: StaticEmbedder, folder: Path) -> None:
    """Writes everything the index stores into a folder, an array a file."""
    making = _Making(embedder, folder)
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

    def __init__(self, embedder: StaticEmbedder, folder: Path) -> None:
        self.embedder = embedder
        self.folder = folder
        self.starts = array("q", [0])
        self.file_days = array("i")
        self.messages = array("i")
        self.begins = array("i")
        self.ends = array("i")
        self.days = array("i")
        self.costs = array("i")
        self.recalled = array("b")
        self.sizes = array("i")
        """Tokens that each message's vector is the sum of."""
        self.speakers = array("i")
        self.names: dict[str, int] = {}
        self.languages: set[str] = set()
        self.postings = Postings(folder)
        self.lexicon = Lexicon(self.postings.spell)
        self.sums = SetAside(folder)
        self.total = np.zeros(embedder.dimensions, np.float64)

    def add(self, session: Session) -> None:
        passages = passages_of(session)
        self.file_days.append(ordinal(session.started))
        self.starts.append(self.starts[-1] + len(passages))
        for passage in passages:
            self.messages.append(passage.message)
            self.begins.append(passage.begin)
            self.ends.append(passage.end)
            self.days.append(passage.day)
            self.recalled.append(passage.recalled)
            self.speakers.append(self.names.setdefault(passage.speaker, len(self.names)))
        self._add_terms(passages, session.title or "")
        self._add_vectors(passages, session.title or "")

    def _add_terms(self, passages: list[Passage], title: str) -> None:
        main, each = spoken_in([passage.text[:_SAMPLE] for passage in passages], DEFAULT_LANGUAGE)
        self.languages.update((main, *each))
        for passage, spoken in zip(passages, each, strict=True):
            texts = [(passage.text, spoken), *([(title, main)] if title else [])] if passage.searched else []
            self.postings.add(counts for text, own in texts for counts in self.lexicon.count(text, own))

    def _add_vectors(self, passages: list[Passage], title: str) -> None:
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
        self.costs.extend(costs)
        self.sizes.extend(
            cost + len(head) if passage.searched else 0 for cost, passage in zip(costs, passages, strict=True)
        )
        self.sums.append(sums)
        self.total += sums.sum(axis=0, dtype=np.float64)

    def finish(self) -> None:
        self.lexicon.flush()
        self.postings.write(self.folder, self.embedder)
        start = np.array(self.starts, np.int64)
        names = sorted(self.names)
        number = np.empty(len(names), np.int32)
        number[[self.names[name] for name in names]] = np.arange(len(names), dtype=np.int32)
        self._save("start", start)
        self._save("file", np.repeat(np.arange(len(start) - 1, dtype=np.int32), np.diff(start)))
        self._save("message", np.array(self.messages, np.int32))
        self._save("begin", np.array(self.begins, np.int32))
        self._save("end", np.array(self.ends, np.int32))
        self._save("day", np.array(self.days, np.int32))
        self._save("file_day", np.array(self.file_days, np.int32))
        self._save("cost", np.array(self.costs, np.int32))
        self._save("recalled", np.array(self.recalled, np.bool_))
        self._save("speakers", _strings(names))
        self._save("speaker", number[np.array(self.speakers, np.int32)])
        self._save("languages", _strings(sorted(self.languages)))
        self._save("length", np.array(self.postings.lengths, np.float32))
        self._write_vectors()

    def _write_vectors(self) -> None:
        """Sums of token vectors with the corpus mean taken out: what all messages share says nothing."""
        sizes = np.array(self.sizes, np.float32)
        mean = (self.total / max(1.0, float(sizes.sum(dtype=np.float64)))).astype(np.float32)
        self._save("token_mean", mean)
        out = Growing(self.folder / "token_sum.npy", np.float32, len(mean))
        row = np.dtype((np.float32, (len(mean),)))
        for sums in self.sums.blocks(row, _BLOCK):
            out.append(sums - sizes[out.rows : out.rows + len(sums), None] * mean)
        out.close()
        self.sums.close()

    def _save(self, name: str, values: NDArray[np.generic]) -> None:
        np.save(self.folder / f"{name}.npy", values, allow_pickle=False)


def _strings(values: list[str]) -> NDArray[np.generic]:
    return np.array(values, dtype=np.str_) if values else np.zeros(0, "U1")
