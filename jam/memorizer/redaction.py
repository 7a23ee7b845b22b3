"""Secrets and the tree: what was kept before redaction was switched on, and what was redacted before it was off.

With redaction on no secret is in the tree: what an earlier build left is redacted first, then what is read comes
without its secrets. A stamp (`.jam/redacted`) says that this has been done, and by which detector.

With redaction off a message that is in the tree without its secrets is still the same message.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from jam.errors import DamagedFile
from jam.index.embedder import static_embedder
from jam.memorizer.desk import Desk
from jam.memorizer.known import Known
from jam.memorizer.lineage import AFTER, CONTINUES
from jam.memorizer.merge import signs_of
from jam.memorizer.parts import in_parts
from jam.memorizer.progress import Progress
from jam.memorizer.spool import Reading
from jam.models.cache import REPLIES
from jam.secrets import FINGERPRINT, MARK, find_secrets, redact_id, redact_payload, redact_session
from jam.secrets.sessions import text_encoding
from jam.session import Attachment, Message, Session
from jam.workspace import files
from jam.workspace.layout import INBOX, memo_path
from jam.workspace.names import encode_id
from jam.workspace.raw_file import Kept
from jam.workspace.store import Workspace

_log = logging.getLogger(__name__)
_STAMP = "redacted"
_REMEMBERED = ("filing.json", "ledger.json", "roots.json")
"""Derived files that have ids in them, and are made anew where they are missing."""


def is_clean(workspace: Workspace) -> bool:
    """Whether all that is in the tree was redacted by the detector of today."""
    try:
        return (workspace.derived / _STAMP).read_text(encoding="utf-8") == FINGERPRINT
    except (OSError, UnicodeDecodeError):
        return False


def _set_clean(workspace: Workspace) -> None:
    files.write_atomic(workspace.derived / _STAMP, FINGERPRINT.encode())


def set_unclean(workspace: Workspace) -> set[str]:
    """Remembers that there may be secrets in the tree; no session was cleaned."""
    files.remove(workspace.derived / _STAMP)
    return set()


def clean_up(desk: Desk, progress: Progress) -> set[str]:
    """Redacts what is in the tree; returns the ids of the sessions that had a secret. Nothing else is changed."""
    if is_clean(desk.workspace):
        return set()
    changed = set()
    wanted: set[str] = set()
    total = len(desk.paths)
    if total:
        progress.stage("redacting what is there", total)
    for number, session_id in enumerate(sorted(desk.paths), 1):
        progress.advance(number, total)
        known = desk.known(session_id)
        if known is None or known.session is None:
            continue
        cleaned = _Cleaned(desk.workspace, known, _free_id(desk, session_id))
        own_id = cleaned.front.id
        if cleaned.needed:
            _rename(desk, session_id, own_id)
            _write(desk, cleaned)
            changed.add(own_id)
        wanted |= cleaned.wanted
        if _drop_memos(desk, own_id) or _named(cleaned.front) != _named(known.session):
            # Its file is named after what was said: it gets a new name, as a new session does.
            desk.move(own_id, INBOX, encode_id(own_id))
    desk.sync()
    _drop_leftovers(desk.workspace, wanted)
    _set_clean(desk.workspace)
    return changed


def _named(session: Session) -> tuple[object, ...]:
    """What files and folders of a session are named after."""
    return session.id, session.title, session.group


def _free_id(desk: Desk, session_id: str) -> str:
    """The session's id without secrets, which no other session has."""
    clean = wanted = redact_id(session_id)
    number = 2
    while clean != session_id and clean in desk.paths:
        clean, number = f"{wanted} {number}", number + 1
    return clean


def _rename(desk: Desk, before: str, after: str) -> None:
    """Gives a session another id; its files are written anew where they lie."""
    if before != after:
        desk.paths[after] = desk.paths.pop(before)
        desk.fronts[after] = desk.fronts.pop(before)
        desk.counts[after] = desk.counts.pop(before)


class _Cleaned:
    """A session of the tree as it is without its secrets."""

    def __init__(self, workspace: Workspace, known: Known, free_id: str) -> None:
        assert known.session is not None
        self._workspace = workspace
        self._known = known
        self.wanted: set[str] = set()
        """The digests of all attachments that it has, once it is clean."""
        front = replace(known.session, messages=())
        self.front = _with_family(redact_session(front)[0], front, free_id)
        changed = [number for number, kept in enumerate(self._all()) if kept is not None]
        self.needed = bool(changed) or self.front is not front

    def messages(self) -> Iterator[Kept]:
        """All messages, clean."""
        for number, kept in enumerate(self._all()):
            yield kept or self._known.get(number)

    def _all(self) -> Iterator[Kept | None]:
        """Each message that had a secret, without it; `None` for each other."""
        for number in range(len(self._known.signs)):
            kept = self._known.get(number)
            cleaned = self._cleaned(kept)
            now = cleaned or kept
            self.wanted.update(file.sha256 for file in now.message.attachments)
            self.wanted.update({now.sha256} if now.spilled else ())
            yield cleaned

    def _cleaned(self, kept: Kept) -> Kept | None:
        message = replace(kept.message, text=_whole(self._workspace, kept))
        attachments = tuple(self._attachment(file) for file in message.attachments)
        session, _ = redact_session(Session("", (message,)))
        clean = session.messages[0]
        if clean is message and attachments == message.attachments:
            return None
        clean = replace(clean, attachments=attachments)
        now = Kept.of(clean)
        if now.spilled:
            self._workspace.attachments.keep_text(clean.text)
        return now

    def _attachment(self, file: Attachment) -> Attachment:
        try:
            payload = self._workspace.attachments.read(file.sha256)
        except DamagedFile as error:
            _log.warning("not redacted: %s", error)
            return file
        clean, counts = redact_payload(payload, file.media_type)
        return self._workspace.attachments.spill(clean, file.media_type, file.name) if counts else file


