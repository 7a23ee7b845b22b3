"""Two orders of messages that hold some in common, woven into one.

Each keeps its own order. What stands between two common messages in both is put together by time; where times say
nothing, the main line goes before side lines, and what goes first of two equals is for the caller to say. The result
does not depend on which of the two came first to JAM. Numbers only: what the messages say is no matter here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Entry = int
"""Whatever the caller calls a message by."""


@dataclass(frozen=True, slots=True)
class Trait:
    """What a message's place depends on."""

    at: str | None
    thread: str | None


def weave(
    base: Sequence[Entry],
    other: Sequence[Entry],
    traits: Callable[[Entry], Trait],
    other_first: Callable[[Entry, Entry], bool],
) -> list[Entry]:
    """All of `base`, and what `other` has beside it: `other` names a common message as `base` does.

    `other_first` says of two equals, one of each, whether that of the other goes first.
    """
    common = set(base)
    times = _times(base, traits) | _times([each for each in other if each not in common], traits)
    runs = _runs(other, common)
    woven: list[Entry] = []
    own: list[Entry] = []
    following = runs.get(None, [])
    for entry in base:
        if entry in runs:
            woven += _together(own, following, times, traits, other_first)
            own, following = [], runs[entry]
            woven.append(entry)
        else:
            own.append(entry)
    return woven + _together(own, following, times, traits, other_first)


def _runs(other: Sequence[Entry], common: set[Entry]) -> dict[Entry | None, list[Entry]]:
    """What follows each common message in the other; what stands before the first of them follows `None`."""
    runs: dict[Entry | None, list[Entry]] = {None: []}
    run = runs[None]
    for entry in other:
        if entry in common:
            run = runs.setdefault(entry, [])
        else:
            run.append(entry)
    return runs


def _times(entries: Sequence[Entry], traits: Callable[[Entry], Trait]) -> dict[Entry, str]:
    """The time of each message: its own, else that of the one before it, or of the first that has one."""
    own = [traits(entry).at for entry in entries]
    last = next((at for at in own if at), "")
    times = {}
    for entry, at in zip(entries, own, strict=True):
        last = at or last
        times[entry] = last
    return times


def _together(
    own: Sequence[Entry],
    following: Sequence[Entry],
    times: dict[Entry, str],
    traits: Callable[[Entry], Trait],
    other_first: Callable[[Entry, Entry], bool],
) -> list[Entry]:
    """Two runs as one, by time; each keeps its order."""
    out: list[Entry] = []
    left, right = 0, 0
    while left < len(own) and right < len(following):
        mine, theirs = own[left], following[right]
        places = [(times[each], traits(each).thread is not None, traits(each).thread or "") for each in (mine, theirs)]
        if places[0] < places[1] or (places[0] == places[1] and not other_first(mine, theirs)):
            out.append(mine)
            left += 1
        else:
            out.append(theirs)
            right += 1
    return [*out, *own[left:], *following[right:]]
