"""An encoder of one's own beside the shipped vectors: kept with segments, asked with questions, and done without."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jam
from jam.encoders.resolve import encoder
from jam.encoding import DenseEncoder
from jam.errors import NotAWorkspace
from jam.index.codes import Encoding
from jam.index.collection import Collection, Place
from jam.index.embedder import static_embedder
from jam.index.indexing import Arrays, load_arrays, write_arrays
from jam.index.look import Look
from jam.index.merging import merge
from jam.index.quantised import restore
from jam.index.search_index import Ranking, SearchIndex
from jam.index.store import IndexState, index_state, open_index, rebuild
from tests.encoders.servers import Request, VectorServer, embeddings
from tests.histories import STRATEGIES, lasting
from tests.index.encoded import PAINT, SHIPPED, served, set_line, static_folder, write_history
from tests.index.indexes import index_of, records
from tests.index.test_segments import histories
from tests.servers import Fail


@pytest.fixture(autouse=True)
def _always_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jam.index.store._LOOK_AGAIN", 0.0)
    monkeypatch.setattr("jam.index.attempts._PEACE", 0.0)


@pytest.fixture
def history(tmp_path: Path) -> Path:
    return write_history(tmp_path / "history")


@pytest.fixture
def place(history: Path, tmp_path: Path) -> Path:
    """A workspace without an encoder."""
    return jam.build(history, tmp_path / "w.jam").root


def ours() -> DenseEncoder:
    return encoder(f"static:{SHIPPED}", {"batch_size": 1})


def arrays_of(sessions: Sequence[jam.Session]) -> Arrays:
    with tempfile.TemporaryDirectory() as folder:
        write_arrays(sessions, static_embedder(), Path(folder), Encoding(ours(), Path(folder)))
        return load_arrays(Path(folder), mapped=False)


def in_segments(sessions: Sequence[jam.Session], owners: Sequence[int]) -> Collection:
    segments = [
        arrays_of([s for s, own in zip(sessions, owners, strict=True) if own == number])
        for number in range(max(owners, default=0) + 1)
    ]
    places = [Place(own, list(owners[:at]).count(own)) for at, own in enumerate(owners)]
    return Collection(segments, places, static_embedder())


def segments(place: Path) -> list[dict[str, Any]]:
    home = place / ".jam" / "index"
    names = json.loads((home / "manifest.json").read_text())["segments"]
    return [json.loads((home / name / "meta.json").read_text()) for name in names]


def encoders(place: Path) -> list[str]:
    return [meta["encoder"] for meta in segments(place)]


def ask(workspace: jam.Workspace, strategy: str = "search") -> jam.MemoryContext:
    return jam.recall(workspace, PAINT, strategy=strategy, save=False)


def sent(server: VectorServer) -> list[str]:
    """What the server was given to encode, without the probe."""
    texts = [text for request in server.requests for text in request.body["input"]]
    return [text for text in texts if "ferry" not in text and "invoice" not in text]


@settings(max_examples=40, deadline=None)
@given(histories, st.data())
def test_merged_segments_are_as_if_encoded_at_once(sessions: list[jam.Session], data: st.DataObject):
    owners = data.draw(st.lists(st.integers(0, 2), min_size=len(sessions), max_size=len(sessions)))
    fresh = arrays_of(sessions)
    with tempfile.TemporaryDirectory() as folder:
        merge(in_segments(sessions, owners), Path(folder))
        merged = load_arrays(Path(folder), mapped=False)
    assert set(merged) == set(fresh)
    assert {"code", "code_scale"} < set(fresh)
    for name, values in fresh.items():
        assert merged[name].tobytes() == values.tobytes(), name


def test_a_message_is_encoded_with_the_title_of_its_session():
    long = "The mooring lines are old. " * 500
    session = jam.Session(
        "s", (jam.Message("user", long), jam.Message("user", "ok", kind="notice")), title="Boats in the harbour"
    )
    arrays = arrays_of([session])
    given = restore(arrays["code"], arrays["code_scale"])
    texts = [f"{session.title}\n{long[b:e]}" for b, e in zip(arrays["begin"][:-1], arrays["end"][:-1], strict=True)]
    assert len(texts) > 2
    np.testing.assert_allclose(given[:-1], ours().encode(texts), atol=0.004)
    assert not given[-1].any()
    untitled = arrays_of([jam.Session("s", (jam.Message("user", "A boat."),))])
    np.testing.assert_allclose(
        restore(untitled["code"], untitled["code_scale"]), ours().encode(["A boat."]), atol=0.004
    )


def ranked(collection: Collection, sessions: Sequence[jam.Session], fingerprints: Sequence[str]) -> Ranking:
    return SearchIndex(collection, records(sessions), Look(ours(), fingerprints)).rank(PAINT)


def test_the_ranking_is_the_same_however_sessions_came_to_be_in_segments():
    texts = ("Paint the hull twice.", "Two coats.", "Bread and butter.", "The hull is dry.")
    sessions = [jam.Session(f"s{n}", (jam.Message("user", text),)) for n, text in enumerate(texts)]
    own = ours().fingerprint
    one = ranked(in_segments(sessions, [0, 0, 0, 0]), sessions, [own])
    several = ranked(in_segments(sessions, [1, 0, 1, 0]), sessions, [own, own])
    assert one.scores.tolist() == several.scores.tolist()
    assert one.notes == ()
    assert one.scores.tolist() != index_of(*sessions).rank(PAINT).scores.tolist()


def test_the_message_and_its_neighbours_are_likened_to_the_question():
    texts = ("Rye bread.", "Paint the hull twice.", "Sourdough.", "An owl.")
    session = jam.Session("s", tuple(jam.Message("user", text) for text in texts))
    collection = in_segments([session], [0])
    index = SearchIndex(collection, records([session]), Look(ours(), [ours().fingerprint]))
    plain = SearchIndex(collection, records([session])).rank(PAINT).scores
    index.weights = {("encoded", 0): 1.0}
    assert index.rank(PAINT).order[0] == 1
    near = SearchIndex(collection, records([session]), Look(ours(), [ours().fingerprint]))
    near.weights = {("encoded", 1): 1.0}
    cosines = restore(collection.rows("code", slice(None)), collection.rows("code_scale", slice(None)))
    cosines = cosines @ ours().encode([PAINT])[0]
    means = [cosines[:2].mean(), cosines[:3].mean(), cosines[1:].mean(), cosines[2:].mean()]
    assert near.rank(PAINT).order.tolist() == np.argsort(means)[::-1].tolist()
    assert plain.tolist() == index_of(session).rank(PAINT).scores.tolist()


def test_an_encoder_is_used_from_the_next_build_on(place: Path, history: Path, tmp_path: Path):
    before = ask(jam.Workspace.open(place))
    workspace = set_line(place, f"embedder: static:{static_folder(tmp_path / 'vectors')}")
    waiting = ask(workspace)
    assert "`jam build` adds them" in waiting.notes
    assert waiting.context == before.context
    assert index_state(workspace) == IndexState.stale

    jam.build(history, place)
    assert encoders(place) == [encoder(f"static:{SHIPPED}").fingerprint]
    workspace = jam.Workspace.open(place)
    assert "embedder" not in ask(workspace).notes
    assert index_state(workspace) == IndexState.equal
    assert open_index(workspace).rank(PAINT).asked.vector is not None

    workspace = set_line(place)
    assert lasting(ask(workspace)) == lasting(before)
    assert index_state(workspace) == IndexState.stale
    jam.build(history, place)
    assert encoders(place) == [""]
    assert "code" not in segments(place)[0]["arrays"]


def test_what_is_built_bit_by_bit_is_what_is_made_anew(place: Path, history: Path, tmp_path: Path):
    set_line(place, f"embedder: static:{static_folder(tmp_path / 'vectors')}")
    for name in ("owl", "kiln", "ferns"):
        write_history(history, **{name: (f"We saw the {name}.", "Where?")})
        jam.build(history, place)
    assert len(segments(place)) == 3
    stored = open_index(jam.Workspace.open(place))
    merge(stored.collection, tmp_path)
    scores = stored.rank(PAINT).scores.tolist()
    workspace = jam.Workspace.open(place)
    assert rebuild(workspace)
    (only,) = open_index(workspace).collection.segments
    for name, values in only.items():
        assert np.load(tmp_path / f"{name}.npy").tobytes() == np.asarray(values).tobytes(), name
    assert open_index(workspace).rank(PAINT).scores.tolist() == scores


def test_a_session_that_is_new_at_the_question_is_encoded_then(place: Path, history: Path, tmp_path: Path):
    set_line(place, f"embedder: static:{static_folder(tmp_path / 'vectors')}")
    workspace = jam.build(history, place)
    moved = place / open_index(workspace).files[0].path
    (place / "elsewhere").mkdir()
    moved.rename(place / "elsewhere" / moved.name)
    assert ask(jam.Workspace.open(place)).notes == ask(workspace).notes
    assert all(encoders(place))


def test_a_server_is_sent_each_message_once(place: Path, history: Path):
    with VectorServer(embeddings) as server:
        set_line(place, *served("openai", server.url))
        jam.build(history, place)
        first = sent(server)
        assert "About the bread\nMy rye bread came out flat." in first
        assert len(first) == 8
        server.requests.clear()
        write_history(history, owl=("An owl sits on the mast.",))
        jam.build(history, place)
        assert sent(server) == ["About the owl\nAn owl sits on the mast."]
        server.requests.clear()
        for strategy in STRATEGIES:
            assert "embedder" not in ask(jam.Workspace.open(place), strategy).notes
        assert set(sent(server)) >= {PAINT}
        assert not set(sent(server)) & set(first)


def test_another_model_behind_the_same_name_is_noticed(place: Path, history: Path):
    def negated(request: Request) -> dict[str, Any]:
        reply = embeddings(request)
        for row in reply["data"]:
            row["embedding"] = [-x if n % 2 else x for n, x in enumerate(reversed(row["embedding"]))]
        return reply

    with VectorServer(lambda request: (negated if other else embeddings)(request)) as server:
        other = False
        set_line(place, *served("openai", server.url))
        jam.build(history, place)
        before = encoders(place)
        other = True
        assert "another one" in ask(jam.Workspace.open(place)).notes
        assert encoders(place) == before
        jam.build(history, place)
        assert encoders(place) != before
        assert ask(jam.Workspace.open(place)).notes == ""


def test_a_server_that_is_down_at_the_build_is_made_up_for_by_a_later_one(
    place: Path, history: Path, caplog: pytest.LogCaptureFixture
):
    with VectorServer(lambda request: Fail(503) if down else embeddings(request)) as server:
        down = True
        set_line(place, *served("openai", server.url))
        write_history(history, owl=("An owl sits on the mast.",))
        jam.build(history, place)
        assert "the next build adds them" in caplog.text
        assert set(encoders(place)) == {""}
        assert "`jam build` adds them" in ask(jam.Workspace.open(place)).notes
        down = False
        caplog.clear()
        jam.build(history, place)
        assert all(encoders(place))
        assert caplog.text == ""
        assert ask(jam.Workspace.open(place)).notes == ""


def test_a_server_that_goes_down_midway_leaves_no_codes_behind(
    place: Path, history: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("jam.index.codes._BATCHES", 1)
    with VectorServer(lambda request: Fail(503) if request.number > 3 else embeddings(request)) as server:
        set_line(place, *served("openai", server.url, "batch_size: 2"))
        jam.build(history, place)
    assert encoders(place) == [""]
    assert "code" not in segments(place)[0]["arrays"]
    assert index_state(set_line(place)) == IndexState.equal


def test_what_is_encoded_stays_while_the_server_is_down(place: Path, history: Path):
    with VectorServer(lambda request: Fail(503) if down else embeddings(request)) as server:
        down = False
        set_line(place, *served("openai", server.url))
        jam.build(history, place)
        down = True
        write_history(history, owl=("An owl sits on the mast.",))
        jam.build(history, place)
        assert [bool(own) for own in encoders(place)] == [True, False]
        down = False
        server.requests.clear()
        jam.build(history, place)
        assert all(encoders(place))
        assert sent(server) == ["About the owl\nAn owl sits on the mast."]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_server_that_is_down_at_the_question_is_done_without(place: Path, history: Path, strategy: str):
    without = ask(jam.Workspace.open(place), strategy)
    with VectorServer(lambda request: Fail(503) if down else embeddings(request)) as server:
        down = False
        set_line(place, *served("openai", server.url))
        jam.build(history, place)
        down = True
        workspace = jam.Workspace.open(place)
        found = ask(workspace, strategy)
        assert "The embedder was not used: " in found.notes
        assert found.notes.count("The embedder") == 1
        assert found.context == without.context
        down = False
        assert "embedder" not in ask(workspace, strategy).notes


WRONG = [
    (["embedder: 3"], "embedder must be a spec"),
    (["embedder:", "  batch_size: 3"], "embedder must be a spec"),
    (["embedder: fax:machine"], "embedder: 'fax' is no kind of encoder"),
    (["embedder: static:/nowhere/at/all"], "embedder: there is no folder '/nowhere/at/all'"),
    (["embedder: {spec: 'openai:m@http://127.0.0.1:1', batch_size: 0}"], "embedder: batch_size must be"),
    (["embedder: {spec: 'openai:m@http://127.0.0.1:1', key: sk-1}"], "embedder: unknown setting 'key'"),
    (["reranker: openai:m"], "reranker: 'openai' is no kind of reranker"),
    (["reranker: rerank:m"], "reranker: a reranker needs its server's URL"),
    (["reranker: [a]"], "reranker must be a spec"),
]


@pytest.mark.parametrize(("lines", "message"), WRONG)
def test_settings_that_make_no_sense_are_named_when_they_are_read(place: Path, lines: list[str], message: str):
    with pytest.raises(NotAWorkspace, match=r"jam\.yaml: ") as raised:
        set_line(place, *lines)
    assert message in str(raised.value)
    assert "sk-1" not in str(raised.value)


def test_settings_are_written_as_they_are_read(tmp_path: Path):
    from jam.workspace.settings import Settings

    given = {"spec": f"static:{SHIPPED}", "batch_size": 8}
    workspace = jam.Workspace.create(tmp_path / "w.jam", Settings(embedder=given))
    assert workspace.settings.embedder == given
    assert set_line(workspace.root, "reranker:").settings.reranker == {}
