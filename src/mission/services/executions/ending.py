"""The end of an execution: its access is revoked, and its task is kept for an answer, put under review, or released."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mission.domain.executions.command import CommandKind, NextLaunch
from mission.domain.executions.execution import Execution, ExecutionStatus
from mission.domain.inbox.health_findings import CRASHED
from mission.domain.inbox.item import ItemKind
from mission.domain.tasks import moves
from mission.domain.tasks.hold import Hold, HoldKind
from mission.domain.tasks.moves import Cause
from mission.domain.tasks.states import OPEN, TaskStatus
from mission.domain.tasks.task import Task
from mission.services.agents import access_tokens
from mission.services.agents import registration as agents
from mission.services.agents.registration import LivenessSettings
from mission.services.evidence import definitions
from mission.services.executions import commands, reports
from mission.services.executions import state as executions
from mission.services.inbox import items as inbox
from mission.services.inbox import open_questions, task_requests
from mission.services.tasks import candidates, completion, journal, reporting, updates
from mission.store.transaction import Tx


@dataclass(frozen=True, kw_only=True, slots=True)
class ExecutionEnd:
    """The end of an execution's process, or the reason why there will never be one."""

    status: ExecutionStatus
    exit_code: int | None = None
    reason: str | None = None
    refused: bool = False
    """True if its program never ran, and the caller of the launch got the error."""
    never_ran: bool = False
    """True if a daemon died before it started the program. A command that requested the launch is carried out again."""


def ended(tx: Tx, *, execution_id: str, end: ExecutionEnd, liveness: LivenessSettings) -> Execution:
    """End an execution: revoke its access; its task is kept, put under review or released. Idempotent."""
    execution = tx.executions.get(execution_id)
    if not execution.is_live:
        return execution
    task = tx.tasks.get(execution.task_id)
    in_hand = task.owner_id == execution.agent_id and task.status in OPEN
    execution = _ended(tx, execution, end, failed=in_hand and execution.claims_failed)
    if not (end.refused or end.never_ran):
        commands.launched(tx, execution)  # its daemon may not have recorded that
    keeping = _settle(tx, execution, task, refused=end.refused) if in_hand else None
    agents.leave(tx, agent_id=execution.agent_id, keeping=keeping, liveness=liveness)
    access_tokens.revoke(tx, agent_id=execution.agent_id)
    commands.end(tx, execution)
    return executions.save(tx, execution)


def _ended(tx: Tx, execution: Execution, end: ExecutionEnd, *, failed: bool) -> Execution:
    """Return the ended execution. An agent that reports a failure has failed, regardless of its exit code."""
    stopped = end.status is ExecutionStatus.STOPPED  # the operator who stopped it knew the answers it had
    asked = [item.id for item in tx.inbox.find(execution.asked_last) if item.is_open or not stopped]
    by_its_word = failed and end.status is ExecutionStatus.COMPLETED
    return replace(
        execution.move_to(ExecutionStatus.FAILED if by_its_word else end.status, at=tx.now),
        exit_code=end.exit_code,
        reason=str((execution.claim or {})["reason"]) if by_its_word else end.reason,
        process=None,
        asked_last=asked,
    )


def _settle(tx: Tx, execution: Execution, task: Task, *, refused: bool) -> str | None:
    """Apply the end of the process to the task. Return the task's id if it stays with the agent."""
    working = task.status in {TaskStatus.IN_PROGRESS, TaskStatus.PAUSED}
    questions = tx.inbox.open_where(kinds=[ItemKind.QUESTION], execution_id=execution.id)
    if questions and working:
        _keep_for_answer(tx, execution, task, question=questions[-1].subject)
        return task.id
    if task.is_checking:
        return task.id
    if execution.claims_done and working and _take_report(tx, execution, task):
        return task.id
    _release(tx, execution, task, refused=refused)
    return None


def _keep_for_answer(tx: Tx, execution: Execution, task: Task, *, question: str) -> None:
    """Keep the task with its agent until the answer comes: without a lease, no other agent can take it."""
    hold = Hold(HoldKind.INPUT, question, execution.agent_id)
    updates.apply(tx, moves.kept_for_answer(task, hold, at=tx.now))


