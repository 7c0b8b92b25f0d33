"""The worktree of a task in a run: found by its workspace, and rebuilt from its branch."""

from __future__ import annotations

from mission.services.runs.worktrees import task_worktrees
from tests.merged_runs import merged as merged


async def _found(merged, task):
    run = await merged.run()
    return await merged.read(lambda tx: task_worktrees.find(tx, run, tx.tasks.get(task)))


async def test_a_worktree_of_the_run_is_found_with_its_branch(merged):
    task = await merged.task("add")

    found = await _found(merged, task)

    assert (found.path, found.branch) == (merged.worktrees[task], (await merged.run()).task_branch(task))


async def test_a_folder_that_is_not_a_worktree_is_moved_aside_and_nothing_in_it_is_lost(merged):
    task = await merged.task("add")
    path = merged.worktrees[task]
    merged.git("worktree", "remove", "--force", str(path))
    path.mkdir()
    (path / "mine.txt").write_text("mine\n")

    ready = await task_worktrees.ready(merged.call.app.run_context, await merged.run(), await _found(merged, task))

    assert ready == path
    assert (path / "README.md").exists()
    assert (path.with_name(f"{path.name}.lost-1") / "mine.txt").read_text() == "mine\n"


async def test_a_setup_that_fails_does_not_keep_a_worktree_from_being_rebuilt(merged):
    from dataclasses import replace

    task = await merged.task("add")
    merged.git("worktree", "remove", "--force", str(merged.worktrees[task]))
    found = await _found(merged, task)
    broken = replace(found, setup=replace(found.setup, setup="exit 1"))

    assert (await task_worktrees.ready(merged.call.app.run_context, await merged.run(), broken)).is_dir()
