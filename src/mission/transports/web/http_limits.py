"""The web server's protocols, with limits on the size, time and number of requests from unknown callers.

A token is checked as soon as a head is complete. A caller that sends a head slowly, or keeps sending a body after being
refused, is unknown. A known caller may take any time for a body and for a poll.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from mission.domain.errors import InvalidInput, MissionError, TooLarge
from mission.transports.http_common import RECOGNIZE

MAX_HEAD_BYTES = 64 * 1024
"""Maximum bytes of a head with its trailers, and of anything else that does not advance a request."""
PATIENCE = 10.0
"""Seconds for a head (from the connection or its first byte), for the rest of a body after its answer, and for the
next request of an unknown caller."""
MAX_UNKNOWN = 1000
"""Maximum connections of unknown callers: each is an open file, and their number is limited."""


class _Refused(Exception):
    """Ends the parsing of a request."""

    def __init__(self, status: int, error: MissionError) -> None:
        super().__init__(error.message)
        self.status = status
        self.error = error


class UnknownConnections:
    """Connections that have not sent a token yet, oldest first; above the limit, the oldest are dropped."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._connections: dict[BoundedHttp, None] = {}

    def add(self, connection: BoundedHttp) -> None:
        """Add a connection. One that is dropped for it does not wait until its client has read everything."""
        self._connections[connection] = None
        while len(self._connections) > self.limit:
            oldest = next(iter(self._connections))
            del self._connections[oldest]
            oldest.transport.abort()

    def discard(self, connection: BoundedHttp) -> None:
        """Forget a connection that is closed or known now."""
        self._connections.pop(connection, None)


class BoundedHttp(HttpToolsProtocol):
    """HTTP with limits on the size and time of requests and on the number of connections."""

    def __init__(self, *args: Any, unknown: UnknownConnections, **options: Any) -> None:
        super().__init__(*args, **options)
        self.timeout_keep_alive = PATIENCE  # type: ignore[assignment]
        self._unknown = unknown
        self._in_head = False
        self._advanced = False
        self._taken = 0
        self._size = 0
        self._refused: _Refused | None = None
        self._handed_over = False
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._set_deadline()
        self._unknown.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._advanced = False
        super().data_received(data)
        if self._handed_over or self.transport.is_closing():
            return
        self._taken = 0 if self._advanced else self._taken + len(data)
        if self._taken > MAX_HEAD_BYTES:
            self._refuse(431, _too_large())
            return
        waits = self.cycle is None or self.cycle.response_complete
        if waits and self._deadline is None and self.timeout_keep_alive_task is None:
            self._set_deadline()

    def handle_websocket_upgrade(self) -> None:
        self._handed_over = True
        self._leave()
        super().handle_websocket_upgrade()

    def send_400_response(self, msg: str) -> None:
        if self._refused is not None:
            self._refuse(self._refused.status, self._refused.error)
        else:
            super().send_400_response(msg)

    def on_message_begin(self) -> None:
        self._in_head = self._advanced = True
        self._size = 0
        super().on_message_begin()
        self.scope[RECOGNIZE] = self._recognize  # type: ignore[literal-required]

    def on_url(self, url: bytes) -> None:
        self._grow(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._grow(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if self._get_upgrade() == b"websocket" and _announces_body(self.headers):
            raise self._refusal(
                400, InvalidInput("the request that opens a WebSocket has a body", hint="Send it without a body.")
            )
        self._in_head = False
        self._advanced = True
        self._drop_deadline()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._advanced = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._advanced = True
        super().on_message_complete()
        if self.cycle is not None and self.cycle.response_complete:  # the rest of a body after its answer
            self._drop_deadline()
            self._unset_keepalive_if_required()
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing() or not self.cycle.response_complete:
            return
        if self.cycle.more_body or self._in_head:  # the rest of its body, or of the next head, has not arrived
            self._unset_keepalive_if_required()
            self._set_deadline()

    def _recognize(self) -> None:
        """Treat the caller as known: it has sent a valid token."""
        self.timeout_keep_alive = self.config.timeout_keep_alive
        self._unknown.discard(self)

    def _leave(self) -> None:
        """Release everything that refers to this connection; the scope would keep it alive in a cycle."""
        self._unknown.discard(self)
        self._drop_deadline()
        if self.scope is not None:
            self.scope.pop(RECOGNIZE, None)  # type: ignore[misc]

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > MAX_HEAD_BYTES:
            raise self._refusal(431, _too_large())

    def _refusal(self, status: int, error: MissionError) -> _Refused:
        """Return the exception that ends the parsing, and store it: the parser raises its own error instead."""
        self._refused = _Refused(status, error)
        return self._refused

    def _set_deadline(self) -> None:
        self._drop_deadline()
        self._deadline = self.loop.call_later(PATIENCE / 2, self._look)

    def _drop_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _look(self) -> None:
        """Wait a second time: if the loop itself was blocked, it now reads what has arrived since then."""
        self._deadline = self.loop.call_later(PATIENCE / 2, self._give_up)

    def _give_up(self) -> None:
        self._deadline = None
        if self.transport.is_closing():
            return
        if self._in_head:
            words = f"the request's headers were not complete after {PATIENCE:g} seconds"
            self._refuse(408, InvalidInput(words, hint="Send the complete request again."))
        else:
            self.transport.close()

    def _refuse(self, status: int, error: MissionError) -> None:
        """Send the error and close the connection; only close it if another answer is due or has started."""
        if not self._is_answer_due():
            self.transport.close()
            return
        body = json.dumps({"error": error.as_dict()}).encode()
        head = (
            b"content-type: application/json\r\n"
            b"connection: close\r\n"
            b"content-length: " + str(len(body)).encode() + b"\r\n\r\n"
        )
        self.transport.write(STATUS_LINE[status] + head + body)
        self.transport.close()

    def _is_answer_due(self) -> bool:
        """Return whether the next answer on this connection is that of the request being read."""
        if self.cycle is None:
            return True
        if self._in_head:  # the cycle belongs to the previous request
            return bool(self.cycle.response_complete)
        return not self.pipeline and not self.cycle.response_started


class QuietWebSocket(WebSocketsSansIOProtocol):
    """A WebSocket whose refusal is an ordinary answer, not an error in the log."""

    async def send(self, message: Any) -> None:
        await super().send(message)
        if message["type"] == "websocket.http.response.body" and self.close_sent:
            self.handshake_complete = True


def _announces_body(headers: list[tuple[bytes, bytes]]) -> bool:
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and value.strip(b"0 \t")) for name, value in headers
    )


def _too_large() -> TooLarge:
    return TooLarge(
        f"the request's headers or trailers are larger than {MAX_HEAD_BYTES // 1024} KB",
        hint="Send less in the address and the headers: arguments belong in the body.",
    )
