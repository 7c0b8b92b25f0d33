"""The workspace a task is done in: one of its own mission, given while nobody works on the task's files."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput, InvalidState, NotOwner
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.workspace import WorkspaceStatus
from mission.services.tasks import workspace_assignment
from tests.tools.conftest import planned


def assign(tx, task, workspace, agent_id=None):
    return workspace_assignment.assign(tx, task_id=task.id, workspace_id=workspace.id, agent_id=agent_id)


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


async def test_a_workspace_that_is_known_only_gets_its_tasks(call, make_workflow, repository):
    id, tasks = await make_workflow(planned("one"), repository_path=str(repository))
    wanted = {"workflow_id": id, "path": str(repository.parent / "wt"), "branch": "work", "create": True}
    made = await call("workspace_create", wanted)

    again = await call("workspace_create", {**wanted, "task_ids": [tasks["one"]]})

    listed = (await call("workspace_list", {"workflow_id": id}))["workspaces"]
    assert again["id"] == made["id"]
    assert [(each["id"], each["task_ids"]) for each in listed] == [(made["id"], [tasks["one"]])]
