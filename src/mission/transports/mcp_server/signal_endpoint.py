"""open-mission-mcp: the MCP endpoint of an execution, with only the signals that its agent may send."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from mission import __version__
from mission.domain.errors import InvalidState, MissionError, NotFound, TransientError, Unauthenticated
from mission.domain.executions.execution import MCP_SERVER, Execution
from mission.domain.executions.observation import Ack
from mission.domain.executions.signals import Delivery, SignalDescriptor
from mission.gateway.signal_intake import Signals
from mission.services.executions import state as executions
from mission.services.work import Work
from mission.transports.http_common import bearer, error_response, read_body, recognize
from mission.transports.mcp_server.direct_call import parse_direct_call, send_result, text_of
from mission.transports.mcp_server.sdk_loader import SdkLoader, replay

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

PATH = "/mcp/executions/"
EXECUTION = "mission.execution"
SERVER = {"name": MCP_SERVER, "title": "Mission Control signals", "version": __version__}
INSTRUCTIONS = """\
Report the progress of your task to Mission Control. Use a new eventId for every signal; a repeated eventId has no
effect. An acknowledgement means that a signal arrived, not that the work is accepted: only complete_task completes a
task."""


class SignalServer:
    """Serves every execution that has MCP access. It starts and stops with the daemon, and has no state."""

    def __init__(self, work: Work, signals: Signals, *, connected: Callable[[str], None]) -> None:
        """Create the server; `connected` is called with the id of each execution whose client connects."""
        self._work = work
        self._connected = connected
        self._signals = signals
        self._open = False
        self._sdk = SdkLoader(self._server)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with self._sdk.running():
            self._open = True
            try:
                yield
            finally:
                self._open = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        try:
            scope[EXECUTION] = await self._authenticate(scope, headers)
            body = await read_body(receive, declared=headers.get("content-length"))
        except MissionError as error:
            await error_response(error)(scope, receive, send)
            return
        call = parse_direct_call(body, scope["headers"])
        if call is None:
            await (await self._sdk.plain()).handle_request(scope, replay(body, receive), send)
            return
        result = await self._result(scope, call.tool, call.arguments)
        await send_result(call, result, send, server=SERVER)

    def _server(self) -> Server[Any]:
        from mission.transports.mcp_server.signal_tools import signal_server  # deferred with the SDK

        return signal_server(SERVER, instructions=INSTRUCTIONS, allowed=_listed, result=self._result)

    async def _authenticate(self, scope: Scope, headers: Headers) -> Execution:
        if not self._open:
            raise TransientError("Mission Control is starting or stopping; try again in a moment")
        if scope.get("method") != "POST":
            raise NotFound("this address accepts only POST")
        token = bearer(headers)
        if token is None:
            raise Unauthenticated("no token was sent", hint="Send 'Authorization: Bearer $OPEN_MISSION_MCP_TOKEN'.")
        execution_id = scope["path"].removeprefix(PATH)
        execution = await self._work.read(executions.authenticate, execution_id=execution_id, token=token)
        recognize(scope)
        self._connected(execution.id)
        return execution

    async def _result(self, scope: Scope, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        ack = (await self._ack(scope[EXECUTION], tool, dict(arguments))).as_dict()
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
            allowed = ", ".join(signal.type for signal in _allowed(execution)) or "none"
            reason = f"'{tool[:60]}' is unsupported: the signals of this execution are: {allowed}"
        else:
            return await self._signals.deliver(execution.id, tool, event_id, arguments, delivery=delivery)
        return self._signals.refuse(execution.id, tool, event_id, reason, delivery=delivery)


def _listed(scope: Scope) -> list[SignalDescriptor]:
    execution: Execution = scope[EXECUTION]
    if not execution.is_live:
        raise InvalidState(_ended(execution))
    return _allowed(execution)


def _allowed(execution: Execution) -> list[SignalDescriptor]:
    """Return the signals that the execution's descriptor allows as tools, in its order."""
    return [signal for signal in execution.descriptor.signals if Delivery.MCP_TOOL in signal.deliveries]


def _ended(execution: Execution) -> str:
    return f"execution {execution.id} has ended ({execution.status}): its access ended with it"
