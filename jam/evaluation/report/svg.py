"""The trade-off as a picture: a panel an axis, a labelled point a method and budget. Equal points, equal bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from jam.evaluation.report.tradeoff import FOUND, SECONDS, TOKENS, Axis, Point, Scale, number, points_on, scales

_WIDTH, _HEIGHT = 620, 380
"""Of a panel's plot."""
_LEFT, _TOP, _BETWEEN, _LEGEND = 70, 40, 80, 260
_COLOURS = (
    "#0072b2 #d55e00 #009e73 #cc79a7 #e69f00 #56b4e9 #000000 #7f7f7f #8b4513 #6a3d9a "
    "#b8860b #e31a1c #1b7837 #a6611a #008080 #e7298a #556b2f #4b0082 #a0522d #4682b4"
).split()
_LETTER, _LINE = 5.6, 12
"""How wide and high a character of a label is, about."""
_ASIDE = ((7.0, 4.0), (7.0, -6.0), (7.0, 14.0), (-7.0, 4.0), (-7.0, -6.0), (-7.0, 14.0), (0.0, -10.0), (0.0, 20.0))
"""Where a label may stand beside its point, best first; on the left it ends there."""

Box = tuple[float, float, float, float]


def draw(title: str, points: Sequence[Mapping[str, Any]]) -> str:
    """The picture: against time, and against tokens."""
    names = list(dict.fromkeys(str(point["method"]) for point in points))
    colours = {name: _COLOURS[place % len(_COLOURS)] for place, name in enumerate(names)}
    width, height = _LEFT + _WIDTH + _LEGEND, 2 * (_TOP + _HEIGHT + _BETWEEN)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{_LEFT}" y="20" font-size="14">{escape(title)}</text>',
    ]
    for place, axis in enumerate((SECONDS, TOKENS)):
        lines += _panel(axis, points_on(axis, points), colours, _TOP + place * (_TOP + _HEIGHT + _BETWEEN))
    for place, name in enumerate(names):
        y = _TOP + 10 + place * 18
        lines.append(f'<circle cx="{_LEFT + _WIDTH + 20}" cy="{y}" r="4" fill="{colours[name]}"/>')
        lines.append(f'<text x="{_LEFT + _WIDTH + 30}" y="{y + 4}">{escape(name)}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def _panel(axis: Axis, points: Sequence[Point], colours: Mapping[str, str], top: int) -> Iterable[str]:
    """One plot with its axes; without points it says so."""
    yield f'<rect x="{_LEFT}" y="{top}" width="{_WIDTH}" height="{_HEIGHT}" fill="none" stroke="#999"/>'
    middle = _LEFT + _WIDTH / 2
    yield f'<text x="{middle}" y="{top + _HEIGHT + 36}" text-anchor="middle">{escape(axis.title)}</text>'
    centre = top + _HEIGHT / 2
    turned = f'transform="rotate(-90 20 {centre})"'
    yield f'<text x="20" y="{centre}" text-anchor="middle" {turned}>{escape(FOUND)}</text>'
    if not points:
        yield f'<text x="{middle}" y="{centre}" text-anchor="middle" fill="#999">nothing measured</text>'
        return
    across, up = scales(points)
    yield from _ticks(across, up, top)
    for name in dict.fromkeys(point.method for point in points):
        own = [_xy(point, across, up, top) for point in points if point.method == name]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in own)
        yield f'<polyline points="{line}" fill="none" stroke="{colours[name]}" stroke-opacity="0.5"/>'
    taken = [_around(*_xy(point, across, up, top)) for point in points]
    for point in points:
        yield from _marked(point, _xy(point, across, up, top), colours[point.method], taken)


def _ticks(across: Scale, up: Scale, top: int) -> Iterable[str]:
    bottom = top + _HEIGHT
    for value in across.ticks():
        x = _LEFT + across.place(value) * _WIDTH
        yield f'<line x1="{x:.1f}" y1="{bottom}" x2="{x:.1f}" y2="{top}" stroke="#eee"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{number(value)}</text>'
    for value in up.ticks():
        y = bottom - up.place(value) * _HEIGHT
        yield f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_LEFT + _WIDTH}" y2="{y:.1f}" stroke="#eee"/>'
        yield f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:.1f}</text>'


def _xy(point: Point, across: Scale, up: Scale, top: int) -> tuple[float, float]:
    return _LEFT + across.place(point.x) * _WIDTH, top + _HEIGHT - up.place(point.y) * _HEIGHT


def _marked(point: Point, at: tuple[float, float], colour: str, taken: list[Box]) -> Iterable[str]:
    """A point, and its label where it hides the least of what is there already."""
    x, y = at
    whole = f"{point.method}{f' @{point.budget:,}' if point.budget else ''}: {number(point.x)}, {point.y:.3f}"
    yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"><title>{escape(whole)}</title></circle>'
    boxes = {aside: _box(x, y, aside, point.label) for aside in _ASIDE}
    best = min(_ASIDE, key=lambda aside: (sum(_meet(boxes[aside], other) for other in taken), _ASIDE.index(aside)))
    taken.append(boxes[best])
    anchor = "end" if best[0] < 0 else "start" if best[0] > 0 else "middle"
    where = f'x="{x + best[0]:.1f}" y="{y + best[1]:.1f}" text-anchor="{anchor}"'
    yield f"<text {where} fill={quoteattr(colour)}>{escape(point.label)}</text>"


def _around(x: float, y: float) -> Box:
    return x - 4, y - 4, x + 4, y + 4


def _box(x: float, y: float, aside: tuple[float, float], label: str) -> Box:
    width = len(label) * _LETTER
    left = x + aside[0] - (width if aside[0] < 0 else 0 if aside[0] > 0 else width / 2)
    return left, y + aside[1] - _LINE + 3, left + width, y + aside[1] + 3


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
