"""Find files that likely contain a secret, by name and by content; a finding never contains the secret itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

SHAPES = (
    ("a private key", re.compile(rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----\s+[A-Za-z0-9+/=:]")),
    ("a GitHub token", re.compile(rb"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,})")),
    ("a GitLab token", re.compile(rb"\bglpat-[\w-]{20,}")),
    ("a Slack token", re.compile(rb"\bxox[abeprs]-\d[A-Za-z0-9-]{20,}")),
    ("an AWS key", re.compile(rb"\bA(?:KIA|SIA)[0-9A-Z]{16}\b(?<!EXAMPLE)")),
    ("a Google API key", re.compile(rb"\bAIza[\w-]{35}\b")),
    ("an npm token", re.compile(rb"\bnpm_[A-Za-z0-9]{36}\b")),
    ("a PyPI token", re.compile(rb"\bpypi-AgE[\w-]{50,}")),
    ("an API key", re.compile(rb"\bsk-(?=[\w-]*[0-9])(?=[\w-]*[A-Z])[\w-]{32,}")),
    ("a Stripe key", re.compile(rb"\b[sr]k_live_[A-Za-z0-9]{20,}")),
    ("a Mission Control token", re.compile(rb"\bmca_[\w-]{30,}")),
    (
        "a package registry password",
        re.compile(rb"^\s*(?://\S+:)?_(?:authToken|password|auth)\s*=\s*[^\s$]{8,}", re.M),
    ),
)
NAMES = re.compile(
    rb"\.env(?:\.(?!example$|sample$|template$|dist$|defaults?$|test$|ci$)[^/]+)?|\.netrc|_netrc|\.pgpass|\.pypirc"
    rb"|\.git-credentials|\.htpasswd|id_(?:rsa|dsa|ecdsa|ed25519)|[^/]+\.(?:p12|pfx|jks|keystore|kdbx|ppk)"
)
"""Names of files that people keep secrets in."""


def secrets_in(content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield what each secret in the content is, and the secret."""
    for what, shape in SHAPES:
        for found in shape.finditer(content):
            yield what, found[0]


def is_secret_name(path: bytes) -> bool:
    """Return whether a file of this name usually holds secrets."""
    return NAMES.fullmatch(path.rpartition(b"/")[2]) is not None
