"""What the page shows of worktrees."""

from __future__ import annotations


async def test_a_worktree_comes_with_its_mission_its_task_and_its_size(call, repository):
    asked = {"name": "Paths", "source_type": "prompt", "source_content": "x", "repository_path": str(repository)}
    mission = (await call("workflow_create", asked))["id"]
    task = {"name": "Sort", "description": "d", "sequence": 1}
    plan = {"id": mission, "tasks": [task]}
    tasks = (await call("workflow_add_tasks", plan))["task_ids"]
    place = {"workflow_id": mission, "path": str(repository.parent / "paths"), "branch": "paths", "create": True}
    made = await call("workspace_create", {**place, "task_ids": tasks})
    (repository.parent / "paths" / "new.txt").write_text("not committed")

    found = (await call("overview_workspaces", {}))["workspaces"]
    sizes = (await call("overview_workspace_sizes", {"workspace_ids": [made["id"]]}))["sizes"]

    (row,) = found
    assert (row["mission_name"], row["branch"], row["repository_path"]) == ("Paths", "paths", str(repository))
    assert [(each["name"], each["state"], each["running"]) for each in row["tasks"]] == [("Sort", "ready", False)]
    assert row["state"]["uncommitted"] == ["new.txt"]
    (size,) = sizes
    assert size["workspace_id"] == made["id"]
    assert size["whole"]
    assert size["bytes"] > 20
