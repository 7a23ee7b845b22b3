"""Several segments to one, the same as if it had been made of their files at once. No text is read again."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from jam.index.codes import CODE, SCALE, CodeWriter
from jam.index.collection import Collection
from jam.index.columns import MESSAGE_COLUMNS, FileColumns, VectorColumns, write_messages
from jam.index.growing import Growing
from jam.index.passages import Passages
from jam.index.postings import Postings
from jam.index.words import Forward

_ROWS = 16_384
_POSTINGS = 1_048_576
"""Messages, and postings, that are in memory at a time."""


def merge(collection: Collection, folder: Path) -> None:
    """Writes the arrays of one segment that holds what the collection holds."""
    _merge_files(collection, folder)
    _merge_messages(collection, folder)
    _merge_postings(collection, folder)
    _merge_words(collection, folder)
    if collection.coded:
        _merge_codes(collection, folder)


def _merge_files(collection: Collection, folder: Path) -> None:
    columns = FileColumns(folder, collection.embedder.dimensions)
    sizes, days, languages = np.diff(collection.start), collection.file_day, collection.file_language
    for number in range(len(sizes)):
        total = collection.file_sums(slice(number, number + 1))[0]
        columns.add(int(sizes[number]), int(days[number]), str(languages[number]), total)
    columns.close()


def _merge_messages(collection: Collection, folder: Path) -> None:
    used, speaker = np.unique(collection.columns["speaker"], return_inverse=True)
    columns = {**collection.columns, "speaker": speaker}
    write_messages(folder, {name: columns[name] for name in MESSAGE_COLUMNS}, [collection.speakers[n] for n in used])
    vectors = VectorColumns(folder, collection.embedder.dimensions)
    for begin in range(0, len(collection), _ROWS):
        block = slice(begin, begin + _ROWS)
        vectors.put(*(collection.rows(name, block) for name in ("sum", "scale", "signature")))
    vectors.close()


def _merge_codes(collection: Collection, folder: Path) -> None:
    writer = CodeWriter(folder, collection.segments[0][CODE].shape[1])
    for begin in range(0, len(collection), _ROWS):
        block = slice(begin, begin + _ROWS)
        writer.put(collection.rows(CODE, block), collection.rows(SCALE, block))
    writer.close()


def _merge_postings(collection: Collection, folder: Path) -> None:
    postings = Postings(folder, mixed=True)
    for number, arrays in enumerate(collection.segments):
        start = np.asarray(arrays["posting_start"])
        for begin in range(0, int(start[-1]), _POSTINGS):
            block = slice(begin, min(begin + _POSTINGS, int(start[-1])))
            messages = collection.here(number, arrays["posting_message"][block])
            kept = messages >= 0
            terms = np.searchsorted(start, np.arange(block.start, block.stop), side="right") - 1
            postings.put(arrays["term_key"][terms[kept]], messages[kept], arrays["posting_count"][block][kept])
    postings.write(folder, np.asarray(collection.columns["length"], np.int32))


def _merge_words(collection: Collection, folder: Path) -> None:
    everything = Passages(collection, np.ones(len(collection.start) - 1, bool))
    numbers = everything.words[0]
    keys = collection.word_keys(numbers)
    vectors = Growing(folder / "word_vector.npy", np.int8, collection.embedder.dimensions)
    np.save(folder / "word_key.npy", keys, allow_pickle=False)
    for begin in range(0, len(numbers), _ROWS):
        vectors.append(collection.of_words("word_vector", numbers[begin : begin + _ROWS]))
    vectors.close()
    forward = Forward(folder)
    for _, places, sizes in everything.word_blocks():
        forward.add(keys[places], sizes.tolist())
    forward.write(folder, keys)
