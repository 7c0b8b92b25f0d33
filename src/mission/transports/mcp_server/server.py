"""MCP: tools, prompts and resources for agents, for versions of the protocol with a handshake and without."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from mission.domain.errors import MissionError, NotFound
from mission.gateway.caller import Caller, ReportProgress
from mission.gateway.gateway import Gateway
from mission.transports.http_common import caller_of
from mission.transports.mcp_server import prompts
from mission.transports.mcp_server.direct_call import call_result, error_result
from mission.transports.mcp_server.protocol import CALL_KEY, SERVER
from mission.transports.mcp_server.stdio_callers import StdioCallers
from mission.transports.mcp_server.tool_list import listed_tools

Context = ServerRequestContext[Any, Any]


class McpServer:
    """The protocol's handlers. They contain no rules: each call goes to the gateway."""

    def __init__(self, gateway: Gateway, *, toolsets: str | None = None, callers: StdioCallers | None = None) -> None:
        """Over HTTP, use `toolsets` if neither the client nor its access token chooses; over stdio, use `callers`."""
        self._gateway = gateway
        self._toolsets = toolsets
        self._callers = callers
        self.server: Server[Any] = Server(
            SERVER["name"],
            version=SERVER["version"],
            title=SERVER["title"],
            instructions=prompts.INSTRUCTIONS,
            get_tool_input_schema=no_arguments_in_headers,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,  # type: ignore[arg-type]  # a plain dict is taken as it is
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_resource_templates,
            on_read_resource=self._read_resource,
        )
        self.server.middleware.clear()  # tracing would cost time on every call, and no one has configured it

    async def _list_tools(self, ctx: Context, params: Any) -> types.ListToolsResult:  # noqa: ARG002
        try:
            tools = await listed_tools(self._gateway, await self._caller(ctx))
        except MissionError as error:
            raise _protocol_error(error) from None
        return types.ListToolsResult(tools=[types.Tool.model_validate(tool) for tool in tools])

    async def _call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> dict[str, Any]:
        try:
            caller = await self._caller(ctx)
        except MissionError as error:
            return {"resultType": "complete", **error_result(error)}
        arguments = params.arguments or {}
        return {"resultType": "complete", **await call_result(self._gateway, params.name, arguments, caller)}

    async def _list_prompts(self, ctx: Context, params: Any) -> types.ListPromptsResult:  # noqa: ARG002
        return types.ListPromptsResult.model_validate({"prompts": prompts.PROMPTS})

    async def _get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:  # noqa: ARG002
        try:
            text = prompts.prompt(params.name, params.arguments or {})
        except MissionError as error:
            raise _protocol_error(error) from None
        content = types.TextContent(type="text", text=text)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])

    async def _list_resources(self, ctx: Context, params: Any) -> types.ListResourcesResult:  # noqa: ARG002
        return types.ListResourcesResult.model_validate({"resources": prompts.RESOURCES})

    async def _list_resource_templates(self, ctx: Context, params: Any) -> types.ListResourceTemplatesResult:  # noqa: ARG002
        return types.ListResourceTemplatesResult.model_validate({"resourceTemplates": prompts.RESOURCE_TEMPLATES})

    async def _read_resource(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        try:
            caller = await self._caller(ctx)
            text = await prompts.resource(uri, lambda name, arguments: self._gateway(name, arguments, caller))
        except MissionError as error:
            raise _protocol_error(error) from None
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, mime_type="text/markdown", text=text)]
        )

    async def _caller(self, ctx: Context) -> Caller:
        meta: dict[str, Any] = dict(ctx.meta or {})
        key = meta.get(CALL_KEY)
        key = key if isinstance(key, str) else None
        progress = _progress(ctx, meta)
        if self._callers is not None:
            return await self._callers.caller(key=key, progress=progress)
        assert ctx.request is not None
        return caller_of(ctx.request, transport="mcp", key=key, toolsets=self._toolsets, progress=progress)


def no_arguments_in_headers(name: str) -> None:
    """Skip the SDK's search through a tool's schema for arguments that a header may repeat, on every call."""


def _progress(ctx: Context, meta: dict[str, Any]) -> ReportProgress | None:
    token = meta.get("progress_token", meta.get("progressToken"))
    if token is None:
        return None

    async def report(step: float, message: str) -> None:
        await ctx.session.send_progress_notification(
            token, step, message=message, related_request_id=str(ctx.request_id)
        )

    return report


def _protocol_error(error: MissionError) -> MCPError:
    code = types.INVALID_PARAMS if error.http_status < 500 else types.INTERNAL_ERROR
    if isinstance(error, NotFound):
        code = -32002  # resource not found
    return MCPError(code=code, message=error.message, data=error.as_dict())
