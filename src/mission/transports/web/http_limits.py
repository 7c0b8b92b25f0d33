"""The web server's protocols, with limits for callers that are not known yet: on the size of a head, and on time.

A token is checked as soon as a head is complete. So whoever sends a head slowly, or goes on with a body after being
refused, is nobody. Whoever is known may take any time for a body, and for a poll.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from mission.domain.errors import InvalidInput, MissionError, TooLarge

LARGEST_HEAD = 64 * 1024
PATIENCE = 10.0
"""Seconds for a head, from the connection or its first byte on, and for the rest of a body after its answer."""


class _HeadTooLarge(Exception):
    """Ends the parsing of a request."""


class BoundedHttp(HttpToolsProtocol):
    """HTTP, with heads that are bounded in size and time."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._in_head = False
        self._taken = 0
        self._size = 0
        self._handed_over = False
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._set_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        self._drop_deadline()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        began_before = self._in_head
        super().data_received(data)
        if self._handed_over or self.transport.is_closing():
            return
        if began_before and self._in_head:
            self._taken += len(data)
            if self._taken > LARGEST_HEAD:
                self._refuse(431, _too_large())
                return
        waits = self.cycle is None or self.cycle.response_complete
        if waits and self._deadline is None and self.timeout_keep_alive_task is None:
            self._set_deadline()

    def handle_websocket_upgrade(self) -> None:
        self._handed_over = True
        self._drop_deadline()
        super().handle_websocket_upgrade()

    def send_400_response(self, msg: str) -> None:
        if self._size > LARGEST_HEAD:
            self._refuse(431, _too_large())
        else:
            super().send_400_response(msg)

    def on_message_begin(self) -> None:
        self._in_head = True
        self._taken = self._size = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self._grow(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._grow(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._drop_deadline()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        if self.cycle is not None and self.cycle.response_complete:  # the rest of a body that nobody waited for
            self._drop_deadline()
            self._unset_keepalive_if_required()
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.cycle.response_complete and self.cycle.more_body and not self.transport.is_closing():
            self._set_deadline()

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > LARGEST_HEAD:
            raise _HeadTooLarge

    def _set_deadline(self) -> None:
        self._drop_deadline()
        self._deadline = self.loop.call_later(PATIENCE / 2, self._look)

    def _drop_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _look(self) -> None:
        """Look twice: if the loop itself was held up, what was sent meanwhile is read in between."""
        self._deadline = self.loop.call_later(PATIENCE / 2, self._give_up)

    def _give_up(self) -> None:
        self._deadline = None
        if self.transport.is_closing():
            return
        if self._in_head:
            words = f"the head of the request was not complete after {PATIENCE:g} seconds"
            self._refuse(408, InvalidInput(words, hint="Send it again, whole."))
        else:
            self.transport.close()

    def _refuse(self, status: int, error: MissionError) -> None:
        body = json.dumps({"error": error.as_dict()}).encode()
        head = (
            b"content-type: application/json\r\n"
            b"connection: close\r\n"
            b"content-length: " + str(len(body)).encode() + b"\r\n\r\n"
        )
        self.transport.write(STATUS_LINE[status] + head + body)
        self.transport.close()


class QuietWebSocket(WebSocketsSansIOProtocol):
    """A WebSocket whose refusal is an answer like any other, not an error for the log."""

    async def send(self, message: Any) -> None:
        await super().send(message)
        if message["type"] == "websocket.http.response.body" and self.close_sent:
            self.handshake_complete = True


def _too_large() -> TooLarge:
    return TooLarge(
        f"the head of the request is larger than {LARGEST_HEAD // 1024} KB",
        hint="Send less in the address and the headers: arguments belong in the body.",
    )
