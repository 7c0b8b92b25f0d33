"""What dies, and when: the next daemon goes on with what runs, and the record of everything else is true."""

from __future__ import annotations

import json
import os
import signal
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mission.app import App
from mission.domain.errors import InvalidState, MissionError
from mission.domain.executions.execution import ExecutionStatus
from mission.domain.executions.signals import Delivery
from mission.runtime.launching import launcher
from mission.runtime.runner import process_group
from mission.runtime.running.runner_process import Process, Start
from mission.services.executions import creation
from mission.services.executions.creation import NewExecution
from mission.services.work import BackgroundWork
from mission.settings import Settings
from mission.store.backends.file_locks import FileLock
from tests.runtime.conftest import Control

S = ExecutionStatus


async def test_the_next_daemon_goes_on_with_a_running_agent(control: Control):
    launched = await control.launch("talk", interactive=True)
    await control.until(launched["id"], lambda each: each.status is S.WAITING)
    await control.app.launcher.close()

    await control.app.launcher.open()
    follower = control.app.launcher.follower(launched["id"])
    assert follower is not None
    watcher = follower.screen.join()
    assert "Which way" in (await watcher.next() or "")
    item = (await control.call("queue_list"))["items"][0]
    await control.call("queue_answer", {"id": item["id"], "text": "to the left"})
    ended = await control.ended(launched["id"])

    assert (ended.progress or {})["summary"] == "typed: to the left"
    assert [event for _, event in await control.observations(launched["id"])] == ["q1", "a1"]


async def test_what_dies_by_violence_is_marked_lost_and_leaves_nothing(control: Control):
    task = await control.task()
    launched = await control.launch("family", task=task)
    await control.until(launched["id"], lambda each: each.progress is not None)
    state = json.loads((control.app.launcher.folder(launched["id"]) / "state.json").read_text())

    os.kill(state["runner"], signal.SIGKILL)
    ended = await control.ended(launched["id"])

    assert (ended.status, ended.exit_code) == (S.LOST, None)
    assert (await control.call("task_get", {"id": task}))["status"] == "pending"
    assert await control.leaves_nothing(launched["id"])


async def test_a_runner_that_is_killed_before_anybody_reached_it_fails_the_launch_and_leaves_nothing(
    control: Control, monkeypatch: pytest.MonkeyPatch
):
    task = await control.task()
    start = Process.start

    async def start_and_kill(process: Process, what: Start) -> None:
        await start(process, what)
        assert process._runner is not None
        process._runner.kill()

    monkeypatch.setattr(Process, "start", start_and_kill)
    with pytest.raises(InvalidState, match="could not start the program: its runner ended"):
        await control.launch("family", task=task)

    execution = await control.newest(task)
    ended = await control.ended(execution.id)
    assert ended.status in (S.FAILED, S.LOST)  # by whoever saw it first: the launch, or whoever follows it
    assert (await control.call("task_get", {"id": task}))["status"] == "pending"
    assert await control.leaves_nothing(execution.id)


class Crash(BaseException):
    """The daemon is gone from one moment to the next."""


@pytest.mark.parametrize(
    "step",
    [
        "mission.runtime.launching.launcher.AgentLauncher._session",
        "mission.runtime.launching.preparation.write",
        "mission.runtime.running.runner_process._log",
        "mission.runtime.launching.launcher.AgentLauncher._follow",
        "mission.runtime.running.runner_process.Process.begun",
        "mission.gateway.call.Call.finish",
    ],
)
async def test_a_crash_at_any_step_of_a_launch_leaves_a_true_record_and_nothing_else(
    control: Control, monkeypatch: pytest.MonkeyPatch, step: str
):
    task = await control.task()

    def crash(*_: Any, **__: Any) -> None:
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(step, crash)
        with pytest.raises((Crash, MissionError)):
            await control.launch("work", task=task)
    await control.app.launcher.close()

    await control.app.launcher.open()

    execution = await control.newest(task)
    ended = await control.ended(execution.id)
    kinds = [kind for kind, _ in await control.observations(ended.id)]
    status = (await control.call("task_get", {"id": task}))["status"]
    ran = ended.status is S.COMPLETED  # a runner that had its plan when the daemon died goes on, any other never begins
    assert ran or (ended.status, ended.reason) == (S.LOST, "the daemon died before its program was started")
    assert (kinds, status) == ((["progress", "marker", "completed_claim"], "in_progress") if ran else ([], "pending"))
    assert ran or not step.endswith("Call.finish")
    assert await control.leaves_nothing(ended.id)


