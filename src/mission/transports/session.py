"""A browser's session: a one-time code opens it, a signed cookie carries it, signing out ends it."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import time
from collections.abc import Awaitable
from contextlib import suppress
from pathlib import Path
from weakref import WeakValueDictionary

from starlette.datastructures import Headers
from starlette.requests import cookie_parser

from mission.domain.errors import PermissionDenied, Unauthenticated
from mission.files import write_private

CODE_SECONDS = 120
SESSION_SECONDS = 30 * 24 * 3600
MOST_CODES = 100
SAFE_METHODS = frozenset({"GET", "HEAD"})


class Sessions:
    """Gives out codes and knows the cookies they were exchanged for.

    A cookie is signed with a key made of the operator's token: it outlives a restart of the daemon, needs no table,
    and `mission token rotate` ends every session. One that was signed out is remembered for as long as it could last.
    """

    def __init__(self, operator: str, *, ended: Path) -> None:
        """`ended` is the file that remembers the sessions that were signed out."""
        self._file = ended
        self._ended: set[str] = set()
        with suppress(FileNotFoundError):
            self._ended.update(ended.read_text().split())
        self._endings: WeakValueDictionary[str, asyncio.Event] = WeakValueDictionary()
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
        session, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._signature(session).encode()):
            return False
        return session not in self._ended and _end_of(session) > time.time()

    def end(self, cookie: str) -> None:
        """Sign out: the cookie is worth nothing from now on, nor is a copy of it; its open sockets close."""
        session = cookie.rpartition(".")[0]
        self._ended = {each for each in self._ended if _end_of(each) > time.time()} | {session}
        if (ending := self._endings.get(session)) is not None:
            ending.set()  # before it is written down, which a full disk may refuse
        write_private(self._file, "".join(f"{each}\n" for each in sorted(self._ended)))

    async def outlives(self, cookie: str, serving: Awaitable[None]) -> bool:
        """Serve a socket for as long as its session lasts; whether it was the socket that ended."""
        ending = self._endings.setdefault(cookie.rpartition(".")[0], asyncio.Event())
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

    def check(self, method: str, headers: Headers) -> str | None:
        """The cookie of a browser that asks with a session. What changes something must name our own page."""
        cookie = cookie_of(headers)
        if cookie is None:
            return None
        if not self.holds(cookie):
            raise Unauthenticated("the browser's session is over", hint="Run 'mission open' for a new one.")
        if method not in SAFE_METHODS and headers.get("origin") is None:
            raise PermissionDenied("an action of a browser must name the page it comes from")
        return cookie

    def _signature(self, text: str) -> str:
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()


def cookie_name(headers: Headers) -> str:
    """Cookies are shared by all ports of a host, so the name carries ours: two daemons do not sign each other out."""
    port = headers.get("host", "").rpartition(":")[2]
    return f"mission_{port}" if port.isdigit() else "mission"


def cookie_of(headers: Headers) -> str | None:
    """Ours, whatever other programs on this host have set: the standard parser gives up at the first odd one."""
    return cookie_parser(headers.get("cookie", "")).get(cookie_name(headers))


def _end_of(session: str) -> int:
    return int(session.partition(".")[0])
