"""Invented secrets, in the shapes that real ones have. Every value comes from the generator that is passed in."""

from __future__ import annotations

import base64
import json
import string
from collections.abc import Callable
from random import Random

Make = Callable[[Random], str]

ALNUM = string.ascii_letters + string.digits
URLSAFE = ALNUM + "-_"
_BASE64 = ALNUM + "+/"
HEX = "0123456789abcdef"
_UPPER = string.ascii_uppercase + string.digits
BASE32 = string.ascii_uppercase + "234567"
_WORDS = (
    "amber anchor autumn badger basil beacon biscuit bramble canyon cedar cello cobalt comet copper coral cricket "
    "delta ember falcon fern gecko ginger glacier harbor hazel heron indigo ivory jasmine juniper kestrel lagoon "
    "lantern lemon maple marble meadow mango nectar nutmeg olive onyx orbit otter pepper pixel plum quartz raven "
    "river saffron sierra sparrow summer thistle tiger topaz tulip velvet violet walnut willow winter yonder "
    "zephyr "
).split()


def some(random: Random, alphabet: str, count: int) -> str:
    """So many characters of an alphabet."""
    return "".join(random.choices(alphabet, k=count))


def words(random: Random, count: int) -> list[str]:
    """So many invented words."""
    return random.choices(_WORDS, k=count)


def _hex(random: Random, count: int) -> str:
    return some(random, HEX, count)


def _base64(random: Random, count: int) -> str:
    return base64.b64encode(random.randbytes(count)).decode()


def _github(random: Random) -> str:
    if random.random() < 0.3:
        return f"github_pat_{some(random, ALNUM, 22)}_{some(random, ALNUM, 59)}"
    return f"gh{random.choice('pppousr')}_{some(random, ALNUM, 36)}"


def _gitlab(random: Random) -> str:
    return random.choice(["glpat", "glpat", "gldt", "glrt"]) + "-" + some(random, URLSAFE, 20)


def _slack(random: Random) -> str:
    first, second = some(random, string.digits, random.choice([11, 12, 13])), some(random, string.digits, 12)
    return random.choice(
        [
            f"xoxb-{first}-{second}-{some(random, ALNUM, 24)}",
            f"xoxp-{first}-{second}-{some(random, string.digits, 13)}-{_hex(random, 32)}",
            f"xapp-1-A{some(random, _UPPER, 10)}-{second}-{_hex(random, 64)}",
        ]
    )


def _slack_webhook(random: Random) -> str:
    team, channel = some(random, _UPPER, 8), some(random, _UPPER, 10)
    return f"https://hooks.slack.com/services/T{team}/B{channel}/{some(random, ALNUM, 24)}"


def _openai(random: Random) -> str:
    return random.choice(
        [
            f"sk-{some(random, ALNUM, 20)}T3BlbkFJ{some(random, ALNUM, 20)}",
            f"sk-{some(random, ALNUM, 48)}",
            f"sk-proj-{some(random, URLSAFE, 74)}T3BlbkFJ{some(random, URLSAFE, 74)}",
            f"sk-svcacct-{some(random, URLSAFE, 58)}T3BlbkFJ{some(random, URLSAFE, 58)}",
        ]
    )


def _google(random: Random) -> str:
    return random.choice([f"AIza{some(random, URLSAFE, 35)}"] * 3 + [f"GOCSPX-{some(random, URLSAFE, 28)}"])


def _stripe(random: Random) -> str:
    kind = random.choice(["sk_live_", "sk_live_", "sk_test_", "rk_live_"])
    return kind + some(random, ALNUM, random.choice([24, 99]))


def _pypi(random: Random) -> str:
    return "pypi-AgEIcHlwaS5vcmc" + some(random, URLSAFE, 152)


def _discord(random: Random) -> str:
    user = base64.b64encode(some(random, string.digits[1:], 18).encode()).decode().rstrip("=")
    return f"{user}.{some(random, URLSAFE, 6)}.{some(random, URLSAFE, 38)}"


def _azure(random: Random) -> str:
    name = random.choice(_WORDS) + some(random, string.digits, 3)
    key = _base64(random, 64)
    return f"DefaultEndpointsProtocol=https;AccountName={name};AccountKey={key};EndpointSuffix=core.windows.net"


