"""Use cases of a task's end: compare its tree with its start, and record the actual changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from mission.domain.errors import Conflict, InvalidState
from mission.domain.missions.mission import Mission
from mission.domain.missions.phase import PhaseStatus
from mission.domain.tasks import moves
from mission.domain.tasks.changes import Changes, Verification, verify_scope
from mission.domain.tasks.moves import TaskEnd
from mission.domain.tasks.task import Quality, Task, TaskStatus
from mission.git.errors import ChangesUnknown
from mission.services import phases
from mission.services.inbox import task_requests as asking
from mission.services.repositories.working_trees import NO_TREE, Report, Trees
from mission.services.tasks import updates as tasks
from mission.services.work import Work, digest_of
from mission.store.transaction import Tx

Answer = TypeVar("Answer")


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

    @property
    def digest(self) -> str:
        return digest_of([self.status, self.quality, self.outcome, self.metadata, self.phase_complete, self.error])

    def end(self, changes: Changes | None) -> TaskEnd:
        """Return the end as it is stored with the task, with the changes that were found."""
        failed = self.status is TaskStatus.FAILED
        return TaskEnd(
            status=self.status,
            quality=self.quality,
            outcome=self.outcome,
            metadata=self.metadata,
            changes=changes.as_dict() if changes is not None else None,
            error=(self.error or self.outcome["summary"]) if failed else None,
        )

    def check(self, task: Task) -> None:
        """Raise InvalidState, with the allowed moves, if the task's state does not allow this end."""
        if self.by_hand:
            task.check_can_end(self.status)
        else:
            task.check_completable()


@dataclass(frozen=True, kw_only=True, slots=True)
class Completed:
    task: Task
    changes: Changes | None
    verification: Verification
    phase_status: PhaseStatus
    snapshots: Mapping[str, Mapping[str, Any]] | None = None


async def complete(
    work: Work,
    trees: Trees,
    *,
    task_id: str,
    agent_id: str | None,
    fence: int | None,
    ending: TaskResult,
    report: Report | None = None,
    record: Callable[..., Completed] | None = None,
    answer: Callable[[Completed], Answer],
) -> Answer:
    """Complete a task: compare its tree with the snapshot from its start, then record both.

    `record` does what `finish` does, and more in the same transaction.
    """
    task = await work.read(_before_completion, task_id=task_id, agent_id=agent_id, fence=fence, ending=ending)
    changes, warnings = (None, []) if _already(task, ending) else await _changes(trees, task, report=report)
    forgettable: list[Mapping[str, Mapping[str, Any]] | None] = []

    def answered(completed: Completed) -> Answer:
        forgettable.append(completed.snapshots)
        return answer(completed)

    result = await work.write(
        record or finish,
        seen=task,
        agent_id=agent_id,
        fence=fence,
        ending=ending,
        changes=changes,
        warnings=warnings,
        answer=answered,
    )
    if forgettable:  # empty when a stored answer was returned again
        await trees.forget(forgettable[-1])
    return result


def finish(
    tx: Tx,
    *,
    seen: Task,
    agent_id: str | None,
    fence: int | None,
    ending: TaskResult,
    changes: Changes | None,
    warnings: Sequence[str],
) -> Completed:
    """Record the end of a task, unless it was changed since it was read."""
    task = tx.tasks.get(seen.id)
    if _already(task, ending):
        return _as_recorded(task)
    task.check_owner(agent_id, fence)
    ending.check(task)
    if (task.tree, task.snapshot) != (seen.tree, seen.snapshot):
        raise Conflict(f"task {task.id} was moved to another tree in the meantime", hint="Repeat the call.")
    _check_children(tx, task)
    overlapping = tx.tasks.overlapping(task) if changes is not None else []
    nothing = _nothing_changed(task, ending, changes)
    verification = _verify(task, changes, [*warnings, *nothing, *_overlap_warning(overlapping)])
    move = moves.ended(task, ending.end(changes), at=tx.now)

    def settle(mission: Mission) -> Task:
        """Close the task's phase if it is due, and return the task with the resulting state."""
        phase, more = _end_in_phase(tx, mission, task, phase_complete=ending.phase_complete)
        verified = asdict(replace(verification, warnings=[*verification.warnings, *more]))
        completion = {"digest": ending.digest, "verification": verified, "phase_status": str(phase)}
        return replace(move.after, completion=completion)

    (ended,) = tasks.apply(tx, move, settle=settle)
    tx.patches.put(task.id, changes.patch if changes is not None else None)
    asking.review(tx, ended)
    snapshots = task.snapshots if ended.snapshots is None else None
    return replace(_as_recorded(ended), changes=changes, snapshots=snapshots)


def _check_children(tx: Tx, task: Task) -> None:
    children = tx.tasks.running_children(task.id)
    if children:
        raise InvalidState(
            f"task {task.id} has child tasks in progress: "
            + ", ".join(f"{child.id} '{child.name}'" for child in children),
            hint="Complete the child tasks first.",
            open_tasks=[child.id for child in children],
        )


def _before_completion(tx: Tx, *, task_id: str, agent_id: str | None, fence: int | None, ending: TaskResult) -> Task:
    """Return the task. Raise if it cannot be completed, before slow work begins."""
    task = tx.tasks.get(task_id)
    if not _already(task, ending):
        task.check_owner(agent_id, fence)
        ending.check(task)
        _check_children(tx, task)
    return task


async def _changes(trees: Trees, task: Task, *, report: Report | None) -> tuple[Changes | None, list[str]]:
    if task.snapshot is None:
        return None, [NO_TREE]
    if task.host_id != trees.host_id:
        raise InvalidState(
            f"task {task.id} works on host {task.host_id}, this is {trees.host_id}",
            hint=f"Complete it on {task.host_id}; its files can be compared only there.",
            host_id=task.host_id,
        )
    try:
        return await trees.changes(task.snapshot, lines=True, report=report), []
    except ChangesUnknown as unknown:
        return None, [unknown.message]


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


def _nothing_changed(task: Task, ending: TaskResult, changes: Changes | None) -> list[str]:
    """Return a warning for a success without changes in the announced areas: the work may be elsewhere."""
    if changes is None or changes.paths or not task.areas or ending.status is not TaskStatus.COMPLETED:
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


def _already(task: Task, ending: TaskResult) -> bool:
    return task.completion is not None and bool(task.completion["digest"] == ending.digest)


def _as_recorded(task: Task) -> Completed:
    stored = task.completion or {}
    return Completed(
        task=task,
        changes=Changes.from_dict(task.changes) if task.changes is not None else None,
        verification=Verification(**stored["verification"]),
        phase_status=PhaseStatus(stored["phase_status"]),
    )
