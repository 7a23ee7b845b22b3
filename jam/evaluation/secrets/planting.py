"""Invented secrets put into invented text, the same ones for the same seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from jam.evaluation.secrets import places, values
from jam.evaluation.secrets.ordinary import Writer

UNSEEN_SHARE = 0.1
"""Of the secrets: those of shapes that nothing was tuned for."""
_PER_DOCUMENT = 4


@dataclass(frozen=True, slots=True)
class Planted:
    """A secret in its place."""

    kind: str
    unseen: bool
    text: str
    """The whole line or block."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Document:
    """A text with the places (start, end) of the secrets in it."""

    text: str
    planted: tuple[tuple[Planted, int, int], ...]


class Planter:
    """Makes planted secrets, the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.writer = Writer(self.random)

    def documents(self, count: int) -> Iterator[Document]:
        """Documents that hold so many secrets together, of every kind about as many."""
        kinds = list(_KINDS)
        unseen = list(places.UNSEEN)
        for first in range(0, count, _PER_DOCUMENT):
            chosen = []
            for number in range(first, min(first + _PER_DOCUMENT, count)):
                if self.random.random() < UNSEEN_SHARE:
                    chosen.append(self.unseen(unseen[number % len(unseen)]))
                else:
                    chosen.append(self.known(kinds[number % len(kinds)]))
            yield self._document(chosen)

    def known(self, kind: str) -> Planted:
        return _KINDS[kind](self, kind)

    def unseen(self, kind: str) -> Planted:
        frame = self._fill(self.random.choice(places.UNSEEN[kind]))
        return _put(kind, frame, self._unseen_value(kind), unseen=True)

    def token(self, kind: str) -> Planted:
        return _put(kind, self._fill(self.random.choice(places.ANYWHERE)), values.TOKENS[kind](self.random))

    def azure(self, kind: str) -> Planted:
        """The key in its connection string is the secret, not the whole string."""
        whole = values.TOKENS[kind](self.random)
        begin = whole.index("AccountKey=") + len("AccountKey=")
        end = whole.index(";EndpointSuffix")
        place = self._fill(self.random.choice(places.ANYWHERE))
        return _put(kind, place.replace("~~", whole[:begin] + "~~" + whole[end:]), whole[begin:end])

    def url(self, kind: str) -> Planted:
        place = self.random.choice(places.URL_PLACES).replace("~~", self.random.choice(places.URLS))
        return _put(kind, self._fill(place), values.URL_PASSWORDS(self.random))

    def framed(self, frames: Sequence[str], make: values.Make) -> Callable[[str], Planted]:
        return lambda kind: _put(kind, self._fill(self.random.choice(frames)), make(self.random))

    def private_key(self, kind: str) -> Planted:
        value = self.random.choice([values.pem, values.pem, values.pem, values.pgp])(self.random)
        way = self.random.random()
        if way < 0.3:
            return _put(kind, self._fill(self.random.choice(places.ONE_LINE)), value.replace("\n", "\\n"))
        if way < 0.4:
            return _put(kind, self._fill(self.random.choice(places.INDENTED)), value.replace("\n", "\n    "))
        return _put(kind, self._fill(self.random.choice(places.BLOCKS)), value)

    def _unseen_value(self, kind: str) -> str:
        random = self.random
        if kind == "passphrase of words":
            return " ".join(values.words(random, 4))
        if kind in ("key under another name", "base64 in a Kubernetes secret"):
            return values.generic_key(random)
        return _UNSEEN.get(kind, values.password)(random)

    def _fill(self, template: str) -> str:
        random = self.random
        out = template.replace("~BASE32", values.some(random, values.BASE32, 16))
        for name, make in _FILLERS.items():
            while name in out:
                out = out.replace(name, make(random), 1)
        return out

    def _document(self, chosen: Sequence[Planted]) -> Document:
        parts: list[str] = []
        places_: list[tuple[Planted, int, int]] = []
        length = 0

        def add(text: str) -> None:
            nonlocal length
            parts.append(text)
            length += len(text)

        for planted in chosen:
            for _ in range(self.random.randrange(1, 4)):
                add(self.writer.paragraph() + "\n\n")
            places_.append((planted, length + planted.start, length + planted.end))
            add(planted.text + "\n\n")
        add(self.writer.paragraph())
        return Document("".join(parts), tuple(places_))


def _put(kind: str, frame: str, value: str, unseen: bool = False) -> Planted:
    start = frame.index("~~")
    return Planted(kind, unseen, frame[:start] + value + frame[start + 2 :], start, start + len(value))


_FILLERS: dict[str, Callable[[Random], str]] = {
    "~Word": lambda r: values.words(r, 1)[0].title(),
    "~WORD": lambda r: values.words(r, 1)[0].upper(),
    "~word": lambda r: values.words(r, 1)[0],
    "~user": lambda r: r.choice(["admin", "root", "ann", "deploy", "svc_app", "jonas.k"]),
    "~host": lambda r: r.choice(["db", "api", "git", "vpn"]) + f".{values.words(r, 1)[0]}.example",
    "~number": lambda r: str(r.randrange(1, 500)),
    "~digit": lambda r: str(r.randrange(1, 9)),
}

_UNSEEN: dict[str, values.Make] = {
    "recovery phrase": lambda r: " ".join(values.words(r, 12)),
    "code for a door or a card": lambda r: str(r.randrange(1000, 10_000)),
    "one-time passwords' secret": lambda r: values.some(r, values.BASE32, 32),
    "wallet's key": lambda r: values.some(r, values.HEX, 64),
    "hash of a password": lambda r: f"{values.some(r, values.ALNUM, 8)}${values.some(r, values.ALNUM, 43)}",
}

_KINDS: dict[str, Callable[[Planter, str], Planted]] = {
    **dict.fromkeys(values.TOKENS, Planter.token),
    "azure connection string": Planter.azure,
    "aws secret access key": lambda p, k: p.framed(places.AWS, values.AWS_SECRET)(k),
    "private key": Planter.private_key,
    "password in a URL": Planter.url,
    "session cookie": lambda p, k: p.framed(places.COOKIES, values.generic_key)(k),
    "bearer token": lambda p, k: p.framed(places.HEADERS, values.bearer)(k),
    "basic credentials": lambda p, k: p.framed(places.BASIC_HEADERS, values.basic)(k),
    "password in code or settings": lambda p, k: p.framed(places.PASSWORDS, values.password)(k),
    "password in a sentence": lambda p, k: p.framed(places.SENTENCES, values.password)(k),
    "generic key or token": lambda p, k: p.framed(places.KEYS, values.generic_key)(k),
    "credit card number": lambda p, k: p.framed(places.NUMBERS[k], values.card)(k),
    "iban": lambda p, k: p.framed(places.NUMBERS[k], values.iban)(k),
    "social security number": lambda p, k: p.framed(places.NUMBERS[k], values.ssn)(k),
}
