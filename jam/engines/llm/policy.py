"""Think with a chat model: from the question and all that was seen, the next calls or the answer.

A reply that can't be read is asked for once more, with the error. Where that doesn't help either, or where the model
answers before anything was read, the question itself is searched for, and the run ends with what that finds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from jam.cards import RoleCard
from jam.engines.llm.conversation import conversation
from jam.engines.llm.data import as_data
from jam.engines.llm.role import LlmRole
from jam.engines.llm.thoughts import Thought, one_round, read_text, read_tools
from jam.errors import PromptTooLong, UsageError
from jam.index.search_index import SearchIndex
from jam.jobs import Decision, ToolCall, Trail
from jam.models.chat import ChatModel
from jam.models.messages import ChatMessage, ChatReply, assistant, system, user
from jam.models.tokens import estimate
from jam.prompts import render_prompt
from jam.tools.descriptions import TOOLS, parameters_in_words
from jam.tools.overview import overview

_READERS = {"text": read_text, "tools": read_tools}
_SHOWN_BACK = 2000


class LlmPolicy:
    """One conversation a run."""

    def __init__(self, role: RoleCard, model: ChatModel, index: SearchIndex) -> None:
        self.role = LlmRole(role, model)
        self.model = model
        self.index = index
        self.protocol = self._protocol(role)
        self.prompt = str(dict(role.setting("prompts", {})).get(self.protocol, f"research_{self.protocol}"))
        self.tools = self._tools(role)
        self.observation_tokens = int(role.setting("observation_tokens", 500))

    def decide(self, trail: Trail) -> Decision:
        """Raises `ModelError` where the model gave no reply."""
        messages, reply = self._ask(trail)
        said = [_as_read(reply)]
        thought = self._read(reply)
        if thought.problem:
            cut = "; it was cut off: be much shorter" if reply.finish == "length" else ""
            objection = user(self._render("objection", problem=thought.problem + cut))
            again = self._request([*messages, assistant(reply, _SHOWN_BACK), objection])
            reply = self.model.ask(again, "think")
            said = [*again.messages[-2:], _as_read(reply)]
            thought = self._read(reply)
        return self._decision(trail, thought, said)

    def _decision(self, trail: Trail, thought: Thought, said: Sequence[ChatMessage]) -> Decision:
        notes = f"The model's replies could not be used: {thought.problem}." if thought.problem else ""
        decision = Decision(thought.text, thought.calls, thought.answer, tuple(said), notes=notes)
        if trail.rounds_left <= 0 or any(observation.found for observation in trail.observations):
            return decision
        look = ToolCall("search", {"query": trail.query})
        if not thought.calls:  # an answer to what nobody has read is none
            return replace(decision, calls=(look,), last=True, answer=None)
        if trail.rounds_left <= 1:  # the last chance to find anything; what the model wants may fail once more
            return replace(decision, calls=(look, *thought.calls))
        return decision

    def _ask(self, trail: Trail) -> tuple[list[ChatMessage], ChatReply]:
        """The conversation that was sent, and its reply. Where it is too long, the oldest observations are left out."""
        head = self._head(trail)
        limit = self.role.input_tokens
        rounds = [turn.round for turn in trail.turns]
        for forgotten in [0, *rounds]:
            messages = conversation(head, trail, self._render, self.observation_tokens, forgotten)
            request = self._request(messages)
            if estimate(request.text()) > limit and forgotten != (rounds or [0])[-1]:
                continue
            try:
                return messages, self.model.ask(request, "think")
            except PromptTooLong:
                if forgotten == (rounds or [0])[-1]:
                    raise
        raise AssertionError("the last try returns or raises")

    def _head(self, trail: Trail) -> list[ChatMessage]:
        """What is the same in every round."""
        tokens = min(int(self.role.card.setting("overview_tokens", 900)), self.role.input_tokens // 3)
        shown = overview(self.index.files, trail.scope, tokens, estimate)
        tools = [{**TOOLS[name], "parameters": parameters_in_words(name)} for name in self.tools]
        instructions = self._render(
            "system", tools=tools, overview=as_data(shown), calls_per_round=trail.calls_per_round
        )
        asked = self._render("user", query=as_data(trail.query), scope=as_data(trail.scope))
        return [system(instructions), user(asked)]

    def _request(self, messages: Sequence[ChatMessage]) -> Any:
        tools = [TOOLS[name] for name in self.tools] if self.protocol == "tools" else []
        return self.role.request(messages, tools=tools)

    def _read(self, reply: ChatReply) -> Thought:
        return _READERS[self.protocol](reply)

    def _render(self, part: str, **data: Any) -> str:
        return render_prompt(self.prompt, part, **data)

    def _tools(self, role: RoleCard) -> list[str]:
        """The tools that the card allows."""
        names = [str(name) for name in role.setting("tools", list(TOOLS))]
        unknown = [name for name in names if name not in TOOLS]
        if unknown or not names:
            raise UsageError(f"agents/{role.engine}.yaml: tools must be some of {', '.join(TOOLS)}, not {names!r}")
        return names

    def _protocol(self, role: RoleCard) -> str:
        """As the model's settings say, else as the card does."""
        chosen = self.model.settings.protocol
        chosen = str(role.setting("protocol", "text")) if chosen == "auto" else chosen
        if chosen not in _READERS:
            raise UsageError(
                f"agents/{role.engine}.yaml: protocol must be one of {', '.join(_READERS)}, not {chosen!r}"
            )
        return chosen


def _as_read(reply: ChatReply) -> ChatMessage:
    """The reply as the conversation goes on from it: without results that the model made up after its calls."""
    return assistant(replace(reply, text=one_round(reply.text)))
