"""Which language a text is in: by its script, by its function words, by letters that few languages have.

There is no model here: a table of words is loaded in a moment and says the same on every machine.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from jam.function_words import FUNCTION_WORDS
from jam.letters import fold, plain_letters, words_of

LANGUAGES: dict[str, str | None] = {
    "en": "english",
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "it": "italian",
    "pt": "portuguese",
    "nl": "dutch",
    "sv": "swedish",
    "da": "danish",
    "no": "norwegian",
    "fi": "finnish",
    "et": "estonian",
    "hu": "hungarian",
    "cs": "czech",
    "pl": "polish",
    "ro": "romanian",
    "lt": "lithuanian",
    "sr": "serbian",
    "ca": "catalan",
    "eu": "basque",
    "eo": "esperanto",
    "ga": "irish",
    "id": "indonesian",
    "st": "sesotho",
    "tr": "turkish",
    "vi": None,
    "ru": "russian",
    "uk": None,
    "bg": None,
    "el": "greek",
    "hy": "armenian",
    "ka": None,
    "he": None,
    "yi": "yiddish",
    "ar": "arabic",
    "fa": "persian",
    "ur": None,
    "hi": "hindi",
    "ne": "nepali",
    "bn": None,
    "pa": None,
    "gu": None,
    "or": None,
    "ta": "tamil",
    "te": None,
    "kn": None,
    "ml": None,
    "si": None,
    "th": None,
    "lo": None,
    "my": None,
    "km": None,
    "am": None,
    "zh": None,
    "ja": None,
    "ko": None,
}
"""Languages that are told apart, of related ones the commoner first, with the name of each one's Snowball stemmer,
where there is one."""

_COMMON = {name: -place for place, name in enumerate(LANGUAGES)}
"""Of languages that are as likely, the earlier one is meant."""
_SCRIPTS: tuple[tuple[int, int, str], ...] = (
    (0x370, 0x400, "el"),
    (0x400, 0x530, "ru uk bg sr"),
    (0x530, 0x590, "hy"),
    (0x590, 0x600, "he yi"),
    (0x600, 0x700, "ar fa ur"),
    (0x750, 0x780, "ar fa ur"),
    (0x900, 0x980, "hi ne"),
    (0x980, 0xA00, "bn"),
    (0xA00, 0xA80, "pa"),
    (0xA80, 0xB00, "gu"),
    (0xB00, 0xB80, "or"),
    (0xB80, 0xC00, "ta"),
    (0xC00, 0xC80, "te"),
    (0xC80, 0xD00, "kn"),
    (0xD00, 0xD80, "ml"),
    (0xD80, 0xE00, "si"),
    (0xE00, 0xE80, "th"),
    (0xE80, 0xF00, "lo"),
    (0x1000, 0x10A0, "my"),
    (0x10A0, 0x1100, "ka"),
    (0x1200, 0x1380, "am"),
    (0x1780, 0x1800, "km"),
    (0x1F00, 0x2000, "el"),
    (0x3005, 0x3008, "zh ja"),
    (0x3040, 0x3100, "ja"),
    (0x3400, 0xA000, "zh ja"),
    (0xAC00, 0xD7B0, "ko"),
    (0xF900, 0xFB00, "zh ja"),
    (0x20000, 0x40000, "zh ja"),
)
"""First letter, the one behind the last, and the languages of a script other than Latin, the likeliest first."""

_LETTERS = {
    "de": "ßäöü",
    "fr": "œçèêîûë",
    "es": "ñ",
    "it": "ìòù",
    "pt": "ãõç",
    "sv": "åäö",
    "da": "åæø",
    "no": "åæø",
    "fi": "äö",
    "et": "äõöüšž",
    "hu": "őűöüáéóúí",
    "cs": "ěřůčšžýťďňáéíú",
    "pl": "łąęśćżźńó",
    "ro": "ăâîșțşţ",
    "lt": "ėįųūąęčšž",
    "sr": "đćčšžђјљњћџ",
    "ca": "ïçòà",
    "eo": "ĉĝĥĵŝŭ",
    "ga": "áéíóú",
    "tr": "ğışçöü",
    "vi": "ăâđêôơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
    "ru": "ыэё",
    "uk": "іїєґ",
    "bg": "ъ",
    "yi": "װױײ",
    "fa": "پچژگکی",
    "ur": "ٹڈڑںےہھپچگکی",
    "ar": "ةىكيأإ",
}
"""Letters that are usual in a language and in few others of its script."""

_SAMPLE_CHARS = 2000
_ENOUGH = 1.0
"""So much must speak for a language: a word that is no other's, or a few that several share."""
_FIRST_OF_SCRIPT, _SCRIPT, _LETTER = 0.51, 0.5, 0.5
"""What a word says for the likeliest language of its script, what for each other one, and what a letter says that is
one language's alone."""
_OWNERS = 8
"""Languages that may share a word that counts."""
_LONE = 0.3
"""What a function word of one letter says: paths and formulas are full of those."""
_KANA = 0.15
"""Chinese characters beside so many kana are Japanese ones."""
_LIKELY = 0.5
_SWITCHED, _TIMES = 1.25, 2.0
"""How much more, in all and in proportion, speaks for another language where a message isn't in its session's."""


