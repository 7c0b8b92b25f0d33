"""What the next owner of a task gets of the last one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mission.domain.tasks.changes import Changes
from mission.services.tasks import recovery_packet
from mission.services.work import BackgroundWork


def test_a_task_that_nobody_touched_leaves_nothing_behind(tx, rows):
    assert recovery_packet.recovery_of(tx, rows.task(rows.mission()), {}) is None


@pytest.mark.parametrize("touched", [{"fence": 1}, {"attempts": 1}])
def test_a_task_that_was_ever_in_hand_names_who_had_it(tx, rows, touched):
    task = rows.task(rows.mission(), previous_owner_id="a_1", **touched)

    assert recovery_packet.recovery_of(tx, task, {}).previous_owner == "a_1"
    assert recovery_packet.recovery_of(tx, replace(task, owner_id="a_2"), {}).previous_owner == "a_2"


def test_the_last_words_come_in_order_and_no_more_than_a_few(tx, rows):
    task = rows.task(rows.mission())
    for number in range(recovery_packet.RECENT_CHECKPOINTS + 2):
        rows.entry(task, summary=str(number))

    found = recovery_packet.recovery_of(tx, task, {})

    assert [entry.summary for entry in found.checkpoints] == ["2", "3", "4", "5", "6"]


def test_the_tree_its_changes_and_the_workspace_are_those_of_the_task(tx, rows):
    mission = rows.mission()
    workspace = rows.workspace(mission)
    task = rows.task(mission, attempts=1, tree="/trees/one", workspace_id=workspace.id)
    changes = Changes(added=["a.py"])

    found = recovery_packet.recovery_of(tx, task, {task.id: changes, "t_other": Changes(added=["b.py"])})

    assert (found.tree, found.changes, found.workspace.workspace.id) == ("/trees/one", changes, workspace.id)


async def test_uncommitted_work_is_looked_into_only_on_the_host_where_it_lies(app, call, repository):
    call.directory = str(repository)
    await call("start_mission", {"name": "m", "objective": "o"})
    id = (await call("start_task", {"name": "t", "goal": "g"}))["task_id"]
    (repository / "new.txt").write_text("x")
    task = await app.database.read(lambda tx: tx.tasks.get(id))

    work = BackgroundWork(app.database)
    uncommitted = await recovery_packet.uncommitted_in(work, app.trees, task)

    assert {name: changes.added for name, changes in uncommitted.items()} == {id: ["new.txt"]}
    assert await recovery_packet.uncommitted_in(work, app.trees, replace(task, host_id="there")) == {}
    assert await recovery_packet.uncommitted_in(work, app.trees, replace(task, snapshots=None)) == {}
    assert await recovery_packet.uncommitted_in(work, app.trees, None) == {}


async def test_a_tree_that_is_gone_is_no_reason_to_refuse_a_claim(app, call, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    call.directory = str(folder)
    await call("start_mission", {"name": "m", "objective": "o"})
    id = (await call("start_task", {"name": "t", "goal": "g"}))["task_id"]
    task = await app.database.read(lambda tx: tx.tasks.get(id))
    folder.rmdir()

    assert await recovery_packet.uncommitted_in(BackgroundWork(app.database), app.trees, task) == {}
