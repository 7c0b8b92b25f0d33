"""MCP: tools, prompts and resources for agents, for versions of the protocol with a handshake and without."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from mission.domain.errors import MissionError, NotFound
from mission.gateway.caller import Caller, ReportProgress, listed_toolsets
from mission.gateway.gateway import Gateway
from mission.gateway.registry import Tool, parse_toolsets
from mission.services.agents.access_tokens import Bearer
from mission.transports.http_common import caller_of
from mission.transports.mcp_server import prompts
from mission.transports.mcp_server.direct_call import CALL_KEY, SERVER, call_result, error_result
from mission.transports.mcp_server.standalone_input import Answers, Requests

Context = ServerRequestContext[Any, Any]


class McpServer:
    """The protocol's handlers. They contain no rules: each call goes to the gateway."""

    def __init__(
        self,
        gateway: Gateway,
        *,
        toolsets: str,
        asked: str | None = None,
        agent: str | None = None,
        directory: str | None = None,
        bearer: Callable[[], Awaitable[Bearer | None]] | None = None,
    ) -> None:
        """Use `toolsets` if neither the client nor its access token chooses. The rest is for stdio: the toolsets its
        client `asked` for, and `bearer`, which returns the owner of the access token for each call."""
        self._asked = asked
        self._gateway = gateway
        self._bearer = bearer
        self._default_toolsets = toolsets
        self._stdio = Caller(transport="stdio", agent=agent, directory=directory)
        self._listed: dict[str, types.Tool] = {}
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

    async def serve_stdio(self, *, at_end: Callable[[], None]) -> None:
        requests = Requests(at_end=at_end)
        async with stdio_server(stdin=requests) as (read, write):  # type: ignore[arg-type]  # it is only iterated
            requests.answers = Answers(write)
            await self.server.run(read, requests.answers, self.server.create_initialization_options())

    async def _list_tools(self, ctx: Context, params: Any) -> types.ListToolsResult:  # noqa: ARG002
        try:
            caller = await self._caller(ctx)
            chosen = parse_toolsets(caller.toolsets or self._default_toolsets)
            identity = await self._gateway.identify(caller)
        except MissionError as error:
            raise _protocol_error(error) from None
        tools = self._gateway.registry.chosen(chosen)
        return types.ListToolsResult(
            tools=[self._listing(tool) for tool in tools if self._gateway.permitted(identity, tool)]
        )

    def _listing(self, tool: Tool) -> types.Tool:
        """Return the tool as a client sees it, created on demand: few clients see all, and schemas take time."""
        if tool.name not in self._listed:
            self._listed[tool.name] = _listed(tool)
        return self._listed[tool.name]

    async def _call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> dict[str, Any]:
        try:
            caller = await self._caller(ctx)
        except MissionError as error:
            return {"resultType": "complete", **error_result(error)}
        arguments = params.arguments or {}
        return {"resultType": "complete", **await call_result(self._gateway, params.name, arguments, caller)}

    async def _list_prompts(self, ctx: Context, params: Any) -> types.ListPromptsResult:  # noqa: ARG002
        return types.ListPromptsResult(prompts=prompts.PROMPTS)

    async def _get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:  # noqa: ARG002
        try:
            text = prompts.prompt(params.name, params.arguments or {})
        except MissionError as error:
            raise _protocol_error(error) from None
        content = types.TextContent(type="text", text=text)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])

    async def _list_resources(self, ctx: Context, params: Any) -> types.ListResourcesResult:  # noqa: ARG002
        return types.ListResourcesResult(resources=prompts.RESOURCES)

    async def _list_resource_templates(self, ctx: Context, params: Any) -> types.ListResourceTemplatesResult:  # noqa: ARG002
        return types.ListResourceTemplatesResult(resource_templates=prompts.RESOURCE_TEMPLATES)

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
        if ctx.request is not None:
            return caller_of(ctx.request, transport="mcp", key=key, toolsets=self._default_toolsets, progress=progress)
        bearer = await self._bearer() if self._bearer is not None else None
        return Caller(
            transport=self._stdio.transport,
            bearer=bearer,
            toolsets=listed_toolsets(self._asked, bearer, self._default_toolsets),
            agent=self._stdio.agent,
            directory=self._stdio.directory,
            key=key,
            progress=progress,
        )


def no_arguments_in_headers(name: str) -> None:
    """Skip the SDK's search through a tool's schema for arguments that a header may repeat, on every call."""


def _listed(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=types.ToolAnnotations.model_validate(tool.annotations),
    )


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
