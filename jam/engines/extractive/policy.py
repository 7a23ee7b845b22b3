"""Think without a model: what a careful reader does, by rule.

First look around and search for the question as it is asked. Then read the best files for it, and follow the names
and subjects that the first hits brought up and the question doesn't mention. Then read what that led to.
"""

from __future__ import annotations

import re

from jam.engines.extractive.keyphrases import keyphrases, names
from jam.index.embedder import static_embedder
from jam.jobs import Decision, Observation, ToolCall, Trail
from jam.text import words

_BROWSED = 3
_NAMES = 1
_SUBJECTS = 2
_QUOTE = re.compile(r"^  \d+\. [^:]*: (.*)$", re.MULTILINE)


class ExtractivePolicy:
    """Three rounds at most; fewer where the budget or the findings say so."""

    def decide(self, trail: Trail) -> Decision:
        if not trail.observations:
            look = ToolCall("open", {"path": trail.scope})
            return Decision(
                "Search for the question itself, and see how the memory is laid out.", (_search(trail.query), look)
            )
        last = max(observation.round for observation in trail.observations)
        if last == 1:
            return self._follow(trail)
        if last == 2:
            return self._read_on(trail)
        return Decision("Everything that these leads gave has been read.")

    def _follow(self, trail: Trail) -> Decision:
        first = next((o for o in trail.observations if o.call.tool == "search" and o.files), None)
        if first is None:
            return Decision("The search found nothing to follow.")
        reads = [_browse(path, trail.query) for path in first.files[:_BROWSED]]
        leads = [_search(lead) for lead in _leads(trail.query, first)]
        calls = (*reads, *leads)[: trail.calls_per_round]
        return Decision("Read the best sessions for the question, and follow what they bring up.", calls)

    def _read_on(self, trail: Trail) -> Decision:
        read = {
            observation.files[0]
            for observation in trail.observations
            if observation.call.tool == "browse" and observation.files
        }
        led = [o for o in trail.observations if o.round == 2 and o.call.tool == "search"]
        fresh = list(dict.fromkeys(path for o in led for path in o.files[:2] if path not in read))
        if not fresh:
            return Decision("The leads led back to what has been read.")
        return Decision("Read what the leads led to.", tuple(_browse(path, trail.query) for path in fresh[:_BROWSED]))


def _leads(query: str, seen: Observation) -> list[str]:
    """The question again, with a name or with the subjects that the best hits bring up."""
    asked = {word.lower() for word in words(query)}
    quotes = _QUOTE.findall(seen.text)
    people, things = names(quotes, ())
    new = [name for name in (*people, *things) if not {word.lower() for word in words(name)} & asked]
    whole = static_embedder().encode([" ".join(quotes)])[0]
    subjects = [phrase for phrase in keyphrases(quotes, whole, static_embedder()) if not set(phrase.split()) & asked]
    leads = [f"{name} {query}" for name in new[:_NAMES]]
    return [*leads, f"{query} {' '.join(subjects[:_SUBJECTS])}"] if subjects else leads


def _search(query: str) -> ToolCall:
    return ToolCall("search", {"query": query})


def _browse(path: str, query: str) -> ToolCall:
    return ToolCall("browse", {"path": path, "query": query})
