"""What failed last, as the agent that continues with a task reads it."""

from __future__ import annotations

import pytest

from mission.domain.checks.check import Check, CheckKind
from mission.domain.checks.evidence import Evidence, EvidenceState, Outcome, Place, Role
from mission.domain.checks.round import CheckRound, Purpose, RoundState
from mission.domain.checks.verdict import CheckResult, Verdict
from mission.services.evidence import last_failures
from mission.services.evidence.last_failures import FailedCheck
from tests.store.rows import at


@pytest.fixture
def task(rows):
    return rows.task(rows.mission("m"), "a")


@pytest.fixture
def add_round(tx, task):
    """A finished round with one piece of evidence for each check."""

    def add(number, state, *outcomes):
        round = CheckRound(
            id=f"cr_{number}",
            task_id=task.id,
            mission_id=task.mission_id,
            purpose=Purpose.GATE,
            host_id="h",
            path="/t",
            repository="r",
            checks=[],
            tree="tree",
            created_at=at(number),
            updated_at=at(number),
        )
        tx.rounds.add(round)
        results = []
        for name, outcome, required in outcomes:
            check = Check(name=name, kind=CheckKind.RUN, run=f"make {name}", required=required)
            row = Evidence(
                id=f"ev_{number}{name}",
                task_id=task.id,
                mission_id=task.mission_id,
                round_id=round.id,
                name=name,
                definition="d",
                check=check,
                required=required,
                role=Role.RESULT,
                place=Place.TASK,
                tree="tree",
                host_id="h",
                repository="r",
                created_at=at(number),
                updated_at=at(number),
            )
            tx.evidence.add(row.ended(outcome, at=at(number)))
            results.append(CheckResult(name=name, state=outcome.state, required=required, evidence_id=row.id))
        verdict = Verdict(state=state, proves=False, results=results)
        tx.rounds.save(round.ended(state, at=at(number), verdict=verdict, reason=None))

    return add


FAILED = Outcome(state=EvidenceState.FAILED, exit_code=1, output="x" * 3_000 + "1 failed")
PASSED = Outcome(state=EvidenceState.PASSED, exit_code=0)


def test_the_required_checks_that_failed_come_with_the_end_of_their_output(tx, task, add_round):
    add_round(1, RoundState.FAILED, ("test", FAILED, True), ("lint", PASSED, True), ("docs", FAILED, False))

    assert last_failures.failed_last(tx, task_id=task.id) == [
        FailedCheck(
            name="test",
            check="make test",
            exit_code=1,
            timed_out=False,
            output=("x" * 3_000 + "1 failed")[-last_failures.MAX_OUTPUT :],
            evidence_id="ev_1test",
            failed_before_too=None,
        )
    ]


def test_many_failures_share_the_space(tx, task, add_round):
    add_round(1, RoundState.FAILED, *((f"c{number}", FAILED, True) for number in range(9)))

    found = last_failures.failed_last(tx, task_id=task.id)

    assert len(found) == last_failures.MAX_LISTED
    assert sum(len(each.output) for each in found) <= last_failures.MAX_OUTPUTS
    assert all(each.output.endswith("1 failed") for each in found)


def test_a_round_without_an_answer_does_not_hide_the_last_failure(tx, task, add_round):
    add_round(1, RoundState.FAILED, ("test", FAILED, True))
    add_round(2, RoundState.ERROR)
    add_round(3, RoundState.WITHDRAWN)

    assert [each.name for each in last_failures.failed_last(tx, task_id=task.id)] == ["test"]


def test_nothing_is_repeated_once_the_checks_passed_or_if_none_ran(tx, task, add_round):
    assert last_failures.failed_last(tx, task_id=task.id) == []
    add_round(1, RoundState.FAILED, ("test", FAILED, True))
    add_round(2, RoundState.PASSED, ("test", PASSED, True))

    assert last_failures.failed_last(tx, task_id=task.id) == []
