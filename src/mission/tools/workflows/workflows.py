"""Tools for missions as workflows with plans: create, plan, read, list, update."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from mission.domain.checks.check import parse_checks
from mission.domain.checks.review import ReviewRule
from mission.domain.missions.mission import Family, Mission, MissionStatus
from mission.domain.tasks.workspace import check_inner
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, attribute, tool
from mission.services.missions import completion, creation, planning, progress
from mission.services.missions.creation import NewMission
from mission.services.missions.planning import Plan, Planned
from mission.services.missions.progress import MissionSummary
from mission.tools.shared.evidence import EvidenceCounts
from mission.tools.shared.fields import AbsolutePath, Checks, Copies, GivenTexts, MissionId, Name, Setup, Text
from mission.tools.shared.plan_tasks import MAX_TASKS, PlanTask
from mission.tools.shared.records import IF_ASKED, Done, MissionWord, TaskRecord, TaskSummary, mission_word
from mission.tools.shared.review import available_review
from mission.tools.shared.wording import Moment

Parallel = Field(1, ge=1, le=1000, description="Maximum tasks running at once")


class CreateWorkflow(Arguments):
    name: Name
    source_type: Literal["prompt", "github_issue", "linear", "jira", "custom"]
    source_ref: str | None = Field(None, max_length=2000, description="URL or identifier")
    source_content: Text = Field(description="The prompt or issue text")
    repository_path: str | None = Field(None, description="Absolute; default: working directory")
    max_parallel_tasks: int = Parallel
    auto_create_workspaces: bool = Field(False, description="Create a worktree for each parallel task")
    workspace_setup: Setup | None = Field(None, description="Shell command to run in each new worktree")
    workspace_copy: Copies | None = Field(None, description="Untracked files to copy there, such as '.env'")
    checks: Checks | Literal["repository"] | None = Field(
        None, description="What must pass before a task is done; 'repository' uses the repository's checks"
    )
    final_checks: Checks | None = Field(None, description="What must pass on the integrated result")
    review: ReviewRule | None = Field(None, description="Who reviews results before they count as done")


class CreatedWorkflow(Result):
    id: str
    name: str
    status: str
    max_parallel_tasks: int

    @classmethod
    def of(cls, mission: Mission) -> CreatedWorkflow:
        return cls(
            id=mission.id, name=mission.name, status=mission_word(mission), max_parallel_tasks=mission.max_parallel
        )


class GetWorkflow(Arguments):
    id: MissionId
    include_tasks: bool = False
    include_task_summaries: bool = Field(True, description="false: complete tasks instead of summaries")
    offset: int = Field(0, ge=0, le=10_000_000, description="next_offset of the previous page")


class WorkflowRecord(Result):
    id: str
    name: str
    status: str
    source_type: str
    source_ref: str | None
    source_content: str | None
    plan: dict[str, Any] | None
    plan_summary: str | None
    max_parallel_tasks: int
    auto_create_workspaces: bool
    repository_path: str | None
    created_at: Moment
    updated_at: Moment
    tasks_total: int
    tasks: list[TaskSummary | TaskRecord] | None = IF_ASKED
    next_offset: int | None = IF_ASKED

    @classmethod
    def of(cls, found: MissionSummary, *, summaries: bool) -> WorkflowRecord:
        mission = found.mission
        tasks: list[TaskSummary | TaskRecord] | None = None
        if found.tasks is not None:
            tasks = [TaskSummary.of(each) if summaries else TaskRecord.of(each) for each in found.tasks]
        return cls(
            id=mission.id,
            name=mission.name,
            status=mission_word(mission),
            source_type=mission.source_type,
            source_ref=mission.source_ref,
            source_content=found.source_content,
            plan=mission.plan,
            plan_summary=mission.plan_summary,
            max_parallel_tasks=mission.max_parallel,
            auto_create_workspaces=mission.auto_create_workspaces,
            repository_path=mission.repository_path,
            created_at=mission.created_at,
            updated_at=mission.updated_at,
            tasks_total=found.tasks_total,
            tasks=tasks,
            next_offset=found.next_offset,
        )


class ListWorkflows(Arguments):
    repository_path: AbsolutePath | None = None
    status: list[MissionStatus] | None = None
    archived: bool = Field(False, description="Only archived ones")
    limit: int = Field(20, ge=1, le=200)
    offset: int = Field(0, ge=0, le=10_000_000)


class WorkflowSummary(Result):
    id: str = attribute("mission.id")
    name: str = attribute("mission.name")
    status: MissionWord = attribute("mission")
    source_type: str = attribute("mission.source_type")
    created_at: Moment = attribute("mission.created_at")
    updated_at: Moment = attribute("mission.updated_at")
    tasks_total: int
    tasks_completed: int
    evidence: EvidenceCounts = attribute("proof_counts")


class WorkflowList(Result):
    workflows: list[WorkflowSummary]
    total: int


class WorkflowPlan(Arguments):
    summary: Text
    approach: Text
    tasks: list[PlanTask] = Field(min_length=1, max_length=MAX_TASKS)
    risks: GivenTexts = []
    assumptions: GivenTexts = []

    def plan(self) -> Plan:
        return Plan(
            summary=self.summary,
            approach=self.approach,
            tasks=[task.new() for task in self.tasks],
            risks=self.risks,
            assumptions=self.assumptions,
        )


class SetWorkflowPlan(Arguments):
    id: MissionId
    plan: WorkflowPlan


class PlannedWorkflow(Result):
    workflow_id: str = attribute("mission.id")
    tasks_created: int
    parallelizable_groups: int = attribute("parallel_groups")
    status: MissionWord = attribute("mission")


class UpdateWorkflowStatus(Arguments):
    id: MissionId
    status: MissionStatus
    reason: str | None = None


class SetParallelism(Arguments):
    id: MissionId
    max_parallel_tasks: int = Field(ge=1, le=1000, description="1: one at a time")
    auto_create_workspaces: bool | None = None
    workspace_setup: Setup | None = None
    workspace_copy: Copies | None = None


@tool(toolset="workflow", result=CreatedWorkflow)
async def workflow_create(call: Call, args: CreateWorkflow) -> Mission:
    """Create a workflow from a prompt or issue; plan it next with workflow_set_plan."""
    return await creation.start(
        call,
        call.trees,
        new=NewMission(
            name=args.name,
            objective=args.name,
            family=Family.WORKFLOW,
            source_type=args.source_type,
            source_ref=args.source_ref,
            source_content=args.source_content,
            max_parallel=args.max_parallel_tasks,
            auto_create_workspaces=args.auto_create_workspaces,
            workspace_setup=_setup(args.workspace_setup, args.workspace_copy),
            checks=parse_checks(args.checks) if isinstance(args.checks, list) else (),
            final_checks=parse_checks(args.final_checks or [], field="final_checks"),
            repository_checks=args.checks == "repository",
            review=available_review(args.review),
            agent_id=call.actor,
        ),
        repository_path=args.repository_path,
        directory=call.directory,
    )


@tool(toolset="workflow", result=WorkflowRecord, reads=True)
async def workflow_get(call: Call, args: GetWorkflow) -> WorkflowRecord:
    """Read a workflow, optionally with its tasks: 200 per page, in plan order."""
    found = await call.read(progress.get, mission_id=args.id, with_tasks=args.include_tasks, offset=args.offset)
    return WorkflowRecord.of(found, summaries=args.include_task_summaries)


@tool(toolset="workflow", result=WorkflowList, reads=True, address="/api/missions")
async def workflow_list(call: Call, args: ListWorkflows) -> WorkflowList:
    """List missions, most recently active first."""
    found, total = await call.read(
        creation.list_missions,
        statuses=_ours(args.status),
        repository_path=args.repository_path,
        archived=args.archived,
        limit=args.limit,
        offset=args.offset,
    )
    return WorkflowList(workflows=found, total=total)


@tool(toolset="workflow", result=PlannedWorkflow)
async def workflow_set_plan(call: Call, args: SetWorkflowPlan) -> Planned:
    """Create all tasks of a workflow from its plan. Replaces a plan that has not started."""
    plan = args.plan.plan()
    plan.check()
    return await call.finish(planning.set_plan, mission_id=args.id, plan=plan, agent_id=call.actor)


@tool(toolset="workflow", result=Done)
async def workflow_update_status(call: Call, args: UpdateWorkflowStatus) -> Mission:
    """Change a workflow's status. 'completed' requires all tasks finished; 'failed' and 'abandoned' skip open ones."""
    return await call.finish(
        completion.move,
        mission_id=args.id,
        status=args.status,
        reason=args.reason,
    )


@tool(toolset="workflow", result=Done, idempotent=True)
async def workflow_set_parallelism(call: Call, args: SetParallelism) -> Mission:
    """Set how many tasks of a workflow may run at once."""
    return await call.finish(
        planning.set_parallelism,
        mission_id=args.id,
        max_parallel=args.max_parallel_tasks,
        auto_create_workspaces=args.auto_create_workspaces,
        workspace_setup=_setup(args.workspace_setup, args.workspace_copy),
    )


def _setup(command: str | None, copies: list[str] | None) -> dict[str, Any] | None:
    """Return the given setup of new worktrees; None if nothing was given."""
    for name in copies or ():
        check_inner(name, field="workspace_copy")
    given = {"setup": command, "copy": copies}
    return {name: value for name, value in given.items() if value is not None} or None


def _ours(statuses: list[MissionStatus] | None) -> list[str] | None:
    """Return the stored states of this dialect's words, in which a blocked mission counts as paused."""
    if statuses is None:
        return None
    wanted = set(statuses) | ({MissionStatus.BLOCKED} if MissionStatus.PAUSED in statuses else set())
    return sorted(map(str, wanted))
