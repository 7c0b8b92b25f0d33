"""A line between browser and server that a test can cut, hold and mend: a small TCP proxy."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

PATIENCE = 60.0


class Line:
    """Forwards connections to a port; cut, it drops them all and takes no new ones; held, nothing passes any more."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._pairs: set[asyncio.StreamWriter] = set()
        self._open = asyncio.Event()
        self._cut = False
        self._loop = asyncio.new_event_loop()
        self._server: asyncio.Server
        self.port = 0

    def cut(self) -> None:
        """As when a cable is pulled and the other side says so: connections end, new ones are refused."""
        self._do(self._drop)

    def hold(self) -> None:
        """As in a sleep: what is connected looks connected, and nothing comes."""
        self._do(self._open.clear)

    def restore(self) -> None:
        self._do(self._restore)

    def _do(self, act: object) -> None:
        done = threading.Event()

        def run() -> None:
            act()  # type: ignore[operator]
            done.set()

        self._loop.call_soon_threadsafe(run)
        assert done.wait(PATIENCE)

    def _drop(self) -> None:
        self._cut = True
        for writer in self._pairs:
            writer.transport.abort()

    def _restore(self) -> None:
        self._cut = False
        self._open.set()

    async def run(self, started: threading.Event, stop: asyncio.Event) -> None:
        self._open.set()
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        started.set()
        await stop.wait()
        self._server.close()
        self._drop()
        self._open.set()
        passing = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*passing, return_exceptions=True)  # all have lost their connection, so each ends

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._cut:
            writer.transport.abort()
            return
        there, back = await asyncio.open_connection("127.0.0.1", self._target)
        self._pairs |= {writer, back}
        await asyncio.gather(self._pass(reader, back), self._pass(there, writer))
        self._pairs -= {writer, back}

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                await self._open.wait()
                writer.write(data)
                await writer.drain()
        writer.transport.abort()


@contextmanager
def line_to(port: int) -> Iterator[Line]:
    """A line to the server on this port, for as long as the block lasts."""
    line, started, stop = Line(port), threading.Event(), asyncio.Event()
    loop = line._loop
    thread = threading.Thread(target=lambda: loop.run_until_complete(line.run(started, stop)), daemon=True)
    thread.start()
    assert started.wait(PATIENCE)
    yield line
    loop.call_soon_threadsafe(stop.set)
    thread.join(PATIENCE)
    assert not thread.is_alive()
    loop.close()
