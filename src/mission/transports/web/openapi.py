"""The REST transport as an OpenAPI document."""

from __future__ import annotations

import json
from typing import Any

from mission import __version__
from mission.gateway.registry import Registry, Tool

Json = dict[str, Any]


def openapi(registry: Registry) -> Json:
    """Describe every tool, every address with the tool that answers it, and the other endpoints."""
    schemas: Json = {}
    paths: Json = {f"/api/tools/{tool.name}": {"post": _call(tool, schemas)} for tool in registry}
    for path, (tool, address) in registry.addresses().items():
        paths[path] = {"get": _read(tool, address.path_argument, schemas)}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Mission Control", "version": __version__},
        "paths": {**paths, **_OTHERS},
        "security": [{"bearer": []}],
        "components": {
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
            "schemas": schemas,
            "responses": {"Error": {"description": "What went wrong", "content": _content(_ERROR)}},
        },
    }


def _object(**properties: Any) -> Json:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _content(schema: Json) -> Json:
    return {"application/json": {"schema": schema}}


def _operation(id: str, summary: str, answer: Json, **more: Any) -> Json:
    return {
        "operationId": id,
        "summary": summary,
        **more,
        "responses": {
            "200": {"description": "The result", "content": _content(answer)},
            "default": {"$ref": "#/components/responses/Error"},
        },
    }


def _query(name: str, schema: Json, description: str | None = None) -> Json:
    parameter = {"name": name, "in": "query", "schema": schema}
    return parameter if description is None else {**parameter, "description": description}


def _call(tool: Tool, schemas: Json) -> Json:
    body = {"content": _content(_placed(tool.input_schema, f"{tool.name}_arguments", schemas))}
    answer = _placed(tool.output_schema, f"{tool.name}_result", schemas)
    return _operation(tool.name, tool.description, answer, tags=[tool.toolset], requestBody=body)


def _placed(schema: Json, name: str, schemas: Json) -> Json:
    """Return the schema with its shared parts moved to the document: references start at its root."""
    moved: Json = json.loads(json.dumps(schema).replace('"#/$defs/', f'"#/components/schemas/{name}_'))
    schemas.update({f"{name}_{part}": each for part, each in moved.pop("$defs", {}).items()})
    return moved


def _read(tool: Tool, argument: str | None, schemas: Json) -> Json:
    """Return the operation of a read tool: its arguments are in the query, the fields of an object one by one."""
    parameters: list[Json] = []
    if argument is not None:
        parameters.append({"name": "id", "in": "path", "required": True, "schema": {"type": "string"}})
    for name, schema in tool.input_schema["properties"].items():
        if name == argument:
            continue
        parts = {f"{name}.{part}": each for part, each in schema.get("properties", {}).items()}
        parameters += [_query(each, part) for each, part in (parts or {name: schema}).items()]
    answer = _placed(tool.output_schema, f"{tool.name}_result", schemas)
    return _operation(f"read_{tool.name}", tool.description, answer, tags=[tool.toolset], parameters=parameters)


_TEXT = {"type": "string"}
_NUMBER = {"type": "integer", "minimum": 0}
_ERROR = _object(
    error=_object(code=_TEXT, message=_TEXT, hint={"type": ["string", "null"]}, details={"type": "object"})
)
_EVENT = _object(seq=_NUMBER, type=_TEXT, at=_TEXT, mission_id={"type": ["string", "null"]}, data={"type": "object"})
_TOOL = _object(
    name=_TEXT,
    toolset=_TEXT,
    description=_TEXT,
    annotations={"type": "object"},
    input_schema={"type": "object"},
    output_schema={"type": "object"},
)
_OTHERS: Json = {
    "/api/health": {
        "get": _operation(
            "health",
            "The state and version of the server. Requires no token.",
            _object(status=_TEXT, version=_TEXT, pid=_NUMBER, executions={"type": ["integer", "null"]}),
            security=[],
        )
    },
    "/mcp/execute": {
        "post": _operation(
            "execute",
            "Call a tool in the crew's envelope.",
            _object(success={"type": "boolean"}, data={"type": "object"}, timestamp=_TEXT),
            requestBody={"content": _content(_object(agentId=_TEXT, toolName=_TEXT, input={"type": "object"}))},
        )
    },
    "/api/tools": {
        "get": _operation(
            "list_tools",
            "The tools the caller may use.",
            _object(tools={"type": "array", "items": _TOOL}),
            parameters=[_query("toolsets", _TEXT, "Toolsets or roles, separated by commas")],
        )
    },
    "/api/events": {
        "get": _operation(
            "list_events",
            "Events after a number. With reset, reload everything, then continue from seq.",
            _object(events={"type": "array", "items": _EVENT}, reset={"type": "boolean"}, oldest=_NUMBER, seq=_NUMBER),
            parameters=[
                _query("since", _NUMBER, "The last number you saw"),
                _query("limit", {"type": "integer", "minimum": 1}, "Maximum number of events"),
                _query("wait", _NUMBER, "Seconds to wait for the first event"),
                _query("topic", _TEXT, "global, mission:<id> or agent:<id>"),
            ],
        )
    },
}
