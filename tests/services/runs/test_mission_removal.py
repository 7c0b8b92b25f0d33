"""Deleting a mission: nothing that was made only to check its runs is left, and its branches are."""

from __future__ import annotations

import pytest

from mission.domain.errors import NotFound
from mission.domain.runs.run import RunState
from mission.domain.runs.steps import CheckFinal, Move
from mission.services.runs import mission_removal
from tests.started_runs import runs as runs


async def stopped(runs):
    """Stop a run whose final checks have a fresh worktree, and end its mission."""
    await runs.running(final_checks=["true"])
    await runs.merge("one", {"one.txt": "one\n"})
    await runs.step(Move(state=RunState.FINISHING))
    run = await runs.step(CheckFinal())
    await runs.settled(run.final["round_id"])
    await runs.call("run_stop", {"run_id": runs.id})
    await runs.call("complete_mission", {"mission_id": runs.mission_id, "status": "failed", "summary": "no"})
    return await runs.run()


async def test_the_worktrees_in_which_a_run_was_checked_go_with_its_mission(runs, git, repository):
    run = await stopped(runs)
    assert "fresh-" in git(repository, "worktree", "list")

    await mission_removal.remove(runs.context, mission_id=runs.mission_id)

    assert not runs.context.worktrees.exists()
    assert len(git(repository, "worktree", "list").splitlines()) == 1
    assert git(repository, "rev-parse", run.branch) == run.tip
    with pytest.raises(NotFound):
        await runs.get()


async def test_a_mission_whose_repository_is_gone_can_be_deleted(runs, repository):
    await stopped(runs)
    repository.rename(repository.with_name("moved"))

    deleted = await mission_removal.remove(runs.context, mission_id=runs.mission_id)

    assert deleted.id == runs.mission_id
    assert not runs.context.worktrees.exists()
