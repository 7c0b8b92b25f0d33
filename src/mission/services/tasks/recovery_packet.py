"""The packet that the next owner of a task needs to continue where the last one stopped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mission.domain.errors import MissionError
from mission.domain.tasks.changes import Changes
from mission.domain.tasks.journal import JournalEntry
from mission.domain.tasks.task import Task
from mission.services.evidence.last_failures import FailedCheck, failed_last
from mission.services.evidence.left_files import left_in_tree_of
from mission.services.repositories.working_trees import Trees
from mission.services.work import Work
from mission.services.workspaces import creation as workspaces
from mission.services.workspaces.creation import WorkspaceDetails
from mission.store.transaction import Tx

RECENT_CHECKPOINTS = 5

UncommittedChanges = Mapping[str, Changes | None]
"""The changes found in the trees of tasks, by task."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Recovery:
    """The work that earlier owners left behind."""

    previous_owner: str | None
    attempts: int
    checkpoints: Sequence[JournalEntry]
    tree: str | None
    changes: Changes | None
    workspace: WorkspaceDetails | None = None
    failed_checks: Sequence[FailedCheck] = ()
    """The required checks that failed last."""


def recovery_of(tx: Tx, before: Task, uncommitted: UncommittedChanges) -> Recovery | None:
    """Return what earlier owners left behind; None for a task that had no owner."""
    checkpoints = tx.journal.latest_of_task(before.id, limit=RECENT_CHECKPOINTS)
    if not (checkpoints or before.fence or before.attempts):
        return None
    return Recovery(
        previous_owner=before.owner_id or before.previous_owner_id,
        attempts=before.attempts,
        checkpoints=checkpoints,
        tree=before.tree,
        changes=uncommitted.get(before.id),
        workspace=workspaces.get(tx, workspace_id=before.workspace_id) if before.workspace_id else None,
        failed_checks=failed_last(tx, task_id=before.id),
    )


async def uncommitted_in(work: Work, trees: Trees, task: Task | None) -> UncommittedChanges:
    """Return the uncommitted changes in the task's tree, if it is on this host; failures do not prevent a claim."""
    if task is None or task.snapshot is None or task.host_id != trees.host_id:
        return {}
    try:
        left = await left_in_tree_of(work, task)
        return {task.id: await trees.uncommitted(task.snapshot, ignore=left)}
    except MissionError:
        return {}
