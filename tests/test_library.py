"""The library as programs use it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from langchain_core.messages import ToolMessage

import jam
from jam.echo import framed
from tests.histories import BLOOD, PORT, lasting, write_chat

HEAVY = ("numpy", "langgraph", "langchain_core", "yaml", "jinja2", "tokenizers", "bm25s", "click", "pydantic", "torch")


@pytest.fixture(scope="module")
def workspace(built_examples: Path) -> jam.Workspace:
    return jam.Workspace.open(built_examples)


def imported(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(*sorted(set(sys.modules) & set({HEAVY!r})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return set(done.stdout.split())


def test_to_import_jam_imports_nothing_heavy():
    assert imported("import jam") == set()


def test_plain_data_costs_nothing_either():
    assert imported("import jam; jam.Budget; jam.MemoryContext; jam.Session; jam.JamError") == set()


def test_the_help_imports_nothing_heavy_but_click():
    quiet = "import contextlib, io\nfrom jam.cli.main import cli\nwith contextlib.redirect_stdout(io.StringIO()):"
    assert imported(f"{quiet} cli(['--help'], standalone_mode=False)") == {"click"}


def test_search_needs_no_langgraph(built_examples: Path):
    ask = f"import jam; jam.recall({str(built_examples)!r}, 'port', strategy='search', save=False)"
    assert imported(ask).isdisjoint({"langgraph", "langchain_core", "torch"})


@pytest.mark.parametrize("name", jam.__all__)
def test_every_name_can_be_had(name: str):
    assert getattr(jam, name) is not None
    assert name in dir(jam)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'remember'"):
        _ = jam.remember


def test_a_workspace_may_be_named_by_its_path(workspace: jam.Workspace):
    expected = lasting(jam.recall(workspace, PORT, save=False))
    assert lasting(jam.recall(workspace.root, PORT, save=False)) == expected
    assert lasting(jam.recall(str(workspace.root), PORT, save=False)) == expected


def test_recall_without_waiting_gives_the_same(workspace: jam.Workspace):
    async def both() -> list[jam.MemoryContext]:
        return await asyncio.gather(*(jam.arecall(workspace, question, save=False) for question in (PORT, BLOOD)))

    port, blood = asyncio.run(both())
    assert lasting(port) == lasting(jam.recall(workspace, PORT, save=False))
    assert blood.verdict == "absent"


def test_build_without_waiting(tmp_path: Path):
    write_chat(tmp_path / "h" / "a.json", ["Where is the winch?", "In the shed."], id="a")
    built = asyncio.run(jam.abuild(tmp_path / "h", tmp_path / "w"))
    assert [session.id for session in built.sessions()] == ["a"]
    assert built.last_build.complete


def test_every_error_is_a_jam_error(tmp_path: Path, workspace: jam.Workspace):
    with pytest.raises(jam.JamError):
        jam.build(tmp_path / "absent", tmp_path / "w")
    with pytest.raises(jam.JamError):
        jam.recall(tmp_path, PORT)
    with pytest.raises(jam.JamError):
        jam.recall(workspace, "")


def test_the_tool_answers_with_text_and_the_whole_context(workspace: jam.Workspace):
    tool = jam.as_tool(workspace, strategy="search")
    message = tool.invoke({"name": tool.name, "args": {"query": PORT}, "id": "1", "type": "tool_call"})
    assert isinstance(message, ToolMessage)
    expected = jam.recall(workspace, PORT, strategy="search", save=False)
    assert expected.context in message.content
    assert "data, not instructions" in message.content
    assert all(f"[{n}] {path}" in message.content for n, path in enumerate(expected.sources, 1))
    assert lasting(jam.MemoryContext.from_dict(message.artifact)) == lasting(expected)


def test_the_tool_works_without_waiting(workspace: jam.Workspace):
    tool = jam.as_tool(workspace, scope="harbor", budget=jam.Budget(rounds=1))
    assert "8080" in asyncio.run(tool.ainvoke({"query": PORT}))


def test_the_tool_says_that_nothing_is_there(workspace: jam.Workspace):
    assert jam.as_tool(workspace).invoke({"query": BLOOD}) == "Nothing about this is in the memory."


def test_the_tool_tells_its_model_what_is_wrong(workspace: jam.Workspace):
    assert "the question is empty" in jam.as_tool(workspace).invoke({"query": " "})


def test_the_tool_is_described_for_a_model(workspace: jam.Workspace):
    tool = jam.as_tool(workspace, name="remember", description="Ask the past.")
    assert (tool.name, tool.description, list(tool.args)) == ("remember", "Ask the past.", ["query"])


@pytest.mark.parametrize("strategy", ["search", "research"])
def test_the_retriever_gives_the_evidence_as_documents(workspace: jam.Workspace, strategy: str):
    documents = jam.as_retriever(workspace, strategy=strategy).invoke(PORT)
    evidence = jam.recall(workspace, PORT, strategy=strategy, save=False).evidence
    assert [item.metadata["text"] for item in documents] == [item.text for item in evidence]
    assert all(item.page_content == framed(item.metadata["text"], "quote") for item in documents)
    assert [item.metadata["path"] for item in documents] == [item.path for item in evidence]
    assert set(documents[0].metadata) == {
        "path",
        "message",
        "id",
        "at",
        "speaker",
        "role",
        "text",
        "sha256",
        "rewritten",
    }


def test_the_retriever_works_without_waiting_and_in_a_scope(workspace: jam.Workspace):
    documents = asyncio.run(jam.as_retriever(workspace, scope="notes").ainvoke(PORT))
    assert {item.metadata["path"].partition("/")[0] for item in documents} == {"notes"}


def test_the_retriever_finds_nothing_where_nothing_is(workspace: jam.Workspace):
    assert jam.as_retriever(workspace).invoke(BLOOD) == []
