"""Discarding the worktrees in which a run was checked."""

from __future__ import annotations

from mission.domain.errors import Conflict
from mission.git.integration.merge_worktree import check_out, check_out_fresh
from mission.services.runs.lifecycle.finishing import fresh_path
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


async def test_the_worktrees_of_a_stopped_run_go_and_those_of_a_running_one_stay(runs, repository):
    await runs.running()
    run = await runs.run()
    path = merge_path(runs.context, run)
    check_out(repository, path, commit=run.tip)

    await discarding.discard_unused(runs.context)
    assert path.exists()

    await runs.call("run_stop", {"run_id": run.id})
    await discarding.discard_unused(runs.context)
    assert not runs.context.worktrees.exists()


async def test_what_a_landing_needs_stays_while_a_finished_run_is_cleaned_up(runs, repository, monkeypatch):
    """The end of a run removes its worktrees while a person, who has seen the end, lands it."""
    await runs.running()
    run = await runs.run()
    merged, fresh = merge_path(runs.context, run), fresh_path(runs.context, run, run.tip)
    check_out(repository, merged, commit=run.tip)
    await runs.set(state="finished")
    remove = discarding._remove_empty

    def landed_meanwhile(*given):
        check_out_fresh(repository, fresh, commit=run.tip)
        remove(*given)

    with monkeypatch.context() as patched:
        patched.setattr(discarding, "_remove_empty", landed_meanwhile)
        await discarding.discard_if_unused(runs.context, run)
    assert not merged.exists()
    assert fresh.exists()

    await runs.set(landing={"state": "asked"})
    await discarding.discard_unused(runs.context)
    assert fresh.exists()
