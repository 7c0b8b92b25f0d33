"""What the operator does with the record: list, archive, delete, read the audit trail."""

from __future__ import annotations

import re
from datetime import timedelta
from types import SimpleNamespace

import pytest

from mission.domain.errors import InvalidInput, InvalidState, NotFound
from tests.tools.conftest import planned


async def start(call, name="x", tool="start_mission"):
    return (await call(tool, {"name": name, "objective": "y"}))["mission_id"]


async def test_missions_are_listed_with_their_progress_the_most_active_first(call):
    one, two = await start(call, "one"), await start(call, "two")
    task = await call("start_task", {"mission_id": one, "name": "t", "goal": "g"})
    await call("complete_task", {"task_id": task["task_id"], "status": "success", "outcome": {"summary": "s"}})

    found = await call("workflow_list")

    assert found["total"] == 2
    assert [row["id"] for row in found["workflows"]] == [one, two]
    row = found["workflows"][0]
    assert (row["status"], row["tasks_total"], row["tasks_completed"]) == ("in_progress", 1, 1)
    assert [row["id"] for row in (await call("workflow_list", {"status": ["planning"]}))["workflows"]] == [two]
    page = await call("workflow_list", {"limit": 1, "offset": 1})
    assert ([row["id"] for row in page["workflows"]], page["total"]) == ([two], 2)


async def test_missions_are_listed_by_repository(call, repository):
    here = (await call("start_mission", {"name": "x", "objective": "y"}, directory=str(repository)))["mission_id"]
    await start(call)

    found = await call("workflow_list", {"repository_path": str(repository)})

    assert [row["id"] for row in found["workflows"]] == [here]


async def test_an_ended_mission_is_archived_and_brought_back(call):
    mission = await start(call)
    with pytest.raises(InvalidState, match="cannot be archived"):
        await call("mission_archive", {"mission_id": mission})
    await call("complete_mission", {"mission_id": mission, "status": "completed", "summary": "s"})

    assert (await call("mission_archive", {"mission_id": mission}))["archived_at"]
    assert (await call("workflow_list"))["total"] == 0
    assert (await call("workflow_list", {"archived": True}))["total"] == 1
    assert (await call("mission_archive", {"mission_id": mission, "archived": False}))["archived_at"] is None
    assert (await call("workflow_list"))["total"] == 1


async def test_a_deleted_mission_is_gone_with_everything_in_it(call):
    mission = await start(call)
    task = await call("start_task", {"mission_id": mission, "name": "t", "goal": "g"})
    await call("log_milestone", {"task_id": task["task_id"], "message": "m"})
    with pytest.raises(InvalidState, match="cannot be deleted"):
        await call("mission_delete", {"mission_id": mission})
    await call("complete_mission", {"mission_id": mission, "status": "failed", "summary": "s"})

    assert await call("mission_delete", {"mission_id": mission}) == {"mission_id": mission, "name": "x"}

    with pytest.raises(NotFound):
        await call("get_context", {"mission_id": mission, "include": ["tasks"]})
    with pytest.raises(NotFound):
        await call("log_milestone", {"task_id": task["task_id"], "message": "m"})


async def test_tasks_are_listed_by_mission_state_and_owner_in_pages(call, make_workflow, make_agent):
    one, tasks = await make_workflow(planned("a"), planned("b", after=["a"]), planned("c"), planned("d"))
    two, others = await make_workflow(planned("e"))
    ada = await make_agent("ada")
    await call("task_claim", {"task_id": tasks["c"], "agent_id": ada})
    for status in ("in_progress", "blocked"):
        await call("task_update_status", {"id": tasks["c"], "status": status, "error": "why", "agent_id": ada})

    async def names(**wanted):
        return {row["name"] for row in (await call("task_list", wanted))["tasks"]}

    assert await names() == {"a", "b", "c", "d", "e"}
    assert await names(mission_id=one, status=["pending"]) == {"a", "d"}
    assert await names(status=["blocked"]) == {"b", "c"}
    assert await names(status=["paused"]) == set()
    assert await names(status=["pending", "blocked"], workflow_id=two) == {"e"}
    assert await names(agent_id="ada") == await names(agent_id=ada, mission_id=one) == {"c"}
    seen, cursor = [], None
    while not seen or cursor is not None:
        page = await call("task_list", {"limit": 2, "cursor": cursor})
        seen, cursor = seen + page["tasks"], page["next_cursor"]
    assert sorted(row["name"] for row in seen) == ["a", "b", "c", "d", "e"]
    assert seen[0]["id"] == others["e"]
    await call("workflow_update_status", {"id": two, "status": "abandoned"})
    await call("mission_archive", {"mission_id": two})
    assert (await names(), await names(mission_id=two)) == ({"a", "b", "c", "d"}, {"e"})
    with pytest.raises(NotFound):
        await names(mission_id="m_0000000000")


