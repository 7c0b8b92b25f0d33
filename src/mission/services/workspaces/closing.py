"""Use cases of a workspace's end: merge, abandon or remove it without losing work."""

from __future__ import annotations

from dataclasses import replace

from mission.domain import events
from mission.domain.actions import Action
from mission.domain.errors import InvalidInput, InvalidState
from mission.domain.tasks.states import RUNNING
from mission.domain.tasks.workspace import Workspace, WorkspaceStatus
from mission.git.worktrees import removal
from mission.services.repositories.working_trees import Trees
from mission.services.work import Work
from mission.services.workspaces import creation, slots
from mission.services.workspaces.creation import worktree_to_remove
from mission.store.transaction import Tx


async def update(
    work: Work,
    trees: Trees,
    *,
    workspace_id: str,
    status: WorkspaceStatus | None,
    merge_commit: str | None,
) -> Workspace:
    """Change a workspace's status: a merge is verified first, and abandoning saves uncommitted work.

    A call with neither status nor merge_commit changes nothing.
    """
    if status is None and merge_commit is None:
        return await work.finish(_unchanged, workspace_id=workspace_id)
    if status is None or (merge_commit is not None) != (status is WorkspaceStatus.MERGED):
        raise InvalidInput(
            "status: 'merged' requires a merge_commit, 'active' and 'abandoned' do not allow one",
            hint="Give {status: 'merged', merge_commit: …} after the merge.",
            field="status" if status is None else "merge_commit",
        )
    workspace = (await work.read(creation.get, workspace_id=workspace_id)).workspace
    workspace.move_to(status, at=workspace.updated_at)
    kept_branch, commit = workspace.kept_branch, None
    if status is not WorkspaceStatus.ACTIVE:
        trees.check_host(workspace.host_id, what=f"workspace {workspace.id}")
    if merge_commit is not None:
        worktree = worktree_to_remove(workspace)
        commit = await trees.work(worktree.top, removal.verify_merge, worktree, merge_commit)
    elif status is WorkspaceStatus.ABANDONED:
        worktree = worktree_to_remove(workspace)
        kept_branch = (
            await trees.work(worktree.top, removal.keep_uncommitted, worktree, name=workspace.id) or kept_branch
        )
    return await work.finish(
        record_status, workspace_id=workspace.id, status=status, commit=commit, kept_branch=kept_branch
    )


async def remove(
    work: Work,
    trees: Trees,
    *,
    workspace_id: str,
    save: bool,
    with_branch: bool,
) -> Workspace:
    """Remove the worktree of an ended workspace. Raise as long as that would lose work."""
    workspace = await work.read(_removable, workspace_id=workspace_id)
    trees.check_host(workspace.host_id, what=f"workspace {workspace.id}")
    worktree, kept_branch = worktree_to_remove(workspace), workspace.kept_branch
    if save:
        kept_branch = (
            await trees.work(worktree.top, removal.keep_uncommitted, worktree, name=workspace.id) or kept_branch
        )
    await trees.work(worktree.top, removal.remove_worktree, worktree, kept=kept_branch, with_branch=with_branch)
    return await work.finish(record_removal, workspace_id=workspace.id, kept_branch=kept_branch)


def record_status(
    tx: Tx, *, workspace_id: str, status: WorkspaceStatus, commit: str | None, kept_branch: str | None
) -> Workspace:
    """Record the status of a workspace."""
    before = tx.workspaces.get(workspace_id)
    merge_commit = commit or before.merge_commit
    moved = replace(before.move_to(status, at=tx.now), merge_commit=merge_commit, kept_branch=kept_branch)
    return _saved(tx, before, moved)


def record_removal(tx: Tx, *, workspace_id: str, kept_branch: str | None) -> Workspace:
    """Record that the worktree was removed."""
    before = tx.workspaces.get(workspace_id)
    if before.removed_at:
        return before
    slots.free(tx, host_id=before.host_id, path=before.path)
    removed = replace(before, removed_at=tx.now, updated_at=tx.now, kept_branch=kept_branch)
    return _saved(tx, before, removed)


def _unchanged(tx: Tx, *, workspace_id: str) -> Workspace:
    return tx.workspaces.get(workspace_id)


def _removable(tx: Tx, *, workspace_id: str) -> Workspace:
    workspace = tx.workspaces.get(workspace_id)
    if workspace.status is WorkspaceStatus.ACTIVE:
        raise InvalidState(
            f"workspace {workspace.id} is active",
            action=Action.CLOSE_WORKSPACE,
            current=str(workspace.status),
        )
    tasks = [tx.tasks.get(id) for id in tx.workspaces.task_ids([workspace.id])[workspace.id]]
    busy = [task.id for task in tasks if task.status in RUNNING]
    if busy:
        raise InvalidState(
            f"workspace {workspace.id} is in use: {', '.join(busy)}",
            hint="Complete or release these tasks first.",
            open_tasks=busy,
        )
    return workspace


def _saved(tx: Tx, before: Workspace, after: Workspace) -> Workspace:
    if after != before:
        tx.workspaces.save(after)
        tx.emit(events.WorkspaceUpdated(workspace=after))
    return after
