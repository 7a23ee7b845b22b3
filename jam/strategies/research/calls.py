"""Carrying out one tool call: whatever happens becomes an observation, never the end of the run."""

from __future__ import annotations

import time
from typing import Any

from jam.errors import JamError, ToolError
from jam.index.search_index import Within
from jam.jobs import ToolCall
from jam.strategies.question import Question

_FILES = 8
_READ_AHEAD = 1.6
"""A search shows this many times the tokens that the context will hold, so that there is something to choose from."""


def carry_out(question: Question, call: ToolCall) -> dict[str, Any]:
    """The observation of a call: `text`, `found` [[path, message, score]…], `files`, `error`, `seconds`."""
    began = time.perf_counter()
    try:
        seen = _TOOLS[call.tool](question, call)
    except KeyError as error:
        name = call.tool if call.tool not in _TOOLS else f"{call.tool} without {error.args[0]!r}"
        seen = _failed("bad_arguments", f"no such call: {name}; use open(path), search(query) or browse(path, query)")
    except ToolError as error:
        seen = _failed(error.code, str(error))
    except (JamError, OSError) as error:
        seen = _failed("failed", str(error))
    return {**seen, "seconds": round(time.perf_counter() - began, 6)}


def _failed(code: str, text: str) -> dict[str, Any]:
    return {"text": text, "found": [], "files": [], "error": code}


def _open(question: Question, call: ToolCall) -> dict[str, Any]:
    view = question.toolbox.open(str(call.arguments.get("path", "")))
    files = [child.path for child in view.children if child.kind == "session"]
    return {"text": view.render(), "found": [], "files": files, "error": None}


def _search(question: Question, call: ToolCall) -> dict[str, Any]:
    query = str(call.arguments["query"])
    if not query.strip():
        raise ToolError("bad_arguments", "search needs a query")
    since, until = call.arguments.get("since", question.since), call.arguments.get("until", question.until)
    ranking = question.index.rank(query, Within(question.scope, since, until))
    view = question.toolbox.view(query, question.scope, ranking, _FILES)
    tokens = int(question.budget.context_tokens * _READ_AHEAD)
    found = [[*question.index.place(row), round(score, 5)] for row, score in ranking.best(tokens=tokens)]
    return {"text": view.render(), "found": found, "files": [file.path for file in view.files], "error": None}


def _browse(question: Question, call: ToolCall) -> dict[str, Any]:
    reading = question.toolbox.browse(str(call.arguments["path"]), str(call.arguments["query"]))
    best = sorted(reading.quotes, key=lambda quote: (-quote.score, quote.message))
    found = [[quote.path, quote.message, quote.score] for quote in best]
    return {"text": reading.render(), "found": found, "files": [reading.path], "error": None}


_TOOLS = {"open": _open, "search": _search, "browse": _browse}
