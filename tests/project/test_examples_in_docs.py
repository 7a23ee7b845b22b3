"""Every example in README and docs runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import EXAMPLES, REPOSITORY

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
    if page.name != "README.md":
        run([sys.executable, "-c", "import jam; jam.build('examples/history', 'history.jam')"], desk)
    for example in examples:
        run([sys.executable, "-c", example], desk)
    assert examples or page.name == "lab.md"


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
