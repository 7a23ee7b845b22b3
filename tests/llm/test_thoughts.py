"""What a research policy reads from a model's reply, in both protocols, whatever the model wrote."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jam.engines.llm.thoughts import Thought, read_text, read_tools
from jam.models.messages import CalledTool, ChatReply

SEARCH = '<tool_use>{"tool": "search", "query": "regatta"}</tool_use>'
BROWSE = '<tool_use>{"tool": "browse", "path": "chats/berths.md", "query": "who?"}</tool_use>'
ANSWER = '<answer>{"answer": "On 14 June.", "sources": ["chats/berths.md"]}</answer>'
INVENTED = '<tool_response call="1">the regatta is on 1 April</tool_response>'
SNIPPETS = st.sampled_from(
    [
        *"<think> </think> <tool_use> </tool_use> <tool_call> </tool_call> <answer> </answer> <tool_response>".split(),
        *('{"tool": "search", ', '"name": ', '"arguments": ', '"query": "x"', '{"answer": ', "{", "}", "[", "]", '"'),
        *('"function": {', "```json\n", "```", "\n", ", ", "null", "12", "words ", "\\", "İ", "\ud800"),
    ]
)
ANY_TEXT = st.lists(SNIPPETS, max_size=30).map("".join) | st.text(max_size=200)


def text(written: str, **rest) -> Thought:
    return read_text(ChatReply(written, **rest))


def tools(written: str = "", *calls: tuple[str, str], **rest) -> Thought:
    made = tuple(CalledTool(f"call_{number}", *call) for number, call in enumerate(calls))
    return read_tools(ChatReply(written, tool_calls=made, **rest))


def calls(thought: Thought) -> list[tuple[str, dict]]:
    return [(call.tool, dict(call.arguments)) for call in thought.calls]


REGATTA = [("search", {"query": "regatta"})]
BERTHS = ("browse", {"path": "chats/berths.md", "query": "who?"})


def test_a_thought_and_a_call():
    found = text(f"<think>When is it?</think>\n{SEARCH}")
    assert found.text == "When is it?"
    assert calls(found) == REGATTA
    assert found.answer is None
    assert not found.problem


def test_several_calls_keep_their_order():
    assert calls(text(f"<think>Both.</think>\n{SEARCH}\n{BROWSE}\n{SEARCH}")) == [*REGATTA, BERTHS, *REGATTA]


@pytest.mark.parametrize(
    "written",
    [
        '<tool_use>{"tool": "search", "query": "regatta"}{"tool": "search", "query": "crew"}</tool_use>',
        '<tool_use>\n{"tool": "search", "query": "regatta"},\n{"tool": "search", "query": "crew"}\n</tool_use>',
        '<tool_use>[{"tool": "search", "query": "regatta"}, {"tool": "search", "query": "crew"}]</tool_use>',
        '<tool_use>{"tool": "search", "query": "regatta"}<tool_use>{"tool": "search", "query": "crew"}',
    ],
    ids=["side by side", "with a comma", "in a list", "blocks never closed"],
)
def test_two_objects_are_two_calls(written):
    assert calls(text(written)) == [*REGATTA, ("search", {"query": "crew"})]


@pytest.mark.parametrize(
    "written",
    [
        '<tool_use>\n```json\n{"tool": "search", "query": "regatta"}\n```\n</tool_use>',
        '<tool_call>\n{"name": "search", "arguments": {"query": "regatta"}}\n</tool_call>',
        '<tool_call>{"name": "search", "arguments": "{\\"query\\": \\"regatta\\"}"}</tool_call>',
        '<tool_call>{"name": "search", "parameters": {"query": "regatta"}}</tool_call>',
        '<tool_use>{"tool": "search", "args": {"query": "regatta"}}</tool_use>',
        '<tool_use>{"tool": "search", "arguments": {}, "query": "regatta"}</tool_use>',
        '<tool_use>{"type": "function", "function": {"name": "search", "arguments": "{\\"query\\": \\"regatta\\"}"}}',
        '<tool_use>{"function": {"name": "search", "arguments": {"query": "regatta"}}}</tool_use>',
        '<tool_use>{"tool": {"name": "search", "arguments": {"query": "regatta"}}}</tool_use>',
        '<tool_use>{"function": {"name": "search", "query": "regatta"}}</tool_use>',
        '{"tool": "search", "query": "regatta"}',
        'I look for it:\n```json\n{"name": "search", "arguments": {"query": "regatta"}}\n```',
        '<tool_use>{"tool": " search ", "query": "regatta", "why": "to know", "limit": 5}</tool_use>',
        "<tool_use>{'tool': 'search', 'query': 'regatta',}</tool_use>",
        '<tool_use>{"tool": "search", "query": "regatta',
        '<tool_use>{"tool": "search", "query": "regatta"}</tool_call>',
    ],
)
def test_the_forms_in_which_models_write_a_call(written):
    assert calls(text(written)) == REGATTA


def test_a_call_within_a_thought_that_is_never_closed_counts():
    found = text(f"<think>I need the date. {SEARCH}")
    assert calls(found) == REGATTA
    assert "I need the date." in found.text


def test_a_call_in_what_the_server_has_set_apart_counts_where_nothing_else_is_said():
    found = text("", thinking=f"I need the date.\n{SEARCH}")
    assert calls(found) == REGATTA
    assert calls(text(BROWSE, thinking=f"Perhaps {SEARCH}")) == [BERTHS]


def test_the_thought_is_what_the_server_has_set_apart():
    assert text(SEARCH, thinking="When is it?").text == "When is it?"
    assert tools("", ("search", "{}"), thinking="When is it?").text == "When is it?"


def test_a_template_that_opens_the_thought_itself():
    found = text(f"When is it?</think>{SEARCH}")
    assert (found.text, calls(found)) == ("When is it?", REGATTA)


def test_a_call_considered_in_a_thought_is_not_made_beside_others():
    assert calls(text(f"<think>Perhaps {SEARCH}? No.</think>{BROWSE}")) == [BERTHS]


def test_an_answer_with_all_it_has():
    data = {
        "answer": "On 14 June.",
        "sources": ["chats/berths.md"],
        "quotes": [{"source": "chats/berths.md", "quote": "moved to 14 June"}],
        "verdict": "sufficient",
        "missing": [],
        "notes": "It was moved once.",
    }
    found = text(f"<think>Enough.</think><answer>{json.dumps(data)}</answer>")
    assert found.text == "Enough."
    assert found.answer is not None
    assert found.answer.text == "On 14 June."
    assert found.answer.sources == ("chats/berths.md",)
    assert found.answer.quotes[0].quote == "moved to 14 June"
    assert (found.answer.verdict, found.answer.notes) == ("sufficient", "It was moved once.")


@pytest.mark.parametrize(
    "written",
    [
        "<answer>On 14 June.</answer>",
        "<answer>On 14 June.",
        '<answer>```json\n{"answer": "On 14 June."}\n```</answer>',
        '<think>Enough.</think>{"answer": "On 14 June."}',
        '<think>So it is.<answer>{"answer": "On 14 June."}</answer>',
        '<answer>{"answer": "On 14 June.", "sources": ["chats/be',
        "<tool_use></tool_use><answer>On 14 June.</answer>",
    ],
)
def test_the_forms_in_which_models_write_an_answer(written):
    found = text(written)
    assert found.answer is not None
    assert found.answer.text == "On 14 June."
    assert not found.calls


def test_calls_count_beside_an_answer():
    for written in (f"{SEARCH}{ANSWER}", f"{ANSWER}{SEARCH}", f"<think>Both.</think>{SEARCH}\n{ANSWER}"):
        found = text(written)
        assert (calls(found), found.answer) == (REGATTA, None)


def test_results_that_a_model_invents_end_what_is_read():
    for after in (ANSWER, BROWSE, f"<think>So it is April.</think>{ANSWER}", f"<think>Go on.</think>{BROWSE}"):
        for head in ("", "<think>When is it?</think>\n", "When is it?</think>", "<think>When is it? "):
            found = text(f"{head}{SEARCH}\n{INVENTED}\n{after}")
            assert (calls(found), found.answer) == (REGATTA, None), (head, after)


def test_a_model_that_plays_several_rounds_by_itself_has_played_one():
    found = text(f"<think>First.</think>{SEARCH}<think>Then.</think>{ANSWER}")
    assert (found.text, calls(found), found.answer) == ("First.", REGATTA, None)


def test_results_after_a_block_that_is_not_closed():
    assert calls(text(f'<tool_use>{{"tool": "search", "query": "regatta"}}\n{INVENTED}\n{BROWSE}')) == REGATTA


def test_an_answer_or_a_query_may_be_about_such_tags():
    found = text('<answer>{"answer": "It is in the <result> element, beside <observation>."}</answer>')
    assert found.answer is not None
    assert found.answer.text == "It is in the <result> element, beside <observation>."
    query = {"query": "which file has a <result> element"}
    assert calls(text(f"<tool_use>{json.dumps({'tool': 'search', **query})}</tool_use>")) == [("search", query)]


def test_unknown_tools_are_kept_for_the_toolbox_to_refuse():
    assert calls(text('<tool_use>{"tool": "delete", "path": "chats"}</tool_use>')) == [("delete", {"path": "chats"})]
    assert calls(tools("", ("delete", '{"path": "chats"}'))) == [("delete", {"path": "chats"})]


def test_json_without_tags_is_only_a_call_where_it_names_a_tool():
    assert text('The config was {"name": "jolly", "port": 1}.').calls == ()


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("", "it is empty"),
        ("I would like to search.", "neither"),
        ("<think>Hm.</think>", "nothing after the thought"),
        ("<think>Hm, let me see", "nothing after the thought"),
        ("<tool_use>search for the regatta</tool_use>", "no JSON object"),
        ('<tool_use>{"query": "regatta"}</tool_use>', 'no JSON object with a "tool"'),
        ('{"query": "regatta"}', "neither"),
    ],
)
def test_what_can_not_be_used_says_why(written, problem):
    found = text(written)
    assert not found.calls
    assert found.answer is None
    assert problem in found.problem


@given(ANY_TEXT, ANY_TEXT)
@example('{"answer": ' + "[" * 700 + "]" * 700 + "}", "")
@example('<tool_use>{"tool": "search", "arguments": ' + '{"a": ' * 700 + "1" + "}" * 701, "")
@example('{"answer": ' + "9" * 5000 + "}", "")
def test_any_text_is_read_without_an_error(written, thinking):
    for found in (text(written, thinking=thinking), tools(written, thinking=thinking)):
        assert found.calls or found.answer or found.problem
        assert not (found.calls and found.answer)
        json.dumps([call.arguments for call in found.calls])


@given(ANY_TEXT, ANY_TEXT)
def test_any_native_call_is_read_without_an_error(name, arguments):
    found = tools("", (name, arguments), ("search", '{"query": "regatta"}'))
    assert len(found.calls) == 2, "each call gets its answer"
    assert calls(found)[1:] == REGATTA


@pytest.mark.parametrize(
    "junk",
    [
        "<tool_use>",
        "<tool_use>{</tool_use>",
        "<tool_use>{'a': </tool_use>",
        '<tool_use>{"tool": "search"}</tool_use>',
        "</tool_use>",
        "</tool_use> " + " " * 500,
        "<answer>",
        "<think>",
        "<think></think>",
        "<tool_response>",
        '{"tool": ',
        '{"tool": "search", "arguments": "{',
        "{[",
        "\n \t",
        "word ",
    ],
)
def test_junk_is_read_quickly(junk):
    long = junk * (100_000 // len(junk))
    began = time.process_time()
    text(long)
    tools(long, ("search", long))
    assert time.process_time() - began < 3


def test_native_calls():
    found = tools("Let me look.", ("search", '{"query": "regatta"}'), ("open", '{"path": "chats"}'))
    assert found.text == "Let me look."
    assert calls(found) == [*REGATTA, ("open", {"path": "chats"})]


def test_native_calls_count_beside_an_answer():
    found = tools('{"answer": "On 14 June."}', ("search", '{"query": "regatta"}'))
    assert (calls(found), found.answer) == (REGATTA, None)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", {}),
        ("{}", {}),
        ('{"query": "regatta"', {"query": "regatta"}),
        ("{'query': 'regatta'}", {"query": "regatta"}),
        ('{"query": "regatta"}{"query": "crew"}', {"query": "regatta"}),
        ('{"query": "regatta", "limit": 9}', {"query": "regatta"}),
        ("regatta", {"unparsed": "regatta"}),
        ("[1]", {"unparsed": "[1]"}),
        ("null", {"unparsed": "null"}),
        ("x" * 999, {"unparsed": "x" * 200}),
    ],
)
def test_native_arguments_as_far_as_they_can_be_read(arguments, expected):
    assert calls(tools("", ("search", arguments))) == [("search", expected)]


def test_without_native_calls_what_is_said_is_the_answer():
    for written in ("On 14 June.", '{"answer": "On 14 June."}', "<think>Yes.</think>On 14 June.", ANSWER):
        found = tools(written)
        assert found.answer is not None
        assert found.answer.text == "On 14 June."


def test_calls_that_are_written_where_native_ones_are_wanted_count():
    assert calls(tools(f"<think>Look.</think>{SEARCH}")) == REGATTA


def test_a_long_answer_in_prose_is_cut():
    found = tools("word " * 10_000)
    assert found.answer is not None
    assert len(found.answer.text or "") == 4000


def test_a_native_reply_that_says_nothing():
    assert tools("").problem == "the reply was empty"
    assert tools("<think>Hm").problem == "the thought never ended"
    assert tools("", thinking="Hm").problem == "the thought never ended"
