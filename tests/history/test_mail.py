from __future__ import annotations

import base64
import contextlib
import mailbox
import time
from datetime import datetime, timedelta, timezone
from email.message import EmailMessage
from email.utils import format_datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jam.errors import JamError

from .conftest import read_all

FROM = "From ann@x.org Tue Mar  5 12:00:00 2024\n"


def mail(body="Hello", id="<1@x.org>", subject="Plan", date="Tue, 05 Mar 2024 12:00:00 +0100", extra="", who=None):
    who = who or "Ann Lee <ann@x.org>"
    head = f"From: {who}\nTo: Bo <bo@x.org>\nSubject: {subject}\nDate: {date}\n"
    return f"{head}Message-ID: {id}\n{extra}\n{body}\n" if id else f"{head}{extra}\n{body}\n"


def box(*mails):
    return "".join(f"{FROM}{each}\n" for each in mails)


def reply(to, number, **fields):
    return mail(id=f"<{number}@x.org>", subject="Re: Plan", extra=f"In-Reply-To: <{to}@x.org>\n", **fields)


@pytest.fixture
def one(make, read):
    def single(content, name="a.eml"):
        return read(make({name: content}) / name).session.messages[0]

    return single


def test_a_mail(make, read):
    text = mail("Hello\n\n> quoted\n-- \nAnn", extra="Cc: c@x.org\nX-Gmail-Labels: Inbox,Work\n")
    result = read(make({"box/a.eml": text.replace("\n", "\r\n")}))
    session = result.session
    assert (session.id, session.title, session.group) == ("mail/1@x.org", "Plan", ("box",))
    message = session.messages[0]
    assert (message.id, message.at, message.speaker) == ("1@x.org", "2024-03-05T12:00:00+01:00", "Ann Lee")
    assert (message.role, message.kind, message.text) == ("user", "message", "Hello\n\n> quoted\n-- \nAnn")
    assert message.meta == {
        "from": "ann@x.org",
        "to": "Bo <bo@x.org>",
        "cc": "c@x.org",
        "subject": "Plan",
        "labels": "Inbox,Work",
    }
    assert (result.row.format, result.row.skipped_count) == ("mail", 0)


def test_threads(make, read):
    mails = [
        reply(1, 2, date="Wed, 06 Mar 2024 01:00:00 +0100", body="second"),
        mail("other", "<9@x.org>", "Other"),
        mail("first", extra="References: \nIn-Reply-To: \n"),
        mail("third", "<3@x.org>", "AW: Plan", "Wed, 6 Mar 2024 09:00:00 GMT", "References: <1@x.org>\n <2@x.org>\n"),
        reply(3, 4, date="Thu, 7 Mar 2024 09:00:00 -0000", body="fourth"),
    ]
    result = read(make({"a.mbox": box(*mails)}))
    assert [(s.id, s.title, [m.text for m in s.messages]) for s in result.sessions] == [
        ("mail/1@x.org", "Plan", ["first", "second", "third", "fourth"]),
        ("mail/9@x.org", "Other", ["other"]),
    ]
    thread = result.sessions[0].messages
    assert [m.meta.get("reply_to") for m in thread] == [None, "1@x.org", "2@x.org", "3@x.org"]
    assert [m.at for m in thread][2:] == ["2024-03-06T09:00:00+00:00", "2024-03-07T09:00:00+00:00"]
    assert all(m.thread is None for m in thread)


def test_single_files_of_a_thread_are_one_session(make, read):
    files = {
        "1.eml": mail(),
        "2.eml": reply(1, 2),
        "3.eml": mail(id="<3@x.org>", extra="References: <1@x.org> <2@x.org>\n"),
    }
    assert {s.id for s in read(make(files)).sessions} == {"mail/1@x.org"}


