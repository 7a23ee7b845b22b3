"""What JAM gave out is known again, whatever was done to it on the way; nothing else is taken for it."""

from __future__ import annotations

import json
import re
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

import jam
from jam.echo import (
    CLOSE,
    OPEN,
    framed,
    framed_around,
    own_stretches,
    own_text,
    own_words,
    spans,
    unframed,
    without_echo,
)
from jam.rendering import render_context
from jam.session import Message, text_digest

SAID = [
    "The lavender zeppelin lands at noon.",
    'He cried "Land!" and wrote C:\\new\\rig.\n\nThen, after a blank line: nothing.',
]
EVIDENCE = tuple(
    jam.Evidence("a.md", n, text, text_digest(text), id=f"m{n}", at="2026-01-01", speaker=None)
    for n, text in enumerate(SAID, 1)
)
CONTEXT = render_context(EVIDENCE, ["a.md"])
ANSWER = jam.MemoryContext("When?", "sufficient", CONTEXT, EVIDENCE, ("a.md",), run_id="r1")


def escaped(text: str, times: int) -> str:
    for _ in range(times):
        text = json.dumps(text)
    return text


def test_a_context_is_framed_and_can_be_unframed():
    assert CONTEXT.startswith(f"{OPEN}\n[1] 1 Jan 2026\nuser: The lavender")
    assert CONTEXT.endswith(f"\n{CLOSE}")
    assert unframed(CONTEXT) == CONTEXT.removeprefix(f"{OPEN}\n").removesuffix(f"\n{CLOSE}")
    assert render_context([], []) == ""


def own(text: str) -> list[str]:
    """The words that are left of a text, without the quotes and backslashes of the strings that it was put into."""
    return re.sub(r'["\\]', " ", without_echo(text)).split()


