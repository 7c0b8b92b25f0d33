"""The web page: the files of its build, and signing in and out."""

from __future__ import annotations

import hashlib
import logging
import mimetypes
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mission import __version__
from mission.domain.errors import NotFound, PermissionDenied, StorageFull, Unauthenticated
from mission.transports.http_common import BEARER, error_response, json_response
from mission.transports.web.browser_sessions import SAFE_METHODS, SESSION_SECONDS, Sessions, cookie_name, cookie_of

log = logging.getLogger("mission")

FILES = Path(__file__).parents[2] / "page"
TRANSPORT_PATHS = ("/api", "/mcp", "/ws")
"""Addresses that are not the page's; every other address shows the page, which has its own routes."""
SIGN_IN = "/api/session/open"
PUBLIC = frozenset({"/api/health", SIGN_IN})
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "style-src-attr 'unsafe-inline'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "worker-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""The terminal emulator uses style attributes for colors. Style elements and scripts must be our own files."""
GUARDED = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
FOREVER = "public, max-age=31536000, immutable"
HINT = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Mission Control</title></head>
<body><h1>Mission Control {__version__} is running</h1>
<p>This installation does not include the web page. Everything else works: connect an agent with
<code>mission setup CLIENT</code>, look around with <code>mission status</code> and <code>mission missions</code>.</p>
<p>In a clone of the source, <code>make run</code> builds the page.</p></body></html>
"""


class NotSignedOut(StorageFull):
    """This browser is still signed in: the sign-out could not be stored."""

    default_hint = (
        "Free some space on the disk that holds MISSION_HOME, make sure that its file 'ended-sessions' is writable, "
        "then sign out again. 'mission token rotate' signs out every browser."
    )


class PageFiles:
    """Serves the built files, and exchanges codes for sessions."""

    def __init__(self, sessions: Sessions, *, files: Path = FILES) -> None:
        self._sessions = sessions
        self._files = files

    def routes(self) -> list[Route]:
        return [
            Route("/api/session", self._code, methods=["POST"]),
            Route("/api/session", self._look, methods=["GET"]),
            Route("/api/session", self._end, methods=["DELETE"]),
            Route(SIGN_IN, self._open, methods=["POST"]),
        ]

    async def _code(self, request: Request) -> Response:
        """Return a one-time code for a browser; requires the operator's access token, not an agent's."""
        if request.scope.get(BEARER) is not None:
            return _operator_only()
        return json_response({"code": self._sessions.code()})

    async def _look(self, request: Request) -> Response:  # noqa: ARG002
        """Return that the caller is signed in; anyone else was already refused."""
        return json_response({"signed_in": True})

    async def _end(self, request: Request) -> Response:
        """Sign the browser out: it deletes its cookie, and copies of the cookie are invalid.

        A session with its key or the operator's token is required; an agent's token is not enough.
        """
        if request.scope.get(BEARER) is not None:
            return _operator_only()
        cookie = cookie_of(request.headers)
        try:
            if cookie is not None and self._sessions.holds(cookie):
                self._sessions.end(cookie)
        except OSError as error:
            log.warning("a browser could not be signed out: %s", error)
            return error_response(NotSignedOut())
        answer = json_response({"signed_in": False})
        answer.delete_cookie(cookie_name(request.headers), httponly=True, samesite="strict")
        return answer

    async def _open(self, request: Request) -> Response:
        """Sign the browser in: it stores the cookie, the page the key. Neither code nor key is in an address."""
        opened = self._sessions.open(request.headers.get("mission-code", ""))
        if opened is None:
            return error_response(
                Unauthenticated("the code was already used or has expired", hint="Run 'mission open' for a new one.")
            )
        answer = json_response({"signed_in": True, "key": opened.key}, headers={"Cache-Control": "no-store"})
        answer.set_cookie(
            cookie_name(request.headers),
            opened.cookie,
            max_age=SESSION_SECONDS,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return answer

    async def show(self, request: Request, error: Exception) -> Response:  # noqa: ARG002
        """Return a file of the page, or the page itself, for an address without a route."""
        path = request.url.path
        if request.method not in SAFE_METHODS or path.startswith(TRANSPORT_PATHS):
            return error_response(NotFound("this address does not exist", hint="See /api/openapi.json."))
        if path.startswith("/assets/"):
            return self._asset(path)
        return self._index(request)

    def _asset(self, path: str) -> Response:
        """Return a file whose name changes with its content, so that a browser never has to ask again."""
        name = path.removeprefix("/assets/")
        file = self._files / "assets" / name
        if "/" in name or name.startswith(".") or not file.is_file():
            return error_response(NotFound("this file does not exist", hint="Reload the page."))
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return Response(file.read_bytes(), media_type=kind, headers={"Cache-Control": FOREVER})

    def _index(self, request: Request) -> Response:
        index = self._files / "index.html"
        body = index.read_bytes() if index.is_file() else HINT.encode()
        headers = {"Cache-Control": "no-cache", "ETag": _etag(body)}
        if request.headers.get("if-none-match") == headers["ETag"]:
            return Response(status_code=304, headers=headers)
        return Response(body, media_type="text/html", headers=headers)


def is_public(path: str) -> bool:
    """Return whether the address needs no access token: the page itself, health and signing in."""
    return not path.startswith(TRANSPORT_PATHS) or path in PUBLIC


def _operator_only() -> Response:
    return error_response(PermissionDenied("only the operator can open a session", hint="Unset MISSION_TOKEN."))


@cache
def _etag(body: bytes) -> str:
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'
