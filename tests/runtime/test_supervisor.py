"""Launching, following, stopping and finding again, with a stand-in agent on a real daemon's inside."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from mission.domain.errors import InvalidInput, InvalidState, MissionError
from mission.domain.execution import ExecutionStatus
from mission.runtime.kept_launch import Kept
from mission.runtime.postman import Postman
from mission.runtime.process import Process, Start
from mission.services.launching import Order
from mission.services.work import Unattended
from tests.runtime.conftest import STANDIN, Control

S = ExecutionStatus


async def test_a_launch_starts_the_task_and_what_the_agent_prints_is_recorded_once(control: Control):
    task = await control.task()

    launched = await control.launch("work", task=task)
    ended = await control.ended(launched["id"])

    assert (launched["status"], launched["task_id"]) == ("running", task)
    assert launched["transport"] == {"selected": "stdout-marker", "degraded": False}
    assert launched["directory"] == str(control.repository)
    assert (ended.status, ended.exit_code, ended.reason) == (S.COMPLETED, 0, None)
    assert (ended.progress or {})["summary"] == "begun"
    kinds = [kind for kind, _ in await control.observations(launched["id"])]
    assert kinds == ["progress", "marker", "completed_claim"]
    assert (await control.call("task_get", {"id": task}))["status"] == "in_progress"  # under review
    assert await control.leaves_nothing(launched["id"])


@pytest.mark.parametrize(
    ("wish", "error", "says"),
    [
        ({"adapter": "chatgpt"}, InvalidInput, "there is no 'chatgpt'"),
        ({"adapter": "command", "arguments": []}, InvalidInput, "needs a program"),
        ({"adapter": "command", "arguments": ["/nowhere/agent"]}, InvalidState, "is not installed"),
        ({"adapter": "pi", "delivery": "mcp-tool"}, InvalidInput, "does not support mcp-tool"),
        ({"adapter": "pi", "interactive": True}, InvalidInput, "without a terminal"),
        ({"adapter": "codex", "interactive": True, "delivery": "stdout-marker"}, InvalidInput, "cannot be read"),
        ({"adapter": "command", "arguments": ["broken"]}, InvalidState, "could not be started"),
        ({"adapter": "command", "arguments": [sys.executable], "handover": "none"}, InvalidInput, "no such file"),
    ],
)
async def test_a_launch_that_cannot_be_says_why_and_leaves_the_task_free(
    control: Control, tmp_path: Path, wish: dict[str, Any], error: type[MissionError], says: str
):
    broken = tmp_path / "broken"
    broken.write_text("#!/nowhere/interpreter\n")
    broken.chmod(0o755)
    wish = {name: [str(broken)] if value == ["broken"] else value for name, value in wish.items()}
    task = await control.task()

    with pytest.raises(error, match=says):
        await control.call("execution_launch", {"task_id": task, **wish})

    found = await control.call("task_get", {"id": task})
    assert (found["status"], found["assigned_agent_id"]) == ("pending", None)
    assert control.app.supervisor.running == 0


async def test_an_agent_gets_its_secrets_and_what_it_needs_and_no_keys_of_others(control: Control, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-not-for-everyone")
    launched = await control.launch("environment", delivery="mcp-tool")
    await control.ended(launched["id"])

    folder = control.app.supervisor.folder(launched["id"])
    text = "".join(json.loads(line)[2] for line in (folder / "transcript.cast").read_text().splitlines()[1:])
    found = json.loads(text)["environment"]
    assert found["OPEN_MISSION_MCP_URL"].endswith(f"/mcp/executions/{launched['id']}")
    assert found["OPEN_MISSION_MCP_TOKEN"]
    assert found["MISSION_TOKEN"] not in ("", found["OPEN_MISSION_MCP_TOKEN"])
    assert "ANTHROPIC_API_KEY" not in found


def test_what_came_from_a_shell_is_missed_by_name_when_a_later_daemon_goes_on():
    kept = Kept(variables=["ANTHROPIC_API_KEY"])
    order = Order(task_id="t_1", adapter="claude-code", resumes="x_1")

    kept.check({"ANTHROPIC_API_KEY": "k"}, order)
    with pytest.raises(InvalidState, match="ANTHROPIC_API_KEY came from a shell"):
        kept.check({"PATH": "/bin"}, order)


async def test_variables_that_a_dead_shell_left_are_removed_and_fresh_ones_stay(control: Control):
    folder = control.app.settings.home / "handover"
    folder.mkdir()
    for name in ("old.json", "new.json"):
        (folder / name).write_text("{}")
    os.utime(folder / "old.json", (0, 0))
    await control.app.supervisor.close()

    await control.app.supervisor.open()

    assert [path.name for path in folder.iterdir()] == ["new.json"]


async def test_a_preview_shows_the_prompt_and_does_nothing(control: Control, tmp_path: Path):
    task = await control.task()
    mission = (await control.call("task_get", {"id": task}))["workflow_id"]
    worktree = {"workflow_id": mission, "task_ids": [task], "path": str(tmp_path / "tree"), "branch": "shelves"}
    await control.call("workspace_create", {**worktree, "create": True})

    seen = await control.call(
        "execution_preview", {"task_id": task, "adapter": "command", "arguments": [sys.executable, "-c", "pass"]}
    )

    assert "Sort the shelves" in seen["prompt"]
    assert "@task::" in seen["prompt"]
    assert (seen["delivery"], seen["directory"]) == ("stdout-marker", str(tmp_path / "tree"))
    assert (await control.call("task_get", {"id": task}))["status"] == "pending"


async def test_an_agent_that_never_answers_is_stopped_and_its_task_is_free(control: Control):
    task = await control.task()
    launched = await control.launch("wait", task=task)
    await control.until(launched["id"], lambda each: each.progress is not None)
    follower = control.app.supervisor.follower(launched["id"])
    assert follower is not None
    follower.process.stop("stopped", grace=0.1)  # sooner than the tool would

    stopped = await control.call("execution_stop", {"id": launched["id"]})

    assert (stopped["status"], stopped["reason"]) == ("stopped", "stopped by the operator")
    assert (await control.call("task_get", {"id": task}))["status"] == "pending"
    assert await control.call("execution_stop", {"id": launched["id"]}) == stopped
    assert await control.leaves_nothing(launched["id"])


async def test_a_time_limit_ends_an_agent(control: Control):
    launched = await control.launch(program=[sys.executable, "-c", "import time; time.sleep(600)"], seconds=0.1)

    ended = await control.ended(launched["id"])

    assert (ended.status, ended.reason) == (S.FAILED, "it ran longer than its time limit and was stopped")


async def test_the_next_daemon_goes_on_with_a_running_agent(control: Control):
    launched = await control.launch("talk", interactive=True)
    await control.until(launched["id"], lambda each: each.status is S.WAITING)
    await control.app.supervisor.close()

    await control.app.supervisor.open()
    follower = control.app.supervisor.follower(launched["id"])
    assert follower is not None
    watcher = follower.screen.join()
    assert "Which way" in (await watcher.next() or "")
    item = (await control.call("queue_list"))["items"][0]
    await control.call("queue_answer", {"id": item["id"], "text": "to the left"})
    ended = await control.ended(launched["id"])

    assert (ended.progress or {})["summary"] == "typed: to the left"
    assert [event for _, event in await control.observations(launched["id"])] == ["q1", "a1"]


async def test_an_answer_launches_an_agent_again_that_ended_with_its_question(control: Control):
    task = await control.task()
    first = await control.launch("talk", task=task)
    ended = await control.ended(first["id"])
    assert (await control.call("task_get", {"id": task}))["status"] == "paused"

    item = (await control.call("queue_list"))["items"][0]
    await control.call("queue_answer", {"id": item["id"], "choice": 1})

    second = await _the_next(control, task, after=ended.id)
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

    second = await _the_next(control, task, after=first["id"])
    done = await control.ended(second.id)
    assert "left" in (done.progress or {})["summary"].lower()


async def test_an_answer_outlives_the_daemon_that_heard_it(control: Control, tmp_path: Path):
    may_end, app = tmp_path / "may-end", control.app
    task = await control.task()
    first = await control.launch("linger", str(may_end), task=task, seconds=900)
    await control.until(first["id"], lambda each: each.status is S.WAITING)
    item = (await control.call("queue_list"))["items"][0]
    await control.call("queue_answer", {"id": item["id"], "choice": 1})
    await _all_heard(control)
    await app.postman.close()
    await app.supervisor.close()

    may_end.touch()
    app.postman = Postman(
        app.supervisor,
        Unattended(app.database),
        app.events,
        host_id=app.settings.host_id,
        mark=app.settings.home / "heard",
    )
    await app.supervisor.open()
    await app.postman.open()

    second = await _the_next(control, task, after=first["id"])
    done = await control.ended(second.id)
    assert "left" in (done.progress or {})["summary"].lower()
    assert app.supervisor.kept(second.id).seconds == 900


async def test_an_agent_that_was_stopped_after_its_answer_stays_stopped(control: Control, tmp_path: Path):
    task = await control.task()
    first = await control.launch("linger", str(tmp_path / "never"), task=task)
    await control.until(first["id"], lambda each: each.status is S.WAITING)
    item = (await control.call("queue_list"))["items"][0]
    await control.call("queue_answer", {"id": item["id"], "choice": 1})

    await control.call("execution_stop", {"id": first["id"]})
    await _all_heard(control)

    assert (await control.app.database.read(_newest, task=task)).id == first["id"]
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
    await _all_heard(control)

    found = await control.call("task_get", {"id": task})
    assert (found["status"], found["assigned_agent_id"]) == ("pending", None)
    told = (await control.call("queue_list"))["items"]
    assert [each["kind"] for each in told] == ["escalation"]
    assert "is not installed" in told[0]["body"]


async def _all_heard(control: Control) -> None:
    """Return once everything that happened so far was heard and dealt with."""
    said = control.app.events.last
    async with asyncio.timeout(60):
        while control.app.postman.heard < said:  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.01)


async def _the_next(control: Control, task: str, *, after: str):
    """The execution of a task that comes after this one."""
    async with asyncio.timeout(60):
        while (newest := await control.app.database.read(_newest, task=task)).id == after:
            await control.app.events.wait(control.app.events.last, seconds=1)
    return newest


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
    follower = control.app.supervisor.follower(launched["id"])
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


async def test_an_agent_is_stopped_when_its_mission_ends(control: Control):
    task = await control.task()
    launched = await control.launch("patient", task=task)
    await control.until(launched["id"], lambda each: each.progress is not None)

    over = {"mission_id": launched["mission_id"], "status": "failed", "summary": "no more"}
    told = await control.call("complete_mission", over)
    ended = await control.ended(launched["id"])

    assert f"execution {launched['id']} still runs and is stopped" in told["warnings"]
    assert (ended.status, ended.reason) == (S.STOPPED, "stopped because its mission ended")
    assert (await control.call("task_get", {"id": task}))["status"] == "skipped"
    assert await control.leaves_nothing(launched["id"])


@pytest.mark.parametrize("spare", [0, 600])
async def test_an_agent_that_ended_its_task_may_say_its_last_words_when_the_mission_ends(
    control: Control, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spare: float
):
    monkeypatch.setattr("mission.runtime.postman.LAST_WORDS_SECONDS", spare)
    may_end = tmp_path / "may-end"
    task = await control.task()
    launched = await control.launch("linger", str(may_end), task=task)
    await control.until(launched["id"], lambda each: each.status is S.WAITING)
    done = {"task_id": task, "status": "success", "outcome": {"summary": "sorted"}}
    await control.call("complete_task", done, agent=launched["agent_id"])
    over = {"mission_id": launched["mission_id"], "status": "completed", "summary": "all sorted"}
    await control.call("complete_mission", over)
    await _all_heard(control)

    if spare:
        may_end.touch()
    ended = await control.ended(launched["id"])

    assert ended.status is (S.COMPLETED if spare else S.STOPPED)


async def test_a_mission_that_ended_while_no_daemon_ran_ends_its_agents_at_the_next_start(control: Control):
    app = control.app
    launched = await control.launch("patient")
    await control.until(launched["id"], lambda each: each.progress is not None)
    await app.postman.close()
    await app.supervisor.close()
    await control.call("workflow_update_status", {"id": launched["mission_id"], "status": "abandoned"})

    await app.supervisor.open()
    await app.postman.open()

    assert (await control.ended(launched["id"])).reason == "stopped because its mission ended"


async def test_what_dies_by_violence_is_marked_lost_and_leaves_nothing(control: Control):
    task = await control.task()
    launched = await control.launch("family", task=task)
    await control.until(launched["id"], lambda each: each.progress is not None)
    state = json.loads((control.app.supervisor.folder(launched["id"]) / "state.json").read_text())

    os.kill(state["runner"], signal.SIGKILL)
    ended = await control.ended(launched["id"])

    assert (ended.status, ended.exit_code) == (S.LOST, None)
    assert (await control.call("task_get", {"id": task}))["status"] == "pending"
    assert await control.leaves_nothing(launched["id"])


async def test_a_launch_whose_access_cannot_be_written_fails_in_plain_words(
    control: Control, monkeypatch: pytest.MonkeyPatch
):
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/somewhere/secret")

    monkeypatch.setattr("mission.runtime.supervisor._write_files", full)
    task = await control.task()

    with pytest.raises(InvalidState, match=r"could not be prepared: No space left on device$"):
        await control.launch("work", task=task, delivery="mcp-tool")

    execution = await control.app.database.read(_newest, task=task)
    assert execution.status is S.FAILED
    assert execution.reason == "not launched: the launch could not be prepared: No space left on device"
    assert (await control.call("task_get", {"id": task}))["status"] == "pending"


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
    with pytest.raises(InvalidState, match="could not be started: its runner ended"):
        await control.launch("family", task=task)

    execution = await control.app.database.read(_newest, task=task)
    ended = await control.ended(execution.id)
    assert ended.status in (S.FAILED, S.LOST)  # by whoever saw it first: the launch, or whoever follows it
    assert (await control.call("task_get", {"id": task}))["status"] == "pending"
    assert await control.leaves_nothing(execution.id)


class Crash(BaseException):
    """The daemon is gone from one moment to the next."""


@pytest.mark.parametrize(
    "step",
    [
        "mission.runtime.supervisor.Supervisor._session",
        "mission.runtime.supervisor._write_files",
        "mission.runtime.process._log",
        "mission.runtime.supervisor.Supervisor._follow",
        "mission.runtime.process.Process.begun",
        "mission.gateway.call.Call.write",
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
    await control.app.supervisor.close()

    await control.app.supervisor.open()

    execution = await control.app.database.read(_newest, task=task)
    ended = await control.ended(execution.id)
    kinds = [kind for kind, _ in await control.observations(ended.id)]
    status = (await control.call("task_get", {"id": task}))["status"]
    ran = ended.status is S.COMPLETED  # a runner that had its plan when the daemon died goes on, any other never begins
    assert ran or (ended.status, ended.reason) == (S.LOST, "the daemon died before its program was started")
    assert (kinds, status) == ((["progress", "marker", "completed_claim"], "in_progress") if ran else ([], "pending"))
    assert ran or not step.endswith("Call.write")
    assert await control.leaves_nothing(ended.id)


def _newest(tx: Any, *, task: str) -> Any:
    return tx.executions.newest_of_task(task)


async def test_a_client_that_cannot_reach_its_signals_fails_instead_of_going_on_without(
    control: Control, tmp_path: Path
):
    event = {"type": "system", "subtype": "init", "session_id": "s", "mcp_servers": [{"name": "open-mission-mcp"}]}
    event["mcp_servers"][0]["status"] = "failed"
    handover = _pretend(control, tmp_path / "claude", f"echo '{json.dumps(event)}'\nexec sleep 600\n")
    task = await control.task()

    wish = {"task_id": task, "adapter": "claude-code", "handover": handover.name}
    launched = await control.call("execution_launch", wish)
    ended = await control.ended(launched["id"])

    assert launched["transport"]["selected"] == "mcp-tool"
    assert ended.status is S.FAILED
    assert "could not reach open-mission-mcp" in (ended.reason or "")
    assert [kind for kind, _ in await control.observations(ended.id)] == ["mcp-server-failed"]
    assert (await control.call("task_get", {"id": task}))["status"] == "pending"
    assert not handover.exists()
    assert await control.leaves_nothing(ended.id)


@pytest.mark.parametrize(("comes", "status"), [(False, S.FAILED), (True, S.COMPLETED)])
async def test_a_client_that_says_nothing_of_its_servers_is_known_by_never_coming(
    control: Control, tmp_path: Path, comes: bool, status: ExecutionStatus
):
    may_end = tmp_path / "may-end"
    handover = _pretend(control, tmp_path / "gemini", f"while [ ! -e {may_end} ]; do sleep 0.05; done\n")
    wish = {"task_id": await control.task(), "adapter": "gemini-cli", "handover": handover.name}
    launched = await control.call("execution_launch", wish)
    if comes:
        control.app.supervisor.connected(launched["id"])

    may_end.touch()
    ended = await control.ended(launched["id"])

    assert (ended.status, ended.exit_code) == (status, 0)
    assert ended.reason == (None if comes else "it never connected to open-mission-mcp")
    kinds = [kind for kind, _ in await control.observations(ended.id)]
    assert kinds == ([] if comes else ["mcp-not-connected"])


async def test_an_agent_that_has_not_come_to_its_tools_is_told_of_while_it_runs(
    control: Control, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("mission.runtime.follower.CONNECT_SECONDS", 0.01)
    launched = await control.launch("patient", delivery="mcp-tool")

    async with asyncio.timeout(60):
        while not (seen := await control.observations(launched["id"])):
            await control.app.events.wait(control.app.events.last, seconds=1)

    assert seen == [("mcp-not-connected", "not-connected")]
    assert (await control.execution(launched["id"])).is_live


def _pretend(control: Control, program: Path, script: str) -> Path:
    """A program under a client's name; what the launch is given so that it is found first."""
    program.write_text(f"#!/bin/sh\n{script}")
    program.chmod(0o755)
    handover = control.app.settings.home / "handover" / "h"
    handover.parent.mkdir()
    handover.write_text(json.dumps({"PATH": f"{program.parent}:{os.environ['PATH']}"}))
    return handover


async def test_an_execution_that_prints_its_signals_has_no_mcp_access(control: Control):
    launched = await control.launch("environment")
    ended = await control.ended(launched["id"])

    assert ended.token_hash is None
    assert "mcp" not in ended.protocol
    assert {tuple(signal["deliveries"]) for signal in ended.protocol["signals"]} == {("stdout-marker",)}
