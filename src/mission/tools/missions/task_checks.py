"""The tool with which an agent runs its task's checks before it reports, and waits for them afterward."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from mission.domain.checks.evidence import Evidence, EvidenceState
from mission.domain.runs.candidate import SENT_BACK
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, tool
from mission.services.checks import advice
from mission.services.checks.reading import TaskChecks, results
from mission.tools.shared.fields import TaskId
from mission.tools.shared.records import IF_ASKED
from mission.tools.shared.wording import task_status

MAX_TAIL = 1_500
"""How much of a failed check's output an agent reads here; evidence_output has all of it."""


class RunTaskChecks(Arguments):
    task_id: TaskId
    run: bool = Field(False, description="Run them now on your tree")
    wait_seconds: float = Field(45, ge=0, le=50)
    agent_id: str | None = None


class CheckOutcome(Result):
    name: str
    state: str
    required: bool
    evidence_id: str | None = None
    seconds: float | None = None
    exit_code: int | None = None
    output: str | None = None
    reason: str | None = None


class TaskChecksResult(Result):
    task_id: str
    status: str
    state: str
    tree: str | None
    checks: list[CheckOutcome]
    reason: str | None = IF_ASKED

    @classmethod
    def of(cls, found: TaskChecks) -> TaskChecksResult:
        rows = {each.name: each for each in results(found.evidence)}
        return cls(
            task_id=found.task.id,
            status="checking" if found.task.is_checking else task_status(found.task),
            state=_state(found),
            tree=found.round.tree if found.round is not None else None,
            checks=[_outcome(each.check.name, each.check.required, rows.get(each.check.name)) for each in found.checks],
            reason=found.candidate.reason if found.candidate is not None else None,
        )


def _state(found: TaskChecks) -> str:
    if found.is_running:
        return "running"
    if found.candidate is not None and found.candidate.state in SENT_BACK:
        return str(found.candidate.state)
    return str(found.round.state) if found.round is not None else "none"


def _outcome(name: str, required: bool, row: Evidence | None) -> CheckOutcome:
    if row is None:
        return CheckOutcome(name=name, state="not_run", required=required)
    shown: dict[str, Any] = {}
    if row.state is not EvidenceState.PASSED:
        shown = {"output": row.output[-MAX_TAIL:] or None, "reason": row.reason}
    return CheckOutcome(
        name=name,
        state=str(row.state),
        required=required,
        evidence_id=row.id,
        seconds=row.seconds,
        exit_code=row.exit_code,
        **shown,
    )


@tool(toolset="mission", actor="agent_id", result=TaskChecksResult)
async def task_checks(call: Call, args: RunTaskChecks) -> TaskChecks:
    """Run a task's checks before complete_task, or wait for those under way."""
    return await advice.ask(
        call, call.checks.checker, task_id=args.task_id, agent_id=call.actor, run=args.run, seconds=args.wait_seconds
    )
