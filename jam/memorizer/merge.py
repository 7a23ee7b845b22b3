"""What becomes of a session that is read again: grown, forked, edited, or the same.

A document is replaced by its newer version. In a conversation nothing is ever taken away. A message is the same if its
id and its text are (without an id: its text and its place in a thread); otherwise it is added. Of two texts under one
id the newer one is the message, the other is kept beside it, marked as an edited one. Merging the same again changes
nothing, and it does not matter which of two files came first to JAM: the newest reading has the word, that of the file
whose last message is the latest; the first file by name says where the session is filed.

Only what messages are known by is compared here; their texts may be on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from hashlib import blake2b

from jam.memorizer.weave import Trait, weave
from jam.session import Message, Session
from jam.workspace.raw_file import Kept

Sign = tuple[bytes, int]
"""What makes a message itself (its key), and what else is said of it, as a number."""
Traits = Callable[[], Sequence[Trait]]
"""Times and threads of messages, asked for only where the order depends on them."""
Reach = tuple[bool, str]
"""How far a reading goes: whether it has a main line at all (a sub-agent's file has none), and its latest time."""
EDITED = "edited"
"""The thread of a message's earlier texts."""
TITLE_FROM = "title_from"
"""In a session's meta: the file that its title is from, where that is not its first."""
NEWEST_FROM = "newest_from"
"""In a session's meta: the file of its newest reading, where that is not its first."""
ID_BYTES = 8
"""Bytes of a key that stand for the message's own id; zeros where it has none."""
_NO_ID = bytes(ID_BYTES)


@dataclass(frozen=True, slots=True)
class Merged:
    """The messages of the merged session: `n` is the known message number n, `~n` the read one number n."""

    order: list[int]
    edited: dict[int, int]
    """Earlier text of a message → its newer one; both are in the order."""

    def changes(self, known: int) -> bool:
        """Whether this is anything but the known messages, of which there are so many."""
        return bool(self.edited) or self.order != list(range(known))

    @property
    def settled(self) -> list[int]:
        """The order, in which nothing that is to be marked looks like what is there."""
        return [~0 if place in self.edited else place for place in self.order]


def merge(known: Session, read: Session) -> Session:
    """The session that holds what was known and what was read, each message once."""
    how = standing(known, read, reach_of(known.messages), lambda: reach_of(read.messages))
    merged = merged_order(
        signs_of(map(Kept.of, known.messages)),
        signs_of(map(Kept.of, read.messages)),
        lambda: list(map(trait_of, known.messages)),
        lambda: list(map(trait_of, read.messages)),
        how,
        read.kind == "document",
    )
    messages = [known.messages[place] if place >= 0 else read.messages[~place] for place in merged.order]
    marked = [as_edited(m) if place in merged.edited else m for place, m in zip(merged.order, messages, strict=True)]
    return replace(merged_front(known, read, how), messages=tuple(marked))


def merged_front(known: Session, read: Session, standing: int) -> Session:
    """What is said of the session, but for its messages: its first file by name says where it is filed, the newest
    reading all else.
    """
    if read.kind == "document":
        return replace(read, group=known.group)
    first, then = (known, read) if read.origin > known.origin else (read, known)
    newer, older = (read, known) if standing >= 0 else (known, read)
    newest = read.origin if standing >= 0 else _newest_of(known)
    title, titled = known.title, str(known.meta.get(TITLE_FROM, known.origin))
    untold = titled != newest and read.origin >= titled  # the newest reading has no title
    if read.title and (standing >= 0 or not title or untold):
        title, titled = read.title, read.origin
    meta = {**older.meta, **newer.meta}
    meta = {key: value for key, value in meta.items() if key not in (TITLE_FROM, NEWEST_FROM)}
    meta |= {TITLE_FROM: titled} if title and titled != first.origin else {}
    meta |= {NEWEST_FROM: newest} if newest != first.origin else {}
    return replace(first, title=title, at=first.at or then.at, meta=meta)


def standing(known: Session, read: Session, known_reach: Reach, read_reach: Callable[[], Reach]) -> int:
    """How the file that was read stands to the session's newest one: older (-1), the same, or newer. The newer one ends
    with the later message; where both end at the same time it is the last by name.
    """
    newest = _newest_of(known)
    if read.origin == newest or read.kind == "document":
        return 0
    mine, theirs = (*read_reach(), read.origin), (*known_reach, newest)
    return (mine > theirs) - (mine < theirs)


def reach_of(messages: Iterable[Message]) -> Reach:
    """How far a reading with these messages goes."""
    return reduce(further, messages, (False, ""))


def further(reach: Reach, message: Message) -> Reach:
    """How far a reading goes with one more message."""
    main, latest = reach
    return main or message.thread is None, max(latest, message.at or "")


def _newest_of(session: Session) -> str:
    return str(session.meta.get(NEWEST_FROM, session.origin))


def as_edited(message: Message) -> Message:
    """An earlier text of a message."""
    return replace(message, thread=EDITED)


def trait_of(message: Message) -> Trait:
    return Trait(message.at, message.thread)


def signs_of(messages: Iterable[Kept]) -> list[Sign]:
    """What each message is known by; equal messages are told apart by their count."""
    seen: dict[bytes, int] = {}
    signs = []
    for kept in messages:
        key = _key(kept)
        number = seen.get(key, 0)
        seen[key] = number + 1
        signs.append((key + number.to_bytes(4) if number else key, _rest(kept.message)))
    return signs


def merged_order(
    known: Sequence[Sign],
    read: Sequence[Sign],
    known_traits: Traits,
    read_traits: Traits,
    standing: int = 0,
    replaced: bool = False,
) -> Merged:
    """The messages of the merged session; with `replaced` it holds what was read only.

    `standing` says how the file that was read stands to the session's newest one. A message that was read just as it is
    known counts as known.
    """
    places = {key: place for place, (key, _) in enumerate(known)}
    same = [places.get(key) for key, _ in read]
    if replaced:
        return Merged([_as_known(place, number, known, read) for number, place in enumerate(same)], {})
    beside = set(range(len(known))) - {place for place in same if place is not None}
    grown = not beside and None in same
    chosen = _chosen(same, known, read, known_traits, standing, grown)
    if grown or (not beside and standing >= 0 and any(map(has_id, read))):
        order = chosen
    elif None in same:
        order = _woven(same, chosen, (known, read), (known_traits(), read_traits()), standing)
    else:
        versions = {place: entry for place, entry in zip(same, chosen, strict=True) if place is not None}
        order = [versions.get(place, place) for place in range(len(known))]
    return Merged(order, _edited(known, read, beside, chosen, known_traits, standing))


def put_together(
    merged: Merged, first: int, known: Callable[[int], Kept], read: Callable[[int], Kept]
) -> Iterator[Kept]:
    """The merged messages from the number `first` on. An earlier text that the newer one continues (a reply that was
    still being written) is left out: nothing is lost with it.
    """

    def get(place: int) -> Kept:
        return known(place) if place >= 0 else read(~place)

    for place in merged.order[first:]:
        kept = get(place)
        if place in merged.edited:
            newer = get(merged.edited[place])
            if not newer.spilled and not kept.spilled and newer.message.text.startswith(kept.message.text):
                continue
            kept = replace(kept, message=as_edited(kept.message))
        yield kept


def _chosen(
    same: Sequence[int | None],
    known: Sequence[Sign],
    read: Sequence[Sign],
    known_traits: Traits,
    standing: int,
    grown: bool,
) -> list[int]:
    """Each read message as it will be. Where it is read otherwise than it is known, the session's newest file has the
    word, but not on what was edited since; on a message without an id, which may be another, only if none is missing.
    """
    differ = {number for number, place in enumerate(same) if place is not None and known[place] != read[number]}
    traits = known_traits() if differ and standing >= 0 else []

    def settled(number: int, place: int) -> bool:
        return standing < 0 or traits[place].thread == EDITED or not (grown or has_id(read[number]))

    return [
        ~number if place is None or (number in differ and not settled(number, place)) else place
        for number, place in enumerate(same)
    ]


def _as_known(place: int | None, number: int, known: Sequence[Sign], read: Sequence[Sign]) -> int:
    return place if place is not None and known[place] == read[number] else ~number


def _woven(
    same: Sequence[int | None],
    chosen: Sequence[int],
    signs: tuple[Sequence[Sign], Sequence[Sign]],
    traits: tuple[Sequence[Trait], Sequence[Trait]],
    standing: int,
) -> list[int]:
    """Known and read messages in one order. The session's newest file decides on the order of what both have."""
    versions = {place: entry for place, entry in zip(same, chosen, strict=True) if place is not None}
    there = [versions.get(place, place) for place in range(len(signs[0]))]

    def trait(entry: int) -> Trait:
        return traits[0][entry] if entry >= 0 else traits[1][~entry]

    def earlier(entry: int, beside: int) -> bool:
        """Whether what stands beside a read message is an earlier one of its file: another text under its id."""
        if standing:
            return False
        mine, theirs = signs[1][~entry], signs[0][beside]
        return mine[0][:ID_BYTES] == theirs[0][:ID_BYTES] or not has_id(theirs)

    base, other = (chosen, there) if standing >= 0 else (there, chosen)
    return weave(base, other, trait, earlier)


def _edited(
    known: Sequence[Sign],
    read: Sequence[Sign],
    beside: set[int],
    chosen: Sequence[int],
    known_traits: Traits,
    standing: int,
) -> dict[int, int]:
    """The messages that have a newer text under their id, but for those that are marked already. What an older file
    says is older.
    """
    now = {sign[0][:ID_BYTES]: chosen[number] for number, sign in enumerate(read) if has_id(sign)}
    pairs = [(place, now[known[place][0][:ID_BYTES]]) for place in sorted(beside) if known[place][0][:ID_BYTES] in now]
    traits = known_traits() if pairs else []
    current = [pair for pair in pairs if all(traits[each].thread != EDITED for each in pair if each >= 0)]
    return dict((new, old) if standing < 0 and new < 0 else (old, new) for old, new in current)


def has_id(sign: Sign) -> bool:
    """Whether a message has an id of its own."""
    return sign[0][:ID_BYTES] != _NO_ID


def _key(kept: Kept) -> bytes:
    message = kept.message
    if message.id is not None:
        return id_digest(message.id) + _digest(kept.sha256)
    return _NO_ID + _digest((kept.sha256, message.role, message.thread, message.kind))


def id_digest(message_id: str) -> bytes:
    """How a key begins, of a message with this id."""
    return _digest(message_id)


def _rest(message: Message) -> int:
    rest = (message.at, message.speaker, message.attachments, message.meta, message.role, message.thread, message.kind)
    return int.from_bytes(_digest(rest)[:7])


def _digest(value: object) -> bytes:
    return blake2b(repr(value).encode("utf-8", "backslashreplace"), digest_size=ID_BYTES).digest()
