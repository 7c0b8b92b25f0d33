"""Details of one task: its history, whether it kept to its areas, and the lines it changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mission.domain.checks.round import RoundState
from mission.domain.display_status import task_word
from mission.domain.errors import InvalidInput, InvalidState
from mission.domain.events import TaskCreated, TaskUpdated
from mission.domain.tasks.changes import Changes, verify_scope
from mission.domain.tasks.patch import LineCount, Lines, Patch
from mission.domain.tasks.states import OPEN, TaskStatus
from mission.domain.tasks.task import Task
from mission.services.evidence.left_files import left_in_tree_of
from mission.services.repositories.working_trees import Trees
from mission.services.work import Work
from mission.store.logs.events import StoredEvent
from mission.store.tasks.patches import Counts
from mission.store.transaction import Tx

MAX_EVENTS = 500
MAX_FILES = 2_000
MAX_COUNTED = 300
"""With more changed files, the lines of an open task are not counted: that would read all of them."""
NO_PATCH = "no patch was stored when the task ended: the changed files are known, but not the lines"
NAMES_ARE_KEPT = "View the lines with git, in the tree or in the task's commits."


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskEvent:
    """A change of the task's state or owner."""

    at: str
    status: str
    word: str
    agent_id: str | None
    attempt: int


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskHistory:
    task: Task
    mission_name: str
    moves: Sequence[TaskEvent]
    agents: Mapping[str, str]


def read(tx: Tx, *, task_id: str) -> TaskHistory:
    """Return the task and its states in order, as far back as events are stored."""
    task = tx.tasks.get(task_id)
    kinds = [TaskCreated.topic, TaskUpdated.topic]
    events = tx.events.about(task.id, mission_id=task.mission_id, types=kinds, limit=MAX_EVENTS)
    moves = _moves([event for event in events if event.data.get("id") == task.id])
    ids = {move.agent_id for move in moves} | {task.owner_id}
    return TaskHistory(
        task=task,
        mission_name=tx.missions.get(task.mission_id).name,
        moves=moves,
        agents=tx.overviews.names(sorted(id for id in ids if id is not None)),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangedFiles:
    """The files that a task changed, with the changed lines of each as far as they are known."""

    changes: Changes | None
    final: bool
    """Whether the changes are those of its end; until then its tree is compared with its start."""
    counts: Mapping[str, LineCount]
    outside: frozenset[str]
    """The files outside the task's areas."""


async def changed_files(work: Work, trees: Trees, *, task_id: str) -> ChangedFiles:
    """Return the task's changes: those that were reported and checked, or how its tree differs from its start now."""
    task, checked = await work.read(_with_checked, task_id=task_id)
    final = checked is not None or _has_ended(task)
    counts: Counts = {}
    if final:
        changes = checked or (Changes.from_dict(task.changes) if task.changes else None)
        counts = await work.read(_stored_counts, task_id=task.id)
    elif task.snapshot is None or task.host_id != trees.host_id:
        changes = None
    else:
        ignore = await left_in_tree_of(work, task)
        changes = await trees.changes(task.snapshot, lines=True, max_files=MAX_COUNTED, ignore=ignore)
        counts = changes.patch.counts if changes.patch is not None else {}
    return ChangedFiles(
        changes=changes,
        final=final,
        counts={path: count for path, count in counts.items() if count is not None},
        outside=frozenset(verify_scope(changes, list(task.areas)).unexpected_files),
    )


def _stored_counts(tx: Tx, *, task_id: str) -> Counts:
    return tx.patches.counts_of([task_id]).get(task_id, {})


async def lines(work: Work, trees: Trees, *, task_id: str, path: str) -> Lines:
    """Return the lines that the task changed in one file: as stored at its end, or from its start to now."""
    task, checked = await work.read(_with_checked, task_id=task_id)
    if checked is not None or _has_ended(task):
        patch = await _kept(work, task, path, checked=checked)
    elif task.snapshot is None:
        raise _unchanged(task, path)
    else:
        trees.check_host(task.host_id or "", what=f"the tree of task {task.id}")
        patch = await trees.lines(task.snapshot, path, ignore=await left_in_tree_of(work, task))
    if patch is None:
        raise _unchanged(task, path)
    if patch.missing or path not in patch.files:
        raise InvalidState(patch.missing or NO_PATCH, hint=NAMES_ARE_KEPT)
    return patch.files[path]


async def _kept(work: Work, task: Task, path: str, *, checked: Changes | None) -> Patch | None:
    changes = checked or (Changes.from_dict(task.changes) if task.changes is not None else None)
    if changes is None or path not in changes.paths:
        return None
    return await work.read(_patch, task_id=task.id) or Patch(missing=NO_PATCH)


def _patch(tx: Tx, *, task_id: str) -> Patch | None:
    return tx.patches.get(task_id)


def _has_ended(task: Task) -> bool:
    return task.changes is not None or task.status not in OPEN


def _unchanged(task: Task, path: str) -> InvalidInput:
    return InvalidInput(f"path: task {task.id} did not change '{path[:200]}'", field="path")


def _with_checked(tx: Tx, *, task_id: str) -> tuple[Task, Changes | None]:
    """Return a task, and while a person reviews it, the changes that its checks saw: its tree may change meanwhile."""
    task = tx.tasks.get(task_id)
    round = tx.rounds.newest_of_task(task.id) if task.status is TaskStatus.REVIEW else None
    if round is None or round.state is not RoundState.PASSED or round.report is None or round.changes is None:
        return task, None
    return task, Changes.from_dict(round.changes)


def _moves(events: Sequence[StoredEvent]) -> list[TaskEvent]:
    """Return one entry for each event with a new state or owner."""
    moves: list[TaskEvent] = []
    for event in events:
        data, frame = event.data, event.frame()
        move = TaskEvent(
            at=frame["at"],
            status=data["status"],
            word=task_word(
                data["status"],
                quality=data.get("quality"),
                hold={"kind": data.get("hold_kind")},
                waiting_for=data.get("waiting_for") or 0,
                proof_state=data.get("proof_state"),
            ),
            agent_id=data["assigned_agent_id"],
            attempt=data["attempts"],
        )
        last = moves[-1] if moves else None
        if last is None or (last.word, last.agent_id) != (move.word, move.agent_id):
            moves.append(move)
    return moves
