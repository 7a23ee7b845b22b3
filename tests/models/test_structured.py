"""JSON objects from models that may or may not be held to a schema."""

from __future__ import annotations

import pytest

from jam.errors import BudgetSpent, ModelRefused, ModelUnavailable, PromptTooLong
from jam.models.meter import Meter
from jam.models.structured import Structured, ask_structured
from tests.models.helpers import asking, model_of
from tests.servers import Fail, Say, ScriptedServer

SCHEMA = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
REQUEST = asking("Give it a title.", schema=SCHEMA)


def title(data):
    if not isinstance(data.get("title"), str):
        raise ValueError('"title" must be a text')
    return data["title"]


def ask(model, request=REQUEST):
    return ask_structured(model, request, "test", title)


@pytest.mark.parametrize(
    "text",
    [
        '{"title": "A walk"}',
        'Here it is:\n```json\n{"title": "A walk"}\n```\nI hope it helps.',
        '<think>Perhaps {"title": "no"}?</think>{"title": "A walk"}',
        'Perhaps {"heading": "no"}; better: {"title": "A walk"}',
        "{'title': 'A walk',}",
        '{"title": "A walk", "more": [1, 2',
        '{"title": "A walk", "parts": [{"title": "Within"}, {"title": "Wi',
        '{"title": "A walk"',
        '<think>{"title": "A walk"}',
    ],
)
def test_an_object_is_read_however_it_is_wrapped(text):
    with ScriptedServer([Say(text)]) as server:
        found = ask(model_of(server))
        assert len(server.requests) == 1
    assert (found.value, found.problem, found.asked_again) == ("A walk", "", False)


def test_an_object_said_in_the_reasoning_alone_is_read():
    with ScriptedServer([Say("", thinking='So: {"title": "A walk"}')]) as server:
        assert ask(model_of(server)).value == "A walk"


@pytest.mark.parametrize(
    ("text", "problem"),
    [("I can't.", "no JSON object"), ("", "empty"), ('{"title": 5}', '"title" must be a text')],
)
def test_what_cannot_be_used_is_asked_for_once_more_with_the_reason(text, problem):
    with ScriptedServer([Say(text), Say('{"title": "A walk"}')]) as server:
        found = ask(model_of(server))
        first, second = server.requests
    assert (found.value, found.asked_again) == ("A walk", True)
    assert second["messages"][:1] == first["messages"]
    assert [message["role"] for message in second["messages"]] == ["user", "assistant", "user"]
    assert second["messages"][1]["content"] == text
    assert problem in second["messages"][2]["content"]
    assert '"title"' in second["messages"][2]["content"]


def test_it_is_asked_again_only_once():
    with ScriptedServer([Say("no"), Say('{"title": 7}'), Say('{"title": "late"}')]) as server:
        found = ask(model_of(server))
        assert len(server.requests) == 2
    assert (found.value, found.problem, found.asked_again) == (None, '"title" must be a text', True)


def test_a_cut_off_reply_is_asked_for_again_shorter():
    with ScriptedServer([Say("I think that", finish="length"), Say('{"title": "A walk"}')]) as server:
        found = ask(model_of(server))
        assert "shorter" in server.requests[1]["messages"][-1]["content"]
    assert found.value == "A walk"


def test_a_cut_off_object_is_mended_without_another_call():
    with ScriptedServer([Say('{"title": "A walk in the', finish="length")]) as server:
        found = ask(model_of(server))
        assert len(server.requests) == 1
    assert found.value == "A walk in the"


def test_a_cut_off_object_that_is_wanted_whole_is_asked_for_again():
    with ScriptedServer([Say('{"title": "A walk in the', finish="length"), Say('{"title": "A walk"}')]) as server:
        found = ask_structured(model_of(server), REQUEST, "test", title, whole=True)
        assert "shorter" in server.requests[1]["messages"][-1]["content"]
    assert (found.value, found.asked_again) == ("A walk", True)


