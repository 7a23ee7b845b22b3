"""The command line: what is printed where, and the exit codes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import jam
from jam.cli.main import VERBS, cli
from tests.conftest import tree_digest
from tests.histories import BLOOD, PORT, STRATEGIES, write_chat

FIELDS = ["query", "verdict", "answer", "context", "evidence", "sources", "notes", "searched", "missing"]
FIELDS += ["strategy", "usage", "run_id"]
EVIDENCE = ["path", "message", "id", "at", "speaker", "role", "text", "sha256", "rewritten"]
USAGE = ["rounds", "tool_calls", "model_calls", "input_tokens", "output_tokens", "context_tokens", "seconds"]
BERTHS = "chats/2026-05-27 berth-plan-for-the-summer.md"


@pytest.fixture
def partial_history(tmp_path: Path) -> Path:
    """A history of which one file can't be read."""
    write_chat(tmp_path / "h" / "a.json", ["Where is the winch?", "In the shed."], id="a")
    (tmp_path / "h" / "cut.json").write_text('{"messages": [{"role": "us')
    return tmp_path / "h"


def process(*arguments: object, **options) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "jam", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, **options)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(verb: str):
    result = CliRunner().invoke(cli, [verb, "--help"])
    assert result.exit_code == 0
    assert f"{verb} [OPTIONS]" in result.output
    if verb not in ("bench", "model"):  # groups: their own verbs take these
        assert "--json" in result.output
        assert "-q, --quiet" in result.output


def test_help_lists_every_verb():
    result = CliRunner().invoke(cli, ["--help"])
    assert result.exit_code == 0
    assert all(f"\n  {verb} " in result.output for verb in VERBS)


def test_the_version_is_that_of_the_package(run):
    from importlib.metadata import version

    result = run("--version")
    assert (result.code, result.out, result.err) == (0, f"jam {version('jam-memory')}\n", "")


def test_ask_prints_the_context_and_its_sources(run, built_examples: Path):
    result = run("ask", built_examples, PORT)
    assert (result.code, result.err) == (0, "")
    assert "8443" in result.out
    assert "[1] harbor/" in result.out


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_ask_json_has_the_documented_fields(run, built_examples: Path, strategy: str):
    result = run("ask", built_examples, PORT, "--json", "--strategy", strategy)
    data = json.loads(result.out)
    assert (result.code, result.err) == (0, "")
    assert list(data) == FIELDS
    assert {tuple(item) for item in data["evidence"]} == {tuple(EVIDENCE)}
    assert list(data["usage"]) == USAGE
    assert (data["query"], data["strategy"]) == (PORT, strategy)


def test_ask_says_what_is_absent_and_what_was_searched(run, built_examples: Path):
    result = run("ask", built_examples, BLOOD)
    assert result.code == 0
    assert "Nothing about this was found." in result.out
    assert f"searched: {BLOOD}" in result.out


def test_ask_obeys_its_options(run, built_examples: Path):
    options = ["--scope", "harbor", "--rounds", 1, "--context-tokens", 150, "--since", "2026-02-01", "--json"]
    data = json.loads(run("ask", built_examples, PORT, *options).out)
    assert {path.partition("/")[0] for path in data["sources"]} == {"harbor"}
    assert data["usage"]["rounds"] == 1
    assert data["usage"]["context_tokens"] <= 150
    assert min(item["at"] for item in data["evidence"]) >= "2026-02-01"


def test_ask_of_a_history_builds_it_once(run, example_history: Path, tmp_path: Path):
    place = tmp_path / "w"
    first = run("ask", example_history, PORT, "-w", place)
    assert first.code == 0
    assert "25 new sessions" in first.err
    before = tree_digest(place)
    second = run("ask", example_history, PORT, "-w", place)
    assert (second.code, second.err) == (0, "")
    assert tree_digest(place) == before


