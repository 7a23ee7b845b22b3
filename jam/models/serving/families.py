"""Families of models, by their names, and how vLLM reads what they write. A table to add to; it starts nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath


@dataclass(frozen=True, slots=True)
class Family:
    """How the models of a family write tool calls and thoughts: the names of vLLM's parsers for them."""

    pattern: str
    """Found in the last part of the model's name, in small letters."""
    tools: str | None
    """`--tool-call-parser`; `None` where the family has no format that vLLM reads: JAM talks text with it."""
    thoughts: str | None = None
    """`--reasoning-parser`; `None` where the family doesn't think."""
    extra: tuple[str, ...] = ()
    """Further flags for it."""


FAMILIES = (
    Family(r"hermes-?[234]", "hermes"),
    Family(r"deepseek-r1.*distill|deepseek-r1-0528-qwen", None, "deepseek_r1"),
    Family(r"deepseek-v3\.2", "deepseek_v32", "deepseek_v3"),
    Family(r"deepseek-v3\.1", "deepseek_v31", "deepseek_v3"),
    Family(r"deepseek-r1", "deepseek_v3", "deepseek_r1"),
    Family(r"deepseek-v3", "deepseek_v3"),
    Family(r"gpt-oss", "openai", "openai_gptoss"),
    Family(r"qwen3-coder", "qwen3_coder"),  # qwen3_xml is another name for it in newer versions
    Family(r"qwen3\.[5-9]", "qwen3_coder", "qwen3", ("--language-model-only",)),  # it sees, which costs memory
    Family(r"qwen3.*thinking", "hermes", "deepseek_r1"),  # its template opens the thought; older `qwen3` misses that
    Family(r"qwen3.*(instruct|next)", "hermes"),
    Family(r"qwen3", "hermes", "qwen3"),
    Family(r"qwq", "hermes", "deepseek_r1"),
    Family(r"qwen2\.5-coder", None),  # writes calls in a form of its own
    Family(r"qwen2\.5", "hermes"),
    Family(r"llama-?4", "llama4_pythonic"),
    Family(r"llama-?3\.[1-3]", "llama3_json"),
    Family(r"magistral", "mistral", "mistral"),
    Family(r"mistral|ministral|mixtral|devstral", "mistral"),
    Family(r"functiongemma", "functiongemma"),
    Family(r"gemma-?4", "gemma4", "gemma4"),
    Family(r"gemma", None),
    Family(r"granite-?4", "granite4"),
    Family(r"granite-?3", "granite"),
    Family(r"glm-?4\.7", "glm47", "glm45"),
    Family(r"glm-?4\.[56]", "glm45", "glm45"),
    Family(r"phi-?4-mini", "phi4_mini_json"),
)
"""The first that fits counts. All names are those of vLLM 0.32; 0.18 knew no `gemma4` and no `granite4` yet."""


def family_of(model: str) -> Family | None:
    """The family that a model's name belongs to; `None` for one that isn't known."""
    for name in (PurePath(model).name.lower(), model.lower()):
        for family in FAMILIES:
            if re.search(family.pattern, name):
                return family
    return None
