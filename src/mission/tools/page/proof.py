"""Tools behind the page's evidence: what the checks say about a task, and commands that wait for approval."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from mission.domain.checks.check import Scope
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, tool
from mission.services.views import proof as proof_view
from mission.services.views.proof import CheckLine, ProposedCheck, TaskProof
from mission.tools.shared.fields import QueueItemId, TaskId
from mission.tools.shared.wording import Moment


class LookProof(Arguments):
    task_id: TaskId


class LookProposed(Arguments):
    item_id: QueueItemId


class CheckBefore(Result):
    """The result of a check on the tree before the change."""

    evidence_id: str
    role: str = Field(description="start: the task's start; red: the start with only the changed tests")
    state: str


class CheckGlance(Result):
    name: str
    kind: str
    asks: str = Field(description="The command, or the globs")
    required: bool
    origin: Scope
    approval: str
    state: str = Field(description="State of its evidence, or not_run")
    evidence_id: str | None
    output_id: str | None = Field(description="The evidence that has its output; null if it has none")
    seconds: float | None
    exit_code: int | None
    timed_out: bool
    idle: bool
    tests: dict[str, int] | None
    failed_before: bool = Field(description="It also fails on the start tree")
    green_before: bool = Field(description="It passed with only the changed tests, so they prove nothing")
    flaky: bool
    reused: bool
    reason: str | None
    files: list[str] = Field(description="Files that changed while it ran, or that match its globs")
    before: CheckBefore | None
    started_at: Moment | None
    ended_at: Moment | None

    @classmethod
    def of(cls, line: CheckLine) -> CheckGlance:
        check, result = line.defined.check, line.result
        has_output = result is not None and check.run is not None and result.started_at is not None
        return cls(
            name=check.name,
            kind=str(check.kind),
            asks=check.judges,
            required=check.required,
            origin=line.defined.origin,
            approval=str(line.defined.approval),
            state=line.state,
            evidence_id=result.id if result else None,
            output_id=(result.reused_from or result.id) if result and has_output else None,
            seconds=result.seconds if result else None,
            exit_code=result.exit_code if result else None,
            timed_out=result.timed_out if result else False,
            idle=result.idle if result else False,
            tests=result.record()["tests"] if result else None,
            failed_before=line.failed_before,
            green_before=line.green_before,
            flaky=result.flaky if result else False,
            reused=result is not None and result.reused_from is not None,
            reason=result.reason if result else None,
            files=list(result.files) if result else [],
            before=CheckBefore(
                evidence_id=line.before.reused_from or line.before.id,
                role=str(line.before.role),
                state=str(line.before.state),
            )
            if line.before
            else None,
            started_at=result.started_at if result else None,
            ended_at=result.ended_at if result else None,
        )


class TaskProofGlance(Result):
    task_id: str
    state: str | None = Field(description="proved, unproved, accepted, failing or checking; null before any report")
    tree: str | None = Field(description="The id of the tree that was checked")
    reason: str | None = Field(description="Why it is unproved, or why a person accepted it")
    by: str | None = Field(description="The person who accepted it")
    flags: list[str] = Field(description="Reasons to look at the result")
    waits: str | None = Field(description="What its checks are waiting for")
    running: bool
    advice: bool = Field(description="The checks ran before a report, as advice")
    round_state: str | None
    checks: list[CheckGlance]
    acceptance: list[str] = Field(description="Acceptance criteria")
    review: str | None
    areas: list[str]
    unexpected_files: list[str] = Field(description="Changed files outside its areas")
    can_run: bool
    can_accept: bool

    @classmethod
    def of(cls, found: TaskProof) -> TaskProofGlance:
        task, proof, round = found.task, found.proof, found.round
        return cls(
            task_id=task.id,
            state=task.proof_state,
            tree=round.tree if round else proof.tree if proof else None,
            reason=proof.reason if proof else None,
            by=proof.by if proof else None,
            flags=list(proof.flags) if proof else [],
            waits=found.waits,
            running=found.is_running,
            advice=round is not None and round.report is None,
            round_state=str(round.state) if round else None,
            checks=[CheckGlance.of(line) for line in found.checks],
            acceptance=list(task.acceptance or ()),
            review=task.review,
            areas=list(task.areas),
            unexpected_files=list(found.unexpected_files),
            can_run=found.can_run,
            can_accept=found.can_accept,
        )


class ProposedCommand(Result):
    name: str
    run: str = Field(description="The exact command")
    env: dict[str, str]
    seconds: float
    required: bool
    approval: str
    definition: dict[str, Any]
    tasks: list[str] = Field(description="Names of the tasks it is for; empty for a whole mission")

    @classmethod
    def of(cls, proposed: ProposedCheck) -> ProposedCommand:
        check = proposed.definition.check
        return cls(
            name=check.name,
            run=check.run or "",
            env=dict(check.env),
            seconds=check.seconds,
            required=check.required,
            approval=str(proposed.definition.approval),
            definition=check.as_dict(),
            tasks=list(proposed.tasks),
        )


class ProposedCommands(Result):
    commands: list[ProposedCommand]


@tool(toolset="control", result=TaskProofGlance, reads=True, stale_on=("task", "evidence"), about="task")
async def overview_proof(call: Call, args: LookProof) -> TaskProofGlance:
    """Show what the checks say about a task, and reasons to look at its result."""
    return TaskProofGlance.of(await call.read(proof_view.read, task_id=args.task_id))


@tool(toolset="control", result=ProposedCommands, reads=True, stale_on=("queue",))
async def overview_proposed_checks(call: Call, args: LookProposed) -> ProposedCommands:
    """Show the exact commands that an inbox item asks a person to approve."""
    found = await call.read(proof_view.read_proposed, item_id=args.item_id)
    return ProposedCommands(commands=[ProposedCommand.of(each) for each in found])
