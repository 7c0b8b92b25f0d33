"""How things stand at a glance: the one word that a task or an agent shows, whatever makes it so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mission.domain.agent import Presence
from mission.domain.executions.execution import ExecutionStatus
from mission.domain.tasks.task import Quality, Task, TaskStatus

NEEDS_PERSON = frozenset({"asks", "blocked", "budget", "review"})
"""Words of tasks that stand still until a person acts."""

TASK_LABELS = {
    "waiting": "Waiting",
    "ready": "Ready",
    "planning": "Planning",
    "working": "Working",
    "paused": "Paused",
    "budget": "Paused: budget",
    "asks": "Asks you",
    "blocked": "Blocked",
    "review": "Review",
    "claimed": "Claimed",
    "partial": "Partial",
    "failed": "Failed",
    "skipped": "Skipped",
}
"""Every word of a task, and how people read it: on the page and on the command line alike."""

TASK_ALIASES = {
    "pending": ("waiting", "ready"),
    "in_progress": ("working",),
    "completed": ("claimed", "partial"),
    "done": ("claimed", "partial"),
}
"""Words under which tasks are stored or asked for, and the words that people read for them."""

_HOLDS = {"input": "asks", "blocked": "blocked", "budget": "budget"}
_PLAIN = {
    TaskStatus.PLANNING: "planning",
    TaskStatus.IN_PROGRESS: "working",
    TaskStatus.REVIEW: "review",
    TaskStatus.FAILED: "failed",
    TaskStatus.SKIPPED: "skipped",
}


AGENT_LABELS = {
    "at_work": "At work",
    "idle": "Idle",
    "waits": "Waits for you",
    "blocked": "Blocked",
    "lost": "Lost",
    "offline": "Offline",
}
"""Every word of an agent, and how people read it."""

EXECUTION_LABELS = {
    "starting": "Starting",
    "running": "Running",
    "waiting": "Waits for you",
    "stopped": "Stopped",
    "exited": "Exited 0",
    "failed": "Failed",
    "lost": "Lost",
}
"""Every word of an execution, and how people read it."""


def task_word(status: str, *, quality: str | None, hold: Mapping[str, Any] | None, waiting_for: int) -> str:
    """What a task shows. A completion is a claim: nothing has proved it."""
    if status == TaskStatus.PENDING:
        return "waiting" if waiting_for > 0 else "ready"
    if status == TaskStatus.PAUSED:
        return _HOLDS.get(str((hold or {}).get("kind")), "paused")
    if status == TaskStatus.COMPLETED:
        return "partial" if quality == Quality.PARTIAL else "claimed"
    return _PLAIN[TaskStatus(status)]


def task_state(task: Task) -> str:
    """Return the word that a task shows."""
    hold = task.hold.as_dict() if task.hold is not None else None
    return task_word(task.status, quality=task.quality, hold=hold, waiting_for=task.waiting_for)


def execution_label(status: str, *, exit_code: int | None) -> str:
    """Return how people read the state of an execution; a failed one shows its exit code."""
    if status == ExecutionStatus.FAILED and exit_code:
        return f"Exited {exit_code}"
    return EXECUTION_LABELS["exited" if status == ExecutionStatus.COMPLETED else status]


def agent_word(presence: Presence, *, task: str | None, lapsed: bool) -> str:
    """What an agent shows, by the word of the task in its hands; lost is one whose lease lapsed with a task in hand."""
    if task in {"asks", "review", "budget"}:
        return "waits"
    if task == "blocked":
        return "blocked"
    if presence is Presence.OFFLINE:
        return "lost" if task is not None and lapsed else "offline"
    return "at_work" if task is not None else "idle"
