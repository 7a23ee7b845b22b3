"""What stands where a secret would and is none: placeholders, code that fetches one, paths, names and measures."""

from __future__ import annotations

import re

ENOUGH = 256
"""So much of a value tells what it is."""

_WORDS = (
    r"your|example|sample|placeholder|change[-_ ]?me|replace[-_ ]?(?:me|with)|insert|redact|dummy|todo|fixme"
    r"|goes[-_ ]here"
)
_SIGNS = r"\*{4,}|^\*+$|\.\.\.|…|••|&(?:quot|lt|gt|amp|nbsp|#x?\w+)|(?-i:%s)(?:\W|$)|(?-i:%[dr])$"
_WHOLE = (
    r"<[^<>]*>?|\[[\w .:-]*\]?|\{.*|\([\w .]*\)?|[#@]\{.*|:\w+"  # `<token>`, `[token]`, `{{ token }}`, `:token`
    r"|%\(.*|%[A-Za-z_]{1,40}%|\\?\$[A-Za-z_]\w*-?|\\?\$[({].*"  # `%(token)s`, `%TOKEN%`, `$TOKEN`, `${TOKEN}`
)
_SOMEBODYS = (
    "(?:my|the|some|an?|test|fake|mock|new|old|user|db|wrong|bad|good|valid|invalid)[-_ ]?"
    "(?:pass(?:word)?|pwd|secret|token|api[-_ ]?key|key)"
)
_PLACEHOLDER = re.compile(rf"{_WORDS}|{_SIGNS}|^(?:{_WHOLE}|{_SOMEBODYS})$", re.IGNORECASE)
_RULE = (
    r"(?:required|nullable|optional|string|confirmed|sometimes|bail"
    r"|(?:min|max|size|between|length|minlength|maxlength)[:=]\d+)"
)
_RULES = re.compile(rf"(?=(?:.*[|,])?{_RULE}(?:[|,]|$))[a-z_]+(?:[:=][\w.]*)?(?:[|,][a-z_\d]+(?:[:=][\w.]*)?)*")
"""What a form asks of a password: `required|min:8`."""
_TALKS_OF_ONE = re.compile(r"(?=.*(?:password|secret|token|key))[a-z]+(?:-[a-z]+)+")
_REPEATED = re.compile(r"([xX0*])\1{5}")
_SAYS_NOTHING = frozenset(
    """
    password passwd passwort kennwort contraseña senha пароль passphrase passcode pass pwd pw secret secrets token
    tokens key apikey api_key api-key credential credentials auth bearer basic none null nil undefined true false
    yes no on off string str text int integer number bool boolean bytes byte char varchar object any unknown type
    required optional hidden empty missing default value input field name user username admin root guest login email
    test testing foo bar baz qux hello abc asdf qwerty self this env environ process config settings options params
    kwargs args data secretstr nan n/a na tbd unset set get post put deleted removed masked changeme mypassword
    """.split()
)
"""Words that stand where a secret would, and are none."""

_PATH = re.compile(
    r"(?:[a-z]+:)?[.~]{0,2}[/\\](?:[\w.@%+-]+[/\\])*[\w.@%+-]*|(?:[\w-]+/)+[\w-]*\.\w{1,5}"
    r"|[\w-]+\.(?:py|js|ts|json|ya?ml|txt|md|env|toml|sh|go|rs|java|html?|pem|key|crt|cfg|ini|conf)",
    re.ASCII,
)
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|->|\?\.)[A-Za-z_]\w*)+", re.ASCII)
_CALLS = ("process.env", "os.", "arn:", "--")
_PLACES = ("/", "./", "../", "~/", "@/")

_NO_PASSWORD = re.compile(
    # names of methods and standards
    r"(?:x?oauth|open-?id|sha|aes|rsa|md|ed|hs|rs|es|hmac|base|utf-?|ipv|rfc|fido|bip|https?|web|argon|bcrypt|scrypt|pbkdf"
    r"|rot|auth|win|iso|tls|ssl|wpa|wep|[hpvxskluc]|ec)[-_]?\d+(?:[-_./]?(?:bit|cbc|gcm|id|i|d)?\d*)?[a-z]?"
    # numbers with what is counted
    r"|\d+(?:[-–.,:/x]\d+)*[-+]?(?:chars?|characters?|digits?|letters?|symbols?|words?|bytes?|bits?|min|minutes?|hours?"
    r"|days?|sec|seconds?|ms|[kmg]i?b|th|st|nd|rd|px|[hdsxvcf])?(?:-[a-z]+)*"
    # endings that make names of files different
    r"|~[0-9a-f]{4,64}(?:\.(?:memo\.)?md)?[>\")\]]*"
    # addresses of mail, decorators of code
    r"|[\w.+%-]+@[\w-]+(?:\.[\w-]+)+[.,;:!?)]*|@[\w-]+",
    re.IGNORECASE,
)


def placeholder(value: str) -> bool:
    """Whether a value only says where a secret would stand."""
    value = value[:ENOUGH]
    if value.lower() in _SAYS_NOTHING or repetitive(value):
        return True
    return bool(_PLACEHOLDER.search(value) or _TALKS_OF_ONE.fullmatch(value) or _RULES.fullmatch(value))


def repetitive(value: str) -> bool:
    """Whether a value is made of hardly any different characters, as `xxxxxxxx` and `0000-0000` are."""
    return len(set(value[:ENOUGH])) < min(6, len(value) // 2) or _REPEATED.search(value) is not None


def usual(password: str) -> bool:
    """Whether a password is only the word for one, as in `user:pass@host`."""
    return password.lower() in _SAYS_NOTHING or len(password) < 3


def is_place(value: str) -> bool:
    """Whether a value says where something is, or how it is got: a path, an address, an expression."""
    value = value[:ENOUGH]
    if "://" in value or "()" in value or value.startswith((*_CALLS, *_PLACES)):
        return True
    return bool(_DOTTED.fullmatch(value) or _PATH.fullmatch(value))


def is_expression(value: str) -> bool:
    """The same of values that can't be anything else, however random they look."""
    return "://" in value[:ENOUGH] or "()" in value[:ENOUGH] or value.startswith(_CALLS)


def no_password(value: str) -> bool:
    """Whether a word with digits or signs in it is no password all the same: `SHA-256`, `8-12`, an address."""
    return "\\" in value or _NO_PASSWORD.fullmatch(value) is not None
