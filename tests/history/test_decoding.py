from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jam.history.parsing.decoding import decode, decode_narrow, looks_binary, printable

RUSSIAN = "Привет, как дела? Завтра мы пойдём в кино с друзьями."
JAPANESE = "今日はいい天気ですね。明日も晴れるでしょう。散歩に行きましょう。"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", ["Grüße aus München\r\nnächste Zeile", "plain words only, no more"])
def test_unicode_encodings(encoding, text):
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Le café était très agréable, à bientôt", "cp1252"),
        ("It’s a “quote” – fine", "cp1252"),
        ("Größe: 5 m", "cp1252"),
        ("x" * 3000 + " naïve", "cp1252"),
        (RUSSIAN, "cp1251"),
        (JAPANESE, "shift_jis"),
        ("我们明天去北京开会，讨论新的项目计划。", "gb18030"),
    ],
)
def test_code_pages(text, encoding):
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(
    "data",
    [b"abc\0def\0", b"mast\0keel\0rudder\0" * 40, b"one\0two\0ten\0" * 40],
)
def test_text_divided_by_zero_bytes_is_no_utf_16(data):
    assert decode(data) == data.decode("ascii")
    assert not looks_binary(data)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "text",
    [
        RUSSIAN + " OK, see you there. " * 4,
        "An em dash — and dots … so " * 9,
        f"{JAPANESE} And that is all that was said on that day.",
    ],
)
def test_utf_16_without_a_mark_in_two_alphabets(encoding, text):
    assert decode(text.encode(encoding)) == text


LOG = "".join(f"09:{n:02d} the pump of berth {n} is on\n" for n in range(20)).encode()


@pytest.mark.parametrize("emptied", [64, 4096, 60_000])
def test_a_log_with_a_block_of_zero_bytes_is_text(emptied):
    data = LOG[:300] + bytes(emptied) + LOG[300:]
    assert not looks_binary(data)
    assert decode(data).replace("\0", "") == LOG.decode()


@pytest.mark.parametrize("data", [bytes(100), b"\0\0\1\0\2\3" * 30, b"a.txt" + bytes(252) + b"ustar" + bytes(250)])
def test_zero_bytes_alone_are_no_text(data):
    assert looks_binary(data)


def test_a_few_damaged_bytes_do_not_cost_the_rest():
    data = (RUSSIAN * 3).encode() + b"\x93quoted\x94" + RUSSIAN.encode()
    assert decode(data) == RUSSIAN * 3 + "“quoted”" + RUSSIAN


def test_a_character_cut_at_the_end_keeps_utf8():
    assert decode("naïve é".encode()[:-1]).startswith("naïve ")


def test_lone_surrogates_pass():
    text = "a\ud800b"
    assert decode(text.encode("utf-8", "surrogatepass")) == text
    assert decode(b"\xff\xfe" + text.encode("utf-16-le", "surrogatepass")) == text


@given(st.binary(max_size=400))
def test_any_bytes_become_text(data):
    assert isinstance(decode(data), str)
    assert isinstance(decode_narrow(data), str)
    assert isinstance(looks_binary(data), bool)


@given(st.text(max_size=200))
def test_utf8_comes_back(text):
    assert decode_narrow(text.encode()) == text


@given(st.text(alphabet=st.characters(), max_size=100))
def test_printable_can_be_printed(text):
    assert printable(text).isprintable()
    printable(text).encode("utf-8")


@pytest.mark.parametrize(
    "data",
    [
        b"%PDF-1.7 some text",
        b"\x89PNG\r\n\x1a\n",
        b"PK\x03\x04rest",
        bytes(range(256)) * 4,
        b"\0\1\2\3\4\5",
        b"\0" * 50,
    ],
)
def test_binary(data):
    assert looks_binary(data)


@pytest.mark.parametrize(
    "data",
    [b"", b"hello", "é".encode(), "mañana".encode("cp1252"), "hi there".encode("utf-16"), "hello".encode("utf-16-le")],
)
def test_text(data):
    assert not looks_binary(data)


def test_a_sample_cut_inside_a_character_is_text():
    assert not looks_binary(("日" * 100).encode()[:-1])
