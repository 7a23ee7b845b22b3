"""What kind of statement a message makes, and what kind a question asks for: a time, an amount, a name.

Signs on the surface, of many languages: digits, words for times and numbers, letters in upper case, question marks.
"""

from __future__ import annotations

import enum
import re

from jam.index.question_words import QUESTION_WORDS
from jam.times.vocabulary import number_words, time_words

_WORD = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")
_NAMED = re.compile(r"(?<=\w )[^\W\d_]\w+|(?<=[,;:] )[^\W\d_]\w+")
"""Words within a sentence: an upper-case letter tells a name there."""
_ASIAN_TIME = re.compile("[年月日週周]|昨|明天|今天|오늘|어제|내일|작년|지난")
_END = " \t\n\"'”’»)]*_"
_QUESTION = ("?", "？", "؟", "⸮", "՞")
_UNSPACED = "\u3000"
"""Phrases from here on are of languages that set no spaces between words."""
_LOOKED_AT = 4_000
"""Characters of a text that are looked at."""


class Trait(enum.IntFlag):
    """Signs of a message."""

    asks = 1
    """It ends with a question."""
    time = 2
    number = 4
    named = 8


class Wanted(enum.IntFlag):
    """What a question asks for."""

    time = 1
    number = 2
    named = 4


def traits(text: str) -> Trait:
    """The signs of a message."""
    shown = text[:_LOOKED_AT]
    words = set(_WORD.findall(shown.lower()))
    found = Trait(0)
    if text[-40:].rstrip(_END).endswith(_QUESTION):
        found |= Trait.asks
    if words & time_words() or _ASIAN_TIME.search(shown):
        found |= Trait.time
    if _DIGIT.search(shown) or words & number_words():
        found |= Trait.number
    if any(word[0].isupper() for word in _NAMED.findall(shown)):
        found |= Trait.named
    return found


def wanted(question: str) -> Wanted:
    """What a question asks for, as its question words tell."""
    padded = f" {' '.join(_WORD.findall(question.lower()))} "
    found = Wanted(0)
    for kind, phrases in QUESTION_WORDS.items():
        if any(phrase in question if phrase >= _UNSPACED else f" {phrase} " in padded for phrase in phrases):
            found |= Wanted[kind]
    return found
