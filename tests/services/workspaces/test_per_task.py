"""A worktree for each task: which tasks get one, under which name, and what it builds on."""

from __future__ import annotations

from pathlib import Path

import pytest

from mission.domain.tasks.workspace import WorkspaceStatus
from mission.git.worktrees.creation import CreatedWorktree
from mission.services.work import BackgroundWork
from mission.services.workspaces import per_task
from mission.services.workspaces.per_task import PreparedWorktree, WorktreeNotReady
from tests.tools.conftest import planned

OWN = {"auto_create_workspaces": True, "max_parallel": 2}


@pytest.mark.parametrize(
    ("mission", "task", "needed"),
    [
        (OWN, {}, True),
        ({**OWN, "max_parallel": 1}, {}, False),
        ({**OWN, "auto_create_workspaces": False}, {}, False),
        (OWN, {"tree": "/code/shop"}, False),
    ],
)
def test_a_task_needs_a_worktree_where_several_run_at_once_and_it_has_not_begun_elsewhere(
    tx, rows, mission, task, needed
):
    made = rows.mission(**mission)

    assert per_task.needs_worktree(tx, made, rows.task(made, **task), {}) is needed


@pytest.mark.parametrize(
    "ended", [{}, {"status": WorkspaceStatus.MERGED}, {"status": WorkspaceStatus.ABANDONED}, {"removed_at": "now"}]
)
def test_a_task_keeps_its_workspace_while_it_can_be_used(tx, rows, ended):
    mission = rows.mission(**OWN)
    fields = {name: tx.now if value == "now" else value for name, value in ended.items()}
    task = rows.task(mission, workspace_id=rows.workspace(mission, **fields).id)

    assert per_task.needs_worktree(tx, mission, task, {}) is bool(ended)


def test_a_task_is_assigned_what_was_made_for_it_and_nothing_else(tx, rows):
    mission = rows.mission(**OWN)
    one, two, plain = rows.task(mission), rows.task(mission), rows.task(rows.mission("plain"))
    made = CreatedWorktree(path=Path("/trees/one"), branch="one", base="main", created=True)
    ready = {one.id: PreparedWorktree(task_id=one.id, host_id="here", top="/code/shop", created=made)}

    task, workspace = per_task.assign_worktree(tx, mission, one, ready)

    assert (workspace.workspace.path, workspace.task_ids) == ("/trees/one", [one.id])
    assert task.workspace_id == workspace.workspace.id
    with pytest.raises(WorktreeNotReady):
        per_task.assign_worktree(tx, mission, two, ready)
    assert per_task.assign_worktree(tx, tx.missions.get(plain.mission_id), plain, {}) == (plain, None)
    without = {two.id: PreparedWorktree(task_id=two.id, host_id="here", warnings=("no repository",))}
    assert per_task.assign_worktree(tx, mission, two, without) == (two, None)


@pytest.fixture
def prepare(app):
    async def prepare(task_id, agent_id=None):
        work = BackgroundWork(app.database)
        return (await per_task.prepare(work, app.trees, task_id=task_id, agent_id=agent_id)).get(task_id)

    return prepare


async def test_nothing_is_made_for_a_task_that_cannot_be_taken(call, prepare, make_workflow, make_agent, repository):
    wanted = {"repository_path": str(repository), "auto_create_workspaces": True}
    id, tasks = await make_workflow(planned("a"), planned("b", after=["a"]), **wanted)
    await call("task_claim", {"task_id": tasks["a"], "agent_id": await make_agent("ada")})
    bob = await make_agent("bob")

    assert await prepare(tasks["a"], bob) is None
    assert await prepare(tasks["b"], bob) is None
    assert len((await call("workspace_list", {"workflow_id": id}))["workspaces"]) == 1


async def test_without_a_git_repository_the_claim_is_told_why_there_is_no_worktree(
    call, prepare, make_workflow, make_agent, tmp_path
):
    for wanted in ({}, {"repository_path": str(tmp_path)}):
        _, tasks = await make_workflow(planned("a"), auto_create_workspaces=True, **wanted)

        worktree = await prepare(tasks["a"])

        assert (worktree.created, worktree.warnings) == (None, (per_task.NO_REPOSITORY,))


async def test_what_was_made_for_a_task_is_found_by_whoever_takes_it_next(prepare, make_workflow, repository):
    wanted = {"repository_path": str(repository), "auto_create_workspaces": True}
    _, tasks = await make_workflow(planned("Größe ändern"), planned("漢字"), **wanted)

    first, again = await prepare(tasks["Größe ändern"]), await prepare(tasks["Größe ändern"])
    unnamed = await prepare(tasks["漢字"])

    assert first.created.path == again.created.path
    assert first.created.branch.startswith("mission/")
    assert first.created.branch.endswith(tasks["Größe ändern"])
    assert unnamed.created.branch.endswith(tasks["漢字"])
