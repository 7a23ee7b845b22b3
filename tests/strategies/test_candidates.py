"""DeferMem's candidates: what must be among them, in which order they are taken, and what they cost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jam
from jam.index.asked import Asked
from jam.index.search_index import Ranking, SearchIndex, Within
from jam.links.links import Links
from jam.links.store import Rules, open_links
from jam.strategies.defer.candidates import AROUND, HEAD, candidates
from tests.index.indexes import index_of

_WORDS = ["harbour", "lantern", "ferry", "tariff", "orchard", "violin", "meadow", ""]
RULES = Rules(segment_below=0.6, link_above=0.5)
histories = st.lists(
    st.lists(st.lists(st.sampled_from(_WORDS), max_size=4).map(" ".join), max_size=6), min_size=1, max_size=5
)
QUESTION = "Which ferry goes past the harbour lantern?"


def index(*chats: list[str]) -> SearchIndex:
    sessions = [
        jam.Session(f"s{number}", tuple(jam.Message("user", text) for text in texts), at=f"2024-01-0{number + 1}")
        for number, texts in enumerate(chats)
    ]
    return index_of(*sessions)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> jam.Workspace:
    """A workspace in which nothing is stored."""
    workspace = jam.Workspace.create(tmp_path_factory.mktemp("bare") / "w")
    workspace.derived.write_text("in the way")
    return workspace


def counted(searched: SearchIndex, rows: list[int]) -> int:
    """Tokens of candidates, as the docstring of `candidates` says."""
    files = {searched.place(row)[0] for row in rows}
    return sum(int(searched.arrays["cost"][row]) + AROUND for row in rows) + HEAD * len(files)


@given(histories, st.integers(1, 8), st.integers(1, 200))
def test_candidates_are_distinct_in_scope_in_order_and_within_the_budget(
    bare: jam.Workspace, chats: list[list[str]], messages: int, tokens: int
):
    searched = index(*chats)
    links = open_links(bare, searched, RULES)
    ranking = searched.rank(QUESTION, Within(path="s0.md"))
    found = candidates(ranking, links, messages, tokens)
    assert found == sorted(set(found))
    assert all(searched.place(row)[0] == "s0.md" and searched.arrays["cost"][row] > 0 for row in found)
    assert counted(searched, found) <= tokens
    inside = [row for row in range(len(searched)) if searched.place(row)[0] == "s0.md"]
    passed = [row for row in inside if row not in found and searched.arrays["cost"][row] > 0]
    assert all(counted(searched, [*found, row]) > tokens for row in passed)  # nothing that fits is left out


@given(histories, st.integers(1, 8))
def test_with_room_for_all_everything_is_a_candidate(bare: jam.Workspace, chats: list[list[str]], messages: int):
    searched = index(*chats)
    found = candidates(searched.rank(QUESTION), open_links(bare, searched, RULES), messages, 10_000)
    assert found == np.flatnonzero(searched.arrays["cost"] > 0).tolist()


BOATS = [f"The {boat} needs varnish on its hull, and its oars are cracked." for boat in ("skiff", "dinghy", "punt")]
BREAD = [f"My {grain} sourdough came out flat, so I let the dough rise longer." for grain in ("rye", "spelt", "wheat")]


def ranked(searched: SearchIndex, scores: list[float]) -> Ranking:
    asked: Asked = searched.rank(QUESTION).asked
    return Ranking(searched, asked, np.array(scores, np.float32))


@pytest.fixture
def boats_and_bread(bare: jam.Workspace) -> tuple[SearchIndex, Links]:
    """Rows 0-2 are boats, 3-5 bread; in another session 6-8 bread, 9-11 boats."""
    searched = index([*BOATS, *BREAD], [*BREAD, *BOATS])
    return searched, open_links(bare, searched)


def taken(searched: SearchIndex, links: Links, scores: list[float], messages: int, count: int) -> list[int]:
    """The candidates with room for so many of these messages, which are of about one length."""
    most = int(searched.arrays["cost"].max())
    return candidates(ranked(searched, scores), links, messages, count * (most + AROUND) + 2 * HEAD)


def test_a_segment_and_its_link_come_before_others_that_rank_alike(boats_and_bread: tuple[SearchIndex, Links]):
    searched, links = boats_and_bread
    scores = [-4.0] * 12
    scores[1] = 0.0
    assert taken(searched, links, scores, messages=1, count=1) == [1]
    assert taken(searched, links, scores, messages=1, count=3) == [0, 1, 2]
    assert taken(searched, links, scores, messages=1, count=6) == [0, 1, 2, 9, 10, 11]


def test_a_segment_does_not_push_out_what_ranks_far_better(boats_and_bread: tuple[SearchIndex, Links]):
    searched, links = boats_and_bread
    scores = [-9.0] * 12
    scores[1], scores[5] = 0.0, -1.0
    assert taken(searched, links, scores, messages=1, count=2) == [1, 5]


def test_only_the_best_messages_bring_their_segments(boats_and_bread: tuple[SearchIndex, Links]):
    searched, links = boats_and_bread
    scores = [-6.0] * 12
    scores[1], scores[5] = 0.0, -1.0
    assert taken(searched, links, scores, messages=1, count=3) == [0, 1, 5]
    assert taken(searched, links, scores, messages=2, count=4) == [0, 1, 2, 5]
    assert taken(searched, links, [-6.0] * 5 + [0.0] + [-6.0] * 6, messages=1, count=3) == [3, 4, 5]


def test_the_best_come_before_all_that_they_bring(boats_and_bread: tuple[SearchIndex, Links]):
    searched, links = boats_and_bread
    scores = [-1.1, 0.0, *[-20.0] * 3, -1.0, *[-20.0] * 6]
    assert taken(searched, links, scores, messages=1, count=2) == [0, 1]
    assert taken(searched, links, scores, messages=2, count=2) == [1, 5]
