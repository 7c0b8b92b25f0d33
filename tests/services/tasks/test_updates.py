"""Every way to write a task, in any order: the counts stay right, and every change is told once with its cause."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import text

import mission
from mission.domain.errors import MissionError
from mission.domain.missions.mission import Family
from mission.domain.tasks import moves
from mission.domain.tasks.moves import Cause
from mission.domain.tasks.states import TaskStatus
from mission.services.tasks import updates
from tests import fault_cases
from tests.store.rows import at

TOOLS = {"name": "W", "source_type": "prompt", "source_content": "Build it", "max_parallel_tasks": 100}
COUNTED = {"waiting_for", "lease_until", "entries"}
"""Columns that are counts or signs of life, which no event tells of."""
RECOUNT = text(
    "SELECT phase_id, status, quality, waiting_for > 0 AS waits, count(*) AS tasks FROM tasks"
    " GROUP BY phase_id, status, quality, waiting_for > 0"
)
KEPT = text("SELECT id, pending, in_progress, success, partial, failed, skipped, waiting FROM phases")


class Chance:
    """Does one thing at random to a task of a mission."""

    def __init__(self, seed, call, fake_executions, clock):
        self.choice = random.Random(seed).choice
        self.call = call
        self.fake_executions = fake_executions
        self.clock = clock
        self.agents = []
        self.tasks = []
        self.executions = []

    async def step(self):
        task, agent = self.choice(self.tasks), self.choice(self.agents)
        execution = self.choice(self.executions[-3:]) if self.executions else ""
        status = self.choice(["pending", "planning", "in_progress", "paused", "blocked", "skipped"])
        plan = {"approach": "a", "steps": ["s"]}
        by = {"agent_id": agent} if self.choice([True, False, False, False]) else {}
        wanted = self.choice(
            [
                lambda: self.tool("task_claim_next", agent_id=agent),
                lambda: self.tool("task_claim", task_id=task, agent_id=agent),
                lambda: self.tool("start_task", task_id=task, **by),
                lambda: self.tool("task_set_plan", id=task, plan=plan, **by),
                lambda: self.tool("task_replan", id=task, reason="r", new_plan=plan, **by),
                lambda: self.tool("task_update_status", id=task, status=status, outcome="o", error="e", **by),
                lambda: self.tool("task_update_status", id=task, status="completed", outcome="o", **by),
                lambda: self.tool("task_update_status", id=task, status="failed", error="e", **by),
                lambda: self.tool("complete_task", task_id=task, status="failed", outcome={"summary": "no"}, **by),
                lambda: self.tool("task_release", task_id=task, agent_id=agent),
                lambda: self.tool("agent_unregister", id=agent),
                self.launch,
                self.launch,
                lambda: self.resume(execution),
                lambda: self.signal(execution, "needs_input", question="Which one?"),
                lambda: self.signal(execution, "blocked", reason="no key"),
                lambda: self.signal(execution, "progress", summary="half"),
                lambda: self.signal(execution, "completed_claim", summary="done"),
                lambda: self.fake_executions.end(execution, self.choice(["completed", "failed", "stopped", "lost"])),
                self.answer,
                self.answer,
            ]
        )
        self.clock.advance(minutes=self.choice([0, 1, 30]))
        try:
            await wanted()
        except MissionError as error:
            assert error.http_status < 500, error  # noqa: PT017

    async def tool(self, name, **arguments):
        return await self.call(name, arguments)

    async def resume(self, execution):
        await self.launch((await self.fake_executions.get(execution)).task_id, resumes=execution)

    async def launch(self, task_id=None, **more):
        created = await self.fake_executions.launch(task_id or self.choice(self.tasks), **more)
        await self.fake_executions.start(created.execution.id)
        self.executions.append(created.execution.id)

    async def signal(self, execution, type, **payload):
        await self.fake_executions.signal(execution, str(self.clock.now), type, **payload)

    async def answer(self):
        items = (await self.call("queue_list", {"limit": 100}))["items"]
        if not items:
            return
        item = self.choice(items)
        if self.choice([True, False, False]):
            await self.call("queue_dismiss", {"id": item["id"]})
            return
        number = self.choice(range(len(item["choices"]) + 1))
        await self.call("queue_answer", {"id": item["id"], "text": "this", **({"choice": number} if number else {})})


@pytest.fixture
async def chance(request, call, fake_executions, clock):
    """A plan of ten tasks that wait for each other, and two agents."""
    chance = Chance(request.param, call, fake_executions, clock)
    plan = [
        {
            "name": f"t{number}",
            "description": "d",
            "sequence": 1 + number // 4,
            "depends_on": [f"t{number - 3}"] if number % 3 == 1 and number > 3 else [],
        }
        for number in range(10)
    ]
    mission = (await call("workflow_create", TOOLS))["id"]
    await call("workflow_set_plan", {"id": mission, "plan": {"summary": "s", "approach": "a", "tasks": plan}})
    found = await call("workflow_get", {"id": mission, "include_tasks": True})
    chance.mission = mission
    chance.tasks = [task["id"] for task in found["tasks"]]
    chance.agents = [
        (await call("agent_register", {"name": name, "runtime": "custom"}))["id"] for name in ("ada", "bob")
    ]
    return chance


@pytest.mark.faults
@pytest.mark.parametrize("chance", fault_cases.seeds(few=2, many=40), indirect=True)
async def test_after_any_moves_the_counts_are_right_and_every_change_is_told_once_with_its_cause(app, call, chance):
    before, last = await app.database.read(_state)
    causes = Counter()
    for step in range(120):
        if step == 119:
            await call("workflow_update_status", {"id": chance.mission, "status": "abandoned", "reason": "enough"})
        else:
            await chance.step()
        rows, newest = await app.database.read(_state)
        told = [event for event in await _events(app, last) if event.type == "task:updated"]

        changed = [id for id, row in rows.items() if row != before[id]]
        moved = [event.data["id"] for event in told if event.data["cause"] != Cause.REPORTED]
        assert sorted(moved) == sorted(changed), [(event.data["id"], event.data["cause"]) for event in told]
        for event in told:
            row = rows[event.data["id"]]
            assert (event.data["status"], event.data["assigned_agent_id"]) == (row["status"], row["owner_id"])
            assert event.data["attempts"] == row["attempts"]
        kept, true = await app.database.read(_counts)
        assert kept == true
        causes.update(event.data["cause"] for event in told)
        before, last = rows, newest

    assert set(causes) <= set(map(str, Cause))
    assert len(causes) > 8, causes


@pytest.mark.parametrize("chance", [0], indirect=True)
async def test_a_task_that_ends_with_its_mission_remembers_who_had_it(app, call, chance):
    (ada, _), task = chance.agents, chance.tasks[0]
    await call("task_claim", {"task_id": task, "agent_id": ada})

    await call("workflow_update_status", {"id": chance.mission, "status": "abandoned", "reason": "enough"})

    ended = await app.database.read(lambda tx: tx.tasks.get(task))
    assert (ended.status, ended.owner_id, ended.previous_owner_id) == (TaskStatus.SKIPPED, None, ada)
    assert ended.claimed_at is None


async def test_what_an_agent_asks_after_its_task_has_ended_still_waits_for_a_person(call, fake_executions):
    created = await fake_executions.launch()
    await fake_executions.start(created.execution.id)
    await call("task_update_status", {"id": created.task.id, "status": "completed", "outcome": "o"})

    await fake_executions.signal(created.execution.id, "1", "needs_input", question="Another one?")

    assert [item["subject"] for item in (await call("queue_list"))["items"]] == ["Another one?"]


async def _events(app, since):
    return await app.database.read(lambda tx: tx.events.since(since, limit=1_000))


def _state(tx):
    """Every task's row without counts and signs of life, and the number of the newest event."""
    rows = tx.connection.execute(text("SELECT * FROM tasks")).mappings()
    newest = tx.connection.execute(text("SELECT coalesce(max(seq), 0) FROM events")).scalar_one()
    return {row["id"]: {name: row[name] for name in row if name not in COUNTED} for row in rows}, newest


