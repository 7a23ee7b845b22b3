"""Segments and links of a workspace: however it grew, whatever is stored, they are as if made from nothing."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jam
from jam.doctor import check
from jam.index.search_index import SearchIndex
from jam.index.store import open_index
from jam.links.links import Links
from jam.links.segmenting import Floats
from jam.links.store import Rules, open_links
from jam.links.transitions import StaticTransitions, Talk
from tests.histories import small_workspace
from tests.index.indexes import index_of

_WORDS = ["harbour", "lantern", "ferry", "tariff", "orchard", "violin", "meadow", "copper", ""]
_TENT = "We pitched the tent by the lake, cooked over the campfire and slept in the sleeping bags."
_BANK = "The invoice of the printer is overdue; the bank charges interest on it."
_DAYS = ["2024-01-01", "2024-01-02", "2024-01-03", None]
RULES = Rules(segment_below=0.8, link_above=0.7, recent=2)
chats = st.fixed_dictionaries(
    {
        "day": st.sampled_from(_DAYS),
        "said": st.lists(st.lists(st.sampled_from(_WORDS), max_size=3).map(" ".join), max_size=7),
    }
)
histories = st.dictionaries(st.sampled_from("abcdefg"), chats, max_size=5)
"""Sessions by id."""
changes = st.dictionaries(st.sampled_from("abcdefg"), st.none() | chats, max_size=2)
"""Sessions that come, change or move in time, and those that go (none)."""


def index(history: dict[str, dict[str, object]]) -> SearchIndex:
    sessions = [
        jam.Session(name, tuple(jam.Message("user", text) for text in chat["said"]), at=chat["day"])
        for name, chat in sorted(history.items())
    ]
    return index_of(*sessions)


def everything(links: Links) -> list[object]:
    rows = len(links.segments)
    return [
        [links.segment_of(row) for row in range(rows)],
        [links.link_of(row) for row in range(rows)],
        [links.rows_of_link(link) for link in range(len(links))],
    ]


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> jam.Workspace:
    """A workspace in which nothing can be stored."""
    workspace = jam.Workspace.create(tmp_path_factory.mktemp("bare") / "w")
    workspace.derived.write_text("in the way")
    return workspace


def fresh(bare: jam.Workspace, searched: SearchIndex, rules: Rules = RULES) -> list[object]:
    bare.kept.clear()
    return everything(open_links(bare, searched, rules))


@given(histories, st.lists(changes, max_size=4))
def test_however_a_workspace_grew_its_links_are_those_made_from_nothing(
    bare: jam.Workspace, history: dict[str, dict[str, object]], steps: list[dict[str, dict[str, object] | None]]
):
    with TemporaryDirectory() as folder:
        root = jam.Workspace.create(Path(folder) / "w").root
        for step in [{}, *steps]:
            history = {name: chat for name, chat in {**history, **step}.items() if chat is not None}
            searched = index(history)
            assert everything(open_links(jam.Workspace.open(root), searched, RULES)) == fresh(bare, searched)


@given(histories)
def test_every_message_is_in_one_segment_of_its_session_and_in_one_link(
    bare: jam.Workspace, history: dict[str, dict[str, object]]
):
    searched = index(history)
    links = open_links(bare, searched, RULES)
    for row in range(len(searched)):
        own = links.segment_of(row)
        assert row in own
        assert len({searched.place(other)[0] for other in own}) == 1
        assert all(links.segment_of(other) == own for other in own)
        assert own in links.rows_of_link(links.link_of(row))
    every = [row for link in range(len(links)) for segment in links.rows_of_link(link) for row in segment]
    assert sorted(every) == list(range(len(searched)))


@given(histories, st.sampled_from("abcdefg"))
def test_a_sessions_segments_depend_on_nothing_else(
    bare: jam.Workspace, history: dict[str, dict[str, object]], name: str
):
    alone = fresh(bare, index({key: chat for key, chat in history.items() if key == name}))[0]
    searched = index(history)
    among = [own for row, own in enumerate(fresh(bare, searched)[0]) if searched.place(row)[0] == f"{name}.md"]
    first = among[0].start if among else 0
    assert [range(own.start - first, own.stop - first) for own in among] == alone


BOATS = [f"The {boat} needs varnish on its hull, and its oars are cracked." for boat in ("skiff", "dinghy", "punt")]
BREAD = [f"My {grain} sourdough came out flat, so I let the dough rise longer." for grain in ("rye", "spelt", "wheat")]
HISTORY = {
    "a": {"day": "2024-01-01", "said": [*BOATS, *BREAD]},
    "b": {"day": "2024-01-02", "said": [*BREAD, *BOATS]},
}


def test_topics_become_segments_and_are_linked_across_sessions(tmp_path: Path):
    searched = index(HISTORY)
    links = open_links(jam.Workspace.create(tmp_path / "w"), searched)
    assert [links.segment_of(row) for row in (0, 3, 6, 9)] == [range(3), range(3, 6), range(6, 9), range(9, 12)]
    assert links.rows_of_link(links.link_of(0)) == [range(3), range(9, 12)]
    assert links.rows_of_link(links.link_of(3)) == [range(3, 6), range(6, 9)]


class Counted(StaticTransitions):
    """Transitions that note how many sessions were looked at."""

    def __init__(self) -> None:
        self.looked = 0

    def scores(self, talk: Talk) -> Floats:
        self.looked += 1
        return super().scores(talk)


def test_what_is_stored_is_not_worked_out_again(tmp_path: Path):
    root = jam.Workspace.create(tmp_path / "w").root

    def looked(history: dict[str, dict[str, object]]) -> int:
        counted = Counted()
        open_links(jam.Workspace.open(root), index(history), Rules(transitions=counted))
        return counted.looked

    assert looked(HISTORY) == 2
    assert looked(HISTORY) == 0
    assert looked({**HISTORY, "z": {"day": "2024-02-01", "said": BREAD}}) == 1
    assert looked({**HISTORY, "z": {"day": "2024-02-01", "said": BOATS}}) == 1
    assert looked({**HISTORY, "0": {"day": "2023-12-01", "said": BREAD}}) == 3


def test_other_rules_mean_other_links(tmp_path: Path):
    workspace, searched = jam.Workspace.create(tmp_path / "w"), index(HISTORY)
    assert len(open_links(workspace, searched)) == 2
    assert len(open_links(workspace, searched, Rules(link_above=0.1))) == 1
    assert len(open_links(workspace, searched)) == 2


def test_an_open_workspace_keeps_its_links_as_long_as_its_index(tmp_path: Path):
    workspace, searched = jam.Workspace.create(tmp_path / "w"), index(HISTORY)
    links = open_links(workspace, searched)
    assert open_links(workspace, searched) is links
    assert open_links(workspace, index(HISTORY)) is not links


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-60])


def garbage(path: Path) -> None:
    path.write_bytes(b"\xff\xfe not what it was")


def empty(path: Path) -> None:
    path.write_bytes(b"")


def one_array(path: Path) -> None:
    with io.BytesIO() as buffer:
        np.save(buffer, np.zeros(3))
        path.write_bytes(buffer.getvalue())


def changed(name: str, change: Callable[[np.ndarray], object]) -> Callable[[Path], None]:
    def harm(path: Path) -> None:
        with np.load(path) as file:
            arrays = dict(file)
        np.savez(path, **{**arrays, name: np.array(change(arrays[name]))})

    return harm


HARMS: Sequence[Callable[[Path], None]] = [
    cut,
    garbage,
    empty,
    one_array,
    changed("made_by", lambda text: str(text).replace("1", "2")),
    changed("sizes", lambda sizes: sizes + 1),
    changed("sizes", lambda sizes: sizes.astype(np.float64)),
    changed("sizes", lambda sizes: np.array([7, -1, *sizes[2:]], np.int32)),
    changed("links", lambda links: links + 9),
    changed("links", lambda links: links[:-1]),
    changed("counts", lambda counts: counts[::-1] + 1),
    changed("sessions", lambda sessions: sessions[:, :3]),
]


@pytest.mark.parametrize("harm", HARMS)
def test_a_damaged_or_foreign_file_is_made_anew(tmp_path: Path, harm: Callable[[Path], None]):
    root, searched = jam.Workspace.create(tmp_path / "w").root, index(HISTORY)
    expected = everything(open_links(jam.Workspace.open(root), searched))
    path = root / ".jam" / "links" / "links.npz"
    harm(path)
    assert everything(open_links(jam.Workspace.open(root), searched)) == expected
    counted = Counted()
    open_links(jam.Workspace.open(root), searched, Rules(transitions=counted))
    assert counted.looked == 0  # the file is whole again


def test_where_nothing_can_be_stored_links_are_made_in_memory(
    bare: jam.Workspace, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    searched = index(HISTORY)
    expected = everything(open_links(jam.Workspace.create(tmp_path / "w"), searched))
    with caplog.at_level(logging.WARNING, "jam"):
        links = open_links(bare, searched)
    assert everything(links) == expected
    assert open_links(bare, searched) is links
    assert "made in memory" in caplog.text


class Reading:
    """Transitions that keep the texts they were given."""

    fingerprint = "reading"

    def __init__(self) -> None:
        self.texts: list[str] = []

    def scores(self, talk: Talk) -> Floats:
        texts = talk.texts()
        assert len(texts) == len(talk.vectors)
        self.texts += texts
        return np.zeros(max(0, len(texts) - 1), np.float32)


def test_transitions_may_read_the_texts(example_workspace: Path):
    workspace = jam.Workspace.open(example_workspace)
    searched = open_index(workspace)
    reading = Reading()
    open_links(workspace, searched, Rules(transitions=reading))
    said = [message.text for session in workspace.sessions() for message in session.messages]
    assert len(reading.texts) == len(searched)
    assert all(any(text in whole for whole in said) for text in reading.texts)
    assert len(set(said) & set(reading.texts)) > len(said) // 2


def test_doctor_tells_links_that_differ_and_makes_them_anew(tmp_path: Path):
    workspace = small_workspace(tmp_path, june=[_TENT, "Lovely."], july=[_TENT, "Lovely."], office=[_BANK, "Pay it."])
    open_links(workspace, open_index(workspace))
    path = workspace.derived / "links" / "links.npz"
    assert check(workspace).sound
    with np.load(path) as stored:
        arrays = dict(stored)
    everything_is_one = np.zeros_like(arrays["links"])
    assert not np.array_equal(everything_is_one, arrays["links"])
    arrays["links"] = everything_is_one
    with path.open("wb") as file:
        np.savez(file, **arrays)
    found = check(workspace, rebuild_index=True)
    assert [finding.code for finding in found.findings if finding.level == "fault"] == ["links_differ"]
    open_links(workspace, open_index(workspace))
    assert check(workspace).sound
