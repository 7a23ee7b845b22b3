"""Values assigned to a name: in code, settings, data, commands and addresses."""

from __future__ import annotations

import re

from jam.secrets.commands import find_argument_of
from jam.secrets.judging import in_quotes_like, is_word, key_like, password_like, random_like
from jam.secrets.marks import MARK, Secret
from jam.secrets.names import Meaning, meaning
from jam.secrets.placeholders import placeholder

_LONGEST_PASSWORD = 256
_LONGEST_KEY = 4096
_QUOTE = re.compile(r"(?:[bruBRU]{1,2}|@)?(?P<quote>\\{0,4}[\"'`])")
_SEPARATOR = re.compile(
    r"(?:(?P<closed>\\{0,4}[\"'`])\]?)?(?:\*\*|__)?(?:[ \t]{1,4}\([^()\n]{0,40}\))?[ \t]{0,20}"
    r"(?:"
    r"(?P<typed>:[ \t]*[A-Za-z_][\w.]{0,40}(?:[ \t]*[|\[][\w.\[\]| ,]{0,40})?(?:[ \t]+=(?![=~>])|=(?=[ \t]?[\"'])))"
    r"|(?P<sign>=>|={2,3}|:=|->|→|[:=：]|,(?=[ \t]?[\"'])|\((?=[ \t]?[\"']))"
    r"|(?P<attribute>[ \t]+value[ \t]*=)"
    r"|(?P<element>>)"
    r")(?:\*\*|__)?[ \t]{0,20}(?:\*\*|__)?"
)
_FLAG = re.compile(r"[= ][ \t]{0,4}")
_WITHIN = re.compile(
    r"[\"']?(?:[ \t]?:)?[ \t]?[{,]?(?:[ \t]?\r?\n[ \t]{1,20}|[ \t]?)(?<![\w-])[\"']?value[\"']?[ \t]?:[ \t]?"
)
"""`password:` with a `value:` of its own below it, or beside it."""
_PAIRS = ("creds", "cred", "credentials", "credential")
_USER_AND = re.compile(r"(?:user|username|login|name|e?mail)[ ]?[/&+][ ]?$", re.IGNORECASE)
_LONGEST_USER_AND = 12
_PAIR = re.compile(
    r"(?:[ ]?[:=]|[ ](?:are|is):?)[ ]?[\"'`*]{0,3}[\w.@+-]{2,64}(?P<sign>:|[ ]?/[ ]?(?=[^\s/]+(?:\s|$)))"
    r"(?P<value>[^\s\"'`,;|<>(){}\[\]]{4,128})"
)
"""`creds: ann:…`"""
_BARE = re.compile(r"[^\s\"'`,;|<>(){}\[\]\\]+")
_IN_QUERY = re.compile(r"[^\s\"'`,;|<>(){}\[\]\\&#]+")
_TO_SPACE = re.compile(r"[^\s\"'`\\|]+")
_NESTED = re.compile(r"(\w{1,40})[=:]")
_IN_ELEMENT = re.compile(r"[^<\n]+")
_SCHEME = re.compile(r"(?:Bearer|Token|Basic)[ +]", re.IGNORECASE)
_CALLED = re.compile(r"(?:set|with|use|add|put|password|passwd|passphrase|pwd|secret|token|api)", re.IGNORECASE)

Found = tuple[Secret | None, bool]
"""The secret, and whether the name has a value at all: then nothing else is looked for."""
_NOTHING: Found = (None, False)
_NO_SECRET: Found = (None, True)


def find_assigned(text: str, start: int, end: int, what: Meaning) -> Found:
    """The value assigned to the name at `text[start:end]`, if it is a secret."""
    if text.startswith("-", start) and start + 1 < end:
        return _after(text, _FLAG.match(text, end), what)
    if argument := find_argument_of(text[start:end], text, end):
        return argument, True
    if within := _WITHIN.match(text, end):
        return _after(text, within, what)
    announced = _USER_AND.search(text, max(0, start - _LONGEST_USER_AND), start)
    if (announced or text[start:end].lower() in _PAIRS) and (pair := _PAIR.match(text, end)):
        good = password_like(pair["value"]) and (announced or pair["sign"] != "/") and pair["value"][0] != "/"
        return (Secret("password", *pair.span("value")), True) if good else _NOTHING
    separator = _SEPARATOR.match(text, end)
    if separator is None:
        return _NOTHING
    position, sign = separator.end(), separator["sign"]
    if separator["element"]:
        return _element(text, start, position, what)
    if sign == "," and not (separator["closed"] and text[max(0, start - 2) : start - 1] == "("):
        return _NO_SECRET  # a list of words; `set("password", "…")` is none
    if sign == "(" and not _CALLED.match(text, start):
        return _NO_SECRET
    quoted = _quoted(text, position, what)
    if (
        quoted
        and quoted[0]
        and (sign == "," or text[start:end] == "pass")
        and is_word(text[quoted[0].start : quoted[0].end])
    ):
        return _NO_SECRET
    if quoted:
        return quoted
    if sign in (",", "(") or separator["attribute"]:
        return _NO_SECRET
    return _bare(text, start, end, separator, what)


