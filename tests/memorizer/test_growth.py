"""Many builds over a history that grows end in the same tree as one build over what it has become.

But for file names given earlier, and times of building.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import jam
from jam.memorizer.build import build
from jam.workspace.layout import README, folders, memo_path, parent
from tests.transcripts import Record, said, session_id, tool_result, tool_use

Versions = list[str]
"""The contents of a file, one after the other; the last one stays."""

SUBJECTS = {
    "bread": "sourdough flour oven crust yeast rye proofing loaf baker kneading",
    "bikes": "chain brake gears wheel saddle spoke pedal tyre frame cycling",
    "boats": "mast sail rudder keel harbour pontoon winch anchor mooring regatta",
    "music": "cello bow sonata rehearsal orchestra violin score tempo recital quartet",
}


def sentences(subject: str, count: int, chance: random.Random) -> list[str]:
    words = SUBJECTS[subject].split()
    return [
        f"The {chance.choice(words)} and the {chance.choice(words)} need {chance.choice(words)} work, number {n}."
        for n in range(count)
    ]


def lines(records: Sequence[Record]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def growing(records: Sequence[Record], cuts: Sequence[int]) -> Versions:
    """A transcript, written further and further."""
    return [lines(records[:cut]) for cut in (*cuts, len(records))]


def transcript(number: int, subject: str, count: int, chance: random.Random) -> list[Record]:
    who = ("user", "assistant")
    texts = sentences(subject, count, chance)
    minute = number * 1000
    return [
        said(number * 1000 + n, who[n % 2], text, session_id(number), minute=minute + n) for n, text in enumerate(texts)
    ]


def agent_of(number: int, agent: str, start: int, chance: random.Random) -> list[Record]:
    """What a sub-agent of a session says, partly in the same minutes as the session itself."""
    first = number * 1000 + 500 + 10 * len(agent)
    return [
        said(
            first + n,
            "assistant",
            text,
            session_id(number),
            minute=number * 1000 + start + n,
            isSidechain=True,
            agentId=agent,
        )
        for n, text in enumerate(sentences("boats", 3, chance))
    ]


def copied(records: Sequence[Record], session: str) -> list[Record]:
    """What a resumed session begins with: the same records under its own id."""
    return [{**record, "sessionId": session} for record in records]


def claude_files(chance: random.Random) -> dict[str, Versions]:
    files: dict[str, Versions] = {}
    topics = list(SUBJECTS)
    whole: dict[int, list[Record]] = {}
    for number in range(1, 21):
        records = transcript(number, topics[number % 4], 8, chance)
        if number % 5 == 0:
            records[3] = said(
                number * 1000 + 3, "assistant", tool_use("ls"), session_id(number), minute=number * 1000 + 3
            )
            records[4] = said(
                number * 1000 + 4, "user", tool_result("a.txt"), session_id(number), minute=number * 1000 + 4
            )
        whole[number] = records
        name = f"claude/{session_id(number)}.jsonl"
        cuts = sorted(chance.sample(range(1, 8), chance.randrange(3)))
        files[name] = growing(records, cuts)
    summary = {"type": "summary", "summary": "About bread and a mast", "leafUuid": whole[3][-1]["uuid"]}
    files[f"claude/{session_id(3)}.jsonl"][-1] += lines([summary])
    for agent, start in (("zeta", 2), ("alpha", 2), ("mid", 5)):
        name = f"claude/{session_id(3)}/subagents/agent-{agent}.jsonl"
        files[name] = growing(agent_of(3, agent, start, chance), [1])
    # Resumed, and resumed once more from there; forked from within, with the original going on.
    new = [
        said(31_000 + n, "user", f"Once more about the rudder, {n}.", session_id(31), minute=31_000 + n)
        for n in range(3)
    ]
    files[f"claude/{session_id(31)}.jsonl"] = growing([*copied(whole[4], session_id(31)), *new], [9])
    more = [said(32_000 + n, "user", f"And about the keel, {n}.", session_id(32), minute=32_000 + n) for n in range(2)]
    chain = [*copied(whole[4], session_id(32)), *copied(new, session_id(32)), *more]
    files[f"claude/{session_id(32)}.jsonl"] = growing(chain, [])
    fork = [
        said(33_000 + n, "user", f"Another way with the tyre, {n}.", session_id(33), minute=33_000 + n)
        for n in range(2)
    ]
    files[f"claude/{session_id(33)}.jsonl"] = growing([*copied(whole[6][:5], session_id(33)), *fork], [6])
    # Rewound: the last prompt is asked anew from the fourth message.
    again = said(8_500, "user", "Asked anew about the loaf.", session_id(8), minute=8_500)
    again["parentUuid"] = whole[8][3]["uuid"]
    for n, record in enumerate(whole[8]):
        record["parentUuid"] = whole[8][n - 1]["uuid"] if n else None
    files[f"claude/{session_id(8)}.jsonl"] = growing([*whole[8], again], [5, 8])
    # One id in two files.
    beside = [
        said(9_700 + n, "user", f"In another file about the brake, {n}.", session_id(9), minute=9_002 + n)
        for n in range(3)
    ]
    files["claude/a-copy.jsonl"] = growing([*whole[9][:3], *beside], [4])
    return files


def notes(chance: random.Random) -> dict[str, Versions]:
    files: dict[str, Versions] = {}
    for number in range(18):
        subject = list(SUBJECTS)[number % 4]
        front = f"---\ndate: 2026-02-{number + 1:02d}\n---\n\n" if number % 3 else ""
        drafts = [
            f"{front}# {subject.title()} {number}\n\n" + "\n\n".join(sentences(subject, 3 + n, chance))
            for n in range(1 + number % 3)
        ]
        files[f"notes/{chance.randrange(1000):03d}-{number}.md"] = drafts
    long = "# Manual\n\n" + "\n\n".join(f"## Part {n}\n\n" + "rope " * 1500 for n in range(5))
    files["notes/manual.md"] = [long, "# Manual\n\nOnly a page is left of it.", long.replace("Part 3", "Part three")]
    files["notes/Harbor/deep/log.md"] = ["# Log\n\nThe first entry.", "# Log\n\nThe first entry.\n\nThe second entry."]
    return files


def export(chance: random.Random) -> dict[str, Versions]:
    """A ChatGPT export that is downloaded again and again; one with an older copy beside it."""

    def conversation(number: int, turns: int) -> dict[str, Any]:
        texts = sentences(list(SUBJECTS)[number % 4], 6, random.Random(number))[:turns]
        mapping: dict[str, Any] = {}
        for n, text in enumerate(texts):
            own, above = f"c{number}-{n}", f"c{number}-{n - 1}" if n else None
            role = ("user", "assistant")[n % 2]
            content = {"content_type": "text", "parts": [text]}
            at = 1767225600 + number * 86400 + n
            message = {"id": own, "author": {"role": role}, "create_time": at, "content": content}
            mapping[own] = {"id": own, "parent": above, "children": [], "message": message}
            if above:
                mapping[above]["children"].append(own)
        made = {"id": f"chat-{number}", "conversation_id": f"chat-{number}", "title": f"Chat {number}"}
        return {
            **made,
            "create_time": 1767225600 + number * 86400,
            "mapping": mapping,
            "current_node": f"c{number}-{turns - 1}",
        }

    shards = [[conversation(n, min(6, 2 + step)) for n in range(3 + 2 * step)] for step in range(4)]
    versions = [json.dumps(shard) for shard in shards]
    return {"exports/2026-06/conversations.json": versions, "exports/2026-01/conversations.json": [versions[1]]}


def chats(chance: random.Random) -> dict[str, Versions]:
    files = {}
    for number in range(4):
        messages = [
            {"role": ("user", "assistant")[n % 2], "content": text}
            for n, text in enumerate(sentences("music", 6, chance))
        ]
        data = {"id": f"talk-{number}", "title": f"Talk {number}"}
        cuts = sorted(chance.sample(range(1, 6), 2))
        files[f"talks/{number}.json"] = [json.dumps({**data, "messages": messages[:cut]}) for cut in (*cuts, 6)]
    return files


def history_of(seed: int) -> dict[str, Versions]:
    chance = random.Random(seed)
    return claude_files(chance) | notes(chance) | export(chance) | chats(chance)


def write(folder: Path, name: str, content: str, second: int) -> None:
    """A file that was last changed long ago, so that it counts as settled."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    os.utime(path, (1_000_000 + second, 1_000_000 + second))


