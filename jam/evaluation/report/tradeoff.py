"""What is found against what it costs: a point a method and budget, on an axis of time or of tokens; as text here."""

from __future__ import annotations

import math
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jam.evaluation.report.markdown import section

FOUND = "all gold messages inside, share of questions"
_WIDTH, _HEIGHT = 72, 16
_LETTERS = string.ascii_letters
_SEVERAL = "+"


@dataclass(frozen=True, slots=True)
class Axis:
    """What is spent."""

    key: str
    """Of a point of `figures`."""
    title: str
    unit: str = ""


SECONDS = Axis("seconds", "mean seconds of a context", " s")
TOKENS = Axis("context_tokens", "mean tokens of a context")


@dataclass(frozen=True, slots=True)
class Point:
    """What a method finds at a budget."""

    method: str
    budget: int | None
    x: float
    y: float

    @property
    def label(self) -> str:
        """The budget; of a baseline, which has none, its name."""
        return f"{self.budget:,}" if self.budget else self.method


@dataclass(frozen=True, slots=True)
class Scale:
    """Where points lie between two ends: from 0 to 1."""

    low: float
    high: float
    logarithmic: bool

    def place(self, value: float) -> float:
        """0 is the low end."""
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """Round values within: tenths, or 1, 2 and 5 of every power of ten."""
        if not self.logarithmic:
            return [tenth / 10 for tenth in range(round(self.low * 10), round(self.high * 10) + 1)]
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        values = [digit * 10.0**power for power in powers for digit in (1, 2, 5)]
        return [value for value in values if self.low <= value <= self.high]


def points_on(axis: Axis, points: Sequence[Mapping[str, Any]]) -> list[Point]:
    """The points that have a place on an axis."""
    placed = [point for point in points if point["all"] is not None and (point[axis.key] or 0) > 0]
    return [Point(point["method"], point["budget"], point[axis.key], point["all"]) for point in placed]


def scales(points: Sequence[Point]) -> tuple[Scale, Scale]:
    """Across and up: ends that all points lie within. Costs differ by powers of ten, so that axis is logarithmic."""
    low, high = (end(point.x for point in points) for end in (min, max))
    bottom = min(math.floor(min(point.y for point in points) * 10) / 10, 0.9)
    top = max(math.ceil(max(point.y for point in points) * 10) / 10, bottom + 0.1)
    return Scale(low / 1.2, high * 1.2, True), Scale(bottom, top, False)


def number(value: float) -> str:
    """A value of an axis, without decimals that say nothing."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.3g}"


def plot(points: Sequence[Mapping[str, Any]], axis: Axis) -> str:
    """The points as characters, a letter a method; nothing where there are none."""
    placed = points_on(axis, points)
    if not placed:
        return ""
    across, up = scales(placed)
    names = list(dict.fromkeys(point.method for point in placed))
    letters = {name: _LETTERS[place % len(_LETTERS)] for place, name in enumerate(names)}
    cells: dict[tuple[int, int], str] = {}
    for point in placed:
        cell = round(across.place(point.x) * (_WIDTH - 1)), round(up.place(point.y) * (_HEIGHT - 1))
        letter = letters[point.method]
        cells[cell] = letter if cells.get(cell, letter) == letter else _SEVERAL
    lines = [_row(cells, line, up) for line in reversed(range(_HEIGHT))]
    ends = [f"{number(end)}{axis.unit}" for end in (across.low, across.high)]
    foot = [f"      +{'-' * _WIDTH}", f"       {ends[0]}{ends[1]:>{_WIDTH - len(ends[0])}}", ""]
    legend = [f"{letters[name]}  {name}" for name in names]
    body = "\n".join(line.rstrip() for line in ["```", *lines, *foot, *legend, "```"])
    return section(f"{FOUND[0].upper()}{FOUND[1:]}, against {axis.title}", body)


def _row(cells: Mapping[tuple[int, int], str], line: int, up: Scale) -> str:
    """A line of the plot; the lowest and the highest say where they are."""
    end = {0: up.low, _HEIGHT - 1: up.high}.get(line)
    shown = "".join(cells.get((column, line), " ") for column in range(_WIDTH))
    return f"{'' if end is None else f'{end:.1f}':>5} |{shown}"
