"""Use cases of a task's end: compare its tree with its start, pass the gate, and record the actual changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

from mission.domain.checks.definition import CheckDefinition
from mission.domain.checks.evidence import Evidence
from mission.domain.checks.proof import NOT_CHECKABLE, Proof, unproved
from mission.domain.checks.round import CheckRound
from mission.domain.errors import Conflict, InvalidState
from mission.domain.missions.mission import Mission
from mission.domain.missions.phase import PhaseStatus
from mission.domain.runs.candidate import Candidate
from mission.domain.runs.run import Run
from mission.domain.tasks import moves
from mission.domain.tasks.changes import Changes, Verification, verify_scope
from mission.domain.tasks.moves import TaskEnd
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Quality, Task
from mission.git.errors import ChangesUnknown
from mission.services import phases
from mission.services.evidence import definitions, unproved_completion
from mission.services.evidence.left_files import left_files
from mission.services.inbox import task_requests
from mission.services.repositories.working_trees import NO_TREE, Report, Trees
from mission.services.tasks import candidates, updates
from mission.services.work import Work, digest_of
from mission.store.transaction import Tx


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskResult:
    """The result that a caller reports at the end of its task."""

    status: TaskStatus
    quality: Quality | None
    outcome: Mapping[str, Any]
    metadata: Mapping[str, Any] | None
    phase_complete: bool
    error: str | None = None
    by_hand: bool = False
    """True if any allowed move to the end will do, not only one from work in progress."""
    unproved: bool = False
    """True if the caller asks to complete it although its checks gave no answer."""
    reviewed: bool = False
    """True if a person has looked at it."""
    warnings: Sequence[str] = ()

    @property
    def digest(self) -> str:
        return digest_of([self.status, self.quality, self.outcome, self.metadata, self.phase_complete, self.error])

    def as_dict(self) -> dict[str, Any]:
        """Return the result as a report keeps it while checks run."""
        return {
            **asdict(self),
            "status": str(self.status),
            "quality": self.quality,
            "warnings": list(self.warnings),
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> TaskResult:
        quality = Quality(stored["quality"]) if stored["quality"] else None
        return cls(**{**stored, "status": TaskStatus(stored["status"]), "quality": quality})

    def end(self, changes: Changes | None, proof: Proof | None) -> TaskEnd:
        """Return the end as it is stored with the task, with the changes that were found."""
        failed = self.status is TaskStatus.FAILED
        return TaskEnd(
            status=self.status,
            quality=self.quality,
            outcome=self.outcome,
            metadata=self.metadata,
            changes=changes.as_dict() if changes is not None else None,
            error=(self.error or self.outcome["summary"]) if failed else None,
            proof_state=proof.state if proof is not None else None,
            proof=proof.as_dict() if proof is not None else None,
        )

    def check(self, task: Task) -> None:
        """Raise InvalidState, with the allowed moves, if the task's state does not allow this end."""
        if self.by_hand:
            task.check_can_end(self.status)
        else:
            task.check_completable()


