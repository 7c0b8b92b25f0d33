"""A browser's session: a one-time code opens it, a signed cookie carries it, the operator's token ends it."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time

from starlette.datastructures import Headers
from starlette.requests import cookie_parser

from mission.domain.errors import PermissionDenied, Unauthenticated

CODE_SECONDS = 120
SESSION_SECONDS = 30 * 24 * 3600
MOST_CODES = 100
SAFE_METHODS = frozenset({"GET", "HEAD"})


class Sessions:
    """Gives out codes and knows the cookies they were exchanged for.

    A cookie is signed with a key made of the operator's token: it outlives a restart of the daemon, needs no table,
    and `mission token rotate` ends every session.
    """

    def __init__(self, operator: str) -> None:
        self._key = hashlib.sha256(b"mission session\0" + operator.encode()).digest()
        self._codes: dict[str, float] = {}

    def code(self) -> str:
        """A code that opens one session within the next two minutes."""
        now = time.monotonic()
        self._codes = {code: until for code, until in self._codes.items() if until > now}
        while len(self._codes) >= MOST_CODES:
            del self._codes[next(iter(self._codes))]
        code = secrets.token_urlsafe(24)
        self._codes[code] = now + CODE_SECONDS
        return code

    def open(self, code: str) -> str | None:
        """The value of a session's cookie in exchange for a code; nothing for one that is unknown, used or old."""
        if self._codes.pop(code, 0.0) < time.monotonic():
            return None
        until = f"{int(time.time()) + SESSION_SECONDS}.{secrets.token_urlsafe(12)}"
        return f"{until}.{self._signature(until)}"

    def holds(self, cookie: str) -> bool:
        """Whether we gave out this cookie and it is still good."""
        until, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._signature(until).encode()):
            return False
        return int(until.partition(".")[0]) > time.time()

    def check(self, method: str, headers: Headers) -> bool:
        """Whether a browser with a session asks. What changes something must say that it comes from our own page."""
        cookie = _cookie(headers)
        if cookie is None:
            return False
        if not self.holds(cookie):
            raise Unauthenticated("the browser's session is over", hint="Run 'mission open' for a new one.")
        if method not in SAFE_METHODS and headers.get("origin") is None:
            raise PermissionDenied("an action of a browser must name the page it comes from")
        return True

    def _signature(self, text: str) -> str:
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()


def cookie_name(headers: Headers) -> str:
    """Cookies are shared by all ports of a host, so the name carries ours: two daemons do not sign each other out."""
    port = headers.get("host", "").rpartition(":")[2]
    return f"mission_{port}" if port.isdigit() else "mission"


def _cookie(headers: Headers) -> str | None:
    """Ours, whatever other programs on this host have set: the standard parser gives up at the first odd one."""
    return cookie_parser(headers.get("cookie", "")).get(cookie_name(headers))
