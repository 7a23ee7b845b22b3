"""How many sessions and messages a file holds, and from when to when, by the plainest means.

Nothing here is shared with the readers: these counts are there to catch their errors. A message is something with a
text that is said, called, returned, thought or noticed. A blank record is none, and what is there twice counts once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import yaml

Time = datetime | date


@dataclass(frozen=True)
class Count:
    """What a file holds."""

    sessions: int
    messages: int
    first: Time | None = None
    last: Time | None = None
    """Of the messages; of the sessions where messages have no times of their own."""


def count(sessions: int, messages: int, times: Iterable[Any] = ()) -> Count:
    found = sorted(moment for moment in map(moment_of, times) if moment is not None)
    return Count(sessions, messages, found[0] if found else None, found[-1] if found else None)


def moment_of(value: Any) -> Time | None:
    """A time as a source writes it: ISO text, or Unix seconds; a date alone stays one."""
    if isinstance(value, int | float):
        return datetime.fromtimestamp(value, UTC)
    if isinstance(value, datetime) or value is None:
        return value
    if isinstance(value, date):
        return value
    return date.fromisoformat(value) if len(value) == 10 else datetime.fromisoformat(value)


def load(path: Path) -> Any:
    return json.loads(path.read_text("utf-8-sig"))


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text("utf-8-sig").splitlines() if line.strip()]


def said(value: Any) -> bool:
    """Whether a content says anything: a text, a number, or a block with any text in it but its type and ids."""
    if isinstance(value, str):
        return bool(value.strip())
    if isinstance(value, list):
        return any(said(each) for each in value)
    if isinstance(value, dict):
        return any(
            said(each) for key, each in value.items() if key not in ("type", "id", "tool_use_id", "content_type")
        )
    return value is not None and not isinstance(value, bool)


def chatgpt(path: Path) -> Count:
    conversations = load(path)
    nodes = [node.get("message") for talk in conversations for node in talk["mapping"].values()]
    messages = [message for message in nodes if message and said(message["content"].get("parts"))]
    return count(len(conversations), len(messages), [message.get("create_time") for message in messages])


def claude_ai(path: Path) -> Count:
    value = load(path)
    conversations = value if isinstance(value, list) else value.get("conversations", [value])
    turns = [turn for talk in conversations for turn in talk["chat_messages"] or []]
    messages = [turn for turn in turns if said(turn.get("text")) or said(turn.get("content"))]
    return count(len(conversations), len(messages), [turn["created_at"] for turn in messages])


def claude_code(path: Path) -> Count:
    sessions, seen, times, messages = set(), set(), [], 0
    for record in lines(path):
        if not isinstance(record, dict):
            continue
        inner = record.get("message")
        spoken = isinstance(inner, dict) and said(inner.get("content"))
        noticed = record.get("type") == "system" and said(record.get("content"))
        if not (spoken or noticed or record.get("type") == "summary"):
            continue
        mark = json.dumps([record.get("uuid"), record.get("timestamp"), inner, record.get("content")])
        if record.get("uuid") and mark in seen:
            continue
        seen.add(mark)
        messages += 1
        times.append(record.get("timestamp"))
        if record.get("type") != "summary":
            sessions.add(record.get("sessionId"))
    return count(len(sessions), messages, times)


def codex(path: Path) -> Count:
    """Items of the conversation; events only where no item says the same."""
    records = lines(path)
    items = [r for r in records if r["type"] == "response_item" and r["payload"].get("type") != "reasoning"]
    texts = {part.get("text") for r in items for part in r["payload"].get("content") or []}
    events = [
        r for r in records if r["type"] == "event_msg" and r["payload"]["type"] in ("user_message", "agent_message")
    ]
    messages = items + [r for r in events if r["payload"]["message"] not in texts]
    return count(1 if messages else 0, len(messages), [r["timestamp"] for r in messages])


def gemini_cli(path: Path) -> Count:
    """Entries that say, think or call something; and what a call returned, which stands inside the entry."""
    entries = load(path)["messages"]
    keys = ("content", "parts", "thoughts", "toolCalls")
    messages = [entry for entry in entries if any(said(entry.get(key)) for key in keys)]
    returned = [call for entry in messages for call in entry.get("toolCalls", []) if said(call.get("result"))]
    return count(1, len(messages) + len(returned), [entry["timestamp"] for entry in messages])


def langchain(path: Path) -> Count:
    dumped = [m["kwargs"] for m in load(path) if m["type"] == "constructor" and m["id"][-1].endswith("Message")]
    return count(1, sum(said(kwargs["content"]) or said(kwargs.get("tool_calls")) for kwargs in dumped))


def openai_messages(path: Path) -> Count:
    talks = [row["messages"] for row in lines(path)]
    return count(len(talks), sum(said(message["content"]) for talk in talks for message in talk))


def sharegpt(path: Path) -> Count:
    talks = [row["conversations"] for row in load(path)]
    return count(len(talks), sum(said(turn["value"]) for talk in talks for turn in talk))


def agents(path: Path) -> Count:
    """SWE-agent's trajectories, bare lists of messages, OpenHands' events in a list or in one result a line."""
    if path.suffix == ".jsonl":
        runs = [row["history"] for row in lines(path)]
    else:
        value = load(path)
        runs = [_swe_agent(value) if isinstance(value, dict) else value]
    keys = ("content", "thought", "command", "code", "message", "args")
    messages = [event for run in runs for event in run if any(said(event.get(key)) for key in keys)]
    return count(len(runs), len(messages), [event.get("timestamp") for event in messages])


def _swe_agent(value: dict[str, Any]) -> list[Any]:
    """The history, with what the last step returned where the history ends before it."""
    history, last = value["history"], value["trajectory"][-1]["observation"]
    there = any(last.strip() and last.strip() in message["content"] for message in history[-1:])
    return history if there else [*history, {"content": last}]


def subtitles(path: Path) -> Count:
    """Cues that say something which the cue before did not say."""
    text = path.read_text("utf-8-sig")
    cues, shown = 0, []
    for block in re.split(r"\n[ \t]*\n", text.split("##\n")[-1]):
        rows = block.strip("\n").split("\n")
        place = next((n for n, row in enumerate(rows) if "-->" in row), 0 if rows[0].isdigit() else None)
        if place is None or rows[0].startswith(("NOTE", "WEBVTT")):
            continue
        # A caption may follow the one before without a blank line.
        for part in re.split(r"\n[^\n]*-->[^\n]*\n", "\n" + "\n".join(rows[place:]) + "\n"):
            spoken = [re.sub(r"<[^>]*>", "", row).strip() for row in part.split("\n")]
            new = [row for row in spoken if row and not row.isdigit() and row not in shown]
            cues += bool(new)
            shown = [row for row in spoken if row] or shown
    return count(1, cues)


def longmemeval(path: Path) -> Count:
    records = load(path)
    sessions = [pair for r in records for pair in zip(r["haystack_sessions"], r["haystack_dates"], strict=True)]
    filled = [(turns, day) for turns, day in sessions if turns]
    times = [datetime.strptime(re.sub(r" \(\w+\)", "", day), "%Y/%m/%d %H:%M") for _, day in filled]
    return count(len(filled), sum(said(turn["content"]) for turns, _ in filled for turn in turns), times)


def locomo(path: Path) -> Count:
    sessions, messages, times = 0, 0, []
    for sample in load(path):
        for key, turns in sample["conversation"].items():
            if re.fullmatch(r"session_\d+", key) and turns:
                sessions += 1
                messages += sum(bool(turn.get("text") or turn.get("blip_caption")) for turn in turns)
                day = sample["conversation"][f"{key}_date_time"]
                times.append(datetime.strptime(day, "%I:%M %p on %d %B, %Y"))
    return count(sessions, messages, times)


def paragraphs(path: Path) -> Count:
    rows = load(path)
    found: list[Any] = []
    for row in rows:
        found += [text for _, text in row.get("context", [])]
        found += [paragraph["paragraph_text"] for paragraph in row.get("paragraphs", [])]
        found += [row["text"]] if "text" in row else []
    return count(sum(map(said, found)), sum(map(said, found)))


_TURN = re.compile(r"^_\*\*(?:User|Agent)\b[^\n]*?(\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ)\)\*\*_$", re.MULTILINE)


def specstory(path: Path) -> Count:
    return count(1, len(_TURN.findall(path.read_text("utf-8"))), _TURN.findall(path.read_text("utf-8")))


def note_dates(path: Path) -> tuple[list[Time | None], str]:
    """The times that a note may have, and its text: what its front matter says, else the date in its name."""
    text = path.read_text("utf-8")
    found = re.match(r"---\n(.*?)^---$", text, re.DOTALL | re.MULTILINE)
    try:
        head = (yaml.safe_load(found[1]) if found else None) or {}
    except yaml.YAMLError:  # a template: `created: {{date}}`
        head = {}
    dates: dict[str, Time] = {key: value for key, value in head.items() if isinstance(value, date)}
    for key in ("date", "created"):
        if key in dates:
            return [dates[key]], text
    named = re.match(r"(\d{4}-\d\d-\d\d)\b", path.stem)
    return [*dates.values(), date.fromisoformat(named[1]) if named else None], text
