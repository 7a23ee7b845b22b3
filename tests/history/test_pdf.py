from __future__ import annotations

import builtins
import io
import time

import pypdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jam.history.parsing.deadline import within
from jam.history.readers.documents import pdf as reader
from jam.history.registry import get_reader

from .conftest import read_all
from .files import pdf
from .test_robustness import check

INFO = {"Title": "Glaze tests", "Author": "Ann Lee", "CreationDate": "D:20240506070809+02'00'"}


def test_a_file(make, read):
    result = read(make({"papers/glaze.pdf": pdf([["First line.", "Second (line)."], ["On page two."]], INFO)}))
    session = result.session
    assert (session.id, session.kind, session.format) == ("papers/glaze.pdf", "document", "pdf")
    assert (session.title, session.at) == ("Glaze tests", "2024-05-06T07:08:09+02:00")
    assert (session.group, session.meta) == (("papers",), {"author": "Ann Lee", "pages": 2})
    assert [(m.text, m.meta) for m in session.messages] == [
        ("[page 1]\nFirst line.\nSecond (line).", {"page": 1}),
        ("[page 2]\nOn page two.", {"page": 2}),
    ]


@pytest.mark.parametrize(
    ("created", "at"),
    [
        ("D:20240506070809Z", "2024-05-06T07:08:09+00:00"),
        ("D:20240506070809-05'30'", "2024-05-06T07:08:09-05:30"),
        ("D:202405060708", "2024-05-06T07:08"),
        ("D:20240506", "2024-05-06"),
        ("20240506070809", "2024-05-06T07:08:09"),
        ("D:2024", None),
        ("D:20241345", None),
        ("May 2024", None),
        ("", None),
    ],
)
def test_dates(make, read, created, at):
    assert read(make({"a.pdf": pdf([["x"]], {"CreationDate": created})})).session.at == at


def test_a_date_in_the_name_counts_where_the_file_states_none(make, read):
    assert read(make({"2023-04-05 scan.pdf": pdf([["x"]])})).session.at == "2023-04-05"


@pytest.mark.parametrize(
    ("stated", "title"),
    [("", "my paper"), ("untitled", "my paper"), ("Microsoft Word - thesis.docx", "my paper"),
     ("paper_v3.tex", "my paper"), ("Microsoft Word - On kilns", "On kilns"), (" On  kilns ", "On kilns")],
)  # fmt: skip
def test_titles(make, read, stated, title):
    assert read(make({"my-paper.pdf": pdf([["x"]], {"Title": stated})})).session.title == title


def test_a_long_file_is_cut_between_pages(make, read):
    lines = ["Word after word in a line of a page that goes on and on."] * 40
    sessions = read(make({"a.pdf": pdf([lines] * 20, {"Title": "Long"})})).sessions
    assert [session.id for session in sessions] == ["a.pdf", "a.pdf#2", "a.pdf#3"]
    assert [session.title for session in sessions] == ["Long", "Long: page 8", "Long: page 15"]
    assert all(session.messages[0].text.startswith("[page ") for session in sessions)
    pages = [m.meta["page"] for session in sessions for m in session.messages]
    assert sorted(set(pages)) == list(range(1, 21))
    assert pages == sorted(pages)


def locked(data: bytes, password: str, algorithm: str) -> bytes:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    writer.encrypt(user_password=password, owner_password="owner", algorithm=algorithm)
    stream = io.BytesIO()
    writer.write(stream)
    return stream.getvalue()


@pytest.mark.parametrize("algorithm", ["RC4-128", "AES-256"])
def test_encrypted_files(make, read, algorithm):
    data = pdf([["secret"]])
    folder = make({"open.pdf": locked(data, "", algorithm), "shut.pdf": locked(data, "word", algorithm)})
    result = read(folder)
    assert [m.text for m in result.session.messages] == ["[page 1]\nsecret"]
    reasons = {row.name: row.reason for row in result.report.rows}
    assert reasons == {"open.pdf": None, "shut.pdf": "encrypted: save it without its password"}


