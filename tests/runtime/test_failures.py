"""A failed agent is seen: a person is asked, and the answer launches it again, gives the task on or skips it."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from mission.domain.errors import InvalidInput, StorageFull
from mission.domain.executions.execution import Execution, ExecutionStatus
from mission.git.errors import GitTimeout
from mission.runtime.message_delivery import MessageDelivery
from mission.runtime.running.durable_write import DurableWork
from mission.services.executions import commands, creation
from mission.services.executions.creation import NewExecution
from mission.services.work import BackgroundWork
from tests.runtime.conftest import STANDIN, Control

S = ExecutionStatus
RETRY, WITH_HINT, TO_ANOTHER, SKIP = 1, 2, 3, 4


async def failed(control: Control, *arguments: str, task: str | None = None) -> tuple[str, dict[str, Any], Execution]:
    """A task whose agent failed, the item about it, and the execution."""
    task = task or await control.task()
    launched = await control.launch(*(arguments or ("fail", "1")), task=task, seconds=900)
    execution = await control.ended(launched["id"])
    [item] = await control.waiting()
    return task, item, execution


@pytest.mark.parametrize("code", [0, 1])
async def test_an_agent_that_says_it_failed_comes_into_the_inbox_with_its_reason(either_control: Control, code: int):
    control = either_control
    task, item, execution = await failed(control, "fail", str(code))

    assert (item["kind"], item["subject"]) == ("failure", "There is no license key")
    assert (item["task_id"], item["execution_id"], item["agent_name"]) == (task, execution.id, "command")
    assert [each["label"] for each in item["choices"]] == ["Retry", "Retry with a hint", "Give to another", "Skip"]
    assert (item["holds_tasks"], item["critical"]) == (1, True)
    assert (execution.status, execution.exit_code) == (S.FAILED, code)
    found = await control.call("task_get", {"id": task, "include_checkpoints": True})
    assert (found["status"], found["assigned_agent_id"], found["failed_attempts"]) == ("pending", None, 1)
    note = found["checkpoints"][-1]
    assert (note["summary"], note["author"]) == ("command failed: There is no license key", "system")
    overview = await control.call("overview_mission", {"mission_id": execution.mission_id})
    assert (overview["counts"]["failed"], overview["counts"]["failed_attempts"]) == (0, 1)
    assert [(each["state"], each["failed_attempts"]) for each in overview["tasks"]] == [("ready", 1)]


async def test_a_plain_crash_comes_into_the_inbox_too(either_control: Control):
    _, item, _ = await failed(either_control, "hello")

    assert (item["kind"], item["subject"]) == ("failure", "exit code 3: oops")


async def test_an_agent_that_was_stopped_is_no_failure(control: Control):
    task = await control.task()
    stopped = await control.launch("patient", task=task)
    await control.until(stopped["id"], lambda each: each.progress is not None)
    await control.call("execution_stop", {"id": stopped["id"]})

    assert await control.waiting() == []
    assert (await control.call("task_get", {"id": task}))["failed_attempts"] == 0


async def test_a_crash_after_an_answer_is_no_failure_for_the_answer_starts_the_task_again(
    either_control: Control, tmp_path: Path
):
    control, may_end = either_control, tmp_path / "may-end"
    task = await control.task()
    first = await control.launch("linger", str(may_end), "3", task=task)
    await control.until_task(task, lambda each: each["hold"] is not None)
    [item] = await control.waiting()
    await control.call("queue_answer", {"id": item["id"], "choice": 1})

    may_end.touch()
    second = await control.the_next(task, after=first["id"])

    assert (await control.execution(first["id"])).status is S.FAILED
    assert (second.resumes, await control.waiting()) == (first["id"], [])


async def test_a_claim_withdraws_the_item(either_control: Control):
    control = either_control
    task, item, _ = await failed(control)
    bob = (await control.call("agent_register", {"name": "bob", "runtime": "custom"}))["id"]

    await control.call("task_claim", {"task_id": task, "agent_id": bob})

    assert await control.waiting() == []
    closed = await control.call("queue_get", {"id": item["id"]})
    assert (closed["closed_by"], closed["answer"]) == ("system", f"{bob} took the task")


async def test_retry_launches_the_same_program_again_and_leaves_no_second_item(either_control: Control):
    control = either_control
    task, item, first = await failed(control)

    await control.call("queue_answer", {"id": item["id"], "choice": RETRY})
    second = await control.the_next(task, after=first.id)
    await control.ended(second.id)

    kept = [control.app.launcher.launch_record(each) for each in (first, second)]
    assert kept[0] == kept[1]
    assert (second.adapter, second.mode, second.delivery, second.resumes) == (
        first.adapter,
        first.mode,
        first.delivery,
        first.id,
    )
    assert second.agent_id == first.agent_id
    [again] = await control.waiting()
    assert (again["execution_id"], again["state"]) == (second.id, "open")
    assert (await control.call("task_get", {"id": task}))["failed_attempts"] == 2


@pytest.mark.parametrize(
    "answer", [{"choice": WITH_HINT, "text": "hint: look in the vault"}, {"text": "hint: look in the vault"}]
)
async def test_a_hint_is_in_the_next_prompt(either_control: Control, answer: dict[str, Any]):
    control = either_control
    task, item, first = await failed(control)

    await control.call("queue_answer", {"id": item["id"], **answer})
    second = await control.the_next(task, after=first.id)
    done = await control.ended(second.id)

    assert "look in the vault" in (done.claim or {})["summary"]
    found = await control.call("task_get", {"id": task, "include_checkpoints": True})
    assert found["checkpoints"][-1]["summary"].endswith("hint: look in the vault")


async def test_the_task_is_given_to_another_agent(either_control: Control):
    control = either_control
    task, item, _ = await failed(control)
    bob = (await control.call("agent_register", {"name": "bob", "runtime": "custom"}))["id"]

    given = await control.call("queue_answer", {"id": item["id"], "choice": TO_ANOTHER, "text": "bob"})

    assert (await control.call("task_get", {"id": task}))["assigned_agent_id"] == bob
    letters = (await control.call("message_list", {"agent_id": bob}))["messages"]
    assert [(each["id"], each["message_type"]) for each in letters] == [(given["message_id"], "task_assignment")]
    await control.all_carried_out()
    assert (await control.newest(task)).id == item["execution_id"]


async def test_the_task_is_given_to_another_client_with_its_own_arguments(either_control: Control):
    control = either_control
    task, item, first = await failed(control)

    words = f"command {sys.executable} -u {STANDIN} work"
    await control.call("queue_answer", {"id": item["id"], "choice": TO_ANOTHER, "text": words})
    second = await control.the_next(task, after=first.id)
    done = await control.ended(second.id)

    assert (done.claim or {})["summary"] == "all done"
    assert (second.resumes, second.agent_id == first.agent_id) == (None, False)


async def test_nobody_of_that_name_is_refused_and_the_item_stays(either_control: Control):
    control = either_control
    _, item, _ = await failed(control)

    with pytest.raises(InvalidInput, match="neither an agent nor a client"):
        await control.call("queue_answer", {"id": item["id"], "choice": TO_ANOTHER, "text": "nobody"})

    assert [each["id"] for each in await control.waiting()] == [item["id"]]


async def test_skip_ends_the_task(either_control: Control):
    control = either_control
    task, item, first = await failed(control)

    await control.call("queue_answer", {"id": item["id"], "choice": SKIP})
    await control.all_carried_out()

    assert (await control.call("task_get", {"id": task}))["status"] == "skipped"
    assert (await control.newest(task)).id == first.id


async def test_a_retry_that_finds_no_program_asks_again_and_can_be_tried_again(control: Control, tmp_path: Path):
    program = tmp_path / "agent"
    script = f"#!/bin/sh\nexec {sys.executable} -u {STANDIN} fail 1\n"
    program.write_text(script)
    program.chmod(0o755)
    task = await control.task()
    first = await control.launch(program=[str(program)], task=task)
    await control.ended(first["id"])
    [item] = await control.waiting()
    program.unlink()

    await control.call("queue_answer", {"id": item["id"], "choice": RETRY})
    await control.all_carried_out()
    [again] = await control.waiting()
    assert (again["kind"], again["subject"].startswith("It could not be launched again: '")) == (
        "failure",
        True,
    )

    program.write_text(script)
    program.chmod(0o755)
    await control.call("queue_answer", {"id": again["id"], "choice": RETRY})
    assert (await control.the_next(task, after=first["id"])).resumes == first["id"]


@pytest.mark.parametrize("step", ["_create", "_start"])
@pytest.mark.parametrize(
    "error", [StorageFull("the disk is full"), GitTimeout(command="status", seconds=1), KeyError("x")]
)
async def test_every_error_of_a_retry_asks_again_and_keeps_no_mail_from_others(
    either_control: Control, monkeypatch: pytest.MonkeyPatch, step: str, error: Exception
):
    control = either_control
    task, item, first = await failed(control)
    other = await control.launch("patient")
    launch = getattr(control.app.launcher, step)
    monkeypatch.setattr(control.app.launcher, step, _failing(error))

    await control.call("queue_answer", {"id": item["id"], "choice": RETRY})
    await control.call("execution_message", {"execution_id": other["id"], "text": "hello"})
    await control.all_carried_out()

    [again] = await control.waiting()
    assert (again["kind"], again["subject"].startswith("It could not be launched again: ")) == ("failure", True)
    found = await control.call("task_get", {"id": task})
    assert (found["status"], found["assigned_agent_id"]) == ("pending", None)
    messages = (await control.call("execution_get", {"id": other["id"]}))["messages"]
    assert [each["state"] for each in messages] == ["delivered"]

    monkeypatch.setattr(control.app.launcher, step, launch)
    before = await control.newest(task)
    await control.call("queue_answer", {"id": again["id"], "choice": RETRY})
    assert (await control.the_next(task, after=before.id)).resumes == first.id


def _failing(error: Exception) -> Any:
    async def fail(*_: Any, **__: Any) -> None:
        raise error

    return fail


async def test_a_retry_whose_daemon_died_before_the_program_ran_is_launched_by_the_next(either_control: Control):
    control, app = either_control, either_control.app
    task, item, first = await failed(control)
    await app.message_delivery.close()
    await control.call("queue_answer", {"id": item["id"], "choice": WITH_HINT, "text": "hint: look in the vault"})
    [(command, _)] = await app.database.read(commands.due, host_id=app.settings.host_id)
    wish = NewExecution(
        task_id=task,
        adapter="command",
        runtime="custom",
        delivery=first.delivery,
        resumes=first.id,
        command_id=command.id,
    )
    liveness = app.gateway._ports.liveness
    lost = await creation.create(BackgroundWork(app.database), app.trees, launch=wish, liveness=liveness)
    await app.launcher.close()

    await app.launcher.open()
    await app.message_delivery.open()
    last = await control.the_next(task, after=lost.execution.id)
    done = await control.ended(last.id)

    assert (await control.execution(lost.execution.id)).status is S.LOST
    assert "look in the vault" in (done.claim or {})["summary"]
    assert await app.database.read(commands.due, host_id=app.settings.host_id) == []
    assert [each["kind"] for each in await control.waiting()] == ["review"]


async def test_a_retry_whose_daemon_died_before_it_could_mark_it_is_launched_once(
    either_control: Control, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    control, app, may_end = either_control, either_control.app, tmp_path / "may-end"
    task, item, first = await failed(control)
    words = f"command {sys.executable} -u {STANDIN} hesitate {may_end} {may_end}"

    async def never(*_: Any, **__: Any) -> None:
        await asyncio.Event().wait()

    with monkeypatch.context() as dying:
        dying.setattr(DurableWork, "finish", never)
        await control.call("queue_answer", {"id": item["id"], "choice": TO_ANOTHER, "text": words})
        second = await control.the_next(task, after=first.id)
        await control.until(second.id, lambda each: each.status is S.WAITING)
        await app.message_delivery.close()
        await app.launcher.close()
    assert len(await app.database.read(commands.due, host_id=app.settings.host_id)) == 1

    await app.launcher.open()
    await app.message_delivery.open()
    await control.all_carried_out()
    may_end.touch()
    await control.ended(second.id)

    assert (await control.newest(task)).id == second.id


async def test_a_retry_is_dropped_when_somebody_took_the_task_meanwhile(either_control: Control):
    control, app = either_control, either_control.app
    task, item, first = await failed(control)
    await app.message_delivery.close()
    await control.call("queue_answer", {"id": item["id"], "choice": RETRY})
    bob = (await control.call("agent_register", {"name": "bob", "runtime": "custom"}))["id"]
    await control.call("task_claim", {"task_id": task, "agent_id": bob})
    await control.call("task_release", {"task_id": task, "agent_id": bob})

    await app.message_delivery.open()
    await control.all_carried_out()

    assert (await control.newest(task)).id == first.id
    assert await control.waiting() == []


async def test_a_retry_outlives_the_daemon_that_was_asked_and_is_launched_once(either_control: Control):
    control, app = either_control, either_control.app
    task, item, first = await failed(control)
    await control.all_carried_out()
    await app.message_delivery.close()
    await app.launcher.close()
    await control.call("queue_answer", {"id": item["id"], "choice": RETRY})

    for _ in range(2):  # the second daemon finds nothing left to do
        app.message_delivery = MessageDelivery(
            app.launcher, BackgroundWork(app.database), app.events, host_id=app.settings.host_id
        )
        await app.launcher.open()
        await app.message_delivery.open()
        second = await control.the_next(task, after=first.id)
        await control.ended(second.id)
        await control.all_carried_out()
        await app.message_delivery.close()
        await app.launcher.close()

    found = (await control.call("execution_list", {"task_id": task}))["executions"]
    assert [each["id"] for each in found] == [second.id, first.id]
    await app.launcher.open()
    await app.message_delivery.open()
