"""The crew's tools: who am I, what is my task and epic; tasks and epics made, handed out, moved and listed."""

from __future__ import annotations

import pytest

from mission.domain.errors import (
    InvalidAgentState,
    InvalidInput,
    InvalidState,
    NotFound,
    NotOwner,
    PermissionDenied,
)
from mission.services.inbox import items as inbox


@pytest.fixture
async def crew(call):
    """A supervisor, its orchestrator and its worker."""
    made = {}
    for kind, by in (("SUPERVISOR", None), ("ORCHESTRATOR", "SUPERVISOR"), ("WORKER", "ORCHESTRATOR")):
        agent = made[by] if by else None
        made[kind] = (await call("mcp__agent__create", {"type": kind, "name": kind.lower()}, agent=agent))["id"]
    return made


@pytest.fixture
async def epic(call, crew):
    new = {"title": "Users", "description": "All of it", "linearIssueId": "LIN-7", "linearIssueUrl": "https://x/LIN-7"}
    return await call("mcp__epic__create", new, agent=crew["ORCHESTRATOR"])


async def make_task(call, crew, title="Auth", **more):
    new = {"title": title, "description": "Add it", **more}
    return await call("mcp__task__create", new, agent=crew["ORCHESTRATOR"])


async def give(call, crew, task_id):
    return await call("mcp__task__assign", {"taskId": task_id, "agentId": crew["WORKER"]}, agent=crew["ORCHESTRATOR"])


async def test_a_task_goes_from_the_orchestrator_to_the_worker_into_review_and_back(call, crew, epic, repository, git):
    task = await make_task(call, crew)
    assigned = await give(call, crew, task["id"])
    git(repository, "checkout", "-qb", "feature/auth")
    begun = await call(
        "mcp__task__update_status", {"status": "IN_PROGRESS"}, agent=crew["WORKER"], directory=str(repository)
    )
    mine = await call("mcp__agent__get_task", agent=crew["WORKER"])
    status = await call("mcp__agent__get_status", agent=crew["WORKER"])
    my_epic = await call("mcp__agent__get_epic", agent=crew["WORKER"])
    (repository / "new.py").write_text("x = 1\n")
    comment = await call("mcp__task__add_comment", {"body": "half done"}, agent=crew["WORKER"])
    review = await call("mcp__task__update_status", {"status": "REVIEW"}, agent=crew["WORKER"])
    items = await call.app.database.read(lambda tx: tx.inbox.open_where(task_id=task["id"]))
    done = await call("mcp__task__update_status", {"status": "COMPLETED"}, agent=crew["WORKER"])
    left = await call.app.database.read(lambda tx: tx.inbox.open_where(task_id=task["id"]))

    states = [each["state"] for each in (task, assigned, begun, review, done)]
    assert states == ["PENDING", "ASSIGNED", "IN_PROGRESS", "REVIEW", "COMPLETED"]
    assert mine == {
        "id": task["id"],
        "title": "Auth",
        "description": "Add it",
        "state": "IN_PROGRESS",
        "epicId": epic["id"],
        "worktreePath": str(repository),
        "branchName": "feature/auth",
        "prUrl": None,
        "createdAt": mine["createdAt"],
        "updatedAt": mine["updatedAt"],
    }
    assert {name: status[name] for name in ("id", "type", "state", "currentEpicId", "currentTaskId")} == {
        "id": crew["WORKER"],
        "type": "WORKER",
        "state": "BUSY",
        "currentEpicId": epic["id"],
        "currentTaskId": task["id"],
    }
    assert my_epic["id"] == epic["id"]
    assert (my_epic["linearIssueId"], my_epic["linearIssueUrl"]) == ("LIN-7", "https://x/LIN-7")
    assert my_epic["state"] == "IN_PROGRESS"
    assert comment["taskId"] == task["id"]
    assert [(item.kind, item.agent_id) for item in items] == [("review", crew["WORKER"])]
    assert left == []
    found = await call("task_get", {"id": task["id"], "include_checkpoints": True})
    assert found["files_changed"]["added"] == ["new.py"]
    assert [each["summary"] for each in found["checkpoints"]] == ["half done"]
    assert (await call("mcp__agent__get_status", agent=crew["WORKER"]))["state"] == "IDLE"


async def test_states_of_an_agent_tell_whether_it_asks_failed_works_or_waits_for_work(call, crew, epic, clock):
    async def states():
        found = await call("mcp__supervisor__list_agents", agent=crew["SUPERVISOR"])
        return {agent["name"]: agent["state"] for agent in found["agents"]}

    assert await states() == {"supervisor": "IDLE", "orchestrator": "IDLE", "worker": "IDLE"}
    await give(call, crew, (await make_task(call, crew))["id"])
    assert (await states())["worker"] == "BUSY"
    clock.advance(seconds=call.app.settings.lease_seconds + 1)
    assert (await states())["worker"] == "FAILED"
    await call.app.database.write(inbox.open_item, kind="question", subject="Which one?", agent_id=crew["WORKER"])
    assert (await states())["worker"] == "WAITING"


