"""Recalled text that was cut off before its end: it ends with what it stands in, at the latest with the text."""

from __future__ import annotations

import re
from itertools import islice

_CUT = re.compile(
    r"^\W{0,20}(?:output |response |result |text )?(?:[\d.,]+k? ?\w{0,12} )?truncated\b.{0,80}$", re.MULTILINE | re.I
)
"""What tools write where they cut a text."""
_ENDED_TAG = re.compile(r"</([A-Za-z][\w:.-]{0,60})\s*>")
_TAGS = 50
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_SPEAKER = re.compile(r"^\[\d+\][^\n]*\n(?:…\n)?([^\n:]{1,80}): ", re.MULTILINE)


def cut_end(text: str, opened: re.Match[str], limit: int, spoken: bool) -> int:
    """Where recalled text without an end of its own ends, at the latest at `limit`. The group `break` of what opened it
    is the line break behind it, where that is escaped.
    """
    begin = opened.end()
    if opened["break"]:  # a string of JSON: it ends with the quote that has fewer backslashes than its line breaks
        slashes = len(opened["break"]) - 1
        ends = (quote.start() for quote in re.finditer(r'\\*"', text[begin:limit]) if len(quote[0]) <= slashes)
        return begin + next(ends, limit - begin)
    bounds = [limit, *(cut.end() for cut in islice(_CUT.finditer(text, begin, limit), 1))]
    for tag in islice(_ENDED_TAG.finditer(text, begin, limit), _TAGS):
        if re.search(rf"<{re.escape(tag[1])}[\s>]", text[: opened.start()]):
            bounds.append(tag.start())
            break
    if len(_FENCE.findall(text[: opened.start()])) % 2:
        bounds += [fence.start() for fence in islice(_FENCE.finditer(text, begin, limit), 1)]
    end = min(bounds)
    return _last_of_its_form(text, begin, end) if spoken else end


def _last_of_its_form(text: str, begin: int, limit: int) -> int:
    """The end of the last paragraph that has a source's head or the line of a speaker in it."""
    names = {re.escape(name) for name in _SPEAKER.findall(text[begin:limit])}
    form = re.compile(rf"^(?:\[\d+\]|…$| *\d+\. {''.join(f'|{name}: ' for name in sorted(names))})", re.MULTILINE)
    breaks = [*(gap.start() for gap in _PARAGRAPH.finditer(text, begin, limit)), limit]
    last = max((found.start() for found in form.finditer(text, begin, limit)), default=begin)
    return next(end for end in breaks if end >= last)
