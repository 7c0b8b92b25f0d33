"""The gate of a run: a report becomes a candidate, is frozen at once, and the call waits for the merge."""

from __future__ import annotations

import asyncio
import logging

from mission.domain.checks import failures
from mission.domain.checks.verdict import Verdict
from mission.domain.errors import Conflict, InvalidState, MissionError
from mission.domain.runs.candidate import Candidate, CandidateState
from mission.domain.runs.run import Run
from mission.domain.runs.steps import Freeze
from mission.domain.tasks.states import TaskStatus
from mission.services.checks.gate import CheckGate
from mission.services.runs.context import RunContext
from mission.services.runs.merging import conflicts
from mission.services.runs.merging.freezing import freeze
from mission.services.runs.merging.returning import failed_round
from mission.services.tasks import candidates, completion
from mission.services.tasks.completion import Completed, PreparedCompletion
from mission.services.work import Work
from mission.store.transaction import Tx

log = logging.getLogger(__name__)


class RunGate:
    """The gate of a process that drives runs; a task outside runs passes the ordinary gate."""

    def __init__(self, checks: CheckGate, context: RunContext) -> None:
        self._checks = checks
        self._context = context

    @property
    def wait_seconds(self) -> float:
        return self._checks.wait_seconds

    @wait_seconds.setter
    def wait_seconds(self, seconds: float) -> None:
        self._checks.wait_seconds = seconds

    async def complete(self, work: Work, prepared: PreparedCompletion) -> Completed:
        """Submit the result of a task in a run; raise ChecksFailed or Conflict if it is sent back while we wait."""
        if prepared.run is None:
            return await self._checks.complete(work, prepared)
        deadline = asyncio.get_running_loop().time() + self.wait_seconds
        candidate = await work.write(submit, prepared=prepared)
        if candidate.state is CandidateState.REPORTED:
            await self._freeze(prepared.run, candidate)
        left = deadline - asyncio.get_running_loop().time()
        await self._context.checker.decided(candidate.id, seconds=max(0.0, left))
        return await work.finish(answer, candidate_id=candidate.id)

    async def _freeze(self, run: Run, candidate: Candidate) -> None:
        """Freeze the result before the agent edits further; what fails now is tried again by the run."""
        if run.host_id != self._context.host_id:
            return
        try:
            await freeze(self._context, run, Freeze(candidate_id=candidate.id))
        except (MissionError, OSError) as error:
            log.warning("candidate %s is frozen later: %s", candidate.id, error)


def submit(tx: Tx, *, prepared: PreparedCompletion) -> Candidate:
    """Take the report as a candidate; one that has just been merged is returned again."""
    task = tx.tasks.get(prepared.task.id)
    run = candidates.run_of(tx, task)
    if task.status is TaskStatus.COMPLETED and (merged := tx.candidates.of_task(task.id)):
        return merged[-1]
    task = completion.check_current(tx, prepared)
    if run is None:
        raise Conflict(f"the run of task {task.id} has just ended", hint="Repeat the call.")
    return candidates.submit(tx, run=run, task=task, report=prepared.report, agent_id=prepared.agent_id)


def answer(tx: Tx, *, candidate_id: str) -> Completed:
    """Return what became of a candidate: merged, still on its way, or under review; raise if it was sent back."""
    candidate = tx.candidates.get(candidate_id)
    task = tx.tasks.get(candidate.task_id)
    if candidate.state is CandidateState.MERGED and task.status is TaskStatus.COMPLETED:
        return completion.as_recorded(task)
    if candidate.is_open:
        return completion.in_queue(tx, task, candidate)
    if candidate.state is CandidateState.CONFLICTED:
        raise Conflict(
            f"the result of task {task.id} conflicts with work that was merged earlier",
            hint=candidate.reason,
            task_id=task.id,
            candidate_id=candidate.id,
            **conflicts.details_of(tx, candidate),
        )
    if candidate.state is CandidateState.FAILED:
        raise _failure(tx, candidate)
    raise InvalidState(
        f"the result of task {task.id} was withdrawn: {candidate.reason or f'the task is {task.status}'}",
        current=str(task.status),
        candidate_id=candidate.id,
    )


def _failure(tx: Tx, candidate: Candidate) -> MissionError:
    """Return the error for a result that was sent back: its failed checks, or why it could not be taken."""
    round = failed_round(tx, candidate)
    if round is not None and round.verdict is not None:
        rows = tx.evidence.of_round(round.id)
        error = failures.error_of(
            Verdict.from_dict(round.verdict), rows, task_id=candidate.task_id, tree=round.tree, may_skip=False
        )
        return error.with_details(candidate_id=candidate.id)
    return InvalidState(
        f"the result of task {candidate.task_id} was sent back: {candidate.reason}",
        hint="Correct it, then report again.",
        task_id=candidate.task_id,
        candidate_id=candidate.id,
    )