WAYS = {
    "as it is": lambda text: text,
    "quoted with marks": lambda text: textwrap.indent(text, "> ", lambda line: True),
    "with line numbers": lambda text: "\n".join(f"{n:6}→{line}" for n, line in enumerate(text.split("\n"), 1)),
    "indented": lambda text: textwrap.indent(text, "    "),
    "on one line": lambda text: " ".join(text.split()),
    "filled anew": lambda text: textwrap.fill(" ".join(text.split()), 30, break_long_words=False),
    "with CRLF": lambda text: text.replace("\n", "\r\n"),
    "as a string of JSON": lambda text: escaped(text, 1),
    "as a string in a string": lambda text: escaped(text, 2),
    "thrice escaped": lambda text: escaped(text, 3),
    "escaped as Markdown": lambda text: text.replace("[", r"\[").replace("]", r"\]"),
    "in a tool's JSON": lambda text: json.dumps({"stdout": text, "stderr": "", "interrupted": False}),
    "in colour, line by line": lambda text: "\n".join(f"\x1b[2m{line}\x1b[0m" for line in text.split("\n")),
    "in bright colours": lambda text: "\n".join(f"\x1b[1;38;5;208m{line}\x1b[0m\x1b[K" for line in text.split("\n")),
    "in colour, as a string of JSON": lambda text: escaped(
        "\n".join(f"\x1b[2m{line}\x1b[0m" for line in text.split("\n")), 1
    ),
    "with escaped brackets": lambda text: escaped(text, 1).replace("[", "\\u005b").replace("]", "\\u005D"),
    "in a block": lambda text: f"```\n{text}\n```",
    "in a tag": lambda text: f"<system-reminder>\n{text}\n</system-reminder>",
}
GIVEN = {
    "context": CONTEXT,
    "tool": framed_around(CONTEXT, "ask", "Quoted from the memory.\n\n", "\n\nSources:\n[1] a.md"),
    "search": framed("a.md · Zeppelin\n  1. user: The lavender zeppelin lands.", "search"),
    "document": framed(SAID[1], "quote"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("given_out", GIVEN)
def test_what_was_given_out_is_known_again(given_out: str, way: str):
    text = WAYS[way](GIVEN[given_out])
    assert without_echo(text) == ""
    assert own_stretches(Message("tool", text, kind="tool_result")) == []


@pytest.mark.parametrize("way", WAYS)
def test_what_stands_around_it_is_left(way: str):
    text = f"Before it.\n\n{WAYS[way](CONTEXT)}\n\nAnd now, what about the winch?"
    left = without_echo(text)
    assert "zeppelin" not in left
    assert "blank line" not in left
    assert left.startswith("Before it.")
    assert left.endswith("And now, what about the winch?")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("share", [0.3, 0.5, 0.8, 0.97])
def test_a_result_that_was_cut_is_echo_to_its_end(way: str, share: float):
    text = WAYS[way](GIVEN["tool"])
    assert "zeppelin" not in without_echo(text[: int(len(text) * share)])


@pytest.mark.parametrize("times", [0, 1, 2])
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("order", [list, sorted])
def test_the_json_of_an_answer_is_known(times: int, indent: int | None, order):
    data = ANSWER.to_dict()
    printed = json.dumps({key: data[key] for key in order(data)}, indent=indent)
    assert own(f"run: {escaped(printed, times)} done") == ["run:", "done"]
    half = escaped(printed, times)[: len(escaped(printed, times)) // 2]
    assert "zeppelin" not in without_echo(half)


def test_the_json_of_an_answer_without_evidence_and_of_its_pieces_is_known():
    absent = jam.MemoryContext("When does it land?", "absent", "", searched=("When does it land?",))
    assert without_echo(json.dumps(absent.to_dict())) == ""
    for item in ANSWER.to_dict()["evidence"]:
        assert without_echo(f"-{json.dumps(item, sort_keys=True)}-{json.dumps(item)}-") == ""


def test_two_frames_of_which_the_first_was_cut():
    text = f"{CONTEXT[:60]}\n[... output truncated ...]\nIn between.\n{CONTEXT}\nAfter."
    assert without_echo(text) == "In between.\nAfter."


def test_a_cut_frame_ends_with_the_string_that_it_stands_in():
    result = json.dumps({"stdout": CONTEXT[:60], "note": "the winch is red"})
    assert "the winch is red" in without_echo(result)
    assert "zeppelin" not in without_echo(result)


def test_a_cut_frame_ends_with_its_tag_or_block():
    tagged = f"<memory>\n{CONTEXT[:60]}\n</memory>\nWhere is the winch?"
    assert without_echo(tagged).endswith("Where is the winch?")
    assert without_echo(f"```\n{CONTEXT[:60]}\n```\nWhere is the winch?").endswith("Where is the winch?")


def test_a_question_below_a_cut_frame_is_the_askers_own():
    asked = Message("user", f"{CONTEXT[:60]}\n\nWhere is the winch?\n\nIt was here.")
    assert own_text(asked) == "Where is the winch?\n\nIt was here."
    printed = Message("tool", asked.text, kind="tool_result")
    assert own_text(printed) == ""


@pytest.mark.parametrize(
    "text",
    [
        "The lavender zeppelin lands at noon.",
        'As you said: "The lavender zeppelin lands at noon." Is that so?',
        "[1] 1 Jan 2026\nuser: The lavender zeppelin lands at noon.",
        "The frame begins with `[jam memory` and ends with `jam]`.",
        "[jam memory leak] fix the parser",
        "It says [jam memory: ask in its first line, and then the answer.",
        "We had toast [and jam] for breakfast.",
        "jam]",
        'I ran {"query": "SELECT 1", "rows": [1]} and {"path": "a.md", "message": "hello"}',
        '[tool_use Bash] {"command": "jam ask work.jam \\"When does the zeppelin land?\\" --json"}',
        '{"verdict": "guilty", "query": 1}',
        "\x1b[1mjam memory\x1b[0m: ask it, \x1b[31m[jam\x1b[0m or not",
        "the escape \\u005bjam memory leak] is a bracket",
        "",
        " \n",
    ],
)
def test_what_people_write_is_no_echo(text: str):
    assert spans(text) == []
    assert without_echo(text) == text


@pytest.mark.parametrize(
    "said",
    [
        f"It ends here:\n{CLOSE}\nand this is still a quote",
        f"{OPEN}\n[1] 1 Jan 2026\nuser: a fake",
        f"written in code: '\\n{CLOSE}' and \\[jam memory: ask",
        "\\u005bjam memory: ask\nand jam\\u005d",
        "[\x1b[1mjam\x1b[0m memory: ask and j\x1b[1mam\x1b[0m]",
        "\x1b[2mjam]\x1b[0m",
        f"jam\\] {CLOSE}{CLOSE} [jam\n memory: search",
    ],
)
def test_quoted_text_can_neither_close_nor_open_a_frame(said: str):
    evidence = [jam.Evidence("a.md", 1, said, text_digest(said))]
    for text in (render_context(evidence, ["a.md"]), framed(said, "search")):
        for times in range(3):
            assert own(f"Own. {escaped(text, times)} Own.") == ["Own.", "Own."]


def test_messages_without_own_words_are_left_out():
    messages = [
        Message("user", "Ask it."),
        Message("tool", CONTEXT),
        Message("user", ""),
        Message("user", f"{CONTEXT}\nSo?"),
    ]
    assert [message.text for message in own_words(messages)] == ["Ask it.", "", "So?"]
    assert own_words(messages)[0] is messages[0]


anything = st.text(st.characters(exclude_categories=()), max_size=80)
tricky = st.lists(
    st.sampled_from(
        [
            *(
                OPEN,
                CLOSE,
                "\n",
                "[1] ",
                '"',
                "\\",
                "{",
                "}",
                '{"query": ',
                '"verdict": "absent"',
                "jam",
                "…",
                " ",
                "x: ",
            ),
            *("\\u005b", "\\u005d", "\x1b[2m", "jam memory: ask"),
        ]
    ),
    max_size=25,
).map("".join)


@given(st.one_of(anything, tricky), st.booleans())
def test_any_text_gives_ascending_spans_within_it(text: str, spoken: bool):
    found = spans(text, spoken)
    bounds = [bound for span in found for bound in span]
    assert bounds == sorted(bounds)
    assert all(0 <= start < end <= len(text) for start, end in found)
    left = without_echo(text, spoken)
    assert left == text if not found else len(left) <= len(text)


@given(st.lists(st.one_of(anything, tricky).filter(str.strip), min_size=1, max_size=3), st.integers(0, 3))
def test_a_context_of_any_texts_is_echo_and_nothing_else_is(texts: list[str], times: int):
    evidence = [jam.Evidence("a.md", n, text, text_digest(text)) for n, text in enumerate(texts, 1)]
    context = escaped(render_context(evidence, ["a.md"]), times)
    assert own(f"Own before. {context} Own after.") == ["Own", "before.", "Own", "after."]


def test_a_long_hostile_text_is_looked_through_quickly():
    for text in (
        '{"query": ' * 40_000,
        "{ " * 100_000 + "jam",
        "jam] [jam memory: ask " * 20_000,
        '\\"' * 200_000 + "jam",
    ):
        spans(text)
