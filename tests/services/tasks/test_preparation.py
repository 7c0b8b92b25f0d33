"""What a start stands on: the mission, the tree and the tree's snapshot."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput, InvalidState
from mission.services.tasks import preparation
from mission.services.work import BackgroundWork
from tests.tools.conftest import planned


@pytest.fixture
def directory_of(app):
    async def find(task_id, *, repository_path=None, directory=None):
        given = {"repository_path": repository_path, "directory": directory}
        chosen = {name: str(path) if path is not None else None for name, path in given.items()}
        work = BackgroundWork(app.database)
        return await preparation.find_directory(work, app.trees, task_id=task_id, **chosen)

    return find


@pytest.fixture
async def task(make_workflow, repository):
    _, tasks = await make_workflow(planned("a"), repository_path=str(repository))
    return tasks["a"]


async def test_a_task_is_done_in_the_named_tree_else_the_callers_own_of_the_repository_else_the_repository(
    directory_of, task, repository, git, tmp_path
):
    worktree, elsewhere = tmp_path / "worktree", tmp_path / "elsewhere"
    git(repository, "worktree", "add", "-q", str(worktree))
    elsewhere.mkdir()

    assert await directory_of(task) == str(repository)
    assert await directory_of(task, directory=worktree) == str(worktree)
    assert await directory_of(task, directory=elsewhere) == str(repository)
    assert await directory_of(task, directory=worktree, repository_path=elsewhere) == str(elsewhere)


async def test_a_workspace_outranks_where_the_caller_stands_until_it_is_given_up(
    call, directory_of, task, repository, tmp_path
):
    found = await call("task_get", {"id": task})
    wanted = {"workflow_id": found["workflow_id"], "path": str(repository.parent / "own"), "branch": "own"}
    made = await call("workspace_create", wanted | {"create": True, "task_ids": [task]})

    assert await directory_of(task, directory=repository) == str(repository.parent / "own")
    started = await call("start_task", {"task_id": task}, directory=str(repository))
    assert started["repository_path"] == str(repository.parent / "own")
    await call("workspace_update", {"id": made["id"], "status": "abandoned"})
    assert await directory_of(task, directory=repository) == str(repository)


async def test_a_task_of_a_mission_without_a_repository_has_a_directory_only_if_its_caller_has(
    directory_of, make_workflow, tmp_path
):
    _, tasks = await make_workflow(planned("a"))

    assert await directory_of(tasks["a"]) is None
    assert await directory_of(tasks["a"], directory=tmp_path) == str(tmp_path)


async def test_a_task_keeps_its_first_snapshot_of_a_tree_over_all_attempts(call, task, repository, git):
    first = await call("start_task", {"task_id": task})
    (repository / "new.txt").write_text("x")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "half")
    await call("complete_task", {"task_id": task, "status": "failed", "outcome": {"summary": "no"}})

    second = await call("start_task", {"task_id": task})
    done = await call("complete_task", {"task_id": task, "status": "success", "outcome": {"summary": "yes"}})

    assert second["snapshot_id"] == first["snapshot_id"]
    assert done["files_changed"]["added"] == ["new.txt"]


async def test_a_task_and_a_mission_that_do_not_belong_together_are_refused(call, task, make_workflow):
    other, _ = await make_workflow()

    with pytest.raises(InvalidInput, match="belongs to mission"):
        await call("start_task", {"task_id": task, "mission_id": other})


async def test_a_workspace_whose_folder_is_gone_is_named(call, task, repository):
    found = await call("task_get", {"id": task})
    path = repository.parent / "own"
    wanted = {"workflow_id": found["workflow_id"], "path": str(path), "branch": "own", "create": True}
    await call("workspace_create", wanted | {"task_ids": [task]})
    path.rename(repository.parent / "moved")

    with pytest.raises(InvalidState, match="is gone"):
        await call("start_task", {"task_id": task})
