"""What people say: `my password is …`, `the key for the staging server: …`, in some languages."""

from __future__ import annotations

import re

from jam.secrets.judging import is_word, key_like, password_like, phrase_like, strong_password
from jam.secrets.marks import Secret
from jam.secrets.names import Meaning
from jam.secrets.placeholders import placeholder

_QUOTES = "\"'`“”„«»「」『』‘’"
OPEN = rf"(?:\*\*|[{_QUOTES}]){{0,3}}"
VALUE = rf"(?P<open>{OPEN})(?P<value>[^\s{_QUOTES}，。、；：！？（）()<>\[\]]{{3,128}})"
_WHOSE = (
    r"(?:[ ](?:for|of|to|on|at|from|in|with|für|zu|zum|zur|vom|von|beim|du|de|des|pour|del|para|da|do|от|для|на|к)"
    r"[ ][^\s:：,;]{1,60}(?:[ ][^\s:：,;]{1,40}){0,4}?)?"
)
_SAYS = (
    r"(?:(?:[ ]|^)(?:is|was|are|will[ ]be|used[ ]to[ ]be|ist|war|lautet|heißt|heisst|wird|est|était|sera|es|era|será"
    r"|är|je|é|è|это|будет|теперь|to|as|-{1,2}|–|—)(?=[ \s:：])|['’]s(?=[ ])|[ ]?(?:[:：]|->|→|—)|是|为|為|は|が|が)"
)
_STILL = (
    r"(?:[ ](?:now|still|currently|actually|just|simply|set[ ]to|called|jetzt|noch|weiterhin|maintenant|ahora|agora"
    r"|теперь))?"
)
_SAID = re.compile(
    rf"[{_QUOTES}*_]{{0,3}}[ ]?(?:\([^()\n]{{0,40}}\))?{_WHOSE}{_SAYS}{_STILL}[ ]?[:：]?[ \t]*{VALUE}", re.IGNORECASE
)
_BELOW = re.compile(
    rf"(?:(?:[ ]is)?(?:[:：][*_]{{0,2}}|[*_]{{2}}[:：]?)(?:[ ][|>][-+]?\d?)?|[ ](?:is|was|ist|lautet|est|es|é))[ ]?"
    rf"\r?\n(?:[ \t]*\r?\n)?[ \t>]*{VALUE}[{_QUOTES}*]{{0,3}}[ \t]*"
    r"(?:\r?\n|$)"
)
_BESIDE = re.compile(rf"[ ]{VALUE}")
_LAST_WORD = re.compile(r"(?P<value>[^\s\"'`“”*()]{4,128})[\"'`”*]{0,3}$")
_IS = frozenset("is was as ist est es é".split())
_OF_WHOM = frozenset("my our the your his her their a mein das mon le mi la minha".split())
_WHO = re.compile(
    r"\b(?:(?:my|our|his|her|their|mein|unser|mon|notre|mi|minha|nuestra)\b[^.!?\n]{0,30}"
    r"|(?:wi-?fi|wlan|router|guest|network|netflix|root|login|laptop|phone)[ ])$",
    re.IGNORECASE,
)
_END_OF_SENTENCE = re.compile(r"[\"'`”]?(?:[.,!;)]+)?(?:\s*$|\s*\n|[.!][ ]|,[ ]|[ ](?:and|but|for|by|btw|please)\b)")
_STATES = frozenset(
    """
    wrong incorrect invalid correct right valid weak strong short long empty missing required needed optional hidden
    visible expired stored hashed encrypted salted safe secure insecure secret public private known unknown fine
    okay good bad same different unique random temporary permanent default blank simple easy hard tricky complex
    compromised leaked gone lost forgotten changed unchanged reset rotated ready available here there below above
    attached enclosed inside elsewhere case-sensitive sensitive important that this what none nothing everything
    something anything not never always already still also just only really very too quite pretty being going
    getting supposed likely probably case used found sent printed shown displayed logged saved kept written taken
    needed shared mine yours his hers ours theirs plaintext ignored blocked locked disabled enabled broken fixed set
    accepted rejected denied given made part
    """.split()
)

