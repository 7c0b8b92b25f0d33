"""What a task waits for: no task begins before these are completed or skipped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mission.domain.errors import InvalidState
from mission.domain.tasks.task import DONE, Task
from mission.store.transaction import Tx

NAMED_TASKS = 10
"""How many dependencies an error names before it only counts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Dependencies:
    """What a task waits for, and what it no longer waits for."""

    pending: Sequence[Task]
    done: Sequence[Task]


def get(tx: Tx, *, task_id: str) -> Dependencies:
    """What the task waits for, and what is done."""
    tx.tasks.get(task_id)
    found = tx.plans.dependency_tasks(task_id)
    return Dependencies(
        pending=[task for task in found if task.status not in DONE],
        done=[task for task in found if task.status in DONE],
    )


def check_done(tx: Tx, task: Task) -> None:
    """Nothing when the task waits for no other; otherwise an error that names those it waits for."""
    if not task.waiting_for:
        return
    pending = get(tx, task_id=task.id).pending
    named = ", ".join(f"{each.id} '{each.name}' ({each.status})" for each in pending[:NAMED_TASKS])
    more = f" and {len(pending) - NAMED_TASKS} more" if len(pending) > NAMED_TASKS else ""
    raise InvalidState(
        f"task {task.id} waits for {named}{more}",
        hint="Complete or skip these first, or take another task.",
        current=str(task.status),
        waiting_for=[each.id for each in pending],
    )
