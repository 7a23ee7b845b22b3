"""All secrets of a text, in the order of their places.

One search for a few fixed strings, and one for long runs of letters and digits, say where a secret can be at all; the
patterns are tried only there, and each looks a bounded way ahead and back. So ordinary text costs little, and the time
grows with the length of the text, whatever is in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from jam.secrets.blocks import find_private_keys
from jam.secrets.commands import PARTS, find_argument
from jam.secrets.disguises import undisguised
from jam.secrets.elsewhere import IN_ASCII, SPACED, UNSPACED, find_said_spaced, find_said_unspaced
from jam.secrets.headers import find_authorization, find_bearer, find_cookies
from jam.secrets.marks import Secret
from jam.secrets.named import find_under_name
from jam.secrets.numbers import find_number
from jam.secrets.tokens import find_tokens
from jam.secrets.urls import find_credentials, find_in_code, find_signature

FINGERPRINT = "2"
"""Changes with what is found: text redacted by an older one may hold what this one finds."""

_SHORTEST = 8
_BLOCK = 65_536
_OVERLAP = 1024
"""No hint of a secret, and no run of letters and digits that is needed to see one, is longer."""

# Each hint is searched for by a part that begins with a rare letter, which is what makes the search fast.
_HINT = re.compile(
    rb"p(?:ass|w|sk|search(?<=ldapsearch)|modify(?<=ldapmodify)| -p (?<=zip -p ))|ke(?:y|nnwort|n(?<=token))"
    rb"|c(?:ret(?<=secret)|red(?:ential|s)|ontrase|lave|url|ookie|li (?<=redis-cli )|lient (?<=[bc]client ))"
    rb"|b(?:earer| (?<=mariadb ))|_auth|://|ysql|g(?:=(?<=sig=)|in (?<=login ))"
    rb"|u(?:thorization|do -|se (?<=net use )|ser (?<=net user ))"
)
_RARER_HINTS = (b"senha", b"wachtwoord", b"heslo")
_ELSEWHERE = tuple(word.replace("_", " ").encode() for word in IN_ASCII)
_WIFI = b"wifi:"
_Finder = Callable[[str, int, int], Iterable[Secret]]
"""Looks at the text around one hint, which is at (start, end)."""
_FINDERS: dict[bytes, _Finder] = {
    b"://": find_credentials,
    b"uthorization": find_authorization,
    b"bearer": find_bearer,
    b"cookie": find_cookies,
    b"g=": find_signature,
    **dict.fromkeys(PARTS, find_argument),
}
"""The other hints are parts of names."""
_OTHER_HINT = re.compile("|".join((*UNSPACED, *SPACED)), re.IGNORECASE)

_LETTERS = bytes(97 if (chr(code).isalnum() and code < 128) or chr(code) in "_-." else 32 for code in range(256))
_RUN = b"a" * 20
"""Every token has so many letters and digits on end."""
_DIGITS = bytes(
    48 if 48 <= code < 58 else 65 if 65 <= code < 91 else 32 if code in b" -" else 46 for code in range(256)
)
_NUMBERS = (b"0000 0000 0000 000", b"0000 000000 00000", b"0" * 15, b"000 00 0000", b"AA00")


def find_secrets(text: str) -> list[Secret]:
    """The secrets of a text. Placeholders, code that only names a secret, and marks of earlier redaction are none."""
    if len(text) < _SHORTEST:
        return []
    shown = undisguised(text)
    if shown is None:
        return _in_text(text)
    return [Secret(secret.kind, *shown.inner(secret.start, secret.end)) for secret in _in_text(shown.text)]


def find_tokens_only(text: str) -> list[Secret]:
    """The secrets of a short text that are known by their form alone: tokens and private keys."""
    letters = text.encode("latin-1", "replace").translate(_LETTERS)
    found = [*find_private_keys(text), *_tokens(text, 0, letters)]
    return _joined(found) if len(found) > 1 else found


def _in_text(text: str) -> list[Secret]:
    found = list(find_private_keys(text))
    for start in range(0, max(1, len(text) - _OVERLAP), _BLOCK):
        found += _in_block(text, start, text[start : start + _BLOCK + _OVERLAP])
    return _joined(found) if len(found) > 1 else found


def _in_block(text: str, start: int, block: str) -> Iterator[Secret]:
    data = block.encode("latin-1", "replace")  # a byte for each character: places stay the same
    letters = data.translate(_LETTERS)
    if _RUN in letters:
        yield from _tokens(text, start, letters)
    lowered = data.lower()
    done: set[int] = set()
    for hint in _HINT.finditer(lowered):
        place, end = start + hint.start(), start + hint.end()
        finder = _FINDERS.get(hint[0])
        yield from finder(text, place, end) if finder else find_under_name(text, place, end, done)
    for name in _RARER_HINTS:
        for place in _places(lowered, name):
            yield from find_under_name(text, start + place, start + place + len(name), done)
    for name in _ELSEWHERE:
        for place in _places(lowered, name):
            yield from find_said_spaced(text, start + place, start + place + len(name))
    for place in _places(lowered, _WIFI):
        yield from find_in_code(text, start + place + len(_WIFI))
    digits = data.translate(_DIGITS)
    for number in _NUMBERS:
        for place in _places(digits, number):
            yield from find_number(text, start + place)
    if not block.isascii() and any(map(block.lower().__contains__, (*UNSPACED, *SPACED))):
        for word in _OTHER_HINT.finditer(block):
            find = find_said_unspaced if word[0] in UNSPACED else find_said_spaced
            yield from find(text, start + word.start(), start + word.end())


def _places(data: bytes, needle: bytes) -> Iterator[int]:
    place = data.find(needle)
    while place >= 0:
        yield place
        place = data.find(needle, place + len(needle))


def _tokens(text: str, start: int, letters: bytes) -> Iterator[Secret]:
    """Tokens in the long runs of letters and digits."""
    place = letters.find(_RUN)
    while place >= 0:
        end = letters.find(b" ", place + len(_RUN))
        end = len(letters) if end < 0 else end
        yield from find_tokens(text, start + place, start + end)
        place = letters.find(_RUN, end)


def _joined(found: list[Secret]) -> list[Secret]:
    """In their order, those that overlap as one: named by the one that is surer of its form, which was found first."""
    order = {secret: number for number, secret in reversed(list(enumerate(found)))}
    joined: list[Secret] = []
    for secret in sorted(order, key=lambda item: (item.start, -item.end)):
        if joined and secret.start < joined[-1].end:
            last = joined[-1]
            kind = last.kind if order.get(last, 0) <= order[secret] else secret.kind
            joined[-1] = Secret(kind, last.start, max(last.end, secret.end))
        else:
            joined.append(secret)
    return joined
