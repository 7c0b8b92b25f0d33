"""A standalone server: ordinary calls of the client on stdin and stdout go directly to the gateway."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json

from mission.domain.errors import MissionError
from mission.gateway.gateway import Gateway
from mission.transports.bridge.line_io import LineWriter
from mission.transports.mcp_server import protocol
from mission.transports.mcp_server.direct_call import DirectCall, call_result, error_result
from mission.transports.mcp_server.fixed_answers import list_result
from mission.transports.mcp_server.standalone.client import Incoming, StandaloneClient
from mission.transports.mcp_server.stdio_callers import StdioCallers
from mission.transports.mcp_server.tool_list import listed_tools

if TYPE_CHECKING:
    from mission.transports.mcp_server.standalone.sdk_session import Lines, SdkSession

log = logging.getLogger(__name__)

GRACE_SECONDS = 10.0
"""Seconds that calls may take after the input has ended; a client can end them sooner with a signal."""


class StandaloneServer:
    """Serves one client. The SDK is imported for the first message that only it understands."""

    def __init__(
        self,
        client: StandaloneClient,
        gateway: Gateway,
        *,
        callers: StdioCallers,
        store_list: Callable[[list[Any]], None],
    ) -> None:
        """Create the server; `store_list` stores the operator's list of tools for the next start."""
        self._client = client
        self._gateway = gateway
        self._callers = callers
        self._store_list = store_list
        self._ended = asyncio.Event()
        self._answering: dict[int | str, asyncio.Task[None]] = {}
        self._sdk_lines: Lines = asyncio.Queue()
        self._sdk: SdkSession | None = None
        self._sdk_settled = asyncio.Event()
        self._sdk_running: asyncio.Task[None] | None = None

    async def serve(self, *, at_end: Callable[[], None]) -> None:
        """Serve until the input ends; `at_end` is called before waiting for the last answers."""
        loop = asyncio.get_running_loop()

        def deliver(item: Incoming | None) -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody waits for more
                loop.call_soon_threadsafe(self._receive, item)

        self._client.attach(deliver)
        await self._ended.wait()
        at_end()
        if self._sdk_running is not None:
            await self._sdk_settled.wait()
        try:
            await asyncio.wait_for(self._answer_all(), GRACE_SECONDS)
        except TimeoutError:
            for task in self._answering.values():
                task.cancel()
        if self._sdk_running is not None:
            self._sdk_running.cancel()
            await asyncio.gather(self._sdk_running, return_exceptions=True)

    async def _answer_all(self) -> None:
        while self._answering:
            await asyncio.wait(list(self._answering.values()))
        if self._sdk is not None:
            await self._sdk_lines.join()
            await self._sdk.wait_for_answers()

    def _receive(self, item: Incoming | None) -> None:
        if item is None:
            self._ended.set()
        elif (message := item.message) is None:
            self._leave_to_sdk(item)
        elif "id" not in message:
            self._note(item, message)
        elif protocol.is_call(message):
            self._start(message["id"], self._call(DirectCall.of(message, modern=item.modern)))
        elif message["method"] == "tools/list" and protocol.is_bare(message):
            self._start(message["id"], self._list(item, message))
        else:
            self._leave_to_sdk(item)

    def _note(self, item: Incoming, message: Mapping[str, Any]) -> None:
        """Take a notification: a canceled call ends without an answer, and the rest is for the SDK if it is used."""
        canceled = message["method"] == "notifications/cancelled"
        identifier = message.get("params", {}).get("requestId") if canceled else None
        if isinstance(identifier, int | str) and (task := self._answering.get(identifier)) is not None:
            task.cancel()
        elif self._sdk_running is not None and not self._was_greeted(message):
            self._leave_to_sdk(item)

    def _was_greeted(self, message: Mapping[str, Any]) -> bool:
        """Return whether the SDK was already told that the handshake is complete."""
        return message["method"] == "notifications/initialized" and self._client.opening is not None

    def _start(self, identifier: int | str, answer: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(answer)
        self._answering[identifier] = task
        task.add_done_callback(lambda done: self._forget(identifier, done))

    def _forget(self, identifier: int | str, task: asyncio.Task[None]) -> None:
        if self._answering.get(identifier) is task:
            del self._answering[identifier]
        if not task.cancelled() and isinstance(task.exception(), OSError):
            self._ended.set()  # the client no longer reads its answers

    async def _call(self, call: DirectCall) -> None:
        try:
            caller = await self._callers.caller(key=call.key, progress=self._progress(call.progress_token))
        except MissionError as error:
            result = error_result(error)
        else:
            result = await call_result(self._gateway, call.tool, call.arguments, caller)
        await self._send(call.answer(result))

    async def _list(self, item: Incoming, request: Mapping[str, Any]) -> None:
        try:
            caller = await self._callers.caller()
            tools = await listed_tools(self._gateway, caller)
        except MissionError:
            self._leave_to_sdk(item)  # it words the error
            return
        result = list_result({"tools": tools}, modern=item.modern)
        await self._send(to_json({"jsonrpc": "2.0", "id": request["id"], "result": result}))
        if self._callers.are_operator:
            await asyncio.to_thread(self._store_list, tools)

    def _progress(self, token: int | str | None) -> Callable[[float, str], Coroutine[Any, Any, None]] | None:
        if token is None:
            return None

        async def report(step: float, text: str) -> None:
            params = {"progressToken": token, "progress": step, "message": text}
            await self._send(to_json({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}))

        return report

    async def _send(self, line: bytes) -> None:
        output: LineWriter = self._client.output
        if (rest := output.write_some(line)) is not None:
            await asyncio.to_thread(rest)

    def _leave_to_sdk(self, item: Incoming) -> None:
        if self._sdk_running is None:
            self._sdk_running = asyncio.create_task(self._run_sdk(self._client.opening))
        self._sdk_lines.put_nowait(item.line)

    async def _run_sdk(self, opening: bytes | None) -> None:
        try:
            self._sdk = await asyncio.to_thread(self._make_sdk)
            self._sdk_settled.set()
            await self._sdk.run(self._sdk_lines, opening=opening)
        except Exception:
            log.exception("the protocol's SDK failed")
            self._sdk = None
            self._ended.set()
        finally:
            self._sdk_settled.set()

    def _make_sdk(self) -> SdkSession:
        from mission.transports.mcp_server.server import McpServer  # deferred with the SDK
        from mission.transports.mcp_server.standalone.sdk_session import SdkSession

        return SdkSession(McpServer(self._gateway, callers=self._callers).server, send=self._send)