def test_replies_that_dont_say_what_they_answer(make, read):
    mails = [
        mail("from bo", "<2@x.org>", "Re: Plan", who="bo@x.org").replace("To: Bo <bo@x.org>", "To: ann@x.org"),
        mail("first"),
        mail("from cleo", "<3@x.org>", "Re: Plan", who="cleo@x.org"),
        mail("again", "<4@x.org>", "Plan"),
    ]
    sessions = read(make({"a.mbox": box(*mails)})).sessions
    assert sorted([m.text for m in s.messages] for s in sessions) == [["again"], ["from bo", "first"], ["from cleo"]]


def test_mails_without_an_id(make, read):
    sessions = read(make({"a.mbox": box(mail(id=None), mail("b", None, "Other"))})).sessions
    assert [(s.id, s.messages[0].id) for s in sessions] == [("a.mbox", None), ("a.mbox#2", None)]
    assert read(make({"a.mbox": "", "b.eml": mail(id=None)})).session.id == "b.eml"


def test_circles(make, read):
    mails = [mail(str(n), f"<{n}@x.org>", extra=f"In-Reply-To: <{(n + 1) % 3}@x.org>\n") for n in range(3)]
    assert len(read(make({"a.mbox": box(*mails)})).session.messages) == 3
    itself = mail(extra="References: <1@x.org>\n")
    assert read(make({"a.mbox": box(itself)})).session.id == "mail/1@x.org"


def test_a_mail_that_stands_twice(make, read):
    row = read(make({"a.mbox": box(mail(), mail(), mail("other text"))})).row
    assert (row.messages, row.ignored) == (2, 1)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_from_lines(make, read, end):
    bodies = [
        "I am\n\nFrom here on it was 2024 in Mar, at 10:30.\nText",
        "x\n\nFrom ann@x.org Tue Mar  5 12:00:00 2024\nand no header",
        "x\nFrom ann@x.org Tue Mar  5 12:00:00 2024\nSubject: no blank line",
        ">From a\n>>From b\n> From c",
    ]
    text = box(*(mail(body, f"<{n}@x.org>", f"S{n}") for n, body in enumerate(bodies)), mail("last", "<9@x.org>"))
    result = read(make({"a.mbox": text.replace("\n", end)}))
    expected = [*bodies[:3], "From a\n>From b\n> From c", "last"]
    assert [m.text for s in result.sessions for m in s.messages] == expected


@pytest.mark.parametrize(
    "line",
    [
        "From - Tue Mar  5 12:00:00 2024",
        "From 1790000000000000000@xxx Tue Mar 05 12:00:00 +0000 2024",
        "From ann at x.org  Tue Mar  5 12:00:00 2024",
        "From MAILER-DAEMON Tue Mar 5 12:00 2024",
    ],
)
def test_kinds_of_from_lines(make, read, line):
    text = f"{line}\n{mail()}\n{line}\n{mail('b', '<2@x.org>')}"
    result = read(make({"Inbox": text}))
    assert (result.report.messages, result.row.format) == (2, "mail")


def test_written_by_a_mail_program(tmp_path, read):
    saved = mailbox.mbox(tmp_path / "a.mbox")
    for number in range(3):
        message = EmailMessage()
        message["From"], message["Subject"], message["Message-ID"] = (
            "Änne <ä@x.org>",
            f"№ {number}",
            f"<{number}@x.org>",
        )
        message.set_content(f"From me\n\nGrüße {number}\n")
        saved.add(message)
    saved.close()
    messages = [m for s in read(tmp_path).sessions for m in s.messages]
    assert [(m.speaker, m.text, m.meta["subject"]) for m in messages] == [
        ("Änne", f"From me\n\nGrüße {n}", f"№ {n}") for n in range(3)
    ]


