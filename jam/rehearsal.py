"""What each role of an engine would say to its model: real prompts, made by the real players, and sent to nobody.

The players work on an invented history with a model that has no budget, so that every call ends before it is made; what
would have been sent is caught.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jam.cards import ROLES, Card, load_card
from jam.context import Evidence
from jam.engines import load_engine, load_roles
from jam.errors import ModelError
from jam.index.store import open_index
from jam.jobs import Candidate, FolderDigest, Observation, Placeable, ToolCall, Trail, Turn
from jam.memo import Memo
from jam.memorizer.build import build
from jam.models.chat import ChatModel
from jam.models.messages import ChatRequest
from jam.models.unheard import unheard_model
from jam.session import Message, Session
from jam.workspace.store import Workspace

_QUESTION = "When does the regatta begin?"
_TEXTS = [
    ("user", "The harbour office moved the regatta to 14 June, start at 10:00."),
    ("assistant", "Noted: regatta on 14 June, start at 10:00. Shall I tell the crew?"),
    ("user", "Yes, and book berth 7 for the committee boat."),
]


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """A role, and what it would say."""

    role: str
    player: str
    requests: tuple[ChatRequest, ...]
    """Nothing where the role asks no model."""


def rehearse(engine: str) -> list[Rehearsed]:
    """The roles of an engine with their prompts. Raises `UsageError` for an unknown engine, a wrong card or prompt."""
    card = load_card(engine)
    caught: list[ChatRequest] = []
    model = unheard_model(caught.append) if card.needs_model() else None
    with tempfile.TemporaryDirectory(prefix="jam-rehearsal-") as temporary:
        workspace = _invented(Path(temporary))
        scenes = _scenes(card, workspace, model)
        found = []
        for role in ROLES:
            caught.clear()
            with contextlib.suppress(ModelError):
                scenes[role]()
            found.append(Rehearsed(role, card.roles[role].player, tuple(caught[:1])))
        return found


def _invented(folder: Path) -> Workspace:
    """A workspace of one chat."""
    messages = [{"role": role, "content": text} for role, text in _TEXTS]
    (folder / "history").mkdir()
    (folder / "history" / "regatta.json").write_text(json.dumps({"messages": messages}), encoding="utf-8")
    return build(folder / "history", folder / "example.jam")[0]


def _scenes(card: Card, workspace: Workspace, model: ChatModel | None) -> dict[str, Callable[[], Any]]:
    """A call of each role's job."""
    engine = load_engine(card.engine, model)
    roles = load_roles(card.engine, open_index(workspace), model)
    path = workspace.entries()[0].path
    messages = [Message(role, text) for role, text in _TEXTS]
    session = Session("example", tuple(messages), title="Regatta")
    memo = Memo("Regatta in June", "The regatta was moved to 14 June, 10:00.", "", keywords=("regatta", "berth"))
    items = [Placeable(f"session {number}", memo, None) for number in range(1, 4)]
    evidence = [Evidence(path, 1, messages[0].text, messages[0].sha256)]
    candidates = [Candidate(path, number, message, "2026-05-02") for number, message in enumerate(messages, 1)]
    digest = FolderDigest("Harbour", (memo,) * 4, "2026-05-02", "2026-05-20", direct=(memo,) * 4)
    return {
        "memo_writer": lambda: engine.memo_writer.write_memo(session),
        "organizer": lambda: engine.organizer.place(items, 2, 3),
        "folder_summarizer": lambda: engine.summarizer.summarize(digest),
        "research_policy": lambda: roles.policy.decide(_trail(path)),
        "browse_reader": lambda: roles.reader.read(path, messages, _QUESTION, []),
        "judge": lambda: roles.judge.judge(_QUESTION, evidence, ""),
        "window_editor": lambda: roles.editor.edit(_QUESTION, candidates, "2026-06-01"),
        "distiller": lambda: roles.distiller.distill(_QUESTION, candidates, "2026-06-01"),
    }


def _trail(path: str) -> Trail:
    """A run after its first round."""
    call = ToolCall("search", {"query": "regatta start"})
    thought = '<think>Look for the date.</think>\n<tool_use>{"tool": "search", "query": "regatta start"}</tool_use>'
    seen = Observation(1, call, f"{path} · Regatta in June\n  1. user: {_TEXTS[0][1]}")
    turn = Turn(1, ({"role": "assistant", "content": thought},), 1)
    return Trail(_QUESTION, "", (seen,), 1, 19, 5, 2000, (turn,))


def render_request(request: ChatRequest) -> str:
    """A request as a page: who says what."""
    parts = [f"── {message['role']} ──\n{message.get('content') or ''}" for message in request.messages]
    return "\n\n".join(parts)


def to_dict(rehearsed: Sequence[Rehearsed]) -> list[dict[str, Any]]:
    """The roles as JSON values."""
    return [
        {
            "role": item.role,
            "player": item.player,
            "requests": [
                {
                    "messages": [dict(message) for message in request.messages],
                    "max_output_tokens": request.max_output_tokens,
                    "temperature": request.sampling.temperature,
                    "schema": request.schema,
                    "tools": [dict(tool) for tool in request.tools],
                }
                for request in item.requests
            ],
        }
        for item in rehearsed
    ]
