"""The beginning and the end of a run: the look before the first launch, the final checks, the landing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mission.domain.checks.round import Purpose, RoundState
from mission.domain.runs.decisions import choices
from mission.domain.runs.decisions.draft import Draft
from mission.domain.runs.run import RunState
from mission.domain.runs.steps import AddRepair, CheckFinal, Finish, Land, LookBefore, Move
from mission.domain.runs.view import RoundView

MAX_REPAIRS = 2
MAX_BROKEN = 2
LANDED = "landed"
LANDING_OVER = frozenset({LANDED, "left", "refused"})
"""States of a landing after which the run ends."""


def look_before(draft: Draft) -> None:
    """Look at everything before the first launch; ask at most one question about all of it."""
    view = draft.view
    found = view.run.preflight
    if found is None:
        draft.add(LookBefore())
        return
    if choices.PREFLIGHT in view.items or choices.PREFLIGHT in view.decisions:
        return
    base = view.rounds.get(found.get("round_id") or "")
    if found.get("round_id") and (base is None or base.state is RoundState.OPEN):
        return
    problems = [str(each) for each in found.get("problems") or ()]
    if base is not None and base.state is not RoundState.PASSED:
        problems.append("The checks fail on the base." if base.state is RoundState.FAILED else _unable(base))
    if not problems:
        draft.add(Move(state=RunState.RUNNING))
        return
    draft.ask(
        choices.about_run(
            choices.PREFLIGHT,
            subject=f"Before the first launch: {problems[0]}",
            body="\n".join(f"- {each}" for each in [*problems, *map(str, found.get("notes") or ())]),
            choices=(choices.GO, choices.STOP),
        )
    )


def finish(draft: Draft) -> None:
    """Check the whole result once every task has ended; repair what fails, land it if that is wanted, and end."""
    view = draft.view
    final = view.run.final
    if choices.FINAL in view.items or choices.FINAL in view.decisions:
        return
    if view.run.merging_stopped is not None:
        draft.ask(choices.about_tip(view.run.merging_stopped))
        return
    if final is None or final.get("commit") != view.run.tip:
        draft.add(CheckFinal())
        return
    round_id = final.get("round_id")
    round = view.rounds.get(round_id or "")
    if not round_id or final.get("accepted") or (round is not None and round.state is RoundState.PASSED):
        _land_or_end(draft)
    elif round is None:
        draft.add(CheckFinal())
    elif round.state is RoundState.FAILED:
        _repair(draft, round, final)
    elif round.state is not RoundState.OPEN:
        _check_again(draft, round)


def _land_or_end(draft: Draft) -> None:
    run = draft.view.run
    landing = run.landing or {}
    wanted = run.wanted.land or bool(landing)
    if landing.get("state") == LANDED and not landing.get("cleaned"):
        draft.add(Land())  # what it no longer needs is removed before the run ends
    elif not wanted or landing.get("state") in LANDING_OVER:
        draft.add(Finish())
    elif choices.LANDING not in draft.view.items and choices.LANDING not in draft.view.decisions:
        draft.add(Land())


def _repair(draft: Draft, round: RoundView, final: Mapping[str, Any]) -> None:
    """Add a repair task, at most twice; after one that was skipped, or that changed nothing, ask."""
    repairs = len(final.get("repairs") or ())
    if repairs < MAX_REPAIRS and round.id not in (final.get("repaired") or ()):
        draft.add(AddRepair(round_id=round.id))
    else:
        tasks = "1 repair task" if repairs == 1 else f"{repairs} repair tasks"
        _ask(draft, f"The final checks still fail after {tasks}")


def _check_again(draft: Draft, round: RoundView) -> None:
    """Repeat final checks that gave no result once, then ask."""
    decided = draft.view.decided_at.get(choices.FINAL)
    broken = [
        each
        for each in draft.view.rounds.values()
        if each.purpose is Purpose.FINAL
        and each.state in (RoundState.ERROR, RoundState.VOID)
        and (decided is None or each.created_at is None or each.created_at > decided)
    ]
    if len(broken) < MAX_BROKEN:
        draft.add(CheckFinal())
    else:
        _ask(draft, _unable(round))


def _ask(draft: Draft, subject: str) -> None:
    draft.ask(
        choices.about_run(
            choices.FINAL,
            subject=subject,
            body="Every task has ended. Add a task that fixes it, check again, or finish without the final checks.",
            choices=(choices.RETRY, choices.FINISH_ANYWAY, choices.STOP),
        )
    )


def _unable(round: RoundView) -> str:
    return f"The checks could not run: {round.reason or 'they ended without a result'}."
