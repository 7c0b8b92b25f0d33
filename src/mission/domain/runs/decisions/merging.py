"""From report to merge: what happens next to the candidates of a run, decided from their rounds of checks."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from itertools import takewhile

from mission.domain.checks.round import Purpose, RoundState
from mission.domain.runs.candidate import Candidate, CandidateState
from mission.domain.runs.decisions import choices, merge_order
from mission.domain.runs.decisions.draft import Draft
from mission.domain.runs.decisions.merge_order import is_accepted, needs_round
from mission.domain.runs.steps import (
    Advance,
    Ask,
    Build,
    CheckMerged,
    CheckTip,
    Freeze,
    MarkChecked,
    SendBack,
    StopMerging,
)
from mission.domain.runs.view import RoundView, RunView
from mission.domain.tasks.states import TaskStatus

REJECTED = frozenset({"changes", "send_back"})
"""Verdicts of a review that return a candidate to its author."""
MAX_BROKEN = 2
"""How often checks may end without a result before a person is asked."""


class TreeOutcome(StrEnum):
    """The known outcome of a merged tree."""

    UNKNOWN = "unknown"
    RUNNING = "running"
    PASSED = "passed"
    FAILED = "failed"
    BROKEN = "broken"
    """The checks ended without a result."""
    UNPROVED = "unproved"
    """There is no check for it, and nobody has allowed that."""


def move_candidates(draft: Draft) -> bool:
    """Take each candidate one step further. Return whether one of them moves without a person."""
    view = draft.view
    mine = _unheld(view)
    reported = [each for each in mine if each.state is CandidateState.REPORTED]
    draft.add(*(Freeze(candidate_id=each.id) for each in reported))
    frozen = [each for each in mine if each.state in merge_order.FROZEN and not each.waits_for_review]
    rejected = [each for each in frozen if (each.review or {}).get("verdict") in REJECTED]
    draft.add(*(SendBack(candidate_id=each.id, round_id=each.round_id) for each in rejected))
    unproved = [each for each in frozen if outcome(view, each) is TreeOutcome.UNPROVED]
    if unproved:
        draft.ask(_unproved_question(unproved[0]))
    queue = [each for each in frozen if each not in rejected and each not in unproved]
    if not queue or _is_stopped(draft):
        return bool(reported or rejected)
    return _merge(draft, queue) or bool(reported or rejected)


def _unheld(view: RunView) -> list[Candidate]:
    """List the candidates whose tasks are neither skipped nor wait for a person."""
    if not view.candidates:
        return []
    held = {task.id for task in view.tasks if task.held_by is not None or task.status is TaskStatus.SKIPPED}
    return [each for each in view.candidates if each.task_id not in held]


def _is_stopped(draft: Draft) -> bool:
    """Return whether merging is stopped; a person is asked, and the answer starts it again."""
    reason = draft.view.run.merging_stopped
    if reason is not None:
        draft.ask(choices.about_tip(reason))
    return reason is not None


def _merge(draft: Draft, queue: Sequence[Candidate]) -> bool:
    chain = _checked_together(draft.view, merge_order.built_on_tip(draft.view, queue))
    if not chain:
        stack = merge_order.next_stack(draft.view, queue)
        draft.add(Build(candidate_ids=tuple(each.id for each in stack)))
        return True
    outcomes = [outcome(draft.view, each) for each in chain]
    if TreeOutcome.RUNNING in outcomes:
        return True
    good, bad = _known(outcomes)
    if bad is None and good < len(chain):
        return _check(draft, chain, outcomes)
    if bad is None or good == bad - 1 > 0:
        _finish(draft, chain[:good])
        return True
    if bad == 1:
        return _blame(draft, chain[0])
    middle = chain[: (good + bad) // 2]  # a failing stack: nobody is blamed for another
    if outcomes[len(middle) - 1] is TreeOutcome.BROKEN:
        return _repeat_broken(draft, middle)
    _check_first(draft, middle)
    return True


def _checked_together(view: RunView, chain: Sequence[Candidate]) -> Sequence[Candidate]:
    """Return the beginning of a chain for which one round counts: one that needs no evidence proves no other."""
    return next((chain[: max(place, 1)] for place, each in enumerate(chain) if not needs_round(view, each)), chain)


def outcome(view: RunView, candidate: Candidate) -> TreeOutcome:
    """Return what is known about exactly this merged tree."""
    if is_accepted(candidate):
        return TreeOutcome.PASSED
    if not view.has_required_checks.get(candidate.task_id, True):
        return TreeOutcome.PASSED if view.run.unproved_allowed else TreeOutcome.UNPROVED
    round = _round(view, candidate)
    if round is None or round.state is RoundState.WITHDRAWN:
        return TreeOutcome.UNKNOWN
    if round.state is RoundState.OPEN:
        return TreeOutcome.RUNNING
    if round.tree != candidate.merged_tree:
        return TreeOutcome.UNKNOWN if round.tree is not None else TreeOutcome.BROKEN
    words = {RoundState.PASSED: TreeOutcome.PASSED, RoundState.FAILED: TreeOutcome.FAILED}
    return words.get(round.state, TreeOutcome.BROKEN)


def _known(outcomes: Sequence[TreeOutcome]) -> tuple[int, int | None]:
    """Return how many of a chain are known to pass together, and how many are the fewest known to fail."""
    good = max((number for number, each in enumerate(outcomes, 1) if each is TreeOutcome.PASSED), default=0)
    later = (number for number, each in enumerate(outcomes, 1) if each is TreeOutcome.FAILED and number > good)
    return good, next(later, None)


def _check(draft: Draft, chain: Sequence[Candidate], outcomes: Sequence[TreeOutcome]) -> bool:
    """Check a chain whose last tree is not known yet; one that gives no result is checked one by one."""
    if outcomes[-1] is TreeOutcome.UNKNOWN:
        _check_first(draft, chain)
        return True
    first = next(number for number, each in enumerate(outcomes) if each is not TreeOutcome.PASSED)
    if first > 0:
        _finish(draft, chain[:first])
        return True
    if outcomes[0] is TreeOutcome.UNKNOWN:
        _check_first(draft, chain[:1])
        return True
    return _repeat_broken(draft, chain[:1])


def _check_first(draft: Draft, chain: Sequence[Candidate]) -> None:
    draft.add(CheckMerged(candidate_ids=tuple(each.id for each in chain)))


def _repeat_broken(draft: Draft, chain: Sequence[Candidate]) -> bool:
    """Repeat checks that gave no result once, then ask; that is held against nobody."""
    broken = _rounds(draft.view, chain[-1], RoundState.ERROR, RoundState.VOID)
    if len(broken) < MAX_BROKEN:
        draft.add(CheckMerged(candidate_ids=tuple(each.id for each in chain), again=True))
        return True
    _ask_about_checks(draft, chain[-1], broken[-1].reason)
    return False


def _finish(draft: Draft, chain: Sequence[Candidate]) -> None:
    """Record that the trees passed; then move the branch."""
    ids = tuple(each.id for each in chain)
    if any(each.state is not CandidateState.CHECKED for each in chain):
        round = _round(draft.view, chain[-1])
        draft.add(MarkChecked(candidate_ids=ids, round_id=round.id if round is not None else None))
    elif together := _of_one_round(draft.view, chain):
        draft.add(Advance(candidate_ids=tuple(each.id for each in together)))
    else:
        _check_first(draft, chain[:1])


def _of_one_round(view: RunView, chain: Sequence[Candidate]) -> list[Candidate]:
    """Return the beginning of a chain that one round has checked: the branch moves only to a tree with evidence.

    One that waited for a review may meanwhile be built upon another that was checked alone.
    """
    same = list(takewhile(lambda each: each.round_id == chain[0].round_id, chain))
    while same and outcome(view, same[-1]) is not TreeOutcome.PASSED:
        same.pop()
    return same


def _blame(draft: Draft, candidate: Candidate) -> bool:
    """Find out whose failure it is: the author's own tree, the merge, or the tip."""
    view = draft.view
    failed = _round(view, candidate)
    round_id = failed.id if failed is not None else candidate.round_id
    if candidate.is_merged_as_it_is:
        draft.add(SendBack(candidate_id=candidate.id, round_id=round_id))
        return True
    if len(_rounds(view, candidate, RoundState.FAILED)) < 2:
        draft.add(CheckMerged(candidate_ids=(candidate.id,), again=True))
        return True
    tip = view.rounds.get(candidate.tip_round_id or "")
    if tip is None or not _is_new(view, tip, choices.TIP_RED) or tip.state is RoundState.WITHDRAWN:
        draft.add(CheckTip(candidate_id=candidate.id))
    elif tip.state is RoundState.PASSED:
        draft.add(SendBack(candidate_id=candidate.id, round_id=round_id, failed_only_merged=True))
    elif tip.state is RoundState.FAILED:
        reason = "the checks fail on the integration branch itself"
        draft.ask(choices.about_tip(reason))
        draft.add(StopMerging(reason=reason))
        return False
    elif tip.state is not RoundState.OPEN:
        return _repeat_tip(draft, candidate)
    return True