def _take_report(tx: Tx, execution: Execution, task: Task) -> bool:
    """Let the checks decide about a task that its agent reported done; without checks, a person decides.

    Return False for a report that a run has taken before and sent back since.
    """
    if candidates.run_of(tx, task) is not None:
        return reports.submit(tx, execution)
    words = str((execution.claim or {}).get("summary", ""))
    checks = definitions.effective(tx, task)
    if not checks or task.snapshot is None:
        _put_under_review(tx, execution, task)
        return True
    reporting.open_checking(
        tx,
        task=task,
        checks=checks,
        report=completion.reported_done(words).as_dict(),
        agent_id=execution.agent_id,
        execution_id=execution.id,
    )
    return True


def _put_under_review(tx: Tx, execution: Execution, task: Task) -> None:
    """Ask a person to decide: the agent reports that it is done but did not complete the task."""
    updates.apply(tx, moves.submitted(task, at=tx.now))
    words = str((execution.claim or {}).get("summary", ""))
    task_requests.verdict(tx, task, words=words, agent_id=execution.agent_id, execution_id=execution.id)


def release_unanswered(tx: Tx, execution: Execution, task: Task) -> None:
    """Release the task that an ended execution kept for an answer: there will be none."""
    _release(tx, execution, replace(task, hold=None), refused=False, cause=Cause.ANSWERED)


def _release(tx: Tx, execution: Execution, task: Task, *, refused: bool, cause: Cause = Cause.LEFT) -> None:
    """Release the task, once a reported block is resolved; the next owner reads why it was left."""
    is_expected = refused or _is_stopping(tx, execution) or tx.commands.launching(execution.id) is not None
    failed = execution.status in CRASHED and not is_expected
    name = tx.agents.get(execution.agent_id).name
    hold = task.hold.as_dict() if task.hold is not None else None
    left = {"claim": execution.claim, "progress": execution.progress, "hold": hold}
    journal.note(
        tx,
        task_id=task.id,
        summary=f"{name} {_how(execution, refused=refused)}",
        detail={
            "execution_id": execution.id,
            "agent_id": execution.agent_id,
            "failed": failed,
            **{what: dict(words) for what, words in left.items() if words is not None},
        },
    )
    (free,) = updates.apply(tx, moves.left(task, failed=failed, at=tx.now, cause=cause))
    if candidates.run_of(tx, free) is not None:
        return  # the run decides what follows, from the rows
    answer = open_questions.answer_for(tx, execution)
    if answer is not None:
        commands.start_again(tx, execution, NextLaunch(answer=answer))
    elif failed:
        _report_failure(tx, execution, free)


def _is_stopping(tx: Tx, execution: Execution) -> bool:
    """Return whether its end was requested: then nobody has to be asked, however it came."""
    return any(each.kind is CommandKind.STOP for each in tx.commands.pending_of(execution.id))


def _report_failure(tx: Tx, execution: Execution, task: Task) -> None:
    """Ask a person about a failed task. If it is also blocked, its open item is extended instead."""
    reason, detail = _reason(execution), _detail(execution, task)
    blockers = [item for item in tx.inbox.open_where(task_id=task.id) if item.holds_task]
    for item in blockers:
        inbox.add_to_body(tx, item, f"The agent has since failed: {reason}. {detail}")
    if not blockers:
        task_requests.failed(
            tx, task, reason=reason, detail=detail, agent_id=execution.agent_id, execution_id=execution.id
        )


def _how(execution: Execution, *, refused: bool) -> str:
    """Return how it ended, as a phrase that follows its agent's name."""
    if refused:
        return f"was {execution.reason or 'not launched'}"
    if execution.status in CRASHED:
        return f"failed: {_reason(execution)}"
    if execution.status is ExecutionStatus.STOPPED:
        return f"was {execution.reason or 'stopped'}"
    return "ended without completing the task"


def _reason(execution: Execution) -> str:
    """Return why it failed: in the agent's words if it reported that, else from how its program ended."""
    if execution.claims_failed:
        return str((execution.claim or {})["reason"])
    if execution.reason:
        return execution.reason
    return f"exit code {execution.exit_code}" if execution.exit_code is not None else str(execution.status)


def _detail(execution: Execution, task: Task) -> str:
    """Return what is known of the failure besides its reason."""
    progress = str((execution.progress or {}).get("summary") or "")
    parts = [
        f"Attempt {task.attempts} failed, with {execution.adapter}.",
        f"The program ended: {execution.reason}." if execution.claims_failed and execution.reason else "",
        f"Last progress: {progress}" if progress else "",
    ]
    return " ".join(filter(None, parts))