def _with_family(clean: Session, front: Session, free_id: str) -> Session:
    """The front of a session with an id that is free, and with the ids of what it goes on from as these are now."""
    family = {key: redact_id(str(front.meta[key])) for key in (CONTINUES, AFTER) if key in front.meta}
    own_id = free_id if clean.id != front.id else clean.id
    if own_id == clean.id and all(clean.meta[key] == value for key, value in family.items()):
        return clean
    return replace(clean, id=own_id, meta={**clean.meta, **family})


def _whole(workspace: Workspace, kept: Kept) -> str:
    """The text of a message, also of one that is in `attachments/`."""
    if kept.spilled is None:
        return kept.message.text
    try:
        return workspace.attachments.read(kept.spilled.sha256).decode("utf-8", "surrogatepass")
    except (DamagedFile, UnicodeDecodeError) as error:
        _log.warning("not redacted: %s", error)
        return kept.message.text


def _write(desk: Desk, cleaned: _Cleaned) -> None:
    limit = desk.workspace.settings.part_tokens
    desk.write(cleaned.front, in_parts(cleaned.front, cleaned.messages(), limit, static_embedder().count_tokens))


def _drop_memos(desk: Desk, session_id: str) -> bool:
    """A memo with a secret goes, and is written anew; one that a person edited stays, and `jam doctor` names it.

    Returns whether any went.
    """
    dropped = False
    for path in desk.paths.get(session_id, ()):
        full = desk.workspace.root / memo_path(path)
        memo = desk.workspace.read_memo(path)
        if memo and not memo.edited and find_secrets(full.read_bytes().decode("utf-8", "replace")):
            files.remove(full)
            dropped = True
    return dropped


def _drop_leftovers(workspace: Workspace, wanted: set[str]) -> None:
    """Attachments with secrets that no message has any more, and derived files with secrets: replies, ids."""
    attachments = workspace.root / "attachments"
    for path in sorted(attachments.iterdir()) if attachments.is_dir() else []:
        if path.name not in wanted and path.is_file() and has_secrets(path):
            files.remove(path)
    remembered = [workspace.derived / name for name in _REMEMBERED]
    for path in [*sorted((workspace.derived / REPLIES).rglob("*.json")), *filter(Path.is_file, remembered)]:
        if has_secrets(path):
            files.remove(path)


def has_secrets(path: Path) -> bool:
    """Whether a file is text and has a secret in it."""
    payload = path.read_bytes()
    encoding = text_encoding(payload, "")
    return encoding is not None and bool(find_secrets(payload.decode(encoding, "replace")))


def as_stored(reading: Reading, known: Known, workspace: Workspace) -> None:
    """Tells a session that was read with its secrets which of its messages are in the tree without them."""
    assert known.session is not None
    reading.session = _front_as_stored(reading.session, known.session)
    marked = _marked(known)
    if not marked:
        return
    there = {key[:_KEY] for key, _ in known.signs}
    for number in range(len(reading)):
        kept = reading.get(number)
        key = signs_of([kept])[0][0][:_KEY]
        if key in there and not any(_has_mark(known.get(place).message) for place in marked.get(key, ())):
            continue
        message = redact_session(Session("", (replace(kept.message, text=_whole(workspace, kept)),)))[0].messages[0]
        places = marked.get(signs_of([Kept.of(message)])[0][0])
        if places:
            reading.substitute(number, known.get(places.pop(0)))


_KEY = 16
"""Bytes of a sign that are the message's own; more tell equal messages apart."""


def _marked(known: Known) -> dict[bytes, list[int]]:
    """The messages of the tree that have a mark of redaction in them, by what they are known by."""
    found: dict[bytes, list[int]] = {}
    for number, (key, _) in enumerate(known.signs):
        kept = known.get(number)
        if kept.spilled or _has_mark(kept.message):
            found.setdefault(key[:_KEY], []).append(number)
    return found


def _has_mark(message: Message) -> bool:
    told = (message.text, message.id, message.speaker, message.thread)
    return any(text and MARK in text for text in told)


def _front_as_stored(read: Session, known: Session) -> Session:
    """The title and the facts of a session, where they differ from those of the tree only by their secrets."""
    clean, counts = redact_session(replace(read, messages=()))
    if not counts:
        return read
    title = known.title if clean.title == known.title else read.title
    group = known.group if clean.group == known.group else read.group
    return replace(read, title=title, group=group, meta=_merged(read.meta, clean.meta, known.meta))


def _merged(read: Mapping[str, Any], clean: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    return {key: known[key] if key in known and clean[key] == known[key] else value for key, value in read.items()}
