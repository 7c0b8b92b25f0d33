"""An agent that ends with a claim is not believed: its checks decide, and start it again with what failed."""

from __future__ import annotations

from typing import Any

from mission.domain.executions.execution import ExecutionStatus
from tests.runtime.conftest import Control

CHECK = {"name": "shelf", "run": "cat shelf; ! grep -q broken shelf"}
RETRY = 1


async def checked_task(control: Control) -> str:
    """A task of a mission whose check looks at the shelf."""
    task = await control.task()
    mission = (await control.call("task_get", {"id": task}))["workflow_id"]
    await control.call("checks_set", {"scope": "mission", "id": mission, "checks": [CHECK]})
    (control.repository / "shelf").write_text("whole\n")
    return task


async def launch(control: Control, task: str, first: str, second: str, *stays: str) -> dict[str, Any]:
    return await control.launch("claim", "shelf", first, second, *stays, task=task)


async def test_a_false_claim_starts_the_agent_again_with_what_failed(either_control: Control):
    control = either_control
    task = await checked_task(control)

    first = await launch(control, task, "broken shelf\n", "sorted\n")
    second = await control.the_next(task, after=first["id"])
    done = await control.until_task(task, lambda each: each["status"] == "completed")

    assert (second.resumes, second.agent_id) == (first["id"], first["agent_id"])
    told = ((await control.execution(second.id)).progress or {})["summary"]
    assert "Check 'shelf' (cat shelf; ! grep -q broken shelf) failed with exit code 1.\nbroken shelf" in told
    assert (done["evidence"]["state"], done["attempts"], done["failed_attempts"]) == ("proved", 2, 0)
    assert await control.waiting() == []


async def test_an_agent_that_does_not_stop_lying_is_started_again_three_times_and_a_person_is_asked(control: Control):
    task = await checked_task(control)

    first = await launch(control, task, "broken 1\n", "broken 2\n")
    [item] = await control.until_waiting()

    executions = (await control.call("execution_list", {"task_id": task}))["executions"]
    assert len(executions) == 4
    assert (item["kind"], item["subject"]) == ("failure", "'Sort the shelves' still fails its checks after 3 restarts")
    assert "broken 2" in item["body"]
    found = await control.call("task_get", {"id": task})
    assert (found["status"], found["assigned_agent_id"], found["evidence"]["state"]) == ("pending", None, "failing")
    assert item["agent_id"] == first["agent_id"]

    await control.call("queue_answer", {"id": item["id"], "choice": RETRY})
    fifth = await control.the_next(task, after=executions[0]["id"])

    assert (await control.the_next(task, after=fifth.id)).resumes == fifth.id  # a person's retry starts the count again


async def test_a_stopped_agent_stays_stopped_when_its_claim_was_false(control: Control):
    task = await checked_task(control)
    first = await launch(control, task, "broken\n", "sorted\n", "stays")
    await control.until(first["id"], lambda each: each.claims_done)

    await control.call("execution_stop", {"id": first["id"]})
    found = await control.until_task(task, lambda each: each["status"] == "pending")
    await control.all_carried_out()

    assert (found["assigned_agent_id"], found["evidence"]["state"]) == (None, "failing")
    newest = await control.newest(task)
    assert (newest.id, newest.status) == (first["id"], ExecutionStatus.STOPPED)
    assert await control.waiting() == []


async def test_a_claim_of_an_agent_that_changed_nothing_is_put_before_a_person(control: Control):
    task = await checked_task(control)

    await launch(control, task, "whole\n", "whole\n")
    [item] = await control.until_waiting()

    assert (item["kind"], item["body"]) == ("review", "all done\n\nNothing changed, so there was nothing to check.")
    await control.call("queue_answer", {"id": item["id"], "choice": 1})
    done = await control.until_task(task, lambda each: each["status"] == "completed")
    assert (done["evidence"]["state"], done["evidence"]["reason"]) == (
        "unproved",
        "nothing changed, so there was nothing to check",
    )
