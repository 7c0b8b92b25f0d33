"""Workspaces as the store keeps them."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import IntegrityError

from mission.domain.errors import NotFound
from mission.domain.tasks.workspace import WorkspaceStatus
from tests.store.rows import NOW, at, undone


def test_an_unknown_workspace_is_an_error_that_names_it(tx):
    with pytest.raises(NotFound, match="w_nowhere000"):
        tx.workspaces.get("w_nowhere000")


def test_a_place_holds_one_workspace_at_a_time_and_is_free_after_its_removal(tx, rows):
    mission = rows.mission()
    gone = rows.workspace(mission, removed_at=NOW)
    there = rows.workspace(mission)

    with pytest.raises(IntegrityError), undone(tx) as again:
        again.workspace(mission)

    assert tx.workspaces.at(host_id="here", path=there.path).id == there.id != gone.id
    assert tx.workspaces.at(host_id="there", path=there.path) is None


def test_a_branch_remembers_removed_workspaces_of_its_own_mission(tx, rows):
    mission = rows.mission()
    made = {rows.workspace(mission, "/trees/a", removed_at=NOW).id, rows.workspace(mission, "/trees/b").id}
    rows.workspace(mission, "/trees/c", branch="two")
    rows.workspace(rows.mission("other"), "/trees/d")

    assert {each.id for each in tx.workspaces.on_branch(mission.id, "one")} == made


def test_lists_come_newest_first_without_removed_ones_unless_asked(tx, rows):
    mission = rows.mission()
    old = rows.workspace(mission, "/trees/a", status=WorkspaceStatus.MERGED)
    new = rows.workspace(rows.mission("other"), "/trees/b", created_at=at(1))
    removed = rows.workspace(mission, "/trees/c", created_at=at(2), removed_at=at(3))

    def listed(**filters):
        wanted = {"mission_id": None, "statuses": None, "removed": False, "limit": 9, "offset": 0, **filters}
        found, total = tx.workspaces.page(**wanted)
        return [each.id for each in found], total

    assert listed() == ([new.id, old.id], 2)
    assert listed(removed=True) == ([removed.id, new.id, old.id], 3)
    assert listed(mission_id=mission.id) == ([old.id], 1)
    assert listed(statuses=[WorkspaceStatus.MERGED]) == ([old.id], 1)
    assert listed(limit=1, offset=1) == ([old.id], 2)


def test_tasks_assigned_to_a_workspace_are_listed_in_the_order_of_their_plan(tx, rows):
    mission = rows.mission()
    one, two = rows.workspace(mission, "/trees/a"), rows.workspace(mission, "/trees/b")
    later, sooner = rows.task(mission, phase=2), rows.task(mission, phase=1)

    for task in (later, sooner):
        tx.workspaces.assign(task.id, one.id, now=at(1))

    assert tx.workspaces.task_ids([one.id, two.id]) == {one.id: [sooner.id, later.id], two.id: []}
    assert tx.tasks.get(later.id).updated_at == at(1)
