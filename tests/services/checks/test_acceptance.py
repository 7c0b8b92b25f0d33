"""Acceptance: only a person lets work through whose checks did not pass, and says why."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput, InvalidState, PermissionDenied
from tests.checked_tasks import checked as checked
from tests.tools.conftest import planned


@pytest.fixture
async def failing(checked):
    await checked.check({"name": "unit", "run": "test ! -f src/new.py"})
    task = await checked.started()
    await checked.refused(task)
    return task


async def test_a_person_accepts_a_failing_task_with_a_reason(checked, failing):
    done = await checked.call("task_accept", {"task_id": failing, "reason": "the test is wrong"})

    assert (done["status"], done["evidence"]["state"], done["evidence"]["reason"]) == (
        "success",
        "accepted",
        "the test is wrong",
    )
    assert done["files_changed"]["added"] == ["src/new.py"]
    proof = (await checked.row(failing)).proof
    assert (proof["by"], proof["checks"][0]["state"]) == ("operator", "failed")
    assert "the test is wrong" in (await checked.row(failing)).outcome["summary"]


async def test_files_that_checks_left_behind_are_not_the_tasks_whoever_ends_it(checked):
    await checked.check({"name": "unit", "run": "echo made > report.txt; test ! -f src/new.py"})
    tasks = [await checked.start(name=name) for name in ("accepted", "failed", "partial")]
    checked.write("src/new.py")
    for task in tasks:
        assert (await checked.refused(task))["code"] == "CHECKS_FAILED"

    seen = await checked.call("overview_files", {"task_id": tasks[0]})
    accepted = await checked.call("task_accept", {"task_id": tasks[0], "reason": "fine"})
    failed = await checked.report(tasks[1], status="failed")
    partial = await checked.report(tasks[2], status="partial_success")

    assert [file["path"] for file in seen["files"]] == ["src/new.py"]
    assert accepted["files_changed"]["added"] == ["src/new.py"]
    assert [ended["files_changed"]["added"] for ended in (failed, partial)] == [["src/new.py"]] * 2


async def test_an_agent_accepts_nothing(checked, failing, make_agent):
    ada = await make_agent("ada", role="coordinator")

    with pytest.raises(PermissionDenied):
        await checked.call("task_accept", {"task_id": failing, "reason": "mine"}, agent=ada)

    assert str((await checked.row(failing)).status) == "in_progress"


async def test_a_reason_is_needed(checked, failing):
    with pytest.raises(InvalidInput):
        await checked.call("task_accept", {"task_id": failing, "reason": "  "})


async def test_a_completed_task_is_not_accepted_again(checked, failing):
    await checked.call("task_accept", {"task_id": failing, "reason": "fine"})

    with pytest.raises(InvalidState, match="cannot be accepted"):
        await checked.call("task_accept", {"task_id": failing, "reason": "again"})


async def test_a_task_that_was_never_started_has_nothing_to_accept(checked, make_workflow):
    _, tasks = await make_workflow(planned("a"))

    with pytest.raises(InvalidState, match="never started"):
        await checked.call("task_accept", {"task_id": tasks["a"], "reason": "x"})


async def test_a_failing_task_that_was_released_is_accepted(checked, make_agent):
    ada = await make_agent("ada")
    await checked.check({"name": "unit", "run": "test ! -f src/new.py"})
    task = await checked.started(agent_id=ada)
    await checked.refused(task, agent_id=ada)
    await checked.call("task_release", {"task_id": task, "agent_id": ada})

    done = await checked.call("task_accept", {"task_id": task, "reason": "fine"})

    assert done["evidence"]["state"] == "accepted"
