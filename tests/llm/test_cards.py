"""Cards and prompts: every shipped one, a user's own, and wrong ones."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from jinja2 import Environment, meta

from jam.assets import asset_folder
from jam.cards import MEMORIZER_ROLES, ROLES, card_names, load_card
from jam.engines import load_engine
from jam.errors import UsageError
from jam.prompts import prompt_digest, render_prompt
from jam.rehearsal import Rehearsed, rehearse, render_request, to_dict
from jam.tools.descriptions import TOOLS, parameters_in_words

GOLDEN = Path(__file__).parent / "golden"
PARTS = sorted(path.relative_to(asset_folder("prompts")).as_posix() for path in asset_folder("prompts").glob("*/*.j2"))
RESULTS = [
    {"tool": "search", "text": "chats/a.md · Berths"},
    {"tool": "open", "text": "error not_found: no such folder"},
]
RESEARCH = {
    "system": {
        "tools": [{**tool, "parameters": parameters_in_words(name)} for name, tool in TOOLS.items()],
        "overview": "/ (2 sessions)\n  a.md · Berths\n  b.md · Crew",
        "calls_per_round": 5,
    },
    "user": {"query": "Who has berth 7?", "scope": "chats"},
    "results": {"results": RESULTS, "dropped": 2, "calls_per_round": 5, "rounds_left": 3},
    "objection": {"problem": "it is empty"},
}
CARD = {"title": "Berths", "gist": "Berth 7 is taken.", "summary": "It was given away.", "keywords": ["berth", "boat"]}
CANDIDATES = {
    "messages": ["1. Mira (2026-05-02 10:00): We moved it last week.", "2. Jonas: Ahoy."],
    "query": "Who has berth 7?",
    "asked_at": "2026-06-01",
}
SAMPLES: dict[str, dict[str, dict[str, Any]]] = {
    "memo": {
        "system": {},
        "user": {"title": "Berths", "started": "2026-05-02 10:00", "piece": 2, "pieces": 3, "text": "Mira: Ahoy."},
    },
    "reduce": {"system": {}, "user": {"cards": [CARD, {**CARD, "title": "Crew"}]}},
    "place": {
        "system": {"most": 12},
        "user": {"folders": ["boats", "crew"], "cards": ["Berths — Taken.", "Crew — Six."]},
    },
    "folder": {
        "system": {},
        "user": {
            "name": "harbour",
            "folders": ["boats (4): All boats."],
            "folders_left_out": 1,
            "cards": ["Berths — Taken."],
            "cards_left_out": 7,
        },
    },
    "browse": {
        "system": {"most": 6},
        "user": {"path": "chats/a.md", "text": "1. Mira: Ahoy.", "query": "Who has berth 7?"},
    },
    "judge": {"system": {}, "user": {"evidence": "[1] 2 May 2026\nMira: Berth 7.", "query": "Who has berth 7?"}},
    "edit": {"system": {}, "user": CANDIDATES},
    "distill": {"system": {}, "user": CANDIDATES},
    "answer": {
        "system": {},
        "user": {"evidence": "2 May 2026\nMira: Berth 7.", "asked_at": "2026-05-04", "query": "Who has berth 7?"},
    },
    "grade": {"system": {}, "user": {"query": "Who has berth 7?", "reference": "Mira", "answer": "Mira does"}},
    "research_text": RESEARCH,
    "research_tools": RESEARCH,
}
"""What a job gives each prompt."""
MEASURING = {"answer", "grade"}
"""The prompts of `jam bench`, which belong to no role."""


@pytest.fixture(scope="module")
def rehearsed() -> dict[str, Rehearsed]:
    return {item.role: item for item in rehearse("llm")}


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a user's own cards and prompts."""
    monkeypatch.setenv("JAM_AGENTS", str(tmp_path))
    monkeypatch.setenv("JAM_PROMPTS", str(tmp_path))
    return tmp_path


def golden(name: str, text: str) -> None:
    path = GOLDEN / f"{name}.txt"
    data = f"{text}\n".encode()
    if os.environ.get("JAM_UPDATE_GOLDEN"):
        path.write_bytes(data)
    assert path.read_bytes() == data, "run with JAM_UPDATE_GOLDEN=1 if the change is meant"


