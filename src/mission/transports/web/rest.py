"""REST: every tool under /api/tools, read tools under an address of their own, events for those who poll."""

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
from mission.gateway.registry import Address, Tool, parse_toolsets
from mission.transports.http_common import caller_of, departure, error_response, json_body, json_response
from mission.transports.web.openapi import openapi

LONGEST_WAIT = 55
MOST_EVENTS = 1_000


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
        """Name, toolset, description and schemas of the tools the caller may use."""
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
        """Events after a number, at once or as soon as there is one."""
        try:
            since = _whole(request, "since", default=0)
            limit = min(_whole(request, "limit", default=200, least=1), MOST_EVENTS)
            wait = min(_whole(request, "wait", default=0), LONGEST_WAIT)
            identity = await self._gateway.identify(caller_of(request, transport="rest"))
            topic = Topic(request.query_params.get("topic", "global"), reader=identity.agent_id)
            chapter = await self._log.read(topic, since=since, limit=limit)
            if wait and not chapter.events and chapter.reaches(since):
                chapter = await self._awaited(request, topic, chapter, limit=limit, seconds=wait)
        except MissionError as error:
            return error_response(error)
        if not chapter.reaches(since):
            return json_response({"events": [], "reset": True, "oldest": chapter.oldest, "seq": chapter.newest})
        frames = [event.frame() for event in chapter.events]
        return json_response({"events": frames, "reset": False, "oldest": chapter.oldest, "seq": chapter.newest})

    async def _awaited(
        self, request: Request, topic: Topic, chapter: EventPage, *, limit: int, seconds: float
    ) -> EventPage:
        """Return the next events of the topic, or an empty page on timeout or if the client has left."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while not chapter.events:
            news = self._log.wait(chapter.newest, seconds=deadline - loop.time())
            if not await _unless_left(request, news):
                break
            chapter = await self._log.read(topic, since=chapter.newest, limit=limit)
        return chapter

    async def _openapi(self, request: Request) -> Response:  # noqa: ARG002
        return json_response(openapi(self._gateway.registry))


async def _unless_left(request: Request, waiting: Coroutine[Any, Any, bool]) -> bool:
    """Return the result of the wait, or False if the client leaves first."""
    wait = asyncio.ensure_future(waiting)
    left = asyncio.ensure_future(departure(request.receive))
    try:
        await asyncio.wait([wait, left], return_when=asyncio.FIRST_COMPLETED)
        return wait.done() and wait.result()
    finally:
        wait.cancel()
        left.cancel()


def _from_query(tool: Tool, request: Request) -> dict[str, Any]:
    """Arguments from an address: a list is given by commas or by repeating its name."""
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


def _whole(request: Request, name: str, *, default: int, least: int = 0) -> int:
    value = request.query_params.get(name)
    if value is None:
        return default
    if not (value.isascii() and value.isdigit()) or len(value) > 18 or int(value) < least:
        raise InvalidInput(
            f"{name}: '{value[:40]}' is not a valid number",
            hint=f"Give a whole number of {least} or more.",
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