def test_what_follows_a_whole_object_may_be_cut_off():
    with ScriptedServer([Say('{"title": "A walk"}\nI hope that', finish="length")]) as server:
        assert ask_structured(model_of(server), REQUEST, "test", title, whole=True) == Structured("A walk")


def titles(data):
    if "titles" not in data:
        raise ValueError('"titles" is missing')
    return [title(row) for row in data["titles"]]


@pytest.mark.parametrize("text", ['[{"title": "A"}, {"title": "B"}]', '{"titles": [{"title": "A"}, {"title": "B"}]}'])
def test_a_bare_array_is_read_as_the_object_it_was_to_stand_in(text):
    with ScriptedServer([Say(f"Well:\n{text}")]) as server:
        found = ask_structured(model_of(server), asking("Give two."), "test", titles, listed="titles")
    assert found == Structured(["A", "B"])


def test_what_is_wrong_in_a_bare_array_is_said():
    with ScriptedServer([Say('[{"title": "A"}, {"title": 5}]')] * 2) as server:
        found = ask_structured(model_of(server), asking("Give two."), "test", titles, listed="titles")
    assert (found.value, found.problem) == (None, '"title" must be a text')


def test_an_endless_unusable_reply_is_shown_back_in_part():
    with ScriptedServer([Say("blah " * 20_000), Say('{"title": "A walk"}')]) as server:
        ask(model_of(server))
        assert len(server.requests[1]["messages"][1]["content"]) <= 1500


def test_a_server_that_refuses_schemas_is_asked_without_from_then_on():
    def script(request, number):
        return Fail(400) if "response_format" in request else Say('{"title": "A walk"}')

    with ScriptedServer(script) as server:
        model = model_of(server)
        assert [ask(model, asking(f"{number}", schema=SCHEMA)).value for number in range(3)] == ["A walk"] * 3
        assert ["response_format" in request for request in server.requests] == [True, False, False, False]
    assert model.endpoint.schema_works is False


def test_a_refusal_that_has_nothing_to_do_with_the_schema_is_not_remembered():
    with ScriptedServer([Fail(404), Fail(404), Say('{"title": "A walk"}')]) as server:
        model = model_of(server)
        with pytest.raises(ModelRefused):
            ask(model)
        assert ask(model).value == "A walk"
        assert "response_format" in server.requests[2]


def test_a_refusal_after_schemas_have_worked_is_an_error():
    with ScriptedServer([Say('{"title": "A walk"}'), Fail(400)]) as server:
        model = model_of(server)
        ask(model)
        with pytest.raises(ModelRefused):
            ask(model)
        assert len(server.requests) == 2


def test_a_prompt_too_long_is_not_blamed_on_the_schema():
    with ScriptedServer([Fail(400, body='{"error": {"message": "maximum context length is 4096"}}')]) as server:
        with pytest.raises(PromptTooLong):
            ask(model_of(server))
        assert len(server.requests) == 1


@pytest.mark.parametrize(("structured", "sent"), [("prompt", False), ("json_schema", True), ("auto", True)])
def test_the_settings_say_whether_a_schema_is_sent(structured, sent):
    with ScriptedServer([Say('{"title": "A walk"}')]) as server:
        ask(model_of(server, structured=structured))
        assert ("response_format" in server.requests[0]) is sent


def test_a_schema_that_must_be_kept_is_not_left_out():
    with ScriptedServer([Fail(400)]) as server:
        with pytest.raises(ModelRefused):
            ask(model_of(server, structured="json_schema"))
        assert len(server.requests) == 1


def test_no_reply_at_all_is_an_error():
    with ScriptedServer([Fail(503)]) as server, pytest.raises(ModelUnavailable):
        ask(model_of(server, retries=1))


def test_asking_again_keeps_to_the_budget():
    with ScriptedServer([Say("no " * 60)]) as server:
        with pytest.raises(BudgetSpent):
            ask(model_of(server, meter=Meter(tokens=200)), asking("?", 100, schema=SCHEMA))
        assert len(server.requests) == 1
