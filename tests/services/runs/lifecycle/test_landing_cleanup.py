"""Cleaning up after a landing: contained work is removed, everything else stays and is listed."""

from __future__ import annotations

from pathlib import Path

import pytest

from mission.domain.runs.run import RunState
from mission.domain.runs.steps import CheckFinal, Finish, Move
from mission.services.runs.lifecycle import landing_cleanup
from tests.started_runs import runs as runs
from tests.started_runs import task


@pytest.fixture
async def landed(call, runs):
    """Land a run of two tasks; return a function that does so."""

    async def land(**more):
        await runs.merge("one", {"one.txt": "x\n"})
        await runs.merge("two", {"two.txt": "x\n"})
        await runs.step(Move(state=RunState.FINISHING))
        run = await runs.step(CheckFinal())
        if run.final["round_id"]:
            await runs.settled(run.final["round_id"])
        await runs.step(Finish())
        return await call("run_land", {"run_id": runs.id, **more})

    return land


async def worktree_of(call, runs, name, *, base):
    """Make the worktree of a task, on the branch that a run gives it."""
    run = await runs.run()
    row = (await runs.tasks())[name]
    made = await call(
        "workspace_create",
        {
            "workflow_id": runs.mission_id,
            "path": str(runs.context.trees.worktree_maker.place_for(runs.repository, row.id)),
            "branch": run.task_branch(row.id),
            "base_branch": base,
            "task_ids": [row.id],
            "create": True,
        },
    )
    return Path(made["path"]), run.task_branch(row.id)


async def test_worktrees_and_branches_of_landed_tasks_are_removed(call, runs, landed, repository, git):
    await runs.running(task("one"), task("two"), final_checks=["true"])
    run = await runs.run()
    path, branch = await worktree_of(call, runs, "one", base=run.branch)

    answer = await landed()

    assert not path.exists()
    assert git(repository, "branch", "--list", "mission/*") == ""
    assert set(answer["removed"]) == {str(path), branch, run.branch}
    assert answer["kept"] == []
    assert len(git(repository, "worktree", "list").splitlines()) == 1
    listed = await call("workspace_list", {"workflow_id": runs.mission_id, "removed": True})
    assert [(each["status"], each["removed_at"] is not None) for each in listed["workspaces"]] == [("merged", True)]


async def test_work_that_did_not_land_stays_and_is_listed(call, runs, landed, repository, git):
    await runs.running(task("one"), task("two"))
    run = await runs.run()
    path, branch = await worktree_of(call, runs, "one", base=run.branch)
    (path / "forgotten.txt").write_text("x\n")
    git(path, "add", "-A")
    git(path, "commit", "-qm", "never merged")

    answer = await landed()

    assert (path / "forgotten.txt").exists()
    assert {each["name"] for each in answer["kept"]} == {str(path), branch}
    assert all(each["reason"] for each in answer["kept"])
    assert answer["removed"] == [run.branch]


async def test_a_squashed_landing_also_cleans_up(call, runs, landed, repository, git):
    await runs.running(task("one"), task("two"))

    answer = await landed(squash=True)

    assert answer["removed"] == [(await runs.run()).branch]
    assert git(repository, "branch", "--list", "mission/*") == ""


async def test_a_cleaning_that_was_interrupted_goes_on(call, runs, landed, repository, git, monkeypatch):
    await runs.running(task("one"), task("two"))
    kept = landing_cleanup.clean_up

    async def die(*_):
        raise OSError("killed")

    monkeypatch.setattr(landing_cleanup, "clean_up", die)
    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever the gateway makes of it
        await landed()
    assert git(repository, "branch", "--list", "mission/*") != ""
    monkeypatch.setattr(landing_cleanup, "clean_up", kept)

    answer = await call("run_land", {"run_id": runs.id})

    assert answer["removed"] == [(await runs.run()).branch]
    assert git(repository, "branch", "--list", "mission/*") == ""


async def test_worktrees_in_which_the_run_was_checked_are_thrown_away(runs, repository, git):
    await runs.running(final_checks=["true"])
    await runs.merge("one", {"one.txt": "x\n"})
    await runs.step(Move(state=RunState.FINISHING))
    run = await runs.step(CheckFinal())
    await runs.settled(run.final["round_id"])
    assert len(git(repository, "worktree", "list").splitlines()) == 2

    await landing_cleanup.discard_worktrees(runs.context, run)

    assert len(git(repository, "worktree", "list").splitlines()) == 1
