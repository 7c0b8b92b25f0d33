"""REST: every tool under /api/tools, read tools also under their own addresses, and events for polling."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any, get_args, get_origin

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mission.domain.errors import InvalidInput, MissionError
from mission.events.bus import Topic
from mission.events.log import EventLog, EventPage
from mission.gateway.gateway import Gateway
from mission.gateway.registry import Address, Tool
from mission.gateway.toolsets import parse_toolsets
from mission.transports.http_common import caller_of, error_response, json_body, json_response, wait_for_disconnect
from mission.transports.web.openapi import openapi

MAX_WAIT_SECONDS = 55
MAX_EVENTS = 1_000


class Rest:
    """Translates requests into calls of the gateway."""

    def __init__(self, gateway: Gateway, log: EventLog) -> None:
        self._gateway = gateway
        self._log = log

    def routes(self) -> list[Route]:
        read = [
            Route(path, self._reader(tool, address), methods=["GET"])
            for path, (tool, address) in self._gateway.registry.addresses().items()
        ]
        return [
            Route("/api/tools", self._tools, methods=["GET"]),
            Route("/api/tools/{name}", self._call, methods=["POST"]),
            Route("/api/events", self._events, methods=["GET"]),
            Route("/api/openapi.json", self._openapi, methods=["GET"]),
            *read,
        ]

    async def _tools(self, request: Request) -> Response:
        """Return the name, toolset, description and schemas of the tools the caller may use."""
        try:
            chosen = parse_toolsets(request.query_params.get("toolsets") or "all")
            identity = await self._gateway.identify(caller_of(request, transport="rest"))
        except MissionError as error:
            return error_response(error)
        tools = self._gateway.registry.chosen(chosen)
        return json_response({"tools": [_listing(tool) for tool in tools if self._gateway.permitted(identity, tool)]})

    async def _call(self, request: Request) -> Response:
        """Return a tool's result and the number of an event that it includes, from which a reader continues live."""
        transport = request.headers.get("mission-transport", "rest")
        caller = caller_of(request, transport=transport if transport in {"cli", "hook", "page"} else "rest")
        try:
            arguments = await json_body(request)
            number = str(self._log.last)
            answer = await self._gateway(request.path_params["name"], arguments, caller)
            return json_response(answer, headers={"Mission-Event": number})
        except MissionError as error:
            return error_response(error)

    def _reader(self, tool: Tool, address: Address) -> Any:
        async def read(request: Request) -> Response:
            arguments = {**address.defaults, **_from_query(tool, request)}
            if address.path_argument is not None:
                arguments[address.path_argument] = request.path_params["id"]
            try:
                return json_response(await self._gateway(tool.name, arguments, caller_of(request, transport="rest")))
            except MissionError as error:
                return error_response(error)

        return read

    async def _events(self, request: Request) -> Response:
        """Return the events after a number, immediately or as soon as there is one."""
        try:
            since = _number(request, "since", default=0)
            limit = min(_number(request, "limit", default=200, least=1), MAX_EVENTS)
            wait = min(_number(request, "wait", default=0), MAX_WAIT_SECONDS)
            identity = await self._gateway.identify(caller_of(request, transport="rest"))
            topic = Topic(request.query_params.get("topic", "global"), reader=identity.agent_id)
            page = await self._log.read(topic, since=since, limit=limit)
            if wait and not page.events and page.reaches(since):
                page = await self._awaited(request, topic, page, limit=limit, seconds=wait)
        except MissionError as error:
            return error_response(error)
        if not page.reaches(since):
            return json_response({"events": [], "reset": True, "oldest": page.oldest, "seq": page.newest})
        frames = [event.frame() for event in page.events]
        return json_response({"events": frames, "reset": False, "oldest": page.oldest, "seq": page.newest})

    async def _awaited(
        self, request: Request, topic: Topic, page: EventPage, *, limit: int, seconds: float
    ) -> EventPage:
        """Return the next events of the topic, or an empty page on timeout or if the client has left."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while not page.events:
            newer = self._log.wait(page.newest, seconds=deadline - loop.time())
            if not await _unless_left(request, newer):
                break
            page = await self._log.read(topic, since=page.newest, limit=limit)
        return page

    async def _openapi(self, request: Request) -> Response:  # noqa: ARG002
        return json_response(openapi(self._gateway.registry))


async def _unless_left(request: Request, waiting: Coroutine[Any, Any, bool]) -> bool:
    """Return the result of the wait, or False if the client leaves first."""
    wait = asyncio.ensure_future(waiting)
    left = asyncio.ensure_future(wait_for_disconnect(request.receive))
    try:
        await asyncio.wait([wait, left], return_when=asyncio.FIRST_COMPLETED)
        return wait.done() and wait.result()
    finally:
        wait.cancel()
        left.cancel()


def _from_query(tool: Tool, request: Request) -> dict[str, Any]:
    """Return the arguments in a query; a list is separated by commas or repeats its name."""
    arguments: dict[str, Any] = {}
    parts: dict[str, str] = {}
    query = request.query_params
    for name in query:
        field = tool.arguments.model_fields.get(name)
        if field is not None and _is_list(field.annotation):
            arguments[name] = [part for value in query.getlist(name) for part in value.split(",") if part]
        elif name.startswith("filter."):
            parts[name.removeprefix("filter.")] = query[name]
        else:
            arguments[name] = query[name]
    return {"filter": parts, **arguments} if parts else arguments


def _is_list(annotation: Any) -> bool:
    return get_origin(annotation) is list or any(get_origin(option) is list for option in get_args(annotation))


def _number(request: Request, name: str, *, default: int, least: int = 0) -> int:
    value = request.query_params.get(name)
    if value is None:
        return default
    if not (value.isascii() and value.isdigit()) or len(value) > 18 or int(value) < least:
        raise InvalidInput(
            f"{name}: '{value[:40]}' is not a valid number",
            hint=f"Use a whole number of at least {least}.",
            field=name,
        )
    return int(value)


def _listing(tool: Tool) -> Mapping[str, Any]:
    return {
        "name": tool.name,
        "toolset": tool.toolset,
        "description": tool.description,
        "annotations": tool.annotations,
        "input_schema": tool.input_schema,
        "output_schema": tool.output_schema,
    }
