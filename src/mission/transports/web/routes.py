"""The daemon's HTTP transport: routes requests to their endpoints."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from mission import __version__
from mission.domain.errors import InvalidInput, MissionError, PermissionDenied
from mission.events.log import EventLog
from mission.gateway.caller import TokenCheck
from mission.gateway.gateway import Gateway
from mission.runtime.launching.launcher import AgentLauncher
from mission.services.work import Work
from mission.transports.http_common import (
    BEARER,
    caller_of,
    error_response,
    json_response,
)
from mission.transports.mcp_server.http_endpoint import McpEndpoint
from mission.transports.mcp_server.signal_endpoint import SignalServer
from mission.transports.web.browser_sessions import Sessions
from mission.transports.web.docs_files import DocsFiles
from mission.transports.web.execute_endpoint import ADDRESS, Execute
from mission.transports.web.page_files import PageFiles
from mission.transports.web.request_guard import RequestGuard, shown_token
from mission.transports.web.rest import Rest
from mission.transports.web.terminal import TerminalSocket
from mission.transports.web.websocket import LiveEvents


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
            check = partial(tokens.check, shown_token(socket.scope)) if socket.scope.get(BEARER) else None
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
        *DocsFiles().routes(),
    ]
    handlers = {404: page.show, 405: _wrong_method, Exception: failed}
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    return RequestGuard(app, mcp=mcp, signals=signals, tokens=tokens, sessions=sessions, hosts=hosts)


async def _wrong_method(request: Request, error: Exception) -> Response:  # noqa: ARG001
    allowed = getattr(error, "headers", None) or {}
    response = error_response(InvalidInput("this method is not allowed here", hint=f"Use {allowed.get('Allow')}."))
    response.status_code = 405
    response.headers.update(allowed)
    return response
