"""A segment on disk: the arrays of some raw files, and which files those are. Written whole, never changed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Any

from jam.index.collection import Arrays
from jam.index.embedder import static_embedder
from jam.index.indexing import load_array, load_arrays
from jam.index.search_index import FileRecord
from jam.workspace import files
from jam.workspace.layout import Stamp

VERSION = 4
META = "meta.json"
DAMAGE = (OSError, ValueError, TypeError, KeyError, AttributeError, EOFError)
"""What reading a damaged segment may raise; each means: make it anew."""


@dataclass(frozen=True, slots=True)
class Filed:
    """A raw file in a segment."""

    stamp: Stamp
    record: FileRecord | None
    """`None` where the file couldn't be read."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment, opened."""

    name: str
    arrays: Arrays
    filed: tuple[Filed, ...]
    """In the order of the arrays' files; those without a record have no number there."""
    encoder: str = ""
    """The fingerprint of the encoder of the user's own that it has vectors of; empty where it has none."""


@dataclass(frozen=True, slots=True)
class Made:
    """What arrays that were just made are of."""

    filed: list[Filed]
    encoder: str = ""


def seal(folder: Path, made: Made) -> str:
    """Completes a folder of arrays to a segment. Returns its name, which says what is in it."""
    arrays = load_arrays(folder)
    meta = {
        "version": VERSION,
        "embedder": static_embedder().fingerprint,
        "encoder": made.encoder,
        "arrays": _shapes(arrays),
        "files": [[list(astuple(each.stamp)), each.record and asdict(each.record)] for each in made.filed],
    }
    text = json.dumps(meta, ensure_ascii=True).encode()
    digest = hashlib.sha256(text)
    digest.update(arrays_digest(folder).encode())
    del arrays  # no system renames a folder of files that are open
    files.write_atomic(folder / META, text)
    return digest.hexdigest()[:20]


def load_segment(folder: Path) -> Segment:
    """A segment by its folder. Raises one of `DAMAGE` where it is not whole, or of another version or embedder."""
    meta = json.loads((folder / META).read_text(encoding="utf-8"))
    if (meta["version"], meta["embedder"]) != (VERSION, static_embedder().fingerprint):
        raise ValueError("it is of another version, or of another embedder")
    arrays = {name: load_array(folder / f"{name}.npy") for name in meta["arrays"]}
    if _shapes(arrays) != meta["arrays"]:
        raise ValueError("an array is not of the shape it was written in")
    filed = tuple(Filed(Stamp(*stamp), record and FileRecord(**record)) for stamp, record in meta["files"])
    if sum(each.record is not None for each in filed) != len(arrays["start"]) - 1:
        raise ValueError("the files are not those of the arrays")
    return Segment(folder.name, arrays, filed, str(meta.get("encoder") or ""))


def loaded(folder: Path, made: Made) -> Segment:
    """Arrays in a folder that won't stay, read into memory."""
    return Segment("", load_arrays(folder, mapped=False), tuple(made.filed), made.encoder)


def arrays_digest(folder: Path) -> str:
    """Digest of all arrays in a folder, by name and by all that their files hold."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.npy")):
        with path.open("rb") as file:
            digest.update(f"{path.name} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()


def _shapes(arrays: Arrays) -> dict[str, Any]:
    return {name: [array.dtype.str, list(array.shape)] for name, array in sorted(arrays.items())}
