"""Windows, sub-windows and doubled decisions against a slow and obvious restatement of LazyMem's rules."""

from __future__ import annotations

from itertools import groupby, pairwise

from hypothesis import given
from hypothesis import strategies as st

from jam.strategies.lazy.windows import resolved, sub_windows, windows

sizes = st.integers(1, 60)
widths = st.integers(0, 4)


@st.composite
def found_in_a_session(draw: st.DrawFn) -> tuple[list[int], int]:
    size = draw(sizes)
    return draw(st.lists(st.integers(0, size - 1), max_size=20)), size


def slow_windows(found: list[int], size: int, width: int) -> list[list[int]]:
    """Spans one by one; two neighbours share a window where idx(d[i+1]) - idx(d[i]) <= 2w, and so on."""
    places = sorted(set(found))
    groups: list[list[int]] = []
    for place in places:
        if groups and place - groups[-1][-1] <= 2 * width:
            groups[-1].append(place)
        else:
            groups.append([place])
    spans = [{n for place in group for n in range(place - width, place + width + 1)} for group in groups]
    return [sorted(n for n in span if 0 <= n < size) for span in spans]


@given(found_in_a_session(), widths)
def test_windows_are_as_equation_1_has_them(session: tuple[list[int], int], width: int):
    found, size = session
    assert [list(window) for window in windows(found, size, width)] == slow_windows(found, size, width)


@given(found_in_a_session(), widths)
def test_no_message_is_in_two_windows_and_every_found_one_has_its_neighbours(
    session: tuple[list[int], int], width: int
):
    found, size = session
    shown = [place for window in windows(found, size, width) for place in window]
    assert len(shown) == len(set(shown))
    for place in found:
        assert set(range(max(0, place - width), min(size, place + width + 1))) <= set(shown)


@given(st.integers(0, 30), sizes, st.integers(1, 12), st.integers(1, 12))
def test_sub_windows_hold_all_in_order_with_the_same_overlap(start: int, length: int, longest: int, stride: int):
    stride = min(stride, longest)
    window = range(start, start + length)
    parts = sub_windows(window, longest, stride)
    assert sorted({place for part in parts for place in part}) == list(window)
    assert all(0 < len(part) <= longest for part in parts)
    assert all(later.start - earlier.start == stride for earlier, later in pairwise(parts))
    # the last one brings something that the one before it hasn't
    assert len(parts) == 1 or parts[-1].stop > parts[-2].stop
    assert len(parts) == 1 or length > longest


def test_the_papers_own_numbers():
    # w = 2, L = 8, stride 7: found at 10 and 14 share a window (14 - 10 <= 4), 19 stands alone.
    assert windows([14, 10, 19], 100, 2) == [range(8, 17), range(17, 22)]
    assert sub_windows(range(8, 17), 8, 7) == [range(8, 16), range(15, 17)]
    assert sub_windows(range(15), 8, 7) == [range(8), range(7, 15)]
    assert sub_windows(range(8), 8, 7) == [range(8)]
    assert windows([0, 3], 4, 2) == [range(4)]
    assert windows([], 4, 2) == []


@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), max_size=20))
def test_keep_comes_before_drop_and_then_the_earlier_window(decisions: list[tuple[int, bool]]):
    chosen = resolved(decisions)
    numbered = sorted(enumerate(decisions), key=lambda item: item[1][0])
    for place, group in groupby(numbered, key=lambda item: item[1][0]):
        own = list(group)
        keeps = [number for number, (_, kept) in own if kept]
        assert chosen[place] == (keeps[0] if keeps else own[0][0])
    assert set(chosen) == {place for place, _ in decisions}
