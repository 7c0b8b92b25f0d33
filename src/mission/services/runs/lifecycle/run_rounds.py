"""Rounds of checks about a run as a whole: on the base before it starts, and on its result at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from mission.domain.checks.check import Approval, Before, CheckKind, Scope
from mission.domain.checks.definition import CheckDefinition, in_effect
from mission.domain.checks.evidence import EvidenceState, Place
from mission.domain.checks.round import CheckRound, Purpose
from mission.domain.ids import new_id
from mission.domain.runs.run import Run
from mission.services.checks import settling
from mission.services.evidence import definitions
from mission.services.runs.worktrees.merge_place import CheckedOut
from mission.store.transaction import Tx


def base_checks(tx: Tx, *, mission_id: str) -> list[CheckDefinition]:
    """Return the required commands that every task must pass; they should pass before any work, too."""
    found = definitions.list_for(tx, scope=Scope.MISSION, scope_id=mission_id).checks
    return [
        each
        for each in found
        if each.approval is Approval.APPROVED
        and each.check.required
        and each.check.kind is CheckKind.RUN
        and each.check.before is Before.ANY
    ]


def final_checks(tx: Tx, *, run: Run) -> list[CheckDefinition]:
    """Return the final checks of the run's mission; one that a person waived is not required."""
    waived = {str(each.get("check")) for each in run.waivers}
    found = in_effect(tx.checks.of(Scope.MISSION, run.mission_id, final=True))
    return [
        replace(each, check=replace(each.check, required=False)) if each.check.name in waived else each
        for each in found
    ]


def all_checks(tx: Tx, *, run: Run) -> list[CheckDefinition]:
    """Return the final checks and those that every task must pass, each once: for commits that no task reported."""
    final = final_checks(tx, run=run)
    names = {each.check.name for each in final} | {str(each.get("check")) for each in run.waivers}
    return [*(each for each in base_checks(tx, mission_id=run.mission_id) if each.check.name not in names), *final]


def checks_of_tip(tx: Tx, *, run: Run) -> list[CheckDefinition]:
    """Return what the tip must pass at the end: more if somebody else's commit was not checked with a candidate."""
    foreign = {str(each.get("commit")) for each in run.foreign_commits}
    return all_checks(tx, run=run) if run.tip in foreign else final_checks(tx, run=run)


def open_round(
    tx: Tx,
    *,
    run: Run,
    purpose: Purpose,
    place: Place,
    checked_out: CheckedOut,
    checks: Sequence[CheckDefinition],
    changes: Mapping[str, Any] | None = None,
) -> CheckRound:
    """Open a round on a commit that is checked out; if it could not be set up, the round ends at once."""
    mission = tx.missions.get(run.mission_id)
    round = CheckRound(
        id=new_id("check round"),
        task_id=None,
        mission_id=run.mission_id,
        purpose=purpose,
        host_id=run.host_id,
        path=str(checked_out.path),
        repository=mission.repository_id or run.repository,
        checks=[each.defined.as_dict() for each in checks],
        run_id=run.id,
        place=place,
        setup=checked_out.setup,
        tree=checked_out.tree,
        identity=checked_out.identity,
        changes=changes,
        excuses=False,
        created_at=tx.now,
        updated_at=tx.now,
    )
    tx.rounds.add(round)
    if checked_out.problem is not None:
        settling.settle_broken(tx, round, reason=checked_out.problem, lease=timedelta())
    return tx.rounds.get(round.id)


def failed_checks(round: CheckRound) -> list[str]:
    """Return the names of the required checks that did not pass."""
    results = (round.verdict or {}).get("results") or ()
    passed = str(EvidenceState.PASSED)
    return [str(each["name"]) for each in results if each["required"] and each["state"] != passed]
