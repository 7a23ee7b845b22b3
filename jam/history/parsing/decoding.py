"""Bytes to text: whatever the encoding, a text always comes out, and as little as possible is lost.

The order: byte order mark, UTF-8 (lone surrogates included), UTF-16 without a mark, UTF-8 with a few damaged bytes,
then detection; Windows-1252 is the last resort because every byte means something in it. Nothing here knows about
files or formats.
"""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with the same two bytes
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MAGIC = tuple(b"%PDF- PK\x03\x04 \x89PNG \xff\xd8\xff GIF8 \x1f\x8b 7z\xbc\xaf SQLite".split())
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\x08\x1b")) + b"\x7f"
_TYPED = frozenset(range(0x20, 0x7F)) | frozenset(b"\t\n\r")
_EMPTIED = re.compile(rb"\0{16,}")
"""What a crash leaves in a file that was being written."""
_DETECTION_BYTES = 65_536
_WESTERN = set("àâäæçéèêëîïôœùûüÿñáíóúãõåøößÀÂÄÆÇÉÈÊËÎÏÔŒÙÛÜÑÁÍÓÚÃÕÅØÖ¡¿«»°§·€£©®™…–—‘’“”„•\u00a0")
_LATIN_GUESS = re.compile(r"cp(1250|1252|1254|1257|1258|437|775|85\d)|latin|iso8859|mac_|hp_roman", re.IGNORECASE)
_SECOND_GUESS_BELOW = 8
"""With fewer bytes outside ASCII than this, a guess at an East Asian encoding is no better than chance."""


_STRAY_BYTE = re.compile("[\udc80-\udcff]+")
_WINDOWS = {b: bytes((b,)).decode("cp1252", "ignore") or chr(b) for b in range(0x80, 0xA0)}


def windows_text(data: bytes) -> str:
    """Windows-1252; the five bytes that it leaves undefined become the control characters of Latin-1."""
    return data.decode("latin-1").translate(_WINDOWS)


def mark_of(data: bytes) -> tuple[str, int] | None:
    """The encoding that a byte order mark announces, and the mark's length."""
    return next(((name, len(mark)) for mark, name in _MARKS if data.startswith(mark)), None)


def wide_encoding(data: bytes) -> str | None:
    """UTF-16 or UTF-32 by its mark, or UTF-16 without one by its zero bytes."""
    mark = mark_of(data)
    if mark is not None:
        return mark[0] if mark[0] != "utf-8" else None
    head = data[:4096]
    half = len(head) // 2
    if half < 2:
        return None
    first, second = head[0 : 2 * half : 2], head[1::2]
    even, odd = first.count(0), second.count(0)
    if odd > 0.4 * half and even < 0.05 * half and not _is_divided(second, first):
        return "utf-16-le"
    if even > 0.4 * half and odd < 0.05 * half and not _is_divided(first, second):
        return "utf-16-be"
    return None


def _is_divided(high: bytes, low: bytes) -> bool:
    """Whether text of one-byte units is divided by zero bytes: what would be the high bytes of other alphabets are
    letters too, and so are the low ones."""
    pairs = [(one, other) for one, other in zip(high, low, strict=True) if one]
    letters = sum(one > 0x20 for one, _ in pairs)
    return letters > 0.1 * len(high) and all(one in _TYPED and other in _TYPED for one, other in pairs)


def looks_binary(sample: bytes) -> bool:
    """Whether the beginning of a file is something else than text."""
    if sample.startswith(_MAGIC) or sample[257:262] == b"ustar":
        return True
    if not sample or mark_of(sample) or wide_encoding(sample):
        return False
    written = _EMPTIED.sub(b"", sample)
    zeros = written.count(0)
    controls = len(written) - len(written.translate(None, _CONTROLS))
    try:
        written[:-3].decode("utf-8", "surrogatepass")  # the sample may end inside a character
    except UnicodeDecodeError:
        return controls > 0.02 * len(written)
    return not written or zeros > len(written) / 3 or controls - zeros > 0.1 * len(written)


def decode(data: bytes) -> str:
    """The text of a whole file or of a sample of one. Never raises."""
    wide = wide_encoding(data)
    if wide is not None:
        mark = mark_of(data)
        return _decode_wide(data[mark[1] if mark else 0 :], wide)
    return decode_narrow(data.removeprefix(codecs.BOM_UTF8))


def decode_narrow(data: bytes) -> str:
    """Text of one-byte units: UTF-8 or a code page. Never raises."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        pass
    damaged = _damaged_utf8(data)
    if damaged is not None:
        return damaged
    encoding = detect(data)
    if encoding is not None:
        try:
            return data.decode(encoding)
        except (UnicodeError, LookupError):
            pass
    return windows_text(data)


def detect(data: bytes) -> str | None:
    """The likeliest code page of bytes that are not UTF-8, `None` for Windows-1252."""
    lines = [line for line in data.splitlines(keepends=True) if not line.isascii()]
    sample = b"".join(lines)[:_DETECTION_BYTES]
    high = [b for b in sample if b > 127]
    # Western text has few bytes outside ASCII, and detection mistakes it for its Central European neighbours.
    if _is_western(high):
        return None
    best = from_bytes(sample).best()
    if best is None or (len(high) < _SECOND_GUESS_BELOW and not _LATIN_GUESS.search(best.encoding)):
        return None
    return best.encoding


def _is_western(high: list[int]) -> bool:
    """Whether nearly all bytes outside ASCII are letters and signs of Western European languages, and scattered."""
    text = windows_text(bytes(high[:4096]))
    return sum(char in _WESTERN for char in text) >= 0.97 * len(text) and len(set(text)) <= max(3, len(text) // 2 + 4)


def _damaged_utf8(data: bytes) -> str | None:
    """UTF-8 with some damage, that is far more whole characters than stray bytes, which are read as Windows-1252."""
    text = data.decode("utf-8", "surrogateescape")
    stray = sum(len(found[0]) for found in _STRAY_BYTE.finditer(text))
    whole = sum(char > "\x7f" for char in text) - stray
    if whole < 4 * stray and not (stray <= 3 and _ends_cut(data)):
        return None
    return mend_strays(text)


def mend_strays(text: str) -> str:
    """Text decoded with `surrogateescape`: its stray bytes are read as Windows-1252."""
    return _STRAY_BYTE.sub(lambda found: windows_text(found[0].encode("utf-8", "surrogateescape")), text)


def _ends_cut(data: bytes) -> bool:
    """Whether the only fault is a character cut off at the very end."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data" and error.start > 0
    return False


def _decode_wide(data: bytes, encoding: str) -> str:
    unit = 4 if "32" in encoding else 2
    whole = data[: len(data) // unit * unit]
    try:
        return whole.decode(encoding, "surrogatepass")
    except UnicodeDecodeError:
        return whole.decode(encoding, "replace")


def printable(text: str) -> str:
    """Text that can be printed anywhere: lone surrogates and control characters become escapes."""
    return "".join(
        char if char.isprintable() or char == " " else char.encode("unicode_escape", "surrogatepass").decode("ascii")
        for char in text
    )
