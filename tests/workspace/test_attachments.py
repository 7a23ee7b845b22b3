"""Attachments are kept once, under their digest, and proved when read."""

import hashlib
import os

import pytest

from jam.errors import DamagedFile, UsageError, WorkspaceError
from jam.session import Attachment
from jam.workspace.attachments import AttachmentStore

PAYLOAD = bytes(range(256)) * 10
DIGEST = hashlib.sha256(PAYLOAD).hexdigest()


def test_a_payload_is_kept_once_and_comes_back(tmp_path):
    store = AttachmentStore(tmp_path)
    first = store.spill(PAYLOAD, "image/png", "photo.png")
    assert first == Attachment(DIGEST, "image/png", 2560, "photo.png")
    os.utime(store.path(DIGEST), (1, 1))
    assert store.spill(PAYLOAD, "application/octet-stream").sha256 == DIGEST
    assert store.path(DIGEST) == tmp_path / "attachments" / DIGEST
    assert store.path(DIGEST).stat().st_mtime == 1
    assert os.listdir(tmp_path / "attachments") == [DIGEST]
    assert store.read(DIGEST) == PAYLOAD


def test_an_empty_payload_is_a_payload(tmp_path):
    store = AttachmentStore(tmp_path)
    assert store.read(store.spill(b"", "text/plain").sha256) == b""


@pytest.mark.parametrize("name", ["", "../secret", "ab" * 31, "AB" * 32, "ab" * 32 + "\n", "é" * 64, "٣" * 64])
def test_what_is_no_digest_is_no_path(tmp_path, name):
    with pytest.raises(UsageError, match="not the digest"):
        AttachmentStore(tmp_path).read(name)


def test_a_missing_or_altered_payload_is_an_error(tmp_path):
    store = AttachmentStore(tmp_path)
    with pytest.raises(DamagedFile, match="missing; restore"):
        store.read(DIGEST)
    store.spill(PAYLOAD, "image/png")
    store.path(DIGEST).write_bytes(b"other")
    with pytest.raises(DamagedFile, match="altered"):
        store.read(DIGEST)
    store.spill(PAYLOAD, "image/png")
    assert store.read(DIGEST) == PAYLOAD


def test_nothing_is_written_through_a_link(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "attachments").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WorkspaceError, match="is a link"):
        AttachmentStore(tmp_path / "w").spill(b"payload", "image/png")
    assert list((tmp_path / "elsewhere").iterdir()) == []
