"""The date that a note's name states: `2024-05-06`, `2024_05_06`, `20240506`, `202405061405`, `May 6th, 2024`,
`2024/05/06.md`."""

from __future__ import annotations

import re

from jam.history.parsing.times import iso_time, time_in_name
from jam.history.parsing.written_dates import time_in_words
from jam.history.source import SourceFile

_MINUTES = re.compile(r"(\d{4}-\d{2}-\d{2})[_T](\d{2})-(\d{2})Z(?![\w:.])")
_STAMP = re.compile(r"((?:19|20)\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})?(?!\d)")
_OTHER_SIGNS = re.compile(r"(\d{4})([_.])(\d{2})\2(\d{2})(?!\d)")
_LEADING = re.compile(
    r"^\d{4}([-_.]?)\d{2}\1\d{2}(?:[T_ ]\d{2}[-.:]\d{2}(?:[-.:]\d{2})?Z?|\d{4}(?:\d{2})?)?(?!\d)[\s_-]*"
)
_YEAR, _TWO_DIGITS = re.compile(r"(?:19|20)\d{2}"), re.compile(r"\d{2}")


def time_of_file(file: SourceFile) -> str | None:
    """The date, perhaps with its time, that the file's name states, or its name with the folders above it."""
    stem = file.stem
    if found := _MINUTES.match(stem):
        return iso_time(f"{found[1]}T{found[2]}:{found[3]}Z")
    if found := _STAMP.match(stem):
        seconds = f":{found[6]}" if found[6] else ""
        return iso_time(f"{found[1]}-{found[2]}-{found[3]}T{found[4]}:{found[5]}{seconds}")
    if found := _OTHER_SIGNS.match(stem):
        return iso_time(f"{found[1]}-{found[3]}-{found[4]}")
    return time_in_name(stem) or _of_folders(file) or time_in_words(stem)


def _of_folders(file: SourceFile) -> str | None:
    """Daily notes that are filed by year and month."""
    *_, year, month = ("", "", *file.folders)
    if _YEAR.fullmatch(year) and _TWO_DIGITS.fullmatch(month) and _TWO_DIGITS.fullmatch(file.stem):
        return iso_time(f"{year}-{month}-{file.stem}")
    return None


def title_from_name(stem: str) -> str:
    """A title from a file name: without its date, and without dashes where they stand for blanks."""
    rest = _LEADING.sub("", stem)
    if not rest:
        return stem
    return rest if " " in rest else rest.replace("_", " ").replace("-", " ").strip() or stem