def _element(text: str, start: int, position: int, what: Meaning) -> Found:
    """`<password>…</password>`"""
    value = _IN_ELEMENT.match(text, position, position + _LONGEST_KEY)
    if value is None or not text.startswith("<", start - 1) or not text.startswith("</", value.end()):
        return _NOTHING
    return (Secret(what.kind, *value.span()), True) if _in_quotes(value[0], what) else _NO_SECRET


def _quoted(text: str, position: int, what: Meaning) -> Found | None:
    """A value in quotes, also in quotes that are escaped."""
    quote = _QUOTE.match(text, position)
    if quote is None:
        return None
    sign, begin = quote["quote"], quote.end()
    limit = begin + (_LONGEST_PASSWORD if what.chosen else _LONGEST_KEY)
    end = text.find(sign, begin, limit)
    while end > begin and text[end - 1] == "\\" and len(sign) == 1:
        end = text.find(sign, end + 1, limit)
    if end < 0 or "\n" in text[begin:end] or MARK in text[begin:end]:
        return _NO_SECRET
    scheme = _SCHEME.match(text, begin, end)
    begin = scheme.end() if scheme else begin
    return (Secret(what.kind, begin, end), True) if _in_quotes(text[begin:end], what) else _NO_SECRET


def _in_quotes(value: str, what: Meaning) -> bool:
    """Whether a value in quotes is a secret."""
    if what.chosen:
        return in_quotes_like(value) and not meaning(value)
    return key_like(value, quoted=True) or (len(value) >= 30 and " " not in value and random_like(value))


def _after(text: str, sign: re.Match[str] | None, what: Meaning) -> Found:
    """`--password …`, `--password=…`: a word, or what stands in quotes."""
    if sign is None:
        return _NOTHING
    quoted = _quoted(text, sign.end(), what)
    return quoted or _judged(text, _TO_SPACE.match(text, sign.end(), sign.end() + _LONGEST_KEY), what)


def _bare(text: str, start: int, end: int, separator: re.Match[str], what: Meaning) -> Found:
    """A value without quotes."""
    position = separator.end()
    setting = text[start:end].isupper() and separator[0] == "="
    if start and text[start - 1] in "?&":
        form = _IN_QUERY
    else:
        form = _TO_SPACE if setting else _BARE
    value = form.match(text, position, position + (_LONGEST_PASSWORD if what.chosen else _LONGEST_KEY))
    if value is None:
        return (None, separator["sign"] not in (":", "："))
    nested = _NESTED.match(value[0])
    if text[value.end() : value.end() + 1] in ("(", "[") or (nested and meaning(nested[1])):
        return _NO_SECRET
    word = value[0]
    if what.chosen and is_word(word) and setting:
        ends = text[value.end() : value.end() + 1] in ("", "\n", "\r", " ")
        plain = word.islower() and ends and len(word) >= 4 and not placeholder(word) and not meaning(word)
        return (Secret(what.kind, *value.span()), True) if plain else _NO_SECRET
    if what.chosen and word.isdigit():
        code = (
            4 <= len(word) <= 12
            and separator[0] in (":", ": ", "=")
            and text[value.end() : value.end() + 1] in ("", "\n", "\r")
        )
        return (Secret(what.kind, *value.span()), True) if code else _NO_SECRET
    found = _judged(text, value, what)
    # Behind a colon a sentence may follow that says it.
    return found if found[0] or separator["sign"] not in (":", "：") else _NOTHING


def _judged(text: str, value: re.Match[str] | None, what: Meaning) -> Found:
    if value is None:
        return _NOTHING
    start, end = value.span()
    if text[end - 1] in ".:,;":
        end -= 1
    word = text[start:end]
    good = password_like(word) if what.chosen else key_like(word)
    return (Secret(what.kind, start, end), True) if good and not _is_name(word) else _NO_SECRET


def _is_name(word: str) -> bool:
    """Whether a value is a name of one itself: `password=password2`."""
    return word.isidentifier() and meaning(word) is not None


def is_secret(name: str, value: str) -> str | None:
    """The kind of secret that a value in structured data is by its name, if it is one."""
    what = meaning(name)
    return what.kind if what and _in_quotes(value, what) else None
