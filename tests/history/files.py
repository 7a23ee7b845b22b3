"""PDF, Word and EPUB files made for tests."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence


def archive(parts: Mapping[str, str | bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in parts.items():
            target.writestr(name, content)
    return stream.getvalue()


def pdf(pages: Sequence[Sequence[str]], info: Mapping[str, str] | None = None) -> bytes:
    """A PDF whose pages show some lines each."""
    bodies = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for lines in pages:
        shown = "".join(f"1 0 0 1 72 {720 - 14 * n} Tm ({escape(line)}) Tj\n" for n, line in enumerate(lines))
        stream = f"BT /F1 12 Tf\n{shown}ET".encode("latin-1")
        bodies.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {len(bodies)} 0 R"
        bodies.append(f"{page} /Resources << /Font << /F1 3 0 R >> >> >>".encode())
        kids.append(f"{len(bodies)} 0 R")
    bodies[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(kids)}] >>".encode()
    facts = " ".join(f"/{key} ({escape(value)})" for key, value in (info or {}).items())
    bodies.append(f"<< {facts} >>".encode("latin-1"))
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    count = len(bodies) + 1
    trailer = f"trailer << /Size {count} /Root 1 0 R /Info {len(bodies)} 0 R >>\nstartxref\n{len(data)}\n%%EOF\n"
    return data + f"xref\n0 {count}\n0000000000 65535 f \n{table}{trailer}".encode()


def escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


XHTML = "application/xhtml+xml"


def epub(
    chapters: Mapping[str, str], metadata: str = "", manifest: str = "", spine: str = "", guide: str = ""
) -> bytes:
    items = "".join(f'<item id="c{n}" href="{name}" media-type="{XHTML}"/>' for n, name in enumerate(chapters))
    refs = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    package = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        f'<metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="opf">{metadata}</metadata>'
        f"<manifest>{items}{manifest}</manifest><spine>{spine or refs}</spine><guide>{guide}</guide></package>"
    )
    head = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head>'
    pages = {f"OEBPS/{name}": f"{head}<body>{body}</body></html>" for name, body in chapters.items()}
    container = '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    parts = {"mimetype": "application/epub+zip", "META-INF/container.xml": container, "OEBPS/book.opf": package}
    return archive({**parts, **pages})


WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def docx(body: str, parts: Mapping[str, str | bytes] | None = None) -> bytes:
    """A Word file from the XML of its body alone."""
    names = f'xmlns:w="{WORD}" xmlns:r="r" xmlns:mc="mc" xmlns:a="a" xmlns:wp="wp"'
    document = f"<w:document {names}><w:body>{body}</w:body></w:document>"
    return archive({"word/document.xml": document, **(parts or {})})
