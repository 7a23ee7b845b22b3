"""Filling a token budget."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from jam.strategies.packing import exchange, pack

HEAD = 5


@st.composite
def problems(draw):
    sizes = draw(st.lists(st.integers(1, 8), min_size=1, max_size=5))
    owners = [file for file, size in enumerate(sizes) for _ in range(size)]
    rows = draw(st.lists(st.integers(0, len(owners) - 1), unique=True))
    scores = draw(st.lists(st.integers(-20, 20), min_size=len(rows), max_size=len(rows)))
    costs = draw(st.lists(st.integers(1, 30), min_size=len(rows), max_size=len(rows)))
    return rows, [score / 4 for score in scores], costs, [owners[row] for row in rows], draw(st.integers(1, 200))


def solve(problem):
    rows, scores, costs, files, budget = problem
    return pack(rows, np.array(scores, float), np.array(costs, np.int64), files, lambda _: HEAD, budget)


def written(chosen, costs, files) -> int:
    """What the written form of some rows costs: heads, lines, and a line for each gap."""
    ordered = sorted(chosen)
    gaps = sum(files[a] == files[b] and b != a + 1 for a, b in pairwise(ordered))
    return HEAD * len({files[row] for row in ordered}) + sum(costs[row] for row in ordered) + gaps


def slow(rows, scores, costs, files, budget) -> list[int]:
    """The same rule, said plainly: best value first, whatever still fits when the whole is counted again."""
    cost_of, file_of = dict(zip(rows, costs, strict=True)), dict(zip(rows, files, strict=True))
    value = {row: score - np.log1p(cost) for row, score, cost in zip(rows, scores, costs, strict=True)}
    chosen: list[int] = []
    misses = 0
    for row in sorted(rows, key=lambda row: (-value[row], row)):
        if written([*chosen, row], cost_of, file_of) <= budget:
            chosen.append(row)
        elif (misses := misses + 1) > 40:
            break
    return sorted(chosen)


@given(problems())
def test_the_budget_is_never_exceeded(problem):
    rows, _, costs, files, budget = problem
    chosen = solve(problem)
    assert set(chosen) <= set(rows)
    cost = written(chosen, dict(zip(rows, costs, strict=True)), dict(zip(rows, files, strict=True)))
    assert cost <= budget


@given(problems())
def test_it_chooses_as_the_plain_rule_does(problem):
    assert solve(problem) == slow(*problem)


def test_a_gap_is_paid_for():
    assert solve(([0, 2], [1, 1], [10, 10], [0, 0], HEAD + 20)) == [0]
    assert solve(([0, 2], [1, 1], [10, 10], [0, 0], HEAD + 21)) == [0, 2]


def test_closing_a_gap_gives_its_line_back():
    rows, files = [0, 1, 2], [0, 0, 0]
    assert solve((rows, [9, 1, 9], [10, 10, 10], files, HEAD + 30)) == [0, 1, 2]


def test_what_is_too_large_is_passed_over():
    assert solve(([0, 1], [9, 1], [100, 10], [0, 0], HEAD + 10)) == [1]


def test_the_earlier_of_equals_is_taken():
    assert solve(([4, 1, 3], [1, 1, 1], [10, 10, 10], [0, 0, 0], HEAD + 10)) == [1]


def test_nothing_to_pack_is_nothing():
    assert solve(([], [], [], [], 10)) == []


@given(problems())
def test_an_exchange_only_makes_it_likelier_and_keeps_the_budget(problem):
    rows, scores, costs, files, budget = problem
    packed = solve(problem)
    given = (rows, np.array(scores, float), np.array(costs, np.int64), files, lambda _: HEAD, budget)
    chosen = exchange(packed, *given)
    assert len(chosen) == len(set(chosen)) == len(packed)
    assert written(chosen, dict(zip(rows, costs, strict=True)), dict(zip(rows, files, strict=True))) <= budget
    value = dict(zip(rows, scores, strict=True))
    before, after = (sorted(value[row] for row in each) for each in (packed, chosen))
    assert all(new >= old for old, new in zip(before, after, strict=True))
