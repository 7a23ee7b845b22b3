"""The benchmark: so many secrets planted in so much text, redacted, and counted."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from jam.evaluation.secrets.ordinary import Writer
from jam.evaluation.secrets.planting import Document, Planted, Planter
from jam.secrets import find_secrets

Find = Callable[[str], Sequence[Any]]
"""Gives things with `kind`, `start` and `end`."""
_WORD = re.compile(r"\S+")
_OTHER_HALF = re.compile(r"AKIA[A-Z2-7]{16}")
"""What stands beside a planted secret key is a secret too."""
_EXAMPLES = 40


def measure(count: int = 2000, seed: int = 1, find: Find = find_secrets) -> dict[str, Any]:
    """Plants `count` secrets, redacts, and counts what was found, what was missed, and what else was touched."""
    documents = list(Planter(seed).documents(count))
    tally = _Tally()
    seconds = 0.0
    for document in documents:
        began = time.process_time()
        found = find(document.text)
        seconds += time.process_time() - began
        tally.add(document, [(item.start, item.end) for item in found])
    size = sum(len(document.text.encode()) for document in documents)
    return {"secrets": count, "seed": seed, "megabytes": size / 1e6, **tally.figures(), **_speed(find, seconds, size)}


def _speed(find: Find, seconds: float, size: int) -> dict[str, Any]:
    """Of the planted text, and of prose that doesn't talk of secrets; in time of the processor."""
    writer = Writer(Random(0))
    prose = "\n".join(writer.prose() for _ in range(20_000))
    began = time.process_time()
    find(prose)
    plain = len(prose.encode()) / (time.process_time() - began)
    return {"megabytes_per_second": size / seconds / 1e6, "prose_megabytes_per_second": plain / 1e6}


class _Tally:
    def __init__(self) -> None:
        self.all: Counter[tuple[bool, str]] = Counter()
        self.found: Counter[tuple[bool, str]] = Counter()
        self.missed: list[Planted] = []
        self.words = 0
        self.touched: Counter[str] = Counter()

    def add(self, document: Document, spans: Sequence[tuple[int, int]]) -> None:
        """A secret is found where no character of it is left; a word is touched where any of it is gone."""
        gone = bytearray(len(document.text))
        for start, end in spans:
            gone[start:end] = b"\1" * (end - start)
        for planted, start, end in document.planted:
            key = (planted.unseen, planted.kind)
            self.all[key] += 1
            if all(gone[start:end]):
                self.found[key] += 1
            else:
                self.missed.append(planted)
        own = bytearray(len(document.text))
        for start, end in [place[1:] for place in document.planted] + [
            m.span() for m in _OTHER_HALF.finditer(document.text)
        ]:
            own[start:end] = b"\1" * (end - start)
        for word in _WORD.finditer(document.text):
            start, end = word.span()
            if any(own[start:end]):
                continue
            self.words += 1
            if any(gone[start:end]):
                self.touched[word[0][:80]] += 1

    def figures(self) -> dict[str, Any]:
        by_kind = {
            group: {
                kind: {"planted": count, "redacted": self.found[unseen, kind]}
                for (unseen, kind), count in sorted(self.all.items())
                if unseen == (group == "unseen")
            }
            for group in ("known", "unseen")
        }
        totals = {group: _share(rows) for group, rows in by_kind.items()}
        touched = sum(self.touched.values())
        return {
            "recall": totals["known"],
            "recall_unseen": totals["unseen"],
            "ordinary_words": self.words,
            "touched": touched,
            "touched_share": touched / max(1, self.words),
            "touched_examples": dict(self.touched.most_common(_EXAMPLES)),
            "missed_examples": [f"{planted.kind}: {planted.text}" for planted in self.missed[:_EXAMPLES]],
            "kinds": by_kind["known"],
            "unseen_kinds": by_kind["unseen"],
        }


def _share(rows: dict[str, dict[str, int]]) -> float:
    planted = sum(row["planted"] for row in rows.values())
    return sum(row["redacted"] for row in rows.values()) / planted if planted else float("nan")


def render(data: dict[str, Any]) -> str:
    """The figures as Markdown."""
    lines = [
        f"{data['secrets']} secrets in {data['megabytes']:.1f} MB of text (seed {data['seed']})",
        f"redacted: {data['recall']:.2%}; of shapes that nothing was tuned for: {data['recall_unseen']:.2%}",
        f"ordinary words touched: {data['touched']} of {data['ordinary_words']} ({data['touched_share']:.4%})",
        f"{data['megabytes_per_second']:.1f} MB/s; prose {data['prose_megabytes_per_second']:.1f} MB/s",
    ]
    for title, group in (("kind", "kinds"), ("not tuned for", "unseen_kinds")):
        lines += ["", f"| {title} | planted | redacted |", "|---|---|---|"]
        lines += [f"| {kind} | {row['planted']} | {row['redacted']} |" for kind, row in data[group].items()]
    return "\n".join(lines)
