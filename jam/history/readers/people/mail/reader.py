"""Mail: mailboxes (mbox, as Thunderbird or Gmail's Takeout write them), single mails (.eml, .emlx) and Maildir folders.

A thread is a session. Quoted replies stay where they stand. Of a mail with a plain text its HTML is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import Message as Mail

from jam.history.gather import Draft, Gathering
from jam.history.parsing.decoding import looks_binary
from jam.history.reader import Note, Skipped, SourceFile, Spill
from jam.history.readers.people.mail.body import content_type, read_body
from jam.history.readers.people.mail.box import MAX_MAIL, RawMail, is_mailbox, raw_mails
from jam.history.readers.people.mail.headers import (
    DEFECTS,
    Address,
    addresses,
    bare_subject,
    field,
    message_id,
    references,
    sent_at,
)
from jam.history.readers.people.mail.threads import Threads
from jam.session import Message, Session

_SUFFIXES = frozenset({".eml", ".emlx", ".mbox", ".mbx"})
_MAILDIR = frozenset({"cur", "new"})
_FIELD = re.compile(rb"([!-9;-~]{1,80}):|[ \t]")
_USUAL = frozenset(
    "from to cc subject date message-id received return-path delivered-to mime-version reply-to in-reply-to references "
    "content-type x-mailer x-gm-thrid".split()
)


class MailReader:
    """See the module."""

    name = "mail"
    description = "mail (*.mbox, *.eml, Maildir), recognised by From lines or by the header of a mail"

    def recognises(self, file: SourceFile) -> float:
        """Sure of a mailbox or of a mail under its usual name; fairly sure of a whole header under another."""
        sample = file.sample
        if sample[:2] in (b"\xff\xfe", b"\xfe\xff") or (looks_binary(sample) and not is_mailbox(sample)):
            return 0.0
        if is_mailbox(sample):
            return 0.95 if file.suffix in _SUFFIXES else 0.9
        names = _field_names(sample.partition(b"\n")[2] if file.suffix == ".emlx" else sample)
        usual = len(names & _USUAL)
        if file.suffix in _SUFFIXES:
            return 0.95 if usual >= 2 else 0.6 if usual else 0.0
        if file.folders[-1:] and file.folders[-1] in _MAILDIR and usual >= 3:
            return 0.9
        whole = "from" in names and names & {"message-id", "received"} and names & {"date", "subject"}
        return 0.75 if whole and usual >= 4 else 0.0

    def read(self, file: SourceFile, spill: Spill) -> Iterator[Session | Skipped | Note]:
        """The threads of the file. It is gone through twice: first for what answers what."""
        threads = Threads()
        for raw in raw_mails(file, headers_only=True):
            mail = _parsed(raw)
            if mail is not None:
                threads.add(mail, _name(file, raw))
        threads.match_replies()
        yield from _Mails(file, spill, threads).read()


def _field_names(sample: bytes) -> set[str]:
    """The names of the fields that a file begins with; none where it doesn't begin with any."""
    names: set[str] = set()
    for number, line in enumerate(sample.removeprefix(b"\xef\xbb\xbf").split(b"\n")):
        found = _FIELD.match(line)
        if found is None or (number == 0 and not found[1]):
            break
        if found[1]:
            names.add(found[1].decode("ascii").lower())
    return names


def _parsed(raw: RawMail) -> Mail | None:
    """A mail, split into its parts; `None` where nothing in it can be read."""
    try:
        mail = message_from_bytes(raw.data or b"")
        return mail if mail.keys() else None
    except (*DEFECTS, RecursionError):
        return None


def _name(file: SourceFile, raw: RawMail) -> str:
    """What a mail without an id is called."""
    return file.name if raw.number == 1 else f"{file.name}#{raw.number}"


class _Mails:
    """One file being read."""

    def __init__(self, file: SourceFile, spill: Spill, threads: Threads) -> None:
        self.file = file
        self.spill = spill
        self.threads = threads
        self.gathering = Gathering(MailReader.name, file.name)
        folders = file.folders
        self.group = folders[:-1] if folders[-1:] and folders[-1] in _MAILDIR else folders

    def read(self) -> Iterator[Session | Skipped | Note]:
        for raw in raw_mails(self.file):
            reason = self._take(raw)
            if reason is not None:
                yield Skipped(f"message {raw.number}", reason)
            if self.gathering.full():
                yield from self._hand_out()
        yield from self._hand_out()
        yield Note(ignored=self.gathering.repeated)

    def _take(self, raw: RawMail) -> str | None:
        """File one mail under its thread; the reason where it can't be read."""
        if raw.data is None:
            return f"larger than {MAX_MAIL // 1024 // 1024} MB"
        mail = _parsed(raw)
        if mail is None:
            return "no header in it"
        try:
            message = _message(mail, self.spill)
        except RecursionError:
            return "nested too deeply"
        name = _name(self.file, raw)
        root = self.threads.root(mail, name)
        draft = self.gathering.draft(root if root == name else f"mail/{root}")
        subject = bare_subject(field(mail, "subject") or "")
        if draft.title is None or root == (message.id or name):
            draft.title = subject or draft.title
        draft.group = self.group
        self.gathering.add(draft.id, message)
        return None

    def _hand_out(self) -> Iterator[Session]:
        for draft in self.gathering.drafts.values():
            _sort(draft)
        yield from self.gathering.take()


def _sort(draft: Draft) -> None:
    """A thread by its times: mailboxes hold mails in any order."""
    times = [_instant(message.at) for message in draft.messages]
    if None not in times:
        order = sorted(range(len(times)), key=lambda n: (times[n] or datetime.min.replace(tzinfo=UTC), n))
        draft.messages[:] = [draft.messages[n] for n in order]


def _instant(at: str | None) -> datetime | None:
    try:
        moment = datetime.fromisoformat(at or "")
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _message(mail: Mail, spill: Spill) -> Message:
    senders = addresses(mail, "from") or addresses(mail, "sender")
    body = read_body(mail, spill)
    subject = field(mail, "subject")
    return Message(
        role="user",
        text=body.text or (f"[subject: {subject}]" if subject else "[no text]"),
        id=message_id(mail),
        at=sent_at(mail),
        speaker=senders[0].shown if senders else None,
        kind="notice" if content_type(mail) == "multipart/report" else "message",
        attachments=tuple(body.attachments),
        meta=_meta(mail, senders, subject),
    )


def _meta(mail: Mail, senders: list[Address], subject: str | None) -> dict[str, str]:
    answered = references(mail)
    meta = {
        "from": senders[0].address if senders else "",
        **{name: _listed(addresses(mail, name)) for name in ("to", "cc", "bcc")},
        "subject": subject or "",
        "reply_to": answered[-1] if answered else "",
        "labels": field(mail, "x-gmail-labels") or "",
    }
    return {key: value for key, value in meta.items() if value}


def _listed(people: list[Address]) -> str:
    return ", ".join(f"{each.name} <{each.address}>" if each.name and each.address else each.shown for each in people)
