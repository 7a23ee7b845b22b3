"""How well a worded answer agrees with the one a benchmark gives: by each benchmark's own rules, in words alone.

LoCoMo's are those of its evaluation script, HotpotQA's those of its own, which 2WikiMultihopQA and MuSiQue have from
SQuAD as well. LongMemEval has none but a grader; its answers are scored as HotpotQA's.

Departs from LoCoMo's script in one point: words are stemmed by Porter's algorithm as it was published, where the script
has NLTK's, which treats some short words differently.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

NO_INFORMATION = "No information available"
"""What an answer model is asked to say where the context doesn't tell."""
_REFUSALS = ("no information available", "not mentioned")
_SQUAD_ARTICLES = re.compile(r"\b(a|an|the)\b")
_LOCOMO_ARTICLES = re.compile(r"\b(a|an|the|and)\b")
_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ALL_OR_NOTHING = ("yes", "no", "noanswer")
_SUB_ANSWERS, _FIRST_PART = "multi-hop", "open-domain"
"""LoCoMo's categories 1 and 3."""


@dataclass(frozen=True, slots=True)
class Score:
    """How well an answer agrees with the gold one."""

    f1: float | None
    """`None` where there is nothing to compare it with."""
    exact: bool | None = None
    """Whether it is the same but for case, punctuation and articles; `None` where the benchmark doesn't ask that."""


def score(benchmark: str, category: str, gold: Sequence[str], said: str) -> Score:
    """The best score of an answer over the gold answers, which are alternatives. A question that can't be answered has
    none of its own: see `refuses`.
    """
    if not gold:
        return Score(None)
    if benchmark == "locomo":
        return Score(max(locomo_f1(category, text, said) for text in gold))
    return Score(max(squad_f1(text, said) for text in gold), any(squad_exact(text, said) for text in gold))


def refuses(said: str) -> bool:
    """Whether an answer says that nothing is known, by the words that LoCoMo's script looks for."""
    lower = said.lower()
    return any(words in lower for words in _REFUSALS)


def locomo_f1(category: str, gold: str, said: str) -> float:
    """LoCoMo's F1. Of `multi-hop` both are lists with commas, and each gold item counts by the item nearest to it; of
    `open-domain` only what stands before the first semicolon of the gold counts.
    """
    if category == _SUB_ANSWERS:
        items = said.split(",")
        best = [max(_f1(_locomo_words(wanted), _locomo_words(item)) for item in items) for wanted in gold.split(",")]
        return sum(best) / len(best)
    if category == _FIRST_PART:
        gold = gold.split(";")[0]
    return _f1(_locomo_words(gold), _locomo_words(said))


def squad_f1(gold: str, said: str) -> float:
    """HotpotQA's F1: yes and no are right or wrong, anything else is by the words it shares."""
    wanted, given = _normal(gold, _SQUAD_ARTICLES), _normal(said, _SQUAD_ARTICLES)
    if wanted != given and (wanted in _ALL_OR_NOTHING or given in _ALL_OR_NOTHING):
        return 0.0
    return _f1(wanted.split(), given.split())


def squad_exact(gold: str, said: str) -> bool:
    """Whether both are the same but for case, punctuation, articles and spaces."""
    return _normal(gold, _SQUAD_ARTICLES) == _normal(said, _SQUAD_ARTICLES)


def _locomo_words(text: str) -> list[str]:
    words = _normal(text, _LOCOMO_ARTICLES).split()
    return [_stem(word) for word in words]


def _normal(text: str, articles: re.Pattern[str]) -> str:
    """Lower case, no punctuation, no articles, single spaces."""
    bare = text.lower().translate(_WITHOUT_PUNCTUATION)
    return " ".join(articles.sub(" ", bare).split())


def _f1(gold: Sequence[str], said: Sequence[str]) -> float:
    """The harmonic mean of the share of the words said that are gold and the share of the gold words that are said."""
    shared = sum((Counter(gold) & Counter(said)).values())
    return 2 * shared / (len(gold) + len(said)) if shared else 0.0


@lru_cache(maxsize=1)
def _stemmer() -> Callable[[str], str]:
    import Stemmer

    porter: Any = Stemmer.Stemmer("porter")
    stem: Callable[[str], str] = porter.stemWord
    return stem


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    return _stemmer()(word)
