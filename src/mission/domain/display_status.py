"""Display status: the one word that summarizes the state of a task, an agent or an execution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mission.domain.agents.agent import Presence
from mission.domain.checks.evidence import ProofState
from mission.domain.executions.execution import ExecutionStatus
from mission.domain.tasks.hold import HoldKind
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Quality, Task

NEEDS_PERSON = frozenset({"asks", "blocked", "budget", "review"})
"""Words of tasks that are stopped until a person acts."""

TASK_LABELS = {
    "waiting": "Waiting",
    "ready": "Ready",
    "planning": "Planning",
    "working": "Working",
    "paused": "Paused",
    "budget": "Paused: budget",
    "asks": "Asks you",
    "blocked": "Blocked",
    "checking": "Checking",
    "review": "Review",
    "proved": "Proved",
    "accepted": "Accepted",
    "unproved": "Done, unproved",
    "partial": "Partial",
    "failed": "Failed",
    "skipped": "Skipped",
}
"""Every word of a task and its label, both on the page and on the command line."""

DONE_WORDS = ("proved", "accepted", "unproved", "partial")
"""Words of completed tasks, best proved first."""

FAILING_LABEL = "checks fail"
"""Added to the label of a task that is not completed and whose required checks failed last time."""

TASK_ALIASES = {
    "pending": ("waiting", "ready"),
    "in_progress": ("working",),
    "completed": DONE_WORDS,
    "done": DONE_WORDS,
    "claimed": ("proved", "accepted", "unproved"),
}
"""Words that storage and filters use for tasks, and the display words they match."""

_HOLDS = {"input": "asks", "blocked": "blocked", "budget": "budget"}
_PROVED = {str(ProofState.PROVED): "proved", str(ProofState.ACCEPTED): "accepted"}
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
"""Every word of an agent and its label."""

EXECUTION_LABELS = {
    "starting": "Starting",
    "running": "Running",
    "waiting": "Waits for you",
    "stopped": "Stopped",
    "exited": "Exited 0",
    "failed": "Failed",
    "lost": "Lost",
}
"""Every word of an execution and its label."""


def task_word(
    status: str, *, quality: str | None, hold: Mapping[str, Any] | None, waiting_for: int, proof_state: str | None
) -> str:
    """Return the word that a task shows. A completed task is unproved unless its proof says otherwise."""
    kind = str((hold or {}).get("kind"))
    if status == TaskStatus.PENDING:
        return "waiting" if waiting_for > 0 else "ready"
    kind = str((hold or {}).get("kind"))
    if status == TaskStatus.PAUSED:
        return _HOLDS.get(kind, "paused")
    if status == TaskStatus.REVIEW and kind == HoldKind.CHECKS:
        return "checking"
    if status == TaskStatus.COMPLETED:
        return "partial" if quality == Quality.PARTIAL else _PROVED.get(str(proof_state), "unproved")
    return _PLAIN[TaskStatus(status)]


def task_state(task: Task) -> str:
    """Return the word that a task shows."""
    hold = task.hold.as_dict() if task.hold is not None else None
    return task_word(
        task.status,
        quality=task.quality,
        hold=hold,
        waiting_for=task.waiting_for,
        proof_state=task.proof_state,
    )


def execution_label(status: str, *, exit_code: int | None) -> str:
    """Return the label of an execution's state; a failed one shows its exit code."""
    if status == ExecutionStatus.FAILED and exit_code:
        return f"Exited {exit_code}"
    return EXECUTION_LABELS["exited" if status == ExecutionStatus.COMPLETED else status]


def agent_word(presence: Presence, *, task: str | None, lapsed: bool) -> str:
    """Return the word that an agent shows, given its task's word; 'lost' if offline with an expired lease."""
    if task in {"asks", "review", "budget"}:
        return "waits"
    if task == "blocked":
        return "blocked"
    if presence is Presence.OFFLINE:
        return "lost" if task is not None and lapsed else "offline"
    return "at_work" if task is not None else "idle"
