"""REST: every address that lists something takes limit and says how to go on, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.conftest import Front
from tests.fake_executions import FakeExecutions
from tests.transports.live_server import Live

ROWS = 3
LISTS: dict[str, tuple[str, dict[str, str]]] = {
    "/api/missions": ("workflows", {}),
    "/api/tasks": ("tasks", {}),
    "/api/agents": ("agents", {}),
    "/api/messages": ("messages", {"agent_id": "human", "status": "all"}),
    "/api/queue": ("items", {}),
    "/api/templates": ("templates", {}),
    "/api/workspaces": ("workspaces", {}),
    "/api/evidence": ("evidence", {}),
    "/api/executions": ("executions", {}),
    "/api/executions/{id}/observations": ("observations", {}),
    "/api/runs": ("runs", {}),
    "/api/audit": ("entries", {"tool": "template_create"}),
}
"""The field of the answer that holds the rows, and what the list is asked with."""
WHOLE = {"/api/clients", "/api/costs"}
"""Addresses with a few rows that always come at once."""


@pytest.fixture
def execution(live_on_both: Live, repository: Path) -> str:
    """An execution with observations, in a store in which every list has rows."""
    live = live_on_both
    mission = live.call("start_mission", {"name": "m", "objective": "o", "repository_path": str(repository)})[
        "mission_id"
    ]
    agent = live.call("agent_register", {"name": "ada", "runtime": "codex"})["id"]
    fake_executions = FakeExecutions(live.app, Front(live.app))
    made: list[Any] = []
    for number in range(ROWS):
        task = live.task(mission, f"task {number}")
        live.call("agent_register", {"name": f"agent {number}", "runtime": "codex"})
        live.call("template_create", {"name": "Plan", "from_workflow_id": mission})
        live.call("mcp__mail__send", {"toHuman": True, "subject": f"s{number}", "body": "b", "agentId": agent})
        live.call("log_issue", {"task_id": task, "type": "bug_encountered", "description": f"d{number}",
                                "resolution": "r", "requires_human_review": True})  # fmt: skip
        place = {"workflow_id": mission, "path": str(repository.parent / f"wt{number}"), "branch": f"b{number}"}
        live.call("workspace_create", {**place, "create": True})
        made.append(live.run(fake_executions.launch()))
    for number in range(ROWS):
        live.run(fake_executions.signal(made[0].execution.id, f"e{number}", "progress", summary=f"at {number}"))
    live.call("checks_set", {"scope": "mission", "id": mission, "checks": [f"true {n}" for n in range(ROWS)]})
    checked = {"mission_id": mission, "name": "checked", "goal": "g", "repository_path": str(repository)}
    live.call("task_checks", {"task_id": live.call("start_task", checked)["task_id"], "run": True})
    start_runs(live, repository)
    return str(made[0].execution.id)


def start_runs(live: Live, repository: Path) -> None:
    """Start runs and stop them before they do anything."""
    for number in range(ROWS):
        plan = {"mission": {"name": f"run {number}"}, "tasks": [{"name": "t", "description": "d"}],
                "agents": [{"client": "command", "command": ["true"]}]}  # fmt: skip
        run = live.call("run_start", {"plan": plan, "folder": str(repository)})["run_id"]
        live.call("run_stop", {"run_id": run})


def pages(live: Live, address: str, execution: str, *, limit: int) -> Iterator[list[str]]:
    """The ids on each page of a list, page by page."""
    field, query = LISTS[address]
    place: dict[str, Any] = {}
    seen = 0
    while True:
        answer = live.get(f"{address.replace('{id}', execution)}?{urlencode({**query, 'limit': limit, **place})}")
        assert answer.status == 200, answer.body
        found = answer.json
        yield [row.get("id") or row["run_id"] for row in found[field]]
        seen += len(found[field])
        by_cursor = "next_cursor" in found
        if found["next_cursor"] is None if by_cursor else seen >= found["total"]:
            return
        place = {"cursor": found["next_cursor"]} if by_cursor else {"offset": seen}


def test_every_address_that_lists_honors_limit_and_goes_on_where_the_page_ended(
    live_on_both: Live, execution: str
) -> None:
    addresses = live_on_both.app.gateway.registry.addresses()
    listing = {path for path in addresses if not path.endswith(("{id}", "/output", "/report"))} - WHOLE
    assert listing == set(LISTS)

    for address in listing:
        found = list(pages(live_on_both, address, execution, limit=1))
        (whole,) = pages(live_on_both, address, execution, limit=100)

        assert [len(page) for page in found] == [1] * len(whole), address
        assert [id for (id,) in found] == whole, address
        assert len(set(whole)) == len(whole) >= ROWS, address


def test_a_bad_cursor_is_refused_by_every_address_that_takes_one(live_on_both: Live, execution: str) -> None:
    for address in LISTS.keys() - {"/api/missions", "/api/queue", "/api/workspaces"}:  # which have offset and total
        query = urlencode({**LISTS[address][1], "cursor": "nonsense"})
        answer = live_on_both.get(f"{address.replace('{id}', execution)}?{query}")

        assert (address, answer.status, answer.error["code"]) == (address, 400, "INVALID_INPUT")
        assert answer.error["details"]["field"] == "cursor"
