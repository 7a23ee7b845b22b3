"""Cues of WebVTT, SubRip and SBV: when, and what was said, line by line. Nothing here knows about files.

Departures from the standards, because real files depart from them: a timing without a blank line before it begins a
cue, a block without a timing is a cue whose time is unknown, and any number of digits is a time.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_NEW_LINE = re.compile(r"\r\n|\n|\r")
_TIMING = re.compile(r"\s*(?P<start>\d\S{0,30}:\S{0,30}?)\s*-->")
_SBV_TIMING = re.compile(r"\s*(?P<start>\d+:\d{1,2}:\d{1,2}(?:\.\d+)?),\d+:\d{1,2}:\d{1,2}(?:\.\d+)?\s*")
_TIME = re.compile(r"(?:\d+:)?\d{1,2}:\d{1,2}(?:[.,]\d+)?", re.ASCII)
_NOT_CUES = re.compile(r"(?:NOTE|STYLE|REGION)(?:\s|$)")
_HEADER = re.compile(r"\s*WEBVTT(?:\s|$)")
_VOICE = re.compile(r"<v(?:\.[^\s<>]{0,60})?\s{1,8}([^<>]{1,200})>", re.IGNORECASE)
_WORD_TIME = re.compile(r"<(?:\d+:)?\d{1,2}:\d{2}[.,]\d+>")
_TAG = re.compile(r"</?(?:c|i|b|u|s|v|lang|ruby|rt|font|span)(?:[.\s][^<>]*)?/?>|\{\\[^{}\n]*\}", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{1,10});", re.IGNORECASE)
_LONGEST_OVERLAP = 8


@dataclass(slots=True)
class Cue:
    """One caption."""

    start: str | None = None
    """As the file has it; `None` where it is missing or no time."""
    id: str | None = None
    lines: list[tuple[str | None, str]] = field(default_factory=list)
    """Who speaks, as far as a voice tag tells, and the words."""


@dataclass(slots=True)
class Captions:
    """All of a file."""

    cues: list[Cue] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """The lines of the header and of comments."""
    ignored: int = 0
    """Comments, styles and other blocks that are no cues."""
    timed_words: bool = False
    """Whether single words have times, as captions made while someone speaks have."""


def is_timing(line: str, sbv: bool) -> bool:
    """Whether a line says when a cue is shown."""
    return _timing(line, sbv) is not None


def starts_as_webvtt(text: str) -> bool:
    """Whether a text begins with the mark of WebVTT."""
    return _HEADER.match(text) is not None


def lines_of(text: str) -> list[str]:
    """The lines of a text, whatever ends them."""
    return _NEW_LINE.split(text)


def read_captions(text: str, sbv: bool) -> Captions:
    """The cues of a text, in their order."""
    return _Parser(sbv, starts_as_webvtt(text)).read(text)


def _timing(line: str, sbv: bool) -> re.Match[str] | None:
    return _SBV_TIMING.fullmatch(line) if sbv else _TIMING.match(line)


class _Parser:
    """A text being read, line by line."""

    def __init__(self, sbv: bool, webvtt: bool) -> None:
        self.sbv = sbv
        self.webvtt = webvtt
        self.captions = Captions()
        self.cue: Cue | None = None
        self.block: list[str] = []
        """Lines that no timing has claimed yet."""

    def read(self, text: str) -> Captions:
        for line in lines_of(text):
            found = _timing(line, self.sbv)
            if found is not None:
                self._begin(found["start"])
            elif not line.strip():
                self.cue = None
                self._untimed()
            elif self.cue is not None:
                self._said(self.cue, line)
            else:
                self.block.append(line)
        self._untimed()
        return self.captions

    def _begin(self, start: str) -> None:
        """A cue begins; a line before it that is no text is its name."""
        name: str | None = None
        if self.cue is not None and self.cue.lines and self.cue.lines[-1][1].strip().isdecimal() and not self.webvtt:
            name = self.cue.lines.pop()[1].strip()  # the blank line between two cues is missing
        elif self.block and not _NOT_CUES.match(self.block[0]) and not _HEADER.match(self.block[0]):
            name = self.block.pop().strip()
        self._untimed()
        self.cue = Cue(start if _TIME.fullmatch(start) else None, name)
        self.captions.cues.append(self.cue)

    def _said(self, cue: Cue, line: str) -> None:
        self.captions.timed_words = self.captions.timed_words or _WORD_TIME.search(line) is not None
        speaker = cue.lines[-1][0] if cue.lines else None
        at = 0
        pieces: list[tuple[str | None, str]] = []
        for voice in _VOICE.finditer(line):
            pieces.append((speaker, line[at : voice.start()]))
            speaker, at = self._plain(voice[1]) or None, voice.end()
        pieces.append((speaker, line[at:]))
        kept = [(who, words) for who, piece in pieces if (words := self._plain(piece))]
        # A tag at the end of a line names who speaks in the next one.
        cue.lines += kept if kept or not at else [(speaker, "")]

    def _plain(self, line: str) -> str:
        words = _TAG.sub("", _WORD_TIME.sub("", line))
        if self.webvtt:
            words = _ENTITY.sub(lambda found: html.unescape(found[0]), words)
        return words.strip()

    def _untimed(self) -> None:
        """A block that ended without a timing: a comment, the header, or words whose time is missing."""
        block, self.block = self.block, []
        if not block:
            return
        captions = self.captions
        before_all = not captions.cues
        if _HEADER.match(block[0]) or (self.webvtt and (before_all or _NOT_CUES.match(block[0]))):
            captions.notes += block
            captions.ignored += not _HEADER.match(block[0])
            return
        numbered = len(block) > 1 and block[0].strip().isdecimal()
        if not (before_all or self.webvtt or numbered):
            cue = captions.cues[-1]  # in SubRip a blank line may stand inside a cue
        else:
            cue = Cue(id=block[0].strip() if numbered else None)
            captions.cues.append(cue)
        for line in block[1:] if numbered else block:
            self._said(cue, line)


def without_repetition(captions: Captions) -> Iterator[Cue]:
    """The cues, each line of rolling captions once: those show what was said a moment ago above what is said now."""
    repeated = list(_overlaps(captions.cues))
    count = sum(map(bool, repeated))
    if not (captions.timed_words and count) and not (count >= 3 and count >= 0.3 * len(captions.cues)):
        yield from captions.cues
        return
    for cue, overlap in zip(captions.cues, repeated, strict=True):
        yield Cue(cue.start, cue.id, cue.lines[overlap:])


def _overlaps(cues: list[Cue]) -> Iterator[int]:
    """With how many lines each cue repeats the end of the one before."""
    before: list[str] = []
    for cue in cues:
        lines = [words for _, words in cue.lines]
        longest = min(len(before), len(lines), _LONGEST_OVERLAP)
        yield next((size for size in range(longest, 0, -1) if before[-size:] == lines[:size]), 0)
        before = lines or before
