"""Rounds about a run as a whole: which checks they have, and how one ends whose worktree could not be set up."""

from __future__ import annotations

from pathlib import Path

from mission.domain.checks.evidence import Place
from mission.domain.checks.round import Purpose
from mission.services.runs.lifecycle import run_rounds
from mission.services.runs.worktrees.merge_place import CheckedOut
from tests.started_runs import runs as runs


async def test_the_base_is_checked_with_the_required_commands_of_every_task(runs):
    checks = [
        "make test",
        {"name": "advice", "run": "lint", "required": False},
        {"name": "red first", "run": "pytest", "before": "fail", "tests": ["tests/**"]},
        {"name": "touched", "changed": ["src/**"]},
    ]
    await runs.start(checks=checks)

    found = await runs.read(lambda tx: run_rounds.base_checks(tx, mission_id=runs.mission_id))

    assert [each.check.name for each in found] == ["make test"]


async def test_a_waived_final_check_is_not_required(runs):
    await runs.start(final_checks=["make e2e", "make lint"])
    await runs.set(waivers=[{"check": "make lint", "reason": "red before"}])
    run = await runs.run()

    found = await runs.read(lambda tx: run_rounds.final_checks(tx, run=run))

    assert [(each.check.name, each.check.required) for each in found] == [("make e2e", True), ("make lint", False)]


async def test_a_worktree_that_could_not_be_set_up_ends_its_round_at_once(runs):
    await runs.start()
    run = await runs.run()
    place = CheckedOut(path=Path("/nowhere"), tree="t", identity={}, setup=None, problem="no network")

    round = await runs.write(
        lambda tx: run_rounds.open_round(
            tx, run=run, purpose=Purpose.FINAL, place=Place.FRESH, checked_out=place, checks=[]
        )
    )

    assert (round.state, round.reason, run_rounds.failed_checks(round)) == ("error", "no network", [])
