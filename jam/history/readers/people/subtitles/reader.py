"""Subtitles and transcripts of meetings: WebVTT, SubRip and SBV. A cue is a message.

Cues have times within a recording only (`offset`); when it was made is known where the file's name or a comment says
so. Styles are dropped, words are not. Captions that roll repeat every line; each is read once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from jam.errors import UnreadableFile
from jam.history.parsing.decoding import decode, looks_binary
from jam.history.parsing.documents import title_from_name
from jam.history.parsing.jsontext import read_whole
from jam.history.parsing.times import iso_time, time_in_name
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.history.readers.people.subtitles.cues import (
    Captions,
    Cue,
    is_timing,
    lines_of,
    read_captions,
    starts_as_webvtt,
    without_repetition,
)
from jam.session import Message, Session

SUFFIXES = frozenset({".vtt", ".srt", ".sbv"})
_SAMPLE_LINES = 60
_TITLE = re.compile(r"\s*WEBVTT\s*[-–:]\s*(\S.*)")
_DATE = re.compile(
    r"(?:NOTE\s+)?(?:date|start(?:ed)?(?: at| time| date)?|recorded(?: on| at)?|created(?: at)?|creation date)"
    r"\s*[:=]\s*(\S.{0,40})",
    re.IGNORECASE,
)
_FACT = re.compile(r"(?:NOTE\s+)?(kind|language)\s*:\s*(\S.{0,40})", re.IGNORECASE)
_RECORDING = re.compile(r"GMT(\d{4})(\d{2})(\d{2})-(\d{2})(\d{2})(\d{2})")
_NAMED = re.compile(
    r"(?:>>+[ \t]*|-[ \t]*)?(?P<who>[^\s:：<>\[\]{}\"!?,;][^:：<>\[\]{}\"!?\n]{0,58})[:：](?:\s+|(?=[^\x00-\x7f]))"
)
_NOT_NAMES = frozenset("note notes warning question answer example remember step chapter http https".split())
_WORDS_OF_A_NAME = 4


class Subtitles:
    """See the module."""

    name = "subtitles"
    description = "subtitles and meeting transcripts (*.vtt, *.srt, *.sbv), recognised by cues with a timing line"

    def recognises(self, file: SourceFile) -> float:
        """Sure where a timing stands near the beginning, or the mark of WebVTT at the very beginning."""
        if looks_binary(file.sample):
            return 0.0
        text = decode(file.sample)
        lines = lines_of(text[:20_000])[:_SAMPLE_LINES]
        if file.suffix in SUFFIXES:
            known = starts_as_webvtt(text) or any(is_timing(line, file.suffix == ".sbv") for line in lines)
            return 0.95 if known else 0.3
        if starts_as_webvtt(text):
            return 0.9
        filled = [line for line in lines if line.strip()]
        numbered = len(filled) > 1 and filled[0].strip().isdecimal() and is_timing(filled[1], sbv=False)
        return 0.8 if numbered else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """One session."""
        captions = read_captions(read_whole(file).removeprefix("\ufeff"), file.suffix == ".sbv")
        cues = list(without_repetition(captions))
        messages = _messages(cues)
        if not messages:
            raise UnreadableFile("no cues with a text in it")
        yield Session(
            id=file.name,
            messages=tuple(messages),
            title=_title(captions) or title_from_name(file.stem),
            format=self.name,
            origin=file.name,
            group=file.folders,
            at=_date(captions, file.stem),
            meta=_facts(captions),
        )
        yield Note(ignored=captions.ignored + sum(not _is_said(cue) for cue in cues))


def _is_said(cue: Cue) -> bool:
    return any(words for _, words in cue.lines)


def _title(captions: Captions) -> str | None:
    found = _TITLE.match(captions.notes[0]) if captions.notes else None
    return found[1].strip() if found else None


def _date(captions: Captions, stem: str) -> str | None:
    """When it was recorded, as far as a comment or the name tells."""
    stated = (iso_time(found[1]) for line in captions.notes if (found := _DATE.match(line)))
    recording = _RECORDING.search(stem)  # as Zoom names them
    named = iso_time("{}-{}-{}T{}:{}:{}Z".format(*recording.groups())) if recording else None
    return next(filter(None, stated), None) or named or time_in_name(stem)


def _facts(captions: Captions) -> dict[str, str]:
    found = filter(None, map(_FACT.match, captions.notes))
    return {match[1].lower(): match[2].strip() for match in found}


def _messages(cues: list[Cue]) -> list[Message]:
    said = [(cue, speaker, text) for cue in cues for speaker, text in _turns(cue)]
    names = _names([text for _, speaker, text in said if speaker is None])
    ids = Counter(cue.id for cue in cues)
    messages: list[Message] = []
    before: Cue | None = None
    for cue, speaker, text in said:
        if speaker is None:
            speaker, text = _split_name(text, names)
        own = cue.id if ids[cue.id] == 1 and cue is not before else None
        meta = {"offset": cue.start} if cue.start else {}
        messages.append(Message(role="user", text=text, id=own, speaker=speaker, meta=meta))
        before = cue
    return messages


def _turns(cue: Cue) -> Iterator[tuple[str | None, str]]:
    """What each voice says in a cue: one turn, unless tags name several."""
    speaker: str | None = None
    lines: list[str] = []
    for who, words in cue.lines:
        if who != speaker and lines:
            yield speaker, "\n".join(lines)
            lines = []
        speaker = who
        if words:
            lines.append(words)
    if lines:
        yield speaker, "\n".join(lines)


def _names(texts: list[str]) -> frozenset[str]:
    """The names that cues begin with: whatever most of them begin with, otherwise what looks like a name and recurs."""
    counts = Counter(found["who"] for text in texts if (found := _NAMED.match(text)))
    total = sum(counts.values())
    if total >= 2 and total >= 0.6 * len(texts):
        return frozenset(name for name in counts if not name.strip().isdecimal())
    return frozenset(name for name, count in counts.items() if count > 1 and _looks_like_a_name(name))


def _looks_like_a_name(name: str) -> bool:
    words = name.split()
    capital = all(not word[0].islower() for word in words if word[0].isalpha())
    return len(words) <= _WORDS_OF_A_NAME and capital and name.lower() not in _NOT_NAMES and not name.isdecimal()


def _split_name(text: str, names: frozenset[str]) -> tuple[str | None, str]:
    found = _NAMED.match(text)
    if found is None or found["who"] not in names or found.end() == len(text):
        return None, text
    return found["who"].strip(), text[found.end() :]
