"""DeferMem's candidates: the best messages, their segments, the segments linked with these (query-time retrieval).

Where it departs from the paper: a segment or link is not taken whole, whatever else there is. Its messages rank higher
by a share of what its best message is ahead of them, and so the best come first until the budget is spent. Taken whole,
segments push out better messages.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jam.index.search_index import Ranking
from jam.links.links import Links

SEGMENT_LIFT, LINK_LIFT = 0.2, 0.1
"""The share of the distance to the best message of its segment, or its link, that a message rises by."""
AROUND, HEAD = 4, 8
"""Tokens that are counted for a message beside its text (its number, its speaker), and for a session (its date)."""


def candidates(ranking: Ranking, links: Links, messages: int, tokens: int) -> list[int]:
    """Rows of the index in the order of the tree, of messages in scope that have a text.

    The best `messages` come first, then all others by their lifted scores, each if it fits: texts, `AROUND` for each
    row and `HEAD` for each raw file count `tokens` together at most.
    """
    collection, cost = ranking.index.collection, ranking.index.arrays["cost"]
    order = ranking.order[cost[ranking.order] > 0]
    chosen: list[int] = []
    opened: set[int] = set()
    left = tokens
    for row in _lifted(order, ranking.scores[order], links, messages):
        if left <= AROUND:
            break
        file = int(collection.file[row])
        needed = int(cost[row]) + AROUND + (0 if file in opened else HEAD)
        if needed <= left:
            chosen.append(int(row))
            opened.add(file)
            left -= needed
    return sorted(chosen)


def _lifted(order: NDArray[np.int64], scores: NDArray[np.float32], links: Links, messages: int) -> NDArray[np.int64]:
    """The rows of a ranking in the order in which they are wanted."""
    segment = links.segments[order]
    own = scores.astype(np.float64)
    ahead = [SEGMENT_LIFT * _ahead(own, segment, messages), LINK_LIFT * _ahead(own, links.links[segment], messages)]
    lifted = own + np.maximum(*ahead)
    lifted[:messages] = np.inf
    wanted: NDArray[np.int64] = order[np.argsort(-lifted, kind="stable")]
    return wanted


def _ahead(scores: NDArray[np.float64], group: NDArray[np.int32], messages: int) -> NDArray[np.float64]:
    """How far the best of the first `messages` is ahead of each message of its group; 0 where none is of it."""
    best = np.full(int(group.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(best, group[:messages], scores[:messages])
    distance: NDArray[np.float64] = np.maximum(best[group] - scores, 0.0)
    return distance
