"""Very long texts in a raw file: what stands there is the beginning and the end, the whole text is an attachment.

    …so the log begins
    [19,995,000 of 20,000,000 characters are left out here: the whole text is in attachments/9f86d081…]
    and the log ends.

The marker of the message names the attachment; the line is for people. Only text here: no files.
"""

from __future__ import annotations

from dataclasses import dataclass

LONGEST = 200_000
"""A longer text is kept in `attachments/`."""
BEGINNING, END = 4_000, 1_000
"""Characters of it that stand in the raw file."""


@dataclass(frozen=True, slots=True)
class Spilled:
    """Where the whole of a text is."""

    sha256: str
    """Of its attachment: the digest of the text."""
    characters: int

    @property
    def line(self) -> str:
        """How the line begins that stands for what is left out."""
        return f"the whole text is in attachments/{self.sha256}]"


def excerpt(text: str, spilled: Spilled) -> str:
    """What stands in the raw file for a text."""
    line_end = "\r\n" if "\r\n" in text[:BEGINNING] else "\n"
    left_out = f"[{len(text) - BEGINNING - END:,} of {len(text):,} characters are left out here: {spilled.line}"
    return line_end.join((text[:BEGINNING], left_out, text[-END:]))


def is_excerpt(body: str, text: str, spilled: Spilled) -> bool:
    """Whether that stands in a raw file for this text, how much of it ever."""
    before, line, after = body.partition(spilled.line)
    begin = before.rpartition("\n")[0].removesuffix("\r")
    end = after.removeprefix("\r").removeprefix("\n")
    return bool(line) and len(text) == spilled.characters and text.startswith(begin) and text.endswith(end)
