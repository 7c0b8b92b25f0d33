"""Rows of get_context: phases, tasks, decisions, milestones, blockers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from mission.domain.missions.phase import Phase, PhaseStatus
from mission.domain.tasks.journal import IssueType, JournalEntry
from mission.domain.tasks.task import CHANGE_LISTS, Task
from mission.domain.timestamps import seconds_between
from mission.gateway.registry import Result
from mission.services.missions.context import ContextSection
from mission.tools.shared.fields import Texts, cut
from mission.tools.shared.wording import Moment, issue_type, task_status


class TaskCounts(Result):
    total: int
    completed: int
    failed: int
    in_progress: int
    pending: int


class PhaseRow(Result):
    phase_id: str
    phase_number: int
    number: int
    name: str
    phase_name: str
    status: str
    is_parallel: bool
    tasks_count: int
    tasks: TaskCounts
    duration_seconds: float | None
    started_at: Moment | None
    completed_at: Moment | None

    @classmethod
    def of(cls, phase: Phase, *, now: datetime) -> PhaseRow:
        running = phase.status is PhaseStatus.IN_PROGRESS
        return cls(
            phase_id=phase.id,
            phase_number=phase.number,
            number=phase.number,
            name=phase.name,
            phase_name=phase.name,
            status=phase.status.upper(),
            is_parallel=phase.is_parallel,
            tasks_count=phase.counts.total,
            tasks=phase.counts,
            duration_seconds=seconds_between(phase.started_at, now if running else phase.completed_at),
            started_at=phase.started_at,
            completed_at=phase.completed_at,
        )


class _Row(Result):
    id: str
    task_id: str
    agent_name: str | None
    created_at: Moment


class TaskRow(_Row):
    phase_id: str
    phase: int
    parent_task_id: str | None
    name: str
    goal: str
    areas: Texts
    caller_type: str | None
    status: str
    agent_id: str | None
    outcome: dict[str, Any] | None
    metadata: dict[str, Any] | None
    files_changed: int | None
    started_at: Moment | None
    completed_at: Moment | None
    duration_seconds: float | None

    @classmethod
    def of(cls, task: Task) -> TaskRow:
        changes = task.changes
        return cls(
            id=task.id,
            task_id=task.id,
            agent_name=task.agent_name,
            created_at=task.created_at,
            phase_id=task.phase_id,
            phase=task.phase_number,
            parent_task_id=task.parent_id,
            name=task.name,
            goal=cut(task.goal),
            areas=cut(list(task.areas)),
            caller_type=task.caller_type.upper() if task.caller_type else None,
            status=task_status(task),
            agent_id=task.owner_id,
            outcome=cut(dict(task.outcome)) if task.outcome else None,
            metadata=cut(dict(task.metadata)) if task.metadata else None,
            files_changed=sum(len(changes[kind]) for kind in CHANGE_LISTS) if changes else None,
            started_at=task.started_at,
            completed_at=task.completed_at,
            duration_seconds=task.duration_seconds,
        )


class DecisionRow(_Row):
    category: str
    question: str
    options_considered: Texts
    chosen: str
    reasoning: str
    trade_offs: str | None


class MilestoneRow(_Row):
    message: str
    progress: float | None
    metadata: dict[str, Any] | None


class BlockerRow(_Row):
    type: str
    description: str
    resolution: str
    requires_human_review: bool


def _entry(entry: JournalEntry) -> dict[str, Any]:
    detail = cut(dict(entry.detail))
    if "category" in detail:
        detail["category"] = detail["category"].upper()
    if "type" in detail:
        detail["type"] = issue_type(IssueType(detail["type"]))
    return {
        "id": entry.id,
        "task_id": entry.task_id,
        "agent_name": entry.agent_name,
        "created_at": entry.created_at,
        **detail,
    }


RENDER: dict[ContextSection, Callable[[Any], Any]] = {
    ContextSection.TASKS: TaskRow.of,
    ContextSection.DECISIONS: lambda entry: DecisionRow(**_entry(entry)),
    ContextSection.MILESTONES: lambda entry: MilestoneRow(**_entry(entry)),
    ContextSection.BLOCKERS: lambda entry: BlockerRow(**_entry(entry)),
}
