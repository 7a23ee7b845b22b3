from __future__ import annotations

import base64
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jam.history.parsing.html.page import html_to_text, read_page

from .conftest import read_all
from .test_robustness import RELAXED, check

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<title>Glazes &amp; kilns | Clay Weekly</title>
<meta property="article:published_time" content="2024-05-06T07:08:09+02:00"><meta name="author" content="Ann Lee">
<link rel="canonical" href="https://clay.example/glazes"><style>p { color: red }</style>
<script>document.write("<p>never</p>")</script></head>
<body><header><a href="/">Clay Weekly</a></header><nav><ul><li>Home<li>Shop</ul></nav>
<main><h1>Glazes &amp; kilns</h1>
<p>First <b>para</b>graph,<br>second line.
<p>Then <!-- not this --> more &lt;text&gt; &#x2014; caf&eacute;.
<h2>Steps</h2>
<ul><li>wax<ul><li>thin</ul><li>dip <p>twice</p></ul><ol start=3><li>dry<li>fire</ol>
<pre><code class="language-python">x = 1
if x &lt; 2:
    pass
</code></pre>
<table><caption>Cones</caption><tr><th>Cone<th>Heat<tr><td>6<td>1,222 | 1,240</table>
<blockquote><p>Never open it early.</blockquote>
<p style="display: none">hidden</p><img src="kiln.jpg" alt="a kiln"><dl><dt>Bisque<dd>the first firing</dl>
<div class="share">Share this!</div></main>
<footer>© Clay Weekly</footer></body></html>"""
TEXT = """# Glazes & kilns

First paragraph,
second line.

Then more <text> — café.

## Steps

- wax
  - thin
- dip
  twice

3. dry
4. fire

```python
x = 1
if x < 2:
    pass
```

Cones

| Cone | Heat |
| --- | --- |
| 6 | 1,222 \\| 1,240 |

> Never open it early.

[image: a kiln]

