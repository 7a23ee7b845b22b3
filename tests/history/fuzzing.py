"""Damage done to files: to their bytes, to the JSON in them, to the files in an archive."""

from __future__ import annotations

import io
import json
import random
import time
import zipfile
from collections.abc import Callable
from typing import Any

from jam.history.source import SAMPLE_BYTES

TOKENS = (
    *(
        b"null",
        b"{}",
        b"[]",
        b'"',
        b"\n",
        b"\r\n",
        b"\n\n",
        b"\0",
        b"\\ud800",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"-1",
        b"1e999",
    ),
    *(
        b"NaN",
        b"{{",
        b"---\n",
        b"-->",
        b"<v ",
        b"<![CDATA[",
        b"&#x110000;",
        b"&lt;",
        b"]]>",
        b"From x\n",
        b"=?x?b?",
        b"--B",
    ),
    *(
        b"%PDF-",
        b"endstream",
        b"obj",
        b"PK\x05\x06",
        b"data:;base64,",
        b"[[",
        b"```",
        b"<think>",
        b"\xe2\x80\x8e",
        b": ",
    ),
)
VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 1.5, 10**30, 1e300, float("nan"), 1700000000, 253402300800000, "", " ", "x", "\ud800", "\0"),
    *(
        "2024-05-06T07:08:09Z",
        "0001-01-01",
        "99:99",
        "data:image/png;base64,AAA",
        "{",
        '{"a": [1]}',
        "../../x",
        "a/b",
        "user",
    ),
    *([], {}, [[]], [None], [1], ["x"], {"": None}, {"type": "text"}, {"text": 1}, {"a": {"a": {"a": {}}}}),
)
MAX_BYTES = 60_000


def damaged_bytes(chance: random.Random, data: bytes) -> bytes:
    """A few flips, cuts, repetitions and insertions."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randint(0, len(data))
        end = min(len(data), start + chance.choice((0, 1, 3, 20, 200)))
        new = {
            "flip": bytes(byte ^ (1 << chance.randrange(8)) for byte in data[start:end]),
            "delete": b"",
            "repeat": data[start:end] * chance.choice((2, 3, 20)),
            "insert": chance.choice(TOKENS) + data[start:end],
            "copy": data[start:end] + data[(place := chance.randint(0, len(data))) : place + 60],
        }[chance.choice(("flip", "delete", "repeat", "insert", "copy"))]
        data = data[:start] + new + data[end:]
        if chance.random() < 0.05:
            data = data[: chance.randint(0, len(data))]
    return data[:MAX_BYTES]


def damaged_late(chance: random.Random, data: bytes) -> bytes:
    """Damage only behind what a reader is shown when it is asked whether a file is its own."""
    ends = [place + 1 for place, byte in enumerate(data) if byte in b"}]\n"] or [len(data)]
    place = chance.choice(ends)
    return data[:place] + b" " * SAMPLE_BYTES + damaged_bytes(chance, data[place:] or data)


def damaged_json(chance: random.Random, data: bytes) -> bytes | None:
    """The same document or lines with some values replaced, removed, moved or nested; `None` where it is no JSON."""
    values, as_lines = parsed(data)
    if not values:
        return None
    for _ in range(chance.randint(1, 5)):
        _change(chance, values)
    indent = chance.choice((None, None, 1))
    letters = chance.random() < 0.5
    texts = [json.dumps(value, ensure_ascii=letters, indent=None if as_lines else indent) for value in values]
    return "\n".join(texts).encode("utf-8", "surrogatepass")[:MAX_BYTES]


def parsed(data: bytes) -> tuple[list[Any] | None, bool]:
    """The values of a JSON file, and whether it has one a line."""
    try:
        return [json.loads(data)], False
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in data.split(b"\n") if line.strip()], True
    except ValueError:
        return None, False


def _change(chance: random.Random, values: list[Any]) -> None:
    places = _places(values)
    if not places:
        return
    holder, key = chance.choice(places)
    what = chance.randrange(8)
    if what < 4:
        holder[key] = _copied(chance.choice(VALUES))
    elif what == 4 and (len(places) > 1 or isinstance(holder, dict)):
        del holder[key]
    elif what == 5:
        other, its_key = chance.choice(places)
        holder[key] = _copied(other[its_key]) if its_key in other or isinstance(other, list) else None
    elif what == 6:
        holder[key] = (
            [holder[key]] if chance.random() < 0.5 else {str(chance.choice(("text", "type", "x"))): holder[key]}
        )
    elif isinstance(holder, list):
        holder.insert(chance.randint(0, len(holder)), _copied(holder[key]))
    else:
        holder[chance.choice((key + "x", "id", "type", "text", "content"))] = holder.pop(key)


def _copied(value: Any) -> Any:
    return json.loads(json.dumps(value))


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every place of a tree: (the list or object, the index or key)."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        found += [(holder, key) for key in keys]
        waiting += [holder[key] for key in keys if isinstance(holder[key], dict | list) and holder[key]]
    return found


def damaged_archive(chance: random.Random, data: bytes) -> bytes | None:
    """The same archive with one of its files damaged, renamed or gone; `None` where it is none."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            files = {name: packed.read(name) for name in packed.namelist()}
    except zipfile.BadZipFile:
        return None
    name = chance.choice(sorted(files))
    content = files.pop(name)
    what = chance.randrange(8)
    if what < 6:
        files[name] = damaged(chance, content)
    elif what == 6:
        files[chance.choice(("../" + name, name + "/", name.upper(), "x/" + name, "é" + name))] = content
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for member, payload in files.items():
            packed.writestr(zipfile.ZipInfo(member), payload)
    return stream.getvalue()


def damaged(chance: random.Random, data: bytes) -> bytes:
    """Whatever damage the file is open to; now and then none."""
    if chance.random() < 0.03:
        return data
    if chance.random() < 0.05 and not data.startswith(b"PK"):
        return damaged_late(chance, data)
    if chance.random() < 0.7:
        found = damaged_archive(chance, data) if data.startswith(b"PK") else damaged_json(chance, data)
        if found is not None:
            return found
    return damaged_bytes(chance, data)


def smallest(data: bytes, fails: Callable[[bytes], bool], seconds: float = 20.0) -> bytes:
    """A smaller input that fails as well: slices are left out as long as it does, and there is time."""
    end = time.monotonic() + seconds
    size = max(1, len(data) // 2)
    while size and time.monotonic() < end:
        start, shrunk = 0, False
        while start < len(data) and time.monotonic() < end:
            shorter = data[:start] + data[start + size :]
            if fails(shorter):
                data, shrunk = shorter, True
            else:
                start += size
        size = size if shrunk and size > 1 else size // 2
    return data
