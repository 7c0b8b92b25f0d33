"""POST /mcp/execute: calls any tool in the envelope that crews of agents use."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from mission.domain.errors import InvalidInput, MissionError
from mission.domain.timestamps import format_time, utc_now
from mission.gateway.gateway import Gateway
from mission.transports.http_common import caller_of, json_body, json_response

ADDRESS = "/mcp/execute"
_EXAMPLE = '{"agentId": "a_…", "toolName": "mcp__agent__get_status", "input": {}}'


class Execute:
    """Translates the envelope; it contains no rules."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def __call__(self, request: Request) -> Response:
        caller = caller_of(request, transport="execute")
        body: Any = None
        try:
            body = await _body(request)
            agent, tool, given = _opened(body)
        except MissionError as error:
            self._gateway.note_refused(ADDRESS, body, caller, error)
            return failure(error)
        try:
            data = await self._gateway(tool, given, replace(caller, agent=agent, agent_field="agentId"))
        except MissionError as error:
            return failure(error)
        return json_response({"success": True, "data": data, "timestamp": format_time(utc_now())})


def failure(error: MissionError) -> Response:
    """Return an error in the crew's envelope, with the hint among the details."""
    details = {**error.details, **({"hint": error.hint} if error.hint is not None else {})}
    content = {
        "success": False,
        "error": {"code": error.code, "message": error.message, "details": details},
        "timestamp": format_time(utc_now()),
    }
    headers = {"WWW-Authenticate": "Bearer"} if error.http_status == 401 else None
    return json_response(content, status=error.http_status, headers=headers)


async def _body(request: Request) -> Any:
    try:
        return await json_body(request)
    except InvalidInput as error:
        raise InvalidInput(error.message, hint=f"Send {_EXAMPLE}.") from None


def _opened(body: Any) -> tuple[str, str, Any]:
    """Return the agent, tool and input of an envelope."""
    if not isinstance(body, dict):
        raise InvalidInput("the body must be an object", hint=f"Send {_EXAMPLE}.")
    for field in ("agentId", "toolName"):
        if not isinstance(body.get(field), str) or not body[field]:
            missing = body.get(field) in (None, "")
            problem = "is required" if missing else "must be text"
            raise InvalidInput(f"{field} {problem}", hint=f"Send {_EXAMPLE}.", field=field)
    given = body.get("input")
    return body["agentId"], body["toolName"], {} if given is None else given
