"""POST /mcp/execute: the crew's envelope, its codes and their status, by real requests."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from typing import Any

import pytest

from mission.domain.errors import TransientError
from mission.gateway.retry import Retry
from tests.transports.live_server import Answer, Live, shows_nothing_of_the_server


@pytest.fixture(scope="module")
def crew(live: Live) -> dict[str, dict[str, str]]:
    kinds = ("SUPERVISOR", "ORCHESTRATOR", "WORKER")
    return {kind: live.call("mcp__agent__create", {"type": kind, "name": kind.lower()}) for kind in kinds}


def execute(live: Live, body: Any, *, token: str | None = None, **headers: str | None) -> Answer:
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    return live.request("POST", "/mcp/execute", sent, headers=headers)


def envelope(agent: str, tool: str, **given: Any) -> dict[str, Any]:
    return {"agentId": agent, "toolName": tool, "input": given}


def refused(answer: Answer) -> tuple[int, str]:
    document = answer.json
    assert document.keys() == {"success", "error", "timestamp"}
    assert document["success"] is False
    assert document["error"].keys() == {"code", "message", "details"}
    assert document["timestamp"].endswith("Z")
    return answer.status, document["error"]["code"]


def rows(live: Live) -> list[dict[str, Any]]:
    live.run(live.app.gateway.audit.flush())
    return live.call("audit_list", {"limit": 500})["entries"]


def test_a_success_carries_data_and_time(live, crew):
    worker = crew["WORKER"]
    answer = execute(live, envelope(worker["id"], "mcp__agent__get_status"), token=worker["token"])
    by_operator = execute(live, envelope("worker", "mcp__agent__get_status"))

    assert answer.status == by_operator.status == 200
    assert answer.json.keys() == {"success", "data", "timestamp"}
    assert answer.json["success"] is True
    assert answer.json["data"]["id"] == by_operator.json["data"]["id"] == worker["id"]


def test_each_code_comes_with_its_status(live, crew):
    worker, lead = crew["WORKER"], crew["ORCHESTRATOR"]
    id = worker["id"]
    epic = execute(live, envelope(lead["id"], "mcp__epic__create", title="E", description="d")).json["data"]["id"]
    task = execute(live, envelope(lead["id"], "mcp__task__create", title="T", description="d", epicId=epic)).json[
        "data"
    ]["id"]
    cases = [
        (b"{not json", 400, "INVALID_INPUT"),
        (b"\xff\xfe", 400, "INVALID_INPUT"),
        (b"[]", 400, "INVALID_INPUT"),
        (b"", 400, "INVALID_INPUT"),
        ({"toolName": "mcp__agent__get_status", "input": {}}, 400, "INVALID_INPUT"),
        ({"agentId": id, "input": {}}, 400, "INVALID_INPUT"),
        ({"agentId": 7, "toolName": "mcp__agent__get_status"}, 400, "INVALID_INPUT"),
        ({"agentId": id, "toolName": "mcp__agent__get_status", "input": "x"}, 400, "INVALID_INPUT"),
        (envelope(id, "mcp__task__add_comment"), 400, "INVALID_INPUT"),
        (envelope(id, "mcp__task__add_comment", body="x", taskId="m_0000000000"), 400, "INVALID_INPUT"),
        (envelope("a_0000000000", "mcp__agent__get_status"), 404, "AGENT_NOT_FOUND"),
        (envelope(crew["SUPERVISOR"]["id"], "mcp__no__tool"), 404, "TOOL_NOT_FOUND"),
        (envelope(id, "mcp__no__tool"), 403, "PERMISSION_DENIED"),
        (envelope(id, "mcp__task__create", nonsense=1), 403, "PERMISSION_DENIED"),
        (envelope(id, "mcp__task__add_comment", body="x", taskId="t_0000000000"), 404, "RESOURCE_NOT_FOUND"),
        (envelope(id, "mcp__task__add_comment", body="x", taskId=task), 409, "NOT_OWNER"),
        (envelope(id, "mcp__agent__get_task"), 409, "INVALID_AGENT_STATE"),
        (envelope(lead["id"], "mcp__task__update_status", status="REVIEW", taskId=task), 409, "INVALID_STATE"),
    ]
    answers = [execute(live, body) for body, _, _ in cases]

    assert [refused(answer) for answer in answers] == [(status, code) for _, status, code in cases]
    assert all(shows_nothing_of_the_server(answer, live.settings) for answer in answers)
    other_kind = execute(live, envelope(task, "mcp__agent__get_status"))
    assert refused(other_kind) == (400, "INVALID_INPUT")
    assert other_kind.json["error"]["message"].startswith(f"agentId: '{task}' is the id of a task")
    denied = answers[12].json["error"]
    assert denied["message"] == "Tool 'mcp__no__tool' is not allowed for agent type 'WORKER'"
    assert "nonsense" not in answers[13].body.decode()


def test_faults_of_ours_are_told_apart_and_show_nothing_of_the_server(live, crew, monkeypatch):
    registry, gateway = live.app.gateway.registry, live.app.gateway
    tool = registry.get("mcp__agent__get_status")
    attempts = []

    async def breaks(call, args):
        raise RuntimeError("secret place /srv/x")

    async def is_busy(call, args):
        attempts.append(1)
        raise TransientError

    monkeypatch.setattr(gateway, "_retry", Retry(attempts=3, pause=0.0))
    body = envelope(crew["WORKER"]["id"], tool.name)
    monkeypatch.setitem(registry._tools, tool.name, replace(tool, handler=breaks))
    broken = execute(live, body)
    monkeypatch.setitem(registry._tools, tool.name, replace(tool, handler=is_busy))
    busy = execute(live, body)

    assert refused(broken) == (500, "INTERNAL_ERROR")
    assert broken.json["error"]["details"]["incident"].startswith("log_")
    assert "secret place" not in broken.body.decode()
    assert (refused(busy), len(attempts)) == ((503, "TRANSIENT_ERROR"), 3)


def test_a_worthless_token_is_refused_in_the_envelope_and_nothing_runs(live, crew):
    worker = crew["WORKER"]
    gone = live.call("mcp__agent__create", {"type": "ORCHESTRATOR", "name": "gone"})
    live.call("token_revoke", {"agent_id": gone["id"]})
    before = live.call("workflow_list")["total"]
    body = envelope(gone["id"], "mcp__epic__create", title="E", description="d")

    answers = [
        execute(live, body, token=gone["token"]),
        execute(live, body, token="mca_invented"),
        execute(live, body, Authorization=None),
    ]
    as_other = execute(live, body, token=worker["token"])

    assert [refused(answer) for answer in answers] == [(401, "UNAUTHENTICATED")] * 3
    assert refused(as_other) == (403, "PERMISSION_DENIED")
    assert live.call("workflow_list")["total"] == before
    denied = [row for row in rows(live) if row["status"] == "denied"]
    assert [row["agent_id"] for row in denied if row["tool"] == "mcp__epic__create"][:1] == [worker["id"]]
    shown = next(row for row in denied if row["tool"] == "token")
    assert (shown["caller"], shown["agent_id"]) == ("unknown", gone["id"])


def test_requests_that_are_no_calls_are_audited_too(live, crew):
    execute(live, b"{not json", token=crew["WORKER"]["token"])

    row = next(row for row in rows(live) if row["tool"] == "/mcp/execute" and row["agent_id"] == crew["WORKER"]["id"])
    assert (row["status"], row["error"]["code"], row["transport"]) == ("error", "INVALID_INPUT", "execute")


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_examples_of_the_documentation_work_with_curl(live, crew):
    def curl(body: dict[str, Any]) -> dict[str, Any]:
        command = ["curl", "-sS", "-X", "POST", f"{live.url}/mcp/execute", "-H", "Content-Type: application/json"]
        command += ["-H", f"Authorization: Bearer {live.token}", "-d", json.dumps(body)]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
        answer: dict[str, Any] = json.loads(done.stdout)
        assert answer["success"] is True, answer
        return answer["data"]

    worker, boss = crew["WORKER"]["id"], crew["SUPERVISOR"]["id"]
    mail = {"subject": "Task Blocked", "body": "I need help unblocking this task"}
    sent = curl(envelope(worker, "mcp__mail__send", toAgentId=boss, **mail))
    inbox = curl(envelope(boss, "mcp__mail__list_inbox"))
    logged = curl(envelope(worker, "mcp__system__log_decision", title="Chose", body="Redis over memory"))

    assert sent.keys() == {"mailId", "timestamp"}
    assert [(each["id"], each["fromAgentId"]) for each in inbox["mails"]] == [(sent["mailId"], worker)]
    assert logged.keys() == {"logId", "timestamp"}
