"""Long runs of base64 within texts become attachments, whatever the format."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jam.history import payloads
from jam.history.payloads import SHORTEST, without_payloads
from jam.session import Message
from jam.workspace.attachments import AttachmentStore

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40
RUN = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}={0,2}")

lengths = st.sampled_from([0, 1, 5, 14, 15, 16, 17, 31, 32, 33, 48, 100])
letters = st.sampled_from(["a", "Ab9+/", " ", "xy-_", "é", "=", "\n", "--"])
texts = st.lists(st.builds(lambda letter, n: (letter * n)[:n], letters, lengths), max_size=12).map("".join)


@pytest.fixture
def store(tmp_path: Path) -> AttachmentStore:
    return AttachmentStore(tmp_path)


@given(texts)
@settings(max_examples=300, deadline=None)
def test_runs_are_found_wherever_they_begin(text: str):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(payloads, "SHORTEST", 16)
        expected = [found.span() for found in RUN.finditer(text) if re.search("[A-Za-z0-9]", found[0])]
        assert list(payloads._runs(text)) == expected


def test_a_picture_in_a_text_is_spilled_and_named(store: AttachmentStore):
    data = base64.b64encode(PNG).decode()
    message = without_payloads(Message("tool", f"saved as data:image/webp;base64,{data}\ndone"), store.spill)
    assert message.text == f"saved as data:image/webp;base64,[data: {len(PNG)} bytes]\ndone"
    (attachment,) = message.attachments
    assert (attachment.media_type, attachment.size) == ("image/webp", len(PNG))
    assert store.read(attachment.sha256) == PNG


def test_the_same_payload_twice_is_one_attachment(store: AttachmentStore):
    data = base64.b64encode(PNG).decode()
    message = without_payloads(Message("tool", f"{data} {data}"), store.spill)
    assert message.text == f"[data: {len(PNG)} bytes] [data: {len(PNG)} bytes]"
    assert [attachment.media_type for attachment in message.attachments] == ["image/png"]


@pytest.mark.parametrize(
    "run",
    ["0123456789abcdef" * 600, "ab-_" * 3000, "AAAB" * 2100 + "A", "AB==" + "A" * 9000, "A" * 9000 + "B="],
    ids=["hex", "url", "not-whole", "padded-within", "bits-left-over"],
)
def test_what_is_not_exactly_base64_is_kept_as_it_is(store: AttachmentStore, run: str):
    message = without_payloads(Message("tool", f"x {run} y"), store.spill)
    kept = b"".join(store.read(attachment.sha256) for attachment in message.attachments)
    assert kept.decode().lstrip("=") in run
    assert all(attachment.media_type == "text/plain" for attachment in message.attachments)
    assert len(message.text) < 60


def test_text_stays_text(store: AttachmentStore):
    for text in ("tide " * 5000, "x" * (SHORTEST - 1), "潮" * 20_000, "-" * 20_000, "é" * 20_000):
        message = Message("user", text)
        assert without_payloads(message, store.spill) is message