@pytest.mark.parametrize("leaves", ["checkpoint", "progress"])
async def test_after_kill_9_the_next_owner_learns_who_had_the_task_and_the_step_it_left(
    either_control: Control, leaves: str
):
    control = either_control
    task = await control.task()
    launched = await control.launch("patient", task=task)
    await control.until(launched["id"], lambda each: each.progress is not None)
    dead = launched["agent_id"]
    if leaves == "checkpoint":
        note = {"task_id": task, "type": "progress", "summary": "Half done", "detail": {"next_step": "Fix the lexer"}}
        await control.call("checkpoint_add", {**note, "agent_id": dead})
    for pid in process_group.members(launched["id"], group=None):
        with suppress(ProcessLookupError):  # one may end because another was killed
            os.kill(pid, signal.SIGKILL)
    await control.ended(launched["id"])

    bob = (await control.call("agent_register", {"name": "bob", "runtime": "custom"}))["id"]
    taken = await control.call("task_claim", {"task_id": task, "agent_id": bob})
    context = await control.call("task_load_context", {"task_id": task})

    assert taken["recovery"]["previous_owner"] == dead
    assert taken["recovery"]["checkpoints"][-1]["author"] == "system"
    step = (
        f'Next: "Fix the lexer" (says {dead}).'
        if leaves == "checkpoint"
        else f'Continue after: "waiting" (says {dead}).'
    )
    assert context["next_step"] == f"Start it with start_task. {step}"


async def test_another_daemon_on_the_host_follows_an_agent_only_once_its_own_daemon_is_gone(
    postgres_settings: Settings, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(launcher, "LOOK_SECONDS", 0.05)
    other = replace(postgres_settings, home=tmp_path / "other-home")
    first, second = App(postgres_settings, role="one"), App(other, role="two")
    its_lock = FileLock(postgres_settings.home / "daemon.lock")
    its_lock.acquire()
    async with second.running(periodic=True):
        async with first.running(periodic=True):
            control = Control(first, repository)
            launched = await control.launch("talk", interactive=True)
            await control.until(launched["id"], lambda each: each.status is S.WAITING)
            its_lock.close()
            await Control(second, repository).task()  # it has looked around, and the first one still follows it
            assert second.launcher.follower(launched["id"]) is None
        control = Control(second, repository)
        item = (await control.call("queue_list"))["items"][0]
        await control.call("queue_answer", {"id": item["id"], "text": "to the left"})
        ended = await control.ended(launched["id"])
        observed = await control.observations(launched["id"])

    assert (ended.progress or {})["summary"] == "typed: to the left"
    assert [event for _, event in observed] == ["q1", "a1"]


async def test_a_launch_of_another_daemon_that_has_just_begun_is_not_taken_for_lost(
    postgres_settings: Settings, repository: Path, tmp_path: Path
):
    first, second = App(postgres_settings, role="one"), App(replace(postgres_settings, home=tmp_path / "b"), role="two")
    async with first.running(periodic=True):
        control = Control(first, repository)
        wish = NewExecution(
            task_id=await control.task(),
            adapter="command",
            runtime="custom",
            delivery=Delivery.STDOUT_MARKER,
            files=str(first.launcher.preparer.folders),
        )
        liveness = first.gateway._ports.liveness
        begun = await creation.create(BackgroundWork(first.database), first.trees, launch=wish, liveness=liveness)
        async with second.running(periodic=True):
            assert (await control.execution(begun.execution.id)).status is S.STARTING
