"""Which messages fill a token budget: best value for the tokens first. Numbers only; nothing here knows texts.

Lines never share a token (a word piece does not cross white space), so the cost of the written context is the sum of
the costs of its lines, and the budget is kept exactly without counting anything twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

GAP_COST = 1
"""Tokens of the line that stands for messages left out."""
_THRIFT = 1.0
"""Scores are log-odds and a message costs its tokens, so that value for money is score - log(cost)."""
_MISSES = 40
"""A message that doesn't fit is passed over for a smaller one, but not for ever."""


def pack(
    rows: Sequence[int],
    scores: NDArray[np.float64],
    costs: NDArray[np.int64],
    files: Sequence[int],
    head_cost: Callable[[int], int],
    budget: int,
) -> list[int]:
    """The chosen rows, ascending, whose written form costs at most `budget` tokens.

    `rows` are message numbers of the index (neighbours in a file are neighbours in number); `scores`, `costs` (tokens
    of each line) and `files` are parallel to them; `head_cost` is what opening a file costs.
    """
    value = scores - _THRIFT * np.log1p(costs)
    owner = dict(zip(rows, files, strict=True))
    chosen: set[int] = set()
    opened: set[int] = set()
    left, misses = budget, 0
    for position in np.lexsort((np.array(rows), -value)).tolist():
        row, file = rows[position], files[position]
        price = int(costs[position])
        price += GAP_COST * _gaps(row, chosen, owner) if file in opened else head_cost(file)
        if price > left:
            misses += 1
            if misses > _MISSES:
                break
            continue
        chosen.add(row)
        opened.add(file)
        left -= price
    return sorted(chosen)


def exchange(
    chosen: Sequence[int],
    rows: Sequence[int],
    scores: NDArray[np.float64],
    costs: NDArray[np.int64],
    files: Sequence[int],
    head_cost: Callable[[int], int],
    budget: int,
) -> list[int]:
    """The chosen rows, of which some have made way for likelier ones: what didn't fit into the rest of the budget may
    fit in the place of a message that is worth less.
    """
    score, cost = dict(zip(rows, scores.tolist(), strict=True)), dict(zip(rows, costs.tolist(), strict=True))
    owner = dict(zip(rows, files, strict=True))
    inside = _Inside(cost, owner, head_cost)
    for row in chosen:
        inside.add(row)
    outside = sorted(set(rows) - inside.rows, key=lambda row: (-score[row], row))
    for row in outside[:_MISSES]:
        for other in sorted(inside.rows, key=lambda row: (score[row], row)):
            if score[other] >= score[row]:
                break
            inside.remove(other)
            if inside.spent + inside.price(row) <= budget:
                inside.add(row)
                break
            inside.add(other)
    return sorted(inside.rows)


class _Inside:
    """Some rows, and what they cost together."""

    def __init__(self, cost: dict[int, int], owner: dict[int, int], head_cost: Callable[[int], int]) -> None:
        self.cost = cost
        self.owner = owner
        self.head_cost = head_cost
        self.rows: set[int] = set()
        self.opened: Counter[int] = Counter()
        self.spent = 0

    def price(self, row: int) -> int:
        """What one more row adds."""
        file = self.owner[row]
        around = GAP_COST * _gaps(row, self.rows, self.owner) if self.opened[file] else self.head_cost(file)
        return self.cost[row] + around

    def add(self, row: int) -> None:
        self.spent += self.price(row)
        self.rows.add(row)
        self.opened[self.owner[row]] += 1

    def remove(self, row: int) -> None:
        self.rows.discard(row)
        self.opened[self.owner[row]] -= 1
        self.spent -= self.price(row)


def _gaps(row: int, chosen: set[int], owner: dict[int, int]) -> int:
    """Gap lines that a message adds (1), leaves (0) or closes (-1) among the chosen of its file."""
    before = row - 1 in chosen and owner[row - 1] == owner[row]
    after = row + 1 in chosen and owner[row + 1] == owner[row]
    return 1 - before - after