def _counts(tx):
    """The counts of each phase as they are kept, and as the tasks say."""
    kept = {}
    for row in tx.connection.execute(KEPT).mappings():
        kept[row["id"]] = {name: row[name] for name in row if name != "id" and row[name]}
    true = {id: Counter() for id in kept}
    for row in tx.connection.execute(RECOUNT).mappings():
        true[row["phase_id"]][_count_bucket(row["status"], row["quality"])] += row["tasks"]
        if row["waits"] and row["status"] == TaskStatus.PENDING:
            true[row["phase_id"]]["waiting"] += row["tasks"]
    return kept, {id: dict(count) for id, count in true.items()}


def _count_bucket(status, quality):
    if status == TaskStatus.COMPLETED:
        return quality or "success"
    if status in {TaskStatus.PENDING, TaskStatus.PLANNING}:
        return "pending"
    return status if status in {TaskStatus.FAILED, TaskStatus.SKIPPED} else "in_progress"


@pytest.mark.parametrize(
    "written",
    ["tx.tasks.save(", "TaskUpdated(", "task_counts.count_move(", "task_counts.free_dependents(", "skip_open("],
)
def test_tasks_are_written_in_one_place(written):
    callers = [
        file.name
        for layer in ("services", "gateway", "tools", "runtime")
        for file in (Path(mission.__file__).parent / layer).rglob("*.py")
        if written in file.read_text(encoding="utf-8")
    ]

    assert callers == ["updates.py"]


@pytest.mark.parametrize("family", list(Family))
def test_a_workflow_tells_of_itself_whenever_one_of_its_tasks_moves(tx, rows, family):
    mission = rows.mission(family=family)
    task = rows.task(mission)
    tx.now = at(5)

    updates.apply(tx, moves.skipped(task, at=tx.now))

    expected = ["task:updated", "workflow:updated"] if family is Family.WORKFLOW else ["task:updated"]
    assert [event.type for event in tx.emitted] == expected
    assert tx.missions.get(mission.id).updated_at == at(5)
