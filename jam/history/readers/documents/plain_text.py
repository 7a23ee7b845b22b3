"""Plain text: notes, logs, transcripts, books, and any other text that no other reader claims."""

from __future__ import annotations

from collections.abc import Iterator

from jam.errors import UnreadableFile
from jam.history.parsing.blocks import Style
from jam.history.parsing.decoding import looks_binary
from jam.history.parsing.documents import Source, conversation, document
from jam.history.parsing.front_matter import front_matter
from jam.history.parsing.headed_turns import headed_turns
from jam.history.parsing.jsontext import read_whole, sample_json
from jam.history.parsing.spoken_turns import spoken_turns
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.session import Session

TEXT_SUFFIXES = frozenset({".txt", ".text", ".log", ".rst", ".org"})
DATA_SUFFIXES = frozenset(
    ".json .jsonl .ndjson .json5 .ipynb .yaml .yml .toml .lock .csv .tsv .parquet .xml .svg .css .map .plist .sql .rtf"
    " .base .canvas .pdf .docx .epub".split()
)
"""Data, of which only a reader that knows its structure makes sense."""


class PlainText:
    """See the module."""

    name = "plain_text"
    description = "plain text (*.txt, *.text, *.log, *.rst, *.org, no ending), and any other text as a last resort"

    def recognises(self, file: SourceFile) -> float:
        """Fairly sure of known endings; a last resort for other text; never for data files."""
        if file.suffix in DATA_SUFFIXES or looks_binary(file.sample):
            return 0.0
        if file.suffix in TEXT_SUFFIXES:
            return 0.5
        sample = sample_json(file)
        if sample is not None and any(sample.values):
            return 0.0  # data under an unusual name; a note that begins with `[ ]` is none
        return 0.4 if not file.suffix else 0.1

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """One conversation, or the parts of one document."""
        text = read_whole(file)
        if not text.strip("\ufeff \t\r\n"):
            raise UnreadableFile("empty")
        head = front_matter(text)
        style: Style = "org" if file.suffix == ".org" else "plain"
        speakers = head.texts("speakers", "speaker")
        meta = {"speakers": speakers} if speakers else {}
        source = Source(file, self.name, text[head.end :].removeprefix("\ufeff"), style, head, meta)
        known = file.suffix in TEXT_SUFFIXES or not file.suffix
        found = (headed_turns(source.text) or spoken_turns(source.text)) if known else None
        if found is None:
            yield from document(source)
        else:
            yield conversation(source, *found, title=None)