@lru_cache(maxsize=128)
def stopwords(language: str | None) -> frozenset[str]:
    """The function words of a language (a key of `LANGUAGES`), also as typed without accents; empty for any other."""
    listed = {plain_letters(word) for word in FUNCTION_WORDS.get(language or "", ())}
    return frozenset(listed | {fold(word) for word in listed if len(word) > 2 and language != "vi"})


def languages_of_script(letter: str) -> tuple[str, ...]:
    """The languages that a letter's script is for, the likeliest first; none for Latin letters and unknown ones."""
    return () if letter < "\u0370" else _script(ord(letter))


def language_of_word(word: str, spoken: str) -> str:
    """Whose word it is in a text: the text's language, or, where that isn't written so, the likeliest of the script."""
    own = languages_of_script(word[0])
    if own:
        return spoken if spoken in own else own[0]
    return "en" if spoken in _not_latin() else spoken


def language(text: str, likely: Collection[str] = ("en",)) -> str | None:
    """The language that most of a text's words speak for; `None` where they say too little. Languages that are
    `likely` are preferred where it is a near thing.

    A word that several languages share counts for each by a part, so that "die" or "in" decides nothing.
    """
    return _best(evidence(text[:_SAMPLE_CHARS]), likely)


def spoken_in(texts: Iterable[str], likely: str) -> tuple[str, list[str]]:
    """The language of some texts of one session, all together and each alone; `likely`, where nothing tells it.

    People switch: a text has its own language where it clearly isn't in that of the others.
    """
    single = [evidence(text) for text in texts]
    summed: dict[str, float] = {}
    for scores in single:
        for name, score in scores.items():
            summed[name] = summed.get(name, 0.0) + score
    main = _best(summed, (likely,)) or likely
    return main, [_own(scores, main) for scores in single]


def evidence(text: str) -> dict[str, float]:
    """How much speaks for each language, in words."""
    scores: dict[str, float] = defaultdict(float)
    text = plain_letters(text).lower()
    signs = _words().get if text.isascii() else _signs
    for found in filter(None, map(signs, words_of(text))):
        for name, weight in found:
            scores[name] += weight
    if "ja" in scores and scores["ja"] >= _KANA * scores.get("zh", 0.0):
        scores["ja"] += scores.pop("zh", 0.0)
    return scores


def _best(scores: dict[str, float], likely: Collection[str]) -> str | None:
    if not scores:
        return None
    score, _, best = max((scores[name] + _LIKELY * (name in likely), _COMMON[name], name) for name in scores)
    return best if score >= _ENOUGH else None


def _own(scores: dict[str, float], main: str) -> str:
    if not scores:
        return main
    best = max(scores, key=lambda name: (scores[name], _COMMON[name]))
    usual = scores.get(main, 0.0)
    if not usual and main in _not_latin():
        return best  # no word of it is in the session's script
    return best if scores[best] >= max(usual + _SWITCHED, _TIMES * usual) else main


Signs = tuple[tuple[str, float], ...]


@lru_cache(maxsize=16_384)
def _signs(word: str) -> Signs:
    """What a word of other than plain letters says for which languages."""
    own = languages_of_script(word[0])
    if own and own[0] in _UNSPACED:
        return _by_letter(word)
    scores = dict(_words().get(word, ()))
    for place, name in enumerate(own):
        scores[name] = scores.get(name, 0.0) + (_SCRIPT if place else _FIRST_OF_SCRIPT)
    for letter in set(word) & _letters().keys():
        for name, weight in _letters()[letter]:
            scores[name] = scores.get(name, 0.0) + weight
    return tuple(scores.items())


_UNSPACED = frozenset({"zh", "ja", "th", "lo", "my", "km"})


def _by_letter(word: str) -> Signs:
    """Where no space ends a word, two letters count as one."""
    scores: dict[str, float] = {}
    for letter in word:
        for name in languages_of_script(letter)[:1]:
            scores[name] = scores.get(name, 0.0) + 0.5
    return tuple(scores.items())


@lru_cache(maxsize=4096)
def _script(number: int) -> tuple[str, ...]:
    return next((tuple(names.split()) for first, end, names in _SCRIPTS if first <= number < end), ())


@lru_cache(maxsize=1)
def _not_latin() -> frozenset[str]:
    return frozenset(name for _, _, names in _SCRIPTS for name in names.split()) - {"sr"}


@lru_cache(maxsize=1)
def _words() -> dict[str, Signs]:
    """Function word → its languages, which share its weight; without those that too many have to tell anything."""
    owners: dict[str, list[str]] = {}
    for name in FUNCTION_WORDS:
        for word in stopwords(name):
            owners.setdefault(word, []).append(name)
    return {
        word: _shared(names, 1.0 if len(word) > 1 else _LONE) for word, names in owners.items() if len(names) <= _OWNERS
    }


@lru_cache(maxsize=1)
def _letters() -> dict[str, Signs]:
    owners: dict[str, list[str]] = {}
    for name, letters in _LETTERS.items():
        for letter in letters:
            owners.setdefault(letter, []).append(name)
    return {letter: _shared(names, _LETTER) for letter, names in owners.items()}


def _shared(names: Sequence[str], weight: float) -> Signs:
    return tuple((name, weight / math.sqrt(len(names))) for name in sorted(names))
