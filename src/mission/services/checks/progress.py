"""The progress of a round, as transactions: take it, record outcomes, queue and start tries, settle it.

Every function decides from rows, so that a new process continues where a killed one stopped.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from mission.domain import events
from mission.domain.checks.check import Approval
from mission.domain.checks.evidence import Evidence, EvidenceState, Outcome, Role
from mission.domain.checks.round import HOLDER_LEASE, OF_TASK, CheckRound, Purpose, RoundState
from mission.domain.checks.schedule import startable
from mission.domain.checks.verdict import RoundStep, next_step
from mission.domain.tasks.changes import Changes
from mission.services.checks import settling
from mission.services.evidence import definitions, reuse, rounds
from mission.store.transaction import Tx

MAX_RUNNING = 4
"""How many checks of one host run at the same time, if they may run in parallel at all."""
RENEW_AFTER = HOLDER_LEASE / 4
"""How old the lease on a round may become before it is renewed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """The progress of a round, with what its driver does next."""

    round: CheckRound
    is_over: bool = False
    needs_tree: bool = False
    """The tree must be taken before anything can run."""
    start: Sequence[Evidence] = ()
    """Checks to start now."""
    running: Sequence[Evidence] = ()
    """Checks that a process of an earlier driver may still run."""
    blocked: int = 0
    """How many checks of the host wait for their turn."""
    unneeded: Sequence[Evidence] = ()
    """Checks whose outcome is no longer needed; their processes are ended."""


def abandoned(tx: Tx, *, host_id: str) -> list[str]:
    """List the open rounds of a host that no live process drives."""
    return [each.id for each in tx.rounds.abandoned(host_id=host_id, now=tx.now)]


def begin(tx: Tx, *, round_id: str, holder: str, excuses: bool, lease: timedelta) -> Progress | None:
    """Make this process the driver of a round and return its first step.

    Return None if another process drives it or it has ended. With `excuses`, a failure that also happens on the start
    tree does not stop the task, which is then unproved; in a run there is no such excuse.
    """
    round = tx.rounds.find(round_id)
    if round is None or not round.is_open or (round.holder != holder and round.is_driven(now=tx.now)):
        return None
    excuses = excuses and round.purpose in OF_TASK and tx.runs.live_of_mission(round.mission_id) is None
    tx.rounds.save(replace(round.held_by(holder, at=tx.now), excuses=excuses))
    return advance(tx, round_id=round_id, holder=holder, lease=lease)


def release(tx: Tx, *, round_id: str, holder: str) -> None:
    """Give a round back when its process stops, so that the next one need not wait for the lease to end."""
    round = tx.rounds.find(round_id)
    if round is not None and round.is_open and round.holder == holder:
        tx.rounds.save(replace(round, holder=None, holder_until=None))


def examined(
    tx: Tx,
    *,
    round_id: str,
    holder: str,
    tree: str,
    identity: Mapping[str, Any] | None,
    changes: Changes | None,
    lease: timedelta,
) -> Progress:
    """Record the tree of the round, and return the next step."""
    round = tx.rounds.get(round_id)
    if round.is_open and round.holder == holder and round.tree is None:
        stored = changes.as_dict() if changes is not None else None
        taken = replace(round, tree=tree, identity=identity, changes=stored, updated_at=tx.now)
        tx.rounds.save(taken)
        if round.purpose is Purpose.GATE:
            tx.patches.put(round.task_id or "", changes.patch if changes is not None else None)
    return advance(tx, round_id=round_id, holder=holder, lease=lease)


def not_examined(tx: Tx, *, round_id: str, holder: str, reason: str, lease: timedelta) -> Progress:
    """End a round whose tree cannot be read."""
    round = tx.rounds.get(round_id)
    if round.is_open and round.holder == holder:
        settling.settle_broken(tx, round, reason=reason, lease=lease)
    return _over(tx, tx.rounds.get(round_id))


