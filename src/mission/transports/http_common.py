"""Shared parts of the HTTP transports: the caller from the headers, errors as JSON, and limited bodies."""

from __future__ import annotations

import json
from functools import partial
from typing import Any
from urllib.parse import unquote, unquote_to_bytes

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope

from mission.domain.errors import InvalidInput, MissionError, TooLarge
from mission.gateway.caller import Caller, ReportProgress, listed_toolsets

MAX_BODY_BYTES = 10 * 1024 * 1024


BEARER = "mission.bearer"
"""The key in a connection's scope under which the guard stores the agent of the access token."""
RECOGNIZE = "mission.recognize"
"""The key in a request's scope of the function that marks its caller as known."""


def caller_of(
    request: HTTPConnection,
    *,
    transport: str,
    key: str | None = None,
    toolsets: str | None = None,
    progress: ReportProgress | None = None,
) -> Caller:
    """Return the caller of a request from its access token and headers; an explicit key overrides the header's.
    `toolsets` is the default for clients that list tools and do not choose."""
    headers, bearer = request.headers, request.scope.get(BEARER)
    directory = headers.get("mission-directory")
    return Caller(
        transport=transport,
        bearer=bearer,
        agent=unquote(headers.get("mission-agent", "")) or None,
        directory=_path(directory) if directory else None,
        key=key or headers.get("idempotency-key"),
        toolsets=listed_toolsets(request.query_params.get("toolsets"), bearer, toolsets) if toolsets else None,
        progress=progress,
        left=partial(wait_for_disconnect, request.receive) if isinstance(request, Request) else None,
    )


async def wait_for_disconnect(receive: Receive) -> None:
    """Return once the client has closed the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass


def bearer(headers: Headers) -> str | None:
    """Return the access token of the Authorization header, or None."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" and token.strip() else None


def recognize(scope: Scope) -> None:
    """Mark the caller of this connection as known: its access token was checked."""
    if (known := scope.get(RECOGNIZE)) is not None:
        known()


def subprotocol_value(scope: Scope, prefix: str) -> str | None:
    """Return the value that a client without headers, such as a page's WebSocket, sent as a subprotocol."""
    for name in scope.get("subprotocols", []):
        if name.startswith(prefix):
            return str(name.removeprefix(prefix))
    return None


def error_response(error: MissionError) -> Response:
    headers = {"WWW-Authenticate": "Bearer"} if error.http_status == 401 else None
    return json_response({"error": error.as_dict()}, status=error.http_status, headers=headers)


def json_response(content: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse(content, status_code=status, headers=headers)


async def read_body(receive: Receive, *, declared: str | None) -> bytes:
    """Return the whole body; refuse one that is too large before reading it."""
    if declared is not None and declared.isdigit() and int(declared) > MAX_BODY_BYTES:
        raise _too_large()
    parts = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise InvalidInput("the request ended before its body was complete")
        parts += message.get("body", b"")
        if len(parts) > MAX_BODY_BYTES:
            raise _too_large()
        if not message.get("more_body", False):
            return bytes(parts)


async def json_body(request: Request) -> Any:
    """Return the body as JSON; an empty body is an empty object."""
    body = await read_body(request.receive, declared=request.headers.get("content-length"))
    if not body.strip():
        return {}
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise InvalidInput(
            "the body is not valid JSON, is nested too deeply, or has a number that is too large",
            hint='Send one JSON object, such as {"name": "…"}.',
        ) from None


def _too_large() -> TooLarge:
    return TooLarge(f"the body is larger than {MAX_BODY_BYTES // 1024 // 1024} MB")


def _path(value: str) -> str | None:
    """Return a decoded percent-encoded path, or None if it is not absolute or not UTF-8."""
    try:
        path = unquote_to_bytes(value).decode("utf-8")
    except UnicodeDecodeError:
        return None
    return path if path.startswith("/") and "\x00" not in path else None
