"""What becomes of a session that is read again: grown, forked, edited, or the same.

A document is replaced by its newer version. In a conversation nothing is ever taken away. A message is the same if its
id and its text are (without an id: its text and its place in a thread); otherwise it is added. Of two texts under one
id the one that was read last is the message, the other is kept beside it, marked as an edited one. Merging the same
again changes nothing, and it does not matter which of two files came first: what differs is decided by their names.

Only what messages are known by is compared here; their texts may be on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from jam.memorizer.weave import Trait, weave
from jam.session import Message, Session
from jam.workspace.raw_file import Kept

Sign = tuple[bytes, int]
"""What makes a message itself (its key), and what else is said of it, as a number."""
Traits = Callable[[], Sequence[Trait]]
"""Times and threads of messages, asked for only where the order depends on them."""
EDITED = "edited"
"""The thread of a message's earlier texts."""
TITLE_FROM = "title_from"
"""In a session's meta: the file that its title is from, where that is not its first."""
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
    merged = merged_order(
        signs_of(map(Kept.of, known.messages)),
        signs_of(map(Kept.of, read.messages)),
        lambda: list(map(trait_of, known.messages)),
        lambda: list(map(trait_of, read.messages)),
        relation(known, read),
        read.kind == "document",
    )
    messages = [known.messages[place] if place >= 0 else read.messages[~place] for place in merged.order]
    marked = [as_edited(m) if place in merged.edited else m for place, m in zip(merged.order, messages, strict=True)]
    return replace(merged_front(known, read), messages=tuple(marked))


def merged_front(known: Session, read: Session) -> Session:
    """What is said of the session, but for its messages: what its first file says, and the title of its last."""
    if read.kind == "document":
        return replace(read, group=known.group)
    first, then = (known, read) if relation(known, read) > 0 else (read, known)
    title, titled = known.title, str(known.meta.get(TITLE_FROM, known.origin))
    if read.title and (read.origin >= titled or not title):
        title, titled = read.title, read.origin
    meta = {key: value for key, value in {**then.meta, **first.meta}.items() if key != TITLE_FROM}
    meta |= {TITLE_FROM: titled} if title and titled != first.origin else {}
    return replace(first, title=title, at=first.at or then.at, meta=meta)


def relation(known: Session, read: Session) -> int:
    """How the file that was read stands to the first one of the session: before it (-1), the same, or behind it."""
    return (read.origin > known.origin) - (read.origin < known.origin)


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
    relation: int = 0,
    replaced: bool = False,
) -> Merged:
    """The messages of the merged session; with `replaced` it holds what was read only.

    `relation` says how the file that was read stands to the session's first one. A message that was read just as it is
    known counts as known.
    """
    places = {key: place for place, (key, _) in enumerate(known)}
    same = [places.get(key) for key, _ in read]
    if replaced:
        return Merged([_as_known(place, number, known, read) for number, place in enumerate(same)], {})
    beside = set(range(len(known))) - {place for place in same if place is not None}
    grown = not beside and None in same
    chosen = _chosen(same, known, read, known_traits, relation, grown)
    if grown or (not beside and relation <= 0 and any(map(has_id, read))):
        order = chosen
    elif None in same:
        order = _woven(same, chosen, (known, read), (known_traits(), read_traits()), relation)
    else:
        versions = {place: entry for place, entry in zip(same, chosen, strict=True) if place is not None}
        order = [versions.get(place, place) for place in range(len(known))]
    return Merged(order, _edited(known, read, beside, chosen, known_traits, relation))


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
    relation: int,
    grown: bool,
) -> list[int]:
    """Each read message as it will be. Where it is read otherwise than it is known, the session's first file has the
    word, but not on what was edited since; on a message without an id, which may be another, only if none is missing.
    """
    differ = {number for number, place in enumerate(same) if place is not None and known[place] != read[number]}
    traits = known_traits() if differ and relation <= 0 else []

    def settled(number: int, place: int) -> bool:
        return relation > 0 or traits[place].thread == EDITED or not (grown or has_id(read[number]))

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
    relation: int,
) -> list[int]:
    """Known and read messages in one order. The session's first file decides on the order of what both have."""
    versions = {place: entry for place, entry in zip(same, chosen, strict=True) if place is not None}
    there = [versions.get(place, place) for place in range(len(signs[0]))]

    def trait(entry: int) -> Trait:
        return traits[0][entry] if entry >= 0 else traits[1][~entry]

    def earlier(entry: int, beside: int) -> bool:
        """Whether what stands beside a read message is an earlier one of its file: another text under its id."""
        if relation:
            return False
        mine, theirs = signs[1][~entry], signs[0][beside]
        return mine[0][:ID_BYTES] == theirs[0][:ID_BYTES] or not has_id(theirs)

    base, other = (there, chosen) if relation > 0 else (chosen, there)
    return weave(base, other, trait, earlier)


def _edited(
    known: Sequence[Sign],
    read: Sequence[Sign],
    beside: set[int],
    chosen: Sequence[int],
    known_traits: Traits,
    relation: int,
) -> dict[int, int]:
    """The messages that have a newer text under their id, but for those that are marked already. What a file says that
    comes before the session's first is older.
    """
    now = {sign[0][:ID_BYTES]: chosen[number] for number, sign in enumerate(read) if has_id(sign)}
    pairs = [(place, now[known[place][0][:ID_BYTES]]) for place in sorted(beside) if known[place][0][:ID_BYTES] in now]
    traits = known_traits() if pairs else []
    current = [pair for pair in pairs if all(traits[each].thread != EDITED for each in pair if each >= 0)]
    return dict((new, old) if relation < 0 and new < 0 else (old, new) for old, new in current)


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
