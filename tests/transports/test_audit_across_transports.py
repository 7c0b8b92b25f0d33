"""The audit trail compared with what was called: over every door, sixteen callers at a time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from mission import __version__
from tests.transports.live_server import Live
from tests.transports.test_agent_tokens import mcp
from tests.transports.web.test_execute_endpoint import envelope, execute

CALLERS = 16
ROUNDS = 6
PATIENCE = 60.0


@pytest.fixture
def program(live: Live) -> dict[str, str]:
    """The environment in which commands find the server of this module."""
    facts = {"pid": os.getpid(), "url": live.url, "token": live.token, "version": __version__}
    live.settings.daemon_path.write_text(json.dumps(facts))
    return {**os.environ, "MISSION_HOME": str(live.settings.home)}


def test_the_trail_holds_exactly_what_was_called_over_every_door(live, program):
    workers = [live.call("mcp__agent__create", {"type": "WORKER", "name": f"w{n}"}) for n in range(CALLERS)]
    before = {row["id"] for row in trail(live)}

    def comment(worker: dict[str, str], note: str) -> tuple[str, dict[str, Any]]:
        return "mcp__system__log_decision", {"title": note, "body": f"password={note}-secret"}

    def call(number: int) -> list[tuple[str, str, str, str]]:
        """What one caller did: its agent, the tool, the title it gave and how that must have ended."""
        worker, done = workers[number], []
        for turn in range(ROUNDS):
            note = f"n{number}-{turn}"
            tool, given = comment(worker, note)
            door = turn % 3
            if door == 0:
                mcp(live, "tools/call", {"name": tool, "arguments": given}, token=worker["token"])
            elif door == 1:
                assert execute(live, envelope(worker["id"], tool, **given)).status == 200
            else:
                live.call(tool, given, Authorization=f"Bearer {worker['token']}")
            done.append((worker["id"], tool, note, "ok"))
            refused = execute(live, envelope(worker["id"], "mcp__epic__create", title=note), token=worker["token"])
            done.append((worker["id"], "mcp__epic__create", note, "denied"))
            wrong = execute(live, envelope(worker["id"], tool, title=note), token=worker["token"])
            done.append((worker["id"], tool, note, "error"))
            assert (refused.status, wrong.status) == (403, 400)
        if number < 2:
            tool, given = comment(worker, f"cli-{number}")
            command = [sys.executable, "-m", "mission", "call", tool, json.dumps(given), "--json"]
            environment = {**program, "MISSION_TOKEN": worker["token"]}
            subprocess.run(command, env=environment, check=True, capture_output=True, timeout=120)
            done.append((worker["id"], tool, f"cli-{number}", "ok"))
        return done

    with ThreadPoolExecutor(CALLERS) as pool:
        called = [each for part in pool.map(call, range(CALLERS)) for each in part]
    rows = [row for row in trail(live) if row["id"] not in before and row["tool"] != "audit_list"]

    told = Counter((row["agent_id"], row["tool"], row["arguments"]["title"], row["status"]) for row in rows)
    assert told == Counter(called)
    assert {row["transport"] for row in rows} == {"mcp", "execute", "rest", "cli"}
    assert "secret" not in json.dumps([row["arguments"] for row in rows])
    assert all(row["at"] <= row["finished_at"] for row in rows)


def test_the_trail_is_read_by_agent_tool_time_and_as_a_decision_log(live, program):
    worker = live.call("mcp__agent__create", {"type": "WORKER", "name": "reader"})
    execute(live, envelope("reader", "mcp__system__log_decision", title="JWT", body="Safer"))
    execute(live, envelope("reader", "mcp__agent__get_task"))
    execute(live, envelope("reader", "mcp__agent__get_status"))
    live.run(live.app.gateway.audit.flush())

    def read(*options: str) -> str:
        command = [sys.executable, "-m", "mission", "audit", *options]
        return subprocess.run(command, env=program, check=True, capture_output=True, text=True, timeout=120).stdout

    found = json.loads(read("--agent", "reader", "--tool", "mcp__agent__*", "--since", "1h", "--json"))["entries"]
    log = read("--agent", worker["id"], "--log").splitlines()
    rest = live.get(f"/api/audit?agent_id={worker['id']}&status=error&lines=true").json["entries"]
    assert live.get(f"/api/audit/{rest[0]['id']}").json == rest[0]
    assert live.get("/api/audit/log_0000000000").error["code"] == "RESOURCE_NOT_FOUND"

    assert [(row["tool"], row["status"]) for row in found] == [
        ("mcp__agent__get_status", "ok"),
        ("mcp__agent__get_task", "error"),
    ]
    told = [line.split("  ", 2)[-1].strip() for line in log if not line.startswith(" ")]
    assert told == [
        "JWT",
        "Invoked tool: mcp__agent__get_task",
        "Tool error: mcp__agent__get_task",
        "Invoked tool: mcp__agent__get_status",
        "Tool result: mcp__agent__get_status",
    ]
    (error,) = rest
    assert [line["reasoning"] for line in error["lines"]] == [
        "Automatic tool invocation log",
        "Automatic tool error log",
    ]
    assert error["lines"][1]["context"]["code"] == "INVALID_AGENT_STATE"


def test_the_trail_can_be_followed_as_it_grows(live, program):
    live.call("mcp__agent__create", {"type": "WORKER", "name": "followed"})
    execute(live, envelope("followed", "mcp__agent__get_status"))
    command = [sys.executable, "-m", "mission", "audit", "--follow", "--agent", "followed", "--json"]
    with subprocess.Popen(command, env=program, stdout=subprocess.PIPE, text=True) as following:
        late = threading.Timer(PATIENCE, following.kill)
        late.start()
        assert following.stdout is not None
        seen = [json.loads(following.stdout.readline())]
        execute(live, envelope("followed", "mcp__epic__create", title="no"))
        execute(live, envelope("nobody", "mcp__agent__get_status"))
        seen += [json.loads(following.stdout.readline())]
        late.cancel()
        following.kill()

    assert [(row["tool"], row["status"]) for row in seen] == [
        ("mcp__agent__get_status", "ok"),
        ("mcp__epic__create", "denied"),
    ]


def test_a_call_that_acts_outside_the_database_is_on_record_before_it_acts(live, monkeypatch):
    registry = live.app.gateway.registry
    tool = registry.get("workspace_create")
    seen = []

    async def looks(call, args):
        seen.extend(row["status"] for row in await call.read(_of_tool))
        raise RuntimeError("the disk went away")

    def _of_tool(tx):
        return tx.audit.page(agent_id=None, tool="workspace_create", status=None, since=None, limit=9, after=None)

    monkeypatch.setitem(registry._tools, tool.name, replace(tool, handler=looks))
    mission = live.mission()
    answer = live.post("workspace_create", {"workflow_id": mission, "path": "/tmp/x", "branch": "b"})

    assert answer.status == 500, answer.body
    assert seen == ["invoked"]
    live.run(live.app.gateway.audit.flush())
    (row,) = live.run(live.app.database.read(_of_tool))
    assert (row["status"], row["error"]["code"]) == ("error", "INTERNAL_ERROR")
    assert row["finished_at"] > row["at"]


def trail(live: Live) -> list[dict[str, Any]]:
    live.run(live.app.gateway.audit.flush())
    found: list[dict[str, Any]] = []
    cursor = None
    while True:
        page = live.call("audit_list", {"limit": 500, "cursor": cursor})
        found += page["entries"]
        cursor = page["next_cursor"]
        if cursor is None:
            return found
