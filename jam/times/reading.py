"""A text's expressions of time, read against a reference day. Plain text in, plain values out: no models, no clock.

Each language has its own pass over the tokens, so that one language's "mars" never meets another's "this"; where two
read something at the same place, the longer one counts. No pass looks back further than a few words, nor ahead further
than an expression is long: the time grows as the text does.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from jam.text import has_cjk
from jam.times.cursor import Cursor, Found
from jam.times.expressions import TimeExpression
from jam.times.parts import read_time
from jam.times.relations import read_range, read_relation
from jam.times.tokens import Token, roles, tokens


def read_times(text: str, reference: date | None = None) -> list[TimeExpression]:
    """The expressions of time in a text, in its order, none overlapping another.

    `reference` is the day on which the text was said: what "last week" is counted from. Without it such an expression
    is returned as well, with no span. Any text will do; one that tells no time gives an empty list.
    """
    east_asian = _east_asian(text, reference) if has_cjk(text) else []
    between = _outside(tokens(text), [(one.start, one.end) for one in east_asian])
    spaced = (one for stretch in between for one in _spaced(text, stretch, reference))
    return sorted([*east_asian, *spaced], key=lambda one: one.start)


def _east_asian(text: str, reference: date | None) -> list[TimeExpression]:
    from jam.times.east_asian import read_east_asian  # its patterns take a while to compile, and few texts need them

    return read_east_asian(text, reference)


def _outside(found: list[Token], taken: list[tuple[int, int]]) -> list[list[Token]]:
    """The tokens before, between and after some stretches, which are in order; none that touches one."""
    parts: list[list[Token]] = [[]]
    ahead = iter(taken)
    stretch = next(ahead, None)
    for token in found:
        while stretch is not None and stretch[1] <= token.start:
            stretch = next(ahead, None)
            parts.append([])
        if stretch is None or token.end <= stretch[0]:
            parts[-1].append(token)
    return [part for part in parts if part]


def _spaced(text: str, found: list[Token], reference: date | None) -> Iterator[TimeExpression]:
    """The expressions of the languages that set their words apart."""
    meanings = roles(found)
    cursors = [
        Cursor(text, found, language, meanings[language], reference) for language in sorted(meanings, key=_order)
    ]
    place = 0
    while cursors and place < len(found):
        best = _longest(cursors, place)
        if best is None:
            place += 1
            continue
        start, end = found[place].start, found[best.next - 1].end
        yield TimeExpression(
            start, end, text[start:end], best.span, best.others, best.recurring, best.named, best.offset, best.anchor
        )
        place = best.next


def _order(language: str) -> tuple[bool, str]:
    """English first: of two readings of the same length it counts."""
    return language != "en", language


def _longest(cursors: list[Cursor], place: int) -> Found | None:
    best: Found | None = None
    for cursor in cursors:
        if not cursor.promising(place):
            continue
        found = read_range(cursor, place) or read_relation(cursor, place) or read_time(cursor, place)
        if found is not None and (best is None or found.next > best.next):
            best = found
    return best