def no_start_tree(tx: Tx, *, round_id: str, evidence_id: str, holder: str, reason: str, lease: timedelta) -> Progress:
    """Record that the start tree cannot be rebuilt: what happened before is unknown."""
    round = tx.rounds.get(round_id)
    if round.is_open and round.holder == holder:
        tx.rounds.save(replace(round, start_unknown=reason, updated_at=tx.now))
    outcome = Outcome(state=EvidenceState.ERROR, reason=f"the start tree could not be rebuilt: {reason}")
    return advance(tx, round_id=round_id, holder=holder, outcomes={evidence_id: outcome}, lease=lease)


def advance(
    tx: Tx,
    *,
    round_id: str,
    holder: str,
    outcomes: Mapping[str, Outcome] | None = None,
    trees: Mapping[str, str] | None = None,
    start_tree: str | None = None,
    lease: timedelta,
) -> Progress:
    """Record outcomes, then queue and start what comes next, or settle the round.

    `trees` has the tree ids of tries that ran on a rebuilt start tree, `start_tree` that of the task's start.
    """
    round = tx.rounds.get(round_id)
    if not round.is_open or round.holder != holder:
        return _over(tx, round)
    for evidence_id, outcome in (outcomes or {}).items():
        _record(tx, evidence_id, outcome, tree=(trees or {}).get(evidence_id))
    if settling.is_withdrawn(tx, round):
        settling.withdraw(tx, round, reason="the task changed while its checks ran")
        return _over(tx, tx.rounds.get(round_id))
    round = _with_approvals(tx, round).held_by(holder, at=tx.now)
    round = replace(round, start_tree=round.start_tree or start_tree)
    tx.rounds.save(round)
    if round.tree is None:
        return Progress(round=round, needs_tree=True, unneeded=_unneeded(tx, round))
    step, rows = _step(tx, round)
    if step.retake:
        again = round.taken_again(at=tx.now)
        tx.rounds.save(again)
        rounds.drop_queued(tx, round, reason="the tree changed before it ran")
        return Progress(round=again, needs_tree=True, unneeded=_unneeded(tx, again))
    if step.verdict is not None:
        settling.settle(tx, round, step.verdict, rows, lease=lease)
        return _over(tx, tx.rounds.get(round_id))
    if step.waits_for:
        settling.wait_for_approval(tx, round, step.waits_for)
    return _started(tx, round, rows)


def is_due(tx: Tx, *, last: Progress, running: Collection[str], holder: str) -> bool:
    """Return whether a round has to be advanced, although none of the commands that it runs has ended.

    It has not if all there is to do is to wait for them. A driver looks after each event, and most have nothing to do
    with its round.
    """
    round = tx.rounds.find(last.round.id)
    if round is None or not round.is_open or round.holder != holder or round.holder_until is None:
        return True
    if round.holder_until - tx.now < HOLDER_LEASE - RENEW_AFTER or settling.is_withdrawn(tx, round):
        return True
    if replace(round, holder_until=last.round.holder_until) != last.round or any(each.waits for each in round.defined):
        return True
    unfinished = tx.evidence.unfinished(host_id=round.host_id, now=tx.now)
    waits = any(each.state is EvidenceState.QUEUED for each in unfinished)
    return waits or last.blocked > 0 or {each.id for each in unfinished if each.round_id == round.id} != set(running)


def _step(tx: Tx, round: CheckRound) -> tuple[RoundStep, list[Evidence]]:
    """Queue tries until the next step is to wait or to settle; some tries end at once."""
    while True:
        rows = reuse.reuse_queued(tx, round, tx.evidence.of_round(round.id))
        step = next_step(round, rows, uncounted=_uncounted(tx, round, rows))
        if not step.tries:
            return step, rows
        queued = rounds.queue(tx, round, step.tries)
        if not any(each.is_finished for each in queued):
            return RoundStep(), [*rows, *queued]


