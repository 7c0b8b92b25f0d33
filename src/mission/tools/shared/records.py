"""Result models shared by tools: missions, tasks and checkpoints in the workflow dialect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from mission.domain.display_status import task_state
from mission.domain.missions.mission import Mission, MissionStatus
from mission.domain.tasks.journal import JournalEntry
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Task
from mission.gateway.registry import Result, attribute
from mission.git.worktrees.worktree import WorktreeState
from mission.services.tasks.claims import TaskDetail
from mission.services.tasks.recovery_packet import Recovery
from mission.tools.shared.evidence import FailedCheckRecord, TaskEvidence
from mission.tools.shared.fields import Texts, cut
from mission.tools.shared.wording import Moment

IF_ASKED: Any = Field(None, exclude_if=lambda value: value is None)
"""A field that is in the result only on request."""

STATE: Any = Field(description="The state as people read it")

BLOCKED = "blocked"


class Done(Result):
    success: bool

    @classmethod
    def of(cls, value: object) -> Done:
        """Return whether a write did something; one that says nothing about it did."""
        return cls(success=value is not False)


class RenamedFile(Result):
    source: str = Field(alias="from")
    to: str


class FilesChanged(Result):
    added: Texts
    modified: Texts
    deleted: Texts
    renamed: list[RenamedFile]


class CommitMade(Result):
    id: str
    subject: str


class CheckpointRecord(Result):
    id: str
    task_id: str
    sequence: int
    type: str = attribute("kind.checkpoint")
    summary: str
    detail: dict[str, Any] = attribute("content")
    files_changed: Texts
    author: str | None
    created_at: Moment

    @classmethod
    def row(cls, entry: JournalEntry) -> CheckpointRecord:
        """Return the checkpoint for a short list, with long texts truncated."""
        full = cls.model_validate(entry)
        return full.model_copy(update={"summary": cut(full.summary), "detail": cut(full.detail)})


class TaskSummary(Result):
    id: str
    name: str
    status: str
    state: str = STATE
    sequence: int
    depends_on: Texts
    failed_attempts: int

    @classmethod
    def of(cls, detailed: TaskDetail) -> TaskSummary:
        task = detailed.task
        return cls(
            id=task.id,
            name=task.name,
            status=task_word(task),
            state=task_state(task),
            sequence=task.phase_number,
            depends_on=list(detailed.depends_on),
            failed_attempts=task.failed_attempts,
        )


class TaskRecord(Result):
    id: str
    workflow_id: str
    name: str
    description: str
    status: str
    state: str = STATE
    sequence: int
    parallel_group: str | None
    depends_on: Texts
    requires: Texts
    estimated_complexity: str | None
    files_likely_affected: Texts
    plan: dict[str, Any] | None
    context: dict[str, Any] | None
    outcome: str | None
    outcome_detail: dict[str, Any] | None
    error: str | None
    hold: dict[str, Any] | None
    workspace_id: str | None
    assigned_agent_id: str | None
    claimed_at: Moment | None
    lease_until: Moment | None
    fence: int
    attempts: int
    failed_attempts: int
    files_changed: FilesChanged | None
    created_at: Moment
    updated_at: Moment
    evidence: TaskEvidence | None = IF_ASKED
    acceptance: Texts | None = IF_ASKED
    review: str | None = IF_ASKED
    checkpoints: list[CheckpointRecord] | None = IF_ASKED

    @classmethod
    def of(cls, detailed: TaskDetail) -> TaskRecord:
        task = detailed.task
        return cls(
            id=task.id,
            workflow_id=task.mission_id,
            name=task.name,
            description=task.goal,
            status=task_word(task),
            state=task_state(task),
            sequence=task.phase_number,
            parallel_group=task.parallel_group,
            depends_on=list(detailed.depends_on),
            requires=list(task.requires or ()),
            estimated_complexity=task.complexity,
            files_likely_affected=list(task.files_likely_affected or ()),
            plan=_object(task.plan),
            context=_object(task.context),
            outcome=outcome_of(task),
            outcome_detail=_outcome_detail(task),
            error=task.error,
            hold=task.hold.as_dict() if task.hold is not None else None,
            workspace_id=task.workspace_id,
            assigned_agent_id=task.owner_id,
            claimed_at=task.claimed_at,
            lease_until=task.lease_until,
            fence=task.fence,
            attempts=task.attempts,
            failed_attempts=task.failed_attempts,
            files_changed=files_changed(task.changes),
            created_at=task.created_at,
            updated_at=task.updated_at,
            evidence=TaskEvidence.of_task(task),
            acceptance=list(task.acceptance) if task.acceptance else None,
            review=task.review,
            checkpoints=detailed.checkpoints,
        )


class WorkspaceState(Result):
    exists: bool
    head: str | None
    current_branch: str | None
    ahead: int | None
    behind: int | None
    dirty: bool
    uncommitted: Texts

    @classmethod
    def of(cls, state: WorktreeState) -> WorkspaceState:
        return cls(
            exists=state.exists,
            head=state.head,
            current_branch=state.branch,
            ahead=state.ahead,
            behind=state.behind,
            dirty=bool(state.uncommitted),
            uncommitted=list(state.uncommitted),
        )


class WorkspaceRecord(Result):
    id: str = attribute("workspace.id")
    workflow_id: str = attribute("workspace.mission_id")
    host_id: str = attribute("workspace.host_id")
    path: str = attribute("workspace.path")
    branch: str = attribute("workspace.branch")
    base_branch: str | None = attribute("workspace.base_branch")
    status: str = attribute("workspace.status")
    merge_commit: str | None = attribute("workspace.merge_commit")
    kept_branch: str | None = attribute("workspace.kept_branch")
    task_ids: Texts
    removed_at: Moment | None = attribute("workspace.removed_at")
    created_at: Moment = attribute("workspace.created_at")
    updated_at: Moment = attribute("workspace.updated_at")
    state: WorkspaceState | None = IF_ASKED


class RecoveryPacket(Result):
    previous_owner: str | None
    attempts: int
    checkpoints: list[CheckpointRecord]
    workspace: WorkspaceRecord | None
    tree: str | None
    uncommitted_changes: FilesChanged | None
    commits: list[CommitMade]
    failed_checks: list[FailedCheckRecord] = Field(description="What failed last; start there")

    @classmethod
    def of(cls, recovery: Recovery) -> RecoveryPacket:
        return cls(
            previous_owner=recovery.previous_owner,
            attempts=recovery.attempts,
            checkpoints=[CheckpointRecord.row(entry) for entry in recovery.checkpoints],
            workspace=recovery.workspace,
            tree=recovery.tree,
            uncommitted_changes=files_changed(recovery.changes.as_dict() if recovery.changes else None),
            commits=recovery.changes.commits if recovery.changes else (),
            failed_checks=list(recovery.failed_checks),
        )


def task_word(task: Task) -> str:
    """Return the status in this dialect: blocked is separate, a review counts as in progress."""
    if task.is_blocked:
        return BLOCKED
    return TaskStatus.IN_PROGRESS if task.status is TaskStatus.REVIEW else task.status


def mission_word(mission: Mission) -> str:
    return MissionStatus.PAUSED if mission.status is MissionStatus.BLOCKED else mission.status


MissionWord = Annotated[str, BeforeValidator(mission_word)]
"""A mission, shown by its status in this dialect."""


def outcome_of(task: Task) -> str | None:
    """Return the summary of the task's outcome; None if it only repeats `error`."""
    summary = task.outcome["summary"] if task.outcome is not None else None
    return summary if summary != task.error else None


def files_changed(changes: Mapping[str, Any] | None) -> FilesChanged | None:
    if changes is None:
        return None
    return FilesChanged.model_validate({name: value for name, value in changes.items() if name != "commits"})


def _outcome_detail(task: Task) -> dict[str, Any] | None:
    """Return the details of the outcome other than its summary, in any dialect."""
    rest = {name: value for name, value in (task.outcome or {}).items() if name != "summary"}
    return rest.get("detail", rest) or None


def _object(value: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return dict(value) if value is not None else None