@pytest.mark.parametrize(
    ("raw", "speaker"),
    [
        ("=?utf-8?q?=C3=84nne_Lee?= <a@x.org>", "Änne Lee"),
        ("=?iso-8859-1?B?xG5uZQ==?= =?iso-8859-1?Q?_Lee?= <a@x.org>", "Änne Lee"),
        ("=?utf-8?b?w4Ru?=\n =?utf-8?b?bmU?= <a@x.org>", "Änne"),
        ('"=?utf-8?q?Lee=2C_=C3=84nne?=" <a@x.org>', "Lee, Änne"),
        ("=?no-such-set?q?=C3=84nne?= <a@x.org>", "Änne"),
        ("a@x.org", "a@x.org"),
        ("a@x.org (Ann)", "Ann"),
        ("Ann", "Ann"),
        ("=?utf-8?b?%%%?= <a@x.org>", None),
    ],
)
def test_names(one, raw, speaker):
    found = one(mail(who=raw)).speaker
    assert found == speaker if speaker else found


def test_stray_bytes_in_the_header(one):
    assert one(mail(who="Änne <a@x.org>").encode()).speaker == "Änne"
    assert one(mail(who="Änne <a@x.org>").encode("latin-1")).speaker == "Änne"


@pytest.mark.parametrize(
    ("date", "at"),
    [
        ("Tue, 5 Mar 2024 12:00:00 -0500 (EST)", "2024-03-05T12:00:00-05:00"),
        ("5 Mar 24 12:00 EST", "2024-03-05T12:00:00-05:00"),
        ("Tue, 05 Mar 2024 12:00:00", "2024-03-05T12:00:00"),
        ("2024-03-05T12:00:00Z", "2024-03-05T12:00:00+00:00"),
        ("yesterday", "2024-03-05T13:00:00+00:00"),
        ("Tue, 99 Mar 2024 12:00:00 +0000", "2024-03-05T13:00:00+00:00"),
        ("Thu, 01 Jan 1970 00:00:00 +0000", "2024-03-05T13:00:00+00:00"),
        ("", "2024-03-05T13:00:00+00:00"),
    ],
)
def test_dates(one, date, at):
    received = "Received: from a by b;\n Tue, 5 Mar 2024 15:00:00 +0000\nReceived: x; Tue, 5 Mar 2024 13:00:00 +0000\n"
    assert one(mail(date=date, extra=received)).at == at
    if "13:00" in at:
        assert one(mail(date=date)).at is None


def parts(*inner, kind="mixed"):
    head = f'MIME-Version: 1.0\nContent-Type: multipart/{kind}; boundary="{kind}="\n'
    body = "".join(f"--{kind}=\n{each}\n" for each in inner) + f"--{kind}=--\n"
    return head, body


def part(kind, body, extra=""):
    return f"Content-Type: {kind}\n{extra}\n{body}"


def test_plain_text_comes_before_html(one):
    head, body = parts(part("text/plain", "plain"), part("text/html", "<p>html</p>"), kind="alternative")
    assert one(mail(body, extra=head)).text == "plain"
    head, body = parts(part("text/plain", " "), part("text/html", "<p>only <b>html</b></p>"), kind="alternative")
    assert "only" in one(mail(body, extra=head)).text
    assert one(mail("<p>A &amp; B</p>", extra="Content-Type: text/html\n")).text == "A & B"


def test_attachments(make, read):
    data = base64.b64encode(b"%PDF-1").decode()
    pdf = part(
        "application/pdf",
        data,
        'Content-Transfer-Encoding: base64\nContent-Disposition: attachment; filename="p.pdf"\n',
    )
    name = "Content-Disposition: attachment;\n filename*=utf-8''%C3%A4.txt\n"
    word = 'Content-Disposition: attachment; filename="=?utf-8?q?=C3=B6=2Etxt?="\n'
    picture = part(
        "image/png", base64.b64encode(b"png").decode(), "Content-Transfer-Encoding: base64\nContent-ID: <x>\n"
    )
    head, body = parts(
        part("text/plain", "see"), pdf, part("text/plain", "one", name), part("text/plain", "two", word), picture
    )
    result = read(make({"a.eml": mail(body, extra=head)}))
    message = result.session.messages[0]
    assert message.text.split("\n\n") == [
        "see",
        "[attachment: p.pdf, application/pdf, 6 bytes]",
        "[attachment: ä.txt, text/plain, 3 bytes]",
        "[attachment: ö.txt, text/plain, 3 bytes]",
        "[image: image/png, 3 bytes]",
    ]
    assert [a.name for a in message.attachments] == ["p.pdf", "ä.txt", "ö.txt", None]
    assert list(result.spilled.values()) == [b"%PDF-1", b"one", b"two", b"png"]


