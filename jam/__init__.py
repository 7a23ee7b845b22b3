"""JAM: just-in-time memory for LLM agents. A folder of history becomes a workspace; a question gets a context.

    workspace = jam.build("~/.claude/projects", "work.jam")
    context = jam.recall(workspace, "Which port did we settle on?")
    print(context.render())

Names are imported when they are first used, so that `import jam` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jam.api import abuild as abuild
    from jam.api import arecall as arecall
    from jam.api import build as build
    from jam.api import build_researcher as build_researcher
    from jam.api import recall as recall
    from jam.context import Budget as Budget
    from jam.context import Evidence as Evidence
    from jam.context import MemoryContext as MemoryContext
    from jam.context import Usage as Usage
    from jam.errors import JamError as JamError
    from jam.integrations.langchain import as_retriever as as_retriever
    from jam.integrations.langchain import as_tool as as_tool
    from jam.memo import Memo as Memo
    from jam.session import Message as Message
    from jam.session import Session as Session
    from jam.verification import verify_context as verify_context
    from jam.workspace.store import Workspace as Workspace

_HOMES = {
    "Budget": "jam.context",
    "Evidence": "jam.context",
    "JamError": "jam.errors",
    "Memo": "jam.memo",
    "MemoryContext": "jam.context",
    "Message": "jam.session",
    "Session": "jam.session",
    "Usage": "jam.context",
    "Workspace": "jam.workspace.store",
    "abuild": "jam.api",
    "arecall": "jam.api",
    "as_retriever": "jam.integrations.langchain",
    "as_tool": "jam.integrations.langchain",
    "build": "jam.api",
    "build_researcher": "jam.api",
    "recall": "jam.api",
    "verify_context": "jam.verification",
}

__all__ = [  # noqa: PLE0604, RUF100 - the names above, spelt out for tools that read the source
    "Budget",
    "Evidence",
    "JamError",
    "Memo",
    "MemoryContext",
    "Message",
    "Session",
    "Usage",
    "Workspace",
    "abuild",
    "arecall",
    "as_retriever",
    "as_tool",
    "build",
    "build_researcher",
    "recall",
    "verify_context",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'jam' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
