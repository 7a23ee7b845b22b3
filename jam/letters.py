"""Letters of any script: where a word ends, and which spellings count as one. Knows nothing of languages."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_MARK_BLOCKS = (
    (0x300, 0x3100),
    (0xA66F, 0xAC00),
    (0xFB1E, 0xFE30),
    (0x10000, 0x12000),
    (0x16A00, 0x17000),
    (0x1BC00, 0x1BD00),
    (0x1CF00, 0x1EA00),
    (0xE0100, 0xE01F0),
)
"""Where Unicode has its combining marks; to look at every code point would take as long as a short command."""


@lru_cache(maxsize=1)
def _mark() -> str:
    """A regular expression: a combining mark (vowel sign, virama, accent), which `\\w` is not. In two parts, since a
    class of characters is looked up fast only where it has none of the rare ones.
    """
    common, rare = _marks(0, 0x10000), _marks(0x10000, 0x110000)
    return rf"(?:[{common}]|(?=[\U00010000-\U000e01ef])[{rare}])"


def _marks(first: int, end: int) -> str:
    found: list[list[int]] = []
    for block in _MARK_BLOCKS:
        for number in range(max(first, block[0]), min(end, block[1])):
            if unicodedata.category(chr(number)).startswith("M"):
                if found and number == found[-1][1] + 1:
                    found[-1][1] = number
                else:
                    found.append([number, number])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in found)


HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Chinese characters, as the inside of a character class, as are the following."""
KATAKANA = "\u30a1-\u30ff"
HANGUL = "\uac00-\ud7af"
_SOUTH_EAST_ASIAN = "\u0e01-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u109f\u1780-\u17d3\ua9e0-\uaa7f"
UNSPACED = f"{HAN}\u3040-\u30ff{HANGUL}{_SOUTH_EAST_ASIAN}"
"""Letters that are searched for in pairs: Chinese, Japanese, Thai, Lao, Burmese and Khmer set no spaces between words;
Korean ones do, but hang their endings on the word."""

_WORD = r"[^\W_]+(?:MARK+[^\W_]+)*MARK*"
"""A run of letters and digits with their marks. No text fits it in two ways."""
_PLAIN_WORD = r"[^\W_]+"
_JOINTS = r"[_.:/\\@#+-]+"
_CLUSTER = r"(?!MARK).MARK*(?:(?<=[\u17d2\u1039])(?!MARK).MARK*)*|MARK+"
_STACKED = r"(MARK{8})MARK+"
_UNSPACED_RUN = f"([{UNSPACED}]+(?:MARK+[{UNSPACED}]*)*)"


@lru_cache(maxsize=16)
def _pattern(expression: str) -> re.Pattern[str]:
    """Compiled when first needed: with all the marks it takes a while, and plain text has none."""
    return re.compile(expression.replace("MARK", _mark()) if "MARK" in expression else expression)


_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u180b-\u180f\u200d-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\u20d0-\u20f0"
    "\u0610-\u061a\u0640\u064b-\u0652\u0656-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]"
)
"""What may be left out of a word: soft hyphens, joiners, marks of direction, the Arabic stretch, the vowel points of
Arabic and Hebrew."""
_ACCENTS = re.compile("[\u0300-\u036f\u0653-\u0655\u093c\u09bc\u0a3c\u0abc\u0b3c\U000e0100-\U000e01ef]")
_DIGITS = "٠۰߀०০੦૦୦௦౦೦൦๐໐༠၀០᠐"
"""The zeros of other scripts, each followed by its other nine digits."""
_ALIKE = str.maketrans(
    {ord(zero) + number: str(number) for zero in _DIGITS for number in range(10)}
    | {"ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i"}
    | {"ŋ": "n", "ŧ": "t", "ς": "σ", "ँ": "ं", "ঁ": "ং"}
    | {"ى": "ي", "ی": "ي", "ک": "ك", "ہ": "ه", "ھ": "ه", "ە": "ه", "ة": "ه", "ٱ": "ا"}
)


def plain_letters(text: str) -> str:
    """A text in which one letter has one spelling (wide and narrow, composed and not) and none is unseen."""
    if text.isascii():
        return text
    text = _pattern(_STACKED).sub(r"\1", text)  # to order many marks on one letter takes a time that is quadratic
    return _UNSEEN.sub("", unicodedata.normalize("NFKC", text)).replace("\u2019", "'")


def fold(word: str) -> str:
    """A lower-case word as one types it without accents: `canción` and `cancion`, `Straße` and `Strasse` become one.

    Forms of alef and yeh count as one too, and the digits of all scripts.
    """
    if word.isascii():
        return word
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", word))
    return unicodedata.normalize("NFC", bare).translate(_ALIKE)


def words_of(text: str) -> list[str]:
    """The runs of letters and digits of a text, each with its marks."""
    return _pattern(_PLAIN_WORD if text.isascii() else _WORD).findall(text)


def chunks_of(text: str) -> list[str]:
    """Words, and words joined by the punctuation that identifiers and paths use."""
    word = _PLAIN_WORD if text.isascii() else _WORD
    return _pattern(rf"{word}(?:{_JOINTS}{word})*").findall(text)


def unspaced_runs(word: str) -> list[str]:
    """A word cut where scripts whose letters are searched for in pairs begin and end: every other piece is of them."""
    return _pattern(_UNSPACED_RUN).split(word)


def clusters(word: str) -> list[str]:
    """What a reader takes for the letters of a word: each with its marks, and with those that are stacked below it."""
    return _pattern(_CLUSTER).findall(word) if _pattern("MARK").search(word) else list(word)
