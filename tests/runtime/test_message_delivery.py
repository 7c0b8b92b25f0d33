"""Answers, messages and the end of a mission reach the agents that run, and start again those that wait."""

from __future__ import annotations

import asyncio
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from mission.domain.executions.execution import ExecutionStatus
from mission.runtime.message_delivery import MessageDelivery
from mission.services.work import BackgroundWork
from tests.runtime.conftest import STANDIN, Control

S = ExecutionStatus


async def test_an_answer_launches_an_agent_again_that_ended_with_its_question(control: Control):
    task = await control.task()
    first = await control.launch("talk", task=task)
    ended = await control.ended(first["id"])
    assert (await control.call("task_get", {"id": task}))["status"] == "paused"

    item = (await control.call("queue_list"))["items"][0]
    await control.call("queue_answer", {"id": item["id"], "choice": 1})

    second = await control.the_next(task, after=ended.id)
    done = await control.ended(second.id)
    assert (second.resumes, second.agent_id) == (first["id"], first["agent_id"])
    assert "left" in (done.progress or {})["summary"].lower()


async def test_an_answer_is_not_lost_on_an_agent_that_is_just_about_to_end(control: Control, tmp_path: Path):
    may_end = tmp_path / "may-end"
    task = await control.task()
    first = await control.launch("linger", str(may_end), task=task)
    await control.until(first["id"], lambda each: each.status is S.WAITING)
    item = (await control.call("queue_list"))["items"][0]
    await control.call("queue_answer", {"id": item["id"], "choice": 1})

    may_end.touch()

    second = await control.the_next(task, after=first["id"])
    done = await control.ended(second.id)
    assert "left" in (done.progress or {})["summary"].lower()


async def test_an_answer_outlives_the_daemon_that_heard_it(control: Control, tmp_path: Path):
    may_end, app = tmp_path / "may-end", control.app
    task = await control.task()
    first = await control.launch("linger", str(may_end), task=task, seconds=900)
    await control.until(first["id"], lambda each: each.status is S.WAITING)
    item = (await control.call("queue_list"))["items"][0]
    await control.call("queue_answer", {"id": item["id"], "choice": 1})
    await control.all_carried_out()
    await app.message_delivery.close()
    await app.launcher.close()

    may_end.touch()
    app.message_delivery = MessageDelivery(
        app.launcher,
        BackgroundWork(app.database),
        app.events,
        host_id=app.settings.host_id,
    )
    await app.launcher.open()
    await app.message_delivery.open()

    second = await control.the_next(task, after=first["id"])
    done = await control.ended(second.id)
    assert "left" in (done.progress or {})["summary"].lower()
    assert app.launcher.launch_record(second).seconds == 900


async def test_an_agent_that_was_stopped_after_its_answer_stays_stopped(control: Control, tmp_path: Path):
    task = await control.task()
    first = await control.launch("linger", str(tmp_path / "never"), task=task)
    await control.until(first["id"], lambda each: each.status is S.WAITING)
    item = (await control.call("queue_list"))["items"][0]
    await control.call("queue_answer", {"id": item["id"], "choice": 1})

    await control.call("execution_stop", {"id": first["id"]})
    await control.all_carried_out()

    assert (await control.newest(task)).id == first["id"]
    assert (await control.call("task_get", {"id": task}))["status"] == "pending"


async def test_an_answer_that_finds_no_program_frees_the_task_and_says_so(control: Control, tmp_path: Path):
    program = tmp_path / "agent"
    program.write_text(f"#!/bin/sh\nexec {sys.executable} -u {STANDIN} talk\n")
    program.chmod(0o755)
    task = await control.task()
    await control.ended((await control.launch(program=[str(program)], task=task))["id"])
    item = (await control.call("queue_list"))["items"][0]
    program.unlink()

    await control.call("queue_answer", {"id": item["id"], "choice": 1})
    await control.all_carried_out()

    found = await control.call("task_get", {"id": task})
    assert (found["status"], found["assigned_agent_id"]) == ("pending", None)
    told = (await control.call("queue_list"))["items"]
    assert [each["kind"] for each in told] == ["failure"]
    assert told[0]["subject"].startswith("It could not be launched again: '")


