from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from jam.history.readers.assistants.branches import Node, lines


def tree(text):
    """`a>b b>c`: nodes in the order in which they are named, each with the one that it follows."""
    nodes = []
    for part in text.split():
        parent, _, own = part.rpartition(">")
        own, _, at = own.partition("@")
        nodes.append(Node(own, parent or None, at=at or None))
    return nodes


def named(text, current=None):
    nodes = tree(text)
    return ["".join(nodes[place].id or "?" for place in line) for line in lines(nodes, current)]


def test_one_line():
    assert named("a a>b b>c") == ["abc"]
    assert lines([]) == []


def test_without_any_link_the_order_of_the_source_counts():
    assert named("a b c") == ["abc"]
    assert named("0>a 0>b 0>c") == ["abc"]


def test_the_current_line_comes_first_and_shared_messages_once():
    assert named("a a>b b>c a>d d>e", "c") == ["abc", "de"]
    assert named("a a>b b>c a>d d>e", "e") == ["ade", "bc"]


def test_a_current_node_with_followers_leads_on():
    assert named("a a>b b>c b>d", "b") == ["abd", "c"]


def test_without_a_current_node_the_latest_end_counts():
    assert named("a@1 a>b@5 a>c@3") == ["ab", "c"]
    assert named("a a>b a>c") == ["ac", "b"]
    assert named("a@1 a>b@2 a>c@5 b>d") == ["ac", "bd"]
    assert named("a a>b a>c", "nowhere") == ["ac", "b"]


def test_branches_are_numbered_as_they_began():
    assert named("a@1 a>x@9 x>y@9 a>b@2 b>c@3 b>d@8 a>e@5", "y") == ["axy", "bd", "c", "e"]


def test_children_say_the_order_and_the_parent():
    nodes = [Node("b"), Node("c"), Node("a", children=("c", "b"))]
    assert [[nodes[place].id for place in line] for line in lines(nodes)] == [["a", "b"], ["c"]]


def test_siblings_of_a_parent_that_is_not_there():
    assert named("0>a a>b 0>c c>d", "d") == ["cd", "ab"]


def test_a_node_whose_parent_was_left_out_follows_what_came_before():
    assert named("a a>b gone>c c>d") == ["abcd"]
    assert named("a a>b c c>d") == ["abcd"]


def test_circles_and_doubled_ids():
    assert sorted("".join(named("b>a a>b b>c"))) == ["a", "b", "c"]
    assert sorted("".join(named("a>a a>b"))) == ["a", "b"]
    assert sorted("".join(named("a a>b b>a a>c"))) == ["a", "a", "b", "c"]


NAMES = st.sampled_from("abcdefgh")


@given(st.lists(st.tuples(NAMES, st.none() | NAMES, st.lists(NAMES, max_size=2))), st.none() | NAMES)
def test_every_node_is_on_exactly_one_line(values, current):
    nodes = [Node(own, parent, tuple(children)) for own, parent, children in values]
    found = lines(nodes, current)
    assert sorted(place for line in found for place in line) == list(range(len(nodes)))
    assert all(found)


def test_long_and_wide_trees_take_no_longer_than_reading():
    count = 100_000
    chain = [Node(str(n), str(n - 1) if n else None) for n in range(count)]
    star = [Node(str(n), "0" if n else None) for n in range(count)]
    begun = time.monotonic()
    assert len(lines(chain)) == 1
    assert len(lines(star)) == count - 1
    assert time.monotonic() - begun < 20
