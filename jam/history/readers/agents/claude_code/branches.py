"""Which messages of a Claude Code transcript were rewound: the branches that its end doesn't grow out of.

Every record names its parent, so a file is a tree. The way from its last message up to the root is the main line. What
hangs beside it is a branch only if somebody speaks there: tool results, the parts of one reply (records that share a
`message.id`) and notices hang beside the main line in any ordinary transcript. Nothing but ids is kept here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jam.history.parsing.fields import text_field
from jam.session import Message

_BEING_WALKED = -1
_MAIN = 0


class Branches:
    """The tree of one file, as far as it has been read."""

    def __init__(self) -> None:
        self._parents: dict[str, str | None] = {}
        self._turns: dict[str, str] = {}
        """Records in which somebody speaks: id → what it shares with the rest of a reply, or nothing."""
        self._said: list[str] = []
        self._branches = 0

    def note(self, record: Mapping[str, Any], message: Message | None) -> None:
        """Keep where a record hangs, and whether somebody speaks in it."""
        uuid = text_field(record, "uuid")
        if uuid is None or record.get("isSidechain") is True or uuid in self._parents:
            return
        self._parents[uuid] = text_field(record, "parentUuid") or text_field(record, "logicalParentUuid")
        if message is None or message.thread is not None:
            return
        self._said.append(uuid)
        spoken = message.role == "user" and message.kind == "message" and record.get("type") == "user"
        answered = message.role == "assistant" and message.kind in ("message", "thinking", "tool_call")
        if spoken or answered:
            inner = record.get("message")
            whole = text_field(inner, "id") if isinstance(inner, dict) else None
            self._turns[uuid] = (whole or text_field(record, "requestId") or "") if answered else ""

    def threads(self) -> dict[str, str]:
        """The ids of the messages beside the main line, and the branch that each is on."""
        labels: dict[str, int] = {}
        answers: dict[str, int] = {}
        for uuid in reversed(self._said):
            self._walk(uuid, labels, answers)
        names: dict[int, str] = {}
        threads: dict[str, str] = {}
        for uuid in self._said:
            if labels[uuid] != _MAIN:
                threads[uuid] = names.setdefault(labels[uuid], f"branch-{len(names) + 1}")
        return threads

    def _walk(self, uuid: str, labels: dict[str, int], answers: dict[str, int]) -> None:
        """Label a message and those above it, up to the first that has a label already."""
        path: list[str] = []
        at: str | None = uuid
        while at is not None and at in self._parents and at not in labels:
            labels[at] = _BEING_WALKED
            path.append(at)
            at = self._parents[at]
        # A root, a parent that isn't in the file, and a circle all end a tree of its own, which is no branch.
        label = max(labels.get(at, _MAIN), _MAIN) if at is not None else _MAIN
        attached = at is not None and labels.get(at, _BEING_WALKED) != _BEING_WALKED
        if attached and any(self._is_turn(each, label, answers) for each in path):
            self._branches += 1
            label = self._branches
        for each in path:
            labels[each] = label
            if self._turns.get(each):
                answers.setdefault(self._turns[each], label)

    def _is_turn(self, uuid: str, label: int, answers: Mapping[str, int]) -> bool:
        """Whether somebody speaks in a record, other than in a part of a reply that is on that line as well."""
        answer = self._turns.get(uuid)
        return answer is not None and (not answer or answers.get(answer) != label)
