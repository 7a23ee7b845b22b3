"""What is in the wheel, and what an import costs."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from jam.assets import asset_folder
from jam.cards import ROLES, card_names, load_card
from jam.errors import UsageError
from jam.models.chat import ChatModel
from jam.models.spec import read_model
from tests.conftest import REPOSITORY
from tests.index.indexes import index_of

MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("hatchling is not installed (pip install -e '.[dev]')")
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(REPOSITORY)]
    subprocess.run(command, check=True, capture_output=True)
    return next(out.glob("*.whl"))


def test_the_wheel_has_every_data_file_and_stays_small(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for folder in ("prompts", "agents", "workspace_templates"):
        files = [path for path in (REPOSITORY / folder).rglob("*") if path.is_file()]
        assert files
        assert {f"jam/_assets/{path.relative_to(REPOSITORY).as_posix()}" for path in files} <= names
    assert {f"jam/index/static_vectors/{n}" for n in ("config.json", "model.safetensors", "tokenizer.json")} <= names
    assert "jam/py.typed" in names
    assert not [name for name in names if name.startswith(("tests", "examples"))]
    assert wheel.stat().st_size < 25 * MEGABYTE


def test_the_data_folders_are_found():
    for folder in ("prompts", "agents", "workspace_templates"):
        assert asset_folder(folder).is_dir()
    with pytest.raises(FileNotFoundError, match="missing"):
        asset_folder("no_such_folder")


@pytest.mark.parametrize("name", card_names())
def test_every_shipped_card_casts_every_role(name: str):
    card = load_card(name)
    for role in ROLES:
        model = ChatModel.of(read_model("openai:any@http://127.0.0.1:9/v1"))
        assert card.cast(role, index=index_of(), model=model)


def test_a_users_own_card_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    text = (asset_folder("agents") / "extractive.yaml").read_text(encoding="utf-8")
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "broken.yaml").write_text("roles: {judge: nowhere}", encoding="utf-8")
    monkeypatch.setenv("JAM_AGENTS", str(tmp_path))
    assert load_card("mine").engine == "mine"
    with pytest.raises(UsageError, match="memo_writer"):
        load_card("broken")
    with pytest.raises(UsageError, match="broken, extractive, llm, mine"):
        load_card("absent")


def test_importing_jam_and_asking_for_help_load_nothing_heavy():
    code = (
        "import sys, jam, jam.cli.main\n"
        "heavy = {'numpy', 'langgraph', 'langchain_core', 'bm25s', 'jinja2', 'tokenizers', 'pydantic'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