- Bisque
  the first firing"""


def test_a_page(make, read):
    session = read(make({"saved/glazes.html": PAGE})).session
    assert (session.id, session.kind, session.format) == ("saved/glazes.html", "document", "html")
    assert (session.title, session.at) == ("Glazes & kilns", "2024-05-06T07:08:09+02:00")
    assert (session.group, session.meta["author"]) == (("saved",), "Ann Lee")
    assert session.meta["address"] == "https://clay.example/glazes"
    assert "\n\n".join(m.text for m in session.messages) == TEXT
    assert {m.role for m in session.messages} == {"user"}


@pytest.mark.parametrize(
    ("head", "at"),
    [
        ('<meta name="date" content="2024-05-06">', "2024-05-06"),
        ('<meta name="citation_date" content="2024/05/06">', "2024-05-06"),
        ('<meta name="pubdate" content="20240506">', "2024-05-06"),
        ('<meta name="pubdate" content="May 6, 2024">', "2024-05-06"),
        ('<meta name="date" content="Mon, 06 May 2024 07:08:09 GMT">', "2024-05-06T07:08:09+00:00"),
        ('<meta name="date" content="05/06/2024">', None),
        ('<script type="application/ld+json">{"datePublished": "2024-05-06"}</script>', "2024-05-06"),
        ('<time datetime="2024-05-06">6 May</time>', "2024-05-06"),
        ('<time datetime="2024-05-06">a</time><time datetime="2023-01-01">b</time>', None),
        ('<time datetime="2023-01-01">b</time><time pubdate datetime="2024-05-06">a</time>', "2024-05-06"),
        ("<p>2024-05-06</p>", None),
        ("", None),
    ],
)
def test_dates_are_those_that_are_stated(make, read, head, at):
    assert read(make({"a.html": f"<html>{head}<p>text"})).session.at == at


@pytest.mark.parametrize(
    ("markup", "title"),
    [
        ("<title>One</title><p>x", "One"),
        ("<title>One - Site</title><h1>One</h1><p>x", "One"),
        ('<title>One - Site</title><meta property="og:title" content="Two &amp; three"><p>x', "Two & three"),
        ("<h1>Alone</h1><p>x", "Alone"),
        ('<title>Wax - Book</title><meta property="og:title" content="Book"><h1>Book</h1><main><h1>Wax</h1>x', "Wax"),
        ('<title>Site | Wax</title><meta property="og:title" content="Wax"><h1>Site</h1><h1>Wax</h1>x', "Wax"),
        ("<title> \n</title><p>x", "page"),
        ("<title>unclosed <p>x", "page"),
    ],
)
def test_titles(make, read, markup, title):
    assert read(make({"page.htm": markup})).session.title == title


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("<meta charset=windows-1251><p>Печь".encode("cp1251"), "Печь"),
        ("<meta http-equiv=Content-Type content='text/html; charset=Shift_JIS'><p>窯".encode("shift_jis"), "窯"),
        ("<meta charset=iso-8859-1><p>“café”".encode("cp1252"), "“café”"),
        ("<meta charset=iso-8859-1><p>“café”".encode(), "“café”"),
        ("<?xml version='1.0' encoding='koi8-r'?><html><p>Печь".encode("koi8-r"), "Печь"),
        ("<p>café".encode("utf-16"), "café"),
        (b"\xef\xbb\xbf<p>caf\xc3\xa9", "café"),
        (b"<meta charset=unicode_escape><p>caf\xc3\xa9 \\x41", "café \\x41"),
    ],
)
def test_encodings(make, read, data, text):
    assert read(make({"a.html": data})).texts == [text]


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("a < b & c > d <3", "a < b & c > d <3"),
        ("<p>a<p>b<div>c</div>d", "a\n\nb\n\nc\n\nd"),
        ("<b>bold<i>both</b>it</i>", "boldbothit"),
        ("a<script>x</script>b<style>y</style>c", "abc"),
        ("a<svg><text>no</text></svg>b<svg><g>no<p>c", "ab\n\nc"),
        ("<table><tr><td><h2>Layout</h2><p>one</td><td><p>two</td></tr></table>", "## Layout\n\none\n\ntwo"),
        ("<table><tr><td>a<td>b<tr><td>c</table>", "| a | b |\n| --- | --- |\n| c |  |"),
        ("<table><td>a<table><tr><td>x<td>y<tr><td>1<td>2</table></table>", "a\n\n| x | y |\n| --- | --- |\n| 1 | 2 |"),
        (
            "<table><tr><td colspan=2>a<td>b<tr><td>1<td>2<td>3</table>",
            "| a |  | b |\n| --- | --- | --- |\n| 1 | 2 | 3 |",
        ),
        ("<ul><li><input type=checkbox checked> done<li><input type=checkbox>open</ul>", "- [x] done\n- [ ] open"),
        ("<pre>\n  a\n\n  b</pre>", "```\n  a\n\n  b\n```"),
        ("<pre><div>a</div><div>b</div>```</pre>", "````\na\nb\n```\n````"),
        ("<blockquote>a<blockquote>b</blockquote></blockquote>", "> a\n\n> > b"),
        ("<ol><li>a<ol><li>b</ol><li>c</ol>", "1. a\n  1. b\n2. c"),
        ("<p>a<nav>no</nav><div role=navigation>no</div><p>b", "a\n\nb"),
        ("<nav>only this</nav>", "only this"),
        ("soft\u00adhyphen&nbsp;and   blanks\n\nhere", "softhyphen and blanks here"),
        ("<select><option>no</select><textarea>no</textarea><button>no</button>yes", "yes"),
        ("<math alttext='x^2'><mi>x</mi></math> is", "x^2 is"),
        ("<![CDATA[a <b> c]]>", "a <b> c"),
        ("<p>&#99999999999999999999;&#xfffffffff;", "\ufffd\ufffd"),
        ("<title>t</title>", ""),
        ("", ""),
    ],
)
def test_markup(markup, text):
    assert html_to_text(markup) == text


def test_only_the_main_part_of_a_page():
    words = "It was fired twice. " * 20
    page = f"<div class='site-header menu'>Menu</div><article><p>{words}</article><div class=sidebar>Latest</div>"
    assert read_page(page).text == words.strip()
    assert read_page("<div class=sidebar>Latest</div><p>Short text.").text == "Short text."
    assert "Latest" in html_to_text(page)


def test_pictures_in_a_page_are_kept(make, read):
    payload = bytes(range(256)) * 2
    address = "data:image/png;base64," + base64.b64encode(payload).decode()
    dot = "<img src='data:image/gif;base64,R0lGOD'>"
    result = read(make({"a.html": f"<p>before <img alt='a cat' src='{address}'> after<p>{dot}"}))
    (message,) = result.session.messages
    assert message.text == "before [image: a cat] [image: image/png, 512 bytes] after"
    assert [(a.media_type, a.size, a.name) for a in message.attachments] == [("image/png", 512, "a cat")]
    assert list(result.spilled.values()) == [payload]


def test_parts_of_a_saved_page_are_companions(make, read):
    picture = b"\x89PNG\r\n\x1a\n\0"
    own = {"Kiln_files/a.js": "var x", "Kiln_files/b.png": picture, "Kiln_files/n.md": "x"}
    folder = make({"Kiln.html": PAGE, **own, "other_files/a.js": "var y"})
    rows = {row.name: (row.status, row.format, row.note) for row in read(folder).report.rows}
    part = ("ingested", "html", "a part of the saved page Kiln.html")
    assert rows["Kiln_files/a.js"] == rows["Kiln_files/b.png"] == part
    assert rows["Kiln_files/n.md"][1] == "markdown"
    assert rows["other_files/a.js"][1] == "plain_text"


def test_what_is_a_page(make, read):
    pages = {"a.html": "no markup at all", "b": "<!-- saved --> <!DOCTYPE html><p>x", "d.html": "<script>x</script>"}
    others = {
        "c.txt": "<html> is a tag",
        "e.md": "<!doctype html>\n# x",
        "f.html": "",
        "g.html": b"\x89PNG\r\n\x1a\n\0",
    }
    folder = make({**pages, **others})
    rows = {row.name: (row.format, row.reason) for row in read(folder).report.rows}
    assert rows["a.html"] == rows["b"] == ("html", None)
    assert rows["c.txt"] == ("plain_text", None)
    assert rows["d.html"] == ("html", "a page without text (made by scripts as it is shown?)")
    assert rows["e.md"] == ("markdown", None)
    assert rows["f.html"] == (None, "empty")
    assert rows["g.html"] == (None, "binary (not a supported format)")


HOSTILE = [
    "<",
    "<a",
    "<!--",
    "<![CDATA[",
    "<?",
    '<a b="',
    "<a b='",
    "</",
    "</a",
    "&",
    "&#9",
    "<script>",
    "<a =",
    "<a a",
]
HOSTILE += ["<div>", "<table><tr><td>", "<td>", "<ul><li>", "<i><div></i>", "<blockquote>", "<p><b>x", "<svg>", "<br>"]
HOSTILE += [
    "<span class=ad>x",
    "<pre>```",
    "<tr><td><td>x",
    "<title>",
    "<dl><dd>",
    "</div>x",
    "<code>",
    "<math alttext=x>",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_markup_ends_soon(unit):
    for markup in (unit * (100_000 // len(unit)), f"<table><td>{unit * (100_000 // len(unit))}</table></script>-->"):
        began = time.monotonic()
        read_page(markup)
        assert time.monotonic() - began < 5


LETTERS = st.characters(exclude_categories=("C", "Z"), exclude_characters="<>&#|`-*+\u00ad")
WORD = st.text(LETTERS, min_size=1, max_size=8)
SENTENCE = st.lists(WORD, min_size=1, max_size=5).map(" ".join)


@given(st.lists(SENTENCE, min_size=1, max_size=8), st.sampled_from(["p", "div", "section", "h3"]))
def test_paragraphs_come_back(sentences, name):
    markup = "".join(f"<{name}>{sentence}</{name}>\n" for sentence in sentences)
    mark = "### " if name == "h3" else ""
    assert html_to_text(markup) == "\n\n".join(mark + sentence for sentence in sentences)


@given(st.lists(st.lists(SENTENCE, min_size=2, max_size=4), min_size=2, max_size=4))
def test_tables_come_back(rows):
    markup = "<table>" + "".join("<tr>" + "".join(f"<td>{cell}" for cell in row) for row in rows) + "</table>"
    lines = html_to_text(markup).split("\n")
    assert re.fullmatch(r"\|( --- \|)+", lines.pop(1))
    assert [[cell.strip() for cell in line.strip("|").split(" | ") if cell.strip()] for line in lines] == rows


SEEDS = [PAGE.encode(), PAGE.encode("utf-16")]
PIECES = st.lists(st.sampled_from([*HOSTILE, "</p>", "</td>", "</table>", "</ul>", ">", '"', "x", " ", "\n", "-->"]))


@RELAXED
@given(PIECES.map("".join))
def test_any_markup(markup):
    html_to_text(markup)
    read_page(markup)


@RELAXED
@given(st.sampled_from(SEEDS), st.data())
def test_damaged_pages(tmp_path_factory, seed, data):
    place = data.draw(st.integers(0, len(seed)))
    new = data.draw(st.binary(max_size=8))
    folder = tmp_path_factory.mktemp("h")
    (folder / "a.html").write_bytes(seed[:place] + new + seed[place + data.draw(st.integers(0, 30)) :])
    check(folder)


def test_real_pages_of_other_programs(data, read):
    pages = [path for path in data.rglob("*.htm*") if path.is_file()]
    if not pages:
        pytest.skip("no pages in the test data")
    for path in pages:
        assert read_all(path).row.status == "ingested", path
