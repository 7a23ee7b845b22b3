"""Text to index terms: any language, no model.

A term is a lower-case string. Words are stemmed (Snowball, by language), runs of Chinese, Japanese or Korean letters
become character pairs, and identifiers (`foo_bar`, `fooBar`, `v1.2.3`, `src/a.py`) are kept whole and also split into
their parts, so that either spelling of a question finds them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from jam.text import LANGUAGES, language, stopwords

if TYPE_CHECKING:
    import Stemmer

DEFAULT_LANGUAGE = "en"
"""What a text counts as whose language can't be told."""

_CJK = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_CHUNK = re.compile(r"[^\W_]+(?:[_.:/\\@#+-]+[^\W_]+)*")
"""Letters and digits, possibly joined by the punctuation that identifiers and paths use."""
_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CJK_RUN = re.compile(f"([{_CJK}]+)")

_FIRST_PERSON = frozenset(
    "i me my mine myself ich mich mir mein meine meinen meiner je moi mon ma mes yo mi mis".split()
)


@dataclass(frozen=True, slots=True)
class Term:
    """A word of a question."""

    surface: str
    """Lower-case, as it stands."""
    stems: tuple[str, ...]
    """Under which it may stand in the index: one for each language there."""


def analyze(text: str, spoken: str) -> list[tuple[str, str]]:
    """Content words of a text in their order, as (term, surface word); `spoken` is the text's language."""
    return [found for chunk in chunks(text) for found in chunk_terms(chunk, spoken)]


def chunks(text: str) -> list[str]:
    """The runs of letters and digits that a text's words are made of, in their order."""
    return _CHUNK.findall(unicodedata.normalize("NFKC", text).replace("\u2019", "'"))


def chunk_terms(chunk: str, spoken: str) -> list[tuple[str, str]]:
    """The content words of one of `chunks`, as `analyze` gives them."""
    stop, stemmer = stopwords(spoken), _stemmer(spoken)
    return [
        (stemmer.stemWord(word) if stemmer and stemmable else word, word)
        for word, stemmable in _parts(chunk)
        if word not in stop
    ]


def query_terms(text: str, languages: Iterable[str]) -> list[Term]:
    """The content words of a question, each once; all its words where it has nothing but function words."""
    stop = stopwords(text_language(text))
    found = list(_surfaces(text))
    kept = [(word, stemmable) for word, stemmable in found if word not in stop] or found
    return list({term.stems: term for term in (_term(word, stemmable, languages) for word, stemmable in kept)}.values())


def text_terms(text: str) -> list[str]:
    """Every word of a text as the index spells it, function words included, in their order."""
    return [word for word, _ in _surfaces(text)]


def words(text: str) -> frozenset[str]:
    """The lower-case words of a text, function words included; for names and pronouns."""
    return frozenset(text_terms(text))


def speaks_of_self(text: str) -> bool:
    """Whether the asker speaks in the first person, so that their own messages matter more."""
    return bool(words(text) & _FIRST_PERSON)


def text_language(text: str) -> str:
    """The language a text is indexed in."""
    return language(text) or DEFAULT_LANGUAGE


@lru_cache(maxsize=32)
def _stemmer(spoken: str) -> Stemmer.Stemmer | None:
    import Stemmer

    name = LANGUAGES.get(spoken)
    return Stemmer.Stemmer(name) if name in Stemmer.algorithms() else None


def _term(word: str, stemmable: bool, languages: Iterable[str]) -> Term:
    if not stemmable:
        return Term(word, (word,))
    stemmers = [_stemmer(spoken) for spoken in sorted(languages)]
    return Term(word, tuple(sorted({stemmer.stemWord(word) if stemmer else word for stemmer in stemmers} or {word})))


def _surfaces(text: str) -> Iterator[tuple[str, bool]]:
    """Every index word of a text before stemming, as (word, whether it may be stemmed)."""
    for chunk in chunks(text):
        yield from _parts(chunk)


def _parts(chunk: str) -> Iterator[tuple[str, bool]]:
    pieces = [part for word in _WORD.findall(chunk) for part in _CAMEL.split(word)]
    if len(pieces) > 1:
        yield chunk.lower(), False
    for word in pieces:
        yield from ((piece, True) for piece in _split_cjk(word.lower()))


def _split_cjk(word: str) -> Iterator[str]:
    """Other letters as they are, Chinese, Japanese and Korean ones as overlapping pairs."""
    for piece in _CJK_RUN.split(word):
        if piece and _CJK_RUN.fullmatch(piece) and len(piece) > 2:
            yield from (piece[start : start + 2] for start in range(len(piece) - 1))
        elif piece:
            yield piece
