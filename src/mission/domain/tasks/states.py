"""The states of a task: which moves between them are legal, and what each group of them means."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class TaskStatus(StrEnum):
    PENDING = "pending"
    PLANNING = "planning"
    IN_PROGRESS = "in_progress"
    PAUSED = "paused"
    REVIEW = "review"
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"


MOVES: Mapping[TaskStatus, frozenset[TaskStatus]] = {
    TaskStatus.PENDING: frozenset({TaskStatus.PLANNING, TaskStatus.IN_PROGRESS, TaskStatus.SKIPPED}),
    TaskStatus.PLANNING: frozenset(
        {
            TaskStatus.PENDING,
            TaskStatus.IN_PROGRESS,
            TaskStatus.COMPLETED,
            TaskStatus.FAILED,
            TaskStatus.SKIPPED,
        }
    ),
    TaskStatus.IN_PROGRESS: frozenset(
        {
            TaskStatus.PENDING,
            TaskStatus.PAUSED,
            TaskStatus.REVIEW,
            TaskStatus.COMPLETED,
            TaskStatus.FAILED,
            TaskStatus.SKIPPED,
        }
    ),
    TaskStatus.PAUSED: frozenset({TaskStatus.PENDING, TaskStatus.IN_PROGRESS, TaskStatus.FAILED, TaskStatus.SKIPPED}),
    TaskStatus.REVIEW: frozenset({TaskStatus.IN_PROGRESS, TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.SKIPPED}),
    TaskStatus.FAILED: frozenset({TaskStatus.PENDING, TaskStatus.IN_PROGRESS, TaskStatus.SKIPPED}),
    TaskStatus.COMPLETED: frozenset(),
    TaskStatus.SKIPPED: frozenset(),
}

OPEN = frozenset(set(TaskStatus) - {TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.SKIPPED})
"""States of a task that has not ended."""

RUNNING = frozenset({TaskStatus.PLANNING, TaskStatus.IN_PROGRESS, TaskStatus.PAUSED, TaskStatus.REVIEW})
"""States in which work on the task has started and not ended."""

STALLED = frozenset({TaskStatus.PAUSED, TaskStatus.REVIEW})
"""States in which a started task waits for a person."""

ACTIVE = RUNNING - STALLED
"""States in which an agent is working on the task."""

FREE = frozenset({TaskStatus.PENDING, TaskStatus.FAILED})
"""States in which a task without an owner can be claimed."""

HELD = frozenset({*OPEN, TaskStatus.FAILED})
"""States in which a claim whose lease has expired can be taken over."""

DONE = frozenset({TaskStatus.COMPLETED, TaskStatus.SKIPPED})
"""States of a dependency that others no longer wait for."""

PLANNABLE = frozenset({TaskStatus.PENDING, TaskStatus.PLANNING, TaskStatus.IN_PROGRESS})
"""States in which a task accepts a plan."""

REPLANNABLE = frozenset({TaskStatus.IN_PROGRESS, TaskStatus.FAILED})
"""States in which a task accepts a new plan after the first one failed."""

NOT_STARTED = frozenset({TaskStatus.PENDING, TaskStatus.PLANNING})
"""States in which no work on the task has started."""

COMPLETABLE = frozenset({TaskStatus.IN_PROGRESS, TaskStatus.REVIEW})
"""States from which complete_task may end a task."""
