"""Sessions of browsers: opened with a one-time code, carried by a cookie and a key, ended by signing out."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import time
from collections.abc import Awaitable
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakValueDictionary

from itsdangerous import Signer
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import Scope

from mission.domain.errors import PermissionDenied, Unauthenticated
from mission.transports.http_common import subprotocol_value
from mission.transports.web.ended_sessions import EndedSessions

CODE_SECONDS = 120
SESSION_SECONDS = 30 * 24 * 3600
MAX_CODES = 100
SAFE_METHODS = frozenset({"GET", "HEAD"})
KEY_HEADER = "mission-session"
KEY_PROTOCOL = "mission.session."


@dataclass(frozen=True, kw_only=True, slots=True)
class Opened:
    """The two parts of a session. A browser sends the cookie to every port of this host, but the key only to ours."""

    cookie: str
    key: str


class Sessions:
    """Issues codes and checks the sessions they were exchanged for.

    Cookie and key are signed with a key made of the operator's token: they outlive a restart of the daemon, need no
    table, and `mission token rotate` ends every session. One that was signed out is remembered until it would have
    expired.
    """

    def __init__(self, operator: str, *, ended: Path) -> None:
        """Create the sessions; `ended` is the file that records which ones were signed out."""
        self._ended = EndedSessions(ended, lifetime=SESSION_SECONDS)
        self._endings: WeakValueDictionary[str, asyncio.Event] = WeakValueDictionary()
        self._cookies = Signer(operator, salt="mission session", digest_method=hashlib.sha256)
        self._keys = Signer(operator, salt="mission session key", digest_method=hashlib.sha256)
        self._codes: dict[str, float] = {}

    def code(self) -> str:
        """Return a code that opens one session within the next two minutes."""
        now = time.monotonic()
        self._codes = {code: until for code, until in self._codes.items() if until > now}
        while len(self._codes) >= MAX_CODES:
            del self._codes[next(iter(self._codes))]
        code = secrets.token_urlsafe(24)
        self._codes[code] = now + CODE_SECONDS
        return code

    def open(self, code: str) -> Opened | None:
        """Return a new session in exchange for a code, or None if the code is unknown, used or expired."""
        if self._codes.pop(code, 0.0) < time.monotonic():
            return None
        session = f"{int(time.time()) + SESSION_SECONDS}.{secrets.token_urlsafe(12)}"
        return Opened(cookie=self._cookies.sign(session).decode(), key=self._keys.get_signature(session).decode())

    def holds(self, cookie: str) -> bool:
        """Return whether this cookie is ours and its session has not ended."""
        return self._cookies.validate(cookie) and _session_of(cookie) not in self._ended

    def end(self, cookie: str) -> None:
        """Sign out: end the session and its copies, and close its open sockets.

        Raise OSError if that cannot be stored: a restart would reopen the session, so it stays open.
        """
        session = _session_of(cookie)
        self._ended.add(session)
        if (ending := self._endings.get(session)) is not None:
            ending.set()

    async def closes_with_session(self, cookie: str, serving: Awaitable[None]) -> bool:
        """Serve a socket until it ends or its session does; return whether the socket ended first."""
        ending = self._endings.setdefault(_session_of(cookie), asyncio.Event())
        socket, over = asyncio.ensure_future(serving), asyncio.ensure_future(ending.wait())
        try:
            await asyncio.wait((socket, over), return_when=asyncio.FIRST_COMPLETED)
            if socket.done():
                socket.result()
            return socket.done()
        finally:
            for task in (socket, over):
                task.cancel()
            await asyncio.gather(socket, over, return_exceptions=True)

    def check(self, scope: Scope, headers: Headers) -> str | None:
        """Return the cookie of a browser with a session, if any; raise unless a change comes from our own page."""
        cookie = cookie_of(headers)
        if cookie is None:
            return None
        if not self.holds(cookie):
            raise Unauthenticated(
                "the browser's session has ended", hint="Run 'mission open' for a new one.", session="over"
            )
        key = headers.get(KEY_HEADER) or subprotocol_value(scope, KEY_PROTOCOL) or ""
        if not self._keys.verify_signature(_session_of(cookie), key):
            raise Unauthenticated(
                "the cookie was sent without the page's session key",
                hint="Run 'mission open' to sign in again.",
                session="half",
            )
        if scope.get("method") not in SAFE_METHODS and headers.get("origin") is None:
            raise PermissionDenied("The Origin header is required")
        return cookie


def cookie_name(headers: Headers) -> str:
    """Return a name with our port: all ports of a host share cookies, and two daemons must not sign each other out."""
    port = headers.get("host", "").rpartition(":")[2]
    return f"mission_{port}" if port.isdigit() else "mission"


def cookie_of(headers: Headers) -> str | None:
    """Return our cookie; this parser, unlike the standard one, does not stop at a malformed cookie before it."""
    return cookie_parser(headers.get("cookie", "")).get(cookie_name(headers))


def _session_of(cookie: str) -> str:
    """Return the session's name, which is the cookie without its signature."""
    return cookie.rpartition(".")[0]
