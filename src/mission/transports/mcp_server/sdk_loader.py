"""The SDK behind an HTTP endpoint, imported for the first request that needs it, or soon after the start.

Importing it takes as long as the rest of the start, and ordinary calls do not need it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

from starlette.types import Message, Receive

from mission.transports.http_common import MAX_BODY_BYTES

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

AFTER_SECONDS = 2.0
"""When a daemon imports it without a request: after the start, and before most clients connect."""


class SdkLoader:
    """The session managers of one server: `plain` answers JSON, `streaming` answers that carry progress."""

    def __init__(self, make: Callable[[], Server[Any]]) -> None:
        """Create the loader; `make` is called in a thread when a request first needs the SDK, and may import it."""
        self._make = make
        self._managers: list[StreamableHTTPSessionManager] = []
        self._making = asyncio.Lock()
        self._open = asyncio.Event()
        self._ended = asyncio.Event()
        self._runner: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        preloading = asyncio.create_task(self._preload())
        try:
            yield
        finally:
            self._ended.set()
            preloading.cancel()
            await asyncio.gather(
                preloading, return_exceptions=True
            )  # errors are reported to the request that needs the SDK
            if self._runner is not None:
                await self._runner

    async def _preload(self) -> None:
        await asyncio.sleep(AFTER_SECONDS)
        await self._opened()

    async def plain(self) -> StreamableHTTPSessionManager:
        return (await self._opened())[0]

    async def streaming(self) -> StreamableHTTPSessionManager:
        return (await self._opened())[1]

    async def _opened(self) -> list[StreamableHTTPSessionManager]:
        if not self._open.is_set():
            async with self._making:
                if self._runner is None:
                    self._managers = await asyncio.to_thread(self._make_managers)
                    self._runner = asyncio.create_task(self._run_managers())
            await self._open.wait()
        return self._managers

    async def _run_managers(self) -> None:
        """Run the managers in a separate task: the task that enters them must also leave them."""
        try:
            async with AsyncExitStack() as entered:
                for manager in self._managers:
                    await entered.enter_async_context(manager.run())
                self._open.set()
                await self._ended.wait()
        finally:
            self._open.set()  # so that no request waits forever

    def _make_managers(self) -> list[StreamableHTTPSessionManager]:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        server = self._make()
        return [
            StreamableHTTPSessionManager(
                server, json_response=json, stateless=True, max_request_body_size=MAX_BODY_BYTES
            )
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
