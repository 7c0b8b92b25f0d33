"""What whoever has a task should do next, in words it can act on."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from mission.domain.tasks.journal import CheckpointType, JournalEntry
from mission.domain.tasks.task import DONE, Task, TaskStatus
from mission.services.tasks.context import TaskContext
from mission.tools.shared.fields import cut

QUOTED = 300
NAMED = 5


def next_step(found: TaskContext) -> str:
    """The next thing to do about the task as it stands."""
    task = found.task
    if task.status in DONE:
        return f"Nothing: the task is {task.status}."
    if found.waits_for and task.status is TaskStatus.PENDING:
        names = ", ".join(f"'{each.name}' ({each.status})" for each in found.waits_for[:NAMED])
        return f"Wait until {names} {'is' if len(found.waits_for) == 1 else 'are'} done; take another task meanwhile."
    match task.status:
        case TaskStatus.PENDING if task.owner_id is None:
            return "Claim it with task_claim, then start_task." + _going_on(found)
        case TaskStatus.PENDING:
            return "Begin it with start_task." + _going_on(found)
        case TaskStatus.PLANNING if task.plan is not None:
            return "Its plan is made: begin it with start_task." + _going_on(found)
        case TaskStatus.PLANNING:
            return "Finish its plan with task_set_plan, then start_task."
        case TaskStatus.PAUSED if task.hold is not None:
            return f"It is held: {_quoted(task.hold.reason, task.hold.by)}. Resolve that, then start_task."
        case TaskStatus.PAUSED:
            return "Take it up again with start_task." + _going_on(found)
        case TaskStatus.REVIEW:
            return "It waits for a review; then complete_task."
        case TaskStatus.FAILED:
            return f"It failed: {_quoted(task.error, task.owner_id)}. Give it another plan with task_replan."
    return _going_on(found).strip() or "Do what its description says, then complete_task."


def _going_on(found: TaskContext) -> str:
    """Where the work stands, as its last checkpoint tells it, or its plan."""
    entry = found.latest
    is_plan = entry is not None and entry.kind.checkpoint in (CheckpointType.PLAN, CheckpointType.REPLAN)
    if entry is not None and not is_plan and (wanted := _named_next(entry.content)) is not None:
        return f" Next: {_quoted(wanted, entry.author)}."
    progress = _reported_since(found.left, entry)
    if progress is not None:
        return f" Go on after: {progress}."
    if entry is not None and not is_plan:
        word = "Solve" if entry.kind.checkpoint is CheckpointType.ERROR else "Go on after"
        return f" {word}: {_quoted(entry.summary, _author(entry))}."
    return _first_step(found.task)


def _reported_since(left: JournalEntry | None, latest: JournalEntry | None) -> str | None:
    """Quote the last progress of the agent that left the task, unless something newer was written."""
    if left is None:
        return None
    progress = left.content["progress"]
    if latest is not None and latest.created_at >= datetime.fromisoformat(progress["at"]):
        return None
    return _quoted(progress["summary"], left.content.get("agent_id"))


def _first_step(task: Task) -> str:
    steps = (task.plan or {}).get("steps") or []
    return f" First step of its plan: {cut(steps[0], longest=QUOTED)}" if steps else ""


def _named_next(content: Mapping[str, Any]) -> str | None:
    """What a checkpoint itself calls the next step."""
    for name in ("next_step", "next_steps", "next"):
        value = content.get(name)
        value = value[0] if isinstance(value, list) and value else value
        if isinstance(value, str) and value.strip():
            return value
    return None


def _author(entry: JournalEntry) -> str | None:
    return entry.author or entry.agent_name


def _quoted(text: Any, author: str | None) -> str:
    """Somebody's words, marked as theirs."""
    shown = cut(str(text or "no reason given"), longest=QUOTED)
    return f'"{shown}" (says {author})' if author else f'"{shown}"'
