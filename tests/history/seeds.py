"""Small invented files of every format, to be damaged: (file name, bytes)."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from collections.abc import Sequence
from typing import Any

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"0" * 24).decode()
WHEN = "2024-05-06T07:08:09.123Z"

Seed = tuple[str, bytes]


def document(value: Any, name: str = "a.json") -> Seed:
    return name, json.dumps(value).encode()


def records(*values: Any, name: str = "a.jsonl") -> Seed:
    return name, b"".join(json.dumps(value).encode() + b"\n" for value in values)


def archive(files: dict[str, str | bytes], name: str) -> Seed:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for member, content in files.items():
            packed.writestr(zipfile.ZipInfo(member), content)
    return name, stream.getvalue()


def _chatgpt() -> Any:
    def node(own: str, parent: str | None, children: list[str], role: str | None, parts: Any) -> dict[str, Any]:
        content = {"content_type": "multimodal_text" if len(parts or []) > 1 else "text", "parts": parts}
        message = {"id": own, "author": {"role": role}, "create_time": 1700000000.5, "content": content}
        message |= {"recipient": "all", "metadata": {"model_slug": "m", "is_visually_hidden_from_conversation": False}}
        return {"id": own, "parent": parent, "children": children, "message": message if role else None}

    image = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-1", "size_bytes": 3}
    nodes = [
        node("r", None, ["s"], None, None),
        node("s", "r", ["u"], "system", [""]),
        node("u", "s", ["a", "b"], "user", ["Hello", image]),
        node("a", "u", [], "assistant", ["Hi"]),
        node("b", "u", [], "tool", ["Ho"]),
    ]
    mapping = {each["id"]: each for each in nodes}
    return [{"id": "c", "title": "T", "create_time": 1700000000, "current_node": "a", "mapping": mapping}]


def _claude_ai() -> Any:
    turn = {"uuid": "m1", "sender": "human", "text": "Hi", "created_at": WHEN, "parent_message_uuid": "m0"}
    attached = {"file_name": "a.txt", "file_size": 3, "extracted_content": "abc", "file_type": "txt"}
    blocks = [
        {"type": "thinking", "thinking": "Hm."},
        {"type": "text", "text": "Ho", "citations": []},
        {"type": "tool_use", "name": "t", "input": {"a": 1}, "id": "x"},
        {"type": "tool_result", "tool_use_id": "x", "content": [{"type": "text", "text": "r"}]},
    ]
    talk = {"uuid": "c", "name": "T", "created_at": WHEN, "current_leaf_message_uuid": "m2"}
    second = {"uuid": "m2", "sender": "assistant", "text": "Ho", "content": blocks, "created_at": WHEN}
    turns = [turn | {"attachments": [attached], "files": [{"file_name": "b.png"}]}, second]
    return [talk | {"chat_messages": turns}, {"uuid": "d", "name": "", "chat_messages": None}]


def _claude_code() -> list[Any]:
    head = {"sessionId": "s", "cwd": "/p", "gitBranch": "main", "version": "2", "isSidechain": False, "timestamp": WHEN}
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}
    done = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "out"}, image]}
    think = {"type": "thinking", "thinking": "hm", "signature": "x"}
    said = {"id": "m", "role": "assistant", "model": "x", "content": [think, {"type": "text", "text": "ok"}, call]}
    return [
        {"type": "summary", "summary": "S", "leafUuid": "b"},
        head | {"type": "user", "uuid": "a", "parentUuid": None, "message": {"role": "user", "content": "hi"}},
        head | {"type": "assistant", "uuid": "b", "parentUuid": "a", "requestId": "r", "message": said},
        head | {"type": "user", "uuid": "c", "parentUuid": "b", "message": {"role": "user", "content": [done]}},
        head
        | {"type": "system", "subtype": "compact_boundary", "content": "Compacted", "uuid": "d", "parentUuid": "c"},
        head | {"type": "user", "uuid": "e", "isCompactSummary": True, "message": {"role": "user", "content": "sum"}},
        {"type": "file-history-snapshot", "messageId": "a", "snapshot": {}},
    ]


def _codex() -> list[Any]:
    def row(kind: str, payload: Any) -> dict[str, Any]:
        return {"timestamp": WHEN, "type": kind, "payload": payload}

    text = [{"type": "input_text", "text": "hi"}, {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}"}]
    return [
        row("session_meta", {"id": "s", "cwd": "/p", "source": "cli", "forked_from_id": "q", "instructions": "i"}),
        row("turn_context", {"cwd": "/p", "model": "m"}),
        row("event_msg", {"type": "user_message", "message": "hi"}),
        row("response_item", {"type": "message", "role": "user", "content": text}),
        row("response_item", {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}),
        row("response_item", {"type": "function_call", "name": "sh", "arguments": '{"a":1}', "call_id": "c"}),
        row("response_item", {"type": "function_call_output", "call_id": "c", "output": '{"output":"x"}'}),
        row("response_item", {"type": "custom_tool_call", "name": "p", "input": "x", "call_id": "d"}),
        row(
            "compacted",
            {"message": "sum", "replacement_history": [{"type": "message", "role": "user", "content": text}]},
        ),
        row("event_msg", {"type": "token_count", "info": None}),
    ]


def _gemini() -> dict[str, Any]:
    result = {"functionResponse": {"id": "t", "name": "n", "response": {"output": "o"}}}
    call = {"id": "t", "name": "n", "args": {"a": 1}, "status": "success", "timestamp": WHEN, "result": [result]}
    thought = {"subject": "S", "description": "D", "timestamp": WHEN}
    return {
        "sessionId": "s",
        "projectHash": "h",
        "startTime": WHEN,
        "lastUpdated": WHEN,
        "messages": [
            {"id": "1", "timestamp": WHEN, "type": "user", "content": [{"text": "hi"}]},
            {
                "id": "2",
                "timestamp": WHEN,
                "type": "gemini",
                "content": "ho",
                "thoughts": [thought],
                "toolCalls": [call],
            },
            {"id": "3", "timestamp": WHEN, "type": "info", "content": "i"},
        ],
    }


def _openai() -> list[Any]:
    call = {"id": "c", "type": "function", "function": {"name": "n", "arguments": "{}"}}
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
    return [
        {"role": "system", "content": "s"},
        {"role": "user", "content": [{"type": "text", "text": "hi"}, picture]},
        {"role": "assistant", "content": None, "tool_calls": [call], "reasoning_content": "r"},
        {"role": "tool", "tool_call_id": "c", "content": "out"},
    ]


def _langchain() -> list[Any]:
    def dumped(name: str, **kwargs: Any) -> dict[str, Any]:
        path = ["langchain", "schema", "messages", name]
        return {"lc": 1, "type": "constructor", "id": path, "kwargs": kwargs}

    call = {"name": "n", "args": {"a": 1}, "id": "t", "type": "tool_call"}
    return [
        dumped("SystemMessage", content="s"),
        dumped("HumanMessage", content="hi", id="1"),
        dumped("AIMessage", content=[{"type": "text", "text": "ho"}], tool_calls=[call], id="2"),
        dumped("ToolMessage", content="out", tool_call_id="t", status="success"),
    ]


def _slack() -> dict[str, str]:
    user = {"id": "U1", "name": "ann", "profile": {"display_name": "Ann"}}
    first = {"type": "message", "user": "U1", "text": "hi <@U1> <http://x|y> &amp;", "ts": "1700000000.000100"}
    second = first | {"ts": "1700000001.000100", "thread_ts": first["ts"], "files": [{"name": "f", "url_private": "u"}]}
    joined = {"type": "message", "subtype": "channel_join", "user": "U1", "text": "joined", "ts": "1700000002.0"}
    bot = {
        "type": "message",
        "subtype": "bot_message",
        "bot_id": "B",
        "blocks": [{"type": "section", "text": {"text": "b"}}],
    }
    return {
        "users.json": json.dumps([user]),
        "channels.json": json.dumps([{"id": "C1", "name": "general", "members": ["U1"]}]),
        "general/2024-01-01.json": json.dumps([first, second, joined, bot | {"ts": "1700000003.0"}]),
    }


def _discord() -> dict[str, Any]:
    author = {"id": "1", "name": "ann", "discriminator": "0000", "nickname": "Ann", "isBot": False}
    when = "2024-05-06T07:08:09.123+02:00"
    first = {"id": "9", "type": "Default", "timestamp": when, "content": "hi", "author": author, "isPinned": False}
    first |= {"attachments": [{"id": "3", "url": "files/a.png", "fileName": "a.png", "fileSizeBytes": 3}], "embeds": []}
    reply = first | {"id": "10", "type": "Reply", "content": "", "embeds": [{"title": "T", "description": "D"}]}
    reply |= {"reference": {"messageId": "9"}, "timestampEdited": when}
    return {
        "guild": {"id": "5", "name": "G"},
        "channel": {"id": "6", "type": "GuildTextChat", "category": "K", "name": "c", "topic": None},
        "dateRange": {"after": None, "before": None},
        "messages": [first, reply],
        "messageCount": 2,
    }


def _telegram() -> dict[str, Any]:
    parts = ["hi ", {"type": "bold", "text": "b"}, {"type": "link", "text": "http://x"}]
    first = {"id": 1, "type": "message", "date": "2024-05-06T07:08:09", "date_unixtime": "1714972089", "from": "Ann"}
    first |= {"from_id": "user1", "text": parts, "text_entities": [{"type": "plain", "text": "hi"}]}
    joined = {"id": 2, "type": "service", "date": "2024-05-06T07:08:10", "actor": "Bo", "action": "join", "text": ""}
    third = first | {
        "id": 3,
        "reply_to_message_id": 1,
        "text": "",
        "photo": "photos/a.jpg",
        "edited": "2024-05-06T08:00:00",
    }
    return {"name": "Chat", "type": "personal_chat", "id": 7, "messages": [first, joined, third]}


WHATSAPP = (
    "12/31/23, 9:05 PM - Messages and calls are end-to-end encrypted.\n"
    "12/31/23, 9:05 PM - Ann: hi\nmore\n12/31/23, 9:06 PM - Bo: <Media omitted>\n1/1/24, 12:00 AM - Ann: \u200ehm\n"
)
WHATSAPP_IOS = (
    "[31.12.23, 21:05:09] Ann: hi\n[31.12.23, 21:05:10] Bo: \u200e<attached: 1.jpg>\n[31.12.23, 21:06:00] Ann: x\n"
)
MAIL = (
    "Message-ID: <1@x>\r\nFrom: =?utf-8?q?Ann?= <ann@x>\r\nTo: bo@x\r\nDate: Mon, 6 May 2024 07:08:09 +0200\r\n"
    "Subject: =?utf-8?b?SGk=?=\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=B\r\n\r\n"
    "--B\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
    "Hi =E9\r\n> old\r\n--B\r\nContent-Type: text/html\r\n\r\n<p>Hi</p>\r\n--B\r\n"
    "Content-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n"
    "Content-Disposition: attachment; filename=a.pdf\r\n\r\nAAAA\r\n--B--\r\n"
)
REPLY = "From: bo@x\nDate: bad\nIn-Reply-To: <1@x>\nReferences: <1@x>\nSubject: Re: Hi\n\nHo\n"
MBOX = f"From ann@x Mon May  6 07:08:09 2024\n{MAIL}\nFrom bo@x Mon May  6 07:09:09 2024\n{REPLY}\n"
VTT = (
    "\ufeffWEBVTT\n\nNOTE hm\n\n1\n00:00:01.000 --> 00:00:02.000 align:start\n<v Ann>One</v>\n\n"
    "00:02.000 --> 00:03.000\nBo: two<00:00:02.500><c> three</c>\n"
)
SRT = "1\n00:00:00,500 --> 00:00:07,000\nAnn: One\n\n2\nTwo\n\n3\n00:00:08,000 --> 00:00:09,000\n<i>Three</i>\n"
NOTE = (
    "---\ntitle: T\ndate: 2024-05-06\ntags: [a, b]\naliases:\n  - x\ncreated: {{date}}\n---\n# H\n\nText [[link]].\n\n"
    "- a\n  - b\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\ncode\n```\n"
)
SPECSTORY = (
    "<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n# 2024-05-06 07:08:09Z\n\n"
    "<!-- Claude Code Session s (2024) -->\n\n_**User (2024-05-06 07:08:09Z)**_\n\nhi\n\n---\n\n"
    "_**Agent (m 2024-05-06 07:08:10Z)**_\n\n<think>hm</think>\n\nho\n"
)
HTML = (
    "<!DOCTYPE html><html><head><title>T</title><meta charset=utf-8><script>x()</script></head><body><h1>H</h1><p>"
    "Text &amp; <a href=x>link</a></p><ul><li>a<li>b</ul><table><tr><th>a<td>b</table><pre>code</pre>"
    "<img alt=i src=x></body></html>"
)
PDF_OBJECTS = (
    b"<</Type/Catalog/Pages 2 0 R>>",
    b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
    b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
    b"<</Length 58>>stream\nBT /F 12 Tf 14 TL 10 50 Td (Hello) Tj T* [(Wo)-20(rld)] TJ ET\nendstream",
    b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    b"<</Title(T)/CreationDate(D:20240506070809Z)>>",
)


def pdf(objects: Sequence[bytes] = PDF_OBJECTS) -> bytes:
    """A PDF file of these objects, with its table of places."""
    data, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(b"%010d 00000 n \n" % len(data))
        data += b"%d 0 obj%s endobj\n" % (number, content)
    table = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + b"".join(places)
    trailer = b"trailer<</Size %d/Root 1 0 R/Info 6 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(data))
    return data + table + trailer


_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
DOCX = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default '
    'Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/'
    'vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship '
    'Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>',
    "word/document.xml": f'<w:document xmlns:w="{_W}"><w:body><w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r>'
    "<w:t>H</w:t></w:r></w:p><w:p><w:r><w:t>Text</w:t><w:tab/><w:br/></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>c</w:t>"
    "</w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>",
    "docProps/core.xml": '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-'
    'properties" xmlns:dcterms="http://purl.org/dc/terms/"><dcterms:created>2024-05-06T07:08:09Z</dcterms:created>'
    "</cp:coreProperties>",
}
EPUB = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile '
    'full-path="c.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    "c.opf": '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
    "<dc:title>T</dc:title><dc:date>2024</dc:date></metadata><manifest><item id='a' href='a.xhtml' "
    "media-type='application/xhtml+xml'/></manifest><spine><itemref idref='a'/></spine></package>",
    "a.xhtml": '<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>One</h1><p>Text</p></body></html>',
}
_CELL = {"cell_type": "markdown", "metadata": {}, "source": ["# H\n", "Text."]}
_OUTPUT = {"output_type": "stream", "name": "stdout", "text": ["out\n"]}
NOTEBOOK = {
    "cells": [_CELL, {"cell_type": "code", "metadata": {}, "source": "x = 1", "outputs": [_OUTPUT]}],
    "metadata": {"kernelspec": {"language": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
_STEP = {"action": "ls\n", "observation": "out", "thought": "t", "response": "t\n```\nls\n```", "state": "{}"}
SWE_AGENT = {
    "environment": "e",
    "trajectory": [_STEP],
    "history": [
        {"role": "system", "content": "s", "agent": "primary"},
        {"role": "user", "content": "d", "agent": "primary", "is_demo": True},
        {"role": "assistant", "content": "t", "thought": "t", "action": "ls\n", "agent": "primary"},
        {"role": "user", "content": "out", "agent": "primary", "message_type": "observation"},
    ],
    "info": {"exit_status": "submitted", "submission": "diff"},
}
OPENHANDS = [
    {"id": 0, "timestamp": WHEN, "source": "user", "action": "message", "message": "hi", "args": {"content": "hi"}},
    {"id": 1, "timestamp": WHEN, "source": "agent", "action": "run", "args": {"command": "ls", "thought": "t"}},
    {
        "id": 2,
        "timestamp": WHEN,
        "source": "agent",
        "observation": "run",
        "cause": 1,
        "content": "o",
        "extras": {"a": 1},
    },
    {"id": 3, "timestamp": WHEN, "source": "agent", "action": "finish", "args": {"thought": "done", "outputs": {}}},
]
_OLD_EVENTS = [{"action": "message", "content": "hi"}, {"observation": "run", "content": "o", "command": "ls"}]
_RESOLVED = {"issue": {"title": "t"}, "instruction": "hi", "history": _OLD_EVENTS, "git_patch": "diff"}
_TURN = {"from": "human", "value": "hi"}
_SHAREGPT = {"id": "i", "conversations": [_TURN, {"from": "function_call", "value": '{"name":"n"}'}]}
_TALK = {"speaker_a": "A", "session_1_date_time": "1:56 pm on 8 May, 2023"}
_TALK |= {"session_1": [{"dia_id": "D1:1", "speaker": "A", "text": "x", "blip_caption": "c"}]}

SEEDS: list[Seed] = [
    document(_chatgpt(), "conversations.json"),
    document(_claude_ai(), "conversations.json"),
    document({"conversations": _claude_ai()}),
    document(_claude_ai()[0]),
    records(*_claude_code()),
    records(*_codex(), name="rollout-2024-05-06T07-08-09-s.jsonl"),
    document({"session": {"id": "s", "timestamp": WHEN}, "items": [row["payload"] for row in _codex()[3:8]]}),
    document(_gemini(), "session-2024-05-06T07-08-s.json"),
    records({key: value for key, value in _gemini().items() if key != "messages"}, *_gemini()["messages"],
            {"$set": {"lastUpdated": WHEN}}),
    document(_openai()),
    records({"messages": _openai(), "id": "x"}, {"messages": _openai()}),
    document(_langchain()),
    document([_SHAREGPT]),
    *((name, content.encode()) for name, content in _slack().items()),
    document(_discord()),
    document(_telegram(), "result.json"),
    document({"about": "x", "chats": {"about": "y", "list": [_telegram()]}}, "result.json"),
    ("WhatsApp Chat with Ann.txt", WHATSAPP.encode()),
    ("_chat.txt", WHATSAPP_IOS.encode()),
    ("a.eml", MAIL.encode()),
    ("a.mbox", MBOX.encode()),
    ("a.vtt", VTT.encode()),
    ("a.srt", SRT.encode()),
    document(SWE_AGENT, "a.traj"),
    document(OPENHANDS),
    records(_RESOLVED, _RESOLVED),
    ("2024-05-06 a.md", NOTE.encode()),
    ("2024-05-06_07-08-09Z-a.md", SPECSTORY.encode()),
    ("a.txt", b"Ann: hi\nBo: ho\nAnn: hm\n\nCHAPTER I\n\nText.\n"),
    ("a.html", HTML.encode()),
    ("a.pdf", pdf()),
    document(NOTEBOOK, "a.ipynb"),
    archive(DOCX, "a.docx"),
    archive(EPUB, "a.epub"),
    archive(_slack(), "slack.zip"),
    document([{"sample_id": "c", "qa": [], "conversation": _TALK}]),
    document([{"question_id": "q", "haystack_dates": ["2023/05/20 (Sat) 02:21"], "haystack_session_ids": ["s"],
               "haystack_sessions": [[{"role": "user", "content": "hi"}]]}]),
    document([{"_id": "q", "question": "?", "context": [["T", ["One.", " Two."]]]}]),
    records({"id": "q", "paragraphs": [{"idx": 0, "title": "T", "paragraph_text": "x", "is_supporting": True}]}),
]  # fmt: skip
