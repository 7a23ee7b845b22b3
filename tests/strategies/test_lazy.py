"""LazyMem without a model: what the pool covers, what is kept of it, and what must not be lost on the way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import jam
from jam.errors import UsageError
from jam.index.store import open_index
from jam.strategies.lazy.run import pool_windows
from jam.strategies.lazy.settings import LazySettings, lazy_settings
from tests.histories import BLOOD, PORT, example_questions, lasting

CONSTRUCTED = pytest.mark.parametrize("strategy", ["lazy", "defer"])


def ask(workspace: jam.Workspace, question: str, strategy: str = "lazy", **options: object) -> jam.MemoryContext:
    return jam.recall(workspace, question, strategy=strategy, save=False, **options)


@pytest.fixture(scope="module")
def workspace(built_examples: Path) -> jam.Workspace:
    return jam.Workspace.open(built_examples)


def history(folder: Path, *chats: tuple[str, list[str]]) -> jam.Workspace:
    """Chats between two people, each of a day; every other message is the other's."""
    filler = ["Nice weather here today.", "The bus was late again.", "I watered the plants.", "Lunch was soup."]
    for number, (day, texts) in enumerate(chats):
        messages = [
            {
                "role": "user",
                "name": ("Noor", "Piet")[place % 2],
                "content": text,
                "timestamp": f"{day}T09:{place:02d}:00",
            }
            for place, text in enumerate([*filler, *texts, *filler])
        ]
        path = folder / "chats" / f"chat-{number}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({"id": f"chat-{number}", "messages": messages}), encoding="utf-8")
    return jam.build(folder / "chats", folder / "chats.jam")


def said(context: jam.MemoryContext) -> str:
    return context.render()


@CONSTRUCTED
def test_the_words_of_a_relative_time_stay_and_the_day_is_added(tmp_path: Path, strategy: str):
    place = history(tmp_path, ("2023-06-09", ["Last week I finally sold the green kayak to Ilse.", "Good for you!"]))
    context = ask(place, "When did Noor sell the green kayak?", strategy)
    assert "Last week [29 May to 4 June 2023] I finally sold the green kayak" in said(context)
    (item,) = [item for item in context.evidence if "kayak" in item.text]
    assert item.text == "Last week I finally sold the green kayak to Ilse."  # the original, one hop away
    assert item.rewritten == "Last week [29 May to 4 June 2023] I finally sold the green kayak to Ilse."
    assert "Noor (edited): Last week" in said(context)
    assert jam.verify_context(place, context) == []


@CONSTRUCTED
def test_yesterday_is_not_the_day_of_the_message(tmp_path: Path, strategy: str):
    place = history(tmp_path, ("2023-10-04", ["Yesterday the clinic called about my new knee.", "And?"]))
    shown = said(ask(place, "When did the clinic call Noor about the knee?", strategy))
    assert "Yesterday [3 October 2023] the clinic called" in shown


@CONSTRUCTED
def test_both_operands_of_a_comparison_are_kept(tmp_path: Path, strategy: str):
    place = history(
        tmp_path,
        ("2024-02-01", ["The bank gave us a pre-approval of $350,000 for the house.", "Great news."]),
        ("2024-03-20", ["We settled the sale price of the house at $325,000.", "Congratulations!"]),
        ("2024-04-02", ["The painter wants three days for the fence.", "Fine."]),
    )
    question = "How much lower was the sale price of the house than the pre-approval?"
    shown = said(ask(place, question, strategy))
    assert "$350,000" in shown
    assert "$325,000" in shown


@CONSTRUCTED
def test_all_items_that_a_question_asks_for_are_kept(tmp_path: Path, strategy: str):
    place = history(
        tmp_path,
        ("2024-05-01", ["I bought a Ferrari, the red one from the fair.", "Wow."]),
        ("2024-06-11", ["And now I bought a mansion by the lake.", "You are mad."]),
        ("2024-07-11", ["The dog ate my left glove.", "Poor glove."]),
    )
    shown = said(ask(place, "What has Noor bought?", strategy))
    assert "Ferrari" in shown
    assert "mansion" in shown


