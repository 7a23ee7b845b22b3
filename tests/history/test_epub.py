from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .conftest import read_all
from .files import archive, epub
from .test_robustness import check

METADATA = (
    "<dc:title>The Kiln &amp; I</dc:title><dc:creator>Ann Lee</dc:creator><dc:creator>Bo Berg</dc:creator>"
    '<dc:date opf:event="conversion">2024-01-01</dc:date><dc:date opf:event="publication">1998-07-06</dc:date>'
    "<dc:language>en</dc:language>"
)
CHAPTERS = {"one.xhtml": "<h1>One</h1><p>It began.</p>", "two.xhtml": "<h1>Two</h1><p>It went on.</p><p>It ended.</p>"}


def test_a_book(make, read):
    session = read(make({"books/kiln.epub": epub(CHAPTERS, METADATA)})).session
    assert (session.id, session.kind, session.format) == ("books/kiln.epub", "document", "epub")
    assert (session.title, session.at, session.group) == ("The Kiln & I", "1998-07-06", ("books",))
    assert session.meta == {"author": "Ann Lee, Bo Berg", "language": "en"}
    assert [m.text for m in session.messages] == ["# One\n\nIt began.", "# Two\n\nIt went on.\n\nIt ended."]


def test_the_spine_orders_the_chapters_and_navigation_is_left_out(make, read):
    chapters = {"a.xhtml": "<p>second</p>", "b.xhtml": "<p>first</p>", "cover.xhtml": "<p>Cover</p>"}
    nav = '<item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
    spine = "".join(f'<itemref idref="{name}"/>' for name in ("c2", "n", "c1", "c0", "gone"))
    guide = '<reference type="cover" href="cover.xhtml#top"/>'
    result = read(make({"a.epub": epub(chapters, "<dc:title>T</dc:title>", nav, spine, guide)}))
    assert result.texts == ["first", "second"]
    assert result.row.ignored == 2


@pytest.mark.parametrize(
    ("metadata", "title", "at"),
    [
        ("", "my book", None),
        ("<dc:date>2019-03-04</dc:date>", "my book", "2019-03-04"),
        ("<dc:date>1998</dc:date><dc:title> A\n title </dc:title>", "A title", None),
        ('<dc:title id="t">First</dc:title><dc:title>Second</dc:title>', "First", None),
        ('<dc:date opf:event="modification">2024-01-01</dc:date>', "my book", None),
    ],
)
def test_what_a_book_says_of_itself(make, read, metadata, title, at):
    session = read(make({"my-book.epub": epub(CHAPTERS, metadata)})).session
    assert (session.title, session.at) == (title, at)


def test_a_long_book_is_cut_at_chapters(make, read):
    chapters = {f"{n}.xhtml": f"<h1>Chapter {n}</h1>" + "<p>One two three four five.</p>" * 300 for n in range(1, 6)}
    titles = [session.title for session in read(make({"a.epub": epub(chapters, METADATA)})).sessions]
    assert titles == ["The Kiln & I", "The Kiln & I: Chapter 3", "The Kiln & I: Chapter 5"]


def encryption(path: str) -> str:
    return f'<encryption><EncryptedData><CipherReference URI="{path}"/></EncryptedData></encryption>'


def test_books_that_cannot_be_read(make, read):
    def with_part(path: str) -> bytes:
        import io
        import zipfile

        stream = io.BytesIO(epub(CHAPTERS))
        with zipfile.ZipFile(stream, "a") as target:
            target.writestr("META-INF/encryption.xml", encryption(path))
        return stream.getvalue()

    folder = make(
        {
            "half.epub": with_part("OEBPS/one.xhtml"),
            "font.epub": with_part("OEBPS/font.otf"),
            "missing.epub": epub({}, "", '<item id="x" href="x.xhtml" media-type="application/xhtml+xml"/>'),
            "empty.epub": epub({"one.xhtml": ""}),
            "nothing.epub": archive({"mimetype": "application/epub+zip"}),
            "cut.epub": epub(CHAPTERS)[:200],
        }
    )
    rows = {row.name: row for row in read(folder).report.rows}
    assert [str(skipped.where) for skipped in rows["half.epub"].records_skipped] == ["chapter 1"]
    assert (rows["half.epub"].status, rows["font.epub"].skipped_count) == ("ingested", 0)
    assert rows["missing.epub"].reason == rows["empty.epub"].reason == "no text in it"
    assert rows["nothing.epub"].reason == "not an e-book that can be read: META-INF/container.xml is missing"
    assert rows["cut.epub"].reason.startswith("damaged: not a zip archive that can be read")


def test_a_bomb_is_read_no_further(make, read, monkeypatch):
    from jam.history.parsing import packages

    monkeypatch.setattr(packages, "MAX_EXPANDED", 100_000)
    result = read(make({"a.epub": epub({"1.xhtml": "<p>x</p>" + "y " * 500_000, "2.xhtml": "<p>z</p>"})}))
    assert result.row.status == "ingested"
    assert [skipped.where for skipped in result.row.records_skipped] == ["chapter 2"]


FEW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
LETTERS = st.characters(exclude_categories=("C", "Z"), exclude_characters="<>&#|`-*+=\u00ad")
SENTENCE = st.lists(st.text(LETTERS, min_size=1, max_size=8), min_size=1, max_size=5).map(" ".join)


@FEW
@given(st.lists(st.lists(SENTENCE, min_size=1, max_size=4), min_size=1, max_size=4))
def test_chapters_come_back(tmp_path_factory, chapters):
    path = tmp_path_factory.mktemp("h") / "a.epub"
    pages = {f"{n}.xhtml": "".join(f"<p>{each}</p>" for each in chapter) for n, chapter in enumerate(chapters)}
    path.write_bytes(epub(pages, METADATA))
    assert [m.text for m in read_all(path).session.messages] == ["\n\n".join(chapter) for chapter in chapters]


SEEDS = [epub(CHAPTERS, METADATA)]


@FEW
@given(st.sampled_from(SEEDS), st.data())
def test_damage(tmp_path_factory, seed, data):
    place = data.draw(st.integers(0, len(seed)))
    new = data.draw(st.binary(max_size=8))
    folder = tmp_path_factory.mktemp("h")
    (folder / "a.epub").write_bytes(seed[:place] + new + seed[place + data.draw(st.integers(0, 40)) :])
    check(folder)
