"""A believable night of work, told through the ordinary tools with a clock of its own, to look at pages with."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from mission.app import App
from mission.domain.executions.execution import Execution, ExecutionStatus, Mode
from mission.domain.executions.signals import Delivery
from mission.domain.ids import new_id
from mission.domain.tasks.hold import Hold, HoldKind
from mission.domain.tasks.patch import Lines, Patch
from mission.domain.tasks.states import TaskStatus
from mission.gateway.caller import Caller
from mission.services.inbox import items as inbox
from mission.settings import Settings
from mission.store.transaction import Tx

Call = Callable[..., Coroutine[Any, Any, dict[str, Any]]]

LEDGER = [
    (1, "Map today's balance writes", [], 38),
    (1, "Choose the posting model", [], 52),
    (2, "Accounts and entries tables", ["Map today's balance writes", "Choose the posting model"], 41),
    (2, "Posting: balanced or refused", ["Choose the posting model"], 78),
    (2, "Currency and rounding rules", ["Choose the posting model"], 62),
    (2, "Seed chart of accounts", ["Choose the posting model"], None),
    (2, "Trial-balance report", ["Accounts and entries tables"], 29),
    (2, "Idempotency keys on postings", ["Accounts and entries tables", "Posting: balanced or refused"], 57),
    (2, "Property tests for postings", ["Posting: balanced or refused", "Currency and rounding rules"], 71),
    (2, "Dual-write and compare job", ["Posting: balanced or refused", "Currency and rounding rules"], None),
    (3, "Invoices post entries", ["Idempotency keys on postings"], 84),
    (3, "Refunds post entries", ["Idempotency keys on postings"], "asks"),
    (3, "Payouts post entries", ["Idempotency keys on postings"], None),
    (3, "Fees and taxes post entries", ["Property tests for postings"], None),
    (3, "Credit notes post entries", ["Property tests for postings"], None),
    (3, "Dunning reads ledger", ["Property tests for postings"], None),
    (3, "Balance API reads ledger", ["Property tests for postings"], "review"),
    (3, "Backfill 2019–2026 postings", ["Idempotency keys on postings"], None),
    (3, "Load test 3 000 postings/s", ["Idempotency keys on postings"], None),
    (
        3,
        "Reconcile with bank files",
        ["Refunds post entries", "Payouts post entries", "Fees and taxes post entries"],
        ...,
    ),
    (4, "Switch reads, table by table", ["Reconcile with bank files", "Balance API reads ledger"], ...),
    (4, "Alerts on imbalance", ["Idempotency keys on postings"], None),
    (4, "Remove dual write", ["Switch reads, table by table", "Dual-write and compare job"], ...),
    (4, "Drop legacy columns", ["Switch reads, table by table"], ...),
]
"""Phase, name, dependencies, and minutes it took; None runs, a word waits for a person, … has not begun."""
OTHERS = {
    "Postgres 17, no downtime": ("pg", 12, 5, 4),
    "Split web bundle by route": ("web", 14, 9, 3),
    "Accessibility findings": ("a11y", 16, 11, 2),
}
"""Name of the mission: its agents, tasks, those completed, those at work."""
LASTING = {"Backfill": 190, "Load test": 190, "Seed chart": 190, "Dual-write": 120}
"""Minutes so far of tasks that run long; a longer dual write would move the critical path away from the question."""


class Clock:
    """Time as the story tells it."""

    def __init__(self, start: datetime) -> None:
        self.now = start

    def __call__(self) -> datetime:
        self.now += timedelta(microseconds=1)
        return self.now


async def fill(settings: Settings, *, now: datetime | None = None) -> dict[str, str]:
    """Write the story into an empty database; it ends at `now`. Answers the ids that tests ask for."""
    end = now or datetime.now(UTC)
    clock = Clock(end - timedelta(hours=9))
    app = App(settings, role="a test", clock=clock)
    async with app.running(periodic=False):

        async def call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
            return await app.gateway(tool, arguments, Caller(transport="test"))

        found = await _ledger(app, call, clock, end)
        for name, (agent, tasks, completed, running) in OTHERS.items():
            clock.now = end - timedelta(hours=3)
            await _other(app, call, clock, end, name, agent, tasks, completed, running)
        await _done_before(call, clock, end)
        clock.now = end
        await app.database.write(_spend, mission_id=found["mission"])
    return found


async def _ledger(app: App, call: Call, clock: Clock, end: datetime) -> dict[str, str]:
    mission = await _mission(call, "Move billing to a double-entry ledger", LEDGER, parallel=12)
    ids = {task["name"]: task["id"] for task in await _tasks(call, mission)}
    agents = [await _agent(call, f"ledger-{number}") for number in range(1, 13)]
    ended: dict[str, datetime] = {}
    for number, (_, name, needs, minutes) in enumerate(LEDGER):
        if not isinstance(minutes, int):
            continue
        begin = max([end - timedelta(hours=8, minutes=40), *(ended[need] for need in needs)])
        ended[name] = begin + timedelta(minutes=minutes)
        agent = agents[number % 5]
        clock.now = begin
        await _take(call, ids[name], agent)
        clock.now = ended[name]
        await call(
            "checkpoint_add", {"task_id": ids[name], "type": "progress", "summary": "Half of it stands", **agent}
        )
        quality = "partial_success" if name.startswith("Currency") else "success"
        outcome = {"summary": f"{name}: done"}
        await call("complete_task", {"task_id": ids[name], "status": quality, "outcome": outcome, **agent})
    await _running(app, call, clock, end, ids, agents)
    return {"mission": mission, "question_task": ids["Refunds post entries"], "task": ids["Payouts post entries"]}


async def _running(
    app: App, call: Call, clock: Clock, end: datetime, ids: dict[str, str], agents: list[dict[str, str]]
) -> None:
    rest = [(name, minutes) for _, name, _, minutes in LEDGER if minutes is None or isinstance(minutes, str)]
    for number, (name, _) in enumerate(rest):
        usual = 14 + 8 * (number % 6)
        lasting = next((minutes for start, minutes in LASTING.items() if name.startswith(start)), usual)
        clock.now = end - timedelta(minutes=lasting)
        await _take(call, ids[name], agents[number % len(agents)])
    decided = {name: agents[number % len(agents)] for number, (name, _) in enumerate(rest)}
    clock.now = end - timedelta(minutes=98)
    await call(
        "log_decision",
        {
            "task_id": ids["Dual-write and compare job"],
            "category": "trade_off",
            "question": "How is a half cent rounded?",
            "options_considered": ["Half to even per line", "Half up on the total", "Keep 4 decimals"],
            "chosen": "Half to even per line",
            "reasoning": "Because the bank files round per line; 0 of 41 200 lines differ.",
            **decided["Dual-write and compare job"],
        },
    )
    for name, words in (
        ("Backfill 2019–2026 postings", "2023-04 of 2026-10 · 61.4M rows, 0 unbalanced"),
        ("Payouts post entries", "Rewriting PayoutService.settle()"),
        ("Load test 3 000 postings/s", "p99 41 ms at 2 400/s; raising"),
    ):
        clock.now = end - timedelta(minutes=2)
        await call("log_milestone", {"task_id": ids[name], "message": words, "progress": 60, **decided[name]})
    clock.now = end - timedelta(minutes=44)
    await app.database.write(
        _ask, task_id=ids["Refunds post entries"], agent_id=decided["Refunds post entries"]["agent_id"]
    )
    clock.now = end - timedelta(minutes=9)
    await app.database.write(
        _review, task_id=ids["Balance API reads ledger"], agent_id=decided["Balance API reads ledger"]["agent_id"]
    )
    clock.now = end - timedelta(seconds=20)
    for agent in agents:
        await call("agent_heartbeat", agent)


def _ask(tx: Tx, *, task_id: str, agent_id: str) -> None:
    task = tx.tasks.get(task_id).move_to(TaskStatus.PAUSED, at=tx.now)
    tx.tasks.save(replace(task, hold=Hold(HoldKind.INPUT, "Refund after period close", agent_id)))
    inbox.open_item(
        tx,
        kind="question",
        subject="Refund after period close: reverse, or post new?",
        body="A refund arrives after its month is closed. Both ways pass the checks; finance exports read closed "
        "months again every quarter, so a reversal changes reported figures.",
        task_id=task_id,
        agent_id=agent_id,
        choices=[
            {"kind": "fixed", "label": "Post new", "value": "Post a new entry in the open month"},
            {"kind": "fixed", "label": "Reverse", "value": "Reverse the entry in the closed month"},
            {"kind": "manual", "label": "Something else", "placeholder": "Write an answer"},
        ],
    )


def _review(tx: Tx, *, task_id: str, agent_id: str) -> None:
    tx.tasks.save(tx.tasks.get(task_id).move_to(TaskStatus.REVIEW, at=tx.now))
    inbox.open_item(
        tx,
        kind="review",
        subject="Balance API reads ledger: is this right?",
        body="Six files changed.",
        task_id=task_id,
        agent_id=agent_id,
    )


def _escalate(tx: Tx, *, task_id: str, agent_id: str) -> None:
    inbox.open_item(
        tx,
        kind="escalation",
        subject="Focus trap test failed 3 times, same assertion",
        body='focus-trap.spec.ts:48 expected focus on "Close", got body. Attempts 2 and 3 changed the same lines.',
        task_id=task_id,
        agent_id=agent_id,
    )


def _spend(tx: Tx, *, mission_id: str) -> None:
    """Let agents that were launched have done some of the tasks: prices are known, except for one client."""
    rows = [tx.tasks.get(row.id) for row in tx.overviews.tasks(mission_id) if row.completed_at is not None]
    for number, task in enumerate(rows[:6]):
        usage = {"input_tokens": 90_000 * (number + 1), "output_tokens": 9_000}
        priced = {} if number == 5 else {"cost_usd": 1.85 * (number + 1)}
        tx.executions.add(
            Execution(
                id=new_id("execution"),
                mission_id=mission_id,
                task_id=task.id,
                agent_id=task.owner_id or "",
                adapter="claude-code",
                mode=Mode.HEADLESS,
                delivery=Delivery.MCP_TOOL,
                protocol={},
                host_id="test-host",
                status=ExecutionStatus.COMPLETED,
                usage=usage | priced,
                created_at=task.created_at,
                updated_at=task.completed_at or tx.now,
                started_at=task.started_at,
                ended_at=task.completed_at,
            )
        )
        lines = "".join(f"+line {line}\n" for line in range(12 * (number + 1))) + "-old\n" * (4 * number)
        tx.patches.put(task.id, Patch(files={f"src/ledger/part_{number}.py": Lines(text=f"@@\n{lines}")}).stored())


async def _other(
    app: App,
    call: Call,
    clock: Clock,
    end: datetime,
    name: str,
    prefix: str,
    tasks: int,
    completed: int,
    running: int,
) -> None:
    rows = [(1 + number // 6, f"{name}: step {number + 1}", [], None) for number in range(tasks)]
    mission = await _mission(call, name, rows, parallel=10)
    ids = [task["id"] for task in await _tasks(call, mission)]
    agents = [await _agent(call, f"{prefix}-{number + 1}") for number in range(running + 1)]
    for number in range(completed):
        await _take(call, ids[number], agents[number % running])
        clock.now += timedelta(minutes=7)
        status = "failed" if prefix == "a11y" and number == 2 else "success"
        outcome = {"summary": "Dialog keeps focus" if status == "failed" else "Done"}
        agent = agents[number % running]
        await call("complete_task", {"task_id": ids[number], "status": status, "outcome": outcome, **agent})
    for number in range(running):
        clock.now = end - timedelta(minutes=11 + 9 * number)
        await _take(call, ids[completed + number], agents[number])
    clock.now = end - timedelta(seconds=30)
    for agent in agents:
        await call("agent_heartbeat", agent)
    if prefix == "a11y":
        clock.now = end - timedelta(minutes=24)
        await app.database.write(_escalate, task_id=ids[2], agent_id=agents[1]["agent_id"])
    if prefix == "pg":
        clock.now = end - timedelta(minutes=52)
        blocked = {"id": ids[completed + 2], "status": "blocked", "error": "No replication slot left on replica eu-2"}
        await call("task_update_status", {**blocked, **agents[2]})


async def _done_before(call: Call, clock: Clock, end: datetime) -> None:
    for number, name in enumerate(("Rotate signing keys", "Retire the old exporter", "Nightly import in parts")):
        clock.now = end - timedelta(days=2 + number)
        mission = await _mission(call, name, [(1, "All of it", [], None)], parallel=1)
        task = (await _tasks(call, mission))[0]["id"]
        agent = await _agent(call, f"night-{number + 1}")
        await _take(call, task, agent)
        clock.now += timedelta(minutes=50)
        await call("complete_task", {"task_id": task, "status": "success", "outcome": {"summary": "Done"}, **agent})
        await call("complete_workflow", {"workflow_id": mission, "status": "completed", "summary": "All done"})


async def _mission(call: Call, name: str, rows: list[Any], *, parallel: int) -> str:
    objective = "Every balance is the sum of its entries; no code writes a balance directly."
    made = await call(
        "workflow_create",
        {"name": name, "source_type": "prompt", "source_content": objective, "max_parallel_tasks": parallel},
    )
    tasks = [
        {"name": name, "description": f"{name}, with tests.", "sequence": phase, "depends_on": needs}
        for phase, name, needs, _ in rows
    ]
    await call(
        "workflow_set_plan", {"id": made["id"], "plan": {"summary": objective, "approach": "In phases", "tasks": tasks}}
    )
    return str(made["id"])


async def _tasks(call: Call, mission: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await call("workflow_get", {"id": mission, "include_tasks": True}))["tasks"]
    return found


async def _agent(call: Call, name: str) -> dict[str, str]:
    made = await call("agent_register", {"name": name, "runtime": "claude_code", "role": "worker"})
    return {"agent_id": made["id"]}


async def _take(call: Call, task: str, agent: dict[str, str]) -> None:
    await call("task_claim", {"task_id": task, **agent})
    await call("task_update_status", {"task_id": task, "status": "in_progress", **agent})
