"""The SDK behind an HTTP endpoint, brought in by the first request that needs it, or soon after the start.

Importing it takes as long as everything else that a daemon does before it serves, and ordinary calls go without it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

from starlette.types import Message, Receive

from mission.transports.http_common import LARGEST_BODY

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

AFTER_SECONDS = 2.0
"""When a daemon brings it in unasked: not while it starts, and before most clients say hello."""


class SdkLoader:
    """The session managers of one server: `plain` answers JSON, `streaming` answers that carry progress."""

    def __init__(self, make: Callable[[], Server[Any]]) -> None:
        """`make` is called in a thread, when a request first needs the SDK: it may import what it likes."""
        self._make = make
        self._managers: list[StreamableHTTPSessionManager] = []
        self._making = asyncio.Lock()
        self._open = asyncio.Event()
        self._ended = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        unasked = asyncio.create_task(self._open_unasked())
        try:
            yield
        finally:
            self._ended.set()
            unasked.cancel()
            await asyncio.gather(
                unasked, return_exceptions=True
            )  # errors are reported to the request that needs the SDK
            if self._keeper is not None:
                await self._keeper

    async def _open_unasked(self) -> None:
        await asyncio.sleep(AFTER_SECONDS)
        await self._opened()

    async def plain(self) -> StreamableHTTPSessionManager:
        return (await self._opened())[0]

    async def streaming(self) -> StreamableHTTPSessionManager:
        return (await self._opened())[1]

    async def _opened(self) -> list[StreamableHTTPSessionManager]:
        if not self._open.is_set():
            async with self._making:
                if self._keeper is None:
                    self._managers = await asyncio.to_thread(self._made)
                    self._keeper = asyncio.create_task(self._keep())
            await self._open.wait()
        return self._managers

    async def _keep(self) -> None:
        """Run the managers in a separate task: the task that enters them must also leave them."""
        try:
            async with AsyncExitStack() as entered:
                for manager in self._managers:
                    await entered.enter_async_context(manager.run())
                self._open.set()
                await self._ended.wait()
        finally:
            self._open.set()  # so that no request waits forever

    def _made(self) -> list[StreamableHTTPSessionManager]:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        server = self._make()
        return [
            StreamableHTTPSessionManager(server, json_response=json, stateless=True, max_request_body_size=LARGEST_BODY)
            for json in (True, False)
        ]


def replay(body: bytes, receive: Receive) -> Receive:
    """Return a receive function that repeats a body that was already read, then continues with the connection."""
    read = False

    async def again() -> Message:
        nonlocal read
        if read:
            return await receive()
        read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
