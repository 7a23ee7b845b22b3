"""Think without a model: what a careful reader does, by rule.

First look around, and search for the question as it is asked. The best hit may name what the question only describes
("the composer of …"); so search for each new name in it together with what of the question the hit leaves open. Once
more from what that gave, and then it is enough.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from jam.engines.extractive.keyphrases import names
from jam.jobs import Decision, Observation, ToolCall, Trail
from jam.text import language, stopwords, words

_FIRST_LEADS = 4
_LATER_LEADS = 2
_LATER_HITS = 2
_STEM = 5
"""Words are compared by this many first letters."""
_QUOTE = re.compile(r"^  \d+\. [^:]*: (.*)$", re.MULTILINE)


class ExtractivePolicy:
    """Three rounds at most; fewer where the budget or the findings say so."""

    def decide(self, trail: Trail) -> Decision:
        last = max((observation.round for observation in trail.observations), default=0)
        if last == 0:
            look = ToolCall("open", {"path": trail.scope})
            return Decision(
                "Search for the question as it is asked, and see what is there.", (_search(trail.query), look)
            )
        if last == 1:
            return self._follow(trail)
        if last == 2:
            return self._follow_on(trail)
        return Decision("The leads have been followed.")

    def _follow(self, trail: Trail) -> Decision:
        """Read the best session, and search for what its best message names."""
        first = next((o for o in trail.observations if o.call.tool == "search" and o.files), None)
        if first is None:
            return Decision("The search found nothing to follow.")
        read = ToolCall("browse", {"path": first.files[0], "query": trail.query})
        leads = _leads(trail.query, _best_quotes([first]), _FIRST_LEADS)
        calls = (read, *map(_search, leads))[: trail.calls_per_round]
        return Decision("Read the best session, and follow the names that its best message brings up.", calls)

    def _follow_on(self, trail: Trail) -> Decision:
        """Once more, from what the first leads found."""
        asked = {str(observation.call.arguments.get("query")) for observation in trail.observations}
        first = next(o for o in trail.observations if o.call.tool == "search")
        led = [o for o in trail.observations if o.round == 2 and o.call.tool == "search" and o.found]
        known = _best_quotes([first])
        leads: list[str] = []
        for observation in sorted(led, key=lambda o: -o.found[0].score)[:_LATER_HITS]:
            quotes = [*known, *_best_quotes([observation])]
            leads += [lead for lead in _leads(trail.query, quotes, _LATER_LEADS) if lead not in asked]
        calls = tuple(map(_search, dict.fromkeys(leads)))[: trail.calls_per_round]
        return Decision("Follow what the leads brought up." if calls else "The leads name nothing new.", calls)


def _leads(query: str, quotes: Sequence[str], count: int) -> list[str]:
    """New names in the last quote, each with the words of the question that no quote has; none if none is left."""
    people, things = names(quotes[-1:], ())
    asked = _stems(query)
    told = frozenset[str]().union(*map(_stems, quotes))
    stop = stopwords("en") | stopwords(language(query))
    rest = [word for word in words(query) if word.lower() not in stop and word.lower()[:_STEM] not in told]
    if not rest:
        return []
    known = frozenset[str]().union(*map(_stems, quotes[:-1])) if len(quotes) > 1 else frozenset()
    new = [name for name in (*things, *people) if not _stems(name) <= asked | known]
    return [" ".join([name, *rest]) for name in new[:count]]


def _best_quotes(observations: Sequence[Observation]) -> list[str]:
    """The best message that each search showed."""
    return [quotes[0] for o in observations for quotes in [_QUOTE.findall(o.text)] if quotes]


def _stems(text: str) -> frozenset[str]:
    return frozenset(word.lower()[:_STEM] for word in words(text))


def _search(query: str) -> ToolCall:
    return ToolCall("search", {"query": query})
