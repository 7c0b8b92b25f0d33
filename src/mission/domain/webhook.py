"""Webhooks: which events leave, how they are signed, and when a failed delivery is tried again."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fnmatch import fnmatchcase

FIRST_PAUSE = timedelta(seconds=1)
LONGEST_PAUSE = timedelta(minutes=10)
MOST_REFUSALS = 5
"""So often an event is offered to a receiver that says it does not want it."""
_PASSING = frozenset({408, 425, 429})
_ENCODED = "whsec_"
"""How a secret begins that is written in base64, as receivers' libraries hand it out."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Webhook:
    """Where events go, and which."""

    url: str = field(repr=False)  # part of an address may be a secret
    secret: str = field(repr=False)
    events: Sequence[str]

    @property
    def key(self) -> str:
        """What this receiver is remembered by, which gives nothing away."""
        return hashlib.sha256(self.url.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def wants(self, type: str) -> bool:
        return any(fnmatchcase(type, pattern) for pattern in self.events)

    def headers(self, *, id: str, at: datetime, body: bytes) -> dict[str, str]:
        """Headers after the convention of standardwebhooks.com: id, time and signature."""
        moment = str(int(at.timestamp()))
        named = {"webhook-id": id, "webhook-timestamp": moment, "content-type": "application/json"}
        if not self.secret:
            return named
        signed = b".".join((id.encode(), moment.encode(), body))
        digest = hmac.new(_key(self.secret), signed, hashlib.sha256).digest()
        return {**named, "webhook-signature": f"v1,{base64.b64encode(digest).decode()}"}


@dataclass(frozen=True, kw_only=True, slots=True)
class DeliveryProgress:
    """How far a receiver has come: everything up to `seq` has reached it or was given up."""

    key: str
    seq: int
    failures: int
    due_at: datetime


def pause_after(failures: int) -> timedelta:
    """How long to wait after so many failures in a row: twice as long each time."""
    doubled: timedelta = FIRST_PAUSE * 2.0 ** min(failures - 1, 20)
    return min(doubled, LONGEST_PAUSE)


def is_delivered(status: int | None) -> bool:
    return status is not None and 200 <= status < 300


def is_refused(status: int | None) -> bool:
    """Whether the receiver said that it will never take the event; no answer and a fault of its own are no refusal."""
    return status is not None and 300 <= status < 500 and status not in _PASSING


def _key(secret: str) -> bytes:
    if secret.startswith(_ENCODED):
        try:
            return base64.b64decode(secret.removeprefix(_ENCODED), validate=True)
        except ValueError:
            return secret.encode()
    return secret.encode()