def _repeat_tip(draft: Draft, candidate: Candidate) -> bool:
    broken = _rounds(draft.view, candidate, RoundState.ERROR, RoundState.VOID, purpose=Purpose.TIP)
    if len(broken) < MAX_BROKEN:
        draft.add(CheckTip(candidate_id=candidate.id))
        return True
    _ask_about_checks(draft, candidate, broken[-1].reason)
    return False


def _round(view: RunView, candidate: Candidate) -> RoundView | None:
    """Return the newest round on the candidate's own merged tree; the one it refers to may be that of a stack."""
    round = view.rounds.get(candidate.round_id or "")
    if round is not None and round.candidate_id in (None, candidate.id):
        return round
    own = [each for each in _of_candidate(view, candidate, Purpose.MERGE) if each.tree == candidate.merged_tree]
    return max(own, key=lambda each: (each.created_at or view.now, each.id), default=None)


def _of_candidate(view: RunView, candidate: Candidate, purpose: Purpose) -> list[RoundView]:
    return [each for each in view.rounds.values() if each.candidate_id == candidate.id and each.purpose is purpose]


def _rounds(
    view: RunView, candidate: Candidate, *states: RoundState, purpose: Purpose = Purpose.MERGE
) -> list[RoundView]:
    """List the rounds of a candidate that ended in one of these states since a person last decided, oldest first.

    What failed before a person repaired the tip is not held against the candidate.
    """
    keys = (choices.checks_key(candidate.task_id), choices.TIP_RED)
    found = [
        each
        for each in _of_candidate(view, candidate, purpose)
        if each.state in states
        and (purpose is not Purpose.MERGE or each.tree in (None, candidate.merged_tree))
        and all(_is_new(view, each, key) for key in keys)
    ]
    return sorted(found, key=lambda each: (each.created_at or view.now, each.id))


def _is_new(view: RunView, round: RoundView, key: str) -> bool:
    """Return whether a round began after a person last answered the question with this key."""
    decided = view.decided_at.get(key)
    return decided is None or round.created_at is None or round.created_at > decided


def _ask_about_checks(draft: Draft, candidate: Candidate, reason: str | None) -> None:
    draft.ask(
        choices.about_run(
            choices.checks_key(candidate.task_id),
            subject=f"The checks cannot run: {reason or 'they ended without a result'}",
            body="The result is waiting to be merged. Repair the checks or their environment, then try again.",
            choices=(choices.RETRY, choices.SKIP, choices.SKIP_ALL, choices.STOP),
            task_id=candidate.task_id,
        )
    )


def _unproved_question(candidate: Candidate) -> Ask:
    return choices.about_run(
        choices.UNPROVED,
        subject="There is no required check for a result that is waiting to be merged",
        body="'Go' merges it as unproved, and later results without a required check too. Or add a check.",
        choices=(choices.GO, choices.STOP),
        task_id=candidate.task_id,
    )
