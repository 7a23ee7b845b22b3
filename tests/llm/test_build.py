"""Building with a chat model: what is asked, what is written, what is paid, and what is never paid again."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import jam
from jam.doctor import check
from jam.engines import load_engine
from jam.memorizer.build import build
from jam.memorizer.preview import preview
from jam.workspace.layout import memo_path
from jam.workspace.lease import current_holder
from jam.workspace.settings import Settings
from jam.workspace.store import Workspace
from tests.conftest import tree_digest
from tests.histories import write_chat
from tests.llm.scripts import asked, instead, job, sensible
from tests.servers import Fail, Say


def memos(workspace: Workspace) -> dict[str, jam.Memo]:
    return {e.path: f.memo for e in workspace.entries() for f in [workspace.read_memo(e.path)] if f}


def test_every_session_gets_the_models_memo(serve, example_history: Path, tmp_path: Path):
    model, server = serve(sensible)
    workspace, report = build(example_history, tmp_path / "w", engine="llm", model=model)
    assert report.complete
    assert {memo.engine for memo in memos(workspace).values()} == {"llm"}
    assert len(memos(workspace)) == report.sessions == 25
    jobs = [job(request) for request in server.requests]
    assert jobs.count("memo") == 25
    assert report.spent.calls == len(jobs)
    assert report.spent.tokens > 0
    assert check(workspace).sound


def test_a_second_build_asks_nothing_and_changes_nothing(serve, example_history: Path, tmp_path: Path):
    model, server = serve(sensible)
    workspace, _ = build(example_history, tmp_path / "w", engine="llm", model=model)
    before, count = tree_digest(workspace.root), len(server.requests)
    _, report = build(example_history, tmp_path / "w", engine="llm", model=model)
    assert (len(server.requests), report.spent.calls, tree_digest(workspace.root)) == (count, 0, before)


def test_only_what_is_new_is_asked_about(serve, example_history: Path, tmp_path: Path):
    model, server = serve(sensible)
    build(example_history, tmp_path / "w", engine="llm", model=model)
    count = len(server.requests)
    (example_history / "notes" / "new.md").write_text("# Sails\n\nThe new sails are red.", encoding="utf-8")
    build(example_history, tmp_path / "w", engine="llm", model=model)
    new = [job(request) for request in server.requests[count:]]
    assert new.count("memo") == 1
    assert len(new) <= 5  # its memo, its place, the summaries above it


def test_without_derived_data_the_tree_still_spares_the_calls(serve, example_history: Path, tmp_path: Path):
    import shutil

    model, server = serve(sensible)
    workspace, _ = build(example_history, tmp_path / "w", engine="llm", model=model)
    count = len(server.requests)
    shutil.rmtree(workspace.derived)
    build(example_history, tmp_path / "w", engine="llm", model=model)
    assert len(server.requests) == count


def test_an_extractive_build_leaves_what_was_paid_for(serve, example_history: Path, tmp_path: Path):
    model, _ = serve(sensible)
    workspace, _ = build(example_history, tmp_path / "w", engine="llm", model=model)
    before = tree_digest(workspace.root)
    build(example_history, tmp_path / "w")
    assert tree_digest(workspace.root) == before


def test_an_llm_build_betters_what_was_computed(serve, example_history: Path, example_workspace: Path):
    model, _ = serve(sensible)
    workspace, report = build(example_history, example_workspace, engine="llm", model=model)
    assert {memo.engine for memo in memos(workspace).values()} == {"llm"}
    assert report.memos_written == 25
    assert "What a sensible model says" in (workspace.root / "README.md").read_text(encoding="utf-8")


def test_another_model_does_not_rewrite_unless_told(serve, example_history: Path, tmp_path: Path):
    first, _ = serve(sensible)
    build(example_history, tmp_path / "w", engine="llm", model=first)
    second, server = serve(sensible)
    build(example_history, tmp_path / "w", engine="llm", model=second)
    assert server.requests == []
    build(example_history, tmp_path / "w", engine="llm", model=second, refresh=True)
    assert [job(request) for request in server.requests].count("memo") == 25


def test_what_people_wrote_is_not_asked_about_again(serve, example_history: Path, tmp_path: Path):
    model, server = serve(sensible)
    workspace, _ = build(example_history, tmp_path / "w", engine="llm", model=model)
    memo = workspace.root / memo_path(workspace.entries()[0].path)
    memo.write_text(memo.read_text(encoding="utf-8").replace("# ", "# Mine: ", 1), encoding="utf-8")
    mine, count = memo.read_text(encoding="utf-8"), len(server.requests)
    build(example_history, tmp_path / "w", engine="llm", model=model, refresh=True)
    assert memo.read_text(encoding="utf-8") == mine
    assert len(server.requests) - count <= 4


def test_sessions_are_asked_about_side_by_side(serve, example_history: Path, tmp_path: Path):
    def slow(request, number):
        return replace(sensible(request, number), delay=0.2)

    model, server = serve(slow, concurrency=8)
    began = time.monotonic()
    build(example_history, tmp_path / "w", engine="llm", model=model)
    calls = len(server.requests)
    assert 4 <= server.most_at_once <= 8
    assert time.monotonic() - began < 0.2 * calls * 0.75


def test_the_lease_is_not_held_while_a_model_is_asked(serve, example_history: Path, tmp_path: Path):
    place = tmp_path / "w"
    held = []

    def look(request, number):
        time.sleep(0.05)
        held.append(current_holder(place))
        return sensible(request, number)

    model, server = serve(look, concurrency=1)
    build(example_history, place, engine="llm", model=model)
    # a batch is written, with the lease, while the next session is being asked about: that is brief
    assert sum(holder is None for holder in held) > len(held) * 0.7
    assert len(held) == len(server.requests)


def test_another_build_may_write_meanwhile(serve, example_history: Path, tmp_path: Path):
    place = tmp_path / "w"
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "note.md").write_text("# Ropes\n\nThe ropes are blue.", encoding="utf-8")
    built = []

    def meddle(request, number):
        if number == 3:
            built.append(build(tmp_path / "other", place))
        return sensible(request, number)

    model, _ = serve(meddle, concurrency=2)
    workspace, report = build(example_history, place, engine="llm", model=model)
    assert len(built) == 1
    assert len(list(workspace.sessions())) == 26
    assert check(workspace).sound
    assert report.failed == {}


def test_a_long_session_is_described_part_by_part_and_then_whole(serve, tmp_path: Path):
    write_chat(tmp_path / "h" / "a.json", [f"message {n} " + "tide " * 120 for n in range(30)], id="long")
    model, server = serve(sensible)
    place = Workspace.create(tmp_path / "w", Settings(part_tokens=1000))
    workspace, report = build(tmp_path / "h", place.root, engine="llm", model=model)
    parts = workspace.by_session()["long"]
    jobs = [job(request) for request in server.requests]
    assert jobs.count("memo") == len(parts) > 3
    assert jobs.count("reduce") == 1
    assert memos(workspace)[parts[0].path].title == "The whole of it"
    assert report.complete
    write_chat(
        tmp_path / "h" / "a.json", [*(f"message {n} " + "tide " * 120 for n in range(30)), "one more"], id="long"
    )
    count = len(server.requests)
    build(tmp_path / "h", place.root, engine="llm", model=model)
    again = [job(request) for request in server.requests[count:]]
    assert again.count("memo") == 1  # the part that grew; the first part's own card is answered from memory
    assert again.count("reduce") == 1


def test_a_text_beyond_the_window_is_described_piece_by_piece(serve, tmp_path: Path):
    write_chat(tmp_path / "h" / "a.json", ["tide " * 6000], id="huge")
    model, server = serve(sensible, context_tokens=3000)
    workspace, report = build(tmp_path / "h", tmp_path / "w", engine="llm", model=model)
    assert report.complete
    assert [job(request) for request in server.requests].count("memo") > 2
    assert max(len(asked(request)) for request in server.requests) < 3000 * 6
    assert memos(workspace)[workspace.entries()[0].path].title == "The whole of it"


def test_a_window_smaller_than_it_says_is_found_out(serve, tmp_path: Path):
    write_chat(tmp_path / "h" / "a.json", ["tide " * 3000], id="huge")

    def narrow(request, number):
        if len(json.dumps(request)) > 8000:
            return Fail(400, body='{"error": {"message": "This model\'s maximum context length is 2000 tokens"}}')
        return sensible(request, number)

    model, _ = serve(narrow)
    _, report = build(tmp_path / "h", tmp_path / "w", engine="llm", model=model)
    assert report.complete
    assert report.fallbacks == ()


def test_the_token_budget_of_a_build_holds(serve, example_history: Path, tmp_path: Path):
    model, _ = serve(sensible, concurrency=1)
    workspace, report = build(example_history, tmp_path / "w", engine="llm", model=model, tokens=4000)
    assert report.spent.tokens <= 4000 + 1500  # the server's counts may be above ours, by less than a call
    assert 0 < report.memos_written < 25
    assert not report.complete
    assert all("budget" in reason for reason in report.failed.values())
    assert len(list(workspace.sessions())) == 25
    _, again = build(example_history, tmp_path / "w", engine="llm", model=model)
    assert again.complete
    assert again.memos_written == 25 - report.memos_written


def test_a_dry_run_tells_the_cost_and_asks_nobody(serve, example_history: Path, tmp_path: Path):
    model, server = serve(sensible)
    seen = preview(example_history, load_engine("llm", model), tmp_path / "w")
    assert server.requests == []
    _, report = build(example_history, tmp_path / "w", engine="llm", model=model)
    memo_calls = [job(request) for request in server.requests].count("memo")
    assert seen.model_calls == memo_calls
    assert 0.5 < seen.model_tokens / report.spent.tokens < 2
    assert (seen.llm_calls, seen.llm_tokens) == (seen.model_calls, seen.model_tokens)
    again = preview(example_history, load_engine("llm", model), tmp_path / "w")
    assert (again.model_calls, again.model_tokens) == (0, 0)


def test_a_dry_run_without_a_model_tells_what_one_would_cost(serve, example_history: Path, tmp_path: Path):
    model, _ = serve(sensible)
    with_model = preview(example_history, load_engine("llm", model))
    seen = preview(example_history)
    assert (seen.model_calls, seen.model_tokens) == (0, 0)
    assert seen.llm_calls == with_model.llm_calls
    assert 0.9 < seen.llm_tokens / with_model.llm_tokens < 1.1
    assert not list(tmp_path.glob("*.jam"))


def test_useless_replies_give_computed_memos_and_are_told(serve, example_history: Path, tmp_path: Path):
    model, server = serve(instead("memo", lambda *_: Say("I would rather not.")))
    workspace, report = build(example_history, tmp_path / "w", engine="llm", model=model)
    assert len(report.fallbacks) == 25
    assert {memo.engine for memo in memos(workspace).values()} == {"extractive"}
    assert report.raw_only == ()
    jobs = [job(request) for request in server.requests]
    assert jobs.count("memo") == 50  # each asked once more
    count = len(server.requests)
    build(example_history, tmp_path / "w", engine="llm", model=model)
    assert len(server.requests) == count  # the same model gives the same: it is not paid again


def test_bad_placements_are_set_aside_one_by_one(serve, tmp_path: Path):
    for number in range(20):
        write_chat(tmp_path / "h" / f"{number:02}.json", [f"about tides and berths, number {number}"], id=f"s{number}")

    def place(request, number):
        rows = [
            {"name": "Tides", "sessions": [1, 2, 3, 99, "x", 2]},
            {"name": "../../etc", "sessions": [4, 5]},
            {"name": "CON", "sessions": [6, 7]},
            {"name": 7, "sessions": [8]},
            "nonsense",
            {"name": "README.md", "sessions": [9, 10]},
            {"name": ".hidden", "sessions": [11, 12]},
        ]
        return Say(json.dumps({"folders": rows}))

    model, _ = serve(instead("place", place))
    workspace, report = build(tmp_path / "h", tmp_path / "w", engine="llm", model=model)
    assert report.complete
    assert len(list(workspace.sessions())) == 20
    assert check(workspace).sound
    folders = {entry.path.rpartition("/")[0] for entry in workspace.entries()}
    assert "tides" in {folder.lower() for folder in folders}
    assert all(not part.startswith(".") for folder in folders for part in folder.split("/"))


def test_the_models_folders_are_used_and_found_again(serve, tmp_path: Path):
    for number in range(16):
        write_chat(tmp_path / "h" / f"{number:02}.json", [f"a word on matter {number}"], id=f"s{number:02}")
    model, server = serve(sensible)
    workspace, _ = build(tmp_path / "h", tmp_path / "w", engine="llm", model=model)
    assert {entry.path.partition("/")[0] for entry in workspace.entries()} == {"first-matters", "second-matters"}
    write_chat(tmp_path / "h" / "new.json", ["a word on matter 17"], id="s17")
    build(tmp_path / "h", tmp_path / "w", engine="llm", model=model)
    last = [request for request in server.requests if job(request) == "place"][-1]
    assert "first-matters; second-matters" in asked(last)
    assert {entry.path.partition("/")[0] for entry in Workspace.open(tmp_path / "w").entries()} == {
        "first-matters",
        "second-matters",
    }


def test_a_model_that_dies_costs_enrichment_never_history(serve, example_history: Path, tmp_path: Path):
    def dies(request, number):
        return sensible(request, number) if number <= 7 else Fail(503)

    model, _ = serve(dies, concurrency=2, retries=0)
    workspace, report = build(example_history, tmp_path / "w", engine="llm", model=model)
    assert len(list(workspace.sessions())) == 25
    assert not report.complete
    assert report.failed
    assert len(report.raw_only) == 25 - len(memos(workspace))
    assert jam.recall(workspace, "Which port did we settle on?", engine="extractive").verdict == "conflicting"
    well, _ = serve(sensible)
    well = type(well).of(replace(well.settings, spec=well.settings.spec))
    _, report = build(example_history, tmp_path / "w", engine="llm", model=well)
    assert report.complete
    assert check(Workspace.open(tmp_path / "w")).sound


def test_mixed_engines(serve, example_history: Path, tmp_path: Path, monkeypatch):
    """A card of one's own: the model writes memos, filing and summaries are computed."""
    import yaml

    from tests.conftest import REPOSITORY

    cards = {
        name: yaml.safe_load((REPOSITORY / "agents" / f"{name}.yaml").read_text()) for name in ("llm", "extractive")
    }
    for role in ("organizer", "folder_summarizer"):
        cards["llm"]["roles"][role] = cards["extractive"]["roles"][role]
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards" / "mixed.yaml").write_text(yaml.safe_dump(cards["llm"]), encoding="utf-8")
    monkeypatch.setenv("JAM_AGENTS", str(tmp_path / "cards"))
    model, server = serve(sensible)
    _, report = build(example_history, tmp_path / "w", engine="mixed", model=model)
    assert report.complete
    assert {job(request) for request in server.requests} == {"memo"}
