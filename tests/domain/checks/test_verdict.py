"""What comes next in a round of checks, and what its rows prove."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mission.domain.checks.check import Approval
from mission.domain.checks.evidence import EvidenceState, Role
from mission.domain.checks.round import CheckRound, RoundState
from mission.domain.checks.verdict import MAX_BROKEN, MAX_TAKES, Verdict, next_step
from tests.domain.checks.rounds import TREE, a_round, a_row, defined

TESTS = defined("make test")
LINT = defined("make lint")
OPTIONAL = defined({"name": "slow", "run": "make slow", "required": False})
RED_GREEN = defined({"name": "new", "run": "pytest", "before": "fail", "tests": ["tests/**"]})
PASSED, FAILED, ERROR, LOST = EvidenceState.PASSED, EvidenceState.FAILED, EvidenceState.ERROR, EvidenceState.LOST


def verdict_of(round: CheckRound, *rows) -> Verdict:
    verdict = next_step(round, rows).verdict
    assert verdict is not None
    return verdict


def wanted(round: CheckRound, *rows) -> list[tuple[str, Role]]:
    return [(each.defined.check.name, each.role) for each in next_step(round, rows).tries]


def test_a_new_round_runs_every_check_on_the_reported_tree():
    assert wanted(a_round(TESTS, LINT)) == [("make test", Role.RESULT), ("make lint", Role.RESULT)]


def test_a_round_waits_while_a_check_runs():
    step = next_step(a_round(TESTS), [a_row(TESTS, EvidenceState.RUNNING)])

    assert (step.tries, step.verdict) == ([], None)


def test_all_required_checks_passed_prove_the_tree():
    verdict = verdict_of(a_round(TESTS, LINT), a_row(TESTS, PASSED), a_row(LINT, PASSED))

    assert (verdict.state, verdict.proves) == (RoundState.PASSED, True)


def test_an_optional_check_neither_stops_nor_proves():
    round = a_round(OPTIONAL, start_unknown="gone")

    verdict = verdict_of(round, a_row(OPTIONAL, FAILED))

    assert (verdict.state, verdict.proves) == (RoundState.PASSED, False)


def test_a_failed_check_also_runs_on_the_start_tree():
    assert wanted(a_round(TESTS), a_row(TESTS, FAILED)) == [("make test", Role.START)]


def test_a_failure_that_happens_on_the_start_tree_too_lets_the_task_through_unproved():
    verdict = verdict_of(a_round(TESTS), a_row(TESTS, FAILED), a_row(TESTS, FAILED, role=Role.START))

    assert (verdict.state, verdict.proves) == (RoundState.PASSED, False)
    assert verdict.results[0].failed_before is True


def test_a_failure_from_before_is_labeled_and_still_stops_the_task_if_it_gates():
    rows = a_row(TESTS, FAILED), a_row(TESTS, FAILED, role=Role.START)

    verdict = verdict_of(a_round(TESTS, excuses=False), *rows)

    assert (verdict.state, verdict.results[0].failed_before) == (RoundState.FAILED, True)


def test_a_start_tree_on_which_it_passes_or_cannot_run_excuses_nothing():
    for state in (PASSED, EvidenceState.VOID):
        verdict = verdict_of(a_round(TESTS), a_row(TESTS, FAILED), a_row(TESTS, state, role=Role.START))
        assert (verdict.state, verdict.results[0].failed_before) == (RoundState.FAILED, None)


def test_a_start_tree_that_cannot_be_rebuilt_excuses_nothing():
    round = a_round(TESTS, start_unknown="its contents were not kept")

    assert verdict_of(round, a_row(TESTS, FAILED)).state is RoundState.FAILED


def test_a_check_with_retries_is_run_again_before_it_counts():
    flaky = defined({"name": "flaky", "run": "pytest", "retries": 1})

    assert wanted(a_round(flaky), a_row(flaky, FAILED)) == [("flaky", Role.RESULT)]
    assert verdict_of(a_round(flaky), a_row(flaky, FAILED), a_row(flaky, PASSED, flaky=True)).proves


def test_a_check_that_could_not_run_is_tried_once_more_and_then_is_an_error():
    first = a_row(TESTS, ERROR)
    assert wanted(a_round(TESTS), first) == [("make test", Role.RESULT)]

    verdict = verdict_of(a_round(TESTS), first, a_row(TESTS, LOST))

    assert (verdict.state, verdict.proves) == (RoundState.ERROR, False)


def test_a_tree_that_changed_under_a_check_is_taken_once_more_then_the_round_is_void():
    void = a_row(TESTS, EvidenceState.VOID)
    assert next_step(a_round(TESTS), [void]).retake

    again = a_row(TESTS, EvidenceState.VOID, take=2)

    assert verdict_of(a_round(TESTS, take=2), void, again).state is RoundState.VOID


def test_evidence_of_an_earlier_take_does_not_count():
    old = a_row(TESTS, PASSED, take=1)

    assert wanted(a_round(TESTS, take=2), old) == [("make test", Role.RESULT)]


def test_a_check_that_counts_tests_is_counted_on_the_start_tree_once():
    passed, definition = a_row(TESTS, PASSED), TESTS.definition
    step = next_step(a_round(TESTS), [passed], uncounted={definition})
    assert [each.role for each in step.tries] == [Role.START]

    for state in (PASSED, FAILED):
        before = a_row(TESTS, state, role=Role.START)
        verdict = next_step(a_round(TESTS), [passed, before], uncounted={definition}).verdict
        assert (verdict.state, verdict.proves) == (RoundState.PASSED, True)


def test_a_check_that_must_fail_before_runs_without_the_change_too():
    assert wanted(a_round(RED_GREEN), a_row(RED_GREEN, PASSED)) == [("new", Role.RED)]


def test_red_then_green_proves_and_green_before_fails():
    green = a_row(RED_GREEN, PASSED)
    red = verdict_of(a_round(RED_GREEN), green, a_row(RED_GREEN, FAILED, role=Role.RED))
    assert (red.state, red.proves) == (RoundState.PASSED, True)

    before = a_row(RED_GREEN, PASSED, role=Role.RED)
    verdict = verdict_of(a_round(RED_GREEN), green, before)

    assert (verdict.state, verdict.results[0].green_before) == (RoundState.FAILED, before.id)


def test_without_a_start_tree_red_then_green_is_an_error_not_a_proof():
    round = a_round(RED_GREEN, start_unknown="gone")

    assert verdict_of(round, a_row(RED_GREEN, PASSED)).state is RoundState.ERROR


def test_a_check_that_waits_for_approval_keeps_the_round_open_and_does_not_run():
    waiting = defined("curl example.com | sh", approval=Approval.PENDING)
    round = a_round(TESTS, waiting)

    assert wanted(round) == [("make test", Role.RESULT)]
    step = next_step(round, [a_row(TESTS, PASSED)])
    assert (step.verdict, step.waits_for) == (None, [waiting.check.name])


def test_evidence_for_another_definition_of_the_same_name_proves_nothing():
    other = a_row(TESTS, PASSED, definition="another")

    verdict = verdict_of(a_round(TESTS), other)

    assert (verdict.state, verdict.proves) == (RoundState.ERROR, False)


def test_a_verdict_survives_storage():
    verdict = verdict_of(a_round(TESTS), a_row(TESTS, FAILED), a_row(TESTS, FAILED, role=Role.START))

    assert Verdict.from_dict(verdict.as_dict()) == verdict


CHECKS = (TESTS, LINT, OPTIONAL, RED_GREEN)
_rows = st.builds(
    lambda check, state, role, take, own, tree: a_row(
        check, state, role=role, take=take, tree=tree, definition=check.definition if own else "another"
    ),
    st.sampled_from(CHECKS),
    st.sampled_from(list(EvidenceState)),
    st.sampled_from(list(Role)),
    st.integers(1, MAX_TAKES),
    st.booleans(),
    st.sampled_from([TREE, "another"]),
)
_checks = st.lists(st.sampled_from(CHECKS), unique_by=lambda each: each.check.name)


@given(_checks, st.lists(_rows, max_size=12), st.integers(1, MAX_TAKES))
def test_nothing_is_proved_without_passing_evidence_of_each_required_check(checks, rows, take):
    verdict = next_step(a_round(*checks, take=take), rows).verdict

    if verdict is None or not verdict.proves:
        return
    required = [check for check in checks if check.check.required]
    assert required
    for check in required:
        own = [each for each in rows if each.name == check.check.name and each.take == take]
        results = [
            each
            for each in own
            if each.role is Role.RESULT and (each.definition, each.tree) == (check.definition, TREE)
        ]
        assert max(results, key=lambda each: each.created_at).state is PASSED
        assert not any(
            each.state is EvidenceState.VOID and each.role is Role.RESULT for each in rows if each.take == take
        )


@given(_checks.filter(bool), st.data())
def test_every_round_ends_after_a_bounded_number_of_tries(checks, data):
    round, rows = a_round(*checks), []
    for _ in range(MAX_TAKES * len(checks) * 4 * MAX_BROKEN):
        step = next_step(round, rows)
        if step.verdict is not None:
            return
        if step.retake:
            round = a_round(*checks, take=round.take + 1)
            continue
        assert step.tries
        outcomes = [state for state in EvidenceState if state not in {EvidenceState.QUEUED, EvidenceState.RUNNING}]
        rows += [
            a_row(each.defined, data.draw(st.sampled_from(outcomes)), role=each.role, take=round.take)
            for each in step.tries
        ]
    raise AssertionError("the round does not end")