_CLOSING = {
    '"': '"',
    "'": "'",
    "`": "`",
    "“": "”",
    "”": "”",
    "„": "“”",
    "«": "»",
    "»": "«",
    "‘": "’",
    "「": "」",
    "『": "』",
}
_LONGEST_PHRASE = 128
_LONGEST_WORD = 16
"""A word this long is hardly one of a language."""


def find_said(text: str, start: int, end: int, what: Meaning) -> Secret | None:
    """The password that a sentence gives behind the word for it, which is `text[start:end]`."""
    name = text[start:end].lower()
    if name == "pass" or (name == "passe" and not text[max(0, start - 7) : start].lower().startswith("mot de ")):
        return None
    match = _SAID.match(text, end) or _BELOW.match(text, end)
    if match and (secret := _judged(text, match, what, start)):
        return secret
    beside = _BESIDE.match(text, end)
    if beside and strong_password(trimmed(beside)):
        return _secret(beside, what)
    return _before(text, start, what)


def _before(text: str, start: int, what: Meaning) -> Secret | None:
    """`… is my password`"""
    words = text[max(0, start - 60) : start].split(" ")
    for place in range(len(words) - 2, max(1, len(words) - 5), -1):
        if words[place] in _OF_WHOM and words[place - 1] in _IS:
            begin = start - sum(map(len, words[place - 1 :])) - (len(words) - place + 1)
            word = _LAST_WORD.search(text, max(0, begin - 140), begin)
            if word and password_like(word["value"]):
                return Secret(what.kind, *word.span("value"))
    return None


def _judged(text: str, match: re.Match[str], what: Meaning, start: int) -> Secret | None:
    word = trimmed(match)
    if what.chosen and (phrase := _phrase(text, match)):
        return Secret(what.kind, *phrase)
    if not what.chosen:
        return _secret(match, what) if key_like(word) else None
    if password_like(word):
        return _secret(match, what)
    if is_word(word.replace("-", "")) and word.islower() and _is_plain_password(text, match, word, start):
        return _secret(match, what)
    if word.isdigit() and 4 <= len(word) <= 12 and _somebodys(text, start) and _ends(text, match, word):
        return _secret(match, what)
    return None


def _phrase(text: str, match: re.Match[str]) -> tuple[int, int] | None:
    """Where a pass phrase stands, if the value is the first word of one in quotes."""
    begin = match.start("value")
    opening = text[begin - 1]
    if opening not in _CLOSING:
        return None
    ends = [end for sign in _CLOSING[opening] if (end := text.find(sign, begin, begin + _LONGEST_PHRASE)) >= 0]
    return (begin, min(ends)) if ends and phrase_like(text[begin : min(ends)]) else None


def _is_plain_password(text: str, match: re.Match[str], word: str, start: int) -> bool:
    """A word of the language as a password: somebody's, in quotes or at the end of its sentence, and no state of it."""
    if placeholder(word) or word in _STATES or word.endswith(("ed", "ing", "ly", "able", "ible")) or len(word) < 4:
        return False
    if match["open"].strip("*"):
        return True
    colon = text[match.start() : match.start("value")].rstrip().endswith((":", "："))
    said = _somebodys(text, start) and "is" in match[0].split()[:3]
    somebodys = (said or colon) and _somebodys(text, start)
    return (somebodys or (len(word) >= _LONGEST_WORD and word.isalpha())) and _ends(text, match, word)


def _somebodys(text: str, start: int) -> bool:
    return _WHO.search(text, max(0, start - 40), start) is not None


def _ends(text: str, match: re.Match[str], word: str) -> bool:
    """Whether the sentence ends behind the word, or as good as ends."""
    return _END_OF_SENTENCE.match(text, match.start("value") + len(word)) is not None


def trimmed(match: re.Match[str]) -> str:
    """The value without the signs that end the sentence, or the emphasis."""
    value = match["value"]
    if "*" in (match.groupdict().get("open") or ""):
        value = value.rstrip(".,:;").removesuffix("*").removesuffix("*")
    return value.rstrip(".,:;")


def _secret(match: re.Match[str], what: Meaning) -> Secret:
    start = match.start("value")
    return Secret(what.kind, start, start + len(trimmed(match)))
