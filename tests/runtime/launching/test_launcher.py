"""Launching and stopping, with a stand-in agent on a real daemon's inside."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from mission.domain.errors import InvalidInput, InvalidState, MissionError
from mission.domain.executions.execution import ExecutionStatus
from mission.runtime.running.runner_process import Process, Start
from tests.runtime.conftest import Control

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


async def test_a_launcher_that_closes_waits_for_a_launch_that_has_begun(control: Control, monkeypatch):
    """Otherwise its program would start afterwards, and nobody would follow it."""
    task = await control.task()
    begun, start = asyncio.Event(), Process.start
    closing: list[asyncio.Task[None]] = []

    async def close_in_between(self: Process, plan: Start) -> None:
        closing.append(asyncio.create_task(control.app.launcher.close()))
        begun.set()
        await start(self, plan)

    monkeypatch.setattr(Process, "start", close_in_between)
    launching = asyncio.create_task(control.launch("hang", task=task))
    await begun.wait()
    await closing[0]

    assert control.app.launcher._launching == set()
    launched = await launching
    assert control.app.launcher.running == 0
    monkeypatch.undo()
    await control.app.launcher.open()
    await control.app.launcher.stop(launched["id"])


@pytest.mark.parametrize(
    ("wish", "error", "says"),
    [
        ({"adapter": "chatgpt"}, InvalidInput, "unknown adapter 'chatgpt'"),
        ({"adapter": "command", "arguments": []}, InvalidInput, "requires a program"),
        ({"adapter": "command", "arguments": ["/nowhere/agent"]}, InvalidState, "not executable"),
        ({"adapter": "pi", "delivery": "mcp-tool"}, InvalidInput, "does not support mcp-tool"),
        ({"adapter": "pi", "interactive": True}, InvalidInput, "cannot run in a terminal"),
        (
            {"adapter": "codex", "interactive": True, "delivery": "stdout-marker"},
            InvalidInput,
            "does not support markers",
        ),
        ({"adapter": "command", "arguments": ["broken"]}, InvalidState, "could not start"),
        ({"adapter": "command", "arguments": [sys.executable], "handover": "none"}, InvalidInput, "file not found"),
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
    assert control.app.launcher.running == 0


async def test_an_agent_gets_its_secrets_and_what_it_needs_and_no_keys_of_others(control: Control, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-not-for-everyone")
    launched = await control.launch("environment", delivery="mcp-tool")
    await control.ended(launched["id"])

    folder = control.app.launcher.folder(launched["id"])
    text = "".join(json.loads(line)[2] for line in (folder / "transcript.cast").read_text().splitlines()[1:])
    found = json.loads(text)["environment"]
    assert found["OPEN_MISSION_MCP_URL"].endswith(f"/mcp/executions/{launched['id']}")
    assert found["OPEN_MISSION_MCP_TOKEN"]
    assert found["MISSION_TOKEN"] not in ("", found["OPEN_MISSION_MCP_TOKEN"])
    assert "ANTHROPIC_API_KEY" not in found


async def test_a_preview_shows_the_prompt_and_does_nothing(control: Control, tmp_path: Path):
    task = await control.task()
    mission = (await control.call("task_get", {"id": task}))["workflow_id"]
    worktree = {"workflow_id": mission, "task_ids": [task], "path": str(tmp_path / "tree"), "branch": "shelves"}
    await control.call("workspace_create", {**worktree, "create": True})
    shutil.rmtree(tmp_path / "tree")  # a launch would make it anew

    seen = await control.call(
        "execution_preview", {"task_id": task, "adapter": "command", "arguments": [sys.executable, "-c", "pass"]}
    )

    assert "Sort the shelves" in seen["prompt"]
    assert "@task::" in seen["prompt"]
    assert '"next_step": "Follow its description, then call complete_task."' in seen["prompt"]
    assert (seen["delivery"], seen["directory"]) == ("stdout-marker", str(tmp_path / "tree"))
    assert (await control.call("task_get", {"id": task}))["status"] == "pending"


async def test_an_agent_that_never_answers_is_stopped_and_its_task_is_free(control: Control):
    task = await control.task()
    launched = await control.launch("wait", task=task)
    await control.until(launched["id"], lambda each: each.progress is not None)
    follower = control.app.launcher.follower(launched["id"])
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

    assert (ended.status, ended.reason) == (S.FAILED, "stopped: it exceeded its time limit")


async def test_a_launch_whose_access_cannot_be_written_fails_in_plain_words(
    control: Control, monkeypatch: pytest.MonkeyPatch
):
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/somewhere/secret")

    monkeypatch.setattr("mission.runtime.launching.preparation.write", full)
    task = await control.task()

    with pytest.raises(InvalidState, match=r"could not prepare the launch: No space left on device$"):
        await control.launch("work", task=task, delivery="mcp-tool")

    execution = await control.newest(task)
    assert execution.status is S.FAILED
    assert execution.reason == "not launched: could not prepare the launch: No space left on device"
    assert (await control.call("task_get", {"id": task}))["status"] == "pending"


async def test_an_execution_that_prints_its_signals_has_no_mcp_access(control: Control):
    launched = await control.launch("environment")
    ended = await control.ended(launched["id"])

    assert ended.token_hash is None
    assert "mcp" not in ended.protocol
    assert {tuple(signal["deliveries"]) for signal in ended.protocol["signals"]} == {("stdout-marker",)}