async def test_the_audit_trail_is_found_along_indexes(call):
    """Among so many entries the databases choose a way that reads few of them."""

    def fill(tx):
        row = {"finished_at": tx.now, "transport": "test", "caller": "operator", "arguments": {}}
        rows = [
            {**row, "at": tx.now + timedelta(seconds=n), "id": f"log_{n}", "agent_id": f"a_{n % 50}"}
            | {"tool": f"tool_{n % 50}", "status": "ok" if n % 50 else "error"}
            for n in range(3_000)
        ]
        tx.audit.add(rows)

    def plans(tx):
        everything = {"agent_id": None, "tool": None, "status": None, "since": None, "limit": 5, "after": None}
        seen, execute = [], tx.connection.execute

        def explained(statement, *values):
            text = str(statement.compile(tx.connection, compile_kwargs={"literal_binds": True}))
            plan = "EXPLAIN " if tx.connection.dialect.name == "postgresql" else "EXPLAIN QUERY PLAN "
            seen.append(" ".join(str(row) for row in tx.connection.exec_driver_sql(plan + text)))
            return execute(statement, *values)

        audit = type(tx.audit)(SimpleNamespace(execute=explained))
        for wanted in (
            {"agent_id": "a_7"},
            {"tool": "tool_7"},
            {"status": "error"},
            {"since": tx.now},
            {"after": (tx.now, "log_7")},
            {"tool": "*"},
            {},
        ):
            audit.page(**{**everything, **wanted})
        audit.get("log_7")
        found = audit.page(**{**everything, "tool": "tool_*1"})
        assert [row["tool"] for row in found] == ["tool_41", "tool_31", "tool_21", "tool_11", "tool_1"]
        return seen

    await call.app.database.write(fill)
    if call.app.backend.name == "postgresql":
        await call.app.database.write(lambda tx: tx.connection.exec_driver_sql("ANALYZE audit"))
    found = await call.app.database.read(plans)

    indexes = ["ix_audit_agent_id_at", "ix_audit_tool_at", "ix_audit_trouble", "", "", "", "", "ix_audit_id"]
    indexes += ["ix_audit_tool_at"] * (1 + 5)  # the names, then the newest of each
    for plan, index in zip(found, indexes, strict=True):
        assert index in plan
        assert not re.search("Seq Scan|TEMP B-TREE", plan), plan


async def test_the_audit_trail_is_read_by_tool_status_and_page(call):
    for number in range(5):
        await start(call, f"m{number}")
    with pytest.raises(InvalidInput):
        await call("start_mission", {})
    await call.app.gateway.audit.flush()

    names, cursor = [], None
    while True:
        page = await call("audit_list", {"tool": "start_mission", "status": "ok", "limit": 2, "cursor": cursor})
        names += [entry["arguments"]["name"] for entry in page["entries"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert names == ["m4", "m3", "m2", "m1", "m0"]
    failed = await call("audit_list", {"status": "error"})
    assert [entry["error"]["code"] for entry in failed["entries"]] == ["INVALID_INPUT"]
    with pytest.raises(InvalidInput, match="cursor"):
        await call("audit_list", {"cursor": "nonsense"})


@pytest.mark.parametrize(("tool", "family"), [("start_mission", "mission"), ("start_workflow", "workflow")])
async def test_events_carry_the_names_of_the_dialect_that_made_the_mission(call, tool, family):
    mission = await start(call, tool=tool)
    task = await call("start_task", {"mission_id": mission, "phase": 1, "name": "t", "goal": "g"})
    ids = {"task_id": task["task_id"]}
    await call("log_milestone", {**ids, "message": "m"})
    await call("log_decision", {**ids, "category": "other", "question": "q", "chosen": "c", "reasoning": "r"})
    await call("log_issue", {**ids, "type": "other", "description": "d", "resolution": "r"})
    await call("complete_task", {**ids, "status": "success", "outcome": {"summary": "s"}, "phase_complete": True})
    await call("complete_mission", {"mission_id": mission, "status": "completed", "summary": "s"})

    told = await call.app.database.read(lambda tx: tx.events.since(0, limit=100))

    moves = [f"{family}:updated"] if family == "workflow" else []
    assert [event.type for event in told] == [
        f"{family}:created",
        "phase:created",
        *([] if moves else [f"{family}:updated"]),
        "task:created",
        *moves,
        "milestone:created",
        "decision:created",
        "issue:created",
        "task:updated",  # the cause before what follows from it
        "phase:updated",
        f"{family}:updated",
        f"{family}:updated",
    ]
    assert {event.mission_id for event in told} == {mission}
