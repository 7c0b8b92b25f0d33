"""Complete a task through the gate: use existing evidence, or run the checks and wait for them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from mission.domain.actions import Action
from mission.domain.checks import failures
from mission.domain.checks.evidence import ProofState
from mission.domain.checks.round import CheckRound, Purpose, RoundState
from mission.domain.checks.verdict import Verdict, next_step
from mission.domain.errors import ChecksError, Conflict, InternalError, InvalidState
from mission.domain.tasks.states import TaskStatus
from mission.services.checks import progress, settling
from mission.services.checks.checker import Checker
from mission.services.checks.progress import Progress
from mission.services.evidence import rounds
from mission.services.tasks import completion, reporting
from mission.services.tasks.completion import Completed, PreparedCompletion
from mission.services.work import Work
from mission.store.transaction import Tx


class CheckGate:
    """The gate of a process that runs checks."""

    def __init__(self, checker: Checker, *, lease: timedelta, wait_seconds: float) -> None:
        self._checker = checker
        self._lease = lease
        self.wait_seconds = wait_seconds

    async def complete(self, work: Work, prepared: PreparedCompletion) -> Completed:
        """Complete a task whose checks must pass; raise ChecksFailed, ChecksVoid or ChecksError if they do not.

        If they take longer than a caller can wait, the task is held and completed later without another call.
        """
        if prepared.unreadable is not None:
            broken = await work.write(open_broken, prepared=prepared, lease=self._lease)
            return await work.finish(answer, round_id=broken.id)
        if await work.read(has_evidence, prepared=prepared):
            return await work.finish(complete_by_evidence, prepared=prepared, lease=self._lease)
        self._checker.get_ready()
        round, step = await work.write(open_and_begin, prepared=prepared, terms=self._checker.terms)
        if step is not None:
            self._checker.drive(round.id, step)
        await self._checker.settled(round.id, host_id=round.host_id, seconds=self.wait_seconds)
        return await work.finish(answer, round_id=round.id)


def has_evidence(tx: Tx, *, prepared: PreparedCompletion) -> bool:
    """Return whether every check has passed on this tree before."""
    if prepared.tree is None or tx.tasks.get(prepared.task.id).is_checking:
        return False
    return rounds.reusable(tx, _imagined(prepared))


def complete_by_evidence(tx: Tx, *, prepared: PreparedCompletion, lease: timedelta) -> Completed:
    """Complete the task with existing evidence; nothing has to run."""
    round = open_round(tx, prepared=prepared)
    rounds.queue(tx, round, next_step(round, []).tries)
    rows = tx.evidence.of_round(round.id)
    verdict = next_step(round, rows).verdict
    if verdict is None:
        raise Conflict("the evidence has been removed since then", hint="Repeat the call.")
    settling.settle(tx, round, verdict, rows, lease=lease)
    return answer(tx, round_id=round.id)


def open_and_begin(
    tx: Tx, *, prepared: PreparedCompletion, terms: Mapping[str, Any]
) -> tuple[CheckRound, Progress | None]:
    """Open a round and take its first step in the same commit; None if another process drives it."""
    round = open_round(tx, prepared=prepared)
    step = progress.begin(tx, round_id=round.id, **terms) if round.tree is not None else None
    return round, step


def start(tx: Tx, *, prepared: PreparedCompletion) -> None:
    """Let the checks of a task decide, without waiting for them: a person has accepted it."""
    if prepared.unreadable is not None:
        raise ChecksError(
            f"the checks of task {prepared.task.id} cannot run: {prepared.unreadable}",
            hint="Accept the task itself, with a reason.",
            task_id=prepared.task.id,
        )
    open_round(tx, prepared=prepared)


def open_round(tx: Tx, *, prepared: PreparedCompletion) -> CheckRound:
    """Hold the task and open its round; join one that is open, or one that has just completed the task."""
    current = tx.tasks.get(prepared.task.id)
    if current.status is TaskStatus.COMPLETED and (last := rounds.last_gate(tx, current.id)) is not None:
        return last
    task = completion.check_current(tx, prepared)
    return reporting.open_checking(
        tx,
        task=task,
        checks=prepared.checks,
        report=prepared.report,
        agent_id=prepared.agent_id,
        tree=prepared.tree,
        identity=prepared.identity,
        changes=prepared.changes,
    )


def open_broken(tx: Tx, *, prepared: PreparedCompletion, lease: timedelta) -> CheckRound:
    """Record a report whose tree cannot be checked, and ask a person about it."""
    round = open_round(tx, prepared=prepared)
    if round.is_open and prepared.unreadable is not None:
        settling.settle_broken(tx, round, reason=prepared.unreadable, lease=lease)
    return round


def answer(tx: Tx, *, round_id: str) -> Completed:
    """Return what a round made of its task: completed, still checking or under review; raise if it was given back."""
    round = tx.rounds.get(round_id)
    task = tx.tasks.get(round.task_id or "")
    if task.status is TaskStatus.COMPLETED and round.state is not RoundState.WITHDRAWN:
        return completion.as_recorded(task)
    if round.is_open or (round.state is RoundState.PASSED and task.status is TaskStatus.REVIEW):
        return completion.still_checking(tx, task, round)
    if round.verdict is None:
        raise InvalidState(
            f"task {task.id} changed while its checks ran and is now {task.status}",
            action=Action.FIND_TASK,
            current=str(task.status),
        )
    verdict = Verdict.from_dict(round.verdict)
    if verdict.state is RoundState.PASSED:
        raise InternalError(f"task {task.id} passed its checks and is {task.status}")
    raise failures.error_of(
        verdict,
        tx.evidence.of_round(round.id),
        task_id=task.id,
        tree=round.tree,
        unreadable=round.reason,
        may_skip=task.proof_state is not ProofState.FAILING,
    )


def _imagined(prepared: PreparedCompletion) -> CheckRound:
    """Return the round that a report would open, to look for evidence."""
    task = prepared.task
    return CheckRound(
        id="",
        task_id=task.id,
        mission_id=task.mission_id,
        purpose=Purpose.GATE,
        host_id=task.host_id or "",
        path=task.tree or "",
        repository="",
        checks=[each.defined.as_dict() for each in prepared.checks],
        tree=prepared.tree,
        changes=prepared.changes.as_dict() if prepared.changes is not None else None,
        created_at=task.updated_at,
        updated_at=task.updated_at,
    )
