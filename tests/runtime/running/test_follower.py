"""What is recorded of a running program: everything it signals, and that it cannot reach its tools or never came."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from mission.domain.errors import StorageFull
from mission.domain.executions.execution import ExecutionStatus
from tests.runtime.conftest import Control

S = ExecutionStatus


async def test_signals_that_threads_write_at_once_are_all_recorded_and_come_page_by_page(control: Control):
    launched = await control.launch("chorus", interactive=True)
    await control.ended(launched["id"])

    seen: list[str] = []
    asked: dict[str, Any] = {"execution_id": launched["id"]}
    while True:
        page = await control.call("execution_observations", asked)
        seen += [each["event_id"] for each in page["observations"]]
        if page["next_cursor"] is None:
            break
        asked["cursor"] = page["next_cursor"]

    assert sorted(seen) == sorted(f"{voice}.{number}" for voice in range(8) for number in range(20))


async def test_nothing_that_is_said_while_the_disk_is_full_is_lost(
    control: Control, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("mission.runtime.running.durable_write.AGAIN_SECONDS", 0.01)
    may_begin, refused = tmp_path / "may-begin", 0
    launched = await control.launch("late", str(may_begin))
    follower = control.app.launcher.follower(launched["id"])
    assert follower is not None

    async def refuse(*_: Any, **__: Any) -> None:
        nonlocal refused
        refused += 1
        raise StorageFull

    with monkeypatch.context() as full:
        full.setattr(control.app.database, "write", refuse)
        may_begin.touch()
        async with asyncio.timeout(60):
            while refused < 5:  # noqa: ASYNC110 - it tells nobody
                await asyncio.sleep(0.01)
    ended = await control.ended(launched["id"])

    assert (ended.status, ended.exit_code) == (S.COMPLETED, 0)
    kinds = [kind for kind, _ in await control.observations(ended.id)]
    assert kinds == ["progress", "marker", "completed_claim"]


async def test_a_client_that_cannot_reach_its_signals_fails_instead_of_going_on_without(
    control: Control, tmp_path: Path
):
    event = {"type": "system", "subtype": "init", "session_id": "s", "mcp_servers": [{"name": "open-mission-mcp"}]}
    event["mcp_servers"][0]["status"] = "failed"
    handover = control.pretend(tmp_path / "claude", f"echo '{json.dumps(event)}'\nexec sleep 600\n")
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


async def test_an_open_tool_call_of_a_client_is_known_until_it_ends_also_to_the_next_daemon(
    control: Control, tmp_path: Path
):
    def event(author: str, **block: str) -> str:
        return json.dumps({"type": author, "message": {"content": [block]}})

    may_end = tmp_path / "may-end"
    script = (
        f"echo '{event('assistant', type='tool_use', id='toolu_1', name='Bash')}'\n"
        f"while [ ! -e {may_end} ]; do sleep 0.05; done\n"
        f"echo '{event('user', type='tool_result', tool_use_id='toolu_1')}'\nexec sleep 600\n"
    )
    handover = control.pretend(tmp_path / "claude", script)
    wish = {"task_id": await control.task(), "adapter": "claude-code", "delivery": "stdout-marker"}
    launched = await control.call("execution_launch", {**wish, "handover": handover.name})
    launcher = control.app.launcher

    async def until_in_tool(wanted: bool) -> None:
        async with asyncio.timeout(60):
            while (launcher.in_tool_since(launched["id"]) is not None) is not wanted:  # noqa: ASYNC110 - it tells nobody
                await asyncio.sleep(0.01)

    await until_in_tool(True)
    await launcher.close()
    assert launcher.in_tool_since(launched["id"]) is None
    await launcher.open()
    assert launcher.in_tool_since(launched["id"]) is not None

    may_end.touch()
    await until_in_tool(False)
    await control.call("execution_stop", {"id": launched["id"]})


@pytest.mark.parametrize(("comes", "status"), [(False, S.FAILED), (True, S.COMPLETED)])
async def test_a_client_that_says_nothing_of_its_servers_is_known_by_never_coming(
    control: Control, tmp_path: Path, comes: bool, status: ExecutionStatus
):
    may_end = tmp_path / "may-end"
    handover = control.pretend(tmp_path / "gemini", f"while [ ! -e {may_end} ]; do sleep 0.05; done\n")
    wish = {"task_id": await control.task(), "adapter": "gemini-cli", "handover": handover.name}
    launched = await control.call("execution_launch", wish)
    if comes:
        control.app.launcher.connected(launched["id"])

    may_end.touch()
    ended = await control.ended(launched["id"])

    assert (ended.status, ended.exit_code) == (status, 0)
    assert ended.reason == (None if comes else "it never connected to open-mission-mcp")
    kinds = [kind for kind, _ in await control.observations(ended.id)]
    assert kinds == ([] if comes else ["mcp-not-connected"])


async def test_an_agent_that_has_not_come_to_its_tools_is_told_of_while_it_runs(
    control: Control, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("mission.runtime.running.follower.CONNECT_SECONDS", 0.01)
    launched = await control.launch("patient", delivery="mcp-tool")

    async with asyncio.timeout(60):
        while not (seen := await control.observations(launched["id"])):
            await control.app.events.wait(control.app.events.last, seconds=1)

    assert seen == [("mcp-not-connected", "not-connected")]
    assert (await control.execution(launched["id"])).is_live
