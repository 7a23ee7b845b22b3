"""Jupyter notebooks: the texts, the code and what it printed, in their order."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Any

from jam.errors import UnreadableFile
from jam.history.parsing.documents import Source, document
from jam.history.parsing.jsontext import kind_name, read_json
from jam.history.parsing.pictures import Pictures
from jam.history.parsing.text_blocks import fence
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.session import Session

_COLOURS = re.compile(r"\x1b\[[\d;]*m")
"""Of a terminal."""


class Notebook:
    """See the module."""

    name = "notebook"
    description = "Jupyter notebooks (*.ipynb), recognised by the name"

    def recognises(self, file: SourceFile) -> float:
        """By the file ending."""
        return 0.9 if file.suffix == ".ipynb" else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """One document."""
        value = read_json(file)
        sheets = value.get("worksheets") if isinstance(value, dict) else None
        holder = sheets[0] if isinstance(sheets, list) and sheets else value  # before version 4
        cells = holder.get("cells") if isinstance(holder, dict) else None
        if not isinstance(cells, list):
            raise UnreadableFile("not a notebook: it has no list of cells")
        pictures = Pictures(spill)
        texts: list[str] = []
        for number, cell in enumerate(cells, 1):
            if isinstance(cell, dict):
                texts += _cell(cell, _language(value), pictures)
            else:
                yield Skipped(f"cell {number}", f"{kind_name(cell)}, not an object")
        text = "\n\n".join(each for each in texts if each.strip())
        yield from document(Source(file, self.name, text, "markdown", pictures=pictures))


def _language(value: dict[str, Any]) -> str:
    meta = value.get("metadata")
    info = meta.get("language_info") if isinstance(meta, dict) else None
    name = info.get("name") if isinstance(info, dict) else None
    return name if isinstance(name, str) and name.isalnum() else ""


def _cell(cell: dict[str, Any], language: str, pictures: Pictures) -> list[str]:
    source = _joined(cell.get("source", cell.get("input")))
    if cell.get("cell_type") != "code":
        return [pictures.inline(source)]
    outputs = cell.get("outputs")
    shown = [_output(each, pictures) for each in outputs if isinstance(each, dict)] if isinstance(outputs, list) else []
    return [fence(source.strip("\n"), language) if source.strip() else "", *shown]


def _output(output: dict[str, Any], pictures: Pictures) -> str:
    """What a cell printed or drew; of one thing in several forms the text, or else the picture."""
    data = output.get("data", output)
    forms: dict[str, Any] = data if isinstance(data, dict) else {}
    for media in ("image/png", "image/jpeg", "png", "jpeg"):
        try:
            payload = base64.b64decode(_joined(forms.get(media)), validate=False)
        except (binascii.Error, ValueError):
            payload = b""
        if payload:
            return pictures.keep(payload, media if "/" in media else f"image/{media}", None)
    text = next((_joined(forms[key]) for key in ("text/plain", "text") if key in forms), "")
    if isinstance(trace := output.get("traceback"), list):
        text = "\n".join(line for line in trace if isinstance(line, str))
    text = _COLOURS.sub("", text)
    return fence(text.strip("\n")) if text.strip() else ""


def _joined(value: Any) -> str:
    """A text, or the lines of one."""
    if isinstance(value, list):
        return "".join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""
