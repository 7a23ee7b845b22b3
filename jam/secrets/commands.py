"""Passwords that commands take as arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jam.secrets.judging import password_like
from jam.secrets.marks import Secret
from jam.secrets.placeholders import placeholder

_VALUE = r"(?P<quote>[\"']?)(?P<value>[^\s\"'`|;]{3,128})(?P=quote)(?=[\s`;|)\"']|$)"
_OPTIONS = r"[^\n|;]{0,200}?"

_CURL = re.compile(r"\b[^\n]{0,300}?\s(?:-u|--user|--proxy-user)[ =]?[\"']?[^\s:\"']{1,60}:(?P<value>[^\s\"']{3,128})")
_MYSQL = re.compile(rf"\w*{_OPTIONS}(?<=\s)-p(?P<quote>[\"']?)(?P<value>[^\s\"']{{3,128}})(?P=quote)(?=[\s`;]|$)")
_SUDO = re.compile(r"echo\s+(?:-\w+\s+)?[\"']?(?P<value>[^\s\"']{3,128})[\"']?\s*\|\s*sudo\s+-\w*S")
_LOGIN = re.compile(rf"{_OPTIONS}(?<=\s)-p[\s=]\s{{0,3}}{_VALUE}")
_OF_CLIENT = re.compile(rf"{_OPTIONS}(?<=\s)(?:-U|--user)[ =]?[\"']?[^\s%\"']{{1,60}}%(?P<value>[^\s\"'`]{{3,128}})")
_NET_USE = re.compile(
    rf"(?:{_OPTIONS}/user:\S{{1,60}}[ ]+(?=[^\s/]){_VALUE}"
    rf"|{_OPTIONS}(?<=\s)(?P<before>[^\s/\"'\\]{{3,128}})[ ]+/user:)",
    re.IGNORECASE,
)
_NET_USER = re.compile(
    rf"[ ]{{0,3}}[^\s/*]{{1,60}}[ ]{{1,3}}(?=[^\s/*]){_VALUE}(?=[ ]*(?:/|$|[\n|&;`]))", re.IGNORECASE
)
_DIRECTORY = re.compile(rf"\w*{_OPTIONS}\s-w[ ]?{_VALUE}")
_REDIS = re.compile(rf"{_OPTIONS}(?<=\s)-a\s+{_VALUE}")
_ARCHIVE = re.compile(rf"[ ]?{_VALUE}")
_SSHPASS = re.compile(rf"[ ]-p[ ]?{_VALUE}")
_WPA = re.compile(rf"[ ](?:\"[^\"\n]{{1,32}}\"|'[^'\n]{{1,32}}'|[^\s=:|;]{{1,32}})[ ]{_VALUE}")
_HTPASSWD = re.compile(
    rf"(?=[^\n]{{0,40}}?[ ]-\w*b)(?:[ ]+-[A-Za-z]+(?:[ ]\d+)?){{1,4}}(?:[ ]+[^\s>|;&-][^\s>|;&]*){{1,2}}[ ]+{_VALUE}"
)

_BEHIND = {
    "curl": _CURL,
    "ysql": _MYSQL,
    "gin ": _LOGIN,
    "client ": _OF_CLIENT,
    "b ": _MYSQL,
    "use ": _NET_USE,
    "user ": _NET_USER,
    "psearch": _DIRECTORY,
    "pmodify": _DIRECTORY,
    "cli ": _REDIS,
    "p -p ": _ARCHIVE,
}
PARTS = tuple(part.encode() for part in (*_BEHIND, "udo -"))
"""Parts of commands that are searched for, each with the password behind it, or before it."""
_BEGINS = {
    "gin ": re.compile(r"\b(?:docker|podman|nerdctl|buildah|skopeo|oras|crane|registry|oc|az|cf|tsh)[ ]{1,3}login $"),
    "user ": re.compile(r"(?:^|[\n>$#`&|;\"'(])[ ]?net user $", re.IGNORECASE),
}
"""What a command begins with whose name is a word of the language too."""
_NAMED = {"sshpass": _SSHPASS, "htpasswd": _HTPASSWD, "wpa_passphrase": _WPA}
_LOOK_BACK = 150


def find_argument(text: str, start: int, end: int) -> Iterator[Secret]:
    """The password given to the command of which `text[start:end]` is a part that tells it from others."""
    part = text[start:end].lower()
    if part == "udo -":
        match = _SUDO.search(text, max(0, start - _LOOK_BACK), end + 4)
    elif part in _BEGINS and not _BEGINS[part].search(text, max(0, start - _LOOK_BACK), end):
        match = None
    else:
        match = _BEHIND[part].match(text, end)
    yield from _found(match)


def find_argument_of(name: str, text: str, end: int) -> Secret | None:
    """The password given to a command that is named after passwords, behind its name."""
    form = _NAMED.get(name)
    return next(_found(form.match(text, end)), None) if form else None


def _found(match: re.Match[str] | None) -> Iterator[Secret]:
    if match is None:
        return
    group = "before" if match.groupdict().get("before") else "value"
    if _is_argument(match[group]):
        yield Secret("password", *match.span(group))


def _is_argument(value: str) -> bool:
    return not placeholder(value) and (password_like(value) or value.isalpha())
