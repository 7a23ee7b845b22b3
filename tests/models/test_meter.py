"""What is spent, and that it stays within the budget."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from jam.errors import BudgetSpent, ModelError
from jam.models.messages import ChatReply
from jam.models.meter import Meter, Spent
from tests.models.helpers import asking, model_of
from tests.servers import Fail, Say, ScriptedServer


def counts(request, wrote):
    read = 10
    return {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote}


def ask_all(model, number, **request):
    """Asks so many different questions, eight at a time; the replies that came, and the errors."""

    def one(index):
        try:
            return model.ask(asking(f"question number {index}", **request), "test")
        except ModelError as error:
            return error

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(one, range(number)))
    replies = [one for one in results if isinstance(one, ChatReply)]
    return replies, [one for one in results if isinstance(one, Exception)]


def test_a_budget_is_not_overshot_by_many_threads_at_once():
    def script(request, number):
        return Say("word " * request["max_tokens"], finish="length", usage=counts(request, request["max_tokens"]))

    with ScriptedServer(script) as server:
        model = model_of(server, meter=Meter(tokens=1500))
        replies, errors = ask_all(model, 40, max_output_tokens=150)
    assert all(isinstance(error, BudgetSpent) for error in errors)
    assert len(replies) + len(errors) == 40
    assert 1300 <= model.meter.spent.tokens <= 1500
    assert model.meter.spent.calls == len(replies)
    assert model.meter.tokens_left() == 1500 - model.meter.spent.tokens


@pytest.mark.parametrize(
    "usage",
    [
        "none",
        [],
        "many",
        {},
        {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        {"prompt_tokens": -50, "completion_tokens": -9, "total_tokens": -59},
        {"prompt_tokens": 10**12, "completion_tokens": 10**15, "total_tokens": 10**15},
        {"prompt_tokens": "12", "completion_tokens": "many"},
        {"prompt_tokens": 1.5, "completion_tokens": 2.5},
        {"prompt_tokens": True, "completion_tokens": None},
        {"prompt_tokens": 12, "completion_tokens": 40, "prompt_tokens_details": "x"},
        {"prompt_tokens": None, "completion_tokens": [], "prompt_tokens_details": {"cached_tokens": "x"}},
    ],
    ids=repr,
)
def test_a_budget_holds_whatever_the_server_counts(usage):
    said = "a reply of some length, as they are: " + "word " * 40
    with ScriptedServer([Say(said, usage=usage)]) as server:
        model = model_of(server, meter=Meter(tokens=1000))
        replies, errors = ask_all(model, 30, max_output_tokens=100)
        assert len(server.requests) == len(replies)
    assert errors
    assert all(isinstance(error, BudgetSpent) for error in errors)
    assert 300 <= model.meter.spent.tokens <= 1000
    assert len(replies) <= 16


def test_wrong_counts_are_told():
    with ScriptedServer([Say("some words", usage={"prompt_tokens": 10**9, "completion_tokens": -1})]) as server:
        model = model_of(server)
        reply = model.ask(asking(), "test")
    assert reply.estimated
    assert 0 < reply.input_tokens < 50
    assert 0 < reply.output_tokens < 20
    assert model.meter.spent.doubtful == 1


@pytest.mark.parametrize("cached", [-5, 10**9])
def test_tokens_reused_are_part_of_those_read(cached):
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": cached}}
    with ScriptedServer([Say("some words", usage=usage)]) as server:
        reply = model_of(server).ask(asking(), "test")
    assert 0 <= reply.reused_tokens <= reply.input_tokens == 12


def test_a_reply_is_asked_for_no_longer_than_the_budget_reaches():
    with ScriptedServer([Say("yes")]) as server:
        model = model_of(server, meter=Meter(tokens=150))
        model.ask(asking(max_output_tokens=1000), "test")
        assert 64 <= server.requests[0]["max_tokens"] < 150


def test_a_call_that_cannot_be_afforded_is_not_made():
    with ScriptedServer([Say("yes")]) as server:
        model = model_of(server, meter=Meter(tokens=60))
        with pytest.raises(BudgetSpent, match="60 tokens"):
            model.ask(asking(max_output_tokens=1000), "test")
        assert server.requests == []
    assert model.meter.spent == Spent()


def test_a_short_reply_needs_only_what_it_takes():
    with ScriptedServer([Say("yes")]) as server:
        assert model_of(server, meter=Meter(tokens=60)).ask(asking(max_output_tokens=10), "test").text == "yes"


def test_a_failed_call_gives_back_what_was_set_aside():
    with ScriptedServer([Fail(400), Fail(503), Fail(503), Say("yes")]) as server:
        model = model_of(server, meter=Meter(tokens=400), retries=1)
        for _ in range(2):
            with pytest.raises(ModelError):
                model.ask(asking(max_output_tokens=300), "test")
        assert model.meter.tokens_left() == 400
        assert model.ask(asking(max_output_tokens=300), "test").text == "yes"
    assert (model.meter.spent.failed, model.meter.spent.calls) == (2, 1)


def test_no_call_is_made_after_the_deadline():
    with ScriptedServer([Say("yes")]) as server:
        model = model_of(server, meter=Meter(seconds=0))
        with pytest.raises(BudgetSpent, match="time"):
            model.ask(asking(), "test")
        assert server.requests == []
    assert model.meter.exhausted()


def test_what_is_spent_can_be_added_written_down():
    one = Spent(calls=2, input_tokens=30, output_tokens=4, stored=1, failed=1, retries=3, doubtful=1)
    assert one + Spent() == one
    assert (one + one).tokens == 68
    assert Spent.from_dict(one.to_dict()) == one
    assert Spent.from_dict({**one.to_dict(), "of_a_later_version": 7}) == one
    assert one.tokens == 34


def test_a_meter_goes_on_from_what_was_spent():
    meter = Meter(tokens=100, spent=Spent(calls=1, input_tokens=50, output_tokens=45))
    assert meter.tokens_left() == 5
    assert meter.exhausted()
    with pytest.raises(BudgetSpent):
        meter.reserve(10, 10)


def test_without_a_limit_everything_is_afforded():
    meter = Meter()
    assert (meter.tokens_left(), meter.seconds_left(), meter.exhausted()) == (None, None, False)
    assert meter.reserve(10**9, 10**9).output_tokens == 10**9
