"""What scripted models say: a sensible one that does each job from its prompt, and helpers to make it misbehave."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from tests.servers import Act, Say

JOBS = {
    "You write index cards for an archive of": "memo",
    "You write index cards for an archive. A long": "reduce",
    "You keep an archive in order": "place",
    "You write the summary": "folder",
    "You read a part of one file": "browse",
    "You close a search": "judge",
    "You sift a stretch": "edit",
    "You pick the evidence": "distill",
    "You are a researcher": "think",
}
Request = dict[str, Any]


def job(request: Request) -> str:
    """Which job a request is for, by how its prompt begins."""
    begin = str(request["messages"][0]["content"])
    return next(name for start, name in JOBS.items() if begin.startswith(start))


def asked(request: Request) -> str:
    """The user's part of the prompt."""
    return str(request["messages"][1]["content"])


def rounds_before(request: Request) -> int:
    """How many rounds of a research have been thought before this one."""
    return sum(message["role"] == "assistant" for message in request["messages"])


def sensible(request: Request, number: int) -> Act:
    """Does every job as a careful model would; a research searches once, then answers."""
    return _JOBS[job(request)](request)


def instead(of: str, act: Callable[[Request, int], Act]) -> Callable[[Request, int], Act]:
    """A sensible model but for one job, which `act` does."""

    def script(request: Request, number: int) -> Act:
        return act(request, number) if job(request) == of else sensible(request, number)

    return script


def think(*replies: str) -> Callable[[Request, int], Act]:
    """A sensible model whose research says these things, one a round; the last again and again."""
    return instead("think", lambda request, _: Say(replies[min(rounds_before(request), len(replies) - 1)]))


def call(tool: str, **arguments: Any) -> str:
    """A call in the text protocol."""
    return f"<tool_use>{json.dumps({'tool': tool, **arguments})}</tool_use>"


def answer(text: str, *sources: str, **more: Any) -> str:
    """An answer in the text protocol."""
    return f"<think>done</think><answer>{json.dumps({'answer': text, 'sources': list(sources), **more})}</answer>"


def _memo(request: Request) -> Act:
    said = re.search(r"<session>\n(.*?)\n</session>", asked(request), re.DOTALL)
    words = re.findall(r"[A-Za-z]{4,}", said[1] if said else "")
    card = {
        "title": " ".join(words[1:6]) or "A session",
        "gist": " ".join(words[1:15]) or "It says little.",
        "summary": " ".join(words[1:40]) or "It says little.",
        "keywords": list(dict.fromkeys(word.lower() for word in words))[:5],
        "people": [],
        "things": [],
    }
    return Say(json.dumps(card))


def _reduce(request: Request) -> Act:
    return Say(json.dumps({"title": "The whole of it", "gist": "All parts.", "summary": "All parts.", "keywords": []}))


def _place(request: Request) -> Act:
    """The first half here, the second there."""
    count = len(re.findall(r"^\d+\. ", asked(request), re.MULTILINE))
    half = max(1, count // 2)
    folders = [
        {"name": "First matters", "sessions": list(range(1, half + 1))},
        {"name": "Second matters", "sessions": list(range(half + 1, count + 1))},
    ]
    return Say(json.dumps({"folders": folders}))


def _folder(request: Request) -> Act:
    return Say(json.dumps({"summary": "What a sensible model says of this folder."}))


def _browse(request: Request) -> Act:
    first = re.search(r"^(\d+)\. [^:]*: (.{10,80})", asked(request), re.MULTILINE)
    quotes = [{"message": int(first[1]), "quote": first[2]}] if first else []
    return Say(json.dumps({"summary": "It says something.", "quotes": quotes}))


def _judge(request: Request) -> Act:
    return Say(json.dumps({"answer": "as found", "verdict": "partial", "missing": ["more"], "notes": "judged"}))


def shown(request: Request) -> dict[int, str]:
    """The texts of the messages that an editor or a distiller is shown, by their numbers."""
    block = re.search(r"<(session|evidence)>\n(.*)\n</\1>", asked(request), re.DOTALL)
    rows = re.findall(r"^(\d+)\. [^:]*(?: \([^)]*\))?: (.*)$", block[2] if block else "", re.MULTILINE)
    return {int(number): text for number, text in rows}


def _edit(request: Request) -> Act:
    """All is kept as it is."""
    rows = [{"op": "KEEP", "compressed_content": text, "reason": "it may help"} for text in shown(request).values()]
    return Say(json.dumps({"decisions": rows}))


def _distill(request: Request) -> Act:
    """The first three are useful, as they are."""
    info = [{"msg_id": number, "info": text} for number, text in shown(request).items()][:3]
    return Say(json.dumps({"useful_msg": [row["msg_id"] for row in info], "distilled_info": info}))


def _think(request: Request) -> Act:
    question = asked(request).removeprefix("Question: ").split("\n")[0]
    if rounds_before(request) == 0:
        return Say(f"<think>Look for it.</think>{call('search', query=question)}")
    return Say(answer("found", verdict="sufficient"))


_JOBS = {
    "memo": _memo,
    "reduce": _reduce,
    "place": _place,
    "folder": _folder,
    "browse": _browse,
    "judge": _judge,
    "edit": _edit,
    "distill": _distill,
    "think": _think,
}
