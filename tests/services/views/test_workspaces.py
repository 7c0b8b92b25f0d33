"""Workspaces as the page lists them: names, who works there, and how large they are."""

from __future__ import annotations

from mission.domain.tasks.states import TaskStatus
from mission.services.views import workspaces as views
from mission.services.work import BackgroundWork
from tests.store.rows import Rows, at


async def test_a_workspace_has_the_names_of_its_mission_tasks_and_agents(app):
    def fill(rows):
        mission = rows.mission("Shop")
        agent = rows.agent("ada")
        busy = rows.workspace(mission, "/trees/busy", created_at=at(2))
        rows.workspace(mission, "/trees/gone", created_at=at(1), removed_at=at(3))
        in_it = {"workspace_id": busy.id}
        rows.task(mission, "Sort", status=TaskStatus.IN_PROGRESS, owner_id=agent.id, **in_it)
        rows.task(mission, "Sweep", status=TaskStatus.COMPLETED, **in_it)

    await app.database.write(lambda tx: fill(Rows(tx)))
    work = BackgroundWork(app.database)
    present, total = await views.list_workspaces(work, app.trees, removed=False, limit=9, offset=0)
    everything, _ = await views.list_workspaces(work, app.trees, removed=True, limit=9, offset=0)

    assert total == 1
    assert [row.workspace.path for row in everything] == ["/trees/busy", "/trees/gone"]
    assert present[0].mission_name == "Shop"
    tasks = {task.name: (task.state, task.agent, task.running) for task in present[0].tasks}
    assert tasks == {"Sort": ("working", "ada", True), "Sweep": ("unproved", None, False)}
    assert present[0].task_ids == [task.id for task in present[0].tasks]


async def test_sizes_are_those_of_worktrees_that_exist_on_this_host(app, tmp_path):
    tree = tmp_path / "tree"
    (tree / "inner").mkdir(parents=True)
    (tree / "inner" / "a.txt").write_bytes(b"x" * 1000)
    (tree / "link").symlink_to(tmp_path)

    def fill(rows):
        mission = rows.mission()
        own = {"host_id": app.settings.host_id, "repository_path": str(tree)}
        here = rows.workspace(mission, str(tree), **own)
        missing = rows.workspace(mission, str(tmp_path / "missing"), **own)
        far = rows.workspace(mission, "/far", host_id="far", repository_path="/far")
        removed = rows.workspace(mission, "/removed", removed_at=at(1), **own)
        return [each.id for each in (here, missing, far, removed)]

    ids = await app.database.write(lambda tx: fill(Rows(tx)))
    found = await views.sizes(BackgroundWork(app.database), app.trees, workspace_ids=ids)

    assert [each.workspace_id for each in found] == ids[:1]
    assert 1000 <= found[0].size.bytes < 2000
    assert found[0].size.whole
