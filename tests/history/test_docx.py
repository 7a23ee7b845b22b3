from __future__ import annotations

import io
from datetime import UTC, datetime
from xml.sax.saxutils import escape

import docx as word
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .conftest import read_all
from .files import archive, docx
from .test_robustness import check


def saved(document) -> bytes:
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def report() -> bytes:
    document = word.Document()
    document.core_properties.title = "Kiln report"
    document.core_properties.author = "Ann Lee"
    document.core_properties.created = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
    document.core_properties.modified = datetime(2024, 6, 7, 8, 9, 10, tzinfo=UTC)
    document.add_heading("Kiln report", 0)
    document.add_heading("Results", 1)
    paragraph = document.add_paragraph("It fired ")
    paragraph.add_run("twice").bold = True
    paragraph.add_run(".\tThen\nit cooled.")
    document.add_paragraph("wax", style="List Bullet")
    document.add_paragraph("thin", style="List Bullet 2")
    document.add_paragraph("dry", style="List Number")
    document.add_paragraph("fire", style="List Number")
    table = document.add_table(2, 2)
    for place, text in enumerate(["Cone", "Heat", "6", "1,222 | 1,240"]):
        table.cell(place // 2, place % 2).text = text
    document.add_paragraph("Never open it early.", style="Quote")
    document.add_heading("Details", 2)
    document.add_paragraph("After the table.")
    return saved(document)


def test_a_report(make, read):
    session = read(make({"work/report.docx": report()})).session
    assert (session.id, session.kind, session.format) == ("work/report.docx", "document", "docx")
    assert (session.title, session.at, session.group) == ("Kiln report", "2024-05-06T07:08:09+00:00", ("work",))
    assert session.meta == {"author": "Ann Lee", "modified": "2024-06-07T08:09:10+00:00"}
    assert "\n\n".join(m.text for m in session.messages) == "\n\n".join(
        [
            "# Kiln report\n\n# Results\n\nIt fired twice.\tThen\nit cooled.",
            "- wax\n  - thin\n\n1. dry\n2. fire",
            "| Cone | Heat |\n| --- | --- |\n| 6 | 1,222 \\| 1,240 |",
            "> Never open it early.",
            "## Details\n\nAfter the table.",
        ]
    )


def test_the_date_of_a_template_dates_nothing(make, read):
    document = word.Document()
    document.add_paragraph("x")
    assert document.core_properties.created.year == 2013
    session = read(make({"my-notes.docx": saved(document)})).session
    assert (session.at, session.title) == (None, "my notes")


def p(text: str, properties: str = "") -> str:
    return f'<w:p><w:pPr>{properties}</w:pPr><w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r></w:p>'


RUN = "<w:r><w:t>here</w:t></w:r>"


def control(properties: str, content: str) -> str:
    return f"<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>"


def texts(make, read, body: str, parts: dict[str, str | bytes] | None = None) -> str:
    return "\n\n".join(read(make({"a.docx": docx(body, parts)})).texts)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<w:p><w:ins>" + RUN + "</w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del></w:p>", "here"),
        ("<w:p><w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom>" + RUN + "</w:p>", "here"),
        ('<w:p><w:r><w:fldChar/><w:instrText>HYPERLINK "x"</w:instrText><w:t>shown</w:t></w:r></w:p>', "shown"),
        ("<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r></w:p>", "a\tb"),
        ('<w:p><w:r><w:t>a</w:t><w:br/><w:t>b</w:t><w:br w:type="page"/><w:t>c</w:t></w:r></w:p>', "a\nbc"),
        ("<w:p><w:r><w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t></w:r></w:p>", "a-b"),
        (p("Deep", '<w:outlineLvl w:val="2"/>'), "### Deep"),
        (p("Body", '<w:outlineLvl w:val="9"/>'), "Body"),
        (p(" ") + p("x") + "<w:p/>", "x"),
        (control("<w:showingPlcHdr/>", p("Click here")) + p("x"), "x"),
        (control("", p("kept")), "kept"),
        ("<w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent>" + p("box") + "</w:txbxContent></mc:Choice>"
         "<mc:Fallback>" + p("box") + "</mc:Fallback></mc:AlternateContent><w:t>here</w:t></w:r></w:p>", "box\n\nhere"),
        ("<w:tbl><w:tr><w:tc>" + p("only") + "</w:tc></w:tr><w:tr><w:tc>" + p("one column") + "</w:tc></w:tr></w:tbl>",
         "only\n\none column"),
        ("<w:tbl><w:tr><w:tc>" + p("a") + p("b") + "</w:tc><w:tc><w:p/></w:tc></w:tr><w:tr><w:tc>" + p("c") + "</w:tc>"
         "</w:tr></w:tbl>", "| a b |  |\n| --- | --- |\n| c |  |"),
    ],
)  # fmt: skip
def test_parts_of_a_text(make, read, body, text):
    assert texts(make, read, body) == text


