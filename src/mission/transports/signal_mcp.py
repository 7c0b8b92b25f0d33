"""open-mission-mcp: the MCP endpoint of an execution, where its agent finds the signals it may send, nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from mission import __version__
from mission.domain import schemas
from mission.domain.errors import MissionError, NotFound, TransientError, Unauthenticated
from mission.domain.execution import MCP_SERVER, Execution
from mission.domain.observation import Ack
from mission.domain.signals import KINDS, Delivery, SignalType, tool_schema
from mission.gateway.signals import Signals
from mission.services import executions
from mission.services.work import Work
from mission.transports.mcp import no_arguments_in_headers, replay
from mission.transports.mcp_call import plain_call, send_result, text_of
from mission.transports.wire import LARGEST_BODY, bearer, error_response, read_body

PATH = "/mcp/executions/"
EXECUTION = "mission.execution"
SERVER = {"name": MCP_SERVER, "title": "Mission Control signals", "version": __version__}
INSTRUCTIONS = """\
Tell Mission Control how your task goes. Give every signal an eventId of your own, a new one each time; a repeat under
the same eventId has no effect. An acknowledgement says that a signal arrived, not that the work is good: claims are
checked, and only complete_task completes a task."""

Context = ServerRequestContext[Any, Any]


class SignalServer:
    """Serves every execution that has MCP access. It starts and stops with the daemon, and keeps nothing itself."""

    def __init__(self, work: Work, signals: Signals, *, connected: Callable[[str], None]) -> None:
        """`connected` is told of each execution whose client comes."""
        self._work = work
        self._connected = connected
        self._signals = signals
        self._open = False
        server: Server[Any] = Server(
            MCP_SERVER,
            version=__version__,
            title=SERVER["title"],
            instructions=INSTRUCTIONS,
            get_tool_input_schema=no_arguments_in_headers,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,  # type: ignore[arg-type]  # a plain dict is taken as it is
        )
        server.middleware.clear()
        self._sessions = StreamableHTTPSessionManager(
            server, json_response=True, stateless=True, max_request_body_size=LARGEST_BODY
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with self._sessions.run():
            self._open = True
            try:
                yield
            finally:
                self._open = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        try:
            scope[EXECUTION] = await self._admit(scope, headers)
            body = await read_body(receive, declared=headers.get("content-length"))
        except MissionError as error:
            await error_response(error)(scope, receive, send)
            return
        call = plain_call(body, scope["headers"])
        if call is None:
            await self._sessions.handle_request(scope, replay(body, receive), send)
            return
        result = await self._result(scope[EXECUTION], call.tool, call.arguments)
        await send_result(call, result, send, server=SERVER)

    async def _admit(self, scope: Scope, headers: Headers) -> Execution:
        if not self._open:
            raise TransientError("Mission Control is starting or stopping and takes no signals")
        if scope.get("method") != "POST":
            raise NotFound("signals are sent to this address by POST")
        token = bearer(headers)
        if token is None:
            raise Unauthenticated("no token was sent", hint="Send 'Authorization: Bearer $OPEN_MISSION_MCP_TOKEN'.")
        execution_id = scope["path"].removeprefix(PATH)
        execution = await self._work.read(executions.admit, execution_id=execution_id, token=token)
        self._connected(execution.id)
        return execution

    async def _list_tools(self, ctx: Context, params: Any) -> types.ListToolsResult:  # noqa: ARG002
        execution = _execution(ctx)
        if not execution.is_live:
            raise MCPError(code=types.INVALID_REQUEST, message=_ended(execution))
        return types.ListToolsResult(tools=tools_of(execution))

    async def _call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> dict[str, Any]:
        result = await self._result(_execution(ctx), params.name, params.arguments or {})
        return {"resultType": "complete", **result}

    async def _result(self, execution: Execution, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        ack = (await self._ack(execution, tool, dict(arguments))).as_dict()
        return {"content": [text_of(ack)], "structuredContent": ack, "isError": ack["status"] == "rejected"}

    async def _ack(self, execution: Execution, tool: str, arguments: dict[str, Any]) -> Ack:
        event_id = arguments.pop("eventId", None)
        named = arguments.pop("agentExecutionId", execution.id)
        delivery = Delivery.MCP_TOOL
        if named != execution.id:
            reason = f"agentExecutionId: mismatched: this access belongs to execution {execution.id}"
        elif not execution.is_live:
            reason = _ended(execution)
        elif not execution.descriptor.allows(tool, delivery):
            allowed = ", ".join(each.name for each in tools_of(execution)) or "none"
            reason = f"'{tool[:60]}' is unsupported: the signals of this execution are: {allowed}"
        else:
            return await self._signals.deliver(execution.id, tool, event_id, arguments, delivery=delivery)
        return self._signals.refuse(execution.id, tool, event_id, reason, delivery=delivery)


def tools_of(execution: Execution) -> list[types.Tool]:
    """The tools that the execution's own descriptor allows, in its order."""
    return [
        types.Tool(
            name=signal.type,
            description=signal.description,
            input_schema=tool_schema(KINDS[SignalType(signal.type)]),
            output_schema=schemas.ACK,
            annotations=_ANNOTATIONS,
        )
        for signal in execution.descriptor.signals
        if Delivery.MCP_TOOL in signal.deliveries
    ]


_ANNOTATIONS = types.ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)


def _execution(ctx: Context) -> Execution:
    assert ctx.request is not None
    execution: Execution = ctx.request.scope[EXECUTION]
    return execution


def _ended(execution: Execution) -> str:
    return f"execution {execution.id} has ended ({execution.status}): its access ended with it"
