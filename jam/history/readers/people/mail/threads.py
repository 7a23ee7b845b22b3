"""Which mails of a file answer which, so that a thread is one session. Its name is the id of the mail it began with."""

from __future__ import annotations

from dataclasses import dataclass
from email.message import Message as Mail
from itertools import pairwise

from jam.history.readers.people.mail.headers import addresses, bare_subject, field, is_reply, message_id, references

_MOST_OF_A_SUBJECT = 20
"""Mails without references of one subject that a reply is compared with."""


@dataclass(frozen=True, slots=True)
class _Letter:
    """A mail, as far as a reply without references can be matched with it."""

    key: str
    sender: str
    people: frozenset[str]


class Threads:
    """The threads of one file; every mail is added before the first is asked for."""

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}
        self._letters: dict[str, list[_Letter]] = {}
        self._replies: list[tuple[str, _Letter]] = []

    def add(self, mail: Mail, otherwise: str) -> None:
        """Take a mail's header into account; one without an id is known as `otherwise`."""
        key = message_id(mail) or otherwise
        answered = references(mail)
        for parent, child in pairwise([*answered, key]):
            self._link(child, parent)
        subject = field(mail, "subject") or ""
        bare = bare_subject(subject).casefold()
        if answered or not bare:
            return
        senders = [each.address.lower() for each in addresses(mail, "from")]
        people = [each.address.lower() for name in ("from", "to", "cc") for each in addresses(mail, name)]
        letter = _Letter(key, senders[0] if senders else "", frozenset(filter(None, people)))
        if is_reply(subject):
            self._replies.append((bare, letter))
        else:
            same = self._letters.setdefault(bare, [])
            if len(same) < _MOST_OF_A_SUBJECT:
                same.append(letter)

    def match_replies(self) -> None:
        """Replies that don't say what they answer: a letter of this subject between the same people."""
        for subject, reply in self._replies:
            same = self._letters.setdefault(subject, [])
            answered = next((x for x in same if x.sender in reply.people and reply.sender in x.people), None)
            if answered is not None and answered.key != reply.key:
                self._link(reply.key, answered.key)
            elif len(same) < _MOST_OF_A_SUBJECT:
                same.append(reply)
        self._replies.clear()

    def root(self, mail: Mail, otherwise: str) -> str:
        """The id of the mail that the thread began with."""
        return self._root(message_id(mail) or otherwise)

    def _link(self, child: str, parent: str) -> None:
        """Note what a mail answers, unless that is known, or would make a circle."""
        if child not in self._parents and self._root(parent) != child:
            self._parents[child] = parent

    def _root(self, key: str) -> str:
        seen: list[str] = []
        while key in self._parents:
            seen.append(key)
            key = self._parents[key]
        for each in seen[:-1]:
            self._parents[each] = key  # so that long threads are not walked again and again
        return key
