"""Files of a workspace, found in a text: somebody has read them without asking JAM.

A raw file and a memo are known by their front matter, a README by its first line, the middle of a raw file by the
comment over a message. From there on all is recalled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jam.echo.cut import cut_end
from jam.echo.spans import SPACE, Span

_NUMBER = r"(?:\d{1,6}\W{1,3})?"
"""A reader may have put a number before each line."""
_FILE = re.compile(
    rf"---(?P<break>\\+[nr])?{SPACE}*{_NUMBER}jam: \d{{1,3}}{SPACE}+{_NUMBER}(?:id|session): "
    r"|<!-- jam:(?P<readme>readme) [0-9a-f]{16}-[0-9a-f]{8} "
    r"|<!-- jam:message \{[^\n]{0,10000}?\"sha256\\*\": *\\*\"[0-9a-f]{16}\\*\"\} -->"
)


_README_END = "<!-- jam:end -->"


def files(text: str) -> Iterator[Span]:
    """Where they stand, ascending. Only of a README it can be told where it ends."""
    position = 0
    while (found := _FILE.search(text, position) if "jam:" in text else None) is not None:
        end = text.find(_README_END, found.end()) if found["readme"] else -1
        position = end + len(_README_END) if end >= 0 else cut_end(text, found, len(text), spoken=False)
        yield found.start(), position
