"""From all that a run has seen to one ranking of messages. Nothing enters it that no tool has shown.

The search for the question itself ranks. A follow-up search was made for one missing piece: its best hits get a seat
just below the best of all, the rest of them tells nothing about the question. Where the question itself was never
searched for, all that was seen is ranked by how well it fits the question. What a reader picked, or the answer
quotes, counts more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jam.jobs import Answer, Found, Observation, Trail
from jam.quotes import find_quote

Place = tuple[str, int]

_SEATS = 2
"""Hits of a follow-up search that are given a seat."""
_BELOW = 1.0
"""How far below the best of all the first seat is, in log-odds; each further one as much again."""
_PICKED_SEATS = 6
_PICKED_BELOW = 0.25
"""The same for what a reader picked."""
_CITED = 1.5
"""What stands in a file that the answer names as a source is this much likelier to matter."""
_QUOTED = 1.0
"""How far above the best of all a message stands that the answer quotes."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What was chosen, and what became of the answer's sources and quotes."""

    ranked: list[tuple[int, float]]
    """Rows of the index with their scores, best first."""
    focus: dict[int, str]
    """What was quoted of a row."""
    repaired: int = 0
    dropped: int = 0
    unread: tuple[str, ...] = ()
    """Sources that the answer names and the run has not read."""


@dataclass(frozen=True, slots=True)
class Seen:
    """How the caller looks things up."""

    there: Callable[[Place], bool]
    """Whether a message is still where it was seen: a build may have moved it since."""
    row: Callable[[str, int], int]
    """The index's number of a message at a path."""
    rate: Callable[[Sequence[Place]], list[float]]
    """How well messages fit the question."""
    text: Callable[[Place], str]


def select(trail: Trail, seen: Seen, answer: Answer | None = None) -> Selection:
    """The messages of a run, ranked."""
    scores = _own_search(trail, seen) or _rated(trail, seen)
    best = max(scores.values(), default=0.0)
    focus: dict[Place, str] = {}
    for observation in trail.observations:
        if observation.picked:
            for number, found in enumerate(_there(observation, seen, _PICKED_SEATS), 1):
                _raise(scores, (found.path, found.message), best - _PICKED_BELOW * number)
                focus.setdefault((found.path, found.message), found.quote or "")
        elif _follows_up(observation, trail):
            for number, found in enumerate(_there(observation, seen, _SEATS), 1):
                _raise(scores, (found.path, found.message), best - _BELOW * number)
    selection = _with_answer(scores, focus, best, answer, trail, seen) if answer else Selection([], {})
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return Selection(
        [(seen.row(*place), score) for place, score in ranked],
        {seen.row(*place): quote for place, quote in focus.items() if quote},
        selection.repaired,
        selection.dropped,
        selection.unread,
    )


def _there(observation: Observation, seen: Seen, seats: int | None = None) -> list[Found]:
    """The first messages that an observation showed, as far as they are still there."""
    return [found for found in observation.found[:seats] if seen.there((found.path, found.message))]


def _own_search(trail: Trail, seen: Seen) -> dict[Place, float]:
    """What the tools gave for the question as it was asked."""
    scores: dict[Place, float] = {}
    for observation in trail.observations:
        if observation.call.arguments.get("query") == trail.query and not observation.picked:
            for found in _there(observation, seen):
                _raise(scores, (found.path, found.message), found.score)
    return scores


def _rated(trail: Trail, seen: Seen) -> dict[Place, float]:
    """Everything that was seen, by how well it fits the question."""
    places = list(dict.fromkeys((f.path, f.message) for o in trail.observations for f in _there(o, seen)))
    return dict(zip(places, seen.rate(places), strict=True))


def _with_answer(
    scores: dict[Place, float],
    focus: dict[Place, str],
    best: float,
    answer: Answer,
    trail: Trail,
    seen: Seen,
) -> Selection:
    """Raises what the answer rests on, in place; gives the account of its sources and quotes."""
    read = {found.path for observation in trail.observations for found in observation.found}
    sources = [path for path in dict.fromkeys(answer.sources) if path]
    for place in scores:
        if place[0] in sources:
            scores[place] += _CITED
    repaired = dropped = 0
    places = sorted(scores)
    for cited in answer.quotes:
        candidates = [place for place in places if place[0] == cited.source] or places
        passage = find_quote(cited.quote, [seen.text(place) for place in candidates])
        if passage is None:
            dropped += 1
            continue
        repaired += not passage.exact
        place = candidates[passage.text]
        _raise(scores, place, best + _CITED + _QUOTED)
        focus[place] = seen.text(place)[passage.start : passage.end]
    return Selection([], {}, repaired, dropped, tuple(path for path in sources if path not in read))


def _follows_up(observation: Observation, trail: Trail) -> bool:
    return observation.call.tool != "open" and observation.call.arguments.get("query") != trail.query


def _raise(scores: dict[Place, float], place: Place, score: float) -> None:
    scores[place] = max(scores.get(place, score), score)
