"""The next step for the owner of a task, in words it can act on."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from mission.domain.tasks.journal import CheckpointType, JournalEntry
from mission.domain.tasks.states import DONE, TaskStatus
from mission.domain.tasks.task import Task
from mission.services.tasks.context import TaskContext
from mission.tools.shared.fields import cut

QUOTED = 300
NAMED = 5


def next_step(found: TaskContext) -> str:
    """Return the next step for the task in its current state."""
    task = found.task
    if task.status in DONE:
        return f"Nothing to do: the task is {task.status}."
    if found.waits_for and task.status is TaskStatus.PENDING:
        names = ", ".join(f"'{each.name}' ({each.status})" for each in found.waits_for[:NAMED])
        return (
            f"Wait until {names} {'is' if len(found.waits_for) == 1 else 'are'} done; work on another task until then."
        )
    if task.is_checking:
        return "Its checks are running: wait for them with task_checks, and do not edit its files."
    match task.status:
        case TaskStatus.PENDING if task.owner_id is None:
            return "Claim it with task_claim, then start_task." + _where_to_continue(found)
        case TaskStatus.PENDING:
            return "Start it with start_task." + _where_to_continue(found)
        case TaskStatus.PLANNING if task.plan is not None:
            return "Its plan is ready: start it with start_task." + _where_to_continue(found)
        case TaskStatus.PLANNING:
            return "Finish its plan with task_set_plan, then start_task."
        case TaskStatus.PAUSED if task.hold is not None:
            return f"It is on hold: {_quoted(task.hold.reason, task.hold.by)}. Resolve that, then start_task."
        case TaskStatus.PAUSED:
            return "Resume it with start_task." + _where_to_continue(found)
        case TaskStatus.REVIEW:
            return "Wait for its review, then call complete_task."
        case TaskStatus.FAILED:
            return f"It failed: {_quoted(task.error, task.owner_id)}. Replan it with task_replan."
    return _where_to_continue(found).strip() or "Follow its description, then call complete_task."


def _where_to_continue(found: TaskContext) -> str:
    """Return where to continue: from the checks that failed, the last checkpoint or the plan."""
    if found.failed_checks:
        names = ", ".join(f"'{each.name}'" for each in found.failed_checks[:NAMED])
        return f" Fix what its checks found ({names}), then call complete_task."
    entry = found.latest
    is_plan = entry is not None and entry.kind.checkpoint in (CheckpointType.PLAN, CheckpointType.REPLAN)
    if entry is not None and not is_plan and (wanted := _named_next(entry.content)) is not None:
        return f" Next: {_quoted(wanted, entry.author)}."
    progress = _reported_since(found.left, entry)
    if progress is not None:
        return f" Continue after: {progress}."
    if entry is not None and not is_plan:
        word = "Solve" if entry.kind.checkpoint is CheckpointType.ERROR else "Continue after"
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
    return f" First step of its plan: {cut(steps[0], limit=QUOTED)}" if steps else ""


def _named_next(content: Mapping[str, Any]) -> str | None:
    """Return the next step that a checkpoint names, if any."""
    for name in ("next_step", "next_steps", "next"):
        value = content.get(name)
        value = value[0] if isinstance(value, list) and value else value
        if isinstance(value, str) and value.strip():
            return value
    return None


def _author(entry: JournalEntry) -> str | None:
    return entry.author or entry.agent_name


def _quoted(text: Any, author: str | None) -> str:
    """Quote a text and name its author."""
    shown = cut(str(text or "no reason given"), limit=QUOTED)
    return f'"{shown}" (says {author})' if author else f'"{shown}"'
