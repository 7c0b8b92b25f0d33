"""The signals of an execution as tools of an MCP server, for every request other than an ordinary call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from starlette.types import Scope

from mission.domain.errors import InvalidState
from mission.domain.executions import signal_schemas
from mission.domain.executions.signals import KINDS, SignalDescriptor, SignalType, tool_schema
from mission.transports.mcp_server.server import no_arguments_in_headers

Context = ServerRequestContext[Any, Any]
Allowed = Callable[[Scope], Iterable[SignalDescriptor]]
Result = Callable[[Scope, str, dict[str, Any]], Awaitable[dict[str, Any]]]

_ANNOTATIONS = types.ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)


def signal_server(server: Mapping[str, str], *, instructions: str, allowed: Allowed, result: Result) -> Server[Any]:
    """Return a server that lists the signals `allowed` for a request; `result` runs a call."""

    async def list_tools(ctx: Context, params: Any) -> types.ListToolsResult:  # noqa: ARG001
        try:
            return types.ListToolsResult(tools=[_tool(signal) for signal in allowed(_scope(ctx))])
        except InvalidState as ended:
            raise MCPError(code=types.INVALID_REQUEST, message=ended.message) from None

    async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> dict[str, Any]:
        return {"resultType": "complete", **await result(_scope(ctx), params.name, params.arguments or {})}

    made: Server[Any] = Server(
        server["name"],
        version=server["version"],
        title=server["title"],
        instructions=instructions,
        get_tool_input_schema=no_arguments_in_headers,
        on_list_tools=list_tools,
        on_call_tool=call_tool,  # type: ignore[arg-type]  # a plain dict is taken as it is
    )
    made.middleware.clear()
    return made


def _tool(signal: SignalDescriptor) -> types.Tool:
    return types.Tool(
        name=signal.type,
        description=signal.description,
        input_schema=tool_schema(KINDS[SignalType(signal.type)]),
        output_schema=signal_schemas.ACK,
        annotations=_ANNOTATIONS,
    )


def _scope(ctx: Context) -> Scope:
    assert ctx.request is not None
    scope: Scope = ctx.request.scope
    return scope
