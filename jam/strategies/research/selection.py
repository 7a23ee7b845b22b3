"""From all that a run has seen to one ranking of messages."""

from __future__ import annotations

from collections.abc import Callable

from jam.jobs import Trail

_FOLLOW_UP = 0.35
"""What a good match in a follow-up call adds, as a share of its score: it completes the first search, it doesn't
replace it."""

Place = tuple[str, int]


def select(trail: Trail, row: Callable[[str, int], int]) -> list[tuple[int, float]]:
    """Rows of the index with their scores, best first. The first search ranks; what later calls found is added.

    `row` is the index's number of a message at a path.
    """
    first: dict[Place, float] = {}
    later: dict[Place, float] = {}
    for observation in trail.observations:
        own = observation.call.arguments.get("query") == trail.query
        for found in observation.found:
            place = (found.path, found.message)
            pool = first if own else later
            pool[place] = max(pool.get(place, found.score), found.score)
    floor = min(first.values(), default=0.0)
    scores = {
        place: first.get(place, floor) + _FOLLOW_UP * max(0.0, later.get(place, 0.0)) for place in {*first, *later}
    }
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return [(row(*place), score) for place, score in ranked]