def test_a_forwarded_mail(one):
    head, body = parts(part("text/plain", "look"), part("message/rfc822", mail("inner", subject="=?utf-8?q?=C3=84?=")))
    assert one(mail(body, extra=head)).text == (
        "look\n\n[forwarded message]\nFrom: Ann Lee <ann@x.org>\nTo: Bo <bo@x.org>\n"
        "Date: Tue, 05 Mar 2024 12:00:00 +0100\nSubject: Ä\n\ninner"
    )


def test_a_bounce(one):
    status = part(
        "message/delivery-status", "Reporting-MTA: dns; x\n\nFinal-Recipient: rfc822; no@x.org\nAction: failed\n"
    )
    head, body = parts(
        part("text/plain", "Not delivered"), status, part("text/rfc822-headers", "Subject: Plan"), kind="report"
    )
    message = one(mail(body, extra=head, who="Mail Delivery System <MAILER-DAEMON@x.org>"))
    assert (message.kind, message.speaker) == ("notice", "Mail Delivery System")
    assert message.text == (
        "Not delivered\n\nReporting-MTA: dns; x\nFinal-Recipient: rfc822; no@x.org\nAction: failed\n\nSubject: Plan"
    )


@pytest.mark.parametrize("charset", ["iso-8859-1", "utf-8", "no-such-set", "us-ascii", None])
def test_character_sets(one, charset):
    coding = "iso-8859-1" if charset == "iso-8859-1" else "utf-8"
    extra = f"Content-Type: text/plain; charset={charset}\n" if charset else ""
    assert one(mail("Grüße", extra=extra).encode(coding)).text == "Grüße"


def test_a_mail_without_a_body(one):
    assert one(mail("")).text == "[subject: Plan]"
    assert one(mail("", subject="")).text == "[no text]"


def test_maildir(make, read):
    files = {f"Maildir/{folder}/170.M1P2.host,S=9:2,S": mail(id=f"<{folder}@x.org>") for folder in ("cur", "new")}
    result = read(make(files))
    assert [s.group for s in result.sessions] == [("Maildir",), ("Maildir",)]
    assert {r.format for r in result.report.rows} == {"mail"}


def test_apple_mail(one):
    text = mail()
    assert one(f"{len(text)}\n{text}<?xml version='1.0'?>\n<plist/>", "1.emlx").text == "Hello"


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("a.txt", mail(), "mail"),
        ("1.", mail(), "mail"),
        ("a.txt", "From: Ann\nTo: Bo\n\nHello\n", "plain_text"),
        ("a.md", "---\nfrom: x\ndate: y\n---\n", "markdown"),
        ("a.txt", "From Tue Mar 5 12:00 2024 on\nit rained\n", "plain_text"),
        ("a.eml", "no header at all\n", None),
    ],
)
def test_recognition(make, read, name, content, format):
    found = read(make({name: content})).row.format
    assert found == format if format else found != "mail"


def test_a_mail_that_is_too_large(make, read, monkeypatch):
    from jam.history.readers.people.mail import box as mail_box

    monkeypatch.setattr(mail_box, "MAX_MAIL", 5_000)
    result = read(make({"a.mbox": box(mail("x" * 6_000), mail("b", "<2@x.org>")), "b.eml": mail("x" * 6_000)}))
    rows = {row.name: row for row in result.report.rows}
    assert (rows["a.mbox"].messages, rows["a.mbox"].records_skipped[0].where) == (1, "message 1")
    assert rows["b.eml"].skipped_count == 1


