"""Discarding the worktrees in which a run was checked."""

from __future__ import annotations

from mission.domain.errors import Conflict
from mission.git.integration.merge_worktree import check_out
from mission.services.runs.worktrees import discarding
from mission.services.runs.worktrees.merge_place import merge_path
from tests.started_runs import runs as runs


async def test_the_worktrees_of_a_run_go_with_their_folder(runs, git, repository):
    await runs.running()
    run = await runs.run()
    path = merge_path(runs.context, run)
    check_out(repository, path, commit=run.tip)

    await discarding.discard_worktrees(runs.context, run)

    assert not runs.context.worktrees.exists()
    assert len(git(repository, "worktree", "list").splitlines()) == 1


async def test_a_worktree_in_which_a_check_runs_stays_until_the_next_time(runs, repository, monkeypatch):
    await runs.running()
    run = await runs.run()
    path = merge_path(runs.context, run)
    check_out(repository, path, commit=run.tip)

    def in_use(*_):
        raise Conflict("another call is working in this worktree")

    with monkeypatch.context() as patched:
        patched.setattr(discarding, "discard", in_use)
        await discarding.discard_worktrees(runs.context, run)
    assert path.exists()

    await discarding.discard_worktrees(runs.context, run)
    assert not path.exists()
