"""The files and lines that a mission's tasks changed: as stored when they ended, and in running worktrees."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mission.domain.errors import MissionError
from mission.domain.tasks.patch import LineCount, add_up
from mission.domain.tasks.states import RUNNING
from mission.domain.tasks.task import CHANGE_LISTS, Task
from mission.services.evidence.left_files import left_in_tree_of
from mission.services.repositories.working_trees import Trees
from mission.services.work import Work
from mission.store.transaction import Tx

MAX_TREES = 30
"""How many worktrees are compared at most."""
MAX_COUNTED = 200
"""In how many files of a worktree the lines are counted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskChange:
    """The change of a file by one task: its kind, and the lines if they are known."""

    task_id: str
    task_name: str
    path: str
    how: str
    lines: LineCount | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangedFile:
    """A file and what tasks did to it."""

    path: str
    changes: Sequence[TaskChange]

    @property
    def lines(self) -> LineCount | None:
        """Return how many lines were added and removed; None if that is not known for every change."""
        counts = [change.lines for change in self.changes]
        return None if None in counts else add_up(counts)


@dataclass(frozen=True, kw_only=True, slots=True)
class MissionChanges:
    """The changed files of a mission, by path."""

    files: Sequence[ChangedFile]
    trees_left_out: int = 0
    """How many worktrees were not compared, because there are too many or they cannot be read."""

    @property
    def total(self) -> LineCount:
        return add_up(change.lines for file in self.files for change in file.changes)

    @property
    def uncounted(self) -> int:
        """Return how many files have lines that are not known."""
        return sum(file.lines is None for file in self.files)


def read(tx: Tx, *, mission_id: str) -> MissionChanges:
    """Return every file that the mission's ended tasks changed."""
    tx.missions.get(mission_id)
    counts = tx.patches.counts_of_mission(mission_id)
    return MissionChanges(
        files=_by_path(
            TaskChange(task_id=row.id, task_name=row.name, path=path, how=how, lines=counts.get(row.id, {}).get(path))
            for row in tx.overviews.tasks(mission_id)
            for path, how in changed_paths(row.changes)
        )
    )


async def read_running(work: Work, trees: Trees, *, mission_id: str) -> MissionChanges:
    """Return what differs in the worktrees of this host in which tasks of the mission are in progress."""
    tasks = await work.read(_running, mission_id=mission_id, host_id=trees.host_id)
    found = await asyncio.gather(*(_differences(work, trees, task) for task in tasks[:MAX_TREES]))
    known = [each for each in found if each is not None]
    return MissionChanges(
        files=_by_path(change for each in known for change in each), trees_left_out=len(tasks) - len(known)
    )


def changed_paths(changes: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """Return each changed path and its kind: A, M, D, or R instead of A for the target of a rename."""
    if not changes:
        return []
    renamed = {move["to"] for move in changes["renamed"]}
    letters = {name: name[0].upper() for name in CHANGE_LISTS}
    return [(path, "R" if path in renamed else letters[name]) for name in CHANGE_LISTS for path in changes[name]]


def _running(tx: Tx, *, mission_id: str, host_id: str) -> list[Task]:
    """Return the started tasks of a mission whose changes are not stored yet, each with a tree of its own."""
    tx.missions.get(mission_id)
    ids = [row.id for row in tx.overviews.tasks(mission_id) if row.status in RUNNING and row.changes is None]
    tasks = [tx.tasks.get(id) for id in ids]
    own = {task.tree: task for task in tasks if task.snapshot is not None and task.host_id == host_id}
    return list(own.values())


async def _differences(work: Work, trees: Trees, task: Task) -> list[TaskChange] | None:
    """Return what differs in the tree of a task; None if it cannot be read."""
    try:
        ignore = await left_in_tree_of(work, task)
        changes = await trees.changes(task.snapshot or {}, lines=True, max_files=MAX_COUNTED, ignore=ignore)
    except MissionError:
        return None
    counts = changes.patch.counts if changes.patch is not None else {}
    return [
        TaskChange(task_id=task.id, task_name=task.name, path=path, how=how, lines=counts.get(path))
        for path, how in changed_paths(changes.as_dict())
    ]


def _by_path(changes: Iterable[TaskChange]) -> list[ChangedFile]:
    files: dict[str, list[TaskChange]] = {}
    for change in changes:
        files.setdefault(change.path, []).append(change)
    return [ChangedFile(path=path, changes=files[path]) for path in sorted(files)]
