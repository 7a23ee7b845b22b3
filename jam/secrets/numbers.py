"""Numbers that prove by their check digits what they are: cards, bank accounts; and social security numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jam.secrets.marks import Secret

_CARD = re.compile(
    r"(?<![\d.,/+=_-])(?<!\d[ -])(?:"
    r"[2-6]\d{3}(?P<sign>[ -])\d{4}(?P=sign)\d{4}(?P=sign)\d{4}(?:(?P=sign)\d{3})?"
    r"|3[47]\d{2}(?P<other>[ -])\d{6}(?P=other)\d{5}"
    r"|(?P<plain>(?:[2-6]\d{15}|3[47]\d{13})))(?![\d_-]|[ .,]\d)"
)
_ISSUED = re.compile(r"4|5[1-5]|2[2-7]|3[47]|35|6(?:011|5|4[4-9])|62|50|5[6-9]|6[0-9]")
_OF_CARDS = re.compile(
    r"\b(?:cards?|visa|master ?card|amex|maestro|credit|debit|cc|cvv|cvc|pan|kreditkarte|karte|carte|tarjeta|cartão)\b"
    r"|карт|卡|カード|card_?num",
    re.IGNORECASE,
)
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?)(?![A-Za-z0-9])")
_IBAN_LENGTHS = {
    country: length
    for length, countries in {
        15: "NO",
        16: "BE",
        18: "DK FI NL",
        19: "SI MK",
        20: "AT EE LT LU",
        21: "CH HR LI LV",
        22: "BG DE GB GE IE ME RS",
        23: "AE IL",
        24: "AD CZ ES MD PK RO SA SE SK",
        25: "PT",
        26: "IS TR",
        27: "FR GR IT MC SM",
        28: "AZ CY HU LB PL",
        29: "BR UA",
        31: "MT",
    }.items()
    for country in countries.split()
}
_SSN = re.compile(r"(?<![\d-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])")
_OF_SSN = re.compile(r"\bssns?\b|social.security|sozialversicherung|tax ?id|\bssn", re.IGNORECASE)
_NEAR = 60


def find_number(text: str, start: int) -> Iterator[Secret]:
    """The card, bank account or social security number that begins at `start`."""
    if match := _CARD.match(text, start):
        digits = re.sub(r"\D", "", match[0])
        sure = match["plain"] is None or _is_near(_OF_CARDS, text, match)
        if sure and _ISSUED.match(digits) and _luhn(digits) and len(set(digits)) > 1:
            yield Secret("card number", *match.span())
    elif match := _IBAN.match(text, start):
        if end := _iban_end(match[0]):
            yield Secret("bank account", start, start + end)
    elif (match := _SSN.match(text, start)) and _is_near(_OF_SSN, text, match):
        yield Secret("social security number", *match.span())


def _is_near(words: re.Pattern[str], text: str, match: re.Match[str]) -> bool:
    return bool(words.search(text, max(0, match.start() - _NEAR), match.end() + _NEAR))


def _luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        total += sum(divmod(int(digit) * (1 + place % 2), 10))
    return total % 10 == 0


def _iban_end(written: str) -> int | None:
    """How much of it is an account number, of its country's length and with right check digits."""
    length = _IBAN_LENGTHS.get(written[:2], 0)
    end = count = 0
    while count < length and end < len(written):
        count += written[end] != " "
        end += 1
    plain = written[:end].replace(" ", "")
    if not length or len(plain) != length or written[end : end + 1] not in ("", " "):
        return None
    return end if int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1 else None
