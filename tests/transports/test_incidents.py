"""An internal error names its incident in its text, whichever way the call came."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mission.services.missions import creation as missions
from mission.transports.web import rest
from tests.transports.live_server import Live, until

MISSION = {"name": "x", "objective": "y"}


@pytest.fixture(autouse=True)
def _broken(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(missions, "create", fail)
    monkeypatch.setattr(rest, "openapi", fail)


def by_rest(live: Live) -> Any:
    return live.post("start_mission", MISSION).json["error"]


def by_execute(live: Live) -> Any:
    agent = live.call("mcp__agent__create", {"type": "SUPERVISOR", "name": "boss"})["id"]
    envelope = {"agentId": agent, "toolName": "start_mission", "input": MISSION}
    return live.request("POST", "/mcp/execute", json.dumps(envelope).encode()).json["error"]


def by_mcp(live: Live) -> Any:
    params = {"name": "start_mission", "arguments": MISSION}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    answer = live.request("POST", "/mcp", json.dumps(request).encode(), headers=headers).json
    return json.loads(answer["result"]["content"][0]["text"])["error"]


def outside_of_a_call(live: Live) -> Any:
    return live.get("/api/openapi.json").json["error"]


@pytest.mark.parametrize("fail", [by_rest, by_execute, by_mcp, outside_of_a_call])
def test_an_internal_error_names_its_incident_in_its_text(live: Live, fail: Any) -> None:
    error = fail(live)

    incident = error["details"]["incident"]
    assert error["code"] == "INTERNAL_ERROR"
    assert error["message"].endswith(f"(incident {incident})")
    assert "secret" not in str(error)
    assert "ZeroDivisionError: secret detail" in audited(live, incident)["trace"]


def audited(live: Live, incident: str) -> Any:
    until(lambda: live.post("audit_get", {"id": incident}).status == 200)
    return live.call("audit_get", {"id": incident})
