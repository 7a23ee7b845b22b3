"""Secrets in text: where they are, and the same text without them.

Found by the form of a token, or by what the text itself calls a password, key or token. Only texts and plain sessions
here: no files, no workspace, no network; whether a secret is a valid one is never tried.
"""

from jam.secrets.finding import FINGERPRINT, find_secrets
from jam.secrets.marks import MARK, Secret
from jam.secrets.redaction import redact
from jam.secrets.sessions import Redactor, redact_id, redact_payload, redact_session

__all__ = [
    "FINGERPRINT",
    "MARK",
    "Redactor",
    "Secret",
    "find_secrets",
    "redact",
    "redact_id",
    "redact_payload",
    "redact_session",
]