async def test_a_question_that_is_put_aside_frees_the_task_that_waited_for_it(control: Control):
    task = await control.task()
    await control.ended((await control.launch("talk", task=task))["id"])
    item = (await control.call("queue_list"))["items"][0]

    await control.call("queue_dismiss", {"id": item["id"]})

    async with asyncio.timeout(60):
        while (await control.call("task_get", {"id": task}))["status"] != "pending":
            await control.app.events.wait(control.app.events.last, seconds=1)
    assert (await control.call("task_get", {"id": task}))["assigned_agent_id"] is None


async def test_an_operators_message_is_typed_and_an_interrupt_interrupts(control: Control):
    launched = await control.launch("echo", interactive=True)
    follower = control.app.launcher.follower(launched["id"])
    assert follower is not None
    watcher = follower.screen.join()
    shown = ""

    async with asyncio.timeout(60):
        while "size" not in shown:  # it listens
            shown += await watcher.next() or ""
        await control.call("execution_message", {"execution_id": launched["id"], "text": "well\ndone"})
        while "you said well done" not in shown:
            shown += await watcher.next() or ""
    await control.call("execution_message", {"execution_id": launched["id"], "kind": "interrupt"})
    ended = await control.ended(launched["id"])

    assert ended.status is S.FAILED
    messages = (await control.call("execution_get", {"id": launched["id"]}))["messages"]
    assert [each["state"] for each in messages] == ["delivered", "delivered"]


async def test_words_are_typed_once_however_often_a_daemon_that_died_asks_for_it(control: Control):
    launched = await control.launch("echo", interactive=True)
    follower = control.app.launcher.follower(launched["id"])
    assert follower is not None
    watcher = follower.screen.join()
    shown = ""

    async with asyncio.timeout(60):
        while "size" not in shown:  # it listens
            shown += await watcher.next() or ""
        for _ in range(3):
            follower.process.type(b"well", once="msg_1")
        follower.process.type(b"\r", once="msg_1 submit")
        while "you said" not in shown or not shown.endswith("\n"):  # its line may come in pieces
            shown += await watcher.next() or ""

    assert "you said well\r" in shown


async def test_an_agent_is_stopped_when_its_mission_ends(control: Control):
    task = await control.task()
    launched = await control.launch("patient", task=task)
    await control.until(launched["id"], lambda each: each.progress is not None)

    over = {"mission_id": launched["mission_id"], "status": "failed", "summary": "no more"}
    told = await control.call("complete_mission", over)
    ended = await control.ended(launched["id"])

    assert f"execution {launched['id']} is still running and is being stopped" in told["warnings"]
    assert (ended.status, ended.reason) == (S.STOPPED, "stopped because its mission ended")
    assert [kind for kind, _ in await control.observations(ended.id)] == [
        "progress"
    ]  # it left nothing behind by itself
    assert (await control.call("task_get", {"id": task}))["status"] == "skipped"
    assert await control.leaves_nothing(launched["id"])


@pytest.mark.parametrize("spare", [0, 600])
async def test_an_agent_that_ended_its_task_may_say_its_last_words_when_the_mission_ends(
    control: Control, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spare: float
):
    monkeypatch.setattr("mission.services.executions.commands.LAST_WORDS", timedelta(seconds=spare))
    may_end = tmp_path / "may-end"
    task = await control.task()
    launched = await control.launch("linger", str(may_end), task=task)
    await control.until(launched["id"], lambda each: each.status is S.WAITING)
    done = {"task_id": task, "status": "success", "outcome": {"summary": "sorted"}}
    await control.call("complete_task", done, agent=launched["agent_id"])
    over = {"mission_id": launched["mission_id"], "status": "completed", "summary": "all sorted"}
    await control.call("complete_mission", over)
    await control.all_carried_out()

    if spare:
        may_end.touch()
    ended = await control.ended(launched["id"])

    assert ended.status is (S.COMPLETED if spare else S.STOPPED)


async def test_a_mission_that_ended_while_no_daemon_ran_ends_its_agents_at_the_next_start(control: Control):
    app = control.app
    launched = await control.launch("patient")
    await control.until(launched["id"], lambda each: each.progress is not None)
    await app.message_delivery.close()
    await app.launcher.close()
    await control.call("workflow_update_status", {"id": launched["mission_id"], "status": "abandoned"})

    await app.launcher.open()
    await app.message_delivery.open()

    assert (await control.ended(launched["id"])).reason == "stopped because its mission ended"
