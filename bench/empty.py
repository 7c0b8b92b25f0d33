"""The lower bound of a call: the SDK with one tool that does nothing, served with the daemon's settings."""

from __future__ import annotations

import asyncio
import gc
import json
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import uvicorn
import uvloop
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import Route

SCHEMA = {"type": "object", "properties": {"task_id": {"type": "string"}, "message": {"type": "string"}}}


async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:  # noqa: ARG001
    return types.ListToolsResult(tools=[types.Tool(name="nothing", input_schema=SCHEMA)])


async def call_tool(ctx: Any, params: Any) -> dict[str, Any]:  # noqa: ARG001
    return {"resultType": "complete", "content": [], "isError": False}


def empty_server() -> Server[Any]:
    server: Server[Any] = Server(
        "empty",
        get_tool_input_schema=lambda name: SCHEMA,  # noqa: ARG005
        on_list_tools=list_tools,
        on_call_tool=call_tool,  # type: ignore[arg-type]  # a plain dict is accepted
    )
    server.middleware.clear()
    return server


def build() -> Starlette:
    server = empty_server()
    manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:  # noqa: ARG001
        async with manager.run():
            yield

    return Starlette(routes=[Route("/mcp", StreamableHTTPASGIApp(manager))], lifespan=lifespan)


async def serve(place: Path) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        build(), http="httptools", log_config=None, access_log=False, server_header=False, timeout_keep_alive=75
    )
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 50)
    host, port = listener.getsockname()
    place.write_text(json.dumps({"host": host, "port": port}))  # connections wait until it serves
    await uvicorn.Server(config).serve(sockets=[listener])


async def serve_stdio() -> None:
    server = empty_server()
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 50)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve_stdio() if sys.argv[1] == "--stdio" else serve(Path(sys.argv[1])))