def test_what_is_kept_is_of_the_windows_and_verifies(workspace: jam.Workspace):
    index = open_index(workspace)
    for item in example_questions()[::3]:
        context = ask(workspace, item["question"])
        assert jam.verify_context(workspace, context) == []
        ranking = index.rank(item["question"])
        shown = {index.place(row) for window in pool_windows(ranking, LazySettings()) for row in window}
        assert {(e.path, e.message) for e in context.evidence} <= shown


@CONSTRUCTED
def test_the_same_question_gives_the_same_context(workspace: jam.Workspace, strategy: str):
    assert lasting(ask(workspace, PORT, strategy)) == lasting(ask(workspace, PORT, strategy))


@CONSTRUCTED
def test_what_is_not_there_is_absent(workspace: jam.Workspace, strategy: str):
    context = ask(workspace, BLOOD, strategy)
    assert (context.verdict, context.evidence, context.context) == ("absent", (), "")


@CONSTRUCTED
def test_scope_and_days_confine_it(workspace: jam.Workspace, strategy: str):
    scoped = ask(workspace, PORT, strategy, scope="chats")
    assert all(item.path.startswith("chats/") for item in scoped.evidence)
    dated = ask(workspace, PORT, strategy, since="2100-01-01")
    assert dated.evidence == ()


def test_ranks_can_be_fused_as_in_the_paper(workspace: jam.Workspace):
    index = open_index(workspace)
    ranking = index.rank(PORT)
    rows = {row for window in pool_windows(ranking, LazySettings(messages=5, retrieval="rrf")) for row in window}
    assert any("settle" in _text(workspace, *index.place(row)) for row in rows)
    few = pool_windows(ranking, LazySettings(messages=1, width=0, retrieval="rrf"))
    assert [len(window) for window in few] == [1]


def _text(workspace: jam.Workspace, path: str, number: int) -> str:
    return workspace.read_raw(path).session.messages[number - 1].text.lower()


def test_settings_that_make_no_windows_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    card = (Path("agents") / "extractive.yaml").read_text(encoding="utf-8")
    monkeypatch.setenv("JAM_AGENTS", str(tmp_path))
    (tmp_path / "extractive.yaml").write_text(card.replace("stride: 7 ", "stride: 9 "), encoding="utf-8")
    with pytest.raises(UsageError, match="stride from 1 to longest"):
        lazy_settings("extractive")
    (tmp_path / "extractive.yaml").write_text(card.replace("retrieval: ranking", "retrieval: best"), encoding="utf-8")
    with pytest.raises(UsageError, match="ranking or rrf"):
        lazy_settings("extractive")


@CONSTRUCTED
@pytest.mark.parametrize("tokens", [40, 50, 60, 70, 80, 120])
def test_a_small_budget_holds_what_answers(tmp_path: Path, strategy: str, tokens: int):
    talk = [f"kettle number {number}: I bought the green kettle last week for {number} pounds." for number in range(4)]
    place = history(tmp_path, *((f"2023-06-0{n + 1}", [text, "ok", "it broke", "pity"]) for n, text in enumerate(talk)))
    context = jam.recall(place, "kettle", strategy=strategy, budget=jam.Budget(context_tokens=tokens), save=False)
    assert "kettle" in context.context


def test_a_card_of_an_earlier_version_is_played_by_the_shipped_roles(
    workspace: jam.Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    card = (Path("agents") / "extractive.yaml").read_text(encoding="utf-8")
    (tmp_path / "extractive.yaml").write_text(card.partition("  window_editor:")[0], encoding="utf-8")
    before = ask(workspace, PORT)
    monkeypatch.setenv("JAM_AGENTS", str(tmp_path))
    assert ask(workspace, PORT).context == before.context


@CONSTRUCTED
def test_without_a_model_a_stretch_of_a_long_sentence_is_still_a_quote(tmp_path: Path, strategy: str):
    sentence = "the pump of the Halcyon " + " and ".join(f"valve number {number}" for number in range(200))
    place = history(tmp_path, ("2024-02-01", [sentence, "I see."]))
    context = ask(place, "What about the pump of the Halcyon?", strategy)
    (item,) = [item for item in context.evidence if "pump of the Halcyon" in item.text]
    assert item.rewritten is None
    assert item.text in sentence
    assert len(item.text) < len(sentence)
