"""Text to index terms: any language, no model.

A term is a lower-case string without accents. Words are stemmed (Snowball, by language). Scripts that set no spaces
between words become pairs of letters; Chinese characters stand alone as well, and words in katakana whole. Identifiers
(`foo_bar`, `fooBar`, `v1.2.3`, `src/a.py`) are kept whole and also split into their parts, so that either spelling of a
question finds them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from jam.languages import LANGUAGES, language, language_of_word, stopwords
from jam.letters import HAN, HANGUL, KATAKANA, chunks_of, clusters, fold, plain_letters, unspaced_runs, words_of

if TYPE_CHECKING:
    import Stemmer

DEFAULT_LANGUAGE = "en"
"""What a text counts as whose language can't be told."""

_CAMEL = re.compile(r"(?<=[^\W\d_A-ZÀ-ÖØ-Þ])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_HAN_LETTER = re.compile(f"[{HAN}]")
_KATAKANA_WORD = re.compile(f"[{KATAKANA}]{{3,}}")
_SHORT_KOREAN = re.compile(f"[{HANGUL}](?=[은는이가을를에의도로와과만]$)")
"""A noun of one syllable before an ending: all pairs of letters have the ending in them."""
_AND_THE = re.compile("^[وف](?=ال..)")
_FARSI, _ARABIC = str.maketrans("يك", "یک"), str.maketrans("یک", "يك")
"""Yeh and kaf are other code points in either language, and keyboards mix them up."""

_FIRST_PERSON = frozenset(
    """i me my mine myself ich mich mir mein meine meinen meiner je moi mon ma mes yo mi mis mio meu minha ik mij mijn
    jag mitt jeg mnie moj moja ben benim bana minun nekem я мне меня мой моя мои εγω μου εμενα انا לי אני שלי मैं मैंने मेरा
    मेरी मुझे 我 我的 我们 私 僕 俺 私の 私は 僕は 나는 내가 저는 제가""".split()
)
"""As `text_terms` spells them."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word of a question."""

    surface: str
    """Lower-case and without accents."""
    stems: tuple[str, ...]
    """Under which it may stand in the index: one for each language there."""


def analyze(text: str, spoken: str) -> list[tuple[str, str]]:
    """Content words of a text in their order, as (term, surface word); `spoken` is the text's language.

    A word with accents has a second term where its stem is another without them.
    """
    return [found for chunk in chunks(text) for found in chunk_terms(chunk, spoken)]


def chunks(text: str) -> list[str]:
    """The runs of letters and digits that a text's words are made of, in their order."""
    return chunks_of(plain_letters(text))


def chunk_terms(chunk: str, spoken: str) -> list[tuple[str, str]]:
    """The content words of one of `chunks`, as `analyze` gives them."""
    return [found for word, stemmable in _parts(chunk) for found in _spelt(word, stemmable, spoken)]


def query_terms(text: str, languages: Collection[str]) -> list[Term]:
    """The content words of a question, each once; all its words where it has nothing but function words."""
    spoken = text_language(text, languages)
    found = [part for chunk in chunks(text) for part in _parts(chunk)]
    kept = [(word, stemmable) for word, stemmable in found if not _is_function_word(word, spoken)] or found
    return list({term.stems: term for term in (_term(word, stemmable, languages) for word, stemmable in kept)}.values())


def text_terms(text: str) -> list[str]:
    """Every word of a text, function words included, in their order: lower-case and without accents."""
    return [fold(word) for chunk in chunks(text) for word, _ in _parts(chunk, whole=True)]


def words(text: str) -> frozenset[str]:
    """The words of a text as `text_terms` gives them; for names and pronouns."""
    return frozenset(text_terms(text))


def speaks_of_self(text: str) -> bool:
    """Whether the asker speaks in the first person, so that their own messages matter more."""
    return any(fold(word) in _FIRST_PERSON for chunk in chunks(text) for word, _ in _parts(chunk))


def text_language(text: str, likely: Iterable[str] = ()) -> str:
    """The language of a text; one that is likely, or English, in doubt."""
    return language(text, {*likely, DEFAULT_LANGUAGE}) or DEFAULT_LANGUAGE


@lru_cache(maxsize=64)
def _stemmer(spoken: str) -> Stemmer.Stemmer | None:
    import Stemmer

    name = LANGUAGES.get(spoken)
    return Stemmer.Stemmer(name) if name in Stemmer.algorithms() else None


def _stem(word: str, own: str) -> str:
    stemmer = _stemmer(own)
    if stemmer is None:
        return fold(word)
    if own == "fa":
        word = word.translate(_FARSI)
    elif own == "ar":
        word = _AND_THE.sub("", word.translate(_ARABIC))
    return fold(stemmer.stemWord(word)) or fold(word)


def _stems(word: str, spoken: str) -> tuple[str, ...]:
    """A word's stem in a text of some language, and that of the word as one types it without accents."""
    own = language_of_word(word, spoken)
    return (
        tuple(dict.fromkeys((_stem(word, own), _stem(fold(word), own)))) if not word.isascii() else (_stem(word, own),)
    )


@lru_cache(maxsize=32_768)
def _spelt(word: str, stemmable: bool, spoken: str) -> tuple[tuple[str, str], ...]:
    """The terms of a word, each with its surface; none for a function word."""
    if _is_function_word(word, spoken):
        return ()
    surface = fold(word)
    return tuple((term, surface) for term in (_stems(word, spoken) if stemmable else (surface,)))


def _is_function_word(word: str, spoken: str) -> bool:
    return word in stopwords(language_of_word(word, spoken))


def _term(word: str, stemmable: bool, languages: Iterable[str]) -> Term:
    if not stemmable:
        return Term(fold(word), (fold(word),))
    stems = {stem for spoken in languages for stem in _stems(word, spoken)}
    return Term(fold(word), tuple(sorted(stems or {fold(word)})))


def _parts(chunk: str, whole: bool = False) -> list[tuple[str, bool]]:
    """The index words of a chunk before stemming, as (word, whether it may be stemmed).

    `whole`: without the letters and shorter words within a run of an unspaced script, which a name isn't known by.
    """
    pieces = [part for word in words_of(chunk) for part in ([word] if word.isupper() else _CAMEL.split(word))]
    found = [(chunk.lower(), False)] if len(pieces) > 1 else []
    for word in pieces:
        lower = word.lower()
        found += [(lower, True)] if word.isascii() else [(piece, True) for piece in _split_unspaced(lower, whole)]
    return found


def _split_unspaced(word: str, whole: bool) -> list[str]:
    """Other letters as they are, those of unspaced scripts as overlapping pairs."""
    found = []
    for number, piece in enumerate(unspaced_runs(word)):
        letters = clusters(piece) if number % 2 else [piece]
        if len(letters) > 2:
            found += [first + second for first, second in pairwise(letters)]
        elif piece:
            found.append(piece)
        if len(letters) > 1 and not whole:
            found += _within(piece)
    return found


def _within(run: str) -> list[str]:
    """What can be a word of its own in a run of an unspaced script."""
    short = _SHORT_KOREAN.findall(run) if len(run) == 2 else []
    return [*_HAN_LETTER.findall(run), *_KATAKANA_WORD.findall(run), *short]
