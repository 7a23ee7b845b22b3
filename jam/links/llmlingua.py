"""Transitions by the attention of an encoder, as DeferMem has it: LLMLingua-2's. Optional; loaded with the first text.

It was only ever run with a tiny model of random weights: that a session falls into better segments by it is not shown.
"""

from __future__ import annotations

import threading
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from jam.encoders.batches import well_formed
from jam.encoders.folder import folder_digest
from jam.errors import MissingExtra, ModelNotLoaded
from jam.links.segmenting import Floats
from jam.links.transitions import Talk

LLMLINGUA = "microsoft/llmlingua-2-xlm-roberta-large-meetingbank"
_MARKS = 3
"""Tokens beside the two texts: one before them, one after each."""


class LlmLinguaCohesion:
    """The attention that a message pays to the one after it. A peak of it may begin a segment, see `Transitions`."""

    def __init__(self, name: str = LLMLINGUA, device: str = "cpu", max_length: int = 512) -> None:
        """`name` is a folder, or a model of the hub; of two messages at most `max_length` tokens are read."""
        self.name, self.device, self.max_length = name, device, max_length
        self._working = threading.Lock()

    @cached_property
    def fingerprint(self) -> str:
        """What is read of two messages, and by which model: of a folder its digest, of the hub its name."""
        folder = Path(self.name).expanduser()
        return f"llmlingua-{self.max_length}-{folder_digest(folder) if folder.is_dir() else self.name}"

    def scores(self, talk: Talk) -> Floats:
        return np.array([self.between(*pair) for pair in pairwise(talk.texts())], np.float32)

    def between(self, earlier: str, later: str) -> float:
        """The share of its attention, 0 to 1, that an average token of one message pays to the next message.

        Over all layers and heads alike; 0 where either has no token. Raises `MissingExtra`, `ModelNotLoaded`.
        """
        with self._working:
            tokenizer, model = self._loaded
            try:
                return self._attention(tokenizer, model, earlier, later)
            except Exception as error:  # torch raises whatever it likes, for want of memory and for all else
                raise ModelNotLoaded(f"the model {self.name!r} failed: {_first_line(error)}") from error

    def _attention(self, tokenizer: Any, model: Any, earlier: str, later: str) -> float:
        torch = import_module("torch")
        room = (self.max_length - _MARKS) // 2
        # Of long messages, what stands next to the gap.
        first = tokenizer(well_formed(earlier), add_special_tokens=False)["input_ids"][-room:]
        second = tokenizer(well_formed(later), add_special_tokens=False)["input_ids"][:room]
        if not first or not second:
            return 0.0
        end = tokenizer.sep_token_id
        ids = [tokenizer.cls_token_id, *first, end, *second, end]
        with torch.inference_mode():
            layers = model(torch.tensor([ids], device=self.device), output_attentions=True).attentions
            mean = torch.stack([layer[0].float().mean(dim=0) for layer in layers]).mean(dim=0)
        start = len(first) + 2
        return float(mean[1 : len(first) + 1, start : start + len(second)].sum(dim=1).mean())

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        try:
            library: Any = import_module("transformers")
            import_module("torch")
        except ImportError as error:
            raise MissingExtra(
                f"segments by LLMLingua-2 need transformers and torch: pip install 'jam-memory[bge]' "
                f"({_first_line(error)})"
            ) from error
        try:
            tokenizer = library.AutoTokenizer.from_pretrained(self.name)
            # Other implementations of attention are faster, and don't say what it was.
            model = library.AutoModel.from_pretrained(self.name, attn_implementation="eager")
            return tokenizer, model.to(self.device).eval()
        except Exception as error:  # torch, transformers and the hub's library raise whatever they like
            raise ModelNotLoaded(
                f"the model {self.name!r} can't be loaded: {_first_line(error)}; give the folder of an encoder that is "
                "on this machine, or a name of the hub where there is a network"
            ) from error


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
