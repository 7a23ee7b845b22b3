"""Conversations that fork: from messages that name the one they follow to lines that can be read from top to bottom.

The main line is the one that its owner saw last. Every edit and every answer that was generated anew begins a line of
its own, which holds only what is not on an earlier one. Nothing here knows about formats or messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_NONE = -1


@dataclass(frozen=True, slots=True)
class Node:
    """A place in a conversation."""

    id: str | None
    parent: str | None = None
    """The id of the node that it follows, where the source says."""
    children: tuple[str, ...] = ()
    """The ids of what follows it, in the source's order, where the source says."""
    at: str | None = None


def lines(nodes: Sequence[Node], current: str | None = None) -> list[list[int]]:
    """The places of all nodes in `nodes`: the main line first, then the branches in the order in which they began.

    The main line leads to the current node and on to its latest end; without one, to the latest end of all. Nodes that
    name a parent which is not there are siblings, behind what comes before them; where no node has its parent there,
    they simply follow one another.
    """
    return _Tree(nodes).lines(current) if nodes else []


class _Tree:
    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        self._places: dict[str, int] = {}
        for place, node in enumerate(nodes):
            if node.id is not None:
                self._places.setdefault(node.id, place)
        self._missing: dict[str, int] = {}
        self._parents = self._find_parents()
        self._linked = any(0 <= parent < len(nodes) for parent in self._parents)
        self._parents += [_NONE] * len(self._missing)
        self._break_circles()
        self._children = self._find_children()
        self._order: list[int] = []
        self._times: list[str] = []
        self._ends: list[int] = []

    def lines(self, current: str | None) -> list[list[int]]:
        """See the module's function."""
        if not self._linked:
            return [list(range(len(self._nodes)))]
        root = self._join_trees()
        here = self._places.get(current, root) if current is not None else root
        main = self._path(self._ends[here], _NONE)
        waiting = self._off(main)
        branches: list[list[int]] = []
        while waiting:
            start = waiting.pop()
            branch = self._path(self._ends[start], self._parents[start])
            waiting += self._off(branch)
            branches.append(branch)
        branches.sort(key=lambda branch: self._rank(branch[0]))
        real = [[place for place in line if place < len(self._nodes)] for line in (main, *branches)]
        return [line for line in real if line]

    def _find_parents(self) -> list[int]:
        """The parent of each node; parents that are not there get places behind the nodes."""
        claimed = {child: place for place, node in enumerate(self._nodes) for child in node.children}
        parents: list[int] = []
        for place, node in enumerate(self._nodes):
            if node.parent is None:
                parent = claimed.get(node.id, _NONE) if node.id is not None else _NONE
            elif node.parent in self._places:
                parent = self._places[node.parent]
            else:
                parent = self._missing.setdefault(node.parent, len(self._nodes) + len(self._missing))
            parents.append(parent if parent != place else _NONE)
        return parents

    def _break_circles(self) -> None:
        """A node that would be its own ancestor has no parent."""
        seen = [0] * len(self._parents)
        for start in range(len(self._parents)):
            place, behind = start, _NONE
            while place != _NONE and not seen[place]:
                seen[place] = start + 1
                place, behind = self._parents[place], place
            if place != _NONE and behind != _NONE and seen[place] == start + 1:
                self._parents[behind] = _NONE

    def _find_children(self) -> list[list[int]]:
        children: list[list[int]] = [[] for _ in self._parents]
        for place, parent in enumerate(self._parents):
            if parent != _NONE:
                children[parent].append(place)
        for place, node in enumerate(self._nodes):
            if node.children and len(children[place]) > 1:
                listed = {child: number for number, child in enumerate(node.children)}
                behind = len(listed)
                children[place].sort(key=lambda child: listed.get(self._nodes[child].id or "", behind))
        return children

    def _join_trees(self) -> int:
        """Put each tree behind the end of the one before it; the root of them all."""
        roots = [place for place, parent in enumerate(self._parents) if parent == _NONE]
        roots.sort(key=lambda root: min(self._children[root], default=root) if root >= len(self._nodes) else root)
        self._measure(roots)
        for before, root in pairwise(roots):
            end = self._ends[before]
            self._parents[root] = end
            self._children[end].append(root)
        self._measure(roots[:1])
        return roots[0]

    def _measure(self, roots: list[int]) -> None:
        """Each node's place in reading order, its time or that of the node before it, and the latest end below it."""
        self._order = [0] * len(self._parents)
        self._times = [""] * len(self._parents)
        self._ends = list(range(len(self._parents)))
        waiting = roots[::-1]
        visited: list[int] = []
        while waiting:
            place = waiting.pop()
            self._order[place] = len(visited)
            visited.append(place)
            own = self._nodes[place].at if place < len(self._nodes) else None
            parent = self._parents[place]
            self._times[place] = own or (self._times[parent] if parent != _NONE else "")
            waiting += self._children[place][::-1]
        for place in reversed(visited):
            if self._children[place]:
                self._ends[place] = max((self._ends[child] for child in self._children[place]), key=self._rank)

    def _rank(self, place: int) -> tuple[str, int]:
        return self._times[place], self._order[place]

    def _path(self, end: int, above: int) -> list[int]:
        """From below `above` down to `end`."""
        path = []
        while end != above:
            path.append(end)
            end = self._parents[end]
        return path[::-1]

    def _off(self, path: list[int]) -> list[int]:
        """Where other lines leave this one."""
        on = set(path)
        return [child for place in path for child in self._children[place] if child not in on]
