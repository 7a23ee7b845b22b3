"""`lazy`, `defer` and `auto` with a chat model: side by side, within the budget, proved, and replayed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import jam
from jam.replay import replay
from jam.runs.log import runs_folder
from jam.runs.reading import SavedRun, read_run
from tests.histories import PORT, lasting, small_workspace
from tests.llm.scripts import Request, asked, instead, job, sensible, shown
from tests.servers import Act, Fail, Say

every = pytest.mark.parametrize("strategy", ["lazy", "defer", "auto"])


@pytest.fixture
def workspace(example_workspace: Path) -> jam.Workspace:
    return jam.Workspace.open(example_workspace)


def ask(workspace: jam.Workspace, strategy: str, model: Any, query: str = PORT, **budget: Any) -> jam.MemoryContext:
    context = jam.recall(workspace, query, strategy=strategy, model=model, budget=jam.Budget(**budget))
    assert jam.verify_context(workspace, context) == []
    return context


def run_of(workspace: jam.Workspace, context: jam.MemoryContext) -> SavedRun:
    return read_run(runs_folder(workspace) / f"{context.run_id}.jsonl")


def editing(act: Callable[[dict[int, str]], list[dict[str, str]]], delay: float = 0.0) -> Callable[[Request, int], Act]:
    """A sensible model whose decisions on a window are those of `act`."""
    return instead("edit", lambda request, _: Say(json.dumps({"decisions": act(shown(request))}), delay=delay))


def shortened(texts: dict[int, str]) -> list[dict[str, str]]:
    """Keeps what speaks of a port, shortened to the words around it; drops the rest."""
    out = []
    for text in texts.values():
        place = text.find("port")
        kept = f"In short: {text[max(0, place - 20) : place + 60]}" if place >= 0 else ""
        out.append({"op": "KEEP" if kept else "DROP", "compressed_content": kept, "reason": "port"})
    return out


def test_windows_are_edited_side_by_side(serve, workspace: jam.Workspace):
    delay = 0.5
    model, server = serve(editing(shortened, delay))
    context = ask(workspace, "lazy", model, context_tokens=800)
    edits = [exchange for exchange in run_of(workspace, context).exchanges if exchange["purpose"] == "edit"]
    assert len(edits) >= 6
    # One after the other they would take their delays together.
    assert context.usage.seconds < delay * len(edits) / 2
    assert context.usage.model_calls == len(server.requests)


def test_what_was_put_into_other_words_is_marked_and_the_original_is_one_hop_away(serve, workspace: jam.Workspace):
    model, _ = serve(editing(shortened))
    context = ask(workspace, "lazy", model, context_tokens=800)
    rewritten = [item for item in context.evidence if item.rewritten]
    assert rewritten
    for item in rewritten:
        assert f"{item.speaker or item.role} (edited): " in context.context
        assert item.rewritten.startswith("In short: ")
        assert "In short" not in item.text
    assert jam.MemoryContext.from_dict(json.loads(json.dumps(context.to_dict()))) == context


def test_a_window_that_fails_twice_is_quoted_whole_and_counted(serve, workspace: jam.Workspace):
    useless = instead("edit", lambda request, _: Say('{"decisions": [{"op": "MAYBE"}]}'))
    model, server = serve(useless)
    context = ask(workspace, "lazy", model, context_tokens=800)
    edits = [request for request in server.requests if job(request) == "edit"]
    windows = len(edits) // 2
    assert len(edits) == 2 * windows  # one re-ask a window, and no more
    assert f"{windows} of {windows} windows could not be edited, and were quoted whole." in context.notes
    assert context.evidence
    assert not any(item.rewritten and "[" not in item.rewritten for item in context.evidence)


@every
def test_a_server_that_is_down_costs_no_evidence(serve, workspace: jam.Workspace, strategy: str):
    model, _ = serve(lambda request, number: Fail(503))
    context = ask(workspace, strategy, model, context_tokens=800)
    assert "8443" in context.render()


@every
def test_budgets_of_tokens_and_calls_are_obeyed(serve, workspace: jam.Workspace, strategy: str):
    model, server = serve(sensible)
    context = ask(workspace, strategy, model, tokens=3_000, context_tokens=600)
    assert context.usage.input_tokens + context.usage.output_tokens <= 3_000
    assert context.usage.context_tokens <= 600
    assert context.usage.model_calls <= len(server.requests)


@every
def test_a_run_is_replayed_without_its_model(serve, workspace: jam.Workspace, strategy: str):
    model, _ = serve(editing(shortened))
    query = PORT if strategy != "auto" else "What did the talk about the tide tables say of Norwegian harbours?"
    context = ask(workspace, strategy, model, query, context_tokens=800)
    again = replay(workspace, run_of(workspace, context))
    assert lasting(again.context) == lasting(context) | {"usage": lasting(again.context)["usage"]}
    assert again.fields == []


def test_the_distillers_statements_are_the_context(serve, workspace: jam.Workspace):
    def distil(request: Request, _: int) -> Act:
        messages = re.split(r"\n(?=\d+\. )", asked(request))
        useful = int(next(text for text in messages if "8443" in text and text[0].isdigit()).partition(".")[0])
        info = [{"msg_id": useful, "info": "The port is 8443 from now on."}]
        return Say(json.dumps({"useful_msg": [useful], "distilled_info": info}))

    model, server = serve(instead("distill", distil))
    context = ask(workspace, "defer", model, context_tokens=800)
    (item,) = context.evidence
    assert item.rewritten == "The port is 8443 from now on."
    assert "8443" in item.text
    assert "(edited): The port is 8443 from now on." in context.context
    assert sum(job(request) == "distill" for request in server.requests) == 1


def test_auto_asks_no_model_where_the_search_suffices(serve, workspace: jam.Workspace):
    model, server = serve(sensible)
    context = ask(workspace, "auto", model, "When is Tobe's wedding?")
    assert context.notes.startswith("search: sufficient")
    assert server.requests == []
    assert context.usage.model_calls == 0


@pytest.mark.parametrize("strategy", ["lazy", "defer"])
@pytest.mark.parametrize("useless", [False, True])
def test_what_jam_gave_out_does_not_come_back(serve, tmp_path: Path, strategy: str, useless: bool):
    recalled = "[jam memory\n[1] 3 May 2023\nuser: The pump of the Halcyon is worn.\njam]"
    texts = [f"{recalled}\nThe Halcyon has a new pump since Tuesday.", "Noted.", "The bilge is dry now.", "Good."]
    place = small_workspace(tmp_path, pump=texts)
    nonsense = Say("nonsense")
    model, _ = serve((lambda request, number: nonsense) if useless else sensible)
    context = ask(place, strategy, model, "What about the pump of the Halcyon?")
    assert any("has a new pump" in item.text for item in context.evidence)
    assert not any("worn" in item.text or "worn" in (item.rewritten or "") for item in context.evidence)


@pytest.mark.parametrize(
    ("statement", "shown_as"),
    [
        ("use port 8443", "assistant (edited): use port 8443"),  # a part of a sentence may say the opposite
        ("Do not use port 8443.\nuser: We chose it.", "assistant (edited): Do not use port 8443. user: We chose it."),
        ("Do not use port 8443.", "assistant: Do not use port 8443."),
    ],
)
def test_no_statement_passes_for_words_that_were_not_said(serve, tmp_path: Path, statement: str, shown_as: str):
    place = small_workspace(tmp_path, port=["Which port?", "Do not use port 8443. It is taken."])
    rows = {"Which port?": "", "Do not use port 8443. It is taken.": statement}

    def act(texts: dict[int, str]) -> list[dict[str, str]]:
        kept = [rows[text] for text in texts.values()]
        return [{"op": "KEEP" if text else "DROP", "compressed_content": text, "reason": "port"} for text in kept]

    model, _ = serve(editing(act))
    assert shown_as in ask(place, "lazy", model, "Which port must not be used?").context.split("\n")


@pytest.mark.parametrize("strategy", ["lazy", "defer"])
def test_a_model_that_keeps_nothing_does_not_make_it_absent(serve, workspace: jam.Workspace, strategy: str):
    def nothing(request: Request, number: int) -> Act:
        if job(request) == "edit":
            rows = [{"op": "DROP", "compressed_content": "", "reason": "no"} for _ in shown(request)]
            return Say(json.dumps({"decisions": rows}))
        if job(request) == "distill":
            return Say(json.dumps({"useful_msg": [], "distilled_info": []}))
        return sensible(request, number)

    model, _ = serve(nothing)
    context = ask(workspace, strategy, model)
    assert context.evidence == ()
    assert (context.verdict, context.notes) == ("partial", "Of what was found nothing was kept as useful.")
