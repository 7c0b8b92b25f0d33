"""Measure a task's context and a search, in small and large stores, on both databases."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack

from bench.effort import Effort
from bench.inprocess import DATABASES, Local, local
from bench.report import Row, Target, compared
from bench.timing import Series, Turn, interleave
from mission.domain.tasks.journal import CheckpointType
from mission.services.search import index as search
from mission.services.tasks import journal
from mission.store.transaction import Tx

SIZES = (5, 1_000)
SECTION = "resuming a task, {database}: 1,000 checkpoints compared with 5"
QUICK_ENOUGH = Target(20, of="figure")


class Desk:
    """A task in the middle of a plan, with that many checkpoints."""

    def __init__(self, place: Local, size: int) -> None:
        self.place = place
        new = {"name": f"Desk {size}", "source_type": "prompt", "source_content": "Make the parser faster. " * 200}
        self.mission = place.call("workflow_create", new)["id"]
        tasks = [
            {"name": name, "description": f"Do {name}", "sequence": sequence, "depends_on": after}
            for name, sequence, after in (("a", 1, []), ("b", 2, ["a"]), ("c", 2, []))
        ]
        plan = {"summary": "In three steps", "approach": "One by one", "tasks": tasks}
        place.call("workflow_set_plan", {"id": self.mission, "plan": plan})
        found = place.call("workflow_get", {"id": self.mission, "include_tasks": True})["tasks"]
        ids = {task["name"]: task["id"] for task in found}
        for status in ("in_progress", "completed"):
            place.call("task_update_status", {"id": ids["a"], "status": status, "outcome": "It is 3 × as fast"})
        self.task = ids["b"]
        steps = {"approach": "Measure first", "steps": [f"Step {number}: look, change, test" for number in range(20)]}
        place.call("task_set_plan", {"id": self.task, "plan": steps})
        place.runner.run(place.app.database.write(_note, task_id=self.task, size=size))

    def turns(self, calls: int) -> dict[str, Turn]:
        ask, turn, wanted = self.place.ask, self.place.turn, {"task_id": self.task}
        every = {**wanted, "include": {"all_checkpoints": True}}
        words = {"query": "parser cases", "workflow_id": self.mission}
        return {
            "task_load_context": turn(calls, lambda: ask("task_load_context", wanted)),
            "task_load_context, 500 tokens": turn(
                calls, lambda: ask("task_load_context", {**wanted, "max_tokens": 500})
            ),
            "task_load_context, all checkpoints": turn(calls, lambda: ask("task_load_context", every)),
            "workflow_get_summary": turn(calls, lambda: ask("workflow_get_summary", {"id": self.mission})),
            "search": turn(calls, lambda: ask("search", words)),
        }


def measure(effort: Effort) -> list[Row]:
    rows: list[Row] = []
    for database in DATABASES:
        with ExitStack() as stack:
            place = stack.enter_context(local(stack.enter_context(asyncio.Runner()), database))
            small, large = (Desk(place, size).turns(effort.calls) for size in SIZES)
            place.runner.run(search.catch_up(place.app.database, seconds=600))
            subjects = {f"{tool} {size}": each[tool] for size, each in ((0, small), (1, large)) for tool in each}
            series = interleave(subjects, rounds=effort.rounds)
        rows += [_row(database, tool, series) for tool in small]
    return rows


def _row(database: str, tool: str, series: dict[str, Series]) -> Row:
    ours, floor = series[f"{tool} 1"], series[f"{tool} 0"]
    target = QUICK_ENOUGH if tool == "task_load_context" else None
    return compared(SECTION.format(database=database), tool, ours, floor, floor_name="with 5", target=target)


def _note(tx: Tx, *, task_id: str, size: int) -> None:
    for number in range(size):
        journal.checkpoint(
            tx,
            type=CheckpointType.PROGRESS,
            task_id=task_id,
            summary=f"{number} cases of the parser pass; the next one needs empty input",
            detail={"passed": number, "file": "src/parser/input.py"},
            files_changed=["src/parser/input.py", "tests/test_input.py"],
            agent_id=None,
            fence=None,
        )
