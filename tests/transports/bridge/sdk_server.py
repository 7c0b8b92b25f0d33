"""A small real MCP server that behaves like the daemon towards a bridge: lock, daemon.json, health, /mcp.

Run as a program; MISSION_HOME says where. What it was sent stands in requests.jsonl there.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from mission import __version__

HOME = Path(os.environ["MISSION_HOME"])
TOKEN = "operator-token"
NAMES = ("echo", "meet", "progress", "hang", "die_once")


class Tools:
    """What the tools need between calls."""

    def __init__(self) -> None:
        self.present = 0
        self.everybody = asyncio.Event()

    async def call(self, ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        arguments = params.arguments or {}
        text = await getattr(self, params.name)(**({"ctx": ctx} if params.name == "progress" else arguments))
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)])

    async def echo(self, text: str = "") -> str:
        return text

    async def meet(self, people: int) -> str:
        """Answers only when that many calls are in flight at once."""
        self.present += 1
        if self.present == people:
            self.everybody.set()
        with anyio.fail_after(60):
            await self.everybody.wait()
        return "met"

    async def progress(self, ctx: Any) -> str:
        for step in (1, 2, 3):
            await ctx.session.report_progress(step, 3, f"step {step}")
        return "done"

    async def hang(self) -> str:
        (HOME / "hang.started").touch()
        await anyio.sleep_forever()
        raise AssertionError

    async def die_once(self) -> str:
        marker = HOME / "died"
        if not marker.exists():
            marker.touch()
            os._exit(9)
        return "survived"


async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[types.Tool(name=name, input_schema={"type": "object"}) for name in NAMES])


async def health(request: Request) -> Response:
    return JSONResponse({"status": "ok", "version": __version__, "pid": os.getpid(), "executions": 0})


class Door:
    """Checks the token, notes what came, and notices clients that leave."""

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._manager = manager

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = {name.decode(): value.decode("latin-1") for name, value in scope["headers"]}
        with (HOME / "requests.jsonl").open("a") as file:
            file.write(json.dumps({"query": scope["query_string"].decode(), **headers}) + "\n")
        if headers.get("authorization") != f"Bearer {TOKEN}":
            error: dict[str, Any] = {"code": "UNAUTHENTICATED", "message": "no", "hint": None, "details": {}}
            return await JSONResponse({"error": error}, status_code=401)(scope, receive, send)

        async def watched() -> Any:
            message = await receive()
            if message["type"] == "http.disconnect":
                (HOME / "client.left").touch()
            return message

        await self._manager.handle_request(scope, watched, send)


def application() -> Starlette:
    tools = Tools()
    server: Server[Any] = Server("fixture", version="1", on_list_tools=list_tools, on_call_tool=tools.call)
    manager = StreamableHTTPSessionManager(server, stateless=True, max_request_body_size=10 * 1024 * 1024)

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with manager.run():
            yield

    door = Door(manager)
    return Starlette(routes=[Route("/api/health", health), Route("/mcp", door)], lifespan=lifespan)


def main() -> None:
    lock = os.open(HOME / "daemon.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit("a daemon runs already")
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", int(os.environ.get("MISSION_PORT", "0"))))
    listener.listen(100)
    port = listener.getsockname()[1]
    found = {"url": f"http://127.0.0.1:{port}", "token": TOKEN, "pid": os.getpid(), "version": __version__}
    (HOME / "daemon.json.new").write_text(json.dumps(found))
    (HOME / "daemon.json.new").replace(HOME / "daemon.json")
    config = uvicorn.Config(application(), log_level="warning", timeout_graceful_shutdown=1)
    uvicorn.Server(config).run(sockets=[listener])
    (HOME / "daemon.json").unlink()


if __name__ == "__main__":
    main()