def test_styles_by_their_names_and_parents(make, read):
    styles = (
        '<w:styles xmlns:w="w"><w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>'
        '<w:style w:styleId="Mine"><w:name w:val="My Heading"/><w:basedOn w:val="berschrift2"/></w:style>'
        '<w:style w:styleId="Loop"><w:name w:val="Loop"/><w:basedOn w:val="Loop"/></w:style>'
        '<w:style w:styleId="C"><w:name w:val="Source Code"/></w:style>'
        '<w:style w:styleId="T"><w:name w:val="toc 1"/></w:style></w:styles>'
    )
    style = '<w:pStyle w:val="{}"/>'.format
    body = p("Contents...1", style("T")) + p("Two", style("Mine")) + p("x = 1", style("C")) + p("", style("C"))
    body += p("y = 2", style("C")) + p("loop", style("Loop")) + p("unknown", style("None"))
    result = read(make({"a.docx": docx(body, {"word/styles.xml": styles})}))
    assert "\n\n".join(result.texts) == "## Two\n\n```\nx = 1\n\ny = 2\n```\n\nloop\n\nunknown"
    assert result.row.ignored == 1


def test_lists_count(make, read):
    numbering = (
        '<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:start w:val="11"/>'
        '<w:numFmt w:val="decimal"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/></w:lvl></w:abstractNum>'
        '<w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num></w:numbering>'
    )

    def item(text: str, level: int, number: int = 3) -> str:
        return p(text, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')

    body = (
        item("a", 0)
        + item("b", 1)
        + item("c", 1)
        + item("d", 0)
        + item("e", 1)
        + item("plain", 0, 0)
        + item("f", 0, 99)
    )
    shown = "11. a\n  a. b\n  b. c\n12. d\n  a. e\n\nplain\n\n- f"
    assert texts(make, read, body, {"word/numbering.xml": numbering}) == shown


RELATIONS = """<Relationships><Relationship Id="r1" Type="t/image" Target="media/kiln.png"/>
<Relationship Id="r2" Type="t/hyperlink" Target="https://clay.example/" TargetMode="External"/></Relationships>"""


def test_pictures_and_links(make, read):
    body = (
        '<w:p><w:r><w:t>See </w:t><w:drawing><wp:docPr descr="the kiln"/><a:blip r:embed="r1"/></w:drawing></w:r>'
        '<w:hyperlink r:id="r2"><w:r><w:t>here</w:t></w:r></w:hyperlink><w:r><w:pict r:id="gone"/></w:r></w:p>'
    )
    parts = {"word/_rels/document.xml.rels": RELATIONS, "word/media/kiln.png": b"\x89PNG payload"}
    result = read(make({"a.docx": docx(body, parts)}))
    (message,) = result.session.messages
    assert message.text == "See [image: the kiln] [image: image/png, 12 bytes]here (https://clay.example/)"
    assert [(a.media_type, a.name) for a in message.attachments] == [("image/png", "kiln.png")]
    assert list(result.spilled.values()) == [b"\x89PNG payload"]


def test_notes_and_comments(make, read):
    notes = f'<w:footnotes xmlns:w="w"><w:footnote w:type="separator" w:id="-1">{p("-")}</w:footnote>'
    notes += f'<w:footnote w:id="2">{p("the first firing")}</w:footnote></w:footnotes>'
    comments = f'<w:comments xmlns:w="w"><w:comment w:id="0" w:author="Bo" w:date="2024-05-07T08:09:00Z">{p("Sure?")}'
    comments += "</w:comment></w:comments>"
    body = '<w:p><w:r><w:t>Bisque</w:t><w:footnoteReference w:id="2"/></w:r></w:p>'
    parts = {"word/footnotes.xml": notes, "word/comments.xml": comments}
    messages = read(make({"a.docx": docx(body, parts)})).session.messages
    assert [(m.text, m.speaker, m.at) for m in messages] == [
        ("Bisque[^2]\n\n[^2]: the first firing", None, None),
        ("[comment] Sure?", "Bo", "2024-05-07T08:09:00+00:00"),
    ]


def test_tracked_changes_are_told(make, read):
    body = p("kept") + "<w:p><w:del><w:r><w:delText>old</w:delText></w:r></w:del></w:p>"
    assert read(make({"a.docx": docx(body)})).session.meta == {"tracked_changes": True}


def test_files_that_cannot_be_read(make, read):
    entity = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><document><p><r><t>&b;</t></r></p></document>'
    folder = make(
        {
            "a.docx": b"\xd0\xcf\x11\xe0" + bytes(600),
            "b.docx": archive({"xl/workbook.xml": "<x/>"}),
            "c.docx": docx(""),
            "d.docx": docx(p("x"))[:100],
            "e.docx": archive({"word/document.xml": entity}),
            "f.docx": archive({"word/document.xml": f'<w:document xmlns:w="w">{p("before")}<w:p><w:r>'}),
            "g.docx": "just text",
            "h.bin": docx(p("x")),
        }
    )
    rows = {row.name: row for row in read(folder).report.rows}
    assert rows["a.docx"].reason.startswith("encrypted, or a Word file from before 2007")
    assert rows["b.docx"].reason == "not a Word file: it has no document in it"
    assert rows["c.docx"].reason == "no text in it"
    assert rows["d.docx"].reason.startswith("damaged: not a zip archive")
    assert rows["e.docx"].reason == "XML that declares entities"
    assert (rows["f.docx"].status, rows["f.docx"].messages) == ("ingested", 1)
    assert rows["f.docx"].records_skipped[0].where == "the rest of the file"
    assert (rows["g.docx"].format, rows["g.docx"].reason) == (None, "unsupported format")
    assert rows["h.bin"].format == "docx"


def test_deep_nesting_is_no_trouble(make, read):
    tables = "<w:tbl><w:tr><w:tc>" * 3000 + p("deep") + "</w:tc></w:tr></w:tbl>" * 3000
    assert texts(make, read, tables) == "deep"


FEW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
LETTERS = st.characters(exclude_categories=("C", "Z"), exclude_characters="#|`~-*+=>•\u00ad")
SENTENCE = st.lists(st.text(LETTERS, min_size=1, max_size=8), min_size=1, max_size=5).map(" ".join)


@FEW
@given(st.lists(SENTENCE, min_size=1, max_size=12))
def test_paragraphs_come_back(tmp_path_factory, sentences):
    path = tmp_path_factory.mktemp("h") / "a.docx"
    path.write_bytes(docx("".join(map(p, sentences))))
    messages = read_all(path).session.messages
    assert "\n\n".join(m.text for m in messages).split("\n\n") == sentences


SEEDS = [report(), docx(p("Hello") + "<w:tbl><w:tr><w:tc>" + p("a") + "</w:tc></w:tr></w:tbl>")]


@FEW
@given(st.sampled_from(SEEDS), st.data())
def test_damage(tmp_path_factory, seed, data):
    place = data.draw(st.integers(0, len(seed)))
    new = data.draw(st.binary(max_size=8))
    folder = tmp_path_factory.mktemp("h")
    (folder / "a.docx").write_bytes(seed[:place] + new + seed[place + data.draw(st.integers(0, 40)) :])
    check(folder)


NAMES = "p r t tbl tr tc sdt sdtContent hyperlink footnote comment del br pStyle".split()


def element(name: str, parts: list[str]) -> str:
    return f"<{name}>{''.join(parts)}</{name}>"


NESTED = st.recursive(
    st.just("x"), lambda inner: st.builds(element, st.sampled_from(NAMES), st.lists(inner, max_size=4))
)


@FEW
@given(NESTED)
def test_any_structure(tmp_path_factory, body):
    folder = tmp_path_factory.mktemp("h")
    (folder / "a.docx").write_bytes(archive({"word/document.xml": f"<document>{body}</document>"}))
    check(folder)
