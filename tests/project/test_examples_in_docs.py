"""Every example in README and docs runs."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tests.conftest import EXAMPLES, REPOSITORY
from tests.llm.scripts import sensible
from tests.servers import ScriptedServer

PAGES = sorted([REPOSITORY / "README.md", *(REPOSITORY / "docs").glob("*.md")])
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INSTALLS = re.compile(r"(?:python -m venv|pip install|\. \.venv)[^&\n]*(?:&& )?")


def fences(page: Path, kind: str) -> list[str]:
    return [body for name, body in FENCE.findall(page.read_text(encoding="utf-8")) if name == kind]


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A folder like a fresh checkout, in a home with Claude Code transcripts."""
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    shutil.copytree(EXAMPLES / "history" / "claude-code", tmp_path / "home" / ".claude" / "projects")
    return tmp_path


def run(command: list[str], desk: Path) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "HOME": str(desk / "home"), "PATH": path}
    done = subprocess.run(command, cwd=desk, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_python_examples_of_a_page_run_one_after_the_other(page: Path, desk: Path):
    examples = fences(page, "python")
    if examples and page.name != "README.md":
        run([sys.executable, "-c", "import jam; jam.build('examples/history', 'history.jam')"], desk)
    for example in examples:
        run([sys.executable, "-c", example], desk)


def commands(page: Path) -> list[str]:
    """Every `jam …` of a page's shell examples."""
    lines = [line for body in fences(page, "sh") for line in body.splitlines()]
    return [part.strip() for line in lines for part in re.split(r"&&|\||;", line) if part.strip().startswith("jam ")]


@pytest.mark.parametrize(
    ("page", "line"), [pytest.param(page, line, id=f"{page.name}: {line}") for page in PAGES for line in commands(page)]
)
def test_every_command_of_a_page_is_one(page: Path, line: str):
    from jam.cli.main import cli

    _, *rest = shlex.split(line, comments=True)
    command: click.Command = cli
    context = click.Context(cli, info_name="jam")
    while isinstance(command, click.Group):
        name, found, rest = command.resolve_command(context, rest)
        assert found is not None, f"{page.name}: there is no verb {name!r}"
        command, context = found, click.Context(found, context, info_name=name)
    command.make_context(command.name, rest, parent=context.parent)


def test_the_shell_examples_of_the_readme_run(desk: Path):
    commands = [line for body in fences(REPOSITORY / "README.md", "sh") for line in body.splitlines()]
    ours = [INSTALLS.sub("", line).strip() for line in commands if "scripts/test" not in line]
    assert len([line for line in ours if line.startswith("jam ")]) >= 4
    outputs = {line: run(["sh", "-c", line], desk) for line in ours if line}
    first = next(text for line, text in outputs.items() if "Which port" in line)
    assert "port 8443" in first
    assert "notes/2026-06-16" in first


def test_every_verb_is_in_the_readme():
    from jam.cli.main import VERBS

    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert [verb for verb in VERBS if f"jam {verb}" not in text and f"`{verb}`" not in text] == []


MODEL_LINE = re.compile(r"^jam (?:(?:build|ask) [^#\n]*--model [^#\n]*|model (?:serve|check) [^#\n]*)", re.MULTILINE)


@pytest.mark.parametrize(
    "page", [REPOSITORY / "README.md", REPOSITORY / "docs" / "models.md"], ids=lambda page: page.name
)
def test_the_commands_with_a_model_run(page: Path, desk: Path):
    """Each with a scripted server in the place of the model; vLLM is not started, only its command made."""
    commands = [line.strip() for line in MODEL_LINE.findall(page.read_text(encoding="utf-8"))]
    assert len(commands) >= 4
    with ScriptedServer(sensible) as server:
        for command in commands:
            if " model check " in command:
                continue  # it asks what the script doesn't know; tests/models has its own
            command = re.sub(r"(?:openai|anthropic):\S+|\$MODEL", server.spec, command)
            command = command.replace(" model serve ", " model serve --dry-run ")
            if "ask work.jam" in command and not (desk / "work.jam").exists():
                run(["sh", "-c", "jam build ~/.claude/projects -w work.jam"], desk)
            run(["sh", "-c", command], desk)
