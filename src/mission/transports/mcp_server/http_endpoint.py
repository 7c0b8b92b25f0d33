"""MCP over HTTP: ordinary calls go directly to the gateway, everything else to the SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from mission.domain.errors import MissionError
from mission.gateway.gateway import Gateway
from mission.transports.http_common import caller_of, error_response, read_body
from mission.transports.mcp_server.direct_call import answer_directly, parse_direct_call
from mission.transports.mcp_server.sdk_loader import SdkLoader, replay

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server


class McpEndpoint:
    """The protocol over HTTP. A call that requests progress gets a stream, all others plain JSON."""

    def __init__(self, gateway: Gateway, *, toolsets: str) -> None:
        """Use `toolsets` if neither the client nor its access token chooses."""
        self._gateway = gateway
        self._toolsets = toolsets
        self._sdk = SdkLoader(self._server)
        self.running = self._sdk.running

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        try:
            body = await read_body(receive, declared=headers.get("content-length"))
        except MissionError as error:
            await error_response(error)(scope, receive, send)
            return
        call = parse_direct_call(body, scope["headers"])
        if call is not None:
            request = Request(scope, receive)
            caller = caller_of(request, transport="mcp", key=call.key, toolsets=self._toolsets)
            await answer_directly(self._gateway, call, caller, send)
            return
        manager = await (self._sdk.streaming() if b'"progressToken"' in body else self._sdk.plain())
        await manager.handle_request(scope, replay(body, receive), send)

    def _server(self) -> Server[Any]:
        from mission.transports.mcp_server.server import McpServer  # deferred with the SDK

        return McpServer(self._gateway, toolsets=self._toolsets).server
