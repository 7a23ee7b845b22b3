"""History windowing (LazyMem, section 3.2): the messages that were found, in their conversation.

Numbers only: places in one session, from 0. No window reaches from one session into another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def windows(found: Iterable[int], size: int, width: int) -> list[range]:
    """Maximal windows around the places found in a session of `size` messages, in order, without overlap.

    Every place is given `width` neighbours on either side; two that follow one another share a window where
    idx(d[i+1]) - idx(d[i]) <= 2 width (Eq. 1).
    """
    out: list[range] = []
    before: int | None = None
    for place in sorted(set(found)):
        first, end = max(0, place - width), min(size, place + width + 1)
        if before is not None and place - before <= 2 * width:
            first = out.pop().start
        out.append(range(first, end))
        before = place
    return out


def sub_windows(window: range, longest: int, stride: int) -> list[range]:
    """The window in pieces of at most `longest` messages, each beginning `stride` after the one before: neighbours
    share `longest - stride` messages. One that is short enough stays whole.
    """
    if len(window) <= longest:
        return [window]
    count = -(-(len(window) - longest) // stride) + 1
    starts = (window.start + number * stride for number in range(count))
    return [range(start, min(start + longest, window.stop)) for start in starts]


def resolved(decisions: Sequence[tuple[int, bool]]) -> dict[int, int]:
    """Which of several decisions on a place counts: place → number of the decision. `decisions` are (place, kept) in
    the order of their windows; one that keeps comes first, then the earlier window.
    """
    best: dict[int, int] = {}
    for number, (place, kept) in enumerate(decisions):
        if place not in best or (kept and not decisions[best[place]][1]):
            best[place] = number
    return best
