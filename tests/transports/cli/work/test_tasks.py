"""`mission show` and `mission tasks`: every task, in the order of the plan."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.transports.cli.program import Program
from tests.transports.live_server import until

MANY = 450
"""More than two pages of every list that is read behind the scenes."""


def plan(mission: Program, tasks: list[dict[str, Any]], **more: Any) -> str:
    made = mission.call("workflow_create", name="Wide", source_type="prompt", source_content="c", **more)["id"]
    document = {"id": made, "plan": {"summary": "s", "approach": "a", "tasks": tasks}}
    done = mission.run("call", "workflow_set_plan", "-", stdin=json.dumps(document))
    assert done.code == 0, done.err
    return str(made)


def step(number: int, *, phases: int) -> dict[str, Any]:
    """Tasks of later phases come first in what is sent: the plan's order is that of its phases."""
    return {"name": f"step {number:03}", "description": "d", "sequence": phases - number % phases, "depends_on": []}


@pytest.fixture(scope="module")
def wide(mission: Program) -> str:
    return plan(mission, [step(number, phases=3) for number in range(MANY)], max_parallel_tasks=5)


def in_plan() -> list[tuple[int, str]]:
    steps = [step(number, phases=3) for number in range(MANY)]
    return [(each["sequence"], each["name"]) for each in sorted(steps, key=lambda each: each["sequence"])]


def test_a_mission_is_shown_with_every_task_in_the_order_of_its_plan(mission: Program, wide: str) -> None:
    found = mission.does("show", wide)["tasks"]
    lines = [line.split() for line in mission.run("show", wide).out.splitlines() if line.startswith("t_")]

    assert [(row["phase"], row["name"]) for row in found] == in_plan()
    assert [(int(phase), f"{word} {number}") for _, phase, word, number, *_ in lines] == in_plan()
    assert {row["state"] for row in found} == {"ready"}


def test_tasks_are_listed_by_their_state_with_their_owner_and_say_what_is_cut(mission: Program, wide: str) -> None:
    agent = mission.call("agent_register", name="ada", runtime="codex")["id"]
    claimed = mission.call("task_claim_next", workflow_id=wide, agent_id=agent)["task"]
    mission.call("task_update_status", id=claimed["id"], status="in_progress", agent_id=agent)

    some = mission.run("tasks", wide)
    everything = mission.does("tasks", wide, "--all")
    working = mission.does("tasks", wide, "--status", "working")

    assert some.out.splitlines()[0] == f"Wide · {wide}"
    assert sum(line.startswith("t_") for line in some.out.splitlines()) == 50
    assert some.out.splitlines()[-1] == f"… {MANY - 50} more; use --all to show every task"
    assert (len(everything["tasks"]), everything["total"]) == (MANY, MANY)
    assert [(row["phase"], row["name"]) for row in everything["tasks"]] == in_plan()
    assert working["total"] == 1
    (row,) = working["tasks"]
    assert (row["id"], row["agent"], row["agent_id"]) == (claimed["id"], "ada", agent)
    assert (row["mission_id"], row["mission_name"]) == (wide, "Wide")
    words = mission.run("tasks", wide, "--status", "working").out
    assert words.splitlines()[-1].split()[-2:] == ["Working", "ada"]
    assert "Working" in words
    assert "more:" not in words
    assert "No matching tasks." in mission.run("tasks", wide, "--status", "failed").out


def test_a_narrow_terminal_leaves_out_columns_and_then_shows_tasks_one_below_the_other(
    mission: Program, wide: str
) -> None:
    narrow = Program(mission.home, COLUMNS="40").run("tasks", wide, "--limit", "2")
    narrower = Program(mission.home, COLUMNS="20").run("tasks", wide, "--limit", "2")

    assert max(map(len, narrow.out.splitlines())) <= 40
    assert narrow.out.splitlines()[1].split()[:3] == ["TASK", "NAME", "STATE"]
    assert narrower.out.count("STATE") == 2


def test_without_a_mission_the_one_of_this_repository_is_meant_or_else_all(
    fresh: Program, repository: Path, tmp_path: Path
) -> None:
    first = plan(fresh, [step(0, phases=1)])
    here = plan(fresh, [step(1, phases=1)], repository_path=str(repository))

    inside = fresh.does("tasks", folder=repository / "src")
    outside = fresh.does("tasks", folder=tmp_path)
    table = fresh.run("tasks", folder=tmp_path).out

    assert [row["mission_id"] for row in inside["tasks"]] == [here]
    assert {row["mission_id"] for row in outside["tasks"]} == {first, here}
    assert "Wide" in table
    assert fresh.refuses("tasks", "m_0000000000")["code"] == "RESOURCE_NOT_FOUND"
    assert fresh.refuses("tasks", "t_0000000000")["code"] == "INVALID_INPUT"