def test_hostile_mails_end(make, read):
    began = time.monotonic()
    deep = "".join(f'Content-Type: multipart/mixed; boundary="{n}"\n\n--{n}\n' for n in range(200))
    bodies = {
        "a": deep + "\nx",
        "b": mail("x", subject="Re: " * 50_000),
        "c": mail("x", who="=?utf-8?q?" * 20_000),
        "d": mail("x", extra="References: " + "<a@b> " * 50_000 + "\n"),
        "e": mail("x", who='"' * 5_000 + "<" * 5_000),
        "f": FROM + "Subject: x\n\n" + "From \n" * 100_000,
        "g": mail("<" * 100_000, extra="Content-Type: text/html\n"),
        "h": FROM + "Subject: x\n\n" + "y" * 3_000_000,
    }
    result = read(make({f"{name}.eml": body for name, body in bodies.items()}))
    assert time.monotonic() - began < 30
    assert "reader failed" not in result.report.render()


TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(str.strip)
LINES = st.lists(TEXT, min_size=1, max_size=4).map("\n".join)
NAMES = st.text(alphabet=st.characters(categories=["L"]), min_size=1, max_size=20)
ZONES = st.integers(-12, 12).map(lambda hours: timezone(timedelta(hours=hours)))
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=ZONES)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(MOMENTS, NAMES, TEXT, LINES, st.integers(0, 3)), min_size=1, max_size=6), st.booleans())
def test_messages_come_back(tmp_path_factory, entries, answers):
    path = tmp_path_factory.mktemp("h") / "a.mbox"
    saved = mailbox.mbox(path)
    expected: dict[str, list[tuple[datetime, str, str, str]]] = {}
    for number, (at, name, subject, text, coding) in enumerate(entries):
        message = EmailMessage()
        message["From"] = f'"{name}" <a{number}@x.org>'
        message["Subject"], message["Date"], message["Message-ID"] = subject, format_datetime(at), f"<{number}@x.org>"
        if answers and number:
            message["References"] = " ".join(f"<{n}@x.org>" for n in range(number))
        message.set_content(text, cte=["8bit", "base64", "quoted-printable", "base64"][coding])
        saved.add(message)
        root = "mail/0@x.org" if answers else f"mail/{number}@x.org"
        expected.setdefault(root, []).append(
            (at.replace(microsecond=0), f"{number}@x.org", name, text.strip("\n").rstrip())
        )
    saved.close()
    found = {s.id: [(m.at, m.id, m.speaker, m.text) for m in s.messages] for s in read_all(path).sessions}
    in_order = {root: sorted(mails, key=lambda each: each[0]) for root, mails in expected.items()}
    assert found == {root: [(at.isoformat(), *rest) for at, *rest in mails] for root, mails in in_order.items()}


HEAD, BODY = parts(part("text/plain", "a"), part("message/rfc822", mail("b")), part("image/png", "!!", "x: y\n"))
SEEDS = [
    mail(BODY, extra=HEAD + "References: <a@b> <c@d>\n").encode(),
    box(mail(), reply(1, 2)).encode(),
    mail(BODY, extra=HEAD, who="=?utf-8?q?=C3=84?= <a@x.org>").encode().replace(b"\n", b"\r\n"),
]


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.sampled_from(SEEDS), st.sampled_from(["a.eml", "a.mbox", "a.txt", "a.emlx"]), st.data())
def test_damaged_files(tmp_path_factory, seed, name, data):
    place, gone = data.draw(st.integers(0, len(seed))), data.draw(st.integers(0, 20))
    new = data.draw(st.binary(max_size=8) | st.sampled_from([b"\n\n", b":", b"=?", b"--mixed=--", b"\r", b"\0", b'"']))
    folder = tmp_path_factory.mktemp("h")
    (folder / name).write_bytes(seed[:place] + new + seed[place + gone :])
    with contextlib.suppress(JamError):
        assert "reader failed" not in read_all(folder).report.render()
