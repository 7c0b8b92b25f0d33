"""The daemon's HTTP transport: checks requests and routes them to their endpoints."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from mission import __version__
from mission.domain.errors import InvalidInput, MissionError, PermissionDenied
from mission.events.log import EventLog
from mission.gateway.caller import TokenCheck
from mission.gateway.gateway import Gateway
from mission.runtime.launching.launcher import AgentLauncher
from mission.services.agents.access_tokens import Bearer
from mission.services.work import Work
from mission.transports.http_common import (
    BEARER,
    bearer,
    caller_of,
    error_response,
    json_response,
    recognize,
    subprotocol_value,
)
from mission.transports.mcp_server.http_endpoint import McpEndpoint
from mission.transports.mcp_server.signal_endpoint import PATH as SIGNAL_PATH
from mission.transports.mcp_server.signal_endpoint import SignalServer
from mission.transports.web.browser_sessions import Sessions
from mission.transports.web.execute_endpoint import ADDRESS, Execute, failure
from mission.transports.web.page_files import GUARDED, PageFiles, is_public
from mission.transports.web.rest import Rest
from mission.transports.web.terminal import TerminalSocket
from mission.transports.web.websocket import NOT_ALLOWED, LiveEvents

TOKEN_PROTOCOL = "mission.token."
SESSION = "mission.session"
_HOST = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[^\[\]:]+))(?::\d+)?")
_GUARDED = [(name.lower().encode(), value.encode()) for name, value in GUARDED.items()]
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class Guard:
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
            await _refuse(error, scope, receive, _guarded(send))
            return
        is_call = scope["path"] == "/mcp" and scope.get("method") == "POST"
        app = self._signals if _is_signal(scope) else self._mcp if is_call else self._app
        serving = app(scope, receive, _guarded(send) if app is self._app else send)
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
        token = _shown_token(scope)
        if token is None and (cookie := self._sessions.check(scope, headers)) is not None:
            scope[SESSION] = cookie
            return None
        return await self._tokens.check(token)

    def _is_ours(self, host: str) -> bool:
        return host in LOOPBACK or host in self._hosts or (self._any_address and _is_address(host))

    def _is_own_origin(self, origin: str, headers: Headers) -> bool:
        return origin in {f"{scheme}://{headers.get('host')}" for scheme in ("http", "https")}


def build_http(
    gateway: Gateway,
    log: EventLog,
    *,
    work: Work,
    launcher: AgentLauncher,
    tokens: TokenCheck,
    sessions: Sessions,
    toolsets: str,
    hosts: frozenset[str],
    health: Callable[[], Coroutine[Any, Any, dict[str, Any]]],
    status: Callable[[], Coroutine[Any, Any, dict[str, Any]]],
    running: Callable[[], Any],
) -> ASGIApp:
    """Return the application; it runs inside the context manager `running`."""
    page = PageFiles(sessions)
    signals = SignalServer(work, gateway.signals, connected=launcher.connected)
    terminals = TerminalSocket(launcher)
    mcp = McpEndpoint(gateway, toolsets=toolsets)

    async def show_health(request: Request) -> Response:  # noqa: ARG001
        return json_response({"status": "ok", "version": __version__, "pid": os.getpid(), **await health()})

    async def show_status(request: Request) -> Response:
        if request.scope.get(BEARER) is not None:
            return error_response(PermissionDenied("only operators can see the daemon's setup"))
        return json_response({"version": __version__, "pid": os.getpid(), **await status()})

    async def live(socket: WebSocket) -> None:
        try:
            identity = await gateway.identify(caller_of(socket, transport="websocket"))
            check = partial(tokens.check, _shown_token(socket.scope)) if socket.scope.get(BEARER) else None
            reader = LiveEvents(socket, log, reader=identity.agent_id, check=check)
        except MissionError as error:
            await socket.close(1008, error.message[:120])
            return
        await reader.run()

    async def failed(request: Request, error: Exception) -> Response:
        """Answer a request that failed unexpectedly outside any call."""
        return error_response(gateway.note_failed(request.url.path, caller_of(request, transport="http"), error))

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:  # noqa: ARG001
        async with running(), signals.running(), mcp.running():
            yield

    routes: list[BaseRoute] = [
        Route("/api/health", show_health),
        Route("/api/status", show_status),
        Route("/mcp", mcp, methods=["POST"]),  # without sessions, a separate stream would never carry anything
        WebSocketRoute("/ws", live),
        WebSocketRoute("/ws/executions/{id}/terminal", terminals.__call__),
        Route("/api/executions/{id}/transcript", terminals.transcript),
        Route(ADDRESS, Execute(gateway).__call__, methods=["POST"]),
        *Rest(gateway, log).routes(),
        *page.routes(),
    ]
    handlers = {404: page.show, 405: _wrong_method, Exception: failed}
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    return Guard(app, mcp=mcp, signals=signals, tokens=tokens, sessions=sessions, hosts=hosts)


def answering_hosts(host: str, allowed: str) -> frozenset[str]:
    """Return the names under which a daemon bound to `host` can be reached."""
    return frozenset({host.lower(), *(name.strip().lower() for name in allowed.split(",") if name.strip())})


def _guarded(send: Send) -> Send:
    """Wrap an application so that a browser runs only our own files, no matter which URL it opens."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *_GUARDED]}
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


async def _wrong_method(request: Request, error: Exception) -> Response:  # noqa: ARG001
    allowed = getattr(error, "headers", None) or {}
    response = error_response(InvalidInput("this method is not allowed here", hint=f"Use {allowed.get('Allow')}."))
    response.status_code = 405
    response.headers.update(allowed)
    return response


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


def _shown_token(scope: Scope) -> str | None:
    """Return the token of the header, or of a WebSocket subprotocol, for clients that cannot set headers."""
    return bearer(Headers(scope=scope)) or subprotocol_value(scope, TOKEN_PROTOCOL)
