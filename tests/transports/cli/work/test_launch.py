"""Launching from the shell: preview, launch, watch, answer, message, stop, replay; and a daemon that dies meanwhile."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from mission.transports.bridge import daemon_process as daemon
from tests.runtime.conftest import STANDIN
from tests.transports.cli.program import PATIENCE, Program
from tests.transports.live_server import until


def call(mission: Program, tool: str, **arguments: Any) -> dict[str, Any]:
    """A tool's answer, without the start of a program."""
    running = mission.running()
    assert running is not None
    return daemon.call_tool(running, tool, arguments)


def new_task(mission: Program, repository: Path) -> str:
    wish = {"name": "Shop", "source_type": "prompt", "source_content": "x", "repository_path": str(repository)}
    workflow = call(mission, "workflow_create", **wish)["id"]
    tasks = [{"name": "Sort the shelves", "description": "Largest first", "sequence": 1}]
    plan = {"summary": "s", "approach": "a", "tasks": tasks}
    call(mission, "workflow_set_plan", id=workflow, plan=plan)
    return str(call(mission, "workflow_get", id=workflow, include_tasks=True)["tasks"][0]["id"])


def launch(mission: Program, task: str, *arguments: str) -> str:
    """A stand-in agent that runs."""
    options = ["--adapter", "command", "--task", task]
    at = arguments.index("--")
    done = mission.run("launch", *options, *arguments[:at], "--", sys.executable, "-u", STANDIN, *arguments[at + 1 :])
    assert done.code == 0, done.err
    return done.out.strip()


def status(mission: Program, execution: str) -> str:
    return str(call(mission, "execution_get", id=execution)["status"])


def test_an_agent_is_launched_watched_answered_and_replayed(mission: Program, repository: Path):
    mission.does("missions")  # starts the daemon
    task = new_task(mission, repository)
    options = ["-a", "command", "-t", task, "--dry-run", "--json"]
    preview = mission.run("launch", *options, "--", sys.executable, "-V").json
    assert preview["argv"][-1] == "-V"
    assert "completed_claim" in preview["prompt"]

    execution = launch(mission, task, "--interactive", "--", "talk")
    until(lambda: status(mission, execution) == "waiting", PATIENCE)
    listed = mission.does("executions")["executions"]
    words = mission.run("executions").out
    item = mission.does("inbox")["items"][0]
    mission.does("answer", item["id"], "to the left")
    watched = mission.run("attach", execution)
    shown = mission.does("executions", execution)

    assert [row["id"] for row in listed] == [execution]
    assert "Waits for you" in words
    assert "Which way?" in words
    assert "Waits for you" in mission.run("executions", execution).out or shown["status"] != "waiting"
    assert "? asks: Which way?" in watched.out
    assert "@task::" not in watched.out + mission.run("replay", execution, "--at-once").out
    assert "typed: to the left" in watched.out
    assert execution in watched.err
    assert [row["type"] for row in shown["observations"]][::-1] == ["needs_input", "progress"]
    assert "Which way?" in mission.run("replay", execution, "--at-once").out
    assert not list((mission.home / "handover").iterdir())


def test_a_daemon_that_is_killed_leaves_its_agents_to_the_next(mission: Program, repository: Path):
    task = new_task(mission, repository)
    execution = launch(mission, task, "--", "patient")
    until(lambda: call(mission, "execution_get", id=execution)["progress"], PATIENCE)
    found = mission.running()
    assert found is not None

    os.kill(found.pid, signal.SIGKILL)
    still = mission.does("executions")["executions"]  # starts the next daemon
    mission.does("message", execution, "well", "done")
    until(lambda: call(mission, "execution_get", id=execution)["messages"][0]["state"] == "delivered", PATIENCE)
    stopped = mission.does("stop", execution)

    assert [(row["id"], row["status"]) for row in still] == [(execution, "running")]
    assert stopped["status"] == "stopped"
    assert call(mission, "task_get", id=task)["status"] == "pending"
    folder = mission.home / "executions" / execution
    assert {path.name.partition(".")[0] for path in folder.iterdir()} == {"transcript"}


def test_refusals_name_what_is_wrong(mission: Program, repository: Path):
    missing = mission.refuses("launch", "-a", "nobody", "-t", "t_0000000000")
    unknown = mission.refuses("launch", "-a", "nobody", "-t", new_task(mission, repository))
    absent = mission.refuses("stop", "x_0000000000")
    nothing = mission.run("replay", "x_0000000000")

    assert missing["code"] == "RESOURCE_NOT_FOUND"
    assert (unknown["code"], "claude-code" in unknown["hint"]) == ("INVALID_INPUT", True)
    assert absent["code"] == "RESOURCE_NOT_FOUND"
    assert (nothing.code, "RESOURCE_NOT_FOUND" in nothing.err) == (1, True)
    assert mission.run("attach", "x_0000000000").code == 1
    names: list[dict[str, Any]] = json.loads(mission.run("adapters", "--json").out)["adapters"]
    assert {row["name"] for row in names} >= {"claude-code", "codex", "command", "pi"}


def test_a_living_agents_question_is_one_word_wherever_it_is_listed(mission: Program, repository: Path, tmp_path: Path):
    mission.does("missions")
    task = new_task(mission, repository)
    execution = launch(mission, task, "--", "linger", str(tmp_path / "never"))
    until(lambda: status(mission, execution) == "waiting", PATIENCE)
    found = call(mission, "execution_get", id=execution)

    assert "Asks you" in mission.run("show", found["mission_id"]).out
    shown = mission.run("show", task).out
    assert "Asks you" in shown
    assert "Question: Which way?" in shown
    [row] = [line for line in mission.run("agents").out.splitlines() if found["agent_id"] in line]
    assert "Waits for you" in row
    [row] = [line for line in mission.run("inbox").out.splitlines() if "Which way?" in line]
    assert "1 task, 1 agent" in row
    mission.does("stop", execution)
    [item] = call(mission, "queue_list", task_id=task)["items"]
    mission.does("dismiss", item["id"])


def test_a_failed_agent_is_listed_and_tried_again_with_a_hint(mission: Program, repository: Path):
    mission.does("missions")
    task = new_task(mission, repository)
    execution = launch(mission, task, "--", "fail", "1")
    until(lambda: status(mission, execution) == "failed", PATIENCE)
    found = call(mission, "execution_get", id=execution)

    assert "Ready · 1 failed attempt" in mission.run("show", found["mission_id"]).out
    shown = mission.run("show", task).out
    assert "recovery: command failed: There is no license key" in shown
    assert "Failure: There is no license key" in shown
    [item] = call(mission, "queue_list", task_id=task)["items"]
    words = mission.run("inbox", item["id"]).out
    assert [label in words for label in ("Retry", "Retry with a hint", "Give to another", "Skip")] == [True] * 4
    mission.does("answer", item["id"], "--choice", "2", "hint: look in the vault")

    def states() -> list[str]:
        return [each["status"] for each in call(mission, "execution_list", task_id=task)["executions"]]

    until(lambda: states() == ["completed", "failed"], PATIENCE)
    assert "Review · 1 failed attempt" in mission.run("show", task).out