async def test_what_an_agent_has_not_is_no_state_for_asking(call, crew):
    for tool, agent, words in (
        ("mcp__agent__get_task", "WORKER", "has no current task"),
        ("mcp__agent__get_task", "ORCHESTRATOR", "is not a WORKER"),
        ("mcp__agent__get_epic", "WORKER", "has no current task"),
        ("mcp__agent__get_epic", "SUPERVISOR", "has no current epic"),
        ("mcp__epic__list_tasks", "ORCHESTRATOR", "has no current epic"),
        ("mcp__agent__get_status", None, "only agents can call this"),
    ):
        with pytest.raises(InvalidAgentState, match=words) as caught:
            await call(tool, agent=crew[agent] if agent else None)
        assert caught.value.hint


async def test_an_agent_named_by_argument_is_the_actor_under_the_operators_token(call, crew, epic):
    status = await call("mcp__agent__get_status", {"agentId": crew["ORCHESTRATOR"]})

    assert (status["type"], status["currentEpicId"]) == ("ORCHESTRATOR", epic["id"])
    with pytest.raises(PermissionDenied):
        await call("mcp__agent__get_status", {"agentId": crew["ORCHESTRATOR"]}, agent=crew["WORKER"])


async def test_a_worker_writes_only_to_tasks_it_owns(call, crew, epic):
    free, other = await make_task(call, crew, "free"), await make_task(call, crew, "other")
    someone = (await call("mcp__agent__create", {"type": "WORKER", "name": "someone"}))["id"]
    await call("task_claim", {"task_id": other["id"], "agent_id": someone})
    done = {"status": "success", "outcome": {"summary": "x"}}
    decision = {"category": "other", "question": "q", "chosen": "c", "reasoning": "r"}

    for task in (free["id"], other["id"]):
        for tool, arguments in (
            ("mcp__task__update_status", {"status": "COMPLETED", "taskId": task}),
            ("mcp__task__add_comment", {"body": "x", "taskId": task}),
            ("log_decision", {"task_id": task, **decision}),
            ("log_milestone", {"task_id": task, "message": "x"}),
            ("checkpoint_add", {"task_id": task, "type": "progress", "summary": "x"}),
            ("task_update_status", {"id": task, "status": "skipped"}),
            ("complete_task", {"task_id": task, **done}),
        ):
            actor = "agentId" if tool.startswith("mcp__") else "agent_id"
            for named, caller in ((arguments, crew["WORKER"]), ({**arguments, actor: crew["WORKER"]}, None)):
                with pytest.raises(NotOwner, match=r"belongs to (nobody|a_)"):
                    await call(tool, named, agent=caller)
    with pytest.raises(NotOwner):
        await give(call, crew, other["id"])
    assert (await call("task_get", {"id": free["id"], "include_checkpoints": True}))["checkpoints"] == []
    begun = await call("mcp__task__update_status", {"status": "IN_PROGRESS", "taskId": free["id"]}, agent="worker")
    assert begun["assignedAgentId"] == crew["WORKER"]


async def test_what_cannot_be_is_told_in_the_words_that_the_tool_takes(call, crew, epic):
    task = (await make_task(call, crew))["id"]
    await give(call, crew, task)

    for tool, arguments, legal in (
        ("mcp__task__update_status", {"status": "REVIEW"}, "IN_PROGRESS"),
        ("task_update_status", {"id": task, "status": "paused"}, "planning, in_progress, skipped"),
        ("mcp__epic__update_status", {"status": "PLANNING"}, "IN_PROGRESS, COMPLETED, CANCELLED"),
        ("mcp__task__update_status", {"status": "IN_PROGRESS"}, None),
        ("task_update_status", {"id": task, "status": "planning"}, "pending, paused, completed, failed, skipped"),
    ):
        if legal is None:
            await call(tool, arguments, agent=crew["WORKER"])
            continue
        with pytest.raises(InvalidState) as refused:
            await call(tool, arguments, agent=crew["ORCHESTRATOR" if "epic" in tool else "WORKER"])
        assert refused.value.hint.endswith(f"it can become: {legal}.")
        assert refused.value.details["legal"] == legal.split(", ")
    for tool, arguments, field in (
        ("mcp__mail__send", {"toAgentId": task, "subject": "s", "body": "b"}, "toAgentId"),
        ("message_send", {"recipient_id": task, "message_type": "query", "body": "b"}, "recipient_id"),
        ("mcp__task__assign", {"taskId": task, "agentId": task}, "agentId"),
        ("mcp__agent__create", {"type": "WORKER", "name": "x", "supervisorId": task}, "supervisorId"),
        ("agent_heartbeat", {"agent_id": task}, "agent_id"),
    ):
        with pytest.raises(InvalidInput, match=f"^{field}: '{task}' is the id of a task, not an agent id"):
            await call(tool, arguments, agent=None if field == "agent_id" else crew["ORCHESTRATOR"])