def test_scans(make, read):
    folder = make({"scan.pdf": pdf([[], []]), "half.pdf": pdf([["x"], []]), "none.pdf": pdf([])})
    rows = {row.name: row for row in read(folder).report.rows}
    assert rows["scan.pdf"].reason == "no text in it (scanned?)"
    assert (rows["half.pdf"].status, rows["half.pdf"].note) == ("ingested", "1 of 2 pages without text (scanned?)")
    assert rows["none.pdf"].reason == "no page that can be read"


def test_what_is_a_pdf(make, read):
    junk = b"HTTP/1.1 200 OK\r\n\r\n" + pdf([["behind junk"]])
    folder = make({"a.pdf": b"not a PDF at all", "noname": junk, "b.txt": "about %PDF files", "c.pdf": b""})
    rows = {row.name: (row.format, row.status) for row in read(folder).report.rows}
    assert rows["a.pdf"] == ("pdf", "skipped")
    assert rows["noname"] == ("pdf", "ingested")
    assert rows["b.txt"] == ("plain_text", "ingested")
    assert rows["c.pdf"] == (None, "skipped")


def test_without_the_library(make, read, monkeypatch):
    real = builtins.__import__

    def missing(name, *rest, **more):
        if name == "pypdf":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    row = read(make({"a.pdf": pdf([["x"]])})).row
    assert (row.format, row.reason) == ("pdf", "PDF files need the extra: pip install 'jam-memory[documents]'")
    assert get_reader("pdf").extra == "documents"


def test_damaged_files(make, read):
    data = pdf([["x"]])
    loop = data.replace(b"/Kids [5 0 R]", b"/Kids [2 0 R]")
    assert loop != data
    for bad in (data[:100], data[:-200], loop, b"%PDF-1.4\n" + b"<<" * 50_000, b"%PDF-1.7\n" + b"[" * 100_000):
        row = read(make({"a.pdf": bad})).row
        assert "reader failed" not in (row.reason or "")
        assert row.reason or row.status == "ingested"


def test_a_page_that_never_ends_is_given_up(make, read, monkeypatch):
    def endless(self, *rest, **more):
        while True:
            time.sleep(0.001)

    monkeypatch.setattr(reader, "_PAGE_SECONDS", 0.05)
    monkeypatch.setattr(pypdf.PageObject, "extract_text", endless)
    row = read(make({"a.pdf": pdf([["x"]] * 9)})).row
    assert row.reason == "no page that can be read"
    assert [skipped.where for skipped in row.records_skipped] == ["page 1", "page 2", "page 3", "the rest of the file"]
    assert row.records_skipped[0].reason == "it took longer than 0.05 seconds"


def test_a_deadline():
    assert within(5, lambda: 7) == 7
    with pytest.raises(ValueError, match="mine"):
        within(5, lambda: (_ for _ in ()).throw(ValueError("mine")))
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        within(0.05, lambda: [time.sleep(0.001) for _ in iter(int, 1)])
    assert time.monotonic() - began < 5


FEW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
LETTERS = st.characters(codec="ascii", exclude_categories=("C", "Z"), exclude_characters="`'")
LINE = st.lists(st.text(LETTERS, min_size=1, max_size=8), min_size=1, max_size=4).map(" ".join)


@FEW
@given(st.lists(st.lists(LINE, min_size=1, max_size=5), min_size=1, max_size=4))
def test_pages_come_back(tmp_path_factory, pages):
    path = tmp_path_factory.mktemp("h") / "a.pdf"
    path.write_bytes(pdf(pages))
    found = ["".join(m.text.split("\n", 1)[1].split()) for m in read_all(path).session.messages]
    assert found == ["".join("".join(lines).split()) for lines in pages]


SEEDS = [pdf([["Hello world.", "More."], ["Page two."]], INFO), locked(pdf([["x"]]), "", "RC4-128")]


@FEW
@given(st.sampled_from(SEEDS), st.data())
def test_damage(tmp_path_factory, seed, data):
    place = data.draw(st.integers(0, len(seed)))
    new = data.draw(st.binary(max_size=8))
    folder = tmp_path_factory.mktemp("h")
    (folder / "a.pdf").write_bytes(seed[:place] + new + seed[place + data.draw(st.integers(0, 40)) :])
    check(folder)
