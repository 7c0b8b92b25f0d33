"""Many open pages in one process: each a WebSocket that receives everything, read with minimal overhead."""

from __future__ import annotations

import asyncio
import base64
import os
import re
import time
from datetime import datetime

from bench.http import Address

SUBSCRIBE = b'{"type":"subscribe","topic":"global"}'
_AT = re.compile(rb'"at":\s*"([^"]+)"')


class OpenPages:
    """Sockets, and the delay between the commit of each event and its arrival at each of them."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._pages: list[_Page] = []
        self.delays: list[float] = []
        self._moments: dict[bytes, float] = {}

    async def open(self, many: int) -> None:
        for start in range(0, many, 50):
            await asyncio.gather(*(self._one() for _ in range(min(50, many - start))))

    def close(self) -> None:
        for page in self._pages:
            page.transport.close()

    def heard(self, data: bytes) -> None:
        now = time.time()
        for text in _AT.findall(data):
            moment = self._moments.get(text)
            if moment is None:
                moment = self._moments[text] = datetime.fromisoformat(text.decode()).timestamp()
            self.delays.append((now - moment) * 1000)

    async def _one(self) -> None:
        loop = asyncio.get_running_loop()
        page = _Page(self)
        await loop.create_connection(lambda: page, self._address.host, self._address.port)
        key = base64.b64encode(os.urandom(16)).decode()
        host = f"{self._address.host}:{self._address.port}"
        page.transport.write(
            f"GET /ws HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
            f"Authorization: Bearer {self._address.token}\r\n\r\n".encode()
        )
        await page.ready.wait()
        page.transport.write(frame(SUBSCRIBE))
        page.ready.clear()
        await page.ready.wait()
        self._pages.append(page)
        page.listening = True


class _Page(asyncio.Protocol):
    transport: asyncio.Transport

    def __init__(self, pages: OpenPages) -> None:
        self._pages = pages
        self.ready = asyncio.Event()
        self.listening = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        if self.listening:
            self._pages.heard(data)
        else:
            self.ready.set()


def frame(text: bytes) -> bytes:
    """Return a masked text frame of less than 126 bytes; a mask of zeros changes nothing."""
    return bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text
