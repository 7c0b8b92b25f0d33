"""The sweep that finds work gone wrong: each thing is put before a person once, and withdrawn when it has passed."""

from __future__ import annotations

from datetime import timedelta

from mission.services.upkeep import health
from mission.services.work import BackgroundWork


async def claimed(call, *names):
    """An agent that holds tasks of these names; their ids by name."""
    ada = (await call("agent_register", {"name": "ada", "runtime": "custom"}))["id"]
    source = {"name": "W", "source_type": "prompt", "source_content": "x"}
    mission = (await call("workflow_create", source))["id"]
    tasks = [{"name": name, "description": "d", "sequence": 1, "depends_on": []} for name in names]
    await call("workflow_set_plan", {"id": mission, "plan": {"summary": "s", "approach": "a", "tasks": tasks}})
    found = await call("workflow_get", {"id": mission, "include_tasks": True})
    ids = {task["name"]: task["id"] for task in found["tasks"]}
    for id in ids.values():
        await call("task_claim", {"task_id": id, "agent_id": ada})
    return ada, ids


async def found(call):
    return [(item["kind"], item["subject"]) for item in (await call("queue_list"))["items"]]


async def swept(call):
    await health.sweep(BackgroundWork(call.app.database), every=timedelta())
    return [each for each in await found(call) if each[0] != "failure"]


async def dismiss_all(call):
    for item in (await call("queue_list"))["items"]:
        await call("queue_dismiss", {"id": item["id"]})


async def test_a_silent_owner_is_told_of_once_and_withdrawn_when_it_comes_back(call, clock):
    ada, ids = await claimed(call, "one", "two", "held")
    for status in ("in_progress", "blocked"):
        await call("task_update_status", {"id": ids["held"], "agent_id": ada, "status": status, "error": "key?"})
    blocked, silent = ("blocker", "key?"), ("health", "ada stopped responding and holds 2 claimed tasks")
    assert await swept(call) == [blocked]

    clock.advance(minutes=20)
    assert await swept(call) == await swept(call) == [blocked, silent]
    await call("agent_heartbeat", {"agent_id": ada})
    assert await swept(call) == [blocked]
    clock.advance(minutes=20)
    assert await swept(call) == [blocked, silent]
    await dismiss_all(call)
    await call("task_update_status", {"id": ids["held"], "agent_id": ada, "status": "completed", "outcome": "done"})

    assert await swept(call) == []


async def test_a_task_that_is_begun_ever_again_is_told_of_each_fifth_time(call):
    _, ids = await claimed(call, "hard")
    told = []
    for _ in range(11):
        await call("task_update_status", {"id": ids["hard"], "status": "in_progress"})
        await call("task_update_status", {"id": ids["hard"], "status": "failed", "error": "no"})
        told.append(len(await swept(call)))
        await dismiss_all(call)

    assert told == [0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]


async def test_a_task_whose_executions_keep_crashing_is_told_of(fake_executions, call):
    task = await fake_executions.task("Write the parser")
    for _ in range(3):
        assert await swept(call) == []
        created = await fake_executions.launch(task)
        await fake_executions.start(created.execution.id)
        await fake_executions.end(created.execution.id, "failed", exit_code=1)

    assert await swept(call) == [("health", "'Write the parser' has crashed 3 times")]


async def test_the_sweep_is_due_once_a_minute(call, clock):
    await health.sweep(BackgroundWork(call.app.database))
    ada, _ = await claimed(call, "one")
    await call.app.database.write(lambda tx: tx.tasks.renew(ada, until=tx.now))
    clock.advance(seconds=30)
    await health.sweep(BackgroundWork(call.app.database))
    assert await found(call) == []

    clock.advance(seconds=31)
    await health.sweep(BackgroundWork(call.app.database))

    assert await found(call) == [("health", "ada stopped responding and holds 1 claimed task")]
