"""Check Host, Origin and token of every request before it reaches an endpoint."""

from __future__ import annotations

import ipaddress
import re

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from mission.domain.errors import MissionError, PermissionDenied
from mission.gateway.caller import TokenCheck
from mission.services.agents.access_tokens import Bearer
from mission.transports.http_common import BEARER, bearer, error_response, recognize, subprotocol_value
from mission.transports.mcp_server.signal_endpoint import PATH as SIGNAL_PATH
from mission.transports.web import docs_files
from mission.transports.web.browser_sessions import Sessions
from mission.transports.web.docs_files import is_docs
from mission.transports.web.execute_endpoint import ADDRESS, failure
from mission.transports.web.page_files import GUARDED, is_public
from mission.transports.web.websocket import NOT_ALLOWED

TOKEN_PROTOCOL = "mission.token."
SESSION = "mission.session"
_HOST = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[^\[\]:]+))(?::\d+)?")
_HEADERS, _DOCS_HEADERS = (
    [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    for headers in (GUARDED, {**GUARDED, "Content-Security-Policy": docs_files.POLICY})
)
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class RequestGuard:
    """Admits only requests that name us as their host, have a token, and, if they come from a page, from our own."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        mcp: ASGIApp,
        signals: ASGIApp,
        tokens: TokenCheck,
        sessions: Sessions,
        hosts: frozenset[str],
    ) -> None:
        """Send calls of agents directly to `mcp`, which needs no routes or error pages of `app`, and signals
        of executions to `signals`, which checks their tokens itself."""
        self._app = app
        self._mcp = mcp
        self._signals = signals
        self._tokens = tokens
        self._sessions = sessions
        self._hosts = hosts
        self._any_address = bool(hosts & {"0.0.0.0", "::"})  # a page cannot turn an address into a name

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        try:
            await self._check(scope)
        except MissionError as error:
            await _refuse(error, scope, receive, _guarded(send, scope["path"]))
            return
        is_call = scope["path"] == "/mcp" and scope.get("method") == "POST"
        app = self._signals if _is_signal(scope) else self._mcp if is_call else self._app
        serving = app(scope, receive, _guarded(send, scope["path"]) if app is self._app else send)
        if scope["type"] != "websocket" or SESSION not in scope:
            await serving
        elif not await self._sessions.closes_with_session(scope[SESSION], serving):
            await send({"type": "websocket.close", "code": NOT_ALLOWED, "reason": "the browser's session has ended"})

    async def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_ours(_host_of(host)):
            raise PermissionDenied(
                f"this server does not answer to the host '{host[:100]}'",
                hint="Use the address 'mission status' shows, or add the name to allowed_hosts in settings.toml.",
            )
        origin = headers.get("origin")
        if origin is not None and not self._is_own_origin(origin, headers):
            raise PermissionDenied(
                f"Cross-origin requests from '{origin[:100]}' are not allowed",
                hint="Use the page that 'mission open' opens, or call from a program, without an Origin.",
            )
        if not (is_public(scope["path"]) or _is_signal(scope)):
            scope[BEARER] = await self._bearer(scope, headers)
            recognize(scope)

    async def _bearer(self, scope: Scope, headers: Headers) -> Bearer | None:
        """Return the owner of the access token; a browser's session without one counts as the operator's."""
        token = shown_token(scope)
        if token is None and (cookie := self._sessions.check(scope, headers)) is not None:
            scope[SESSION] = cookie
            return None
        return await self._tokens.check(token)

    def _is_ours(self, host: str) -> bool:
        return host in LOOPBACK or host in self._hosts or (self._any_address and _is_address(host))

    def _is_own_origin(self, origin: str, headers: Headers) -> bool:
        return origin in {f"{scheme}://{headers.get('host')}" for scheme in ("http", "https")}


def answering_hosts(host: str, allowed: str) -> frozenset[str]:
    """Return the names under which a daemon bound to `host` can be reached."""
    return frozenset({host.lower(), *(name.strip().lower() for name in allowed.split(",") if name.strip())})


def shown_token(scope: Scope) -> str | None:
    """Return the token of the header, or of a WebSocket subprotocol, for clients that cannot set headers."""
    return bearer(Headers(scope=scope)) or subprotocol_value(scope, TOKEN_PROTOCOL)


def _guarded(send: Send, path: str) -> Send:
    """Wrap an application so that a browser runs only our own files, no matter which URL it opens."""
    added = _DOCS_HEADERS if is_docs(path) else _HEADERS

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *added]}
        await send(message)

    return sending


def _is_signal(scope: Scope) -> bool:
    path: str = scope["path"]
    return scope["type"] == "http" and path.startswith(SIGNAL_PATH)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


async def _refuse(error: MissionError, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket" and "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1008, "reason": error.message[:120]})
        return
    if scope["type"] == "websocket":
        await WebSocket(scope, receive, send).send_denial_response(error_response(error))
        return
    response = failure(error) if scope["path"] == ADDRESS else error_response(error)
    await response(scope, receive, send)


def _host_of(header: str) -> str:
    """Return the name in a Host header without its port, or None if the header is malformed."""
    found = _HOST.fullmatch(header.lower())
    return (found["address"] or found["name"]) if found else ""