async def test_what_is_wrong_with_a_new_task_is_named_by_its_own_fields(call, crew, epic):
    task = await make_task(call, crew)

    for more, field in (({"dependsOn": ["nope", task["id"]]}, "dependsOn"), ({"title": "Auth"}, "title")):
        with pytest.raises(InvalidInput, match=f"^{field}: ") as refused:
            await make_task(call, crew, **{"title": "New", **more})
        assert refused.value.details["field"] == field
    await give(call, crew, task["id"])
    await call("mcp__task__update_status", {"status": "IN_PROGRESS"}, agent=crew["WORKER"])
    blocked = await call("mcp__task__update_status", {"status": "BLOCKED", "failureReason": "why"}, agent="worker")
    assert (blocked["state"], blocked["failureReason"]) == ("BLOCKED", "why")


async def test_a_task_stands_behind_what_it_waits_for_though_that_phase_is_closed(call, crew, epic):
    plan = [{"name": name, "description": "d", "sequence": number} for number, name in enumerate("ab", start=1)]
    added = await call("workflow_add_tasks", {"workflow_id": epic["id"], "tasks": plan})
    for status in ("in_progress", "completed"):
        await call("task_update_status", {"id": added["task_ids"][1], "status": status, "outcome": "ok"})

    made = [await make_task(call, crew, f"after {name}", dependsOn=[name]) for name in ("b", added["task_ids"][0])]

    seen = [await call("task_get", {"id": task["id"]}) for task in made]
    assert [(task["sequence"], task["status"]) for task in seen] == [(3, "pending"), (3, "blocked")]


async def test_an_epics_tasks_are_listed_by_state_and_page(call, crew, epic):
    first = await make_task(call, crew, "a")
    await make_task(call, crew, "b", dependsOn=[first["id"]])
    await make_task(call, crew, "c", dependsOn=["a"])
    lead = crew["ORCHESTRATOR"]

    blocked = await call("mcp__epic__list_tasks", {"state": "BLOCKED"}, agent=lead)
    page = await call("mcp__epic__list_tasks", {"limit": 2}, agent=lead)
    rest = await call("mcp__epic__list_tasks", {"limit": 2, "offset": page["nextOffset"]}, agent=lead)
    last = await call("mcp__epic__list_tasks", {"limit": 2, "state": "BLOCKED"}, agent=lead)
    await give(call, crew, first["id"])
    await call("mcp__task__update_status", {"status": "IN_PROGRESS"}, agent=crew["WORKER"])
    held = await call(
        "mcp__task__update_status", {"status": "BLOCKED", "failureReason": "no key"}, agent=crew["WORKER"]
    )

    assert [task["title"] for task in blocked["tasks"]] == ["b", "c"]
    assert (last["tasks"], last["nextOffset"]) == (blocked["tasks"], None)
    assert [task["title"] for task in (*page["tasks"], *rest["tasks"])] == ["a", "b", "c"]
    assert rest["nextOffset"] is None
    assert held["state"] == "BLOCKED"
    failed = await call(
        "mcp__task__update_status", {"status": "FAILED", "failureReason": "never came"}, agent=crew["WORKER"]
    )
    assert (failed["state"], failed["failureReason"]) == ("FAILED", "never came")
    with pytest.raises(InvalidInput, match="status: 'ASSIGNED' is not one of"):
        await call("mcp__task__update_status", {"status": "ASSIGNED"}, agent=crew["WORKER"])
    with pytest.raises(InvalidInput, match="ghost"):
        await make_task(call, crew, "d", dependsOn=["ghost"])


async def test_an_epic_is_moved_and_found_by_its_state(call, crew, epic):
    lead = crew["ORCHESTRATOR"]
    task = await make_task(call, crew)

    async def found(state):
        epics = (await call("mcp__orchestrator__list_epics", {"state": state}, agent=lead))["epics"]
        return [each["id"] for each in epics]

    assert await found("PLANNING") == [epic["id"]]
    await call("mcp__epic__update_status", {"status": "IN_PROGRESS"}, agent=lead)
    assert (await call("mcp__epic__update_status", {"status": "BLOCKED"}, agent=lead))["state"] == "BLOCKED"
    assert await found("BLOCKED") == [epic["id"]]
    with pytest.raises(InvalidState, match=task["id"]):
        await call("mcp__epic__update_status", {"status": "COMPLETED"}, agent=lead)
    ended = await call("mcp__epic__update_status", {"status": "CANCELLED", "reason": "no use"}, agent=lead)
    assert (ended["state"], await found("CANCELLED")) == ("CANCELLED", [epic["id"]])
    with pytest.raises(NotFound):
        await make_task(call, crew, epicId="m_0000000000")


async def test_a_decision_is_logged_whole_as_its_own_audit_entry(call, crew):
    body = "Because. " * 500
    logged = await call("mcp__system__log_decision", {"title": "JWT", "body": body}, agent=crew["WORKER"])

    (row,) = (await call("audit_list", {"tool": "mcp__system__log_decision"}))["entries"]
    assert (row["id"], row["agent_id"]) == (logged["logId"], crew["WORKER"])
    assert row["arguments"] == {"title": "JWT", "body": body}
