"""Workspaces: remembered once per place, given tasks of their own mission, and listed with how they stand."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from mission.domain.errors import Conflict, InvalidInput, InvalidState, NotFound, NotOwner
from mission.domain.tasks.task import TaskStatus
from mission.domain.tasks.workspace import WorkspaceStatus
from mission.git.worktrees.creation import CreatedWorktree
from mission.services.workspaces import creation as workspaces
from tests.store.rows import at
from tests.tools.conftest import planned


def record(tx, mission, path="/trees/one", *, task_ids=(), agent_id=None):
    made = CreatedWorktree(path=Path(path), branch="one", base="main", created=True, warnings=["slow"])
    where = {"mission_id": mission.id, "made": made, "top": "/code/shop", "host_id": "here"}
    return workspaces.record(tx, **where, task_ids=task_ids, agent_id=agent_id)


def assign(tx, task, workspace, agent_id=None):
    return workspaces.assign(tx, task_id=task.id, workspace_id=workspace.id, agent_id=agent_id)


def test_a_place_is_remembered_once_and_later_only_gets_its_tasks(tx, rows):
    mission = rows.mission()
    task = rows.task(mission)
    first = record(tx, mission)
    told = len(tx.emitted)

    again = record(tx, mission, task_ids=[task.id])

    assert (again.workspace.id, again.task_ids, again.warnings) == (first.workspace.id, [task.id], ["slow"])
    assert [event.type for event in tx.emitted[told:]] == ["task:updated"]


def test_a_place_of_another_mission_or_of_an_ended_workspace_is_refused(tx, rows):
    taken = record(tx, rows.mission()).workspace
    mission = rows.mission("mine")
    rows.workspace(mission, "/trees/two", status=WorkspaceStatus.ABANDONED)

    with pytest.raises(Conflict, match=taken.id):
        record(tx, mission)
    with pytest.raises(InvalidState):
        record(tx, mission, "/trees/two")


@pytest.mark.parametrize("status", list(TaskStatus))
def test_a_task_moves_to_another_workspace_only_while_nobody_works_on_its_files(tx, rows, status):
    mission = rows.mission()
    workspace = rows.workspace(mission)
    task = rows.task(mission, status=status)
    there = rows.task(mission, status=status, tree=workspace.path)

    if status in {TaskStatus.PENDING, TaskStatus.PLANNING, TaskStatus.FAILED}:
        assert assign(tx, task, workspace).workspace_id == workspace.id
    else:
        with pytest.raises(InvalidState):
            assign(tx, task, workspace)
    assert assign(tx, there, workspace).workspace_id == workspace.id


def test_a_task_is_given_a_living_workspace_of_its_own_mission_by_its_owner(tx, rows):
    mission = rows.mission()
    workspace, over = rows.workspace(mission), rows.workspace(mission, "/trees/two", status=WorkspaceStatus.MERGED)
    task = rows.task(mission, owner_id="a_1")

    with pytest.raises(InvalidInput, match="belongs to"):
        assign(tx, rows.task(rows.mission("other")), workspace)
    with pytest.raises(NotOwner):
        assign(tx, task, workspace, agent_id="a_2")
    with pytest.raises(InvalidState):
        assign(tx, task, over, agent_id="a_1")
    assert assign(tx, task, workspace, agent_id="a_1").workspace_id == workspace.id
    told = len(tx.emitted)
    assign(tx, tx.tasks.get(task.id), workspace, agent_id="a_1")
    assert len(tx.emitted) == told


def test_a_list_is_narrowed_before_it_is_cut_and_counted_in_all(tx, rows):
    mission = rows.mission()
    old = rows.workspace(mission, "/trees/a")
    new = rows.workspace(mission, "/trees/b", created_at=at(1))
    rows.workspace(mission, "/trees/c", removed_at=at(2))
    task = rows.task(mission)
    tx.workspaces.assign(task.id, old.id, now=at(1))

    def listed(**wanted):
        filters = {"mission_id": mission.id, "statuses": None, "removed": False, "limit": 1, "offset": 0}
        found, total = workspaces.list_workspaces(tx, **{**filters, **wanted})
        return [(each.workspace.id, each.task_ids) for each in found], total

    assert listed() == ([(new.id, [])], 2)
    assert listed(offset=1) == ([(old.id, [task.id])], 2)
    assert listed(removed=True)[1] == 3
    assert listed(statuses=[WorkspaceStatus.MERGED]) == ([], 0)
    with pytest.raises(NotFound):
        listed(mission_id="m_nowhere000")


async def test_a_refused_task_is_named_before_git_makes_anything(call, make_workflow, repository, git):
    id, _ = await make_workflow(repository_path=str(repository))
    _, others = await make_workflow(planned("other"))
    path = repository.parent / "wt"
    wanted = {"workflow_id": id, "path": str(path), "branch": "work", "create": True, "task_ids": [others["other"]]}

    with pytest.raises(InvalidInput, match="task_ids"):
        await call("workspace_create", wanted)

    assert not path.exists()
    assert git(repository, "branch", "--list", "work") == ""


async def test_a_folder_that_is_gone_and_a_workspace_of_another_host_are_shown_as_they_are(
    app, call, make_workflow, repository
):
    id, _ = await make_workflow(repository_path=str(repository))
    path = repository.parent / "wt"
    wanted = {"workflow_id": id, "path": str(path), "branch": "work", "create": True}
    made = await call("workspace_create", wanted)

    async def state(**change):
        found = await app.database.read(workspaces.get, workspace_id=made["id"])
        seen = replace(found, workspace=replace(found.workspace, **change))
        [shown] = await workspaces.list_with_state(app.trees, [seen])
        return shown.state

    assert (await state()).exists
    assert await state(host_id="there") is None
    shutil.rmtree(path)
    assert not (await state()).exists