def reported_done(words: str) -> TaskResult:
    """Return the result of an agent that said it is done, in its own words, and ended."""
    return TaskResult(
        status=TaskStatus.COMPLETED,
        quality=Quality.SUCCESS,
        outcome={"summary": words},
        metadata=None,
        phase_complete=False,
        by_hand=True,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Completed:
    task: Task
    changes: Changes | None
    verification: Verification
    phase_status: PhaseStatus
    round: CheckRound | None = None
    """The round of checks that is under way; the task is not completed yet."""
    evidence: Sequence[Evidence] = ()
    candidate: Candidate | None = None
    """In a run: the result that is checked and merged; the task is not completed yet."""
    snapshots: Mapping[str, Mapping[str, Any]] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PreparedCompletion:
    """A task that is about to end, as it was read, and the changes in its tree since its start."""

    task: Task
    agent_id: str | None
    fence: int | None
    result: TaskResult
    changes: Changes | None = None
    warnings: Sequence[str] = ()
    checks: Sequence[CheckDefinition] = ()
    """The checks that must pass first; empty if there is nothing to check."""
    tree: str | None = None
    identity: Mapping[str, Any] | None = None
    unreadable: str | None = None
    """Why its tree cannot be checked."""
    proof: Proof | None = None
    """What is known about the result."""
    keeps_patch: bool = False
    """Whether the changed lines are stored already."""
    run: Run | None = None
    """The run that has to merge the result before the task is completed."""

    @property
    def is_gated(self) -> bool:
        return bool(self.checks) or self.run is not None

    @property
    def report(self) -> dict[str, Any]:
        return replace(self.result, warnings=self.warnings).as_dict()


class Gate(Protocol):
    """Runs the checks of a reported result; a process that runs checks has one."""

    async def complete(self, work: Work, prepared: PreparedCompletion) -> Completed:
        """Complete the task once its checks have passed; raise if they do not."""


async def complete(
    work: Work,
    trees: Trees,
    gate: Gate,
    *,
    task_id: str,
    agent_id: str | None,
    fence: int | None,
    result: TaskResult,
    report: Report | None = None,
) -> Completed:
    """Complete a task: compare its tree with the snapshot from its start, let its checks run, then record all."""
    prepared = await prepare(work, trees, task_id=task_id, agent_id=agent_id, fence=fence, result=result, report=report)
    completed = await (gate.complete(work, prepared) if prepared.is_gated else work.finish(record, prepared=prepared))
    await trees.forget(completed.snapshots)
    return completed


async def prepare(
    work: Work,
    trees: Trees,
    *,
    task_id: str,
    agent_id: str | None,
    fence: int | None,
    result: TaskResult,
    report: Report | None = None,
    anywhere: bool = False,
) -> PreparedCompletion:
    """Return the task with the changes in its tree; `record` ends it. Raise if it cannot be completed.

    With `anywhere`, a tree on another host is left to the daemon there.
    """
    found = await work.read(_before_completion, task_id=task_id, agent_id=agent_id, fence=fence, result=result)
    task = found.task
    prepared = PreparedCompletion(task=task, agent_id=agent_id, fence=fence, result=result)
    if _already(task, result):
        return prepared
    if found.run is not None:
        return replace(prepared, run=found.run)  # what counts is the difference between its tip and the merged tree
    if found.checks and task.is_checking:
        return replace(prepared, checks=found.checks)  # the report that is open knows its tree
    if anywhere and task.snapshot is not None and task.host_id != trees.host_id:
        return replace(prepared, checks=found.checks, warnings=[f"its files are on host {task.host_id}"])
    if found.checks and not result.unproved:
        return await _examined(trees, replace(prepared, checks=found.checks), left=found.left_files, report=report)
    changes, warnings = await changes_of(trees, task, left=found.left_files, report=report)
    skipped = unproved(NOT_CHECKABLE) if found.checks and result.unproved else None
    return replace(prepared, changes=changes, warnings=warnings, proof=skipped)


def record(tx: Tx, *, prepared: PreparedCompletion) -> Completed:
    """Record the end of a task, unless it was changed since it was read. Its snapshots are then no longer needed."""
    result, changes = prepared.result, prepared.changes
    if _already(prepared.task, result):
        return as_recorded(tx.tasks.get(prepared.task.id))
    task = check_current(tx, prepared)
    if _already(task, result):
        return as_recorded(task)
    if result.unproved and prepared.proof is not None:
        unproved_completion.check_may_skip(tx, task)
    proof = _proof(tx, task, prepared)
    overlapping = tx.tasks.overlapping(task) if changes is not None else []
    nothing = _nothing_changed(task, result, changes)
    verification = _verify(task, changes, [*prepared.warnings, *nothing, *_overlap_warning(overlapping)])
    move = moves.ended(task, result.end(changes, proof), at=tx.now)

    def settle(mission: Mission) -> Task:
        """Close the task's phase if it is due, and return the task with the resulting state."""
        phase, more = _end_in_phase(tx, mission, task, phase_complete=result.phase_complete)
        verified = asdict(replace(verification, warnings=[*verification.warnings, *more]))
        completion = {"digest": result.digest, "verification": verified, "phase_status": str(phase)}
        return replace(move.after, completion=completion)

    (ended,) = updates.apply(tx, move, settle=settle)
    if not prepared.keeps_patch:
        tx.patches.put(task.id, changes.patch if changes is not None else None)
    if not result.reviewed:
        task_requests.review(tx, ended)
    if proof is not None and proof.reason == NOT_CHECKABLE:
        task_requests.unproved(tx, ended)
    snapshots = task.snapshots if ended.snapshots is None else None
    return replace(as_recorded(ended), changes=changes, snapshots=snapshots)


def check_current(tx: Tx, prepared: PreparedCompletion) -> Task:
    """Return the task as it is now; raise if it can no longer be completed as it was prepared."""
    expected, result = prepared.task, prepared.result
    task = tx.tasks.get(expected.id)
    if _already(task, result):
        return task
    task.check_owner(prepared.agent_id, prepared.fence)
    result.check(task)
    if (task.tree, task.snapshot) != (expected.tree, expected.snapshot):
        raise Conflict(f"task {task.id} was moved to another tree in the meantime", hint="Repeat the call.")
    _check_children(tx, task)
    return task


def _proof(tx: Tx, task: Task, prepared: PreparedCompletion) -> Proof | None:
    """Return what is known about a completed result; raise Conflict if checks were set since it was read."""
    result = prepared.result
    if prepared.proof is not None or result.status is not TaskStatus.COMPLETED:
        return prepared.proof
    reason = unproved_completion.why_unchecked(
        definitions.effective(tx, task), quality=result.quality, changes=prepared.changes
    )
    if reason is None:
        raise Conflict(f"checks were set for task {task.id} in the meantime", hint="Repeat the call.")
    return unproved(reason)


def _check_children(tx: Tx, task: Task) -> None:
    children = tx.tasks.running_children(task.id)
    if children:
        raise InvalidState(
            f"task {task.id} has child tasks in progress: "
            + ", ".join(f"{child.id} '{child.name}'" for child in children),
            hint="Complete the child tasks first.",
            open_tasks=[child.id for child in children],
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Found:
    """A task before its completion, and what must be checked."""

    task: Task
    checks: Sequence[CheckDefinition] = ()
    left_files: Mapping[str, str] | None = None
    run: Run | None = None


def _before_completion(tx: Tx, *, task_id: str, agent_id: str | None, fence: int | None, result: TaskResult) -> _Found:
    """Return the task and its checks. Raise if it cannot be completed, before slow work begins."""
    task = tx.tasks.get(task_id)
    if _already(task, result):
        return _Found(task=task)
    task.check_owner(agent_id, fence)
    result.check(task)
    _check_children(tx, task)
    run = candidates.run_of(tx, task) if result.status is TaskStatus.COMPLETED else None
    if run is not None:
        if result.unproved:
            candidates.check_not_skipped(task)
        return _Found(task=task, run=run)
    checks = definitions.effective(tx, task) if unproved_completion.is_checked(result.status, result.quality) else []
    if checks and result.unproved:
        unproved_completion.check_may_skip(tx, task)
    left = left_files(tx, host_id=task.host_id or "", path=task.tree or "")
    return _Found(task=task, checks=checks, left_files=left)


async def _examined(
    trees: Trees, prepared: PreparedCompletion, *, left: Mapping[str, str] | None, report: Report | None
) -> PreparedCompletion:
    """Return the completion with the changes and the identity of the tree, from one scan."""
    task = prepared.task
    if task.snapshot is None:
        return replace(prepared, unreadable=NO_TREE)
    _check_host(trees, task)
    try:
        examined = await trees.examine(task.snapshot, lines=True, ignore=left, report=report)
    except ChangesUnknown as unknown:
        return replace(prepared, unreadable=unknown.message)
    checks = prepared.checks if examined.changes.paths else ()
    return replace(
        prepared,
        changes=examined.changes,
        checks=checks,
        tree=examined.tree.id,
        identity=examined.tree.as_dict(),
    )


def still_checking(tx: Tx, task: Task, round: CheckRound) -> Completed:
    """Return a reported task whose checks are under way, or which waits for a review."""
    changes = Changes.from_dict(round.changes) if round.changes is not None else None
    return Completed(
        task=task,
        changes=changes,
        verification=_verify(task, changes, []),
        phase_status=tx.phases.get(task.phase_id).status,
        round=round,
        evidence=tx.evidence.of_round(round.id),
    )


def in_queue(tx: Tx, task: Task, candidate: Candidate) -> Completed:
    """Return a reported task of a run whose result is not merged yet."""
    changes = Changes.from_dict(candidate.changes) if candidate.changes is not None else None
    return Completed(
        task=task,
        changes=changes,
        verification=_verify(task, changes, []),
        phase_status=tx.phases.get(task.phase_id).status,
        evidence=tx.evidence.of_round(candidate.round_id) if candidate.round_id is not None else (),
        candidate=candidate,
    )


async def changes_of(
    trees: Trees, task: Task, *, left: Mapping[str, str] | None, report: Report | None
) -> tuple[Changes | None, list[str]]:
    """Return what the task changed in its tree, or a warning that says why that is not known.

    `left` are the files that checks left there.
    """
    if task.snapshot is None:
        return None, [NO_TREE]
    _check_host(trees, task)
    try:
        return await trees.changes(task.snapshot, lines=True, ignore=left, report=report), []
    except ChangesUnknown as unknown:
        return None, [unknown.message]


def _check_host(trees: Trees, task: Task) -> None:
    if task.host_id != trees.host_id:
        raise InvalidState(
            f"task {task.id} is on host {task.host_id}, but this is host {trees.host_id}",
            hint=f"Complete it on {task.host_id}; its files can be compared only there.",
            host_id=task.host_id,
        )


def _verify(task: Task, changes: Changes | None, warnings: Sequence[str]) -> Verification:
    verification = verify_scope(changes, list(task.areas))
    return replace(verification, warnings=[*verification.warnings, *warnings])


def _end_in_phase(tx: Tx, mission: Mission, task: Task, *, phase_complete: bool) -> tuple[PhaseStatus, list[str]]:
    """Close the phase of a task that ends, if it was the last one or the caller requests it."""
    phase = phases.settle(tx, mission=mission, phase_id=task.phase_id, ending_task=task.id)
    if not phase_complete or phase.completed_at == tx.now:
        return phase.status, []
    if phase.closed:
        return phase.status, [f"phase {phase.number} was already {phase.status}"]
    closed = phases.close(tx, mission=mission, phase=phase, status=PhaseStatus.COMPLETED, ending_task=task.id)
    return closed.phase.status, list(closed.warnings)


def _nothing_changed(task: Task, result: TaskResult, changes: Changes | None) -> list[str]:
    """Return a warning for a success without changes in the announced areas: the work may be elsewhere."""
    if changes is None or changes.paths or not task.areas or result.status is not TaskStatus.COMPLETED:
        return []
    return [
        f"no file has changed in {task.tree} since the task was started; if the work was done elsewhere, "
        "give that folder as repository_path when you start the task"
    ]


def _overlap_warning(others: Sequence[str]) -> list[str]:
    if not others:
        return []
    return [
        f"other tasks worked in the same tree at the same time ({', '.join(others)}): "
        "a diff cannot separate their changes from these; give each task its own worktree"
    ]


def _already(task: Task, result: TaskResult) -> bool:
    return task.completion is not None and bool(task.completion["digest"] == result.digest)


def as_recorded(task: Task) -> Completed:
    """Return a completed task as it was recorded."""
    stored = task.completion or {}
    return Completed(
        task=task,
        changes=Changes.from_dict(task.changes) if task.changes is not None else None,
        verification=Verification(**stored["verification"]),
        phase_status=PhaseStatus(stored["phase_status"]),
    )