def test_no_task_at_all_is_said(fresh: Program) -> None:
    assert fresh.does("tasks") == {"tasks": [], "total": 0}
    assert fresh.run("tasks").out == "No tasks yet.\n"


def test_a_worker_reads_the_plan_too(mission: Program, wide: str) -> None:
    token = mission.does("agent", "create", "--type", "worker", "--name", "reader")["token"]
    worker = Program(mission.home, MISSION_TOKEN=token)

    found = worker.does("tasks", wide, "--all")["tasks"]

    assert [(row["phase"], row["name"]) for row in found] == in_plan()
    assert [(row["phase"], row["name"]) for row in worker.does("show", wide)["tasks"]] == in_plan()


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["completed"], ["ends"]),
        (["done"], ["ends"]),
        (["in_progress"], ["works"]),
        (["pending"], ["ready", "waits"]),
        (["PENDING", "completed"], ["ready", "waits", "ends"]),
    ],
)
def test_tasks_are_found_by_the_words_they_are_stored_under(
    small: str, mission: Program, words: list[str], names: list[str]
) -> None:
    chosen = [option for word in words for option in ("--status", word)]

    assert [row["name"] for row in mission.does("tasks", small, *chosen)["tasks"]] == names


@pytest.fixture(scope="module")
def small(mission: Program) -> str:
    """A mission with a task in each of the usual states, one of which failed before."""
    steps = {"ready": [], "waits": ["ready"], "works": [], "ends": []}
    made = plan(
        mission,
        [{"name": name, "description": "d", "sequence": 1, "depends_on": after} for name, after in steps.items()],
        max_parallel_tasks=5,
    )
    ids = {row["name"]: row["id"] for row in mission.does("tasks", made)["tasks"]}
    for name, moves in {"works": ["failed", "in_progress"], "ends": ["completed"]}.items():
        for status in ["in_progress", *moves]:
            mission.call("task_update_status", id=ids[name], status=status, error="boom", outcome="ok")
    return made


def test_a_worker_reads_the_same_words_as_the_operator(mission: Program, small: str) -> None:
    made = mission.does("agent", "create", "--type", "worker", "--name", "sees words")
    busy = mission.call("agent_register", name="busy one", runtime="codex")["id"]
    other = mission.call("start_mission", name="Other", objective="o")["mission_id"]
    mission.call("start_task", mission_id=other, name="t", goal="g", agent_id=busy)
    worker = Program(mission.home, MISSION_TOKEN=made["token"])

    words = worker.run("tasks", small).out
    agents = {line.split("  ")[1].strip(): line for line in worker.run("agents").out.splitlines()}

    assert "Working · 1 failed attempt" in words
    assert "in_progress" not in words
    assert [row["name"] for row in worker.does("tasks", small, "--status", "working")["tasks"]] == ["works"]
    assert worker.run("tasks", small).out == mission.run("tasks", small).out
    assert "At work" in agents["busy one"]


def calls_of(mission: Program, tool: str) -> int:
    """How often a tool was called, once everything until now is on record."""
    mark = f"mark {os.urandom(4).hex()}"
    mission.run("call", "search", json.dumps({"query": mark}))
    until(lambda: mark in str(mission.does("audit", "--tool", "search", "--limit", "1")["entries"]))
    return len(mission.does("audit", "--tool", tool, "--limit", "500")["entries"])


def test_a_task_is_shown_without_reading_its_whole_mission(mission: Program, small: str) -> None:
    task = mission.does("tasks", small, "--status", "working")["tasks"][0]["id"]
    before = calls_of(mission, "overview_mission")

    shown = mission.does("show", task)
    words = mission.run("show", task).out

    assert shown["state"] == "working"
    assert "Working · 1 failed attempt" in words
    assert calls_of(mission, "overview_mission") == before


def test_a_mission_is_shown_to_a_person_without_the_records_of_its_tasks(mission: Program, wide: str) -> None:
    before = calls_of(mission, "get_context")

    mission.run("show", wide)

    assert calls_of(mission, "get_context") == before + 1