def test_the_workspace_is_named_after_the_history(run, partial_history: Path, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("build", partial_history).code == 3
    assert (tmp_path / "h.jam" / "jam.yaml").is_file()


@pytest.mark.parametrize("verb", [["build"], ["ask"]])
def test_the_environment_may_name_the_workspace(run, partial_history: Path, tmp_path: Path, monkeypatch, verb):
    monkeypatch.setenv("JAM_WORKSPACE", str(tmp_path / "mine"))
    run(*verb, partial_history, *(["Where is the winch?"] if verb == ["ask"] else []))
    assert (tmp_path / "mine" / "jam.yaml").is_file()


def test_an_option_goes_before_the_environment(run, partial_history: Path, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("JAM_WORKSPACE", str(tmp_path / "mine"))
    run("build", partial_history, "-w", tmp_path / "given")
    assert (tmp_path / "given" / "jam.yaml").is_file()
    assert not (tmp_path / "mine").exists()


def test_build_with_something_left_out_exits_3_and_says_what(run, partial_history: Path, tmp_path: Path):
    result = run("build", partial_history, "-w", tmp_path / "w")
    assert result.code == 3
    assert "2 files = 1 ingested + 0 unchanged + 1 skipped" in result.out
    assert "cut.json" in result.err
    assert "cut.json" not in result.out


def test_ask_of_such_a_history_exits_3_too(run, partial_history: Path, tmp_path: Path):
    result = run("ask", partial_history, "Where is the winch?", "-w", tmp_path / "w")
    assert result.code == 3
    assert "In the shed." in result.out


def test_build_json_adds_up(run, partial_history: Path, tmp_path: Path):
    result = run("build", partial_history, "-w", tmp_path / "w", "--json", "-q")
    data = json.loads(result.out)
    files = data["history"]
    assert files["found"] == files["ingested"] + files["unchanged"] + files["skipped"] == 2
    assert (data["complete"], data["sessions"], result.err) == (False, 1, "")


def test_a_complete_build_exits_0(run, example_history: Path, tmp_path: Path):
    result = run("build", example_history, "-w", tmp_path / "w", "-q")
    assert (result.code, result.err) == (0, "")
    assert "25 sessions" in result.out


def test_quiet_is_silent_on_stderr(run, partial_history: Path, tmp_path: Path):
    assert run("build", partial_history, "-w", tmp_path / "w", "-q").err == ""
    assert run("ask", partial_history, "Where is the winch?", "-w", tmp_path / "w", "-q").err == ""


def test_tree_draws_the_folders(run, built_examples: Path):
    assert "├── chats/  (10 sessions)" in run("tree", built_examples).out
    data = json.loads(run("tree", built_examples, "notes", "--json").out)
    assert (data["path"], data["sessions"], len(data["files"])) == ("notes", 7, 7)


def test_open_shows_a_folder_or_a_session(run, built_examples: Path):
    assert BERTHS in run("open", built_examples, "chats").out
    assert "the east pontoon is 48 boats" in run("open", built_examples, BERTHS).out
    assert json.loads(run("open", built_examples, BERTHS, "--json").out)["path"] == BERTHS


def test_search_and_browse_show_messages(run, built_examples: Path):
    found = json.loads(run("search", built_examples, "berth limit east pontoon", "-n", 2, "--json").out)
    assert BERTHS in [file["path"] for file in found["files"]]
    assert len(found["files"]) == 2
    assert "48 boats" in run("browse", built_examples, BERTHS, "berth limit of the east pontoon").out


def test_verify_holds_for_what_ask_printed(run, built_examples: Path, tmp_path: Path):
    saved = tmp_path / "context.json"
    saved.write_text(run("ask", built_examples, PORT, "--json").out, encoding="utf-8")
    assert run("verify", built_examples, saved).code == 0
    data = json.loads(saved.read_text(encoding="utf-8"))
    data["evidence"][0]["text"] = "We settle on port 9999."
    saved.write_text(json.dumps(data), encoding="utf-8")
    result = run("verify", built_examples, saved, "--json")
    assert result.code == 1
    assert [fault["path"] for fault in json.loads(result.out)["faults"]] == [data["evidence"][0]["path"], "context"]


def test_verify_reads_a_saved_run(run, example_workspace: Path):
    context = jam.recall(example_workspace, PORT)
    result = run("verify", example_workspace, example_workspace / ".jam" / "runs" / f"{context.run_id}.jsonl")
    assert result.code == 0
    assert f"1 contexts, {len(context.evidence)} quotes: all hold" in result.out


def test_doctor_finds_a_sound_workspace_sound(run, built_examples: Path):
    result = run("doctor", built_examples, "--json")
    data = json.loads(result.out)
    assert (result.code, data["sound"], data["index"], data["sessions"]) == (0, True, "equal", 25)


def test_doctor_exits_1_for_a_fault(run, example_workspace: Path):
    raw = example_workspace / BERTHS
    raw.write_text(raw.read_text(encoding="utf-8").replace("48 boats", "84 boats"), encoding="utf-8")
    result = run("doctor", example_workspace)
    assert result.code == 1
    assert BERTHS in result.out


MISTAKES = {
    "an empty question": (2, ["ask", "W", ""]),
    "a blank question": (2, ["ask", "W", "  "]),
    "no question": (2, ["ask", "W"]),
    "an unknown strategy": (2, ["ask", "W", PORT, "--strategy", "guess"]),
    "an unknown engine": (2, ["ask", "W", PORT, "--engine", "steam"]),
    "an engine that is a path": (2, ["build", "H", "-w", "T/new", "--engine", "../steam"]),
    "a negative budget": (2, ["ask", "W", PORT, "--context-tokens", "-5"]),
    "negative tokens": (2, ["ask", "W", PORT, "--tokens", "-5"]),
    "no rounds": (2, ["ask", "W", PORT, "--rounds", "0"]),
    "no time": (2, ["ask", "W", PORT, "--seconds", "0"]),
    "time that is no number": (2, ["ask", "W", PORT, "--seconds", "nan"]),
    "rounds that are no number": (2, ["ask", "W", PORT, "--rounds", "many"]),
    "a day that is none": (2, ["ask", "W", PORT, "--since", "yesterday"]),
    "a month that is none": (2, ["search", "W", PORT, "--until", "2026-13-01"]),
    "a wrong scope": (1, ["ask", "W", PORT, "--scope", "chat"]),
    "a scope outside": (1, ["ask", "W", PORT, "--scope", "../.."]),
    "a missing path": (1, ["ask", "T/absent", PORT]),
    "a missing history": (1, ["build", "T/absent", "-w", "T/new"]),
    "a history without files": (1, ["build", "T/hollow", "-w", "T/new"]),
    "a workspace in the history's place": (1, ["build", "H", "-w", "H"]),
    "a file as the workspace": (1, ["doctor", "T/list.json"]),
    "a folder that is no workspace": (1, ["search", "T/hollow", PORT]),
    "a missing folder": (1, ["tree", "W", "nowhere"]),
    "a tree outside": (1, ["tree", "W", "../.."]),
    "a missing session": (1, ["open", "W", "chats/nothing.md"]),
    "a folder to browse": (1, ["browse", "W", "chats", "x"]),
    "a session outside": (1, ["browse", "W", "../../x.md", "x"]),
    "a search for nothing": (2, ["search", "W", ""]),
    "a context that is missing": (2, ["verify", "W", "T/absent.json"]),
    "a context that is no JSON": (2, ["verify", "W", "T/text.json"]),
    "a context that is a list": (2, ["verify", "W", "T/list.json"]),
    "a context without a verdict": (2, ["verify", "W", "T/object.json"]),
    "a context with odd evidence": (2, ["verify", "W", "T/evidence.json"]),
    "a context that is a folder": (1, ["verify", "W", "T/hollow"]),
    "a context that is not UTF-8": (2, ["verify", "W", "T/bytes.json"]),
    "a newer workspace": (1, ["ask", "T/newer", PORT]),
    "settings that are no YAML": (1, ["doctor", "T/odd"]),
    "a benchmark that is missing": (1, ["bench", "locomo", "T/absent.json"]),
    "a benchmark that is none": (1, ["bench", "locomo", "T/list.json"]),
    "a benchmark of another shape": (1, ["bench", "locomo", "T/bench.json"]),
    "an unknown verb": (2, ["remember"]),
    "an unknown option": (2, ["tree", "W", "--colour"]),
}


@pytest.fixture
def spoilt(tmp_path: Path) -> Path:
    """All that the mistakes need."""
    (tmp_path / "hollow").mkdir()
    (tmp_path / "text.json").write_text("not JSON")
    (tmp_path / "list.json").write_text("[1]")
    (tmp_path / "object.json").write_text("{}")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\xfa")
    odd = {"query": "q", "verdict": "partial", "context": "c", "evidence": [{"path": 5}]}
    (tmp_path / "evidence.json").write_text(json.dumps(odd))
    (tmp_path / "bench.json").write_text('[{"conversation": [], "qa": [{"question": "Q?"}]}]')
    for name, text in {"newer": "format: 99\n", "odd": "format: [\n"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "jam.yaml").write_text(text)
    return tmp_path


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_gets_a_message_and_its_code(
    run, spoilt: Path, built_examples: Path, example_history: Path, mistake: str
):
    code, arguments = MISTAKES[mistake]
    places = {"W": str(built_examples), "H": str(example_history)}
    given = [places.get(a, f"{spoilt}/{a[2:]}" if a.startswith("T/") else a) for a in arguments]
    result = run(*given)
    assert (result.code, result.out) == (code, "")
    assert result.err.startswith(("jam: ", "Usage: "))
    assert "Traceback" not in result.err


def test_a_newer_workspace_says_to_upgrade(run, spoilt: Path):
    assert "upgrade jam-memory" in run("ask", spoilt / "newer", PORT).err


def test_a_question_of_ten_thousand_words_is_answered(run, built_examples: Path):
    question = "which port did we settle on " * 1700
    assert json.loads(run("ask", built_examples, question, "--json").out)["query"] == question


def test_odd_characters_in_a_question_are_carried(run, built_examples: Path):
    result = run("ask", built_examples, "which \ud800 port \x1b[2J \0?", "--json")
    assert json.loads(result.out)["query"] == "which \ud800 port \x1b[2J \0?"


def test_as_a_process_it_keeps_the_streams_apart(partial_history: Path, tmp_path: Path):
    done = process("build", partial_history, "-w", tmp_path / "w", "--json")
    assert done.returncode == 3
    assert json.loads(done.stdout)["sessions"] == 1
    assert "cut.json" in done.stderr


def test_as_a_process_it_asks_and_verifies(built_examples: Path, tmp_path: Path):
    asked = process("ask", built_examples, PORT, "--json", "-q")
    assert (asked.returncode, asked.stderr) == (0, "")
    checked = process("verify", built_examples, "-", input=asked.stdout)
    assert (checked.returncode, "all hold" in checked.stdout) == (0, True)


@pytest.mark.parametrize(("arguments", "code"), [(["ask", ".", ""], 2), (["doctor", "absent"], 1), (["nothing"], 2)])
def test_as_a_process_a_mistake_has_no_traceback(tmp_path: Path, arguments: list[str], code: int):
    write_chat(tmp_path / "h" / "a.json", ["one", "two"], id="a")
    done = process(*arguments, cwd=tmp_path / "h")
    assert (done.returncode, done.stdout) == (code, "")
    assert "Traceback" not in done.stderr
    assert done.stderr


def test_an_empty_question_builds_nothing(tmp_path: Path):
    write_chat(tmp_path / "h" / "a.json", ["one", "two"], id="a")
    process("ask", "h", "", cwd=tmp_path)
    assert not (tmp_path / "h.jam").exists()


def test_a_reader_that_goes_away_is_no_fault(built_examples: Path):
    command = [sys.executable, "-m", "jam", "open", str(built_examples), BERTHS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        running.stdout.close()
        assert "Traceback" not in running.stderr.read()


def test_output_is_utf8_whatever_the_terminal_says(built_examples: Path):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    done = process("tree", built_examples, env=environment)
    assert "kleingarten-kolonie-möwenweg" in done.stdout


def test_a_workspace_without_derived_data_can_be_asked(run, example_workspace: Path):
    shutil.rmtree(example_workspace / ".jam")
    result = run("ask", example_workspace, PORT, "--strategy", "search")
    assert (result.code, "8443" in result.out) == (0, True)
