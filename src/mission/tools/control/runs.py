"""Tools for runs: start one, watch it, steer it, land its result, and read what it merged."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from mission.domain.checks.review import ReviewRule
from mission.domain.errors import InvalidInput
from mission.domain.executions.signals import Delivery
from mission.domain.runs.options import Overlap
from mission.domain.runs.run import RunState
from mission.gateway.call import Call
from mission.gateway.registry import Address, Arguments, tool
from mission.services.runs.lifecycle import candidate_view, controls, landing, report, run_view, starting
from mission.services.runs.lifecycle.starting import RunRequest
from mission.tools.shared import run_records
from mission.tools.shared.fields import (
    AbsolutePath,
    BranchName,
    CandidateId,
    GivenTexts,
    MissionId,
    Name,
    RunId,
    Setup,
)
from mission.tools.shared.review import available_review
from mission.tools.shared.run_context import run_context

STALE_ON = ("run", "candidate", "task", "execution", "queue", "evidence")
MAX_PLAN = 5_000_000


class AgentKind(Arguments):
    client: Name = Field(description="claude-code, codex, opencode, copilot-cli, gemini-cli, pi, or command")
    count: int = Field(1, ge=1, le=1_000, description="How many may work at once")
    arguments: list[str] = Field([], max_length=200, description="Extra client arguments")
    command: list[str] = Field([], max_length=200, description="For command: the program and its arguments")
    capabilities: list[Name] = Field([], max_length=100, description="What tasks may require of it")
    delivery: Delivery | None = Field(None, description="Delivery method for signals; default: the client's")


class SpendingLimits(Arguments):
    usd: float | None = Field(None, gt=0, le=1_000_000)
    tokens: int | None = Field(None, ge=1, le=10**12)
    minutes: float | None = Field(None, gt=0, le=525_600, description="Wall time since the first launch")
    launches: int | None = Field(None, ge=1, le=1_000_000)


class Budget(SpendingLimits):
    per_task: SpendingLimits | None = None


class OptionArguments(Arguments):
    agents: list[AgentKind] | None = Field(None, min_length=1, max_length=100)
    review: ReviewRule | None = Field(None, description="Who reviews results; default: risk")
    max_parallel: int | None = Field(None, ge=0, le=1_000, description="0: as many as there are agents")
    overlap: Overlap | None = Field(None, description="Whether tasks with common areas run at once; default: avoid")
    attempts: int | None = Field(None, ge=1, le=100, description="Tries without a report before a person is asked")
    revisions: int | None = Field(None, ge=0, le=100, description="Failed results before a person is asked")
    retry_minutes: list[float] | None = Field(None, min_length=1, max_length=20)
    stall_minutes: float | None = Field(None, ge=0.01, le=1440)
    tool_minutes: float | None = Field(None, ge=0.01, le=1440)
    target: BranchName | None = Field(None, description="Branch to land on; default: the one that is checked out")
    land: bool | None = Field(None, description="Land automatically after the final checks")
    squash: bool | None = Field(None, description="Land as one commit")
    regenerate: dict[str, str] | None = Field(None, description="Glob: command that regenerates these files")
    setup: Setup | None = Field(None, description="Command that prepares a worktree; default: the mission's")
    setup_inputs: GivenTexts | None = Field(None, description="Globs of files that rerun setup when changed")
    budget: Budget | None = None

    def options(self) -> dict[str, Any]:
        """Return the options that were given."""
        available_review(self.review)
        given = {name: getattr(self, name) for name in OptionArguments.model_fields}
        dumped = self.model_dump(include={name for name, value in given.items() if value is not None})
        return {name: str(value) if name in ("review", "overlap") else value for name, value in dumped.items()}


class StartRun(OptionArguments):
    mission_id: MissionId | None = Field(None, description="An existing mission with tasks")
    plan: dict[str, Any] | None = Field(None, description="A plan as JSON: mission, agents, budget, tasks")
    plan_toml: str | None = Field(None, max_length=MAX_PLAN, description="The text of a plan file")
    plan_name: Name = Field("plan.toml", description="Name of the plan file in error messages")
    folder: AbsolutePath | None = Field(None, description="Folder of the plan file; relative paths start there")
    path: str | None = Field(None, max_length=10_000, description="PATH that checks run with")
    init: bool = Field(False, description="Create a git repository and a first commit if there is none")
    handover: str | None = Field(None, max_length=100, description="Set by 'mission run'")

    def request(self, call: Call) -> RunRequest:
        return RunRequest(
            mission_id=self.mission_id,
            plan=self.plan,
            plan_toml=self.plan_toml,
            plan_name=self.plan_name,
            folder=self.folder or call.directory,
            options=self.options(),
            path=self.path,
            init=self.init,
            handover=self.handover,
        )


class OneRun(Arguments):
    run_id: RunId | None = None
    mission_id: MissionId | None = Field(None, description="Instead of run_id: the mission's newest run")

    @property
    def named(self) -> dict[str, str | None]:
        """Return which run is meant; raise InvalidInput unless exactly one id is given."""
        if (self.run_id is None) == (self.mission_id is None):
            raise InvalidInput("run_id: give either run_id or mission_id", field="run_id")
        return {"run_id": self.run_id, "mission_id": self.mission_id}


class ListRuns(Arguments):
    mission_id: MissionId | None = None
    state: list[RunState] | None = Field(None, min_length=1)
    limit: int = Field(50, ge=1, le=500)
    cursor: str | None = None


class UpdateRun(OneRun, OptionArguments):
    pass


class EndRun(OneRun):
    reason: str | None = Field(None, max_length=2_000)


class ResumeRun(OneRun):
    handover: str | None = Field(None, max_length=100, description="Set by 'mission resume'")


class LandRun(OneRun):
    squash: bool | None = Field(None, description="Land as one commit; default: the run's option")
    target: BranchName | None = Field(None, description="Default: the run's target")


class CandidateById(Arguments):
    candidate_id: CandidateId
    patch: bool = Field(False, description="Include the changed lines")


@tool(toolset="control", result=run_records.RunStarted, outside=True)
async def run_start(call: Call, args: StartRun) -> dict[str, Any]:
    """Start a run: agents carry out a mission's tasks, and what passes its checks is merged onto a new branch.

    Takes an existing mission or a plan.
    """
    return await starting.start(call, call.trees, call.launcher, request=args.request(call))


@tool(
    toolset="control",
    result=run_records.RunDetail,
    reads=True,
    address=Address("/api/runs/{id}", argument="run_id"),
    stale_on=STALE_ON,
    fades=True,
)
async def run_get(call: Call, args: OneRun) -> dict[str, Any]:
    """Read a run: the stage of each task, the merge queue, spending and open questions."""
    return await call.read(run_view.get, **args.named)


@tool(toolset="control", result=run_records.RunList, reads=True, address="/api/runs", stale_on=STALE_ON)
async def run_list(call: Call, args: ListRuns) -> dict[str, Any]:
    """List runs, newest first."""
    return await call.read(
        run_view.list_runs, mission_id=args.mission_id, states=args.state, limit=args.limit, cursor=args.cursor
    )


@tool(toolset="control", result=run_records.RunDetail, idempotent=True)
async def run_update(call: Call, args: UpdateRun) -> dict[str, Any]:
    """Change the options of a run that has not ended, such as its budget or agents."""
    return await call.finish(controls.update, **args.named, options=args.options(), clients=call.launcher.clients())


@tool(toolset="control", result=run_records.SteeredRun, idempotent=True)
async def run_pause(call: Call, args: EndRun) -> dict[str, Any]:
    """Pause a run: running agents finish, nothing new is launched."""
    return await call.finish(controls.pause, **args.named, reason=args.reason)


@tool(toolset="control", result=run_records.SteeredRun, idempotent=True)
async def run_resume(call: Call, args: ResumeRun) -> dict[str, Any]:
    """Continue a paused run. 'mission resume' also hands over a shell's variables for its clients."""
    return await controls.resume(call, call.launcher, **args.named, handover=args.handover)


