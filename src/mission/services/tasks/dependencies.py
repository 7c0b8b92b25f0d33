"""A task's dependencies: no task starts before these are completed or skipped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mission.domain.errors import InvalidState
from mission.domain.tasks.states import DONE
from mission.domain.tasks.task import Task
from mission.store.transaction import Tx

NAMED_TASKS = 10
"""How many dependencies an error names before it only counts them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Dependencies:
    """The dependencies of a task: those still pending, and those that are done."""

    pending: Sequence[Task]
    done: Sequence[Task]


def get(tx: Tx, *, task_id: str) -> Dependencies:
    """Return the task's pending and finished dependencies."""
    tx.tasks.get(task_id)
    found = tx.plans.dependency_tasks(task_id)
    return Dependencies(
        pending=[task for task in found if task.status not in DONE],
        done=[task for task in found if task.status in DONE],
    )


def check_done(tx: Tx, task: Task) -> None:
    """Raise an error that names the pending dependencies, if the task has any."""
    if not task.waiting_for:
        return
    pending = get(tx, task_id=task.id).pending
    named = ", ".join(f"{each.id} '{each.name}' ({each.status})" for each in pending[:NAMED_TASKS])
    more = f" and {len(pending) - NAMED_TASKS} more" if len(pending) > NAMED_TASKS else ""
    raise InvalidState(
        f"task {task.id} is waiting for {named}{more}",
        hint="Complete or skip these first, or choose another task.",
        current=str(task.status),
        waiting_for=[each.id for each in pending],
    )
