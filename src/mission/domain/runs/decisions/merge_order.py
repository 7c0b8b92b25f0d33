"""The order of merging: which candidate is next, and which are stacked and checked together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile

from mission.domain.checks.evidence import ProofState
from mission.domain.checks.round import RoundState
from mission.domain.runs.candidate import Candidate, CandidateState
from mission.domain.runs.view import RunView

MAX_PASSED_OVER = 3
"""How often a younger candidate may be merged before an older one."""
STACK_SECONDS = 60.0
"""Candidates are stacked when their checks take longer than this."""
MAX_STACK = 8
FROZEN = frozenset({CandidateState.QUEUED, CandidateState.BUILT, CandidateState.CHECKED})
BUILT = frozenset({CandidateState.BUILT, CandidateState.CHECKED})


def in_order(waiting: Sequence[Candidate], frees: Mapping[str, int]) -> list[Candidate]:
    """Return candidates in the order in which they are merged: oldest first, unless one frees more."""
    left, ordered = sorted(waiting, key=lambda each: (each.created_at, each.id)), list[Candidate]()
    passed = {each.id: each.passed_over for each in left}
    while left:
        patient = next((place for place, each in enumerate(left) if passed[each.id] >= MAX_PASSED_OVER), len(left) - 1)
        place = max(range(patient + 1), key=lambda each: (frees.get(left[each].task_id, 0), -each))
        for older in left[:place]:
            passed[older.id] += 1
        ordered.append(left.pop(place))
    return ordered


def built_on_tip(view: RunView, queue: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates that are built one upon the other, the first upon the tip."""
    upon: dict[str, list[Candidate]] = {}
    for each in queue:
        if each.state in BUILT and each.tip is not None and each.merge_commit is not None:
            upon.setdefault(each.tip, []).append(each)
    chain: list[Candidate] = []
    head = view.run.tip
    while (found := upon.pop(head, None)) is not None:
        chain.append(_first(view, found))
        head = chain[-1].merge_commit or ""
    return chain


def next_stack(view: RunView, queue: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates that are built next: one, or several if their checks take long."""
    ordered = in_order(queue, view.frees)
    if view.check_seconds <= STACK_SECONDS or not ordered or not needs_round(view, ordered[0]):
        return ordered[:1]
    return list(takewhile(lambda each: needs_round(view, each), ordered[:MAX_STACK]))


def needs_round(view: RunView, candidate: Candidate) -> bool:
    """Return whether checks decide about the candidate: a required one exists, and no person has accepted it."""
    return view.has_required_checks.get(candidate.task_id, True) and not is_accepted(candidate)


def is_accepted(candidate: Candidate) -> bool:
    """Return whether a person accepted it, whatever its checks say."""
    return (candidate.proof or {}).get("state") == ProofState.ACCEPTED


def _first(view: RunView, found: Sequence[Candidate]) -> Candidate:
    """Return which of several candidates on the same commit continues: one that is checked, then one being checked."""
    checked = [each for each in found if each.state is CandidateState.CHECKED]
    running = [each for each in found if _is_running(view, each)]
    return in_order(checked or running or found, view.frees)[0]


def _is_running(view: RunView, candidate: Candidate) -> bool:
    round = view.rounds.get(candidate.round_id or "")
    return round is not None and round.state is RoundState.OPEN
