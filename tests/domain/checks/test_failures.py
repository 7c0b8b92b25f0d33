"""What an agent reads when its checks did not let its task through."""

from __future__ import annotations

import json

from mission.domain.checks.evidence import EvidenceState, Role
from mission.domain.checks.failures import MAX_ERROR, MAX_TEXT, as_text, error_of
from mission.domain.checks.round import RoundState
from mission.domain.checks.verdict import Verdict, next_step
from tests.domain.checks.rounds import TREE, a_round, a_row, defined

TESTS, LINT = defined("make test"), defined("make lint")


def error_for(round, *rows):
    verdict = next_step(round, rows).verdict
    assert verdict is not None
    return error_of(verdict, rows, task_id="t_1", tree=TREE)


def test_a_failure_shows_command_exit_code_and_the_end_of_the_output():
    row = a_row(TESTS, EvidenceState.FAILED, exit_code=2, output="…\n1 failed")

    error = error_for(a_round(TESTS, start_unknown="gone"), row)

    assert (error.code, error.http_status) == ("CHECKS_FAILED", 409)
    assert "make test" in error.message
    assert error.details["checks"] == [
        {
            "name": "make test",
            "required": True,
            "evidence_id": row.id,
            "check": "make test",
            "exit_code": 2,
            "timed_out": False,
            "output": "…\n1 failed",
            "failed_before_too": None,
        }
    ]
    assert "again" in (error.hint or "")


def test_the_whole_error_has_at_most_8000_characters_and_keeps_the_ends():
    checks = [defined({"name": f"check {number}", "run": f"make {number}"}) for number in range(30)]
    rows = [a_row(each, EvidenceState.FAILED, exit_code=1, output="\u2713" * 4_000 + "the end") for each in checks]

    error = error_for(a_round(*checks, start_unknown="gone"), *rows)

    assert len(json.dumps({"error": error.as_dict()}, ensure_ascii=False)) <= MAX_ERROR
    assert all(each["output"].endswith("the end") for each in error.details["checks"])
    assert "30 checks failed" in error.message


def test_one_long_output_fills_the_room():
    row = a_row(TESTS, EvidenceState.FAILED, exit_code=1, output="x" * 4_000)

    error = error_for(a_round(TESTS, start_unknown="gone"), row)

    assert len(error.details["checks"][0]["output"]) == 4_000


def test_required_failures_come_before_excused_ones():
    excused = a_row(TESTS, EvidenceState.FAILED)
    before = a_row(TESTS, EvidenceState.FAILED, role=Role.START)
    own = a_row(LINT, EvidenceState.FAILED)
    passed = a_row(LINT, EvidenceState.PASSED, role=Role.START)

    error = error_for(a_round(TESTS, LINT), excused, before, own, passed)

    assert [(each["name"], each["failed_before_too"]) for each in error.details["checks"]] == [
        ("make lint", None),
        ("make test", True),
    ]


def test_a_failure_in_words_says_what_ran_how_it_ended_and_what_it_printed_last():
    named = defined({"name": "tests", "run": "make test"})
    slow = defined({"name": "slow", "run": "make slow", "required": False})
    globs = defined({"name": "docs", "changed": ["docs/**"]})
    rows = [
        a_row(named, EvidenceState.FAILED, exit_code=2, output="…\n1 failed\n"),
        a_row(slow, EvidenceState.FAILED, timed_out=True),
        a_row(globs, EvidenceState.FAILED, reason="no changed file matches docs/**"),
    ]

    text = as_text(error_for(a_round(named, slow, globs, start_unknown="gone"), *rows))

    assert text == (
        "Check 'tests' (make test) failed with exit code 2.\n…\n1 failed\n\n"
        "Check 'docs' (changed docs/**) failed.\nno changed file matches docs/**\n\n"
        "Check 'slow' (make slow) did not finish in time. It is not required."
    )


def test_a_failure_in_words_says_what_failed_before_and_what_tests_nothing():
    red = defined({"name": "new test", "run": "make test", "before": "fail", "tests": ["tests/**"]})
    result, without = a_row(red, EvidenceState.PASSED, exit_code=0), a_row(red, EvidenceState.PASSED, role=Role.RED)
    excused, before = a_row(LINT, EvidenceState.FAILED, exit_code=1), a_row(LINT, EvidenceState.FAILED, role=Role.START)

    text = as_text(error_for(a_round(red, LINT), result, without, excused, before))

    assert text == (
        "Check 'new test' (make test) failed.\nIt also passes without your change, so it does not test the change.\n\n"
        "Check 'make lint' failed with exit code 1. It failed before your change too."
    )


def test_a_failure_in_words_is_short_and_keeps_the_ends():
    checks = [defined({"name": f"check {number}", "run": f"make {number}"}) for number in range(8)]
    rows = [a_row(each, EvidenceState.FAILED, exit_code=1, output="x" * 4_000 + "the end") for each in checks]

    text = as_text(error_for(a_round(*checks, start_unknown="gone"), *rows))

    *told, more = text.split("\n\n")
    assert len("".join(told)) <= MAX_TEXT
    assert [each.endswith("the end") for each in told] == [True] * 5
    assert more == "3 more failed."


def test_a_void_round_names_the_files_that_changed():
    rows = [a_row(TESTS, EvidenceState.VOID, take=2, files=["src/app.py"])]

    error = error_for(a_round(TESTS, take=2), *rows)

    assert (error.code, error.details["files"]) == ("CHECKS_VOID", ["src/app.py"])
    assert "unproved: true" in (error.hint or "")


def test_a_check_that_could_not_run_is_not_held_against_the_agent():
    rows = [a_row(TESTS, EvidenceState.ERROR, reason="the command was not found") for _ in range(2)]

    error = error_for(a_round(TESTS), *rows)

    assert error.code == "CHECKS_ERROR"
    assert "does not count as a failure" in error.message
    assert error.details["checks"][0]["reason"] == "the command was not found"


def test_a_verdict_without_results_is_an_error_too():
    verdict = Verdict(state=RoundState.ERROR, proves=False, results=[])

    assert error_of(verdict, [], task_id="t_1", tree=None).code == "CHECKS_ERROR"