@tool(toolset="control", result=run_records.SteeredRun, idempotent=True, destructive=True, outside=True)
async def run_stop(call: Call, args: EndRun) -> dict[str, Any]:
    """Stop a run and its agents. Merged work stays on its branch; open tasks are pending again."""
    return await controls.stop(call, call.launcher, **args.named, reason=args.reason, by=call.identity.name)


@tool(toolset="control", result=run_records.LandedRun, idempotent=True, outside=True)
async def run_land(call: Call, args: LandRun) -> dict[str, Any]:
    """Bring the result of a finished run into its target branch. Returns once it has landed or cannot."""
    return await landing.land_run(run_context(call), **args.named, squash=args.squash, target=args.target)


@tool(
    toolset="control",
    result=run_records.RunReport,
    reads=True,
    address=Address("/api/runs/{id}/report", argument="run_id"),
    stale_on=STALE_ON,
)
async def run_report(call: Call, args: OneRun) -> dict[str, Any]:
    """Read the report of a run: what was merged and how it was proved, what it cost, what is left."""
    return await call.read(report.get, **args.named)


@tool(
    toolset="control",
    result=run_records.CandidateRecord,
    reads=True,
    address=Address("/api/candidates/{id}", argument="candidate_id"),
    stale_on=("candidate", "evidence"),
)
async def candidate_get(call: Call, args: CandidateById) -> dict[str, Any]:
    """Read a candidate: a reported result as a commit, its changes from the tip, and its evidence."""
    return await candidate_view.get(call, call.trees, candidate_id=args.candidate_id, patch=args.patch)
