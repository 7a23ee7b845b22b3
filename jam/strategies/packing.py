"""Which messages fill a token budget: best value for the tokens first. Numbers only; nothing here knows texts.

Lines never share a token (a word piece does not cross white space), so the cost of the written context is the sum of
the costs of its lines, and the budget is kept exactly without counting anything twice.
"""

from __future__ import annotations

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


def _gaps(row: int, chosen: set[int], owner: dict[int, int]) -> int:
    """Gap lines that a message adds (1), leaves (0) or closes (-1) among the chosen of its file."""
    before = row - 1 in chosen and owner[row - 1] == owner[row]
    after = row + 1 in chosen and owner[row + 1] == owner[row]
    return 1 - before - after
