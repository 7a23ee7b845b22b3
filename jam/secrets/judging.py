"""Whether a value is a secret: made by chance, or chosen as a password."""

from __future__ import annotations

import re

from jam.secrets.placeholders import ENOUGH, is_expression, is_place, no_password, placeholder

_IN_SENTENCES = frozenset(
    "the and for with must not enter please that this your you was are has have can may from new old".split()
)
_WORD = re.compile(r"[A-Za-z_]+")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_SIGN = re.compile(r"[!@#$%^&+=?~]")
_SIGN_WITHIN = re.compile(r"\w[!@#$%^]\w")
_LETTER = re.compile(r"[^\W\d_]")
_DIGIT = re.compile(r"[0-9]")
_STRETCH = re.compile(r"[A-Za-z0-9]+")
_DIGITS_AMONG_LETTERS = re.compile(r"(?<=[A-Za-z])\d+|\d+(?=[A-Za-z])")
_WORDY = re.compile(r"[a-z]{2,}|[A-Z]{6,}|\d{4,}")
"""What names in code are made of, and chance hardly makes."""
_SWITCH = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[a-z0-9])|(?<=[0-9])(?=[A-Za-z])")


def random_like(value: str, wordy: float = 0.6) -> bool:
    """Whether a long value was made by chance: no words, names or dates joined by signs.

    `wordy` is the share of it that may look like words.
    """
    value = value.rstrip("=")[:ENOUGH]
    if len(value) < 16 or _UUID.fullmatch(value) or not _LETTER.search(value):
        return False
    if _HEX.fullmatch(value):
        return len(value) >= 24
    groups = len(_DIGITS_AMONG_LETTERS.findall(value))
    if value.upper() == value or value.lower() == value:
        return groups >= max(3, len(value) // 10) and "/" not in value
    if sum(map(len, _WORDY.findall(value))) >= wordy * len(value):
        return False
    switches = len(_SWITCH.findall(value)) / len(value)
    return (switches >= 0.3 and groups >= 1) or switches >= 0.42


def key_like(value: str, quoted: bool = False) -> bool:
    """Whether a value that is called a key, a token or a secret is one: some length, and not just words.

    One in quotes is no name of something else, as one without may be.
    """
    value = value[:ENOUGH]
    if len(value) < 8 or not value.isascii() or placeholder(value) or is_expression(value):
        return False
    if random_like(value, 0.8 if quoted else 0.6) or _UUID.fullmatch(value):
        return True
    if _is_place(value) or value.startswith("0x") or no_password(value):
        return False
    if len(_DIGIT.findall(value)) < 2 or not _LETTER.search(value):
        return False
    return max(map(len, _STRETCH.findall(value))) >= 8 or bool(_SIGN.search(value))


def password_like(value: str) -> bool:
    """Whether a bare word in a sentence is a password: no word of a language has digits and signs in it."""
    if not 4 <= len(value) <= 128 or placeholder(value) or _is_place(value) or no_password(value):
        return False
    if not _LETTER.search(value):
        return False
    return bool(_DIGIT.search(value) or _SIGN.search(value[:-1])) or value.count("-") >= 3


def strong_password(value: str) -> bool:
    """Stricter, for a word that only stands beside the word `password`."""
    digits = len(_DIGIT.findall(value))
    mixed = _SIGN_WITHIN.search(value) and not value.islower()
    sure = digits >= 2 or (digits == 1 and _SIGN.search(value)) or mixed or value.count("-") >= 3
    return len(value) >= 6 and bool(sure) and password_like(value)


def phrase_like(value: str) -> bool:
    """Whether several words in quotes are a pass phrase: no sentence, and no label."""
    words = value.split(" ")
    if not 2 <= len(words) <= 12 or placeholder(value) or not value.isprintable():
        return False
    if all(word.isalpha() and word.islower() and len(word) >= 3 for word in words):
        return len(words) >= 4 and not _IN_SENTENCES.intersection(words)
    mixed = any(_DIGITS_AMONG_LETTERS.search(word) and not no_password(word) for word in words)
    return mixed and len(words) <= 4 and not value.endswith((".", ":", "?"))


def in_quotes_like(value: str) -> bool:
    """Whether a value in quotes is a password: it may be any word, but no label and no expression."""
    if " " in value:
        return phrase_like(value)
    if not 4 <= len(value) <= ENOUGH or any(map(str.isspace, value)) or placeholder(value):
        return False
    if is_word(value):
        return value.islower() and "_" not in value
    label = value.endswith((":", "?")) and not _DIGIT.search(value)
    return not label and not _is_place(value) and any(map(str.isalnum, value))


def is_word(value: str) -> bool:
    """Whether a value is letters only, as a name in code and a word of a language are."""
    return bool(_WORD.fullmatch(value))


def _is_place(value: str) -> bool:
    return is_place(value) and (is_expression(value) or not _is_random_somewhere(value))


def _is_random_somewhere(value: str) -> bool:
    return random_like(value) or any(map(random_like, re.split(r"[^\w+/=-]+", value)))