def grow(folder: Path, files: dict[str, Versions], builds: int, seed: int, built: Callable[[], object]) -> None:
    """Lets the files appear and grow in an order that chance decides, with a build after each stretch of it."""
    chance = random.Random(seed)
    steps = [(name, number) for name, versions in files.items() for number in range(len(versions))]
    times = {step: chance.random() for step in steps}
    for name, versions in files.items():
        for number, time in enumerate(sorted(times[name, n] for n in range(len(versions)))):
            times[name, number] = time
    ordered = sorted(steps, key=lambda step: times[step])
    size = -(-len(ordered) // builds)
    for begin in range(0, len(ordered), size):
        for second, (name, number) in enumerate(ordered[begin : begin + size], begin):
            write(folder, name, files[name][number], second)
        built()


def snapshot(workspace: jam.Workspace) -> dict[str, Any]:
    """The tree, without the names of files."""
    names: dict[str, str] = {}
    sessions: dict[str, Any] = {}
    for entries in workspace.by_session().values():
        for entry in entries:
            label = f"<{entry.session_id} {entry.front.part}>"
            names[entry.path.rpartition("/")[2]] = label
            memo = workspace.read_memo(entry.path)
            sessions[label] = {
                "folder": parent(entry.path),
                "session": asdict(workspace.read_raw(entry.path).session),
                "first": entry.front.first,
                "memo": asdict(memo.memo) if memo else None,
                "memo file": (workspace.root / memo_path(entry.path)).is_file(),
            }
    readmes = {}
    for folder in ["", *folders(workspace.root)]:
        readme = workspace.root / folder / README
        text = readme.read_text(encoding="utf-8") if readme.is_file() else "none"
        text = re.sub(r"\(<(?:[^>]*/)?([^/>]+)>\)", lambda match: f"({names.get(match[1], match[1])})", text)
        text = re.sub(r"<!-- jam:readme \S+", "<!-- jam:readme", text)  # the digest of its inputs, names among them
        readmes[folder] = sorted(text.split("\n"))
    return {"sessions": sessions, "readmes": readmes}


def assert_same(grown: dict[str, Any], fresh: dict[str, Any]) -> None:
    assert sorted(grown["sessions"]) == sorted(fresh["sessions"])
    for label, session in fresh["sessions"].items():
        for part, value in session.items():
            assert grown["sessions"][label][part] == value, (label, part)
    assert sorted(grown["readmes"]) == sorted(fresh["readmes"])
    for folder, text in fresh["readmes"].items():
        assert grown["readmes"][folder] == text, folder


@pytest.mark.parametrize("seed", range(4))
def test_ten_builds_end_in_the_same_tree_as_one(tmp_path: Path, seed: int):
    files = history_of(seed)
    history = tmp_path / "history"
    grow(history, files, 10, seed, lambda: jam.build(history, tmp_path / "grown"))
    grown = jam.Workspace.open(tmp_path / "grown")
    fresh = jam.build(history, tmp_path / "fresh")
    assert_same(snapshot(grown), snapshot(fresh))
    _, report = build(history, tmp_path / "grown")
    assert (report.new, report.grown, report.moved, report.memos_written, report.readmes_written) == (0, 0, 0, 0, 0)
    assert report.history.unchanged == report.history.found


def test_the_same_holds_where_the_derived_data_is_lost_between(tmp_path: Path):
    files = history_of(11)
    history = tmp_path / "history"

    def built() -> None:
        shutil.rmtree(tmp_path / "grown" / ".jam", ignore_errors=True)
        jam.build(history, tmp_path / "grown")

    grow(history, files, 5, 11, built)
    fresh = jam.build(history, tmp_path / "fresh")
    assert_same(snapshot(jam.Workspace.open(tmp_path / "grown")), snapshot(fresh))


def test_in_order_of_time_hardly_anything_is_filed_anew(tmp_path: Path):
    history = tmp_path / "history"
    chance = random.Random(5)
    moved = []
    for number in range(1, 41):
        records = transcript(number, list(SUBJECTS)[number % 4], 4, chance)
        write(history, f"{session_id(number)}.jsonl", lines(records), number)
        if number % 4 == 0:
            _, report = build(history, tmp_path / "w")
            moved.append(report.moved - report.new)
    assert moved.count(0) >= 4
    assert len(list(jam.Workspace.open(tmp_path / "w").sessions())) == 40
