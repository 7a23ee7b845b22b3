"""The word for password in languages that write it otherwise than English, and what is said with it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from jam.secrets.assigned import find_assigned
from jam.secrets.judging import password_like, strong_password
from jam.secrets.marks import Secret
from jam.secrets.names import PASSWORD
from jam.secrets.sentences import OPEN, VALUE, find_said, trimmed

IN_ASCII = """
    wagwoord adgangskode kodeord salasana jelsz parool lozink geslo parola haslo contrasenya contrasinal pasahitz
    nenosiri kata|sandi kata|laluan
""".replace("|", "_").split()
"""How the words begin, whatever their endings are; `_` is a space."""

UNSPACED = ("密码", "密碼", "口令", "パスワード", "暗証番号", "비밀번호", "암호")
SPACED = (
    *("парол", "лозинк", "құпиясөз", "нууц үг", "hasło", "lösenord", "salasõna", "lykilorð", "slaptažod", "fjalëkalim"),
    *("şifre", "parolă", "κωδικός", "κωδικο", "mật khẩu", "პაროლ", "գաղտնաբառ"),
    *("كلمة السر", "كلمة المرور", "رمز عبور", "گذرواژه", "رمز ورود", "پاس ورڈ", "סיסמ", "סיסמא"),
    *("पासवर्ड", "कूटशब्द", "পাসওয়ার্ড", "পাসওয়ার্ড", "પાસવર્ડ", "ਪਾਸਵਰਡ", "கடவுச்சொல்", "పాస్వర్డ్", "ಪಾಸ್ವರ್ಡ್"),
    *("പാസ്വേഡ്", "මුරපදය", "รหัสผ่าน", "ລະຫັດຜ່ານ", "ពាក្យសម្ងាត់", "စကားဝှက်", "የይለፍ ቃል"),
)

_IS = r"ist|is|er|är|on|ali|van|je|jest|este|e|è|és|da|adalah|ialah|là|είναι|є|это|је|היא|הוא|זה|هي|هو|है|হল|คือ|yra|ni"
_SAID = re.compile(
    rf"(?:[ ][^\s:：=,;.!?]{{1,20}}){{0,3}}?(?:[ ](?:{_IS})|[ ]?[:：=]|[ ][-–—])[ ]?{VALUE}", re.IGNORECASE
)
_IS_BEFORE = ("คือ", "ຄື")
_IS_BEHIND = re.compile(r"[\"'”]?[ ]?(?:है|हैं|आहे|است|です|입니다)")
_BESIDE = re.compile(rf"[ ]?{VALUE}")
_CJK = re.compile(rf"[ ]?(?:[是为為はが는은]|[:：=])?[ ]?[:：]?[ ]?(?P<open>{OPEN})(?P<value>[!-~]{{4,128}})")


def find_said_spaced(text: str, start: int, end: int) -> Iterator[Secret]:
    """The password given behind a form of the word, of which the beginning is `text[start:end]`."""
    latin = text[end - 1].isascii()
    while end < len(text) and _goes_on(text[end], latin):
        end += 1
    secret = find_assigned(text, start, end, PASSWORD)[0] or find_said(text, start, end, PASSWORD)
    if secret is None:
        match, judged = _SAID.match(text, end), password_like
        if match is None or not judged(trimmed(match)):
            match = _BESIDE.match(text, end)
            judged = password_like if match and _is_said(text, match) else strong_password
        if match and judged(trimmed(match)):
            place = match.start("value")
            secret = Secret(PASSWORD.kind, place, place + len(trimmed(match)))
    if secret:
        yield secret


def _is_said(text: str, match: re.Match[str]) -> bool:
    """Whether a word that stands for `is` follows what is beside, or is written as one with what comes before it."""
    behind = match.start("value") + len(trimmed(match))
    return text.endswith(_IS_BEFORE, 0, match.start()) or _IS_BEHIND.match(text, behind) is not None


def _goes_on(sign: str, latin: bool) -> bool:
    """Whether a word goes on with this sign; one in another alphabet does not with a Latin letter."""
    return (sign.isalpha() or unicodedata.category(sign)[0] == "M") and (latin or not sign.isascii())


def find_said_unspaced(text: str, start: int, end: int) -> Iterator[Secret]:
    """The same, in Chinese, Japanese and Korean: no spaces, and the password is what is written in Latin letters."""
    match = _CJK.match(text, end)
    if match and password_like(trimmed(match)):
        place = match.start("value")
        yield Secret(PASSWORD.kind, place, place + len(trimmed(match)))
