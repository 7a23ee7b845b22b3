"""What a name says of its value: `DB_PASSWORD` is a password's, `clientSecret` a secret's, `max_tokens` neither."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Meaning:
    """What the value under a name is."""

    kind: str
    chosen: bool
    """Chosen by a person, so that any word may be it; else made by chance."""


PASSWORD = Meaning("password", chosen=True)
_AWS = Meaning("aws secret key", chosen=False)
_AZURE = Meaning("azure key", chosen=False)
_KEY = Meaning("api key", chosen=False)
_SECRET = Meaning("secret", chosen=False)
_TOKEN = Meaning("token", chosen=False)

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-zà-ÿ]+|[^\W\d_A-Za-z]+")
_PASSWORDS = (
    "password passwd passphrase passcode passwort kennwort contraseña contrasena clave senha passe motdepasse mdp pwd "
    "psw pswd pw psk passord wachtwoord heslo"
).split()
_ENDS_IN_PASSWORD = re.compile(rf"(?:{'|'.join(word for word in _PASSWORDS if len(word) > 3)}|pwd)$")
_OF_PASS = frozenset("user db root admin ssh my ftp smtp mail mysql pg redis rpc http login key ssl sudo wifi".split())
_ENDS_IN_PASS = re.compile(rf"^(?:{'|'.join(sorted(_OF_PASS))})?pass$")
_AFTER_PASSWORD = frozenset(
    """
    value text plain plaintext raw str string env new old current default confirm confirmation again repeat admin root
    prod production dev staging test local db user wifi wlan
    """.split()
)
_ENDS_IN_KEY = re.compile(
    r"(?:api|access|secret|private|auth|encrypt(?:ion)?|sign(?:ing)?|master|account|storage|service|shared|app|application|"
    r"admin|deploy|licen[sc]e|webhook|session|jwt|hmac|subscription|consumer|cipher|crypto|aes|client|customer|write|ingest|"
    r"integration|search|site|server|recaptcha|vapid|bot|project)keys?$"
)
_ENDS_IN_SECRET = re.compile(r"(?:secret|secrets|secretid|secretvalue|secretstring)$")
_ENDS_IN_TOKEN = re.compile(r"(?:token|tokens)$")
_OTHER_KEYS = frozenset(
    """
    primary foreign public sort partition cache index unique routing group map dict object idempotency translation hot
    hash range row column event log lookup natural composite registry parent child node tree json yaml data message
    publishable pub host known test_ shortcut arrow enter return escape ctrl shift tab down up on press i18n locale
    """.split()
)
_OTHER_TOKENS = frozenset(
    """
    eos bos pad unk sep cls mask max min num n number next page sync continuation cursor stop start end special image
    first last prev previous lex total per prompt input output completion reasoning thinking text count type kind stream
    idempotency public lock request change update creation starting purchase verification confirmation cancellation
    csrf xsrf new each every single audio cached context video extra reserved budget used sub word
    """.split()
)


@lru_cache(maxsize=4096)
def meaning(name: str) -> Meaning | None:
    """What the value under this name is, if it is a secret. The name is an identifier of code, or a word."""
    parts = [part.lower() for part in _PART.findall(name)]
    if not parts or len(name) > 80:
        return None
    return _of_password(parts, name) or _of_key(parts, name)


def _of_password(parts: list[str], name: str) -> Meaning | None:
    for number in range(len(parts) - 1, -1, -1):
        part = parts[number]
        if part == "pass" and number and not (name.isupper() or parts[number - 1] in _OF_PASS):
            return None
        if part in _PASSWORDS or _ENDS_IN_PASSWORD.search(part) or _ENDS_IN_PASS.match(part):
            rest = parts[number + 1 :]
            return PASSWORD if _AFTER_PASSWORD.issuperset(rest) and not (rest and part == "pass") else None
        if part not in _AFTER_PASSWORD:
            break
    if parts[-2:] == ["pass", "word"] or parts[-2:] == ["pass", "phrase"] or parts[-3:] == ["mot", "de", "passe"]:
        return PASSWORD
    return None


def _of_key(parts: list[str], name: str) -> Meaning | None:
    while len(parts) > 1 and parts[-1] in ("value", "prod", "production", "live", "dev", "staging", "env", "base"):
        parts = parts[:-1]
    joined = "".join(parts)
    if joined.endswith(("secretaccesskey", "awssecretkey", "awssecret")):
        return _AWS
    if joined.endswith(("accountkey", "sharedaccesskey", "storagekey")):
        return _AZURE
    if _ENDS_IN_SECRET.search(joined):
        return _SECRET
    if _ENDS_IN_TOKEN.search(joined):
        return None if _OTHER_TOKENS.intersection(parts[:-1]) or parts == ["tokens"] else _TOKEN
    if _ENDS_IN_KEY.search(joined):
        return _KEY
    shouted = name.isupper() and len(parts) > 1 and parts[-1] == "key"
    if shouted and not _OTHER_KEYS.intersection(parts):
        return _KEY
    return _SECRET if parts[-1] in ("credential", "credentials", "creds") or name.endswith("_auth") else None
