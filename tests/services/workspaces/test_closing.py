"""The end of a workspace: recorded once, and only when nobody works in it."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput, InvalidState
from mission.domain.tasks.workspace import WorkspaceStatus
from mission.services.workspaces import closing
from tests.store.rows import at
from tests.tools.conftest import planned


def test_an_end_keeps_the_merge_commit_and_the_branch_with_what_was_saved(tx, rows):
    workspace = rows.workspace(rows.mission())

    merged = closing.record_status(
        tx, workspace_id=workspace.id, status=WorkspaceStatus.MERGED, commit="c0ffee", kept_branch=None
    )
    gone = closing.record_removal(tx, workspace_id=workspace.id, kept_branch="kept/one")

    assert (merged.status, merged.merge_commit) == (WorkspaceStatus.MERGED, "c0ffee")
    assert (gone.removed_at, gone.kept_branch, gone.merge_commit) == (tx.now, "kept/one", "c0ffee")
    assert [event.type for event in tx.emitted] == ["workspace:updated"] * 2


def test_a_removal_that_is_told_twice_is_the_first_one(tx, rows):
    workspace = rows.workspace(rows.mission(), status=WorkspaceStatus.ABANDONED)
    first = closing.record_removal(tx, workspace_id=workspace.id, kept_branch="one")
    tx.now = at(5)

    assert closing.record_removal(tx, workspace_id=workspace.id, kept_branch="two") == first
    assert len(tx.emitted) == 1


@pytest.fixture
async def workspace(call, make_workflow, repository):
    """A worktree with one task."""
    id, tasks = await make_workflow(planned("a"), repository_path=str(repository))
    wanted = {"workflow_id": id, "path": str(repository.parent / "wt"), "branch": "work", "create": True}
    return (await call("workspace_create", wanted | {"task_ids": [tasks["a"]]}))["id"], tasks["a"]


@pytest.mark.parametrize(
    "said", [{"status": "merged"}, {"merge_commit": "c0ffee"}, {"status": "abandoned", "merge_commit": "c0ffee"}]
)
async def test_a_merge_commit_goes_with_merged_and_with_nothing_else(call, workspace, said):
    with pytest.raises(InvalidInput, match="'merged' requires a merge_commit"):
        await call("workspace_update", {"id": workspace[0], **said})


async def test_a_workspace_is_removed_when_it_was_given_up_and_its_tasks_are_out_of_hand(call, workspace, repository):
    id, task = workspace
    path = repository.parent / "wt"
    with pytest.raises(InvalidState, match="is active"):
        await call("workspace_remove", {"id": id})
    await call("start_task", {"task_id": task})
    await call("workspace_update", {"id": id, "status": "abandoned"})
    with pytest.raises(InvalidState, match="is in use") as raised:
        await call("workspace_remove", {"id": id})
    assert raised.value.details["open_tasks"] == [task]
    assert path.is_dir()

    await call("complete_task", {"task_id": task, "status": "failed", "outcome": {"summary": "no"}})
    await call("workspace_remove", {"id": id})

    assert not path.exists()
    assert (await call("workspace_get", {"id": id}))["removed_at"] is not None


async def test_what_no_commit_holds_is_saved_when_work_is_given_up(call, workspace, repository, git):
    (repository / ".." / "wt" / "idea.txt").write_text("x")

    ended = await call("workspace_update", {"id": workspace[0], "status": "abandoned"})
    await call("workspace_remove", {"id": workspace[0]})

    assert git(repository, "show", f"{ended['kept_branch']}:idea.txt") == "x"