def own_card(folder: Path, name: str = "mine", of: str = "llm", **roles: Any) -> None:
    """A copy of a shipped card with some roles changed: another player, or other settings of the same."""
    data = yaml.safe_load((asset_folder("agents") / f"{of}.yaml").read_text(encoding="utf-8"))
    for role, change in roles.items():
        data["roles"][role] = {**data["roles"][role], **change} if isinstance(change, Mapping) else change
    data["fallback"] = "extractive" if of == "llm" else None
    (folder / f"{name}.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")


KEYWORDS = {
    "object": {"properties", "required", "additionalProperties"},
    "array": {"items", "maxItems"},
    "string": {"maxLength", "enum"},
    "integer": set(),
}
"""What servers understand, by type."""


def schemas(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A schema and every one within it, each seen to be in the form of a schema."""
    assert set(schema) - {"type", "description"} <= KEYWORDS[schema["type"]]
    yield schema
    for inner in [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]:
        yield from schemas(inner)


@pytest.mark.parametrize("name", [path.stem for path in asset_folder("agents").glob("*.yaml")])
def test_every_shipped_card_is_right(name):
    card = load_card(name)
    assert set(card.roles) == set(ROLES)
    assert yaml.safe_load((asset_folder("agents") / f"{name}.yaml").read_text(encoding="utf-8"))["engine"] == name
    for role in card.roles.values():
        assert role.player_class().__name__
        for key, value in role.settings.items():
            if key.endswith("prompt"):
                assert {"system", "user"} <= set(SAMPLES[value])
        for prompt in dict(role.setting("prompts", {})).values():
            assert set(SAMPLES[prompt]) == {"system", "user", "results", "objection"}
    assert card.needs_model() == (name != "extractive")


@pytest.mark.parametrize("role", load_card("llm").roles.values(), ids=lambda role: role.role)
def test_what_a_reply_may_hold_is_bounded(role):
    schema = role.settings.get("output")
    if role.role == "research_policy":
        assert schema is None
        return
    for inner in schemas(schema):
        if inner["type"] == "object":
            assert inner["additionalProperties"] is False
            assert inner["required"] == list(inner["properties"])
        elif inner["type"] == "array":
            assert 0 < inner["maxItems"] <= 60
        elif inner["type"] == "string":
            assert inner.get("enum") or 0 < inner["maxLength"] <= 700


@pytest.mark.parametrize("name", TOOLS)
def test_the_tools_are_described_as_schemas(name):
    schema = TOOLS[name]["parameters"]
    assert [inner["type"] for inner in schemas(schema)] == ["object"] + ["string"] * len(schema["properties"])
    assert schema["additionalProperties"] is False
    assert set(schema["required"]) <= set(schema["properties"])
    assert all(value["maxLength"] and value["description"] for value in schema["properties"].values())


def test_every_prompt_has_a_sample_and_belongs_to_the_card():
    assert sorted(f"{prompt}/{part}.j2" for prompt, parts in SAMPLES.items() for part in parts) == PARTS
    named = set()
    for role in load_card("llm").roles.values():
        named |= {value for key, value in role.settings.items() if key.endswith("prompt")}
        named |= set(dict(role.setting("prompts", {})).values())
    assert named | MEASURING == set(SAMPLES)


@pytest.mark.parametrize("name", PARTS)
def test_every_prompt_is_rendered_as_before(name):
    prompt, _, part = name.removesuffix(".j2").partition("/")
    golden(f"{prompt}.{part}", render_prompt(prompt, part, **SAMPLES[prompt][part]))


@pytest.mark.parametrize("name", PARTS)
def test_a_prompt_wants_nothing_but_what_its_job_gives(name):
    prompt, _, part = name.removesuffix(".j2").partition("/")
    source = (asset_folder("prompts") / name).read_text(encoding="utf-8")
    assert meta.find_undeclared_variables(Environment().parse(source)) <= set(SAMPLES[prompt][part])
    assert source.endswith("\n")
    assert "\r" not in source


def test_what_is_always_the_same_has_no_data_in_it():
    """The system part comes first in every call, so that a server computes it once."""
    for prompt, parts in SAMPLES.items():
        if not prompt.startswith("research"):
            assert set(parts["system"]) <= {"most"}


@pytest.mark.parametrize("role", ROLES)
def test_every_role_can_be_rehearsed(rehearsed, role):
    (request,) = rehearsed[role].requests
    roles = [message["role"] for message in request.messages]
    begin = ["system", "user", "assistant", "user"] if role == "research_policy" else ["system", "user"]
    assert roles == begin
    assert all(message["content"] == message["content"].strip() != "" for message in request.messages)
    card = load_card("llm").roles[role]
    assert request.schema == card.settings.get("output")
    assert request.max_output_tokens == card.settings["max_output_tokens"]
    golden(f"rehearsed.{role}", render_request(request))


def test_the_question_stands_at_the_end(rehearsed):
    question = "Question: When does the regatta begin?"
    for role in ("browse_reader", "judge", "window_editor", "distiller"):
        assert rehearsed[role].requests[0].messages[-1]["content"].endswith(question)
    assert rehearsed["research_policy"].requests[0].messages[1]["content"] == question


def test_a_rehearsal_of_an_engine_without_a_model_says_nothing():
    found = rehearse("extractive")
    assert [item.role for item in found] == list(ROLES)
    assert not any(item.requests for item in found)


def test_a_rehearsal_as_json(rehearsed):
    rows = to_dict(list(rehearsed.values()))
    assert [row["role"] for row in rows] == list(ROLES)
    assert {row["requests"][0]["temperature"] for row in rows} == {0.0}


def test_native_tools_are_given_where_the_card_wants_them(own):
    own_card(own, research_policy={"protocol": "tools"})
    (request,) = next(item for item in rehearse("mine") if item.role == "research_policy").requests
    assert [tool["name"] for tool in request.tools] == list(TOOLS)
    assert "<tool_use>" not in request.messages[0]["content"]


def test_a_user_may_mix_roles(own):
    own_card(own, organizer="jam.engines.extractive.organizer:ExtractiveOrganizer")
    assert "mine" in card_names()
    found = {item.role: len(item.requests) for item in rehearse("mine")}
    assert found == {role: int(role != "organizer") for role in ROLES}


def test_a_model_is_only_wanted_where_one_plays(own):
    names = {"memo_writer": "memo:ExtractiveMemoWriter", "organizer": "organizer:ExtractiveOrganizer"}
    names["folder_summarizer"] = "folders:ExtractiveFolderSummarizer"
    own_card(own, **{role: f"jam.engines.extractive.{name}" for role, name in names.items()})
    card = load_card("mine")
    assert card.needs_model()
    assert not card.needs_model(MEMORIZER_ROLES)
    assert load_engine("mine").model is None
    with pytest.raises(UsageError, match="needs a chat model"):
        load_engine("llm")


def test_a_users_card_comes_before_the_shipped_one(own):
    own_card(own, "llm", judge={"max_output_tokens": 77})
    assert load_card("llm").roles["judge"].setting("max_output_tokens", 1) == 77


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("", "`roles` must give"),
        ("- llm", "`roles` must give"),
        ("roles: [judge]", "it has \\['judge'\\]"),
        ("roles: {judge: a:B}", "memo_writer.*it has judge"),
        ("roles: {", "can't be read"),
        ("\tx", "can't be read"),
        (f"roles: {{{', '.join(f'{role}: a:B' for role in [*ROLES, 'cook'])}}}", "it has .*cook"),
        (f"roles: {{{', '.join(f'{role}: 7' for role in ROLES)}}}", "memo_writer must be a module:class"),
        (f"roles: {{{', '.join(f'{role}: {{}}' for role in ROLES)}}}", "memo_writer must be a module:class"),
        (f"fallback: wrong\nroles: {{{', '.join(f'{role}: a:B' for role in ROLES)}}}", "must name another engine"),
        (f"fallback: [a]\nroles: {{{', '.join(f'{role}: a:B' for role in ROLES)}}}", "must name another engine"),
    ],
)
def test_a_wrong_card_is_named_with_what_is_wrong(own, written, said):
    (own / "wrong.yaml").write_text(written, encoding="utf-8")
    with pytest.raises(UsageError, match=said) as caught:
        load_card("wrong")
    assert "wrong.yaml" in str(caught.value)


@pytest.mark.parametrize("name", ["absent", "", "../llm", "a b"])
def test_an_unknown_engine_is_told_the_choices(name):
    with pytest.raises(UsageError, match="the engines are: extractive, llm"):
        load_card(name)


@pytest.mark.parametrize(
    ("role", "change", "said"),
    [
        ("judge", "jam.engines.nowhere:Judge", "judge: .*can't be used"),
        ("judge", "jam.engines.llm.judge:Nobody", "judge: .*can't be used"),
        ("judge", "jam.engines.llm.judge", "judge: .*can't be used"),
        ("judge", "jam.engines.llm.judge:__doc__", "it is no class"),
        ("judge", "", "can't be used"),
        ("judge", {"max_output_tokens": "many"}, "judge: max_output_tokens must be like 500, not 'many'"),
        ("judge", {"temperature": True}, "judge: temperature must be like"),
        ("judge", {"top_p": "most"}, "judge: top_p must be like"),
        ("judge", {"output": "json"}, "judge: output must be like"),
        ("judge", {"prompt": "nothing"}, "the prompt 'nothing/system.j2'"),
        ("browse_reader", {"window_tokens": [1]}, "browse_reader: window_tokens must be like 3000"),
        ("research_policy", {"protocol": "smoke"}, "protocol must be one of text, tools, not 'smoke'"),
        ("research_policy", {"tools": ["search", "delete"]}, "tools must be some of search, browse, open"),
        ("research_policy", {"tools": []}, "tools must be some of"),
        ("research_policy", {"prompts": {"text": "nothing"}}, "the prompt 'nothing/system.j2'"),
    ],
)
def test_a_wrong_role_is_named_with_what_is_wrong(own, role, change, said):
    own_card(own, **{role: change})
    with pytest.raises(UsageError, match=said):
        rehearse("mine")


def test_a_fallback_must_lead_to_an_end(own):
    own_card(own, "one")
    own_card(own, "two")
    for name, other in (("one", "two"), ("two", "one")):
        text = (own / f"{name}.yaml").read_text(encoding="utf-8")
        (own / f"{name}.yaml").write_text(text.replace("fallback: extractive", f"fallback: {other}"), encoding="utf-8")
    with pytest.raises(UsageError, match="the fallbacks go in a circle"):
        rehearse("one")


def test_the_engine_that_steps_in_can_not_be_the_one_it_steps_in_for(own):
    own_card(own, "extractive", of="extractive", judge="jam.engines.llm.judge:LlmJudge")
    with pytest.raises(UsageError, match="judge: the fallbacks go in a circle"):
        rehearse("extractive")


def test_a_chain_of_fallbacks_that_ends_is_fine(own):
    own_card(own, "one")
    text = (own / "one.yaml").read_text(encoding="utf-8")
    (own / "one.yaml").write_text(text.replace("fallback: extractive", "fallback: llm"), encoding="utf-8")
    assert all(item.requests for item in rehearse("one"))


def test_a_users_prompt_comes_first_part_by_part(own):
    before = prompt_digest("judge", ("system", "user"))
    (own / "judge").mkdir()
    (own / "judge" / "user.j2").write_text("Mine: {{ query }}\n", encoding="utf-8")
    assert render_prompt("judge", "user", query="who?", evidence="") == "Mine: who?"
    assert render_prompt("judge", "system").startswith("You close a search")
    assert prompt_digest("judge", ("system", "user")) != before


def test_what_is_put_into_a_prompt_is_not_taken_for_a_template(own):
    assert "{{ 7 * 7 }}" in render_prompt("judge", "user", query="{{ 7 * 7 }}", evidence="{% raw %}")


@pytest.mark.parametrize("written", ["{{ absent }}", "{{ query", "{% if %}", "{{ query + 1 }}", "{{ query.absent.x }}"])
def test_a_wrong_prompt_is_named_with_what_is_wrong(own, written):
    shutil.copytree(asset_folder("prompts") / "judge", own / "judge")
    (own / "judge" / "user.j2").write_text(written, encoding="utf-8")
    with pytest.raises(UsageError, match=r"judge/user\.j2.*correct it or remove your copy"):
        render_prompt("judge", "user", query="who?", evidence="")


def test_a_prompt_that_is_not_text(own):
    (own / "judge").mkdir()
    (own / "judge" / "user.j2").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match=r"judge/user\.j2"):
        render_prompt("judge", "user", query="who?", evidence="")


def test_a_folder_of_prompts_that_is_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("JAM_PROMPTS", str(tmp_path / "absent"))
    with pytest.raises(UsageError, match="there is no folder"):
        render_prompt("judge", "system")
    with pytest.raises(UsageError, match="there is no folder"):
        prompt_digest("judge", ("system",))
