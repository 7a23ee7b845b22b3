"""A tiny BGE-M3 and a tiny reranker with random weights, in folders such as FlagEmbedding loads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import (
    PreTrainedTokenizerFast,
    XLMRobertaConfig,
    XLMRobertaForSequenceClassification,
    XLMRobertaModel,
)

SENTENCES = [
    "the ferry leaves the harbour at seven in the morning",
    "nobody has paid the invoice for march yet",
    "we moved the meeting to thursday since the room was taken",
]
_SIZE = 32


def tiny_m3(folder: Path, seed: int = 1) -> Path:
    """A BGE-M3 with 32 dimensions."""
    torch.manual_seed(seed)
    tokenizer = _tokenizer()
    XLMRobertaModel(XLMRobertaConfig(**_config(tokenizer))).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    torch.save(torch.nn.Linear(_SIZE, _SIZE).state_dict(), folder / "colbert_linear.pt")
    torch.save(torch.nn.Linear(_SIZE, 1).state_dict(), folder / "sparse_linear.pt")
    return folder


def tiny_reranker(folder: Path, seed: int = 1) -> Path:
    """A reranker of the encoder-only kind."""
    torch.manual_seed(seed)
    tokenizer = _tokenizer()
    config = XLMRobertaConfig(**_config(tokenizer), num_labels=1)
    XLMRobertaForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _config(tokenizer: PreTrainedTokenizerFast) -> dict[str, Any]:
    return {
        "vocab_size": len(tokenizer),
        "hidden_size": _SIZE,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 64,
        "max_position_embeddings": 514,
        "type_vocab_size": 1,
        "initializer_range": 0.5,
        "pad_token_id": tokenizer.pad_token_id,
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
    }


def _tokenizer() -> PreTrainedTokenizerFast:
    marks = {
        "bos_token": "<s>",
        "pad_token": "<pad>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
        "mask_token": "<mask>",
    }
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=200, special_tokens=list(marks.values()), unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator(SENTENCES * 20, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[(mark, tokenizer.token_to_id(mark)) for mark in ("<s>", "</s>")],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, cls_token="<s>", sep_token="</s>", model_max_length=512, **marks
    )
