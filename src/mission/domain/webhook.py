"""Webhooks: which events are sent, how they are signed, and when a failed delivery is retried."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fnmatch import fnmatchcase

FIRST_PAUSE = timedelta(seconds=1)
MAX_PAUSE = timedelta(minutes=10)
MAX_REFUSALS = 5
"""How many times an event is sent to a receiver that refuses it."""
_PASSING = frozenset({408, 425, 429})
_ENCODED = "whsec_"
"""The prefix of a base64 secret, as receivers' libraries issue it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Webhook:
    """A receiver of events, and the events it gets."""

    url: str = field(repr=False)  # part of an address may be a secret
    secret: str = field(repr=False)
    events: Sequence[str]

    @property
    def key(self) -> str:
        """Return the key under which this receiver is stored; it does not reveal the address."""
        return hashlib.sha256(self.url.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def wants(self, type: str) -> bool:
        return any(fnmatchcase(type, pattern) for pattern in self.events)

    def headers(self, *, id: str, at: datetime, body: bytes) -> dict[str, str]:
        """Return headers as defined by standardwebhooks.com: id, time and signature."""
        moment = str(int(at.timestamp()))
        named = {"webhook-id": id, "webhook-timestamp": moment, "content-type": "application/json"}
        if not self.secret:
            return named
        signed = b".".join((id.encode(), moment.encode(), body))
        digest = hmac.new(_key(self.secret), signed, hashlib.sha256).digest()
        return {**named, "webhook-signature": f"v1,{base64.b64encode(digest).decode()}"}


@dataclass(frozen=True, kw_only=True, slots=True)
class DeliveryProgress:
    """The progress of a receiver: every event up to `seq` was delivered or given up."""

    key: str
    seq: int
    failures: int
    due_at: datetime


def pause_after(failures: int) -> timedelta:
    """Return how long to wait after that many failures in a row: twice as long each time."""
    doubled: timedelta = FIRST_PAUSE * 2.0 ** min(failures - 1, 20)
    return min(doubled, MAX_PAUSE)


def is_delivered(status: int | None) -> bool:
    return status is not None and 200 <= status < 300


def is_refused(status: int | None) -> bool:
    """Return whether the receiver refused the event for good; no answer or a server error does not count."""
    return status is not None and 300 <= status < 500 and status not in _PASSING


def _key(secret: str) -> bytes:
    if secret.startswith(_ENCODED):
        try:
            return base64.b64decode(secret.removeprefix(_ENCODED), validate=True)
        except ValueError:
            return secret.encode()
    return secret.encode()
