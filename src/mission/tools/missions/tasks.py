"""Tools that start and complete a task."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field, model_validator

from mission.domain.errors import InvalidInput
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import CallerType, Quality, Task
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, tool
from mission.services.tasks import completion, starting
from mission.services.tasks.completion import Completed, TaskResult
from mission.services.tasks.preparation import TaskRequest
from mission.services.tasks.starting import Owner, Started
from mission.tools.shared.evidence import TaskEvidence
from mission.tools.shared.fields import (
    Fence,
    GivenTexts,
    MissionId,
    Name,
    PhaseId,
    PhaseNumber,
    TaskId,
    Text,
    Texts,
    check_one_mission,
)
from mission.tools.shared.records import IF_ASKED, CommitMade, FilesChanged, RecoveryPacket, files_changed
from mission.tools.shared.wording import Moment


class StartTask(Arguments):
    mission_id: MissionId | None = Field(None, description="Default: newest open mission here")
    workflow_id: MissionId | None = Field(None, description="Alias of mission_id")
    phase: PhaseNumber | None = Field(None, description="Created if missing; default: current")
    phase_id: PhaseId | None = None
    phase_name: Name | None = None
    caller_type: CallerType | None = None
    agent_name: Name | None = Field(None, description="Required for subagent")
    name: Name | None = Field(None, description="Required for a new task")
    goal: Text | None = Field(None, description="Required for a new task")
    areas: GivenTexts = Field([], description="Folders or globs to change")
    parent_task_id: TaskId | None = None
    task_id: TaskId | None = Field(None, description="Start this existing task")
    repository_path: str | None = Field(None, description="Absolute; default: working directory")
    agent_id: str | None = None
    fence: Fence | None = None

    @model_validator(mode="after")
    def _check(self) -> StartTask:
        check_one_mission(self.mission_id, self.workflow_id)
        if self.caller_type is CallerType.SUBAGENT and not self.agent_name:
            message = "agent_name is required when caller_type is subagent"
            raise InvalidInput(message, hint="Set agent_name to the agent that does the work.", field="agent_name")
        missing = [] if self.task_id else [field for field in ("name", "goal") if not getattr(self, field)]
        if missing:
            verb = "is" if len(missing) == 1 else "are"
            raise InvalidInput(
                f"{' and '.join(missing)} {verb} required for a new task",
                hint="Provide them, or the task_id of a planned task.",
                field=missing[0],
                fields=missing,
            )
        return self

    def request(self) -> TaskRequest:
        return TaskRequest(
            mission_id=self.mission_id or self.workflow_id,
            task_id=self.task_id,
            phase_id=self.phase_id,
            phase=self.phase,
            phase_name=self.phase_name,
            parent_id=self.parent_task_id,
            name=self.name,
            goal=self.goal,
            areas=self.areas,
            caller_type=self.caller_type,
            agent_name=self.agent_name,
        )


class StartedTask(Result):
    task_id: str
    mission_id: str
    workflow_id: str
    phase_id: str
    phase_number: int
    phase_name: str
    phase_created: bool
    caller_type: str | None
    agent_name: str | None
    repository_path: str | None
    snapshot_id: str | None
    snapshot_type: str | None
    started_at: Moment | None
    fence: int | None
    warnings: Texts
    recovery: dict[str, Any] | None = IF_ASKED

    @classmethod
    def of(cls, started: Started) -> StartedTask:
        task, phase, snapshot = started.task, started.phase, started.snapshot
        return cls(
            task_id=task.id,
            mission_id=task.mission_id,
            workflow_id=task.mission_id,
            phase_id=phase.id,
            phase_number=phase.number,
            phase_name=phase.name,
            phase_created=started.phase_created,
            caller_type=task.caller_type,
            agent_name=task.agent_name,
            repository_path=task.tree,
            snapshot_id=snapshot.id if snapshot else None,
            snapshot_type=snapshot.kind if snapshot else None,
            started_at=task.started_at,
            fence=task.fence if task.owner_id else None,
            warnings=list(started.warnings),
            recovery=_packet(started),
        )


class TaskOutcome(Arguments):
    summary: Text = Field(description="2-4 sentences")
    achievements: GivenTexts = []
    limitations: GivenTexts = []
    manual_review_needed: bool = False
    manual_review_reason: str | None = None
    next_steps: GivenTexts = []


class TaskMetadata(Arguments):
    model_config = ConfigDict(extra="allow", frozen=True)

    packages_added: GivenTexts = []
    packages_removed: GivenTexts = []
    commands_executed: GivenTexts = []
    tests_status: Literal["passed", "failed", "not_run"] | None = None
    tokens_input: int | None = Field(None, ge=0, le=10**15)
    tokens_output: int | None = Field(None, ge=0, le=10**15)


class CompleteTask(Arguments):
    task_id: TaskId
    status: Literal["success", "partial_success", "failed"]
    outcome: TaskOutcome
    metadata: TaskMetadata | None = None
    phase_complete: bool = Field(False, description="Also complete its phase")
    unproved: bool = Field(False, description="Only after CHECKS_VOID or CHECKS_ERROR")
    agent_id: str | None = None
    fence: Fence | None = None

    def result(self) -> TaskResult:
        failed = self.status == "failed"
        return TaskResult(
            status=TaskStatus.FAILED if failed else TaskStatus.COMPLETED,
            quality=None if failed else _QUALITY[self.status],
            outcome=self.outcome.model_dump(mode="json"),
            metadata=self.metadata.model_dump(mode="json") if self.metadata else None,
            phase_complete=self.phase_complete,
            unproved=self.unproved,
        )


_QUALITY = {"success": Quality.SUCCESS, "partial_success": Quality.PARTIAL}


class ScopeVerification(Result):
    scope_match: bool
    unexpected_files: Texts
    warnings: Texts


class CompletedTask(Result):
    task_id: str
    status: str
    duration_seconds: float | None
    files_changed: FilesChanged | None
    commits: list[CommitMade]
    verification: ScopeVerification
    phase_status: str
    phase_number: int
    evidence: TaskEvidence | None = IF_ASKED

    @classmethod
    def of(cls, completed: Completed) -> CompletedTask:
        task = completed.task
        changes = completed.changes
        return cls(
            task_id=task.id,
            status=_word(task),
            duration_seconds=task.duration_seconds,
            files_changed=files_changed(changes.as_dict()) if changes else None,
            commits=changes.commits if changes else (),
            verification=completed.verification,
            phase_status=completed.phase_status,
            phase_number=task.phase_number,
            evidence=_evidence(completed),
        )


WAIT_FOR_CHECKS = "The checks are running. Do not edit files; call task_checks with this task_id to wait for them."
WAIT_FOR_MERGE = (
    "The result is checked and merged. Do not edit files; call task_checks with this task_id to wait for that."
)
WAIT_FOR_REVIEW = "The checks passed. A person reviews the result; nothing is left to do."


def _evidence(completed: Completed) -> TaskEvidence | None:
    """Return what the checks say; a task of a mission without checks has nothing to show."""
    if (candidate := completed.candidate) is not None:
        return TaskEvidence.running(
            completed.evidence,
            tree=candidate.merged_tree or candidate.tree,
            next=WAIT_FOR_REVIEW if candidate.waits_for_review else WAIT_FOR_MERGE,
        )
    known = TaskEvidence.of_task(completed.task)
    if completed.round is None:
        return known
    if completed.round.is_open or known is None:
        return TaskEvidence.running(completed.evidence, tree=completed.round.tree, next=WAIT_FOR_CHECKS)
    return known.model_copy(update={"next": WAIT_FOR_REVIEW})


def _packet(started: Started) -> dict[str, Any] | None:
    """Return the recovery packet of the previous owner, in the form task_claim uses."""
    if started.recovery is None:
        return None
    return RecoveryPacket.of(started.recovery).model_dump(mode="json", by_alias=True)


def _word(task: Task) -> str:
    if task.is_checking:
        return "checking"
    if task.status is TaskStatus.REVIEW:
        return "review"
    return next((word for word, meant in _QUALITY.items() if meant is task.quality), "failed")


@tool(toolset="mission", result=StartedTask, actor="agent_id")
async def start_task(call: Call, args: StartTask) -> Started:
    """Start a task before changing files; snapshots the tree for complete_task."""
    return await starting.start(
        call,
        call.trees,
        request=args.request(),
        owner=Owner(agent_id=call.actor, lease=call.lease, fence=args.fence),
        repository_path=args.repository_path,
        directory=call.directory,
        report=call.report,
    )


@tool(toolset="mission", result=CompletedTask, actor="agent_id", owned="task_id", idempotent=True)
async def complete_task(call: Call, args: CompleteTask) -> Completed:
    """End a task. Returns the files changed since start_task."""
    return await completion.complete(
        call,
        call.trees,
        call.checks.gate,
        task_id=args.task_id,
        agent_id=call.actor,
        fence=args.fence,
        result=args.result(),
        report=call.report,
    )
