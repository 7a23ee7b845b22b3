"""Workspaces with an encoder or a reranker in their `jam.yaml`."""

from __future__ import annotations

import shutil
from pathlib import Path

import jam
import jam.index.embedder
from tests.histories import write_chat

SHIPPED = Path(jam.index.embedder.__file__).parent / "static_vectors"
CHATS = {
    "boat": ("The hull needs two coats of paint.", "I will sand it on Saturday.", "And the oars?"),
    "bread": ("My rye bread came out flat.", "Give the sourdough more time.", "The crumb is dense, too."),
    "trip": ("The night train to Trieste is full.", "There is a coach at noon."),
}
PAINT = "How many coats of paint does the hull need?"


def static_folder(place: Path) -> Path:
    """The shipped vectors as an encoder of one's own."""
    return Path(shutil.copytree(SHIPPED, place))


def write_history(folder: Path, **more: tuple[str, ...]) -> Path:
    for name, texts in {**CHATS, **more}.items():
        write_chat(folder / f"{name}.json", texts, id=name, title=f"About the {name}")
    return folder


def set_line(place: Path, *lines: str) -> jam.Workspace:
    """The workspace, opened anew, with these lines and no other encoder or reranker in its `jam.yaml`."""
    path = place / "jam.yaml"
    kept = path.read_text(encoding="utf-8").split("# models beside it\n")[0]
    path.write_text("\n".join([f"{kept}# models beside it", *lines, ""]), encoding="utf-8")
    return jam.Workspace.open(place)


def served(kind: str, url: str, *settings: str) -> list[str]:
    """The lines of a model behind a server that is not waited for."""
    name = "embedder" if kind == "openai" else "reranker"
    given = [f"spec: {kind}:tiny@{url}", "retries: 0", "timeout_seconds: 5", "rest_seconds: 0.001", *settings]
    return [f"{name}:", *(f"  {line}" for line in given)]
