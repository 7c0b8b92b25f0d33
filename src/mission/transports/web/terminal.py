"""The terminal of an execution over a WebSocket: earlier output, live output, and what a person types."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from mission.domain.errors import InvalidInput, InvalidState, MissionError, NotFound, PermissionDenied
from mission.domain.executions.execution import Execution, Mode
from mission.runtime.launching.launcher import AgentLauncher
from mission.runtime.running.follower import Follower
from mission.runtime.running.runner_process import Terminal
from mission.runtime.running.screen import ScreenWatcher
from mission.transports.http_common import BEARER, error_response
from mission.transports.web.websocket import SUBPROTOCOL

MAX_INPUT_LENGTH = 64 * 1024
MAX_CELLS = 1_000


class TerminalSocket:
    """Serves `/ws/executions/{id}/terminal` to operators."""

    def __init__(self, launcher: AgentLauncher) -> None:
        self._launcher = launcher

    async def __call__(self, socket: WebSocket) -> None:
        try:
            if socket.scope.get(BEARER) is not None:
                raise PermissionDenied("only operators can use terminals")
            execution = await self._launcher.execution(socket.path_params["id"])
        except MissionError as error:
            await socket.close(1008, error.message[:120])
            return
        offered = socket.scope.get("subprotocols", [])
        await socket.accept(subprotocol=SUBPROTOCOL if SUBPROTOCOL in offered else None)
        with suppress(WebSocketDisconnect, RuntimeError):
            await self._serve(socket, execution)

    async def transcript(self, request: Request) -> Response:
        """Return the output of an execution as an asciicast for any player."""
        try:
            if request.scope.get(BEARER) is not None:
                raise PermissionDenied("only operators can use terminals")
            execution = await self._launcher.execution(request.path_params["id"])
            found = await self._launcher.cast(execution.id)
            if found is None:
                raise NotFound(f"there is no transcript of {execution.id} here", hint=f"It ran on {execution.host_id}.")
        except MissionError as error:
            return error_response(error)
        name = f'attachment; filename="{execution.id}.cast"'
        return Response(found, media_type="application/x-asciicast", headers={"Content-Disposition": name})

    async def _serve(self, socket: WebSocket, execution: Execution) -> None:
        follower = self._launcher.follower(execution.id)
        if follower is None:
            history = await self._launcher.screen_text(execution.id)
            await _send_attached(socket, execution, follower, history=bool(history))
            if history:
                await _send(socket, type="output", data=history)
            await _end(socket, execution)
            return
        watcher = follower.screen.join()
        try:
            await _send_attached(socket, execution, follower, history=watcher.has_history)
            await self._follow(socket, follower, watcher)
        finally:
            follower.screen.leave(watcher)

    async def _follow(self, socket: WebSocket, follower: Follower, watcher: ScreenWatcher) -> None:
        """Pass on output and input until the program ends or the person leaves."""
        typing = asyncio.create_task(self._receive(socket, follower))
        watching = asyncio.create_task(_show(socket, watcher))
        try:
            await asyncio.wait([typing, watching], return_when=asyncio.FIRST_COMPLETED)
            if watching.done() and not typing.done():
                await follower.wait()
                await _end(socket, follower.execution)
        finally:
            for task in (typing, watching):
                task.cancel()
            await asyncio.gather(typing, watching, return_exceptions=True)

    async def _receive(self, socket: WebSocket, follower: Follower) -> None:
        """Pass on what the person types; an invalid frame gets an error."""
        while True:
            text = await socket.receive_text()
            try:
                _handle(follower, text)
            except MissionError as error:
                await _send(socket, type="error", code=error.code, message=error.message, hint=error.hint)


def _handle(follower: Follower, text: str) -> None:
    try:
        frame: Any = json.loads(text)
        kind = frame["type"]
    except (ValueError, TypeError, KeyError):
        raise InvalidInput("a frame is a JSON object with a type", hint="Types are input and resize.") from None
    if not _takes_typing(follower):
        raise InvalidState("this execution has no terminal to type into", hint="Send it a message instead.")
    if kind == "input" and isinstance(frame.get("data"), str) and len(frame["data"]) <= MAX_INPUT_LENGTH:
        follower.process.type(frame["data"].encode("utf-8", "replace"))
    elif kind == "resize" and _is_size(frame.get("rows")) and _is_size(frame.get("columns")):
        follower.process.resize(Terminal(rows=frame["rows"], columns=frame["columns"]))
    else:
        raise InvalidInput(
            "the frame is not valid",
            hint='Send {"type": "input", "data": TEXT} or {"type": "resize", "rows": R, "columns": C}.',
        )


def _is_size(value: Any) -> bool:
    return type(value) is int and 1 <= value <= MAX_CELLS


def _takes_typing(follower: Follower | None) -> bool:
    return follower is not None and follower.execution.mode is Mode.INTERACTIVE


async def _send_attached(socket: WebSocket, execution: Execution, follower: Follower | None, *, history: bool) -> None:
    """Send the execution. With `history`, the first output is old, and an emulator must not answer it."""
    typing = _takes_typing(follower)
    await _send(socket, type="attached", execution=execution.record(), typing=typing, history=history)


async def _show(socket: WebSocket, watcher: ScreenWatcher) -> None:
    while (text := await watcher.next()) is not None:
        await _send(socket, type="output", data=text)


async def _end(socket: WebSocket, execution: Execution) -> None:
    await _send(socket, type="ended", execution=execution.record())
    await socket.close()


async def _send(socket: WebSocket, **frame: Any) -> None:
    await socket.send_text(json.dumps(frame, ensure_ascii=False))
