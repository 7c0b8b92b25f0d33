"""The context that a cleared or new owner needs to resume a task: the task, its surroundings, and what is new."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from mission.domain.errors import InvalidInput
from mission.domain.missions.mission import Mission
from mission.domain.tasks.journal import JournalEntry
from mission.domain.tasks.states import DONE, TaskStatus
from mission.domain.tasks.task import Task
from mission.services.evidence.last_failures import FailedCheck, failed_last
from mission.store.transaction import Tx

NEIGHBOURS = 50
"""How many previous or parallel tasks are read; the budget rarely has room for more."""
_STARTABLE = frozenset({TaskStatus.PENDING, TaskStatus.PLANNING, TaskStatus.PAUSED})
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextCursor:
    """A position: how much of a task and its surroundings a reader has seen."""

    moment: datetime
    sequence: int

    @classmethod
    def parse(cls, text: str, *, field: str) -> ContextCursor:
        moment, _, sequence = text.partition(".")
        if not (moment.isdecimal() and sequence.isdecimal() and len(moment) <= 17 and len(sequence) <= 9):
            raise InvalidInput(
                f"{field}: '{text[:60]}' is not a cursor",
                hint="Give the cursor from an earlier result, or omit it.",
                field=field,
            )
        return cls(moment=_EPOCH + timedelta(microseconds=int(moment)), sequence=int(sequence))

    def __str__(self) -> str:
        return f"{(self.moment - _EPOCH) // timedelta(microseconds=1)}.{self.sequence}"


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextRequest:
    """The surroundings that a reader requests."""

    checkpoints: int
    source_characters: int
    earlier: bool
    siblings: bool
    dependencies: bool
    since: ContextCursor | None


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskContext:
    """A task and its surroundings. With a cursor, only what is newer; `task_is_new` says whether the task is."""

    mission: Mission
    source: str
    task: Task
    task_is_new: bool
    waits_for: Sequence[Task]
    latest: JournalEntry | None
    """The last entry written by someone other than the system."""
    failed_checks: Sequence[FailedCheck]
    """The required checks that failed last."""
    left: JournalEntry | None
    """The system's note on how an agent left the task, with the last progress that it reported."""
    checkpoints: Sequence[JournalEntry]
    """Newest first."""
    checkpoints_total: int
    dependencies: Sequence[Task]
    earlier: Sequence[Task]
    earlier_total: int
    siblings: Sequence[Task]
    siblings_total: int
    cursor: ContextCursor


def read(tx: Tx, *, task_id: str, wanted: ContextRequest) -> TaskContext:
    """Return everything around a task that its owner may need to resume it."""
    task = tx.tasks.get(task_id)
    mission = tx.missions.get(task.mission_id)
    since = wanted.since.moment if wanted.since is not None else None
    entries = tx.nearby_tasks.entries(task_id)
    known = min(wanted.since.sequence, entries) if wanted.since is not None else 0
    checkpoints = tx.journal.latest_of_task(task_id, limit=max(1, wanted.checkpoints))[::-1]
    newest = checkpoints[0] if checkpoints else None
    dependencies = tx.plans.dependency_tasks(task_id)
    earlier = tx.nearby_tasks.earlier(task, since=since, limit=NEIGHBOURS) if wanted.earlier else []
    siblings = tx.nearby_tasks.same_phase(task, since=since, limit=NEIGHBOURS) if wanted.siblings else []
    moved_at = max(mission.updated_at, *(each.updated_at for each in (task, *dependencies, *earlier, *siblings)))
    return TaskContext(
        mission=mission,
        source=tx.nearby_tasks.source_start(mission.id, characters=wanted.source_characters),
        task=task,
        task_is_new=since is None or task.updated_at > since,
        failed_checks=failed_last(tx, task_id=task_id) if task.status not in DONE else [],
        waits_for=[each for each in dependencies if each.status not in DONE],
        latest=tx.journal.last_words(task_id) if newest is not None and newest.is_ours else newest,
        left=next((entry for entry in checkpoints if entry.is_ours and "progress" in entry.content), None),
        checkpoints=[entry for entry in checkpoints[: wanted.checkpoints] if entry.sequence > known],
        checkpoints_total=entries - known,
        dependencies=[
            each for each in dependencies if wanted.dependencies and (since is None or each.updated_at > since)
        ],
        earlier=earlier,
        earlier_total=tx.nearby_tasks.ended_before(task) if since is None else len(earlier),
        siblings=siblings,
        siblings_total=tx.phases.get(task.phase_id).counts.total - 1 if since is None else len(siblings),
        cursor=ContextCursor(moment=max(moved_at, since) if since is not None else moved_at, sequence=entries),
    )


def once_started(found: TaskContext, *, agent_id: str) -> TaskContext:
    """Return the context once the agent has started the task; unchanged if it already has, or cannot be started."""
    task = found.task
    if found.waits_for or task.hold is not None or task.status not in _STARTABLE:
        return found
    return replace(found, task=replace(task, status=TaskStatus.IN_PROGRESS, owner_id=agent_id))
