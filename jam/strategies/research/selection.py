"""From all that a run has seen to one ranking of messages.

The search for the question itself ranks. A follow-up search for a lead was made for one missing piece: its best hits
get a seat just below the best of all, the rest of them tells nothing about the question.
"""

from __future__ import annotations

from collections.abc import Callable

from jam.jobs import Observation, Trail

_SEATS = 2
"""Hits of a follow-up search that are given a seat."""
_BELOW = 1.0
"""How far below the best of all the first seat is, in log-odds; each further one as much again."""

Place = tuple[str, int]


def select(trail: Trail, row: Callable[[str, int], int]) -> list[tuple[int, float]]:
    """Rows of the index with their scores, best first; `row` is the index's number of a message at a path."""
    scores: dict[Place, float] = {}
    for observation in trail.observations:
        if observation.call.arguments.get("query") == trail.query:
            for found in observation.found:
                _raise(scores, (found.path, found.message), found.score)
    best = max(scores.values(), default=0.0)
    for observation in filter(lambda seen: _follows_up(seen, trail), trail.observations):
        for number, found in enumerate(observation.found[:_SEATS], 1):
            _raise(scores, (found.path, found.message), best - _BELOW * number)
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return [(row(*place), score) for place, score in ranked]


def _follows_up(observation: Observation, trail: Trail) -> bool:
    return observation.call.tool != "open" and observation.call.arguments.get("query") != trail.query


def _raise(scores: dict[Place, float], place: Place, score: float) -> None:
    scores[place] = max(scores.get(place, score), score)
