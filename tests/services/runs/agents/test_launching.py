"""Launches of a run: in the task's worktree, with a shell's variables, and only as the run wants them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from mission.domain.errors import InvalidState, MissionError
from mission.domain.runs.steps import Launch
from mission.services.launcher import LaunchRequest
from mission.services.runs.agents import launching
from mission.services.work import Work
from mission.settings import Settings
from tests.driven_runs import does, driven
from tests.fake_executions import FakeExecutions
from tests.services.conftest import fake_executions as fake_executions
from tests.started_runs import StartedRuns, task
from tests.started_runs import runs as runs

CLAUDE = f"""#!{sys.executable}
import json, os
from pathlib import Path
Path("key.txt").write_text(os.environ.get("ANTHROPIC_API_KEY", "none"))
signal = {{"version": 1, "agentExecutionId": os.environ["OPEN_MISSION_AGENT_EXECUTION_ID"], "eventId": "1"}}
text = "@task::" + json.dumps({{**signal, "signal": {{"type": "completed_claim", "summary": "done"}}}}) + "\\n"
denied = [{{"tool_name": "Bash", "tool_input": {{"command": "curl example.org"}}}}]
print(json.dumps({{"type": "assistant", "message": {{"content": [{{"type": "text", "text": text}}]}}}}))
print(json.dumps({{"type": "result", "total_cost_usd": 0.5, "permission_denials": denied}}), flush=True)
"""


async def test_after_a_restart_a_client_gets_its_variables_again_from_a_shell(
    settings: Settings, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    (tmp_path / "claude").write_text(CLAUDE)
    (tmp_path / "claude").chmod(0o755)
    shell = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path), "ANTHROPIC_API_KEY": "sk-of-the-shell"}
    agents = [{"client": "claude-code", "delivery": "stdout-marker"}]
    async with driven(settings, repository) as first:
        await first.start(does("one", "nothing"), agents=agents, handover=first.hand_over(shell))
        await first.call("run_pause", {"run_id": first.id})
    async with driven(settings, repository) as second:
        second.id, second.mission_id = first.id, first.mission_id
        await second.call("run_resume", {"run_id": second.id})
        question = await second.question("claude-code cannot be launched")
        assert f"mission resume {second.id}" in question["body"]
        assert len((await second.get())["questions"]) == 1

        await second.call("run_resume", {"run_id": second.id, "handover": second.hand_over(shell)})
        found = await second.finished()

    assert second.files(found["branch"])["key.txt"] == "sk-of-the-shell"
    assert found["questions"] == []
    assert found["tasks"][0]["denied"] == [{"tool": "Bash", "detail": '{"command": "curl example.org"}'}]
    assert found["spent"]["usd"] == 0.5
    assert list((settings.home / "handover").iterdir()) == []


async def test_a_session_is_resumed_only_where_folder_and_branch_are_as_they_were(
    runs: StartedRuns, fake_executions: FakeExecutions, monkeypatch: pytest.MonkeyPatch
):
    await runs.running()
    task_id = (await runs.tasks())["one"].id
    made = await fake_executions.launch(task_id)
    await fake_executions.start(made.execution.id)
    await fake_executions.end(made.execution.id, "failed")
    tree, branch = Path(made.execution.directory), (await runs.run()).task_branch(task_id)
    orders: list[LaunchRequest] = []

    async def launch(_work: Work, order: LaunchRequest) -> None:
        orders.append(order)

    monkeypatch.setattr(runs.context.launcher, "launch", launch)

    async def is_resumed() -> bool:
        step = Launch(task_id=task_id, agent=0, resumes=made.execution.id, fresh=False)
        await launching.launch(runs.context, await runs.run(), step)
        assert orders[-1].resumes == made.execution.id
        return not orders[-1].fresh

    assert runs.git("branch", "--show-current", folder=tree) == branch
    assert await is_resumed()
    runs.git("switch", "-qc", "of-the-agent", folder=tree)
    assert not await is_resumed()
    runs.git("switch", "-q", "--detach", branch, folder=tree)
    assert not await is_resumed()
    runs.git("switch", "-q", branch, folder=tree)
    assert await is_resumed()

    tree.rename(tree.with_name("moved"))
    assert not await is_resumed()


async def test_a_launch_is_refused_if_the_budget_was_spent_since_it_was_decided(
    runs: StartedRuns, fake_executions: FakeExecutions
):
    await runs.running(task("one"), task("two"), budget={"launches": 1})
    tasks, run = await runs.tasks(), await runs.run()
    await fake_executions.launch(tasks["one"].id, run_id=run.id, run_fence=run.fence)

    with pytest.raises(InvalidState, match="has spent its budget"):
        await fake_executions.launch(tasks["two"].id, run_id=run.id, run_fence=run.fence)


async def test_in_a_run_only_the_run_launches(settings: Settings, repository: Path):
    async with driven(settings, repository) as run:
        await run.start(does("one", "hang"), does("two", "write two.txt x", depends_on=["one"]))
        found = await run.until(lambda seen: seen["tasks"][0]["stage"] == "working")

        for task in found["tasks"]:
            wish = {"task_id": task["task_id"], "adapter": "command", "arguments": ["/bin/true"]}
            with pytest.raises(InvalidState, match=f"part of run {run.id}"):
                await run.call("execution_launch", wish)
        await run.call("run_stop", {"run_id": run.id})

        wish = {"task_id": found["tasks"][0]["task_id"], "adapter": "command", "arguments": ["/bin/true"]}
        assert (await run.call("execution_launch", wish))["task_id"] == wish["task_id"]


async def test_an_agent_that_nobody_launched_takes_a_task_and_passes_the_same_gate(
    settings: Settings, repository: Path
):
    async with driven(settings, repository) as run:
        agents = [{"client": "pi"}]  # not installed: the run itself can do nothing
        await run.start(does("one", "by hand"), agents=agents, checks=["test ! -e bad.txt"])
        await run.answer(await run.question("Before the first launch"), "Go")
        found = await run.until(lambda seen: seen["state"] == "running")
        task_id = found["tasks"][0]["task_id"]
        ada = (await run.call("agent_register", {"name": "ada", "runtime": "codex"}))["id"]

        await run.call("start_task", {"mission_id": run.mission_id, "task_id": task_id, "agent_id": ada})
        tree = Path(await run.app.database.read(lambda tx: tx.tasks.get(task_id).tree))
        assert tree != repository
        assert run.git("-C", str(tree), "rev-parse", "HEAD") == found["tip"]
        seen = await run.until(lambda seen: seen["tasks"][0]["stage"] == "working")
        assert ada in seen["tasks"][0]["reason"]
        report = {"task_id": task_id, "status": "success", "outcome": {"summary": "done"}, "agent_id": ada}
        (tree / "bad.txt").write_text("x")
        with pytest.raises(MissionError, match="failed"):
            await run.call("complete_task", report)
        (tree / "bad.txt").rename(tree / "good.txt")
        await run.call("complete_task", report)
        found = await run.finished()

    assert found["tasks"][0]["proof_state"] == "proved"
    assert "good.txt" in run.files(found["branch"])


async def test_added_tasks_join_and_skipping_one_stops_its_agent_and_withdraws_its_result(
    settings: Settings, repository: Path
):
    async with driven(settings, repository) as run:
        await run.start(does("one", "hang"), does("two", "write two.txt x", depends_on=["one"]), checks=["sleep 0.1"])
        found = await run.until(lambda seen: seen["tasks"][0]["stage"] == "working")
        new = {"name": "three", "description": "DO write three.txt y", "sequence": 3}
        await run.call("workflow_add_tasks", {"workflow_id": run.mission_id, "tasks": [new]})
        await run.until(lambda seen: [task["stage"] for task in seen["tasks"] if task["name"] == "three"] == ["merged"])

        await run.call("task_update_status", {"id": found["tasks"][0]["task_id"], "status": "skipped"})
        found = await run.finished()

        stages = {task["name"]: task["stage"] for task in found["tasks"]}
        assert stages == {"one": "skipped", "two": "merged", "three": "merged"}
        live = await run.call("overview_executions", {"status": ["running", "starting"]})
        assert live["executions"] == []


async def test_going_ahead_without_a_required_check_merges_unproved(settings: Settings, repository: Path):
    async with driven(settings, repository) as run:
        await run.start(does("one", "write one.txt x"), checks=[])
        question = await run.question("no required check")
        assert (await run.get())["state"] == "ready"
        assert [each["value"] for each in question["choices"]] == ["go", "stop"]

        await run.answer(question, "Go")
        found = await run.finished()

    assert (found["tasks"][0]["stage"], found["tasks"][0]["proof_state"]) == ("merged", "unproved")