def pem(random: Random) -> str:
    """A private key in armour, on many lines."""
    kind = random.choice(["RSA PRIVATE KEY", "EC PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY"])
    length = random.choice([118, 607, 1190])
    width = 70 if kind.startswith("OPENSSH") else 64
    body = _base64(random, length)
    lines = [body[i : i + width] for i in range(0, len(body), width)]
    return "\n".join([f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----"])


def pgp(random: Random) -> str:
    """A private key of PGP."""
    body = _base64(random, 900)
    lines = ["", *(body[i : i + 64] for i in range(0, len(body), 64)), "=" + some(random, _BASE64, 4)]
    return "\n".join(["-----BEGIN PGP PRIVATE KEY BLOCK-----", *lines, "-----END PGP PRIVATE KEY BLOCK-----"])


def jwt(random: Random) -> str:
    """A signed token with an invented subject."""

    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    head = {"alg": random.choice(["HS256", "RS256"]), "typ": "JWT"}
    body = {"sub": some(random, string.digits, 10), "name": random.choice(_WORDS), "iat": random.randrange(2**30)}
    signature = base64.urlsafe_b64encode(random.randbytes(32)).decode().rstrip("=")
    return f"{part(head)}.{part(body)}.{signature}"


def password(random: Random) -> str:
    """As people choose them: words with digits and signs, or what a manager makes up."""
    word = random.choice(_WORDS)
    other = random.choice(_WORDS)
    return random.choice(
        [
            f"{word.title()}{random.randrange(1000, 9999)}{random.choice('!?#*')}",
            f"{word}{random.randrange(10, 9999)}",
            word.replace("e", "3").replace("a", "4").replace("o", "0").title() + f"{random.choice('&$!')}{other}",
            f"{word}-{other}-{random.choice(_WORDS)}-{random.randrange(100)}",
            some(random, ALNUM + "!#%*+?=^~", random.choice([12, 16, 20])) + random.choice(string.digits),
        ]
    )


def _plain_password(random: Random) -> str:
    """One that can stand in a URL as it is."""
    return random.choice(
        [
            random.choice(_WORDS) + str(random.randrange(10, 9999)),
            some(random, ALNUM, random.choice([12, 16, 24, 32])),
            f"{random.choice(_WORDS).title()}%40{random.randrange(100, 999)}",
            f"{random.choice(_WORDS)}_{random.choice(_WORDS)}!{random.randrange(100)}",
        ]
    )


def generic_key(random: Random) -> str:
    """A key without a form of its own."""
    return random.choice(
        [
            _hex(random, 32),
            _hex(random, 40),
            _hex(random, 64),
            some(random, ALNUM, random.choice([20, 24, 32, 40])),
            _base64(random, 32),
            some(random, URLSAFE, 43),
        ]
    )


def bearer(random: Random) -> str:
    """What stands behind `Bearer`."""
    return random.choice([generic_key(random), some(random, URLSAFE, random.choice([32, 48, 64])), jwt(random)])


def basic(random: Random) -> str:
    """What stands behind `Basic`."""
    return base64.b64encode(f"{random.choice(_WORDS)}:{password(random)}".encode()).decode()


def card(random: Random) -> str:
    """A card number with a right check digit, in groups."""
    digits = random.choice(["4", "51", "53", "55", "6011"])
    digits += some(random, string.digits, 15 - len(digits))
    total = sum(sum(divmod(int(d) * (2 if i % 2 == 0 else 1), 10)) for i, d in enumerate(digits))
    digits += str(-total % 10)
    sign = random.choice([" ", "-"])
    return sign.join(digits[i : i + 4] for i in range(0, 16, 4))


def iban(random: Random) -> str:
    """A German account number with right check digits."""
    account = some(random, string.digits, 18)
    check = 98 - int(account + "131400") % 97
    whole = f"DE{check:02}{account}"
    return whole if random.random() < 0.4 else " ".join(whole[i : i + 4] for i in range(0, 22, 4))


def ssn(random: Random) -> str:
    area = random.choice([*range(1, 666), *range(667, 900)])
    return f"{area:03}-{random.randrange(1, 100):02}-{random.randrange(1, 10000):04}"


def made_up(random: Random) -> str:
    """A token of an issuer that nobody knows, formed as the known ones form theirs."""
    return f"{random.choice(_WORDS)[:4]}_{random.choice(['live', 'pat', 'key', 'v1'])}_{some(random, ALNUM, 32)}"


TOKENS: dict[str, Make] = {
    "aws access key id": lambda r: r.choice(["AKIA", "AKIA", "ASIA"]) + some(r, BASE32, 16),
    "github token": _github,
    "gitlab token": _gitlab,
    "slack token": _slack,
    "slack webhook": _slack_webhook,
    "openai key": _openai,
    "anthropic key": lambda r: f"sk-ant-api03-{some(r, URLSAFE, 93)}AA",
    "hugging face token": lambda r: f"hf_{some(r, string.ascii_letters, 34)}",
    "google key": _google,
    "stripe key": _stripe,
    "npm token": lambda r: f"npm_{some(r, ALNUM, 36)}",
    "pypi token": _pypi,
    "telegram token": lambda r: f"{r.randrange(10**8, 10**10)}:AA{some(r, URLSAFE, 33)}",
    "discord token": _discord,
    "twilio key": lambda r: f"SK{_hex(r, 32)}",
    "sendgrid key": lambda r: f"SG.{some(r, URLSAFE, 22)}.{some(r, URLSAFE, 43)}",
    "mailgun key": lambda r: f"key-{_hex(r, 32)}",
    "azure connection string": _azure,
    "token of an unknown issuer": made_up,
    "jwt": jwt,
}
"""Secrets that say by their form what they are: they stand anywhere."""

URL_PASSWORDS: Make = _plain_password
AWS_SECRET: Make = lambda r: some(r, _BASE64, 40)  # noqa: E731
