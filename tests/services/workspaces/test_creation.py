"""Workspaces: remembered once per place and listed with how they stand."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from mission.domain.errors import Conflict, InvalidInput, InvalidState, NotFound
from mission.domain.tasks.workspace import WorkspaceStatus
from mission.git.worktrees.creation import CreatedWorktree
from mission.services.workspaces import creation as workspaces
from tests.store.rows import at
from tests.tools.conftest import planned


def record(tx, mission, path="/trees/one"):
    made = CreatedWorktree(path=Path(path), branch="one", base="main", created=True, warnings=["slow"])
    return workspaces.record(tx, mission_id=mission.id, created=made, top="/code/shop", host_id="here")


def test_a_place_is_remembered_once(tx, rows):
    mission = rows.mission()
    first = record(tx, mission)
    told = len(tx.emitted)

    again = record(tx, mission)

    assert (again.workspace, again.warnings) == (first.workspace, ["slow"])
    assert len(tx.emitted) == told


def test_a_place_of_another_mission_or_of_an_ended_workspace_is_refused(tx, rows):
    taken = record(tx, rows.mission()).workspace
    mission = rows.mission("mine")
    rows.workspace(mission, "/trees/two", status=WorkspaceStatus.ABANDONED)

    with pytest.raises(Conflict, match=taken.id):
        record(tx, mission)
    with pytest.raises(InvalidState):
        record(tx, mission, "/trees/two")


def test_a_list_is_narrowed_before_it_is_cut_and_counted_in_all(tx, rows):
    mission = rows.mission()
    old = rows.workspace(mission, "/trees/a")
    new = rows.workspace(mission, "/trees/b", created_at=at(1))
    rows.workspace(mission, "/trees/c", removed_at=at(2))
    task = rows.task(mission, workspace_id=old.id)

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