def _uncounted(tx: Tx, round: CheckRound, rows: Sequence[Evidence]) -> set[str]:
    """Return the definitions that counted tests on the result, but never on the tree of the task's start."""
    if round.start_tree is None:
        return set()
    counting = {each.definition for each in rows if each.role is Role.RESULT and each.tests is not None}
    return {each for each in counting if tx.evidence.counted(definition=each, tree=round.start_tree) is None}


def _record(tx: Tx, evidence_id: str, outcome: Outcome, *, tree: str | None) -> None:
    row = tx.evidence.get(evidence_id)
    if row.is_finished:
        return
    earlier = tx.evidence.of_round(row.round_id)
    failed = [each for each in earlier if each.state is EvidenceState.FAILED and each.take == row.take]
    flaky = any(each.name == row.name and each.role is row.role for each in failed)
    ended = replace(row.ended(outcome, at=tx.now, flaky=flaky), tree=row.tree or tree)
    tx.evidence.save(ended)
    tx.emit(events.EvidenceUpdated(evidence=ended))


def _started(tx: Tx, round: CheckRound, rows: Sequence[Evidence]) -> Progress:
    """Start the queued tries of this round whose turn it is."""
    running = [each for each in rows if each.state is EvidenceState.RUNNING and each.take == round.take]
    everything = tx.evidence.unfinished(host_id=round.host_id, now=tx.now)
    waiting = [each for each in everything if each.state is EvidenceState.QUEUED]
    chosen = startable(
        waiting,
        [each for each in everything if each.state is EvidenceState.RUNNING],
        last_started=tx.evidence.last_started({each.mission_id for each in waiting}),
        limit=MAX_RUNNING,
    )
    start = [each.started(at=tx.now) for each in chosen if each.round_id == round.id]
    for each in start:
        tx.evidence.save(each)
        tx.emit(events.EvidenceUpdated(evidence=each))
    return Progress(
        round=round,
        start=start,
        running=running,
        blocked=len(waiting) - len(chosen),
        unneeded=_unneeded(tx, round),
    )


def _over(tx: Tx, round: CheckRound) -> Progress:
    return Progress(round=round, is_over=True, unneeded=() if round.is_open else _unneeded(tx, round))


def _unneeded(tx: Tx, round: CheckRound) -> list[Evidence]:
    """Return the tries whose process may still run although the round has ended or has taken the tree again."""
    rows = tx.evidence.of_round(round.id)
    return [each for each in rows if not each.is_finished and not (round.is_open and each.take == round.take)]


def unneeded_on_host(tx: Tx, *, host_id: str) -> list[Evidence]:
    """Return the tries of a host whose process may still run although their round has ended."""
    return tx.evidence.unfinished_in_ended_rounds(host_id=host_id)


def stopped(tx: Tx, *, evidence_id: str, outcome: Outcome) -> None:
    """Record that a try was stopped because its outcome is not needed."""
    if tx.evidence.find(evidence_id) is not None:
        _record(tx, evidence_id, outcome, tree=None)


def _with_approvals(tx: Tx, round: CheckRound) -> CheckRound:
    """Return the round with the decisions that a person made since it was opened; a refused check is dropped."""
    if not any(each.waits for each in round.defined):
        return round
    now = {each.check.name: each.defined for each in definitions.effective(tx, tx.tasks.get(round.task_id or ""))}
    kept = [now.get(each.check.name) if each.waits else each for each in round.defined]
    checks = [each.as_dict() for each in kept if each is not None and each.approval is not Approval.REFUSED]
    return replace(round, checks=checks)


def is_settled(tx: Tx, *, round_id: str) -> bool:
    """Return whether a round has ended."""
    round = tx.rounds.find(round_id)
    return round is None or round.state is not RoundState.OPEN


def running_ids(tx: Tx, *, host_id: str) -> list[str]:
    """Return the evidence of a host whose process may still run, no matter which daemon drives it."""
    rounds_open = tx.rounds.open_on_host(host_id)
    return [row.id for each in rounds_open for row in tx.evidence.of_round(each.id) if not row.is_finished]
